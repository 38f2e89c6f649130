//! The exports: what is written, by hand for TPTP's grammar and SMT-LIB's.

use llscore::logic::syntax::{smtlib, tptp};
use llscore::logic::{Formula, Term, parse};

fn read(texts: &[&str]) -> Vec<Formula> {
    texts.iter().map(|text| parse(text, None).expect(text).formula).collect()
}

fn tptp_of(text: &str) -> String {
    let line = tptp(&read(&[text]), None, false);
    let line = line.lines().last().expect("a line").to_string();
    line.strip_prefix("fof(premise_1, axiom, ").and_then(|l| l.strip_suffix(").")).expect("a statement").to_string()
}

fn smtlib_of(text: &str) -> String {
    let script = smtlib(&read(&[text]), None, false);
    let line = script.lines().rev().nth(1).expect("an assertion").to_string();
    line.strip_prefix("(assert ").and_then(|l| l.strip_suffix(')')).expect("an assertion").to_string()
}

#[test]
fn tptp_has_parentheses_around_every_operator() {
    for (text, expected) in [
        ("p", "p"),
        ("p ∧ q ∧ r", "(p & q & r)"),
        ("(p ∧ q) ∧ r", "((p & q) & r)"),
        ("p ∨ q ∧ r", "(p | (q & r))"),
        ("p ⊕ q ⊕ r", "((p <~> q) <~> r)"),
        ("p → q → r", "(p => (q => r))"),
        ("p ↔ ¬q", "(p <=> ~q)"),
        ("¬(p ∧ ¬¬q)", "~(p & ~~q)"),
        ("⊤ → ⊥", "($true => $false)"),
        ("a = b", "(a = b)"),
        ("¬a = b", "(a != b)"),
        ("¬¬a = b", "~(a != b)"),
        ("∀x (p(x) → ∃y r(x, f(y, a)))", "![X]: (p(X) => ?[Y]: r(X,f(Y,a)))"),
        ("∀x p(x) ∧ q", "(![X]: p(X) & q)"),
        ("¬∀x x = a", "~![X]: (X = a)"),
    ] {
        assert_eq!(tptp_of(text), expected, "{text}");
    }
}

#[test]
fn tptp_quotes_what_is_no_lower_case_word() {
    for (text, expected) in [
        ("Happy(bob)", "'Happy'(bob)"),
        ("likes(Bob, c_1)", "likes('Bob',c_1)"),
        ("p(2023)", "p('2023')"),
        ("p(_a)", "p('_a')"),
        ("p(well-being)", "p('well-being')"),
        ("p(o'brien)", "p('o\\'brien')"),
        ("p(naïve)", "p(na_uefve)"),
        ("p(naïve, na_uefve)", "p(na_uefve_f0_1,na_uefve)"),
        ("東(a)", "'_u6771'(a)"),
    ] {
        assert_eq!(tptp_of(text), expected, "{text}");
    }
    let odd = Formula::pred("a \\ 'b'\n", vec![Term::constant("")]);
    let text = tptp(&[odd], None, false);
    assert_eq!(text.lines().last(), Some(r"fof(premise_1, axiom, 'a \\ \'b\'_ua'('_f0'))."));
    assert!(text.is_ascii());
}

#[test]
fn variables_are_words_of_their_own() {
    for (text, expected) in [
        ("∀x p(x) ∧ ∃x q(x)", "(![X]: p(X) & ?[X2]: q(X2))"),
        ("∀x (p(x) ∧ ∃x q(x))", "![X]: (p(X) & ?[X2]: q(X2))"),
        ("∀x ∀X r(x, X)", "![X]: ![X2]: r(X,X2)"),
        ("∀x ∀x2 ∀x r(x, x2)", "![X]: ![X2]: ![X3]: r(X3,X2)"),
        ("∀é ∀東 ∀é’ ∀_ ∀1 s(é, 東, é’, _, 1)", "![V]: ![V2]: ![V3]: ![V_]: ![V1]: s(V,V2,V3,V_,V1)"),
        ("∀a'b p(a'b)", "![Ab]: p(Ab)"),
    ] {
        assert_eq!(tptp_of(text), expected, "{text}");
    }
    for (text, expected) in [
        ("∀x p(x) ∧ ∃x q(x)", "(and (forall ((x U)) (p x)) (exists ((x2 U)) (q x2)))"),
        // A constant of a variable's name outside its scope.
        ("p(x) ∧ ∀x p(x)", "(and (p x) (forall ((x2 U)) (p x2)))"),
        ("∀and p(and)", "(forall ((and2 U)) (p and2))"),
        ("∀é ∀x’ r(é, x’)", "(forall ((|é| U)) (forall ((|x’| U)) (r |é| |x’|)))"),
    ] {
        assert_eq!(smtlib_of(text), expected, "{text}");
    }
}

#[test]
fn a_symbol_has_one_role_and_one_number_of_arguments() {
    let theory = read(&["P(a) ∧ P(a, b)", "P ∨ Q(P, f(P), f(a, b))", "P(P_p0)"]);
    assert_eq!(
        tptp(&theory, None, false),
        "\
% 'P_p2' stands for the predicate \"P\" of 2 argument(s)
% 'P_p0_1' stands for the predicate \"P\" of 0 argument(s)
% 'P_f0' stands for the function \"P\" of 0 argument(s)
% f_f2 stands for the function \"f\" of 2 argument(s)
fof(premise_1, axiom, ('P'(a) & 'P_p2'(a,b))).
fof(premise_2, axiom, ('P_p0_1' | 'Q'('P_f0',f('P_f0'),f_f2(a,b)))).
fof(premise_3, axiom, 'P'('P_p0')).
"
    );
}

#[test]
fn smtlib_is_a_whole_script() {
    let theory = read(&["∀x (Happy(x) ⊕ ∃y likes(x, f(y)))", "p ↔ a ≠ o'brien", "and(select)"]);
    let conclusion = &read(&["Happy(a) ∨ ⊥"])[0];
    assert_eq!(
        smtlib(&theory, Some(conclusion), true),
        "\
; and_p1 stands for the predicate \"and\" of 1 argument(s)
; select_f0 stands for the function \"select\" of 0 argument(s)
(set-logic UF)
(declare-sort U 0)
(declare-fun Happy (U) Bool)
(declare-fun likes (U U) Bool)
(declare-fun f (U) U)
(declare-fun p () Bool)
(declare-fun a () U)
(declare-fun |o'brien| () U)
(declare-fun and_p1 (U) Bool)
(declare-fun select_f0 () U)
(assert (distinct a |o'brien| select_f0))
(assert (forall ((x U)) (xor (Happy x) (exists ((y U)) (likes x (f y))))))
(assert (= p (not (= a |o'brien|))))
(assert (and_p1 select_f0))
(assert (not (or (Happy a) false)))
(check-sat)
"
    );
}

#[test]
fn unique_names_are_said_where_there_are_two() {
    let theory = read(&["r(a, b, c)"]);
    assert!(tptp(&theory, None, true).contains("fof(unique_names, axiom, (a != b & a != c & b != c)).\n"));
    assert!(smtlib(&theory, None, true).contains("(assert (distinct a b c))\n"));
    let theory = read(&["r(a)"]);
    assert!(!tptp(&theory, None, true).contains("unique") && !smtlib(&theory, None, true).contains("distinct"));
    let conclusion = &read(&["¬r(b)"])[0];
    assert!(tptp(&theory, Some(conclusion), true).ends_with("fof(conclusion, conjecture, ~r(b)).\n"));
    assert!(tptp(&theory, Some(conclusion), true).contains("(a != b)"));
}

#[test]
fn lists_built_by_hand_and_free_variables_are_written_too() {
    let open = Formula::pred("p", vec![Term::var("x")]);
    let all = [
        Formula::And(Vec::new()),
        Formula::Or(Vec::new()),
        Formula::And(vec![open.clone()]),
        Formula::Or(vec![Formula::not(open)]),
    ];
    let text = tptp(&all, None, false);
    let lines: Vec<&str> = text.lines().map(|l| &l["fof(premise_1, axiom, ".len()..]).collect();
    assert_eq!(lines, ["$true).", "$false).", "![X]: (p(X))).", "![X]: (~p(X)))."]);
    let text = smtlib(&all, None, false);
    assert!(text.contains("(assert true)\n(assert false)\n(assert (forall ((x U)) (p x)))"), "{text}");
}
