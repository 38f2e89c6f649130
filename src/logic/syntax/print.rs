//! Formulas to text, in each syntax that can be read; `parse(print(f)) = f`, except that NLTK and Prover9 have no ⊕,
//! which is written `-(φ <-> ψ)` there, and no ⊤ and ⊥ in NLTK.

use super::dialect::{Dialect, Syntax};
use super::token::{Kind, tokens};
use crate::logic::formula::{Formula, Term};

/// A formula that a syntax has no words for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{what}` cannot be written in the {syntax} syntax")]
pub struct Unprintable {
    /// The name or constant at fault.
    pub what: String,
    /// The syntax's name.
    pub syntax: &'static str,
}

/// The signs of a syntax.
struct Signs {
    not: &'static str,
    and: &'static str,
    or: &'static str,
    xor: Option<&'static str>,
    implies: &'static str,
    iff: &'static str,
    unequal: &'static str,
    truth: Option<(&'static str, &'static str)>,
    /// Before a quantified variable and after it.
    for_all: &'static str,
    exists: &'static str,
    after: &'static str,
}

static UNICODE: Signs = Signs {
    not: "¬",
    and: "∧",
    or: "∨",
    xor: Some("⊕"),
    implies: "→",
    iff: "↔",
    unequal: "≠",
    truth: Some(("⊤", "⊥")),
    for_all: "∀",
    exists: "∃",
    after: " ",
};
static ASCII: Signs = Signs {
    not: "-",
    and: "&",
    or: "|",
    xor: None,
    implies: "->",
    iff: "<->",
    unequal: "!=",
    truth: Some(("$T", "$F")),
    for_all: "all ",
    exists: "exists ",
    after: " ",
};
static DOTTED: Signs = Signs { truth: None, after: ".", ..ASCII };

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Term::Var(name) | Term::App(name, _)) = self;
        f.write_str(name)?;
        if let Term::App(_, args) = self {
            write_args(f, args)?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write(f, self, &UNICODE)
    }
}

impl Formula {
    /// The formula's text in a syntax. [`Syntax::Folio`] is what `Display` gives.
    ///
    /// # Errors
    /// [`Unprintable`] where a name is none in that syntax (a space, a hyphen, a word that is an operator there), or
    /// would be read as something else (a constant `x` in Prover9's, or inside `∀x` anywhere; a variable that nothing
    /// binds), or where ⊤ or ⊥ cannot be said.
    pub fn print(&self, syntax: Syntax) -> Result<String, Unprintable> {
        let dialect = syntax.dialect();
        let fails = |what: &str| Unprintable { what: what.to_string(), syntax: syntax.name() };
        for name in self.names() {
            if !is_name(&name, dialect) {
                return Err(fails(&name));
            }
        }
        let signs = match syntax {
            Syntax::Folio => &UNICODE,
            Syntax::Nltk => &DOTTED,
            Syntax::Prover9 => &ASCII,
        };
        if signs.truth.is_none() {
            let mut found = None;
            self.visit(&mut |f| match f {
                Formula::True => found = Some("⊤"),
                Formula::False => found = Some("⊥"),
                _ => {}
            });
            if let Some(sign) = found {
                return Err(fails(sign));
            }
        }
        if let Some(name) = misread(self, dialect.implicit, &mut Vec::new()) {
            return Err(fails(name));
        }
        let mut out = String::new();
        write(&mut out, self, signs).map(|()| out).map_err(|_| fails(""))
    }
}

/// A name that would be read as something else where it stands: a constant or a proposition named like a variable
/// around it, a variable that nothing binds, or a constant that the syntax takes for a variable.
fn misread<'a>(formula: &'a Formula, implicit: bool, scope: &mut Vec<&'a str>) -> Option<&'a str> {
    if let Formula::ForAll(x, body) | Formula::Exists(x, body) = formula {
        scope.push(x);
        let found = misread(body, implicit, scope);
        scope.pop();
        return found;
    }
    let mut found = None;
    if let Formula::Pred(name, args) = formula
        && args.is_empty()
        && scope.contains(&&**name)
    {
        found = Some(&**name);
    }
    for term in formula.terms() {
        term.visit(&mut |t| {
            let (name, variable) = match t {
                Term::Var(name) => (name, true),
                Term::App(name, args) if args.is_empty() => (name, false),
                Term::App(..) => return,
            };
            let bound = scope.contains(&&**name);
            let taken = bound || (implicit && name.starts_with(|c: char| ('u'..='z').contains(&c)));
            if (variable && !bound) || (!variable && taken) {
                found = Some(&**name);
            }
        });
    }
    found.or_else(|| formula.parts().into_iter().find_map(|part| misread(part, implicit, scope)))
}

/// Whether the text is one name of the syntax.
fn is_name(text: &str, dialect: &Dialect) -> bool {
    matches!(&tokens(text, dialect)[..], [token] if matches!(&token.kind, Kind::Name(name) if name == text))
}

fn write(out: &mut impl std::fmt::Write, formula: &Formula, signs: &Signs) -> std::fmt::Result {
    match formula {
        Formula::True => out.write_str(signs.truth.map_or("⊤", |t| t.0)),
        Formula::False => out.write_str(signs.truth.map_or("⊥", |t| t.1)),
        Formula::Pred(name, args) => {
            out.write_str(name)?;
            write_args(out, args)
        }
        Formula::Eq(s, t) => write!(out, "{s} = {t}"),
        Formula::Not(inner) => match &**inner {
            Formula::Eq(s, t) => write!(out, "{s} {} {t}", signs.unequal),
            _ => {
                out.write_str(signs.not)?;
                inside(out, inner, 1, signs)
            }
        },
        Formula::And(parts) => joined(out, parts, signs.and, rank(formula, signs), signs),
        Formula::Or(parts) => joined(out, parts, signs.or, rank(formula, signs), signs),
        Formula::Xor(a, b) => match signs.xor {
            Some(sign) => joined(out, [&**a, b], sign, rank(formula, signs), signs),
            None => {
                write!(out, "{}(", signs.not)?;
                write(out, &Formula::Iff(a.clone(), b.clone()), signs)?;
                out.write_char(')')
            }
        },
        Formula::Implies(a, b) => joined(out, [&**a, b], signs.implies, rank(formula, signs), signs),
        // Parentheses around an arrow inside an arrow are for the reader's sake, and Prover9 needs them.
        Formula::Iff(a, b) => joined(out, [&**a, b], signs.iff, rank(formula, signs) - 1, signs),
        Formula::ForAll(x, body) => {
            write!(out, "{}{x}{}", signs.for_all, signs.after)?;
            inside(out, body, 1, signs)
        }
        Formula::Exists(x, body) => {
            write!(out, "{}{x}{}", signs.exists, signs.after)?;
            inside(out, body, 1, signs)
        }
    }
}

/// How loosely a formula binds: a part that binds as loosely as what is around it, or more so, needs parentheses.
fn rank(formula: &Formula, signs: &Signs) -> u8 {
    match formula {
        Formula::Eq(..) => 1,
        Formula::Not(inner) if matches!(**inner, Formula::Eq(..)) => 1,
        Formula::And(_) => 2,
        Formula::Or(_) => 3,
        Formula::Xor(..) if signs.xor.is_some() => 4,
        Formula::Implies(..) => 5,
        Formula::Iff(..) => 6,
        _ => 0,
    }
}

/// A formula inside something of the given rank.
fn inside(out: &mut impl std::fmt::Write, formula: &Formula, around: u8, signs: &Signs) -> std::fmt::Result {
    if rank(formula, signs) < around {
        return write(out, formula, signs);
    }
    out.write_char('(')?;
    write(out, formula, signs)?;
    out.write_char(')')
}

fn joined<'a>(
    out: &mut impl std::fmt::Write,
    parts: impl IntoIterator<Item = &'a Formula>,
    sign: &str,
    around: u8,
    signs: &Signs,
) -> std::fmt::Result {
    for (i, part) in parts.into_iter().enumerate() {
        if i > 0 {
            write!(out, " {sign} ")?;
        }
        inside(out, part, around, signs)?;
    }
    Ok(())
}

fn write_args(out: &mut impl std::fmt::Write, args: &[Term]) -> std::fmt::Result {
    for (i, arg) in args.iter().enumerate() {
        write!(out, "{}{arg}", if i == 0 { "(" } else { ", " })?;
    }
    if args.is_empty() { Ok(()) } else { out.write_char(')') }
}
