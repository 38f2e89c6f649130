//! Deep and long formulas: an answer or an error, on a small stack and in little time.

use std::time::{Duration, Instant};

use llscore::logic::{Kind, MAX_DEPTH, Syntax, parse, syntax};

/// Runs on a stack of 2 MiB, as a thread of a pool has.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("starts").join().expect("ends well");
}

/// Formulas that nest `n` deep, in each way that a formula can.
fn nested(n: usize) -> Vec<(&'static str, String, Syntax)> {
    let many = |s: &str| s.repeat(n);
    vec![
        ("¬", many("¬") + "P", Syntax::Folio),
        ("parentheses", format!("{}P{}", many("("), many(")")), Syntax::Folio),
        ("∀x", many("∀x ") + "P(x)", Syntax::Folio),
        ("∀x (… ∧ …)", format!("{}P(x){}", many("∀x (P(x) ∧ "), many(")")), Syntax::Folio),
        ("→ to the right", many("P → ") + "P", Syntax::Folio),
        ("⊕ to the left", many("P ⊕ ") + "P", Syntax::Folio),
        ("↔ to the left", many("P ↔ ") + "P", Syntax::Folio),
        ("f(f(…))", format!("P({}a{})", many("f("), many(")")), Syntax::Folio),
        ("f(f(…)) = a", format!("{}a{} = a", many("f("), many(")")), Syntax::Folio),
        ("unclosed (", many("("), Syntax::Folio),
        ("unclosed P(f(", format!("P({}", many("f(")), Syntax::Folio),
        ("⊕ that is not closed", format!("(({}P) ∧", many("P ⊕ ")), Syntax::Folio),
        ("chains in chains", format!("{}P{}", many("("), many(" ⊕ P ⊕ P)")), Syntax::Folio),
        ("-", many("-") + "P", Syntax::Nltk),
        ("-> to the left", many("P -> ") + "P", Syntax::Nltk),
        ("all x1 x2 ….", format!("all {}.P", (0..n).map(|i| format!(" x{i}")).collect::<String>()), Syntax::Nltk),
        ("all x", many("all x ") + "P(x)", Syntax::Prover9),
        ("P(x1) & P(x2) & …", (0..n).map(|i| format!("P(x{i})")).collect::<Vec<_>>().join(" & "), Syntax::Prover9),
    ]
}

#[test]
fn deep_formulas_are_refused() {
    on_small_stack(|| {
        for n in [1_000, 10_000, 100_000] {
            for (what, text, syntax) in nested(n) {
                let fault = parse(&text, Some(syntax)).err().unwrap_or_else(|| panic!("{n} {what}: read"));
                assert_eq!(fault.kind, Kind::TooDeep, "{n} {what}");
                assert!(fault.column <= text.chars().count() + 1);
            }
        }
    });
}

#[test]
fn formulas_as_deep_as_can_be_are_read_and_written() {
    on_small_stack(|| {
        for (what, text, syntax) in nested(MAX_DEPTH / 2 - 2) {
            if what.contains("closed") || what.contains("chains") {
                continue;
            }
            let f = parse(&text, Some(syntax)).unwrap_or_else(|e| panic!("{what}: {e}")).formula;
            let again = parse(&f.to_string(), Some(Syntax::Folio)).unwrap_or_else(|e| panic!("{what}: {e}")).formula;
            assert_eq!(again, f, "{what}");
            assert!(f.alpha_eq(&again) && f.substitute(&Default::default()) == f);
            assert!(syntax::tptp(&[], Some(&f), true).len() > f.depth());
            assert!(syntax::smtlib(std::slice::from_ref(&f), Some(&f), true).len() > f.depth());
        }
    });
}

#[test]
fn long_formulas_are_read_in_linear_time() {
    let list = |part: &dyn Fn(usize) -> String, sign: &str| {
        let mut text = part(0);
        for i in 1.. {
            if text.len() > 1_000_000 {
                break;
            }
            text += sign;
            text += &part(i);
        }
        text
    };
    let cases = [
        ("∧", list(&|i| format!("P(a{})", i % 9), " ∧ ")),
        ("names", list(&|i| format!("P{i}(a{i}, x)"), " ∨ ")),
        ("arguments", format!("P({})", list(&|i| format!("f(a{})", i % 9), ", "))),
        ("terms", format!("P({}{}{})", "f(".repeat(300), list(&|_| "a".into(), ","), ")".repeat(300))),
        ("quantifiers", list(&|_| "∀x P(x)".into(), " ∧ ")),
        ("scope", format!("{}({})", "∀x ∃y ".repeat(150), list(&|_| "R(x, y)".into(), " ∧ "))),
        ("⊕", list(&|_| "(P ⊕ Q)".into(), " ∧ ")),
        ("cases", list(&|i| (0..17).map(|b| if i >> b & 1 == 0 { 'p' } else { 'P' }).collect(), " ∧ ")),
        ("arities", list(&|i| format!("P(a{})", ",a".repeat(i)), " ∧ ")),
    ];
    for (what, text) in cases {
        let start = Instant::now();
        let parsed = parse(&text, None).unwrap_or_else(|e| panic!("{what}: {e}"));
        let warnings = syntax::theory_warnings(&[&parsed]);
        let printed = parsed.formula.print(Syntax::Folio).expect("prints");
        let taken = start.elapsed();
        assert!(!printed.is_empty() && warnings.len() < 100_000);
        // Some tenths of a second each without optimization; what is quadratic takes minutes.
        assert!(taken < Duration::from_secs(8), "{what}: {taken:?}");
    }
}
