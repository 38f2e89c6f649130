//! What the formulas of a data set say of the data set: which of them parse, which premises can hold together, which labels
//! the premises bear out, and whether a rewording says what its base says.
//!
//! Items come from [`crate::import`], with their formulas in `meta.formulas` and what the label claims in `meta.gold`;
//! [`crate::logic`] decides. Nothing is guessed: a formula that does not parse makes what hangs on it `unparseable`, and
//! what is not found out in time is `undecided`. The evidence for each figure is checked again by
//! [`Answer::check`](crate::logic::Answer::check) and [`Decision::check`](crate::logic::Decision::check) before it counts.

mod count;
mod judge;
mod pair;
mod report;
mod row;
mod summary;
pub mod wording;

use rayon::prelude::*;
use serde::Serialize;

pub use count::{DefectCount, LabelTable, ParseCounts};
pub use pair::{Effect, Link, Pair};
pub use report::{Section, markdown, markdown_sections, sections, wording_sections};
pub use row::{Outcome, Premises, Row};
pub use summary::{PairSummary, Summary, Wording};

use crate::import::{Count, Import};
use crate::item::Item;
use crate::logic::{Limits, Syntax};
use row::Entry;

/// How to audit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How formulas are written; none takes each formula's own symbols.
    pub syntax: Option<Syntax>,
    /// Whether ⊤ and ⊥ are read in FOLIO's syntax, which does not define them.
    pub truth_constants: bool,
    /// Limits of one question: a verdict, a consistency, a comparison.
    pub limits: Limits,
    /// Whether models, refutations and the formulas themselves are kept.
    pub evidence: bool,
}

/// What an audit found. Written as `--json`, fields in this order.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    /// `llscore.audit/1`.
    pub schema: &'static str,
    /// The format of the files.
    pub format: String,
    /// The files, with what their import counted.
    pub files: Vec<FileCount>,
    /// What was asked for.
    pub settings: Settings,
    /// The figures.
    pub summary: Summary,
    /// One record for each item with formulas, in the order of the data.
    pub rows: Vec<Row>,
    /// One record for each rewording of a base item.
    pub pairs: Vec<Pair>,
}

/// A file, and what its import counted.
#[derive(Clone, Debug, Serialize)]
pub struct FileCount {
    /// The file as it was named.
    pub file: String,
    /// Records read.
    pub records: usize,
    /// Items that they gave.
    pub items: usize,
    /// Records that gave no item.
    pub dropped: usize,
}

/// What an audit was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Settings {
    /// `auto`, or the syntax in which all formulas were read.
    pub syntax: String,
    /// Whether ⊤ and ⊥ were read in FOLIO's syntax.
    pub truth_constants: bool,
    /// Seconds for one question.
    pub timeout: f64,
    /// Whether different constants name different things.
    pub unique_names: bool,
}

/// Audits the items of an import, in parallel. `None` where no item has formulas.
#[must_use]
pub fn audit(format: &str, import: &Import, options: &Options) -> Option<Audit> {
    let with: Vec<&Item> = import.items.iter().filter(|item| row::formulas(item).is_some()).collect();
    if with.is_empty() {
        return None;
    }
    let entries: Vec<Entry> = with.par_iter().filter_map(|item| row::examine(item, options)).collect();
    let pairs: Vec<Pair> =
        pair::couples(&entries).par_iter().map(|(base, other)| pair::examine(base, other, options)).collect();
    let rows: Vec<Row> = entries.iter().map(|entry| entry.row.clone()).collect();
    let summary = summary::of(&entries, &pairs, import.items.len());
    let file = |count: &Count| FileCount {
        file: count.file.clone(),
        records: count.records,
        items: count.items,
        dropped: count.dropped,
    };
    Some(Audit {
        schema: "llscore.audit/1",
        format: format.to_string(),
        files: import.files.iter().map(file).collect(),
        settings: Settings {
            syntax: options.syntax.map_or("auto".to_string(), |syntax| format!("{syntax:?}").to_lowercase()),
            truth_constants: options.truth_constants,
            timeout: options.limits.time.as_secs_f64(),
            unique_names: options.limits.unique_names,
        },
        summary,
        rows,
        pairs,
    })
}
