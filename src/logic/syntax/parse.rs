//! Tokens to a formula, by recursive descent over the levels of a [`Dialect`]. Depth is guarded.

use super::chain::Run;
use super::dialect::{Chain, Dialect, Sign};
use super::fault::{Fault, Kind};
use super::refuse::{bad, too_deep, variable_as_formula};
use super::token::{self, Token};
use super::variables;
use crate::logic::formula::{Formula, MAX_DEPTH, Name, Term};

/// A predicate or function (a constant, where it has no arguments) where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The symbol.
    pub name: Name,
    /// Whether it is a predicate.
    pub predicate: bool,
    /// How many arguments it has here.
    pub arity: usize,
    /// 1-based, in characters.
    pub column: usize,
    /// Whether it is a constant that is named like a variable of an outer quantifier or of the usual kind.
    pub free: bool,
}

/// A quantified variable where it is bound.
#[derive(Clone, Debug)]
pub(super) struct Binder {
    pub name: Name,
    pub column: usize,
    pub uses: usize,
    /// Whether an outer quantifier binds the same name.
    pub again: bool,
}

pub(super) struct Parser<'a> {
    pub dialect: &'a Dialect,
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    /// One past the last character.
    end: usize,
    pub(super) depth: usize,
    /// The nesting of the formula read last. A chain to the left nests without descent: `a ⊕ b ⊕ c` is `(a ⊕ b) ⊕ c`.
    height: usize,
    /// Indices into `binders` of the quantifiers around the present place, outermost first.
    scope: Vec<usize>,
    pub binders: Vec<Binder>,
    pub occurrences: Vec<Occurrence>,
    /// Free names that the dialect takes for variables.
    pub implicit: Vec<Name>,
}

pub(super) type Parse<T> = Result<T, Fault>;

impl<'a> Parser<'a> {
    pub fn new(dialect: &'a Dialect, tokens: &'a [Token]) -> Self {
        let end = tokens.last().map_or(1, |t| t.end);
        Parser {
            dialect,
            tokens,
            at: 0,
            end,
            depth: 0,
            height: 0,
            scope: Vec::new(),
            binders: Vec::new(),
            occurrences: Vec::new(),
            implicit: Vec::new(),
        }
    }

    /// The whole text as one formula.
    pub fn whole(&mut self) -> Parse<Formula> {
        if self.tokens.is_empty() {
            return Err(Fault::new(1, Kind::Empty, "no formula; the text is empty"));
        }
        let formula = self.formula()?;
        if self.dialect.implicit
            && self.peek() == Some(&token::Kind::Sign(Sign::Dot))
            && self.at + 1 == self.tokens.len()
        {
            self.at += 1;
        }
        if let Some(token) = self.tokens.get(self.at) {
            return Err(self.after_formula(token));
        }
        let implicit = |o: &&Occurrence| o.predicate && o.arity == 0 && self.implicit.contains(&o.name);
        match self.occurrences.iter().find(implicit) {
            Some(occurrence) => Err(variable_as_formula(occurrence.column, &occurrence.name)),
            None => Ok(formula),
        }
    }

    pub(super) fn peek(&self) -> Option<&'a token::Kind> {
        self.tokens.get(self.at).map(|t| &t.kind)
    }
    pub(super) fn column(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |t| t.column)
    }
    pub fn takes(&mut self, sign: Sign) -> bool {
        let there = self.peek() == Some(&token::Kind::Sign(sign));
        self.at += usize::from(there);
        there
    }
    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.column()));
        }
        Ok(())
    }

    /// Unary formulas with operators between them. Runs of operators wait on a stack of their own, each binding more
    /// tightly than the one before, so that only parentheses, ¬ and quantifiers descend.
    fn formula(&mut self) -> Parse<Formula> {
        let mut runs: Vec<Run> = Vec::new();
        loop {
            let mut part = (self.unary()?, self.height);
            let next = match self.peek() {
                Some(&token::Kind::Sign(Sign::Binary(operator))) => {
                    let levels = self.dialect.levels.iter();
                    levels.enumerate().find(|(_, (all, _))| all.contains(&operator)).map(|(i, _)| (i, operator))
                }
                _ => None,
            };
            while let Some(run) = runs.pop_if(|run| next.is_none_or(|(level, _)| run.level < level)) {
                let (_, chain) = self.dialect.levels[run.level];
                part = run.close(chain, part)?;
            }
            let Some((level, operator)) = next else {
                self.height = part.1;
                return Ok(part.0);
            };
            let column = self.column();
            match runs.last_mut() {
                Some(run) if run.level == level => {
                    if self.dialect.levels[level].1 == Chain::Refused {
                        let name = self.dialect.syntax.name();
                        let message = format!("a second arrow in a row, which {name} does not rank; add parentheses");
                        return Err(Fault::new(column, Kind::Ambiguous, message));
                    }
                    run.parts.push(part);
                }
                _ => runs.push(Run { level, operator, column, parts: vec![part] }),
            }
            self.at += 1;
            self.operand(column, "this operator")?;
        }
    }

    fn unary(&mut self) -> Parse<Formula> {
        self.enter()?;
        let column = self.column();
        let formula = match self.peek() {
            Some(token::Kind::Sign(Sign::Not)) => {
                self.at += 1;
                self.operand(column, "¬")?;
                let equation = matches!(self.peek(), Some(token::Kind::Name(_)));
                let inside = self.unary()?;
                if equation && !self.dialect.not_equation && !matches!(inside, Formula::Pred(..)) {
                    return Err(Fault::new(
                        column,
                        Kind::Ambiguous,
                        "the `-` before an equation belongs to its left side here; write `s != t`, or parentheses",
                    ));
                }
                self.height += 1;
                Formula::not(inside)
            }
            Some(&token::Kind::Sign(quantifier @ (Sign::ForAll | Sign::Exists))) => {
                self.at += 1;
                self.quantified(quantifier, column)?
            }
            Some(token::Kind::Sign(Sign::Open)) => {
                self.at += 1;
                if self.peek() == Some(&token::Kind::Sign(Sign::Close)) {
                    return Err(Fault::new(column, Kind::MissingOperand, "nothing stands between these parentheses"));
                }
                let inside = self.formula()?;
                if !self.takes(Sign::Close) {
                    return Err(match self.tokens.get(self.at) {
                        None => self.unclosed(column),
                        Some(token) => self.after_formula(token),
                    });
                }
                inside
            }
            Some(token::Kind::Sign(Sign::True)) => {
                self.at += 1;
                self.height = 1;
                Formula::True
            }
            Some(token::Kind::Sign(Sign::False)) => {
                self.at += 1;
                self.height = 1;
                Formula::False
            }
            Some(token::Kind::Name(_)) => {
                let atom = self.atom()?;
                self.height = atom.depth();
                atom
            }
            _ => return Err(self.no_formula()),
        };
        if self.height > MAX_DEPTH {
            return Err(too_deep(column));
        }
        self.depth -= 1;
        Ok(formula)
    }

    /// What stands after a quantifier's sign.
    fn quantified(&mut self, quantifier: Sign, column: usize) -> Parse<Formula> {
        let before = self.scope.len();
        let mut variables = Vec::new();
        loop {
            let at = self.column();
            match self.peek() {
                Some(token::Kind::Name(name)) => {
                    self.at += 1;
                    // Every variable but the first nests without a descent of its own.
                    if !variables.is_empty() {
                        self.enter()?;
                    }
                    variables.push(self.bind(name, at));
                }
                _ if variables.is_empty() => {
                    return Err(match self.peek() {
                        Some(&token::Kind::Bad(c)) => bad(at, c),
                        _ => Fault::new(column, Kind::MissingOperand, "this quantifier has no variable"),
                    });
                }
                _ => {}
            }
            if self.another_variable() {
                continue;
            }
            if !self.dialect.dotted || self.takes(Sign::Dot) {
                break;
            }
            if !matches!(self.peek(), Some(token::Kind::Name(_))) {
                return Err(match self.tokens.get(self.at) {
                    Some(Token { kind: token::Kind::Bad(c), column, .. }) => bad(*column, *c),
                    _ => Fault::new(
                        self.column(),
                        Kind::UnexpectedToken,
                        "a quantifier's variables end with a dot in this syntax: `all x.(…)`; `--syntax prover9` has no dot",
                    ),
                });
            }
        }
        self.operand(column, "this quantifier")?;
        self.variable_is_there()?;
        let body = self.unary()?;
        self.depth -= variables.len() - 1;
        self.height += variables.len();
        self.scope.truncate(before);
        Ok(variables.into_iter().rev().fold(body, |body, variable| match quantifier {
            Sign::ForAll => Formula::ForAll(variable, Box::new(body)),
            _ => Formula::Exists(variable, Box::new(body)),
        }))
    }

    fn bind(&mut self, name: &str, column: usize) -> Name {
        let name: Name = name.into();
        let again = self.scope.iter().any(|&b| self.binders[b].name == name);
        self.scope.push(self.binders.len());
        self.binders.push(Binder { name: name.clone(), column, uses: 0, again });
        name
    }

    /// A predicate with its arguments, or an equation.
    fn atom(&mut self) -> Parse<Formula> {
        let column = self.column();
        let Some(token::Kind::Name(name)) = self.peek() else { return Err(self.no_formula()) };
        self.at += 1;
        let noted = self.note(name, column);
        let args = self.arguments()?;
        if self.peek() == Some(&token::Kind::Sign(Sign::Equal))
            || self.peek() == Some(&token::Kind::Sign(Sign::Unequal))
        {
            let equal = self.peek() == Some(&token::Kind::Sign(Sign::Equal));
            let left = self.as_term(name, args, noted)?;
            let sign = self.column();
            self.at += 1;
            self.operand(sign, "this sign")?;
            let right = self.term()?;
            return Ok(if equal { Formula::Eq(left, right) } else { Formula::not(Formula::Eq(left, right)) });
        }
        if args.is_none() && self.scope.iter().any(|&b| *self.binders[b].name == **name) {
            return Err(variable_as_formula(column, name));
        }
        // `captain america` where a formula is expected: a name of two words, since a name alone is rarely a formula.
        if args.is_none() && matches!(self.peek(), Some(token::Kind::Name(_))) {
            return Err(self.two_words(name));
        }
        let args = args.unwrap_or_default();
        let occurrence = &mut self.occurrences[noted];
        (occurrence.predicate, occurrence.arity) = (true, args.len());
        Ok(Formula::Pred(occurrence.name.clone(), args))
    }

    fn term(&mut self) -> Parse<Term> {
        self.enter()?;
        let column = self.column();
        let Some(token::Kind::Name(name)) = self.peek() else {
            return Err(match self.tokens.get(self.at) {
                Some(Token { kind: token::Kind::Bad(c), column, .. }) => bad(*column, *c),
                Some(_) => self.or_unbalanced(Fault::new(column, Kind::MissingOperand, "a term is missing here")),
                None => self.or_unbalanced(Fault::new(column, Kind::MissingOperand, "a term is missing at the end")),
            });
        };
        self.at += 1;
        let noted = self.note(name, column);
        let args = self.arguments()?;
        self.depth -= 1;
        self.as_term(name, args, noted)
    }

    /// The arguments in parentheses, if there are any.
    fn arguments(&mut self) -> Parse<Option<Vec<Term>>> {
        let open = self.column();
        if !self.takes(Sign::Open) {
            return Ok(None);
        }
        if self.peek() == Some(&token::Kind::Sign(Sign::Close)) {
            return Err(Fault::new(
                self.column(),
                Kind::MissingOperand,
                "an argument is missing between the parentheses",
            ));
        }
        let mut args = Vec::new();
        loop {
            args.push(self.term()?);
            if self.takes(Sign::Close) {
                return Ok(Some(args));
            }
            if self.takes(Sign::Comma) {
                continue;
            }
            let before = match self.at.checked_sub(1).map(|i| &self.tokens[i].kind) {
                Some(token::Kind::Name(name)) => name.as_str(),
                _ => "",
            };
            return Err(match self.peek() {
                None => self.unclosed(open),
                Some(&token::Kind::Bad(c)) => bad(self.column(), c),
                Some(&token::Kind::Sign(Sign::Dot)) => bad(self.column(), '.'),
                Some(token::Kind::Name(_)) if !before.is_empty() => self.two_words(before),
                Some(_) => self.or_unbalanced(Fault::new(
                    self.column(),
                    Kind::UnexpectedToken,
                    "a comma or `)` belongs after an argument",
                )),
            });
        }
    }

    /// A name and its arguments as a term: a variable where a quantifier around it, or the dialect, says so. Its note
    /// is then the last one, and goes.
    fn as_term(&mut self, name: &str, args: Option<Vec<Term>>, noted: usize) -> Parse<Term> {
        let Some(args) = args else {
            if let Some(&binder) = self.scope.iter().rev().find(|&&b| *self.binders[b].name == *name) {
                self.occurrences.truncate(noted);
                self.binders[binder].uses += 1;
                return Ok(Term::Var(self.binders[binder].name.clone()));
            }
            let occurrence = &mut self.occurrences[noted];
            occurrence.free = variables::looks_like_variable(name);
            let (name, column) = (occurrence.name.clone(), occurrence.column);
            if !self.dialect.implicit || !name.starts_with(|c: char| ('u'..='z').contains(&c)) {
                return Ok(Term::App(name, Vec::new()));
            }
            if !self.implicit.contains(&name) {
                // Each is a quantifier around the formula.
                if self.implicit.len() == MAX_DEPTH {
                    return Err(too_deep(column));
                }
                self.implicit.push(name.clone());
            }
            return Ok(Term::Var(name));
        };
        let occurrence = &mut self.occurrences[noted];
        occurrence.arity = args.len();
        Ok(Term::App(occurrence.name.clone(), args))
    }

    /// Notes a symbol where it stands, before those of its arguments; what it is shows later. Gives the note's index.
    fn note(&mut self, name: &str, column: usize) -> usize {
        self.occurrences.push(Occurrence { name: name.into(), predicate: false, arity: 0, column, free: false });
        self.occurrences.len() - 1
    }
}
