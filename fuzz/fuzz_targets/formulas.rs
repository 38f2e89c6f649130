//! A formula in each syntax; what was read is written, read again and exported.
#![no_main]

use libfuzzer_sys::fuzz_target;
use llscore::logic::{Formula, Syntax, parse, syntax};

fuzz_target!(|text: &str| {
    for syntax in [None, Some(Syntax::Folio), Some(Syntax::Nltk), Some(Syntax::Prover9)] {
        check(text, syntax);
    }
});

fn check(text: &str, syntax: Option<Syntax>) {
    let end = text.chars().count() + 1;
    let read = match parse(text, syntax) {
        Ok(read) => read,
        Err(fault) => return assert!((1..=end).contains(&fault.column), "{fault}"),
    };
    assert!(read.warnings.iter().all(|w| (1..end).contains(&w.column)));
    syntax::theory_warnings(&[&read, &read]);
    let f = read.formula;
    assert!(f.free_vars().is_empty() && f.alpha_eq(&f));
    for other in Syntax::ALL {
        let Ok(written) = f.print(other) else {
            assert!(other != Syntax::Folio, "{f} cannot be written");
            continue;
        };
        let again = parse(&written, Some(other)).expect(&written).formula;
        assert_eq!(again, if other == Syntax::Folio { f.clone() } else { without_xor(&f) });
    }
    let exports = [syntax::tptp(&[f.clone()], Some(&f), true), syntax::smtlib(&[f.clone()], Some(&f), true)];
    assert!(exports[0].is_ascii() && exports.iter().all(|text| !text.is_empty()));
}

fn without_xor(f: &Formula) -> Formula {
    match f {
        Formula::Xor(a, b) => Formula::not(Formula::iff(without_xor(a), without_xor(b))),
        _ => f.map_parts(without_xor),
    }
}
