//! The syntaxes as data: which tokens there are, how tightly operators bind, how far a quantifier reaches.
//!
//! In all three a quantifier, like ¬, reaches over the next unary formula only. Measured for NLTK 3.9
//! (`all x.P(x) -> Q(x)` is an implication there); stated by Prover9's table of operators, where a quantifier's
//! precedence, 750, is tighter than that of `&`, 780. They differ in the dot, in chains of operators, in what a free
//! name means, and in the words and characters that are operators.

/// A syntax for formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// FOLIO's: `∀x (P(x) → Q(x))`.
    Folio,
    /// NLTK's: `all x.(P(x) -> Q(x))`.
    Nltk,
    /// Prover9's: `all x (P(x) -> Q(x))`.
    Prover9,
}

/// A token that is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Open,
    Close,
    Comma,
    Dot,
    Not,
    ForAll,
    Exists,
    Equal,
    Unequal,
    True,
    False,
    Binary(Binary),
}

/// A connective of two or more formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    And,
    Or,
    Xor,
    Implies,
    /// `ψ <- φ`
    ImpliedBy,
    Iff,
}

/// How a chain of one operator without parentheses is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    /// As one list of parts.
    Flat,
    Left,
    Right,
    /// Not at all.
    Refused,
}

pub(super) struct Dialect {
    pub syntax: Syntax,
    /// Symbols; where one begins another, the longer comes first.
    pub symbols: &'static [(&'static str, Sign)],
    /// Names that are operators.
    pub words: &'static [(&'static str, Sign)],
    /// Operators by level, tightest first; operators of one level do not mix without parentheses.
    pub levels: &'static [(&'static [Binary], Chain)],
    /// Whether a dot follows a quantifier's variables (there may then be several).
    pub dotted: bool,
    /// Whether ¬ before an equation denies it. NLTK and Prover9 take `-s = t` for (-s) = t, which is no formula.
    pub not_equation: bool,
    /// Whether names go on through `-` and `’`.
    pub loose_names: bool,
    /// Whether a free name that begins with u … z is a variable, universally quantified, and a final dot is dropped.
    pub implicit: bool,
}

use Binary::{And, Iff, ImpliedBy, Implies, Or, Xor};

pub(super) static FOLIO: Dialect = Dialect {
    syntax: Syntax::Folio,
    symbols: &[
        ("(", Sign::Open),
        (")", Sign::Close),
        (",", Sign::Comma),
        ("¬", Sign::Not),
        ("∀", Sign::ForAll),
        ("∃", Sign::Exists),
        ("=", Sign::Equal),
        ("≠", Sign::Unequal),
        ("⊤", Sign::True),
        ("⊥", Sign::False),
        ("∧", Sign::Binary(And)),
        ("∨", Sign::Binary(Or)),
        ("⊕", Sign::Binary(Xor)),
        ("→", Sign::Binary(Implies)),
        ("↔", Sign::Binary(Iff)),
    ],
    words: &[],
    levels: &[
        (&[And], Chain::Flat),
        (&[Or], Chain::Flat),
        (&[Xor], Chain::Left),
        (&[Implies], Chain::Right),
        (&[Iff], Chain::Left),
    ],
    dotted: false,
    not_equation: true,
    loose_names: true,
    implicit: false,
};

pub(super) static NLTK: Dialect = Dialect {
    syntax: Syntax::Nltk,
    symbols: &[
        ("(", Sign::Open),
        (")", Sign::Close),
        (",", Sign::Comma),
        (".", Sign::Dot),
        ("<->", Sign::Binary(Iff)),
        ("<=>", Sign::Binary(Iff)),
        ("->", Sign::Binary(Implies)),
        ("=>", Sign::Binary(Implies)),
        ("!=", Sign::Unequal),
        ("==", Sign::Equal),
        ("=", Sign::Equal),
        ("-", Sign::Not),
        ("!", Sign::Not),
        ("&", Sign::Binary(And)),
        ("^", Sign::Binary(And)),
        ("|", Sign::Binary(Or)),
    ],
    words: &[
        ("all", Sign::ForAll),
        ("forall", Sign::ForAll),
        ("exists", Sign::Exists),
        ("exist", Sign::Exists),
        ("some", Sign::Exists),
        ("not", Sign::Not),
        ("and", Sign::Binary(And)),
        ("or", Sign::Binary(Or)),
        ("implies", Sign::Binary(Implies)),
        ("iff", Sign::Binary(Iff)),
    ],
    levels: &[(&[And], Chain::Flat), (&[Or], Chain::Flat), (&[Implies], Chain::Left), (&[Iff], Chain::Left)],
    dotted: true,
    not_equation: false,
    loose_names: false,
    implicit: false,
};

pub(super) static PROVER9: Dialect = Dialect {
    syntax: Syntax::Prover9,
    symbols: &[
        ("(", Sign::Open),
        (")", Sign::Close),
        (",", Sign::Comma),
        (".", Sign::Dot),
        ("<->", Sign::Binary(Iff)),
        ("->", Sign::Binary(Implies)),
        ("<-", Sign::Binary(ImpliedBy)),
        ("!=", Sign::Unequal),
        ("=", Sign::Equal),
        ("-", Sign::Not),
        ("&", Sign::Binary(And)),
        ("|", Sign::Binary(Or)),
        ("$T", Sign::True),
        ("$F", Sign::False),
    ],
    words: &[("all", Sign::ForAll), ("exists", Sign::Exists)],
    levels: &[(&[And], Chain::Flat), (&[Or], Chain::Flat), (&[Implies, ImpliedBy, Iff], Chain::Refused)],
    dotted: false,
    not_equation: false,
    loose_names: false,
    implicit: true,
};

impl Syntax {
    /// All of them.
    pub const ALL: [Syntax; 3] = [Syntax::Folio, Syntax::Nltk, Syntax::Prover9];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Syntax::Folio => "folio",
            Syntax::Nltk => "nltk",
            Syntax::Prover9 => "prover9",
        }
    }

    /// The syntax that a formula's own symbols show: FOLIO's where there is a logical symbol of Unicode or no ASCII
    /// operator at all, else NLTK's, or Prover9's where a quantifier has no dot.
    pub fn of(text: &str) -> Syntax {
        if text.chars().any(|c| "∀∃¬∧∨⊕→↔≠⊤⊥".contains(c)) {
            return Syntax::Folio;
        }
        if let Some(dotted) = ascii_quantifier(text) {
            return if dotted { Syntax::Nltk } else { Syntax::Prover9 };
        }
        let text = text.trim_start();
        let ascii = text.starts_with(['-', '!']) && !text.starts_with("!=");
        let between = ["&", "|", "->", "<-", "=>", "!=", "(-", " -", "(!"].iter().any(|sign| text.contains(sign));
        if ascii || between { Syntax::Nltk } else { Syntax::Folio }
    }

    pub(super) fn dialect(self) -> &'static Dialect {
        match self {
            Syntax::Folio => &FOLIO,
            Syntax::Nltk => &NLTK,
            Syntax::Prover9 => &PROVER9,
        }
    }
}

/// Whether the first word quantifier (`all x`, `exists x y`) has a dot after its variables; `None` where there is none.
fn ascii_quantifier(text: &str) -> Option<bool> {
    // Each word with the character after it: `some(a)` is a predicate.
    let mut words = text
        .split_inclusive(|c: char| c.is_whitespace() || "(-!&|".contains(c))
        .map(|piece| (piece.trim_end_matches(|c: char| c.is_whitespace() || "(-!&|".contains(c)), piece))
        .filter(|(word, _)| !word.is_empty());
    while let Some((word, piece)) = words.next() {
        if !["all", "forall", "exists", "exist", "some"].contains(&word) || !piece.ends_with(char::is_whitespace) {
            continue;
        }
        let name = |w: &str| w.starts_with(char::is_alphabetic) && w.chars().all(|c| c.is_alphanumeric() || c == '_');
        for (next, _) in words.by_ref() {
            match next.split_once('.') {
                Some((variable, _)) if name(variable) || variable.is_empty() => return Some(true),
                _ if name(next) && !["all", "exists"].contains(&next) => {}
                _ => return Some(false),
            }
        }
        return Some(false);
    }
    None
}
