//! Counts over the items of one wording.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::row::{Entry, Outcome};
use crate::logic::Place;

/// What parses, and the defects by kind.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ParseCounts {
    /// Items with formulas.
    pub rows: usize,
    /// Items of which all formulas parse.
    pub rows_parsed: usize,
    /// Premises.
    pub premises: usize,
    /// Premises that parse.
    pub premises_parsed: usize,
    /// Conclusions with a formula.
    pub conclusions: usize,
    /// Conclusions that parse.
    pub conclusions_parsed: usize,
    /// Different texts among premises and conclusions, space at the ends aside.
    pub distinct: usize,
    /// Different texts that do not parse.
    pub distinct_unparsed: usize,
    /// Defects: those that are no formula first, then by rows, the most first.
    pub defects: Vec<DefectCount>,
}

/// One kind of defect.
#[derive(Clone, Debug, Serialize)]
pub struct DefectCount {
    /// Its name.
    pub kind: String,
    /// Whether a text with it is no formula.
    pub error: bool,
    /// Premises that have it.
    pub premises: usize,
    /// Conclusions that have it.
    pub conclusions: usize,
    /// Different texts that have it, space at the ends aside.
    pub distinct: usize,
    /// Items that have it.
    pub rows: usize,
}

/// What a label claims against what follows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LabelTable {
    /// Items with a conclusion's formula.
    pub rows: usize,
    /// Items whose label is what follows.
    pub agree: usize,
    /// Items whose label is not what follows.
    pub disagree: usize,
    /// Label as the data set spells it, verdict, number of items.
    pub table: BTreeMap<String, BTreeMap<Outcome, usize>>,
    /// Ids of the items whose label is not what follows.
    pub disagreeing: Vec<String>,
}

/// Counts what parses.
pub(super) fn parsing(entries: &[&Entry]) -> ParseCounts {
    let mut counts = ParseCounts { rows: entries.len(), ..ParseCounts::default() };
    let (mut texts, mut unparsed) = (BTreeSet::new(), BTreeSet::new());
    // For each kind: places by premise or conclusion, texts, and rows.
    type Seen<'a> = (BTreeSet<(usize, usize)>, BTreeSet<usize>, BTreeSet<&'a str>, BTreeSet<usize>, bool);
    let mut kinds: BTreeMap<String, Seen<'_>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let (premises, conclusion) = &entry.texts;
        counts.rows_parsed += usize::from(entry.row.parses);
        counts.premises += premises.len();
        counts.premises_parsed += entry.reading.premises.iter().flatten().count();
        counts.conclusions += usize::from(conclusion.is_some());
        counts.conclusions_parsed += usize::from(entry.reading.conclusion.is_some());
        texts.extend(premises.iter().chain(conclusion).map(|text| text.trim()));
        for remark in &entry.row.defects {
            let text = match (remark.place, remark.index) {
                (Place::Premise, Some(i)) => premises.get(i),
                _ => conclusion.as_ref(),
            };
            let text = text.map_or("", |text| text.trim());
            let kind = remark.fault.kind;
            let seen = kinds.entry(kind.name()).or_default();
            match remark.index {
                Some(i) => drop(seen.0.insert((at, i))),
                None => drop(seen.1.insert(at)),
            }
            seen.2.insert(text);
            seen.3.insert(at);
            seen.4 = kind.is_error();
            if kind.is_error() {
                unparsed.insert(text);
            }
        }
    }
    (counts.distinct, counts.distinct_unparsed) = (texts.len(), unparsed.len());
    counts.defects = kinds
        .into_iter()
        .map(|(kind, (premises, conclusions, texts, rows, error))| DefectCount {
            kind,
            error,
            premises: premises.len(),
            conclusions: conclusions.len(),
            distinct: texts.len(),
            rows: rows.len(),
        })
        .collect();
    counts.defects.sort_by_key(|count| (!count.error, std::cmp::Reverse(count.rows)));
    counts
}

/// Counts labels against verdicts; `None` where no item has a conclusion's formula.
pub(super) fn labels(entries: &[&Entry]) -> Option<LabelTable> {
    let mut table = LabelTable::default();
    for row in entries.iter().map(|entry| &entry.row) {
        let Some(verdict) = row.verdict else { continue };
        table.rows += 1;
        *table.table.entry(row.label.clone()).or_default().entry(verdict).or_default() += 1;
        match row.agrees {
            Some(true) => table.agree += 1,
            Some(false) => {
                table.disagree += 1;
                table.disagreeing.push(row.id.clone());
            }
            None => {}
        }
    }
    (table.rows > 0).then_some(table)
}
