//! Ground instances as clauses for a SAT solver, with the axioms of equality for the terms that occur.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::instances::{Choice, Instances};
use super::terms::TermId;
use super::world::World;
use crate::logic::formula::{Formula, Name};
use crate::logic::sat::{Lit, Sat};

/// A ground atom.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Atom {
    Pred(Name, Vec<TermId>),
    /// The smaller term first.
    Eq(TermId, TermId),
}

/// The clauses of a set of instances.
pub(super) struct Encoder<'b> {
    pub sat: Sat,
    instances: &'b mut Instances,
    /// In the order in which they came, so that every run makes the same clauses.
    atoms: Vec<(Atom, Lit)>,
    index: HashMap<Atom, Lit>,
    /// The terms that occur, with those inside them.
    terms: BTreeSet<TermId>,
    truth: Lit,
}

impl<'b> Encoder<'b> {
    pub fn new(instances: &'b mut Instances, mut sat: Sat) -> Self {
        let truth = sat.new_lit();
        sat.add(&[truth]);
        Encoder { sat, instances, atoms: Vec::new(), index: HashMap::new(), terms: BTreeSet::new(), truth }
    }

    /// Adds an instance; it holds where `unless` does not.
    pub fn add(&mut self, choice: &Choice, unless: Option<Lit>) {
        let matrices = Arc::clone(&self.instances.matrices);
        let mut clause: Vec<Lit> = unless.into_iter().collect();
        self.disjuncts(&matrices[choice.matrix].formula, choice, &mut clause);
        self.sat.add(&clause);
    }

    fn disjuncts(&mut self, formula: &Formula, choice: &Choice, out: &mut Vec<Lit>) {
        if let Formula::Or(parts) = formula {
            parts.iter().for_each(|part| self.disjuncts(part, choice, out));
        } else {
            out.push(self.literal(formula, choice));
        }
    }

    /// A literal that has the formula's truth value.
    fn literal(&mut self, formula: &Formula, choice: &Choice) -> Lit {
        match formula {
            Formula::True => self.truth,
            Formula::False => !self.truth,
            Formula::Not(inner) => !self.literal(inner, choice),
            Formula::Pred(p, args) => {
                let args = args.iter().map(|arg| self.ground(arg, choice)).collect();
                self.atom(Atom::Pred(p.clone(), args))
            }
            Formula::Eq(s, t) => {
                let (s, t) = (self.ground(s, choice), self.ground(t, choice));
                self.equal(s, t)
            }
            Formula::And(parts) => {
                let parts: Vec<Lit> = parts.iter().map(|part| !self.literal(part, choice)).collect();
                !self.any(&parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<Lit> = parts.iter().map(|part| self.literal(part, choice)).collect();
                self.any(&parts)
            }
            Formula::Implies(a, b) => {
                let parts = [!self.literal(a, choice), self.literal(b, choice)];
                self.any(&parts)
            }
            Formula::Xor(a, b) => {
                let (a, b) = (self.literal(a, choice), self.literal(b, choice));
                self.differ(a, b)
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.literal(a, choice), self.literal(b, choice));
                !self.differ(a, b)
            }
            // A matrix has none.
            Formula::ForAll(_, body) | Formula::Exists(_, body) => self.literal(body, choice),
        }
    }

    fn ground(&mut self, term: &crate::logic::formula::Term, choice: &Choice) -> TermId {
        let instances = &mut *self.instances;
        let id = instances.bank.ground(term, &instances.matrices[choice.matrix].vars, &choice.values);
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if self.terms.insert(id) {
                open.extend(self.instances.bank.get(id).1);
            }
        }
        id
    }

    fn any(&mut self, parts: &[Lit]) -> Lit {
        let lit = self.sat.new_lit();
        let mut clause = vec![!lit];
        for &part in parts {
            self.sat.add(&[lit, !part]);
            clause.push(part);
        }
        self.sat.add(&clause);
        lit
    }

    fn differ(&mut self, a: Lit, b: Lit) -> Lit {
        let lit = self.sat.new_lit();
        for clause in [[!lit, a, b], [!lit, !a, !b], [lit, !a, b], [lit, a, !b]] {
            self.sat.add(&clause);
        }
        lit
    }

    fn atom(&mut self, atom: Atom) -> Lit {
        if let Some(&lit) = self.index.get(&atom) {
            return lit;
        }
        let lit = self.sat.new_lit();
        self.index.insert(atom.clone(), lit);
        self.atoms.push((atom, lit));
        lit
    }

    fn equal(&mut self, s: TermId, t: TermId) -> Lit {
        if s == t { self.truth } else { self.atom(Atom::Eq(s.min(t), s.max(t))) }
    }

    /// Whether two terms are equal: a literal where their sort has equality, else whether they are the same term.
    fn may_equal(&mut self, s: TermId, t: TermId) -> Option<Lit> {
        let sort = self.instances.sort(s);
        let possible = s == t || (sort == self.instances.sort(t) && self.instances.sorts.has_equality(sort));
        possible.then(|| self.equal(s, t))
    }

    /// Adds what makes equality equality among all terms of the instances, and that the `distinct` constants differ.
    /// Says whether at most `most` clauses were enough.
    pub fn equality(&mut self, distinct: &[Name], most: usize) -> bool {
        let terms: Vec<TermId> =
            self.terms.iter().copied().filter(|&t| self.instances.sorts.has_equality(self.instances.sort(t))).collect();
        let n = terms.len();
        let atoms = self.atoms.clone();
        if n.pow(3) / 2 + atoms.len().pow(2) > most && n > 0 {
            return false;
        }
        for (i, &a) in terms.iter().enumerate() {
            for (j, &b) in terms.iter().enumerate().skip(i + 1) {
                let Some(ab) = self.may_equal(a, b) else { continue };
                for &c in terms.iter().skip(j + 1) {
                    let (Some(bc), Some(ac)) = (self.may_equal(b, c), self.may_equal(a, c)) else { continue };
                    for clause in [[!ab, !bc, ac], [!ab, !ac, bc], [!bc, !ac, ab]] {
                        self.sat.add(&clause);
                    }
                }
                let ((f, fs), (g, gs)) = (self.instances.bank.get(a), self.instances.bank.get(b));
                if f == g && fs.len() == gs.len() {
                    if fs.is_empty() {
                        continue;
                    }
                    let pairs: Vec<(TermId, TermId)> = fs.iter().copied().zip(gs.iter().copied()).collect();
                    self.where_equal(&pairs, &[&[ab]]);
                } else if fs.is_empty() && gs.is_empty() && distinct.contains(f) && distinct.contains(g) {
                    self.sat.add(&[!ab]);
                }
            }
        }
        if n == 0 {
            return true;
        }
        for (i, (first, p)) in atoms.iter().enumerate() {
            for (second, q) in &atoms[i + 1..] {
                if let (Atom::Pred(name, args), Atom::Pred(other, others)) = (first, second)
                    && name == other
                    && args.len() == others.len()
                {
                    let pairs: Vec<(TermId, TermId)> = args.iter().copied().zip(others.iter().copied()).collect();
                    self.where_equal(&pairs, &[&[!*p, *q], &[*p, !*q]]);
                }
            }
        }
        true
    }

    /// What the solver found, as far as it goes.
    pub fn world(&self) -> World {
        let mut world = World::new(self.instances.bank.len());
        for (atom, lit) in &self.atoms {
            if let Atom::Eq(s, t) = atom
                && self.sat.value(*lit)
            {
                world.join(*s, *t);
            }
        }
        for &term in &self.terms {
            let (name, args) = self.instances.bank.get(term);
            world.note_term(name, args, term);
        }
        for (atom, lit) in &self.atoms {
            if let Atom::Pred(p, args) = atom {
                world.note_atom(p, args, self.sat.value(*lit));
            }
        }
        world
    }

    /// Where all pairs are equal, the clauses hold.
    fn where_equal(&mut self, pairs: &[(TermId, TermId)], clauses: &[&[Lit]]) {
        let unequal: Option<Vec<Lit>> = pairs.iter().map(|&(s, t)| self.may_equal(s, t).map(|lit| !lit)).collect();
        let Some(unequal) = unequal else { return };
        for clause in clauses {
            let clause: Vec<Lit> = unequal.iter().chain(*clause).copied().collect();
            self.sat.add(&clause);
        }
    }
}
