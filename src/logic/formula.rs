//! Terms and formulas of first-order logic with equality, as plain data.
//!
//! A name in a term is a variable where a quantifier around it binds it, else a constant: the parser decides, so that
//! the tree says what each name is. Walks over the tree are recursive and rely on [`MAX_DEPTH`]: the parser refuses
//! deeper formulas, and so does every entry point that takes formulas built in code.

use std::collections::BTreeSet;
use std::sync::Arc;

/// Names are shared, since one name stands in many places.
pub type Name = Arc<str>;

/// How deeply a formula or term may be nested: far more than any text needs, and little enough for any thread's stack.
pub const MAX_DEPTH: usize = 400;

/// A term: a variable, or a function applied to terms. A constant is a function of no arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable; in a closed formula some quantifier binds it.
    Var(Name),
    /// A function symbol and its arguments; a constant where there are none.
    App(Name, Vec<Term>),
}

/// A formula. `And` and `Or` hold two or more parts in their order; nested ones stay nested, as they were written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    /// ⊤
    True,
    /// ⊥
    False,
    /// A predicate and its arguments; a proposition where there are none.
    Pred(Name, Vec<Term>),
    /// `s = t`
    Eq(Term, Term),
    /// ¬
    Not(Box<Formula>),
    /// ∧
    And(Vec<Formula>),
    /// ∨
    Or(Vec<Formula>),
    /// ⊕, exclusive or
    Xor(Box<Formula>, Box<Formula>),
    /// →
    Implies(Box<Formula>, Box<Formula>),
    /// ↔
    Iff(Box<Formula>, Box<Formula>),
    /// ∀
    ForAll(Name, Box<Formula>),
    /// ∃
    Exists(Name, Box<Formula>),
}

impl Term {
    /// A variable.
    pub fn var(name: &str) -> Self {
        Term::Var(name.into())
    }
    /// A constant.
    pub fn constant(name: &str) -> Self {
        Term::App(name.into(), Vec::new())
    }
    /// Calls `visit` on this term and all terms inside it, outermost first.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        let mut open = vec![self];
        while let Some(term) = open.pop() {
            visit(term);
            if let Term::App(_, args) = term {
                open.extend(args.iter().rev());
            }
        }
    }
    /// Whether `name` occurs as a variable or a constant.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.visit(&mut |t| {
            found |= match t {
                Term::Var(v) => &**v == name,
                Term::App(c, args) => args.is_empty() && &**c == name,
            }
        });
        found
    }
    /// Whether no variable occurs.
    pub fn is_ground(&self) -> bool {
        let mut ground = true;
        self.visit(&mut |t| ground &= !matches!(t, Term::Var(_)));
        ground
    }
    /// Nesting: 1 for a variable or a constant.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self, 1)];
        while let Some((term, depth)) = open.pop() {
            deepest = deepest.max(depth);
            if let Term::App(_, args) = term {
                open.extend(args.iter().map(|t| (t, depth + 1)));
            }
        }
        deepest
    }
}

impl Formula {
    /// A predicate applied to terms.
    pub fn pred(name: &str, args: Vec<Term>) -> Self {
        Formula::Pred(name.into(), args)
    }
    /// ¬φ
    #[allow(clippy::should_implement_trait)]
    pub fn not(part: Formula) -> Self {
        Formula::Not(Box::new(part))
    }
    /// The conjunction of any number of formulas: ⊤ of none, the formula itself of one.
    pub fn and(mut parts: Vec<Formula>) -> Self {
        match parts.len() {
            0 => Formula::True,
            1 => parts.remove(0),
            _ => Formula::And(parts),
        }
    }
    /// The disjunction of any number of formulas: ⊥ of none, the formula itself of one.
    pub fn or(mut parts: Vec<Formula>) -> Self {
        match parts.len() {
            0 => Formula::False,
            1 => parts.remove(0),
            _ => Formula::Or(parts),
        }
    }
    /// φ ⊕ ψ
    pub fn xor(left: Formula, right: Formula) -> Self {
        Formula::Xor(Box::new(left), Box::new(right))
    }
    /// φ → ψ
    pub fn implies(left: Formula, right: Formula) -> Self {
        Formula::Implies(Box::new(left), Box::new(right))
    }
    /// φ ↔ ψ
    pub fn iff(left: Formula, right: Formula) -> Self {
        Formula::Iff(Box::new(left), Box::new(right))
    }
    /// ∀x φ
    pub fn for_all(var: &str, body: Formula) -> Self {
        Formula::ForAll(var.into(), Box::new(body))
    }
    /// ∃x φ
    pub fn exists(var: &str, body: Formula) -> Self {
        Formula::Exists(var.into(), Box::new(body))
    }

    /// The formulas directly inside this one, in order.
    pub fn parts(&self) -> Vec<&Formula> {
        match self {
            Formula::True | Formula::False | Formula::Pred(..) | Formula::Eq(..) => Vec::new(),
            Formula::Not(f) | Formula::ForAll(_, f) | Formula::Exists(_, f) => vec![f],
            Formula::And(fs) | Formula::Or(fs) => fs.iter().collect(),
            Formula::Xor(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => vec![a, b],
        }
    }
    /// The same formula with `change` applied to each formula directly inside it.
    #[must_use]
    pub fn map_parts(&self, mut change: impl FnMut(&Formula) -> Formula) -> Formula {
        let mut one = |f: &Formula| Box::new(change(f));
        match self {
            Formula::True | Formula::False | Formula::Pred(..) | Formula::Eq(..) => self.clone(),
            Formula::Not(f) => Formula::Not(one(f)),
            Formula::And(fs) => Formula::And(fs.iter().map(change).collect()),
            Formula::Or(fs) => Formula::Or(fs.iter().map(change).collect()),
            Formula::Xor(a, b) => Formula::Xor(one(a), one(b)),
            Formula::Implies(a, b) => Formula::Implies(one(a), one(b)),
            Formula::Iff(a, b) => Formula::Iff(one(a), one(b)),
            Formula::ForAll(x, f) => Formula::ForAll(x.clone(), one(f)),
            Formula::Exists(x, f) => Formula::Exists(x.clone(), one(f)),
        }
    }
    /// The terms that stand directly in an atom; none elsewhere.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Formula::Pred(_, args) => args.iter().collect(),
            Formula::Eq(s, t) => vec![s, t],
            _ => Vec::new(),
        }
    }
    /// Calls `visit` on this formula and all formulas inside it, outermost first, left to right.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Formula)) {
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            visit(formula);
            open.extend(formula.parts().into_iter().rev());
        }
    }
    /// Nesting of formulas and of the terms in them: 1 for a proposition. Safe at any depth.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self, 1)];
        while let Some((formula, depth)) = open.pop() {
            let inside = formula.terms().into_iter().map(Term::depth).max().unwrap_or(0);
            deepest = deepest.max(depth + inside);
            open.extend(formula.parts().into_iter().map(|f| (f, depth + 1)));
        }
        deepest
    }
    /// How many formulas stand in this one, itself included.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }
    /// The variables that no quantifier inside this formula binds.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        fn walk(f: &Formula, bound: &mut Vec<Name>, free: &mut BTreeSet<Name>) {
            for term in f.terms() {
                term.visit(&mut |t| {
                    if let Term::Var(x) = t
                        && !bound.contains(x)
                    {
                        free.insert(x.clone());
                    }
                });
            }
            if let Formula::ForAll(x, body) | Formula::Exists(x, body) = f {
                bound.push(x.clone());
                walk(body, bound, free);
                bound.pop();
            } else {
                f.parts().into_iter().for_each(|part| walk(part, bound, free));
            }
        }
        let mut free = BTreeSet::new();
        walk(self, &mut Vec::new(), &mut free);
        free
    }
    /// Whether a quantifier stands anywhere inside.
    pub fn has_quantifier(&self) -> bool {
        let mut found = false;
        self.visit(&mut |f| found |= matches!(f, Formula::ForAll(..) | Formula::Exists(..)));
        found
    }
    /// Every name in the formula: variables (bound ones too), functions and predicates.
    pub fn names(&self) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        self.visit(&mut |f| {
            if let Formula::Pred(n, _) | Formula::ForAll(n, _) | Formula::Exists(n, _) = f {
                names.insert(n.clone());
            }
            for term in f.terms() {
                term.visit(&mut |t| {
                    let (Term::Var(n) | Term::App(n, _)) = t;
                    names.insert(n.clone());
                });
            }
        });
        names
    }
}
