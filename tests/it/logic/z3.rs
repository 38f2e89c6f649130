//! z3's opinion of the same questions: a translation of formulas to its terms, apart from the SMT-LIB export, and a
//! comparison of answers. Behind the feature `z3`, which needs the system's libz3. The example `logic_cross_check`
//! shares this file.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ::z3::ast::{Ast, Bool, Dynamic, exists_const, forall_const};
use ::z3::{FuncDecl, Params, SatResult, Solver, Sort};
use llscore::logic::{Answer, Decision, Formula, Limits, Name, Refutation, Term, Verdict, prove};

/// Formulas as z3's terms over one sort.
struct Translation {
    sort: Sort,
    /// The quantifiers around the present place, each with its variable.
    scope: Vec<(Name, Dynamic)>,
}

impl Translation {
    fn new() -> Self {
        Translation { sort: Sort::uninterpreted("Thing".into()), scope: Vec::new() }
    }

    fn apply(&mut self, name: &str, args: &[Term], range: &Sort) -> Dynamic {
        let args: Vec<Dynamic> = args.iter().map(|t| self.term(t)).collect();
        let domain = vec![&self.sort; args.len()];
        let args: Vec<&dyn Ast> = args.iter().map(|a| a as &dyn Ast).collect();
        FuncDecl::new(name, &domain, range).apply(&args)
    }

    fn term(&mut self, t: &Term) -> Dynamic {
        match t {
            Term::Var(x) => self.scope.iter().rev().find(|(bound, _)| bound == x).expect("closed").1.clone(),
            Term::App(f, args) => {
                let sort = self.sort.clone();
                self.apply(&format!("function {f}"), args, &sort)
            }
        }
    }

    fn formula(&mut self, f: &Formula) -> Bool {
        match f {
            Formula::True => Bool::from_bool(true),
            Formula::False => Bool::from_bool(false),
            Formula::Pred(p, args) => {
                self.apply(&format!("predicate {p}"), args, &Sort::bool()).as_bool().expect("Bool")
            }
            Formula::Eq(s, t) => {
                let (s, t) = (self.term(s), self.term(t));
                s.eq(&t)
            }
            Formula::Not(g) => self.formula(g).not(),
            Formula::And(gs) => Bool::and(&gs.iter().map(|g| self.formula(g)).collect::<Vec<_>>()),
            Formula::Or(gs) => Bool::or(&gs.iter().map(|g| self.formula(g)).collect::<Vec<_>>()),
            Formula::Xor(a, b) => self.formula(a).xor(self.formula(b)),
            Formula::Implies(a, b) => self.formula(a).implies(self.formula(b)),
            Formula::Iff(a, b) => self.formula(a).iff(self.formula(b)),
            Formula::ForAll(x, body) | Formula::Exists(x, body) => {
                // A name for each depth, which no symbol has: nothing is captured.
                let var = Dynamic::new_const(format!("variable {}", self.scope.len()), &self.sort);
                self.scope.push((x.clone(), var.clone()));
                let body = self.formula(body);
                self.scope.pop();
                let quantifier = if matches!(f, Formula::ForAll(..)) { forall_const } else { exists_const };
                quantifier(&[&var], &[], &body)
            }
        }
    }
}

fn solver(time: Duration) -> Solver {
    let solver = Solver::new();
    let mut params = Params::new();
    params.set_u32("timeout", u32::try_from(time.as_millis()).unwrap_or(u32::MAX));
    solver.set_params(&params);
    solver
}

/// Whether the formulas can hold together, with all constants of `names` different.
pub fn satisfiable(formulas: &[&Formula], names: &BTreeSet<Name>, time: Duration) -> SatResult {
    let solver = solver(time);
    let mut translation = Translation::new();
    for f in formulas {
        solver.assert(translation.formula(f));
    }
    let constants: Vec<Dynamic> = names.iter().map(|c| translation.term(&Term::App(c.clone(), Vec::new()))).collect();
    if constants.len() > 1 {
        solver.assert(Dynamic::distinct(&constants));
    }
    solver.check()
}

/// What z3 says to an SMT-LIB script.
#[cfg(test)]
pub fn run_script(script: &str, time: Duration) -> SatResult {
    let solver = solver(time);
    solver.from_string(script);
    solver.check()
}

/// The constants of formulas.
fn constants<'a>(formulas: impl IntoIterator<Item = &'a Formula>) -> BTreeSet<Name> {
    let mut out = BTreeSet::new();
    for formula in formulas {
        formula.visit(&mut |f| {
            for t in f.terms() {
                t.visit(&mut |t| {
                    if let Term::App(c, args) = t
                        && args.is_empty()
                    {
                        out.insert(c.clone());
                    }
                });
            }
        });
    }
    out
}

/// An answer beside z3's.
pub struct Comparison {
    /// The answer.
    pub answer: Answer,
    /// How long it took.
    pub time: Duration,
    /// z3's: can the premises hold with the conclusion, and with its negation?
    pub z3: [SatResult; 2],
    /// What both cannot be right about.
    pub disagreement: Option<String>,
    /// What the evidence does not show.
    pub bad_evidence: Option<String>,
}

/// Answers a question, asks z3, and checks the evidence twice: by the library and, for ground instances, by z3.
pub fn cross_check(premises: &[Formula], conclusion: &Formula, limits: &Limits, z3_time: Duration) -> Comparison {
    let start = Instant::now();
    let answer = prove(premises, conclusion, limits).expect("closed formulas of little depth");
    let time = start.elapsed();
    let names = match limits.unique_names {
        true => constants(premises.iter().chain([conclusion])),
        false => BTreeSet::new(),
    };
    let negated = Formula::not(conclusion.clone());
    let z3 = [conclusion, &negated].map(|last| {
        let formulas: Vec<&Formula> = premises.iter().chain([last]).collect();
        satisfiable(&formulas, &names, z3_time)
    });
    // An `Undecided` says nothing that could be wrong, but what is called entailed must not be inconsistent.
    let verdict = match z3 {
        [SatResult::Sat, SatResult::Sat] => Some(Verdict::Unknown),
        [SatResult::Sat, SatResult::Unsat] => Some(Verdict::Entailed),
        [SatResult::Unsat, SatResult::Sat] => Some(Verdict::Contradicted),
        [SatResult::Unsat, SatResult::Unsat] => Some(Verdict::Inconsistent),
        _ => None,
    };
    let against = |ours: &Decision, z3: SatResult| {
        matches!((ours, z3), (Decision::Model(_), SatResult::Unsat) | (Decision::Refuted(_), SatResult::Sat))
    };
    let half = [&answer.with, &answer.without].into_iter().zip(z3).any(|(ours, z3)| against(ours, z3));
    let whole = answer.verdict != Verdict::Undecided && verdict.is_some_and(|verdict| verdict != answer.verdict);
    let disagreement = (half || whole).then(|| format!("{} here, z3 {z3:?}", answer.verdict.name()));
    let mut bad_evidence = answer.check(premises, conclusion).err().map(|e| e.to_string());
    let refutations = [answer.with.refutation(), answer.without.refutation(), answer.premises.as_ref()];
    for refutation in refutations.into_iter().flatten() {
        if let Err(reason) = refute_again(refutation, &names, z3_time) {
            bad_evidence.get_or_insert(reason);
        }
    }
    Comparison { answer, time, z3, disagreement, bad_evidence }
}

/// The ground instances once more, by z3.
fn refute_again(refutation: &Refutation, names: &BTreeSet<Name>, time: Duration) -> Result<(), String> {
    let ground: Vec<&Formula> = refutation.instances.iter().map(|i| &i.ground).collect();
    match satisfiable(&ground, names, time) {
        SatResult::Unsat => Ok(()),
        result => Err(format!("z3 says {result:?} to the ground instances")),
    }
}

/// Verdict, premises and conclusion for a person.
pub fn report(premises: &[Formula], conclusion: &Formula) -> String {
    premises.iter().map(|p| format!("  {p}\n")).collect::<String>() + &format!("  ⊢ {conclusion}")
}

#[cfg(test)]
mod tests {
    use super::super::theories::theory;
    use super::*;
    use llscore::logic::parse;
    use llscore::logic::syntax::smtlib;

    const TIME: Duration = Duration::from_millis(500);

    fn theories() -> u64 {
        std::env::var("LLSCORE_THEORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
    }

    #[test]
    fn z3_agrees_on_random_theories() {
        let (mut decided, mut z3_decided) = (0, 0);
        for number in 0..theories() {
            let t = theory(2, number);
            let limits = Limits { time: TIME, unique_names: t.unique_names, ..Limits::default() };
            let c = cross_check(&t.premises, &t.conclusion, &limits, TIME);
            let problem = c.disagreement.or(c.bad_evidence);
            assert_eq!(problem, None, "theory {number}, {}\n{}", t.kind, report(&t.premises, &t.conclusion));
            decided += u64::from(c.answer.verdict != Verdict::Undecided);
            z3_decided += u64::from(!c.z3.contains(&SatResult::Unknown));
            assert!(c.time < 3 * TIME, "theory {number}: {:?}", c.time);
        }
        assert!(decided.min(z3_decided) * 10 >= theories() * 9, "{decided} {z3_decided}");
    }

    /// The export, read by z3, means what the direct translation means.
    #[test]
    fn exported_scripts_mean_the_same() {
        let mut decided = 0;
        for number in 0..theories() {
            let t = theory(3, number);
            let names =
                if t.unique_names { constants(t.premises.iter().chain([&t.conclusion])) } else { BTreeSet::new() };
            let negated = Formula::not(t.conclusion.clone());
            let formulas: Vec<&Formula> = t.premises.iter().chain([&negated]).collect();
            let direct = satisfiable(&formulas, &names, TIME);
            let read = run_script(&smtlib(&t.premises, Some(&t.conclusion), t.unique_names), TIME);
            decided += u64::from(read != SatResult::Unknown);
            if direct != SatResult::Unknown && read != SatResult::Unknown {
                assert_eq!(read, direct, "theory {number}\n{}", report(&t.premises, &t.conclusion));
            }
        }
        assert!(decided * 10 >= theories() * 9, "{decided}");
    }

    /// Names that need quotes, mean something to z3, or have several roles.
    #[test]
    fn exported_scripts_are_read_whatever_the_names() {
        let read = |text: &str| parse(text, None).expect(text).formula;
        let scripts = [
            ("∀x (and(x) → or(x, not))", "and(true) → or(true, not)", SatResult::Unsat),
            ("P ↔ P(P) ∧ P(P, P(P)) ∧ ¬P", "¬P(P) ∨ ¬P(P, P(P))", SatResult::Unsat),
            ("∀naïve o'brien’s-1(naïve)", "o'brien’s-1(naïve)", SatResult::Unsat),
            ("select(store) ∧ ¬U(Bool)", "¬select(U)", SatResult::Sat),
            ("implies(a) ∧ abs(b) = mod(a, b) ∧ 1 ≠ 2", "1 = 2", SatResult::Sat),
            ("x = 1 ∧ ∀x P(x)", "P(x)", SatResult::Unsat),
            ("∀x ∃x R(x, x)", "∃x2 R(x2, x2)", SatResult::Unsat),
            ("∀x ∃y (R(x, y) ∧ ∀x R(y, x))", "∃y ∀x R(y, x)", SatResult::Unsat),
        ];
        for (premise, conclusion, expected) in scripts {
            let script = smtlib(&[read(premise)], Some(&read(conclusion)), false);
            assert_eq!(run_script(&script, TIME), expected, "{script}");
        }
        for word in include_str!("z3_words.txt").split_whitespace() {
            let (p, f) =
                (Formula::pred(word, vec![Term::constant("a")]), Term::App(word.into(), vec![Term::constant(word)]));
            let theory = [p.clone(), Formula::Eq(f.clone(), Term::constant("a"))];
            let script = smtlib(&theory, Some(&Formula::pred(word, vec![f])), false);
            assert_eq!(run_script(&script, TIME), SatResult::Unsat, "{script}");
        }
    }
}
