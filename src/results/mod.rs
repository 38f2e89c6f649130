//! What a run leaves behind: sample records, the append-only store with resume, metrics, statistics and tables.
//!
//! | module | what it decides |
//! |---|---|
//! | [`sample`] | one line of `samples.jsonl` |
//! | [`norm`] | how endings of different length are compared, and what a tie is |
//! | [`manifest`] | what identifies a run, and its digest |
//! | [`folder`] | the files of a run's folder, whole writes, the lock |
//! | [`store`] | writing a run: order, resume, a kill at any moment |
//! | [`lines`] | reading sample files back |
//! | [`attempts`] | seconds and tokens over the attempts of a run |
//! | [`metrics`] | accuracies with standard errors, per task, variant and hop depth |
//! | [`robustness`] | a question against its rewordings, pair by pair |
//! | [`stats`] | the statistics that both use |
//! | [`report`] | `results.json` |
//! | [`tables`] | the same as a table: terminal, Markdown, CSV |

pub mod attempts;
pub mod folder;
pub mod lines;
pub mod manifest;
mod matrix;
pub mod metrics;
pub mod norm;
pub mod report;
pub mod robustness;
pub mod sample;
pub mod stats;
pub mod store;
pub mod tables;
mod terminal;

pub use attempts::{Attempt, Tokens};
pub use lines::samples;
pub use manifest::{DataDigest, Environment, Host, Manifest, ScoreSettings, Selection, Shots};
pub use metrics::{M, Metrics};
pub use norm::Norm;
pub use report::Results;
pub use robustness::{Pairing, Robustness};
pub use sample::{Choice, EndingScore, Sample, flag};
pub use store::{Resumed, Store};
pub use tables::{Format, Style, render};
