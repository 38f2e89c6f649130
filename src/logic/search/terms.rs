//! Ground terms and atoms as SAT literals: a term is a row of literals "its value is element d", exactly one of which
//! holds; each term and atom is made once.
//!
//! The numbers below the size of the domain are the elements themselves as terms; the others are rows.

use super::super::sat::Lit;
use super::encode::{Encoder, Stop};
use super::ground::Arg;

/// Values of arguments, and the literals that say that some argument has another value.
type Case = (Box<[usize]>, Vec<Lit>);

impl Encoder<'_> {
    /// Makes the terms of all constants. The first `distinct` of them differ.
    ///
    /// No formula can name an element, so permuting the elements of a model gives a model, and among those permutations
    /// is one that numbers the elements in the order in which the constants, one after the other, first take them: the
    /// distinct constants have the elements 0, 1, …, and each later constant has an element that one before it has, or
    /// the next one. That holds whatever functions there are, as long as nothing else fixes how elements are numbered.
    pub fn constants(&mut self, arities: &[usize], distinct: usize) -> Result<(), Stop> {
        let mut before: Vec<usize> = Vec::new();
        for (id, _) in arities.iter().enumerate().filter(|(_, arity)| **arity == 0) {
            let (top, place) = (self.top, before.len());
            let term = if id < distinct {
                id
            } else if self.size == 1 || place == 0 {
                0
            } else {
                let highest = place.min(self.size - 1);
                let row = (0..self.size).map(|d| if d <= highest { self.sat.new_lit() } else { !top }).collect();
                let term = self.row(row)?;
                for d in 1..=highest {
                    let mut clause = vec![!self.has_value(term, d)];
                    clause.extend(before.iter().map(|&other| self.has_value(other, d - 1)));
                    self.add(&clause)?;
                }
                term
            };
            self.terms.insert((id, Box::default()), term);
            before.push(term);
        }
        Ok(())
    }

    /// The literal "the term's value is d".
    pub fn has_value(&self, term: usize, d: usize) -> Lit {
        match term.checked_sub(self.size) {
            Some(row) => self.rows[row][d],
            None if term == d => self.top,
            None => !self.top,
        }
    }

    /// A new term with these literals, of which exactly one is made to hold.
    fn row(&mut self, row: Vec<Lit>) -> Result<usize, Stop> {
        let possible: Vec<Lit> = row.iter().copied().filter(|lit| *lit != !self.top).collect();
        self.add(&possible)?;
        for (k, &one) in possible.iter().enumerate() {
            for &other in &possible[..k] {
                self.add(&[!one, !other])?;
            }
        }
        self.rows.push(row);
        Ok(self.size + self.rows.len() - 1)
    }

    /// The ground term that an argument is where the variables have these values.
    fn term(&mut self, arg: &Arg, env: &[usize]) -> Result<usize, Stop> {
        match arg {
            Arg::Var(slot) => Ok(env[*slot]),
            // The one element is the value of everything.
            Arg::App(..) if self.size == 1 => Ok(0),
            Arg::App(function, args) => {
                let args = self.ground(args, env)?;
                self.apply(*function, args)
            }
        }
    }

    fn ground(&mut self, args: &[Arg], env: &[usize]) -> Result<Box<[usize]>, Stop> {
        args.iter().map(|arg| self.term(arg, env)).collect()
    }

    fn apply(&mut self, function: usize, args: Box<[usize]>) -> Result<usize, Stop> {
        let key = (function, args);
        if let Some(&term) = self.terms.get(&key) {
            return Ok(term);
        }
        let row: Vec<Lit> = (0..self.size).map(|_| self.sat.new_lit()).collect();
        let term = self.row(row.clone())?;
        let (function, args) = key;
        for (values, mut clause) in self.cases(&args)? {
            let cell = self.apply(function, values)?;
            let fixed = clause.len();
            for (d, &has) in row.iter().enumerate() {
                clause.extend([!self.has_value(cell, d), has]);
                self.add(&clause)?;
                clause.truncate(fixed);
            }
        }
        self.terms.insert((function, args), term);
        Ok(term)
    }

    /// The values that the arguments can have, each with the negation of their having them; none where all arguments
    /// are elements already, so that there is nothing to tell apart.
    fn cases(&mut self, args: &[usize]) -> Result<Vec<Case>, Stop> {
        if args.iter().all(|term| *term < self.size) {
            return Ok(Vec::new());
        }
        let mut cases: Vec<(Vec<usize>, Vec<Lit>)> = vec![Default::default()];
        for &arg in args {
            let mut longer = Vec::new();
            for (values, unless) in &cases {
                for d in 0..self.size {
                    let has = self.has_value(arg, d);
                    if has == !self.top {
                        continue;
                    }
                    self.step()?;
                    let (mut values, mut unless) = (values.clone(), unless.clone());
                    values.push(d);
                    if has != self.top {
                        unless.push(!has);
                    }
                    longer.push((values, unless));
                }
            }
            cases = longer;
        }
        Ok(cases.into_iter().map(|(values, unless)| (values.into_boxed_slice(), unless)).collect())
    }

    /// The literal of an atom where the variables have these values.
    pub fn atom(&mut self, predicate: usize, args: &[Arg], env: &[usize]) -> Result<Lit, Stop> {
        let args = self.ground(args, env)?;
        self.ground_atom(predicate, args)
    }

    fn ground_atom(&mut self, predicate: usize, args: Box<[usize]>) -> Result<Lit, Stop> {
        let key = (predicate, args);
        if let Some(&atom) = self.atoms.get(&key) {
            return Ok(atom);
        }
        let atom = self.sat.new_lit();
        let (predicate, args) = key;
        for (values, mut clause) in self.cases(&args)? {
            let cell = self.ground_atom(predicate, values)?;
            let fixed = clause.len();
            for (one, other) in [(!cell, atom), (cell, !atom)] {
                clause.extend([one, other]);
                self.add(&clause)?;
                clause.truncate(fixed);
            }
        }
        self.atoms.insert((predicate, args), atom);
        Ok(atom)
    }

    /// The literal of an equation where the variables have these values.
    pub fn equation(&mut self, s: &Arg, t: &Arg, env: &[usize]) -> Result<Lit, Stop> {
        let (s, t) = (self.term(s, env)?, self.term(t, env)?);
        let (low, high) = (s.min(t), s.max(t));
        if low == high {
            return Ok(self.top);
        }
        if low < self.size {
            return Ok(self.has_value(high, low));
        }
        if let Some(&equal) = self.equations.get(&(low, high)) {
            return Ok(equal);
        }
        let equal = self.sat.new_lit();
        for d in 0..self.size {
            let (one, other) = (self.has_value(low, d), self.has_value(high, d));
            self.add(&[!one, !other, equal])?;
            self.add(&[!one, other, !equal])?;
        }
        self.equations.insert((low, high), equal);
        Ok(equal)
    }

    /// The values of a function in the assignment found. Cells that no clause asked about are 0.
    pub fn function_table(&self, function: usize, arity: usize) -> Vec<usize> {
        let value = |args: Vec<usize>| {
            let term = self.terms.get(&(function, args.into_boxed_slice()));
            let value = |&term: &usize| (0..self.size).find(|&d| self.sat.value(self.has_value(term, d)));
            term.and_then(value).unwrap_or(0)
        };
        self.tuples(arity).map(value).collect()
    }

    /// The values of a predicate in the assignment found. Cells that no clause asked about are false.
    pub fn predicate_table(&self, predicate: usize, arity: usize) -> Vec<bool> {
        let holds = |args: Vec<usize>| {
            self.atoms.get(&(predicate, args.into_boxed_slice())).is_some_and(|&atom| self.sat.value(atom))
        };
        self.tuples(arity).map(holds).collect()
    }

    /// All tuples of elements, the last place running fastest.
    fn tuples(&self, arity: usize) -> impl Iterator<Item = Vec<usize>> {
        let (size, mut next) = (self.size, Some(vec![0; arity]));
        std::iter::from_fn(move || {
            let tuple = next.take()?;
            let mut after = tuple.clone();
            if let Some(place) = after.iter().rposition(|element| element + 1 < size) {
                after[place] += 1;
                after[place + 1..].fill(0);
                next = Some(after);
            }
            Some(tuple)
        })
    }
}
