//! Laws of reading and writing over random formulas and random text.

use llscore::logic::{Formula, Syntax, parse};
use proptest::prelude::*;

use crate::logic::strategy::{Names, closed};

/// The formula with φ ⊕ ψ written ¬(φ ↔ ψ), as syntaxes without ⊕ have it.
fn without_xor(f: &Formula) -> Formula {
    match f {
        Formula::Xor(a, b) => Formula::not(Formula::iff(without_xor(a), without_xor(b))),
        _ => f.map_parts(without_xor),
    }
}

fn without_constants(f: &Formula) -> Formula {
    match f {
        Formula::True => Formula::pred("T", Vec::new()),
        Formula::False => Formula::pred("F", Vec::new()),
        _ => f.map_parts(without_constants),
    }
}

/// What holds of any text in any syntax: no panic, and faults and warnings inside the text.
fn holds(text: &str) {
    let end = text.chars().count() + 1;
    for syntax in [None, Some(Syntax::Folio), Some(Syntax::Nltk), Some(Syntax::Prover9)] {
        match parse(text, syntax) {
            Err(fault) => assert!((1..=end).contains(&fault.column), "{text:?} {fault}"),
            Ok(parsed) => {
                let columns: Vec<usize> = parsed.warnings.iter().map(|w| w.column).collect();
                assert!(columns.iter().all(|c| (1..end).contains(c)) && columns.is_sorted(), "{text:?} {columns:?}");
                let chars: Vec<char> = text.chars().collect();
                for symbol in &parsed.occurrences {
                    let name: Vec<char> = symbol.name.chars().collect();
                    assert!(chars[symbol.column - 1..].starts_with(&name), "{text:?} {symbol:?}");
                }
                let again = parse(&parsed.formula.to_string(), Some(Syntax::Folio)).expect("prints what it read");
                assert_eq!(again.formula, parsed.formula, "{text:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn folio_reads_what_it_writes(f in closed(Names::Any)) {
        let text = f.to_string();
        let read = parse(&text, Some(Syntax::Folio)).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(&read.formula, &f, "{}", text);
        prop_assert_eq!(f.print(Syntax::Folio).expect("prints"), text);
    }

    #[test]
    fn prover9_reads_what_it_writes(f in closed(Names::Ascii)) {
        let text = f.print(Syntax::Prover9).map_err(|e| TestCaseError::fail(format!("{f}: {e}")))?;
        let read = parse(&text, Some(Syntax::Prover9)).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(&read.formula, &without_xor(&f), "{}", text);
    }

    #[test]
    fn nltk_reads_what_it_writes(f in closed(Names::Ascii)) {
        let f = without_constants(&f);
        let text = f.print(Syntax::Nltk).map_err(|e| TestCaseError::fail(format!("{f}: {e}")))?;
        let read = parse(&text, Some(Syntax::Nltk)).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(&read.formula, &without_xor(&f), "{}", text);
    }

    /// What a syntax cannot say it refuses: whatever it writes it also reads.
    #[test]
    fn no_syntax_writes_what_it_reads_otherwise(f in closed(Names::Any)) {
        for syntax in Syntax::ALL {
            if let Ok(text) = f.print(syntax) {
                let read = parse(&text, Some(syntax)).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
                let f = if syntax == Syntax::Folio { f.clone() } else { without_xor(&f) };
                prop_assert_eq!(read.formula, f, "{}", text);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,40}") {
        holds(&text);
    }

    #[test]
    fn any_row_of_tokens_is_read_or_refused(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "(", ")", ",", ".", "∀", "∃", "x", "y", "P", "P(x)", "a", "∧", "∨", "⊕", "→", "↔", "¬", "=", "≠", "⊤", "⊥",
            "all ", "exists ", "&", "|", "->", "<->", "<-", "-", "!", "!=", "$T", "^", " ", "é", "’", "'", "\t", "\u{301}",
        ]), 0..24),
    ) {
        holds(&tokens.concat());
    }

    #[test]
    fn a_damaged_formula_is_read_or_refused(
        f in closed(Names::Any),
        syntax in 0..3_usize,
        damage in prop::collection::vec((0..3_u8, any::<prop::sample::Index>(), any::<char>()), 1..4),
    ) {
        let text = f.print(Syntax::ALL[syntax]).unwrap_or_else(|_| f.to_string());
        let mut chars: Vec<char> = text.chars().collect();
        for (what, at, new) in damage {
            let at = at.index(chars.len().max(1));
            match what {
                _ if chars.is_empty() => chars.push(new),
                0 => { chars.remove(at); }
                1 => chars.insert(at, new),
                _ => { let last = chars.len() - 1; chars.swap(at, last / 2); }
            }
        }
        holds(&chars.into_iter().collect::<String>());
    }
}
