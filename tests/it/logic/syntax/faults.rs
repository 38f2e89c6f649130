//! What is refused or warned of, with the kind and the exact column.

use llscore::logic::syntax::theory_warnings;
use llscore::logic::{Kind, Syntax, parse};

fn check(syntax: Option<Syntax>, cases: &[(&str, Kind, usize)]) {
    for &(text, kind, column) in cases {
        match parse(text, syntax) {
            Ok(parsed) => panic!("{text}: read as {}", parsed.formula),
            Err(fault) => assert_eq!((fault.kind, fault.column), (kind, column), "{text}: {fault}"),
        }
    }
}

#[test]
fn malformed_formulas_are_refused_where_the_fault_is() {
    let cases = [
        ("", Kind::Empty, 1),
        (" \t ", Kind::Empty, 1),
        // Parentheses: the one that is not closed, or the one too many.
        ("P(a", Kind::Unbalanced, 2),
        ("(P(a)", Kind::Unbalanced, 1),
        ("(P(a) ∧ Q(b)", Kind::Unbalanced, 1),
        ("∀x (P(x) → (Q(x) ∧ R(x))", Kind::Unbalanced, 4),
        ("P(a)∧(Q(b)", Kind::Unbalanced, 6),
        ("P(a → Q(b)", Kind::Unbalanced, 2),
        ("P(a))", Kind::Unbalanced, 5),
        ("P(a)) ∧ Q(b)", Kind::Unbalanced, 5),
        ("(P(a))∧Q(b))", Kind::Unbalanced, 12),
        // Characters that are no token, and dots and signs inside names.
        ("P(mr.smith)", Kind::BadToken, 5),
        ("P(mr.smith) ∧ Q(a)", Kind::BadToken, 5),
        ("P(c++)", Kind::BadToken, 4),
        ("P(a+)", Kind::BadToken, 4),
        ("P(a) ^ Q(a)", Kind::BadToken, 6),
        ("P(a) ⟷ Q(a)", Kind::BadToken, 6),
        ("P(a) ⇔ Q(a)", Kind::BadToken, 6),
        ("∀x (P(x) & Q(x))", Kind::BadToken, 10),
        ("∀x P(x) -> ⊤", Kind::BadToken, 9),
        ("~P(a)", Kind::BadToken, 1),
        ("P(’a)", Kind::BadToken, 3),
        ("P(a;b)", Kind::BadToken, 4),
        ("“P(a)”", Kind::BadToken, 1),
        ("P(a).Q(b)", Kind::BadToken, 5),
        // Operators that are missing.
        ("P(a) Q(b)", Kind::MissingOperator, 6),
        ("Country(x) Nearby(a, x)", Kind::MissingOperator, 12),
        ("P(a), Q(b)", Kind::MissingOperator, 5),
        ("∀x (P(x), Q(x))", Kind::MissingOperator, 9),
        ("(P(a)) (Q(b))", Kind::MissingOperator, 8),
        ("P(a) ∧ (Q(a)) R", Kind::MissingOperator, 15),
        // Names of two words: the space.
        ("P(captain america)", Kind::SpaceInName, 10),
        ("P(a, captain america)", Kind::SpaceInName, 13),
        ("P(a b c)", Kind::SpaceInName, 4),
        ("Happy bob(a)", Kind::SpaceInName, 6),
        ("∀x y P(x, y)", Kind::SpaceInName, 5),
        ("P(a).", Kind::Trailing, 5),
        ("P(a),", Kind::Trailing, 5),
        ("P(a) ∧ Q(b) ..", Kind::Trailing, 13),
        // Parts that are missing: the operator without one, or the place where it should be.
        ("P(a) ∧", Kind::MissingOperand, 6),
        ("P(a) →  ", Kind::MissingOperand, 6),
        ("P(a) ∧ ∧ Q(a)", Kind::MissingOperand, 8),
        ("∧ P(a)", Kind::MissingOperand, 1),
        ("¬", Kind::MissingOperand, 1),
        ("P ∧ ¬", Kind::MissingOperand, 5),
        ("∀", Kind::MissingOperand, 1),
        ("∀x", Kind::MissingOperand, 1),
        ("∀ (P(x))", Kind::MissingOperand, 1),
        ("P()", Kind::MissingOperand, 3),
        ("()", Kind::MissingOperand, 1),
        ("P(a,)", Kind::MissingOperand, 5),
        ("P(,a)", Kind::MissingOperand, 3),
        ("P(⊤)", Kind::MissingOperand, 3),
        ("P(x) ∧ a =", Kind::MissingOperand, 10),
        ("∀x x", Kind::UnexpectedToken, 4),
        ("∀x (x ∧ P(x))", Kind::UnexpectedToken, 5),
        ("P(a∧b)", Kind::UnexpectedToken, 4),
    ];
    check(None, &cases);
    check(Some(Syntax::Folio), &cases);
    // Columns are characters, not bytes.
    check(None, &[("Café(é) ∧ Naïve(ü", Kind::Unbalanced, 16)]);
}

#[test]
fn no_formula_mixes_syntaxes_and_none_is_rescued() {
    check(
        None,
        &[
            ("all x (P(x) → Q(x))", Kind::SpaceInName, 4),
            ("all x.(P(x) → Q(x))", Kind::SpaceInName, 4),
            ("∀x.(P(x) → Q(x))", Kind::BadToken, 3),
            ("∀x (P(x) -> Q(x))", Kind::BadToken, 10),
            ("all x.(P(x) -> mr.smith(x))", Kind::BadToken, 18),
            ("all x.P(mr.smith)", Kind::BadToken, 11),
            ("all x.P(x) ^ Q(x)", Kind::BadToken, 12),
            ("P ^ Q", Kind::BadToken, 3),
            ("P & Q ^ R", Kind::BadToken, 7),
            ("P(c++) & Q", Kind::BadToken, 4),
            ("all x (P(x) -> exists y.Q(y))", Kind::BadToken, 24),
            ("all x.(P(x) -> exists y Q(y))", Kind::UnexpectedToken, 26),
            ("not P(a)", Kind::SpaceInName, 4),
            ("P(a) && Q(b)", Kind::MissingOperand, 7),
        ],
    );
    assert!(parse("P ^ Q", Some(Syntax::Nltk)).is_ok());
    check(
        Some(Syntax::Nltk),
        &[
            ("all x P(x)", Kind::UnexpectedToken, 8),
            ("P(mr.smith)", Kind::BadToken, 5),
            ("P <- Q", Kind::BadToken, 3),
            ("$T", Kind::BadToken, 1),
            ("-a = b", Kind::Ambiguous, 1),
            ("P & -a != b", Kind::Ambiguous, 5),
            ("P(well-being)", Kind::UnexpectedToken, 7),
        ],
    );
    check(
        Some(Syntax::Prover9),
        &[
            ("all x.P(x)", Kind::BadToken, 6),
            ("P -> Q -> R", Kind::Ambiguous, 8),
            ("P -> Q <-> R", Kind::Ambiguous, 8),
            ("P <- Q <- R", Kind::Ambiguous, 8),
            ("-a = b", Kind::Ambiguous, 1),
            ("P ^ Q", Kind::BadToken, 3),
            ("all x y P(x,y)", Kind::SpaceInName, 8),
            ("P. Q.", Kind::BadToken, 2),
            ("P(x) & x", Kind::UnexpectedToken, 8),
            ("-x & P(x)", Kind::UnexpectedToken, 2),
        ],
    );
}

#[test]
fn doubtful_formulas_are_warned_of() {
    let cases: [(&str, &[(Kind, usize)]); 14] = [
        ("∀x (P(x) → Q(x))", &[]),
        ("P(alice)", &[]),
        ("P(x12)", &[]),
        ("∀x P(x) → Q(x)", &[(Kind::FreeVariable, 13)]),
        ("∀x P(x) → Q(x) ∧ R(x)", &[(Kind::FreeVariable, 13)]),
        ("P(x) ∧ Q(y1)", &[(Kind::FreeVariable, 3), (Kind::FreeVariable, 10)]),
        ("∃b P(b) ∧ Q(b)", &[(Kind::FreeVariable, 13)]),
        ("Q(b) ∧ ∃b P(b)", &[(Kind::FreeVariable, 3)]),
        ("∀x ∃x P(x)", &[(Kind::VacuousQuantifier, 2), (Kind::DuplicateBinder, 5)]),
        ("∀x (P(x) ∧ ∃x Q(x))", &[(Kind::DuplicateBinder, 13)]),
        ("∀x P(x) ∧ ∃x Q(x)", &[]),
        ("∀x P(a)", &[(Kind::VacuousQuantifier, 2)]),
        ("∀x ∀y R(f(x), x)", &[(Kind::VacuousQuantifier, 5)]),
        ("P(naïve) ∧ Q(naïve)", &[(Kind::NonAsciiName, 3)]),
    ];
    for (text, expected) in cases {
        let warnings = parse(text, None).expect(text).warnings;
        let found: Vec<_> = warnings.iter().map(|w| (w.kind, w.column)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn the_rarer_form_in_a_theory_is_warned_of() {
    type Warning = (usize, Kind, usize);
    let cases: [(&[&str], &[Warning]); 6] = [
        (&["P(a) ∧ P(b)", "P(a)"], &[]),
        (&["P(a)", "P(b)", "Q ∧ P(a, b)"], &[(2, Kind::ArityClash, 5)]),
        (&["P(a)", "P(a, b)"], &[(0, Kind::ArityClash, 1), (1, Kind::ArityClash, 1)]),
        (&["A(f(a)) ∧ A(f(b))", "A(f(a, b))", "A(f(a))"], &[(1, Kind::ArityClash, 3)]),
        (&["Happy(a)", "Happy(b)", "∀x happy(x)"], &[(2, Kind::CaseVariant, 4)]),
        // A predicate and a function may share a name.
        (&["P(p)", "p(p(a)) = a"], &[]),
    ];
    for (texts, expected) in cases {
        let parsed: Vec<_> = texts.iter().map(|text| parse(text, None).expect(text)).collect();
        let warnings = theory_warnings(&parsed.iter().collect::<Vec<_>>());
        let found: Vec<_> = warnings.iter().map(|(i, w)| (*i, w.kind, w.column)).collect();
        assert_eq!(found, expected, "{texts:?}");
    }
}
