//! LogiQAte: four kinds of puzzle, each with a base and an obfuscated wording, as CSV. The header tells the kind.
//!
//! | kind | columns | variants | task |
//! |---|---|---|---|
//! | entailment | `premises_nl`, `premises_fol`, `conclusion_nl`, … and `obf_…` | `base`, `obfuscated` | `logiqate-fol` |
//! | number series | `number_series`, `answer`, `obfuscation` | `base`, `planet`, `ascii`, `md5` | `logiqate-series` |
//! | kinship | `BaseQuestion`, `ObfuscatedQuest_l1`, `ObfuscatedQuest_l2`, `Answer` | `base`, `l1`, `l2` | `logiqate-kinship` |
//! | direction | `BASE`, `OBFUS`, `ACTUAL ANSWER` | `base`, `obfuscated` | `logiqate-direction` |
//!
//! The wordings of one puzzle share a group. Answers of the last three kinds are free texts: such an item has one ending,
//! spaces and stray quotes at its ends taken off, and a defect `no-choices`.

mod fol;
mod series;
mod words;

use super::table::Table;
use super::{Format, Sink, Source};

/// The format `logiqate`.
pub struct LogiQate;

impl Format for LogiQate {
    fn name(&self) -> &'static str {
        "logiqate"
    }
    fn about(&self) -> &'static str {
        "LogiQAte: CSV of entailment, number series, blood relation or direction sense"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        let Some(table) = Table::read(source) else { return };
        let has = |names: &[&str]| names.iter().all(|name| table.header.iter().any(|column| column == name));
        if has(&["premises_nl", "obf_premises_nl"]) {
            fol::read(&table, source, sink);
        } else if has(&["number_series", "answer"]) {
            series::read(&table, source, sink);
        } else if has(&["BaseQuestion", "Answer"]) {
            words::read(&words::KINSHIP, &table, source, sink);
        } else if has(&["BASE", "ACTUAL ANSWER"]) {
            words::read(&words::DIRECTION, &table, source, sink);
        } else {
            table.each(source, sink, |record, _| {
                let known = "`premises_nl` and `obf_premises_nl`, `number_series` and `answer`, `BaseQuestion` and `Answer`, \
                             or `BASE` and `ACTUAL ANSWER`";
                record.flag("unknown-header", "", format!("the header has none of {known}{}", table.hint()));
            });
        }
    }
}
