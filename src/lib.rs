//! `llscore` scores local causal language models on **LogicMark**, a benchmark of multiple-choice logic items.
//!
//! For each item it computes the log-likelihood of every ending given the context, normalises it by length, picks an
//! ending, and aggregates the answers per task, per variant and per hop depth.
//!
//! Data flows one way through the rooms below; a room never imports from a later one, except [`cli`], which imports
//! them all.
//!
//! | room | what it decides |
//! |---|---|
//! | [`error`] | the library's error type and its exit codes |
//! | [`item`] | one multiple-choice question: reading, writing, validating JSON Lines |
//! | [`logic`] | first-order logic: formulas, their syntaxes and normal forms, verdicts with evidence |
//! | [`import`] | data sets of others as items, with their defects |
//! | [`logicmark`] | how the benchmark's items are made, and how what they claim is proved again |
//! | [`baselines`] | how far items can be answered without reasoning |
//! | [`audit`] | what the formulas and wordings of a data set say of its labels and rewordings |
//! | [`prompt`] | how an item becomes text |
//! | [`tokenize`] | text to ids: tokenizer files, BOS policy, the context/ending split |
//! | [`model`] | a model's name to its files, its description as data, and one forward pass |
//! | [`engine`] | requests to a token trie, the trie to packs, packs through the layers, scored rows through the head |
//! | [`inspect`] | what a model is and needs, before it is loaded |
//! | [`score`] | items in, samples out |
//! | [`results`] | sample records, the append-only store, resume, metrics, tables |
//! | [`cli`] | flags in, library call, words and tables out |

pub mod audit;
pub mod baselines;
pub mod cli;
pub mod engine;
pub mod error;
pub mod import;
pub mod inspect;
pub mod item;
pub mod logic;
pub mod logicmark;
pub mod model;
pub mod prompt;
pub mod results;
pub mod score;
pub mod tokenize;

pub use error::{Error, Result};
