//! One item: what of its formulas parses, whether its premises can hold together, and what they say of its conclusion.

use serde::Serialize;
use serde_json::{Value, json};

use super::Options;
use super::judge;
use crate::item::Item;
use crate::logic::{Decision, Formula, Limits, Reading, Remark, Verdict};

/// What an item's premises say of its conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It follows.
    Entailed,
    /// Its negation follows.
    Contradicted,
    /// Neither follows.
    Unknown,
    /// The premises cannot hold together.
    Inconsistent,
    /// Not found out within the limits.
    Undecided,
    /// A formula does not parse.
    Unparseable,
}

impl Outcome {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Entailed => "entailed",
            Outcome::Contradicted => "contradicted",
            Outcome::Unknown => "unknown",
            Outcome::Inconsistent => "inconsistent",
            Outcome::Undecided => "undecided",
            Outcome::Unparseable => "unparseable",
        }
    }
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Entailed => Outcome::Entailed,
            Verdict::Contradicted => Outcome::Contradicted,
            Verdict::Unknown => Outcome::Unknown,
            Verdict::Inconsistent => Outcome::Inconsistent,
            Verdict::Undecided => Outcome::Undecided,
        }
    }
}

/// Whether an item's premises can hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Premises {
    /// They have a model.
    Consistent,
    /// They have none.
    Inconsistent,
    /// Not found out within the limits.
    Undecided,
    /// A premise does not parse.
    Unparseable,
}

/// What was found about an item.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The item's id.
    pub id: String,
    /// The file's own name.
    pub file: Option<String>,
    /// The record's 0-based number in the file.
    pub row: Option<u64>,
    /// Items of one question in several wordings share it.
    pub group: String,
    /// `base`, or the wording.
    pub variant: String,
    /// The label as the data set spells it.
    pub label: String,
    /// What the label claims: `entailed`, `contradicted` or `unknown`; none where it claims something else.
    pub gold: Option<String>,
    /// The number of premises.
    pub premises: usize,
    /// Whether there is a formula for the conclusion.
    pub conclusion: bool,
    /// Whether all formulas parse.
    pub parses: bool,
    /// Errors and warnings about the formulas' texts.
    pub defects: Vec<Remark>,
    /// Whether the premises can hold together.
    pub consistency: Premises,
    /// What the premises say of the conclusion; none where there is no formula for it.
    pub verdict: Option<Outcome>,
    /// Whether the verdict is what the label claims; none where there is no verdict or no claim. Inconsistent premises bear
    /// out no label.
    pub agrees: Option<bool>,
    /// Elements of the smallest model of the premises and the conclusion.
    pub model_true: Option<usize>,
    /// Elements of the smallest model of the premises and the conclusion's negation.
    pub model_false: Option<usize>,
    /// Premises (by number, from 0) that hold in every model: they say nothing.
    pub tautologies: Vec<usize>,
    /// Premises (by number, from 0) that hold in no model.
    pub contradictions: Vec<usize>,
    /// Why something is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// With `--evidence`: the formulas, and models or refutations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
}

/// An item's row with its texts and formulas.
pub(super) struct Entry {
    pub row: Row,
    /// Texts of the premises and of the conclusion.
    pub texts: (Vec<String>, Option<String>),
    pub reading: Reading,
}

impl Entry {
    /// The premises, if all parse.
    pub fn theory(&self) -> Option<Vec<Formula>> {
        self.reading.premises.iter().cloned().collect()
    }
}

/// The texts of an item's formulas.
pub(super) fn formulas(item: &Item) -> Option<(Vec<String>, Option<String>)> {
    let formulas = item.meta.as_ref()?.get("formulas")?;
    let premises = formulas.get("premises")?.as_array()?;
    let premises = premises.iter().map(|text| text.as_str().map(str::to_string)).collect::<Option<Vec<_>>>()?;
    let conclusion = formulas.get("conclusion").and_then(Value::as_str).map(str::to_string);
    Some((premises, conclusion))
}

/// Looks into one item; `None` where it has no formulas.
pub(super) fn examine(item: &Item, options: &Options) -> Option<Entry> {
    let texts = formulas(item)?;
    let reading = Reading::of(&texts.0, texts.1.as_deref(), options.syntax, options.truth_constants);
    let meta = |field: &str| item.meta.as_ref().and_then(|meta| meta.get(field));
    let gold = meta("gold").and_then(Value::as_str).map(str::to_string);
    let mut row = Row {
        id: item.id.clone(),
        file: meta("file").and_then(Value::as_str).map(str::to_string),
        row: meta("row").and_then(Value::as_u64),
        group: item.group.clone(),
        variant: item.variant.clone(),
        label: item.endings.get(item.label).cloned().unwrap_or_default(),
        gold,
        premises: texts.0.len(),
        conclusion: texts.1.is_some(),
        parses: !reading.remarks.iter().any(|remark| remark.fault.kind.is_error()),
        defects: reading.remarks.clone(),
        consistency: Premises::Unparseable,
        verdict: texts.1.is_some().then_some(Outcome::Unparseable),
        agrees: None,
        model_true: None,
        model_false: None,
        tautologies: Vec::new(),
        contradictions: Vec::new(),
        note: None,
        evidence: None,
    };
    empty_premises(&mut row, &reading, &options.limits);
    let theory: Option<Vec<Formula>> = reading.premises.iter().cloned().collect();
    let evidence = theory.and_then(|theory| decide(&mut row, &theory, reading.conclusion.as_ref(), &options.limits));
    row.agrees = match (row.verdict, &row.gold) {
        (Some(Outcome::Unparseable | Outcome::Undecided) | None, _) | (_, None) => None,
        (Some(verdict), Some(gold)) => Some(verdict.name() == gold),
    };
    if options.evidence {
        let formulas = json!({"premises": texts.0, "conclusion": texts.1});
        row.evidence = Some(json!({"formulas": formulas, "shown": evidence}));
    }
    Some(Entry { row, texts, reading })
}

/// Premises that say nothing, and premises that cannot hold.
fn empty_premises(row: &mut Row, reading: &Reading, limits: &Limits) {
    for (i, premise) in reading.premises.iter().enumerate() {
        let Some(premise) = premise else { continue };
        let refuted = |formula: Formula| judge::together(&[formula], limits).refutation().is_some();
        if refuted(Formula::not(premise.clone())) {
            row.tautologies.push(i);
        } else if refuted(premise.clone()) {
            row.contradictions.push(i);
        }
    }
}

/// Fills in consistency and verdict, and gives the evidence.
fn decide(row: &mut Row, theory: &[Formula], conclusion: Option<&Formula>, limits: &Limits) -> Option<Value> {
    let Some(conclusion) = conclusion else {
        let decision = judge::together(theory, limits);
        row.consistency = match &decision {
            Decision::Model(_) => Premises::Consistent,
            Decision::Refuted(_) => Premises::Inconsistent,
            Decision::Undecided(reason) => {
                row.note = Some(reason.clone());
                Premises::Undecided
            }
        };
        return Some(decision.evidence(theory.len(), "conclusion"));
    };
    let answer = match judge::verdict(theory, conclusion, limits) {
        Ok(answer) => answer,
        Err(reason) => {
            row.note = Some(reason);
            (row.verdict, row.consistency) = (Some(Outcome::Undecided), Premises::Undecided);
            return None;
        }
    };
    row.verdict = Some(answer.verdict.into());
    row.consistency = match judge::premises_hold(&answer) {
        Some(true) => Premises::Consistent,
        Some(false) => Premises::Inconsistent,
        None => Premises::Undecided,
    };
    row.model_true = answer.with.model().map(|model| model.size);
    row.model_false = answer.without.model().map(|model| model.size);
    let reasons = [&answer.with, &answer.without].into_iter().find_map(|decision| match decision {
        Decision::Undecided(reason) => Some(reason.clone()),
        _ => None,
    });
    row.note = reasons;
    Some(answer.evidence(theory.len()))
}
