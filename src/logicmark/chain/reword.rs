//! Sentences reworded by equivalences, alike for all copies of the pattern.

use super::words::NOUNS;
use crate::logic::{Formula, Term};
use crate::logicmark::Draw;
use crate::logicmark::english::words::{Domain, Lexicon, Word};
use crate::logicmark::english::{read, rewrite, say::Speaker};

/// Rewrites of one sentence.
const MOST_REWRITES: usize = 3;
/// The longest sentence, in words.
const LONGEST: usize = 22;

pub(super) fn fact(name: &str, noun: &str) -> Formula {
    Formula::pred(noun, vec![Term::constant(name)])
}

pub(super) fn rule(from: &str, to: &str) -> Formula {
    let of = |noun: &str| Formula::pred(noun, vec![Term::var("x")]);
    Formula::ForAll("x".into(), Box::new(Formula::implies(of(from), of(to))))
}

/// The statements, which differ in their names and nouns alone, by the same rewrites and in the same form; and the names
/// of the rewrites.
pub(super) fn alike(draw: &mut Draw, statements: &[Formula]) -> Option<(Vec<String>, Vec<&'static str>)> {
    let words: Vec<Word> = NOUNS.iter().map(|noun| Word::Noun(noun)).collect();
    let lexicon = Lexicon::new(Domain::Things, &words);
    (0..60).find_map(|_| {
        // Every copy is told by the same draws.
        let start = draw.clone();
        let told: Option<Vec<(String, Vec<&'static str>)>> = statements
            .iter()
            .map(|statement| {
                *draw = start.clone();
                reword(draw, &lexicon, statement)
            })
            .collect();
        draw.below(2);
        let told = told?;
        let names = told.first()?.1.clone();
        Some((told.into_iter().map(|(sentence, _)| sentence).collect(), names))
    })
}

fn reword(draw: &mut Draw, lexicon: &Lexicon, statement: &Formula) -> Option<(String, Vec<&'static str>)> {
    let (mut formula, mut names) = (statement.clone(), Vec::new());
    for _ in 0..1 + draw.below(MOST_REWRITES) {
        if let Some((name, new)) = rewrite::once(draw, &formula).filter(|(_, new)| !doubles(new, false)) {
            names.push(name);
            formula = new;
        }
    }
    let sentence = Speaker::new(lexicon, draw).sentence(&formula)?;
    // Of the clumsiest form a few will do.
    if sentence.contains("it holds that") && draw.below(5) > 0 {
        return None;
    }
    let back = read::sentence(sentence.strip_suffix('.')?).ok()?;
    let fits = !formula.alpha_eq(statement) && back.alpha_eq(&formula) && sentence.split(' ').count() <= LONGEST;
    fits.then_some((sentence, names))
}

/// Whether a negation is doubled within a rule: of the short sentences of this task nothing else would be left. A fact can be
/// rewritten in no other way.
fn doubles(formula: &Formula, within: bool) -> bool {
    match formula {
        Formula::Not(inner) => match &**inner {
            Formula::Not(innermost) => within || matches!(**innermost, Formula::Not(_)) || doubles(innermost, within),
            other => doubles(other, within),
        },
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| doubles(part, true)),
        Formula::Implies(a, b) => doubles(a, true) || doubles(b, true),
        Formula::ForAll(_, body) | Formula::Exists(_, body) => doubles(body, true),
        _ => false,
    }
}
