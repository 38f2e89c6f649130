//! What is wrong with a record of an outside file, and where. A defect never stops an import: it is reported, counted, and
//! says whether its record still gave an item.

use serde::Serialize;

/// One defect. Written by `--defects` as one JSON object a line, fields in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// The file as it was named; `-` for standard input.
    pub file: String,
    /// 0-based number of the record in the file; `None` for the file as a whole.
    pub row: Option<usize>,
    /// 1-based line on which the record begins (in which the fault lies, for broken JSON and CSV).
    pub line: Option<usize>,
    /// The field at fault, as `premises-FOL[3]` or `choices.choice_1`.
    pub field: Option<String>,
    /// 1-based column in characters: in the field's text, or in the line where there is no field.
    pub column: Option<usize>,
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// What is wrong, for a person.
    pub message: String,
    /// Whether the record gave no item.
    pub dropped: bool,
}

/// A defect that does not know its record yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// The field at fault.
    pub field: Option<String>,
    /// 1-based column in characters in the field's text.
    pub column: Option<usize>,
    /// What is wrong, for a person.
    pub message: String,
}

impl Finding {
    /// A finding about a field as a whole.
    pub(super) fn new(kind: &'static str, field: impl Into<String>, message: impl Into<String>) -> Self {
        Finding { kind, field: Some(field.into()), column: None, message: message.into() }
    }
}

/// Every kind of defect and what it means.
pub const KINDS: &[(&str, &str)] = &[
    ("not-utf-8", "bytes that are no UTF-8"),
    ("broken-json", "text that is no JSON"),
    ("duplicate-key", "a key that stands twice in one JSON object"),
    ("inexact-number", "a whole number that 64 bits do not hold"),
    ("bad-quotes", "a CSV cell whose quotes do not pair"),
    ("wrong-width", "a CSV row with another number of cells than the header"),
    ("duplicate-column", "a CSV column name that stands twice"),
    ("unknown-header", "a CSV header that the format does not know"),
    ("unknown-shape", "a record or file that is not built as the format says"),
    ("python-literal", "a cell that is no Python list of strings"),
    ("missing-field", "a field that is needed and not there"),
    ("wrong-type", "a field of another type than the format says"),
    ("empty-text", "a field that is there and empty"),
    ("empty-choice", "a choice without text; left out of the endings"),
    ("duplicate-choice", "two choices with the same text"),
    ("unexpected-choice", "a choice or option under a name that the format does not have"),
    ("no-choices", "an answer in free text: the item has one ending only"),
    ("hidden-label", "a record without its answer"),
    ("empty-answer", "an answer without text"),
    ("unknown-label", "an answer that is none of the choices"),
    ("label-out-of-range", "an index beyond the choices"),
    ("label-spelling", "an answer spelt otherwise than its choice"),
    ("ambiguous-label", "an answer that reads both as an index and as another choice's text"),
    ("several-answers", "more than one right answer; the first is taken"),
    ("answer-spelling", "a free answer with stray marks, or spelt otherwise than elsewhere in the file"),
    ("duplicate-id", "an id that stands twice in the file"),
    ("duplicate-item", "a record that poses the same question as an earlier one, with the same answer"),
    ("conflicting-label", "a record that poses the same question as an earlier one, with another answer"),
    ("premise-count", "another number of premises than of their formulas"),
    ("theory-size", "another number of premises than in the base wording"),
    ("label-changed", "an obfuscated wording with another label than its base"),
    ("sentence-without-formula", "a part of the context that no formula stands for"),
    ("formula-without-sentence", "a formula whose sentence is not in the context"),
    ("explanation-shape", "an explanation that is not a chain of steps"),
    ("explanation-mismatch", "an explanation that does not go from the context to the answer"),
    ("chain-mismatch", "a label that chaining the rules does not give"),
    ("no-structure", "a record without its logical structure: the whole context is used, hops unknown"),
    ("no-text", "a record without its text"),
    ("missing-mark", "an obfuscated number series without the mark of the unknown term that its base has"),
    ("no-unknown-term", "a number series without a mark for an unknown term"),
    ("not-obfuscated", "an obfuscated wording that equals its base"),
    ("lost-decimal-point", "an obfuscated number series with fewer decimal points than its base"),
    ("term-count", "an obfuscated number series with another number of terms than its base"),
    ("parts-differ", "a context that is not its parts joined"),
    ("delimiter", "endings that a space does not join to their context; set `--delimiter`"),
    ("several-contexts", "choices that stand in the context, not in the ending"),
    ("repeated-filter", "the log of another filter over a document that already gave an item"),
    // What the parser of formulas finds.
    ("empty", "a formula without text"),
    ("bad-token", "a character that is no token of a formula"),
    ("unbalanced", "parentheses that do not pair"),
    ("missing-operator", "two formulas side by side, or a comma for an operator"),
    ("space-in-name", "a constant of two words"),
    ("trailing", "a whole formula, then something else"),
    ("missing-operand", "an operator, a quantifier or an argument list that lacks a part"),
    ("unexpected-token", "a token that cannot stand where it does"),
    ("ambiguous", "operators in a row that the syntax does not rank"),
    ("too-deep", "a formula that is nested too deeply"),
    ("free-variable", "an unbound name that looks like a variable"),
    ("duplicate-binder", "a variable bound again inside its own scope"),
    ("vacuous-quantifier", "a bound variable that is not used"),
    ("arity-clash", "a predicate with two numbers of arguments"),
    ("case-variant", "predicates that differ in case only"),
    ("non-ascii-name", "a name with a character outside ASCII"),
];
