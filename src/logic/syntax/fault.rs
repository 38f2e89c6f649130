//! What can be wrong with a formula's text, and where.

use serde::Serialize;

/// What is wrong. The first six say that the text is no formula, in the classes by which published data sets fail; the
/// next four are further errors; the rest are warnings about formulas that parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// No text.
    Empty,
    /// A character that is no token of the syntax.
    BadToken,
    /// Parentheses that do not pair.
    Unbalanced,
    /// Two formulas side by side, or a comma where an operator belongs.
    MissingOperator,
    /// A constant of two words.
    SpaceInName,
    /// A whole formula, then something else.
    Trailing,
    /// An operator, a quantifier or an argument list that lacks a part.
    MissingOperand,
    /// A token that cannot stand where it does.
    UnexpectedToken,
    /// Operators in a row that this syntax does not rank.
    Ambiguous,
    /// Nested more deeply than [`MAX_DEPTH`](crate::logic::MAX_DEPTH).
    TooDeep,
    /// A name that looks like a variable (`u` … `z`, a digit may follow, or bound elsewhere in the formula) and that no
    /// quantifier binds.
    FreeVariable,
    /// A variable bound again inside its own scope.
    DuplicateBinder,
    /// A quantifier whose variable is not used in its scope.
    VacuousQuantifier,
    /// A predicate or function with two numbers of arguments in one theory.
    ArityClash,
    /// Two names in one theory that differ only in upper and lower case.
    CaseVariant,
    /// A name with a character outside ASCII; other programs may refuse it.
    NonAsciiName,
}

impl Kind {
    /// Whether a text with this fault is no formula; else it parses, and the fault is a warning.
    #[must_use]
    pub fn is_error(self) -> bool {
        self < Kind::FreeVariable
    }
    /// The kind's name in files: `bad-token` and so on.
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default()
    }
}

/// An error or a warning about a formula's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// 1-based, in characters; one past the end where something is missing there.
    pub column: usize,
    /// The class.
    pub kind: Kind,
    /// What is wrong and what to do.
    pub message: String,
}

impl Fault {
    /// A fault at a 1-based column.
    pub fn new(column: usize, kind: Kind, message: impl Into<String>) -> Self {
        Fault { column, kind, message: message.into() }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "column {}: {} ({})", self.column, self.message, self.kind.name())
    }
}

impl std::error::Error for Fault {}
