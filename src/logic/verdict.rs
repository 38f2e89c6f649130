//! Verdicts on what premises say of a conclusion, each with its evidence.
//!
//! Two questions are put: can the premises hold together with the conclusion, and with its negation? Each is answered by
//! a finite model, found by size and checked by the plain evaluator, or by ground instances that cannot hold together.
//! For theories without functions after Skolemization (EPR: ∃*∀*) one of the two is always found, given the time. The
//! two searches take turns; where neither ends within the limits the answer is [`Verdict::Undecided`].

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::formula::{Formula, MAX_DEPTH, Name};
use super::ground::{BadRefutation, Budget, Refutation, Refuter, Round, constants};
use super::model::Model;
use super::search::{Search, SearchOptions, find_model};
use super::syntax::{Fault, Kind};

/// How long and how far to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Time for one question with all its parts.
    pub time: Duration,
    /// Whether different constants are taken to name different things.
    pub unique_names: bool,
    /// The largest domain of a model; with unique names, that many above one for each name.
    pub domain: usize,
    /// Ground instances at most.
    pub instances: usize,
    /// Clauses at most, in the search for one model.
    pub clauses: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(10),
            unique_names: false,
            domain: 16,
            instances: 100_000,
            clauses: 1_000_000,
        }
    }
}

/// What premises say of a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It follows.
    Entailed,
    /// Its negation follows.
    Contradicted,
    /// Neither follows: there is a model with it and one without.
    Unknown,
    /// The premises cannot hold together, so that everything follows.
    Inconsistent,
    /// Not found out within the limits.
    Undecided,
}

impl Verdict {
    /// The verdict's name in files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Entailed => "entailed",
            Verdict::Contradicted => "contradicted",
            Verdict::Unknown => "unknown",
            Verdict::Inconsistent => "inconsistent",
            Verdict::Undecided => "undecided",
        }
    }
}

/// Whether formulas can hold together.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// They do in this model, which has the smallest domain possible.
    Model(Model),
    /// They cannot.
    Refuted(Refutation),
    /// Not found out, and why.
    Undecided(String),
}

impl Decision {
    /// The model, if that is the answer.
    pub fn model(&self) -> Option<&Model> {
        if let Decision::Model(model) = self { Some(model) } else { None }
    }
    /// The refutation, if that is the answer.
    pub fn refutation(&self) -> Option<&Refutation> {
        if let Decision::Refuted(refutation) = self { Some(refutation) } else { None }
    }
}

/// A verdict and what shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether different constants were taken to name different things.
    pub unique_names: bool,
    /// The premises with the conclusion.
    pub with: Decision,
    /// The premises with the conclusion's negation.
    pub without: Decision,
    /// For [`Verdict::Inconsistent`]: the refutation of the premises alone, where the time was enough for one.
    pub premises: Option<Refutation>,
}

/// Evidence that does not show what it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEvidence {
    /// A model in which some formula does not hold.
    #[error("formula {0} does not hold in the model: {1}")]
    Model(usize, String),
    /// A constant that has the same value as another.
    #[error("in the model `{0}` names what another constant names")]
    Names(Name),
    /// A refutation that is none.
    #[error("refutation: {0}")]
    Refutation(#[from] BadRefutation),
    /// The verdict needs evidence that is not there.
    #[error("no evidence for the verdict")]
    Missing,
}

/// Decides whether the premises entail the conclusion, its negation, or neither. `Γ` inconsistent is its own verdict.
/// Where `Γ ⊨ q` is proved, but no model of `Γ` is found, the verdict is [`Verdict::Undecided`], since `Γ` may be
/// inconsistent; `without` then holds the proof.
///
/// # Errors
/// A formula that is nested too deeply or has free variables (`column` is the formula's number from 1, the conclusion last).
pub fn prove(premises: &[Formula], conclusion: &Formula, limits: &Limits) -> Result<Answer, Fault> {
    let start = Instant::now();
    let mut with: Vec<&Formula> = premises.iter().chain([conclusion]).collect();
    // Before anything walks down the formulas.
    check_all(&with)?;
    let negated = Formula::not(conclusion.clone());
    let names = constants(&with).collect::<Vec<_>>();
    let until = |share: f64| Some(start + limits.time.mul_f64(share));
    let holds = decide(&with, &names, limits, until(0.4));
    with[premises.len()] = &negated;
    let fails = decide(&with, &names, limits, until(0.8));
    let unique_names = limits.unique_names;
    let mut answer = Answer { verdict: Verdict::Undecided, unique_names, with: holds, without: fails, premises: None };
    answer.verdict = match (&answer.with, &answer.without) {
        (Decision::Model(_), Decision::Model(_)) => Verdict::Unknown,
        (Decision::Refuted(_), Decision::Refuted(_)) => {
            let premises: Vec<&Formula> = premises.iter().collect();
            // A proof that does not need the conclusion is one of the premises' inconsistency.
            let alone = |r: &&Refutation| r.instances.iter().all(|i| i.source < premises.len());
            let both = [answer.with.refutation(), answer.without.refutation()];
            answer.premises = both.into_iter().flatten().filter(alone).find(|r| r.check(&premises).is_ok()).cloned();
            if answer.premises.is_none()
                && let Decision::Refuted(refutation) = decide(&premises, &names, limits, until(1.0))
            {
                answer.premises = Some(refutation);
            }
            Verdict::Inconsistent
        }
        (Decision::Model(_), Decision::Refuted(_)) => Verdict::Entailed,
        (Decision::Refuted(_), Decision::Model(_)) => Verdict::Contradicted,
        _ => Verdict::Undecided,
    };
    Ok(answer)
}

/// Whether formulas can hold together.
///
/// # Errors
/// As [`prove`].
pub fn consistent(formulas: &[Formula], limits: &Limits) -> Result<Decision, Fault> {
    let formulas: Vec<&Formula> = formulas.iter().collect();
    check_all(&formulas)?;
    let names = constants(&formulas).collect::<Vec<_>>();
    Ok(decide(&formulas, &names, limits, Some(Instant::now() + limits.time)))
}

/// How one theory stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// Each entails the other.
    Equivalent,
    /// It follows from the other, and not the other way round.
    Weaker,
    /// It entails the other, and not the other way round.
    Stronger,
    /// Neither entails the other.
    Unrelated,
    /// Not found out within the limits.
    Undecided,
}

/// How `other` stands to `original`, with the evidence: first that of `original ∧ ¬other` (refuted where `original`
/// entails `other`), then that of `other ∧ ¬original`.
///
/// # Errors
/// As [`prove`].
pub fn compare(original: &[Formula], other: &[Formula], limits: &Limits) -> Result<(Relation, [Decision; 2]), Fault> {
    let all: Vec<&Formula> = original.iter().chain(other).collect();
    check_all(&all)?;
    let names = constants(&all).collect::<Vec<_>>();
    let start = Instant::now();
    let one = |from: &[Formula], to: &[Formula], share: f64| {
        let negated = Formula::not(Formula::and(to.to_vec()));
        let formulas: Vec<&Formula> = from.iter().chain([&negated]).collect();
        decide(&formulas, &names, limits, Some(start + limits.time.mul_f64(share)))
    };
    let evidence = [one(original, other, 0.5), one(other, original, 1.0)];
    let relation = match &evidence {
        [Decision::Undecided(_), _] | [_, Decision::Undecided(_)] => Relation::Undecided,
        [Decision::Refuted(_), Decision::Refuted(_)] => Relation::Equivalent,
        [Decision::Refuted(_), _] => Relation::Weaker,
        [_, Decision::Refuted(_)] => Relation::Stronger,
        _ => Relation::Unrelated,
    };
    Ok((relation, evidence))
}

/// Whether two formulas say the same.
///
/// # Errors
/// As [`prove`].
pub fn equivalent(a: &Formula, b: &Formula, limits: &Limits) -> Result<(Relation, [Decision; 2]), Fault> {
    compare(std::slice::from_ref(a), std::slice::from_ref(b), limits)
}

impl Answer {
    /// Checks the evidence again, apart from how it was found.
    ///
    /// # Errors
    /// [`BadEvidence`] says what does not show what it should.
    pub fn check(&self, premises: &[Formula], conclusion: &Formula) -> Result<(), BadEvidence> {
        let negated = Formula::not(conclusion.clone());
        let only: Vec<&Formula> = premises.iter().collect();
        let mut with = only.clone();
        with.push(conclusion);
        let mut without = only.clone();
        without.push(&negated);
        self.with.check(&with, self.unique_names)?;
        self.without.check(&without, self.unique_names)?;
        if let Some(refutation) = &self.premises {
            refutation.check(&only)?;
        }
        let shown = match self.verdict {
            Verdict::Entailed => self.with.model().is_some() && self.without.refutation().is_some(),
            Verdict::Contradicted => self.with.refutation().is_some() && self.without.model().is_some(),
            Verdict::Unknown => self.with.model().is_some() && self.without.model().is_some(),
            Verdict::Inconsistent => self.with.refutation().is_some() && self.without.refutation().is_some(),
            Verdict::Undecided => true,
        };
        if shown { Ok(()) } else { Err(BadEvidence::Missing) }
    }
}

impl Decision {
    /// Checks the evidence against the formulas; with `unique_names`, that a model gives their constants different
    /// values.
    ///
    /// # Errors
    /// [`BadEvidence`] says what is wrong.
    pub fn check(&self, formulas: &[&Formula], unique_names: bool) -> Result<(), BadEvidence> {
        let model = match self {
            Decision::Model(model) => model,
            Decision::Refuted(refutation) if refutation.unique_names && !unique_names => {
                return Err(BadRefutation::UniqueNames.into());
            }
            Decision::Refuted(refutation) => return Ok(refutation.check(formulas)?),
            Decision::Undecided(_) => return Ok(()),
        };
        for (i, formula) in formulas.iter().enumerate() {
            match model.holds(formula) {
                Ok(true) => {}
                Ok(false) => return Err(BadEvidence::Model(i, "it is false there".to_string())),
                Err(missing) => return Err(BadEvidence::Model(i, missing.to_string())),
            }
        }
        let mut taken = BTreeSet::new();
        for name in constants(formulas).filter(|_| unique_names) {
            if !taken.insert(model.functions.get(&(name.clone(), 0))) {
                return Err(BadEvidence::Names(name));
            }
        }
        Ok(())
    }
}

pub(super) fn check_all(formulas: &[&Formula]) -> Result<(), Fault> {
    for (i, formula) in formulas.iter().enumerate() {
        if formula.depth() > MAX_DEPTH {
            return Err(Fault::new(i + 1, Kind::TooDeep, format!("a formula is nested more than {MAX_DEPTH} deep")));
        }
        if let Some(x) = formula.free_vars().first() {
            return Err(Fault::new(i + 1, Kind::FreeVariable, format!("the variable `{x}` is free; bind it")));
        }
    }
    Ok(())
}

/// A model or a refutation of the formulas, both sought in turns until the deadline.
fn decide(formulas: &[&Formula], names: &[Name], limits: &Limits, deadline: Option<Instant>) -> Decision {
    let distinct: &[Name] = if limits.unique_names { names } else { &[] };
    let options = SearchOptions { distinct, deadline, max_clauses: limits.clauses };
    let budget = Budget { deadline, instances: limits.instances };
    let mut refuter = Refuter::new(formulas, distinct, limits.unique_names).ok();
    let mut no_proof = refuter.is_none().then_some("the normal form is too large");
    let mut no_model: Option<&str> = None;
    let mut size = distinct.len().max(1);
    let largest = size.saturating_add(limits.domain);
    let (mut on_models, mut on_proof) = (Duration::ZERO, Duration::ZERO);
    // Small models are tried first; then whichever search has had less time goes on.
    let mut small = 3_usize;
    loop {
        if deadline.is_some_and(|moment| Instant::now() >= moment) {
            return Decision::Undecided("out of time".to_string());
        }
        let start = Instant::now();
        if no_model.is_none() && (small > 0 || no_proof.is_some() || on_models <= on_proof) {
            small = small.saturating_sub(1);
            // While a proof is still sought, a size that takes long is put off.
            let patience = (no_proof.is_none()).then(|| start + Duration::from_millis(50) + 2 * on_proof);
            let until = deadline.into_iter().chain(patience).min();
            match find_model(formulas, size, &SearchOptions { deadline: until, ..options }) {
                Search::Found(model) => return Decision::Model(model),
                Search::None if size < largest => size += 1,
                Search::None => no_model = Some("no model within the largest domain"),
                Search::GaveUp(_) if until != deadline && until.is_some_and(|moment| Instant::now() >= moment) => {
                    small = 0
                }
                Search::GaveUp(reason) => no_model = Some(reason),
            }
            on_models += start.elapsed();
        } else if let Some(proof) = refuter.as_mut().filter(|_| no_proof.is_none()) {
            match proof.round(&budget) {
                Round::Refuted(refutation) => return Decision::Refuted(refutation),
                Round::Saturated => no_proof = Some("no proof exists"),
                Round::Open => {}
                Round::GaveUp(reason) => no_proof = Some(reason),
            }
            on_proof += start.elapsed();
        }
        if let (Some(model), Some(proof)) = (no_model, no_proof) {
            return Decision::Undecided(format!("models: {model} (at {size}); proof: {proof}"));
        }
    }
}
