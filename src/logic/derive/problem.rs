//! The ground clauses of a question, with where each comes from.

use std::collections::{BTreeMap, HashMap};

use crate::logic::formula::{Formula, Name, Term};
use crate::logic::ground::{Instances, spare};
use crate::logic::normal::{Clause, Literal, Matrix};

/// A literal by number: an atom's number doubled, plus one for its negation.
pub(super) type Lit = u32;

/// Where a ground clause comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A formula by number (the premises in order, then the negated conclusion) and what its clause's variables are.
    Formula {
        /// The formula's number.
        source: usize,
        /// The variables and their values.
        bindings: Vec<(Name, Term)>,
    },
    /// An axiom of equality: transitivity, or a term put in an equal one's place.
    Equality,
    /// Different constants name different things.
    UniqueNames,
}

/// A ground clause.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    pub lits: Vec<Lit>,
    pub origin: Origin,
    /// Whether it is an instance of a clause of one literal. Where an instance of a longer clause comes to one literal,
    /// that is for a step to find.
    pub unit: bool,
}

/// What is to be refuted.
pub(super) struct Problem {
    pub atoms: Vec<Formula>,
    /// Literals that hold from the start, and why.
    pub facts: BTreeMap<Lit, Origin>,
    /// What there is to apply: instances of clauses of several literals; none has a literal that is a fact.
    pub clauses: Vec<Ground>,
    /// A fact whose negation is a fact too: nothing is left to do.
    pub clash: Option<Lit>,
}

/// Ground clauses at most.
const MAX_CLAUSES: usize = 4_000;

impl Problem {
    /// All ground clauses over the terms that there are, of the clauses that `instances` is about.
    pub fn of(clauses: &[Clause], mut instances: Instances, distinct: &[Name]) -> Result<Problem, &'static str> {
        for round in 0.. {
            match instances.grow(MAX_CLAUSES) {
                None => return Err("the ground instances are too many"),
                Some(false) => break,
                Some(true) if round < 4 => {}
                Some(true) => return Err("functions give terms without end"),
            }
        }
        let choices = instances.choices.iter().map(|choice| (choice.matrix, instances.bindings(choice)));
        let mut builder = Builder::of(clauses, choices);
        builder.equality(&instances, distinct)?;
        Ok(builder.finish())
    }

    /// The given instances of clauses: the number of each, and the values of its variables.
    pub fn of_instances(clauses: &[Clause], given: impl IntoIterator<Item = (usize, Vec<(Name, Term)>)>) -> Problem {
        Builder::of(clauses, given).finish()
    }

    /// The literal as data.
    pub fn literal(&self, lit: Lit) -> Literal {
        Literal { positive: lit & 1 == 0, atom: self.atoms[lit as usize >> 1].clone() }
    }
}

/// The start of the instances of clauses: their constants, and one where a variable would have no value.
pub(super) fn instances(clauses: &[Clause]) -> Instances {
    let matrix = |c: &Clause| Matrix { source: c.source, vars: c.vars().into_iter().collect(), formula: c.formula() };
    let matrices: Vec<Matrix> = clauses.iter().map(matrix).collect();
    let taken = matrices.iter().flat_map(|m| m.formula.names()).collect();
    Instances::new(matrices, &spare(&taken))
}

/// The other literal of the atom.
pub(super) fn not(lit: Lit) -> Lit {
    lit ^ 1
}

/// An equation with its sides in a fixed order.
pub(super) fn ordered(atom: Formula) -> Formula {
    match atom {
        Formula::Eq(s, t) if s > t => Formula::Eq(t, s),
        other => other,
    }
}

struct Builder {
    atoms: Vec<Formula>,
    index: HashMap<Formula, Lit>,
    ground: Vec<Ground>,
}

impl Builder {
    fn of(clauses: &[Clause], given: impl IntoIterator<Item = (usize, Vec<(Name, Term)>)>) -> Builder {
        let mut builder = Builder { atoms: Vec::new(), index: HashMap::new(), ground: Vec::new() };
        for (number, bindings) in given {
            let clause = &clauses[number];
            let by = bindings.iter().cloned().collect();
            let origin = Origin::Formula { source: clause.source, bindings };
            builder.add(clause.literals.iter().map(|l| (l.positive, l.atom.substitute(&by))), origin);
        }
        builder
    }

    fn lit(&mut self, positive: bool, atom: Formula) -> Lit {
        let atom = ordered(atom);
        let next = self.atoms.len() as Lit;
        let id = *self.index.entry(atom.clone()).or_insert(next);
        if id == next {
            self.atoms.push(atom);
        }
        2 * id + Lit::from(!positive)
    }

    fn add(&mut self, literals: impl Iterator<Item = (bool, Formula)>, origin: Origin) {
        let (mut lits, mut unit) = (Vec::new(), 0);
        for (positive, atom) in literals {
            unit += 1;
            match &atom {
                Formula::True if positive => return,
                Formula::False if !positive => return,
                // Everything equals itself.
                Formula::Eq(s, t) if s == t && positive => return,
                Formula::True | Formula::False => continue,
                Formula::Eq(s, t) if s == t => continue,
                _ => {}
            }
            let lit = self.lit(positive, atom);
            if lits.contains(&not(lit)) {
                return;
            }
            if !lits.contains(&lit) {
                lits.push(lit);
            }
        }
        self.ground.push(Ground { unit: unit == 1 && lits.len() == 1, lits, origin });
    }

    /// The axioms of equality for the terms and atoms that there are.
    fn equality(&mut self, instances: &Instances, distinct: &[Name]) -> Result<(), &'static str> {
        let terms: Vec<(Term, usize)> = (0..instances.bank.len())
            .filter(|&t| instances.sorts.has_equality(instances.sort(t)))
            .map(|t| (instances.bank.term(t), instances.sort(t)))
            .collect();
        let equal = |a: &Term, b: &Term| Formula::Eq(a.clone(), b.clone());
        let sort = |t: &Term| terms.iter().find(|(term, _)| term == t).map(|(_, sort)| *sort);
        let mut axioms: Vec<Vec<(bool, Formula)>> = Vec::new();
        for (i, (a, of)) in terms.iter().enumerate() {
            for (j, (b, _)) in terms.iter().enumerate().filter(|(j, (_, sort))| *j != i && sort == of) {
                for (c, _) in terms.iter().skip(i + 1).filter(|(c, sort)| sort == of && c != b) {
                    axioms.push(vec![(false, equal(a, b)), (false, equal(b, c)), (true, equal(a, c))]);
                }
                if let (Term::App(f, xs), Term::App(g, ys)) = (a, b)
                    && j > i
                {
                    if xs.is_empty() && ys.is_empty() && distinct.contains(f) && distinct.contains(g) {
                        let literal = [(false, equal(a, b))];
                        self.add(literal.into_iter(), Origin::UniqueNames);
                    } else if f == g && xs.len() == ys.len() {
                        let different = xs.iter().zip(ys).filter(|(x, y)| x != y);
                        let mut axiom: Vec<_> = different.map(|(x, y)| (false, equal(x, y))).collect();
                        axiom.push((true, equal(a, b)));
                        axioms.push(axiom);
                    }
                }
            }
        }
        // One argument of an atom at a time; what comes of it may have another replaced.
        let mut at = 0;
        while at < self.atoms.len() {
            if let Formula::Pred(p, args) = self.atoms[at].clone() {
                for (place, s) in args.iter().enumerate() {
                    let Some(of) = sort(s) else { continue };
                    for (t, _) in terms.iter().filter(|(t, sort)| *sort == of && t != s) {
                        let mut replaced = args.clone();
                        replaced[place] = t.clone();
                        let (from, to) = (self.atoms[at].clone(), Formula::Pred(p.clone(), replaced));
                        self.lit(true, to.clone());
                        axioms.push(vec![(false, equal(s, t)), (false, from), (true, to)]);
                    }
                }
            }
            at += 1;
            if axioms.len() > MAX_CLAUSES {
                return Err("the axioms of equality are too many");
            }
        }
        axioms.into_iter().for_each(|axiom| self.add(axiom.into_iter(), Origin::Equality));
        Ok(())
    }

    /// Sets facts apart, and leaves out what they satisfy and what occurs twice.
    fn finish(self) -> Problem {
        let mut facts: BTreeMap<Lit, Origin> = BTreeMap::new();
        let (mut clash, mut clauses, mut seen) = (None, Vec::new(), std::collections::BTreeSet::new());
        for ground in &self.ground {
            if let [lit] = ground.lits[..]
                && ground.unit
            {
                facts.entry(lit).or_insert_with(|| ground.origin.clone());
                clash = clash.or(facts.contains_key(&not(lit)).then_some(lit));
            }
        }
        for ground in self.ground {
            let mut key = ground.lits.clone();
            key.sort_unstable();
            if !ground.unit && !ground.lits.iter().any(|lit| facts.contains_key(lit)) && seen.insert(key) {
                clauses.push(ground);
            }
        }
        Problem { atoms: self.atoms, facts, clauses, clash }
    }
}
