//! Text to formulas and back.

mod chain;
mod dialect;
mod fault;
mod parse;
mod print;
mod refuse;
mod smtlib;
mod symbols;
mod token;
mod tptp;
mod variables;
mod warn;

pub use dialect::Syntax;
pub use fault::{Fault, Kind};
pub use parse::Occurrence;
pub use print::Unprintable;
pub use smtlib::smtlib;
pub use tptp::tptp;
pub use warn::of_theory as theory_warnings;

use super::formula::{Formula, MAX_DEPTH};

/// A formula with what its text showed.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula. All its variables are bound: a free name is a constant.
    pub formula: Formula,
    /// The syntax in which it was read.
    pub syntax: Syntax,
    /// What its author hardly meant, in the order of columns.
    pub warnings: Vec<Fault>,
    /// Its predicates, functions and constants where they stand, for [`theory_warnings`].
    pub occurrences: Vec<Occurrence>,
}

/// Parses one formula; `None` takes the syntax that its symbols show ([`Syntax::of`]).
///
/// Operators bind in the order ¬ ∀ ∃ (over the next unary formula), ∧, ∨, ⊕, → (to the right), ↔; NLTK's and Prover9's
/// chains of arrows are read as those programs do. A free name is a constant, except that Prover9 takes one that
/// begins with u … z for a universally quantified variable. Nothing is guessed at: what is no formula is refused.
///
/// # Errors
/// The first [`Fault`], with its column.
pub fn parse(text: &str, syntax: Option<Syntax>) -> Result<Parsed, Fault> {
    let chosen = syntax.unwrap_or_else(|| Syntax::of(text));
    let dialect = chosen.dialect();
    let mut tokens = token::tokens(text, dialect);
    if syntax.is_none() {
        // `^` is an operator of NLTK's, and a slip everywhere else: only a reader who names NLTK gets it.
        let chars: Vec<char> = text.chars().collect();
        for token in &mut tokens {
            if chars.get(token.column - 1) == Some(&'^') {
                token.kind = token::Kind::Bad('^');
            }
        }
    }
    let mut parser = parse::Parser::new(dialect, &tokens);
    let mut formula = parser.whole()?;
    let warnings = warn::of_formula(&parser);
    for name in std::mem::take(&mut parser.implicit).into_iter().rev() {
        formula = Formula::ForAll(name, Box::new(formula));
    }
    if formula.depth() > MAX_DEPTH {
        return Err(refuse::too_deep(1));
    }
    Ok(Parsed { formula, syntax: chosen, warnings, occurrences: parser.occurrences })
}
