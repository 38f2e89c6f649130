//! A rewording against its base: premise by premise, as a whole, and by what follows from it.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::Options;
use super::judge;
use super::row::{Entry, Outcome};
use crate::logic::{Decision, Formula, Relation};

/// How a rewording stands to its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Link {
    /// Each entails the other.
    Equivalent,
    /// It follows from the base, and not the other way round.
    Weaker,
    /// It entails the base, and not the other way round.
    Stronger,
    /// Neither entails the other.
    Unrelated,
    /// Not found out within the limits.
    Undecided,
    /// One of them does not parse.
    Unparseable,
}

impl Link {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Link::Equivalent => "equivalent",
            Link::Weaker => "weaker",
            Link::Stronger => "stronger",
            Link::Unrelated => "unrelated",
            Link::Undecided => "undecided",
            Link::Unparseable => "unparseable",
        }
    }
}

impl From<Relation> for Link {
    fn from(relation: Relation) -> Self {
        match relation {
            Relation::Equivalent => Link::Equivalent,
            Relation::Weaker => Link::Weaker,
            Relation::Stronger => Link::Stronger,
            Relation::Unrelated => Link::Unrelated,
            Relation::Undecided => Link::Undecided,
        }
    }
}

/// What a rewording does to the label that it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The label still follows.
    Keeps,
    /// The label says true or false, and neither follows.
    Opens,
    /// The label says true or false, and the opposite follows.
    Turns,
    /// The label says unknown, and something follows.
    Settles,
    /// The premises cannot hold together.
    Inconsistent,
    /// Not found out within the limits.
    Undecided,
}

impl Effect {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Effect::Keeps => "keeps",
            Effect::Opens => "opens",
            Effect::Turns => "turns",
            Effect::Settles => "settles",
            Effect::Inconsistent => "inconsistent",
            Effect::Undecided => "undecided",
        }
    }

    /// None without a verdict on formulas that parse, or without a claim.
    fn of(verdict: Option<Outcome>, gold: Option<&str>) -> Option<Effect> {
        let (verdict, gold) = (verdict?, gold?);
        Some(match verdict {
            Outcome::Unparseable => return None,
            Outcome::Undecided => Effect::Undecided,
            Outcome::Inconsistent => Effect::Inconsistent,
            verdict if verdict.name() == gold => Effect::Keeps,
            _ if gold == "unknown" => Effect::Settles,
            Outcome::Unknown => Effect::Opens,
            _ => Effect::Turns,
        })
    }
}

/// What was found about a rewording.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The group.
    pub group: String,
    /// The record's 0-based number in the file.
    pub row: Option<u64>,
    /// The base item's id.
    pub base: String,
    /// The reworded item's id.
    pub id: String,
    /// The wording.
    pub variant: String,
    /// The number of premises in the base.
    pub base_premises: usize,
    /// The number of premises in the rewording.
    pub premises: usize,
    /// How each premise stands to the one at the same place; none where the numbers differ.
    pub pairs: Option<Vec<Link>>,
    /// How all premises together stand to those of the base.
    pub theory: Link,
    /// Elements of the smallest model of the base's premises in which one of the rewording fails, and the other way round.
    pub theory_models: [Option<usize>; 2],
    /// How the conclusion stands to that of the base; none where one has no formula.
    pub conclusion: Option<Link>,
    /// What the label of the rewording claims.
    pub gold: Option<String>,
    /// The base's verdict.
    pub base_verdict: Option<Outcome>,
    /// The rewording's verdict.
    pub verdict: Option<Outcome>,
    /// What the rewording does to its label; none without a label that claims something, or a verdict.
    pub effect: Option<Effect>,
    /// With `--evidence`: for `theory` and each of `pairs`, what shows that the base does or does not entail the rewording,
    /// and the other way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
}

/// Bases with their rewordings: in a group, the item of the variant `base`, or the first; and each other.
pub(super) fn couples(entries: &[Entry]) -> Vec<(&Entry, &Entry)> {
    let mut bases: HashMap<&str, &Entry> = HashMap::new();
    for entry in entries {
        let base = bases.entry(&entry.row.group).or_insert(entry);
        if entry.row.variant == "base" && base.row.variant != "base" {
            *base = entry;
        }
    }
    let other = |entry| {
        let base = *bases.get::<str>(&Entry::row(entry).group)?;
        (!std::ptr::eq(base, entry)).then_some((base, entry))
    };
    entries.iter().filter_map(other).collect()
}

impl Entry {
    fn row(&self) -> &super::Row {
        &self.row
    }
}

/// Holds a rewording against its base.
pub(super) fn examine(base: &Entry, other: &Entry, options: &Options) -> Pair {
    let mut shown: Vec<Value> = Vec::new();
    let (theory, decisions) = relate(base.theory().as_deref(), other.theory().as_deref(), options);
    let theory_evidence = decisions.as_ref().map(|d| evidence(d, base.row.premises, other.row.premises));
    let theory_models = match &decisions {
        Some(both) => [0, 1].map(|i| both[i].model().map(|model| model.size)),
        None => [None; 2],
    };
    let pairs = (base.row.premises == other.row.premises).then(|| {
        let places = base.reading.premises.iter().zip(&other.reading.premises);
        let link = |(a, b): (&Option<Formula>, &Option<Formula>)| {
            let (link, decisions) =
                relate(a.as_ref().map(std::slice::from_ref), b.as_ref().map(std::slice::from_ref), options);
            if options.evidence {
                shown.push(decisions.map_or(Value::Null, |d| evidence(&d, 1, 1)));
            }
            link
        };
        places.map(link).collect()
    });
    let one = |entry: &Entry| entry.reading.conclusion.clone().map(|conclusion| vec![conclusion]);
    let conclusion = (base.row.conclusion && other.row.conclusion)
        .then(|| relate(one(base).as_deref(), one(other).as_deref(), options).0);
    Pair {
        group: base.row.group.clone(),
        row: other.row.row,
        base: base.row.id.clone(),
        id: other.row.id.clone(),
        variant: other.row.variant.clone(),
        base_premises: base.row.premises,
        premises: other.row.premises,
        pairs,
        theory,
        theory_models,
        conclusion,
        gold: other.row.gold.clone(),
        base_verdict: base.row.verdict,
        verdict: other.row.verdict,
        effect: Effect::of(other.row.verdict, other.row.gold.as_deref()),
        evidence: options.evidence.then(|| json!({"theory": theory_evidence, "pairs": shown})),
    }
}

/// How formulas stand to those of the base; `None` are formulas of which one does not parse.
fn relate(base: Option<&[Formula]>, other: Option<&[Formula]>, options: &Options) -> (Link, Option<[Decision; 2]>) {
    let (Some(base), Some(other)) = (base, other) else { return (Link::Unparseable, None) };
    let (relation, evidence) = judge::relation(base, other, &options.limits);
    (relation.into(), Some(evidence))
}

fn evidence([there, back]: &[Decision; 2], base: usize, other: usize) -> Value {
    json!({"base_without_rewording": there.evidence(base, "negated rewording"),
           "rewording_without_base": back.evidence(other, "negated base")})
}
