//! The ground clauses that a derivation of so many steps can need, where functions give terms without end.
//!
//! Take a shortest derivation, and give every ground clause in it a copy of its own variables: what is struck out must
//! still unify with what strikes it out, and a most general unifier, with a constant for each variable that is left,
//! gives a derivation of as many steps. So two things hold of the instances to be looked at. Every literal unifies with
//! the negation of a literal of some clause. And terms are of a bounded depth: going down a term, every function that
//! is passed stands somewhere in a copy, each place passed at most once.
//!
//! Without equality only, since its axioms would put all terms in all places.

use std::collections::{BTreeSet, HashMap};

use super::problem::Problem;
use super::unify::{resolved, unify};
use crate::logic::formula::{Formula, Name, Term};
use crate::logic::ground::Instances;
use crate::logic::normal::{Clause, Literal};
use crate::logic::substitute::Substitution;

/// Ground clauses at most.
const MAX_CLAUSES: usize = 8_000;
/// Ground terms at most.
const MAX_TERMS: usize = 2_000;
/// Unifications at most, for one number of steps.
const MAX_WORK: usize = 400_000;

/// Predicate, number of arguments, sign.
type Key = (Name, usize, bool);

pub(super) struct Bounded<'a> {
    clauses: &'a [Clause],
    instances: Instances,
    /// The literals of each predicate and sign, with the clause each stands in.
    literals: HashMap<Key, Vec<(usize, &'a Literal)>>,
    /// How deep terms are that all are there.
    depth: usize,
}

impl<'a> Bounded<'a> {
    /// `None` where there is equality. `instances` are of the same clauses, none of them made.
    pub fn new(clauses: &'a [Clause], mut instances: Instances) -> Option<Self> {
        instances.widen();
        let mut literals: HashMap<_, Vec<_>> = HashMap::new();
        for (number, clause) in clauses.iter().enumerate() {
            for literal in &clause.literals {
                literals.entry(key(literal, literal.positive)?).or_default().push((number, literal));
            }
        }
        Some(Bounded { clauses, instances, literals, depth: 1 })
    }

    /// The depth of terms that a derivation of so many steps can need.
    fn depth(&self, steps: usize) -> usize {
        let unit = |clause: &Clause| clause.literals.len() == 1;
        if steps == 0 {
            let most = self.clauses.iter().filter(|c| unit(c)).map(|c| functions(&c.literals)).max().unwrap_or(0);
            return 1 + 2 * most;
        }
        // Of what is known from the start, a copy for each literal that it strikes out.
        let by_unit = |literal: &Literal| {
            let units = self.partners(literal).iter().filter(|(c, _)| unit(&self.clauses[*c]));
            units.map(|(_, unit)| functions(std::slice::from_ref(*unit))).max().unwrap_or(0)
        };
        let step = |c: &Clause| functions(&c.literals) + c.literals.iter().map(by_unit).sum::<usize>();
        1 + steps * self.clauses.iter().filter(|c| !unit(c)).map(step).max().unwrap_or(0)
    }

    /// Whether more steps can need more.
    pub fn grows(&self) -> bool {
        self.depth(2) > self.depth(1) || self.depth(0) > 1
    }

    /// All that a derivation of at most `steps` steps can need.
    pub fn problem(&mut self, steps: usize) -> Result<Problem, &'static str> {
        let depth = self.depth(steps);
        while self.depth < depth && self.instances.bank.len() <= MAX_TERMS {
            self.depth += 1;
            if !self.instances.deepen(MAX_TERMS) {
                self.depth = depth;
            }
        }
        let mut terms: HashMap<usize, Vec<Term>> = HashMap::new();
        for id in 0..self.instances.bank.len() {
            let term = self.instances.bank.term(id);
            if term.depth() <= depth {
                terms.entry(self.instances.sort(id)).or_default().push(term);
            }
        }
        let mut maker = Maker {
            bounded: self,
            depth,
            terms: (self.instances.bank.len() <= MAX_TERMS).then_some(terms),
            found: BTreeSet::new(),
            left: MAX_WORK,
        };
        for number in 0..self.clauses.len() {
            maker.match_literals(number, 0, Substitution::new(), HashMap::new())?;
        }
        Ok(Problem::of_instances(self.clauses, maker.found))
    }

    /// The literals that may be the negation of this one's instances.
    fn partners(&self, literal: &Literal) -> &[(usize, &'a Literal)] {
        key(literal, !literal.positive).and_then(|key| self.literals.get(&key)).map_or(&[], Vec::as_slice)
    }
}

/// Makes instances.
struct Maker<'b, 'a> {
    bounded: &'b Bounded<'a>,
    depth: usize,
    /// Ground terms by sort; `None` where there are too many.
    terms: Option<HashMap<usize, Vec<Term>>>,
    found: BTreeSet<(usize, Vec<(Name, Term)>)>,
    left: usize,
}

impl Maker<'_, '_> {
    /// Finds partners for the literals of a clause from the one at `at` on. `sorts` holds those of the variables of the
    /// partners so far.
    fn match_literals(
        &mut self,
        clause: usize,
        at: usize,
        by: Substitution,
        sorts: HashMap<Name, usize>,
    ) -> Result<(), &'static str> {
        let bounded = self.bounded;
        let Some(literal) = bounded.clauses[clause].literals.get(at) else {
            return self.fill(clause, &by, &sorts);
        };
        let partners = bounded.partners(literal);
        // Where one matches whatever the values, so does the literal.
        if partners.iter().any(|(_, partner)| is_general(&partner.atom)) {
            return self.match_literals(clause, at + 1, by, sorts);
        }
        for (from, partner) in partners {
            self.left = self.left.checked_sub(1).ok_or("the ground instances are too many")?;
            let (mut by, mut sorts) = (by.clone(), sorts.clone());
            let mut apart = Substitution::new();
            for var in partner.atom.free_vars() {
                // No name holds this character.
                let name: Name = format!("{var}\0{at}").into();
                sorts.insert(name.clone(), bounded.instances.sorts.of_var(*from, &var));
                apart.insert(var, Term::Var(name));
            }
            let pairs = literal.atom.terms().into_iter().zip(partner.atom.terms());
            if pairs.into_iter().all(|(s, t)| unify(s, &t.substitute(&apart), &mut by)) {
                self.match_literals(clause, at + 1, by, sorts)?;
            }
        }
        Ok(())
    }

    /// Gives the variables that are left all values that there are.
    fn fill(&mut self, clause: usize, by: &Substitution, sorts: &HashMap<Name, usize>) -> Result<(), &'static str> {
        let vars = self.bounded.clauses[clause].vars();
        let values: Vec<Term> = vars.iter().map(|x| resolved(&Term::Var(x.clone()), by)).collect();
        let mut open = BTreeSet::new();
        values.iter().for_each(|value| {
            value.visit(&mut |t| {
                if let Term::Var(x) = t {
                    open.insert(x.clone());
                }
            });
        });
        let Some(x) = open.into_iter().next() else {
            // Depth is what the literals have, not what the variables stand for.
            let bindings: Vec<(Name, Term)> = vars.into_iter().zip(values).collect();
            let by: Substitution = bindings.iter().cloned().collect();
            let literals = &self.bounded.clauses[clause].literals;
            let deepest = literals.iter().flat_map(|l| l.atom.terms()).map(|t| t.substitute(&by).depth()).max();
            if deepest.unwrap_or(1) <= self.depth {
                self.found.insert((clause, bindings));
            }
            return if self.found.len() > MAX_CLAUSES { Err("the ground instances are too many") } else { Ok(()) };
        };
        if values.iter().any(|value| value.depth() > self.depth) {
            return Ok(());
        }
        let sort = sorts.get(&x).copied().unwrap_or_else(|| self.bounded.instances.sorts.of_var(clause, &x));
        let terms = self.terms.as_ref().ok_or("the ground terms are too many")?;
        for term in terms.get(&sort).cloned().unwrap_or_default() {
            self.left = self.left.checked_sub(1).ok_or("the ground instances are too many")?;
            let mut by = by.clone();
            by.insert(x.clone(), term);
            self.fill(clause, &by, sorts)?;
        }
        Ok(())
    }
}

/// `None` for an equation.
fn key(literal: &Literal, positive: bool) -> Option<Key> {
    match &literal.atom {
        Formula::Pred(p, args) => Some((p.clone(), args.len(), positive)),
        _ => None,
    }
}

/// Whether all instances of the predicate are the atom's: its arguments are variables, each another.
fn is_general(atom: &Formula) -> bool {
    let terms = atom.terms();
    let vars: BTreeSet<&Term> = terms.iter().copied().filter(|t| matches!(t, Term::Var(_))).collect();
    vars.len() == terms.len()
}

/// In how many places functions stand, constants left aside.
fn functions(literals: &[Literal]) -> usize {
    let mut count = 0;
    for term in literals.iter().flat_map(|l| l.atom.terms()) {
        term.visit(&mut |t| count += usize::from(matches!(t, Term::App(_, args) if !args.is_empty())));
    }
    count
}
