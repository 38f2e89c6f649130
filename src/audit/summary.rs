//! The figures of an audit, each of them a count over its rows and pairs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::count::{LabelTable, ParseCounts, labels, parsing};
use super::pair::{Effect, Link, Pair};
use super::row::{Entry, Outcome, Premises};

/// The figures.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Items that the files gave.
    pub items: usize,
    /// Items without formulas, of which nothing can be said.
    pub without_formulas: usize,
    /// The wordings, `base` first.
    pub wordings: Vec<Wording>,
    /// The rewordings against their bases.
    pub pairs: Vec<PairSummary>,
}

/// The figures of the items of one wording.
#[derive(Clone, Debug, Serialize)]
pub struct Wording {
    /// The variant.
    pub variant: String,
    /// What parses.
    pub parsing: ParseCounts,
    /// Items by whether their premises can hold together.
    pub consistency: BTreeMap<Premises, usize>,
    /// Ids of the items whose premises cannot hold together.
    pub inconsistent: Vec<String>,
    /// Premises that say nothing.
    pub tautologies: usize,
    /// Premises that cannot hold.
    pub contradictions: usize,
    /// Items of which something is undecided.
    pub undecided: usize,
    /// Labels against verdicts; none where no item has a formula for its conclusion.
    pub labels: Option<LabelTable>,
}

/// The figures of one wording against its bases.
#[derive(Clone, Debug, Serialize)]
pub struct PairSummary {
    /// The variant.
    pub variant: String,
    /// Items that have a base.
    pub rows: usize,
    /// Items with another number of premises than their base.
    pub other_number: usize,
    /// Premises at the same place, by how they stand to the base's.
    pub premises: BTreeMap<Link, usize>,
    /// Whole theories.
    pub theories: BTreeMap<Link, usize>,
    /// Conclusions.
    pub conclusions: BTreeMap<Link, usize>,
    /// Base's verdict, rewording's verdict, number of items.
    pub verdicts: BTreeMap<Outcome, BTreeMap<Outcome, usize>>,
    /// Items with both verdicts found and different.
    pub verdict_changed: usize,
    /// What the rewordings do to their labels.
    pub effects: BTreeMap<Effect, usize>,
}

/// Counts. `items` is the number of items, those without formulas too.
pub(super) fn of(entries: &[Entry], pairs: &[Pair], items: usize) -> Summary {
    let mut variants: Vec<&str> = Vec::new();
    for entry in entries {
        if !variants.contains(&entry.row.variant.as_str()) {
            variants.push(&entry.row.variant);
        }
    }
    variants.sort_by_key(|variant| *variant != "base");
    let of_variant = |variant: &str| -> Vec<&Entry> { entries.iter().filter(|e| e.row.variant == variant).collect() };
    Summary {
        items,
        without_formulas: items - entries.len(),
        wordings: variants.iter().map(|variant| wording(variant, &of_variant(variant))).collect(),
        pairs: variants.iter().filter_map(|variant| against(variant, pairs)).collect(),
    }
}

fn wording(variant: &str, entries: &[&Entry]) -> Wording {
    let mut consistency = BTreeMap::new();
    for entry in entries {
        *consistency.entry(entry.row.consistency).or_insert(0) += 1;
    }
    let inconsistent = entries.iter().filter(|entry| entry.row.consistency == Premises::Inconsistent);
    let open =
        |entry: &&&Entry| entry.row.verdict == Some(Outcome::Undecided) || entry.row.consistency == Premises::Undecided;
    Wording {
        variant: variant.to_string(),
        parsing: parsing(entries),
        consistency,
        inconsistent: inconsistent.map(|entry| entry.row.id.clone()).collect(),
        tautologies: entries.iter().map(|entry| entry.row.tautologies.len()).sum(),
        contradictions: entries.iter().map(|entry| entry.row.contradictions.len()).sum(),
        undecided: entries.iter().filter(open).count(),
        labels: labels(entries),
    }
}

fn against(variant: &str, pairs: &[Pair]) -> Option<PairSummary> {
    let pairs: Vec<&Pair> = pairs.iter().filter(|pair| pair.variant == variant).collect();
    let mut out = PairSummary {
        variant: variant.to_string(),
        rows: pairs.len(),
        other_number: pairs.iter().filter(|pair| pair.pairs.is_none()).count(),
        premises: BTreeMap::new(),
        theories: BTreeMap::new(),
        conclusions: BTreeMap::new(),
        verdicts: BTreeMap::new(),
        verdict_changed: 0,
        effects: BTreeMap::new(),
    };
    for pair in &pairs {
        for link in pair.pairs.iter().flatten() {
            *out.premises.entry(*link).or_insert(0) += 1;
        }
        *out.theories.entry(pair.theory).or_insert(0) += 1;
        if let Some(link) = pair.conclusion {
            *out.conclusions.entry(link).or_insert(0) += 1;
        }
        if let (Some(base), Some(other)) = (pair.base_verdict, pair.verdict) {
            *out.verdicts.entry(base).or_default().entry(other).or_insert(0) += 1;
            let found = |verdict| !matches!(verdict, Outcome::Undecided | Outcome::Unparseable);
            out.verdict_changed += usize::from(base != other && found(base) && found(other));
        }
        if let Some(effect) = pair.effect {
            *out.effects.entry(effect).or_insert(0) += 1;
        }
    }
    (!pairs.is_empty()).then_some(out)
}
