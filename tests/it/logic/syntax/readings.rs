//! How formulas are read: precedence, associativity, the choice of a syntax, and NLTK's own readings.

use llscore::logic::{Formula, Syntax, Term, parse};

use crate::logic::support::fixture;

/// The formula with all parentheses, operator first; lists of ∧ and ∨ nest to the left.
fn prefix(f: &Formula) -> String {
    fn term(t: &Term) -> String {
        match t {
            Term::Var(x) => x.to_string(),
            Term::App(f, args) => applied(f, args),
        }
    }
    fn applied(name: &str, args: &[Term]) -> String {
        let args: Vec<String> = args.iter().map(term).collect();
        if args.is_empty() { name.to_string() } else { format!("({name} {})", args.join(" ")) }
    }
    let list = |word: &str, parts: &[Formula]| {
        parts.iter().map(prefix).reduce(|left, right| format!("({word} {left} {right})")).expect("parts")
    };
    match f {
        Formula::True => "true".into(),
        Formula::False => "false".into(),
        Formula::Pred(p, args) => applied(p, args),
        Formula::Eq(s, t) => format!("(equal {} {})", term(s), term(t)),
        Formula::Not(inner) => format!("(not {})", prefix(inner)),
        Formula::And(parts) => list("and", parts),
        Formula::Or(parts) => list("or", parts),
        Formula::Xor(a, b) => format!("(xor {} {})", prefix(a), prefix(b)),
        Formula::Implies(a, b) => format!("(implies {} {})", prefix(a), prefix(b)),
        Formula::Iff(a, b) => format!("(iff {} {})", prefix(a), prefix(b)),
        Formula::ForAll(x, body) => format!("(all {x} {})", prefix(body)),
        Formula::Exists(x, body) => format!("(exists {x} {})", prefix(body)),
    }
}

fn read(text: &str, syntax: Option<Syntax>) -> String {
    prefix(&parse(text, syntax).unwrap_or_else(|e| panic!("{text}: {e}")).formula)
}

#[test]
fn nltk_formulas_are_read_as_nltk_reads_them() {
    let mut compared = 0;
    for line in fixture("nltk.jsonl").lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("json");
        let text = row["formula"].as_str().expect("text");
        match row["reading"].as_str() {
            Some(reading) => assert_eq!(read(text, Some(Syntax::Nltk)), reading, "{text}"),
            None => assert!(parse(text, Some(Syntax::Nltk)).is_err(), "{text}"),
        }
        compared += 1;
    }
    assert!(compared >= 90);
}

#[test]
fn folio_binds_not_and_or_xor_implies_iff() {
    for (text, reading) in [
        // A comma binds a second variable, and the scope stays the next unary formula.
        ("¬∃x, y (P(x) ∧ Q(y)) ∧ R(y)", "(and (not (exists x (exists y (and (P x) (Q y))))) (R y))"),
        ("∀x, y1, z P(x, y1, z)", "(all x (all y1 (all z (P x y1 z))))"),
        ("A ∨ B ∧ C ⊕ D → E ↔ F", "(iff (implies (xor (or A (and B C)) D) E) F)"),
        ("A ↔ B → C ⊕ D ∨ E ∧ ¬F", "(iff A (implies B (xor C (or D (and E (not F))))))"),
        ("A → B → C", "(implies A (implies B C))"),
        ("A ↔ B ↔ C", "(iff (iff A B) C)"),
        ("A ⊕ B ⊕ C", "(xor (xor A B) C)"),
        ("¬A ∧ B", "(and (not A) B)"),
        ("¬¬a = b", "(not (not (equal a b)))"),
        ("a ≠ b ∧ C", "(and (not (equal a b)) C)"),
        ("∀x P(x) → Q(x)", "(implies (all x (P x)) (Q x))"),
        ("∀x ¬∃y R(x, y) ∧ A", "(and (all x (not (exists y (R x y)))) A)"),
        ("∀x x = a ∨ A", "(or (all x (equal x a)) A)"),
        ("∃x∃y(R(x,y)∧f(x)=g(y,a))", "(exists x (exists y (and (R x y) (equal (f x) (g y a)))))"),
        ("⊤ → ⊥", "(implies true false)"),
        ("  A\t∧ B\n", "(and A B)"),
    ] {
        assert_eq!(read(text, Some(Syntax::Folio)), reading, "{text}");
        assert_eq!(read(text, None), reading, "{text}");
    }
    let nested = parse("(A ∧ B) ∧ C", None).expect("reads").formula;
    assert_ne!(nested, parse("A ∧ B ∧ C", None).expect("reads").formula);
}

#[test]
fn prover9_ranks_no_two_arrows_and_takes_free_u_to_z_for_variables() {
    for (text, reading) in [
        ("all x (P(x) -> Q(x)).", "(all x (implies (P x) (Q x)))"),
        ("all x P(x) & Q(a)", "(and (all x (P x)) (Q a))"),
        ("all x exists y R(x,y)", "(all x (exists y (R x y)))"),
        ("A <- B & C", "(implies (and B C) A)"),
        ("A | B & C -> D", "(implies (or A (and B C)) D)"),
        ("P(x) -> Q(y,x)", "(all x (all y (implies (P x) (Q y x))))"),
        ("P(t) & Q(a1)", "(and (P t) (Q a1))"),
        ("a != b & $T", "(and (not (equal a b)) true)"),
        ("(A -> B) -> C", "(implies (implies A B) C)"),
    ] {
        assert_eq!(read(text, Some(Syntax::Prover9)), reading, "{text}");
    }
}

#[test]
fn a_formulas_symbols_show_its_syntax() {
    for (text, syntax) in [
        ("P(a)", Syntax::Folio),
        ("P(well-being)", Syntax::Folio),
        ("some(a)", Syntax::Folio),
        ("all(exists)", Syntax::Folio),
        ("¬P(a)", Syntax::Folio),
        ("-P(a)", Syntax::Nltk),
        ("P(a) & Q(a)", Syntax::Nltk),
        ("a != b", Syntax::Nltk),
        ("all x.P(x)", Syntax::Nltk),
        ("all x. (P(x) -> Q(x))", Syntax::Nltk),
        ("all x y.R(x,y)", Syntax::Nltk),
        ("-exists x.P(x)", Syntax::Nltk),
        ("all x P(x)", Syntax::Prover9),
        ("all x (P(x) -> Q(x))", Syntax::Prover9),
        ("exists x all y R(x,y)", Syntax::Prover9),
        ("-(all x P(x))", Syntax::Prover9),
    ] {
        assert_eq!(parse(text, None).map(|p| p.syntax), Ok(syntax), "{text}");
    }
}

#[test]
fn a_free_x_is_a_constant_but_for_prover9() {
    let formula = parse("P(x)", Some(Syntax::Folio)).expect("reads").formula;
    assert_eq!(formula, Formula::pred("P", vec![Term::constant("x")]));
    let formula = parse("∀x P(x) → Q(x)", None).expect("reads").formula;
    assert!(formula.free_vars().is_empty());
}

#[test]
fn what_a_syntax_cannot_say_is_not_written() {
    let c = |name: &str| Formula::pred("P", vec![Term::constant(name)]);
    for (f, syntaxes) in [
        (c("a"), &Syntax::ALL[..]),
        (c("x"), &[Syntax::Folio, Syntax::Nltk]),
        (c("well-being"), &[Syntax::Folio]),
        (c("a b"), &[]),
        (c(""), &[]),
        (c("and"), &[Syntax::Folio, Syntax::Prover9]),
        (c("all"), &[Syntax::Folio]),
        (Formula::True, &[Syntax::Folio, Syntax::Prover9]),
        (Formula::for_all("x", c("x")), &[]),
        (Formula::for_all("x", Formula::pred("x", Vec::new())), &[]),
        (Formula::pred("P", vec![Term::var("x")]), &[]),
        (
            Formula::for_all(
                "y",
                Formula::pred("P", vec![Term::var("y"), Term::App("y".into(), vec![Term::constant("a")])]),
            ),
            &Syntax::ALL[..],
        ),
    ] {
        let able: Vec<Syntax> = Syntax::ALL.into_iter().filter(|&s| f.print(s).is_ok()).collect();
        assert_eq!(able, syntaxes, "{f}");
    }
}
