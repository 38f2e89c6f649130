//! Makes items: a rule, a stretch of its series with one term hidden, the terms in several codes.

mod code;
mod rules;

use serde_json::json;

use super::check;
use crate::item::Item;
use crate::logicmark::{Draw, Slot, Verdict, Wording};
use code::{Code, Writing};
use rules::{Rule, Term};

/// Terms larger than this make no pleasant puzzle.
const LARGEST: i64 = 99_999;

const SETTINGS: [&str; 12] = [
    "Consider this series",
    "The lockers in a long corridor are numbered like this",
    "A page of a puzzle book shows this row",
    "On a wall somebody has chalked this row of numbers",
    "A machine prints these numbers one after the other",
    "In a test of reasoning this row is given",
    "The doors in a strange street bear these numbers",
    "A pupil finds this series in an old exercise book",
    "The steps of a dance are counted in this way",
    "A secret door opens to whoever completes this row",
    "These are the numbers on the cards in a row on the table",
    "A clock that nobody understands has struck like this",
];

const AFTER: [&str; 4] = [
    "One rule makes all the terms.",
    "The row follows a rule from beginning to end.",
    "Every term follows from a rule; two series may take turns.",
    "There is a rule to it.",
];

const QUESTIONS: [&str; 4] = [
    "Which number should replace the question mark?",
    "What belongs in the place of the question mark?",
    "Which term is hidden by the question mark?",
    "What does the question mark stand for?",
];

/// One group.
pub(super) fn draw(draw: &mut Draw, slot: &Slot) -> Option<Vec<Wording>> {
    let rule = Rule::draw(draw, slot.hops);
    let count = match &rule {
        Rule::Interleaved(..) => 2 * (2 + slot.hops as usize / 2) + 2 + draw.below(2),
        _ => slot.hops as usize + 4 + draw.below(2),
    };
    let missing = if draw.below(2) == 0 { count - 1 } else { 2 + draw.below(count - 2) };
    let first = draw.below(30) as i64 - if draw.below(4) == 0 { 15 } else { 0 };
    let numbers: Vec<i64> = rule.run(Term { times: 0, plus: first }, count).iter().map(|term| term.plus).collect();
    // Few small numbers in many places are a puzzle of another kind.
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if numbers.iter().any(|term| term.abs() > LARGEST) || 2 * distinct.len() <= count {
        return None;
    }
    let answer = numbers[missing];
    let shown: Vec<Option<i64>> =
        numbers.iter().enumerate().map(|(at, term)| (at != missing).then_some(*term)).collect();
    if !check::is_unique(&shown, missing, answer, slot.hops) {
        return None;
    }
    let offsets = square(draw, slot.label, &numbers, missing)?;
    let texts: Vec<String> = offsets.iter().map(|(p, q)| (answer + p + q).to_string()).collect();
    let setting = SETTINGS[draw.below(SETTINGS.len())];
    let after = AFTER[draw.below(AFTER.len())];
    let question = QUESTIONS[draw.below(QUESTIONS.len())];
    // Every other group has all its terms in code, the others some.
    let all = slot.index.is_multiple_of(2);
    let coded: Vec<bool> = (0..count).map(|at| at != missing && (all || draw.below(2) == 0)).collect();
    let coded = if coded.contains(&true) { coded } else { (0..count).map(|at| at == 0).collect() };
    let wording = |extra: u32, told: &str, terms: Vec<String>, endings: Vec<String>| {
        let told = if told.is_empty() { String::new() } else { format!("{told} ") };
        Wording {
            extra_hops: extra,
            context: format!("{told}{setting}: {}. {after}", terms.join(", ")),
            question: Some(question.to_string()),
            certificate: json!({ "method": "enumeration", "claim": endings[slot.label], "rule": rule.told() }),
            endings,
        }
    };
    let plain: Vec<String> = shown.iter().map(|term| term.map_or("?".to_string(), |term| term.to_string())).collect();
    let mut wordings = vec![wording(0, "", plain.clone(), texts.clone())];
    let in_code = |code: &Code| {
        let terms = numbers.iter().zip(&plain).zip(&coded);
        let terms =
            terms.map(|((number, plain), coded)| if *coded { code.write(*number) } else { plain.clone() }).collect();
        let count = coded.iter().filter(|coded| **coded).count() as u32;
        wording(code.layers() * count, &code.told(), terms, texts.clone())
    };
    wordings.extend([Writing::Planets, Writing::Sums, Writing::Md5].map(|writing| in_code(&Code::plain(writing))));
    let letter = ['n', 'k', 'm', 't'][draw.below(4)];
    let forms = rule.run(Term { times: 1, plus: 0 }, count);
    let terms: Vec<String> = forms
        .iter()
        .enumerate()
        .map(|(at, form)| if at == missing { "?".to_string() } else { told(*form, letter) })
        .collect();
    let by_letter = terms.iter().filter(|term| term.contains(letter)).count() as u32;
    let endings = offsets.iter().map(|offset| told(mistaken(forms[missing], *offset), letter)).collect();
    wordings.push(wording(by_letter, &format!("Here {letter} stands for any whole number."), terms, endings));
    wordings.push(in_code(&Code::pipeline(draw)));
    proved(slot, &wordings).then_some(wordings)
}

/// `n`, `4n`, `n + 2`, `2n - 6`, `5`.
fn told(form: Term, letter: char) -> String {
    let factor = match form.times {
        0 => return form.plus.to_string(),
        1 => letter.to_string(),
        -1 => format!("-{letter}"),
        times => format!("{times}{letter}"),
    };
    match form.plus {
        0 => factor,
        plus if plus > 0 => format!("{factor} + {plus}"),
        plus => format!("{factor} - {}", -plus),
    }
}

/// The same mistakes as with numbers: in the summand; in the factor where there is no summand.
fn mistaken(right: Term, (p, q): (i64, i64)) -> Term {
    if right.plus == 0 && right.times.abs() > 1 {
        Term { times: right.times + p.signum() + 2 * q.signum(), ..right }
    } else {
        Term { plus: right.plus + p + q, ..right }
    }
}

/// How far the endings lie from the answer: by one mistake, by another, by both, in the order in which they stand. The
/// answer is any corner of the square.
fn square(draw: &mut Draw, label: usize, numbers: &[i64], missing: usize) -> Option<Vec<(i64, i64)>> {
    let answer = numbers[missing];
    let step = numbers[missing] - numbers[missing - 1];
    // Off by one, by a slip in a digit, by a step taken for another.
    let before = numbers[missing - 1] - numbers[missing - 2];
    let slips = [1, 2, 3, 5, 10, step - before, step, before, 2, 1];
    let slip = |draw: &mut Draw| slips[draw.below(slips.len())].abs();
    let (p, q) = (slip(draw), slip(draw));
    let sign = |draw: &mut Draw| if draw.below(2) == 0 { 1 } else { -1 };
    let (p, q) = (p * sign(draw), q * sign(draw));
    if p == 0 || q == 0 || p.abs() == q.abs() {
        return None;
    }
    let mut wrong = vec![(p, 0), (0, q), (p, q)];
    draw.shuffle(&mut wrong);
    wrong.insert(label, (0, 0));
    // Alike in sign and length, so that neither gives the answer away.
    let looks = |n: i64| (n < 0, n.unsigned_abs().checked_ilog10());
    let alike = wrong.iter().all(|(p, q)| looks(answer + p + q) == looks(answer) && (answer + p + q).abs() <= LARGEST);
    alike.then_some(wrong)
}

/// Whether the finished items are proved by the checker, which has been told nothing but their text.
fn proved(slot: &Slot, wordings: &[Wording]) -> bool {
    const VARIANTS: [&str; 6] = ["base", "planet", "ascii", "md5", "symbolic", "pipeline"];
    VARIANTS.iter().zip(wordings).all(|(variant, wording)| {
        let item = Item {
            id: String::new(),
            task: "series".to_string(),
            group: String::new(),
            variant: (*variant).to_string(),
            hops: slot.hops,
            extra_hops: wording.extra_hops,
            context: wording.context.clone(),
            question: wording.question.clone(),
            endings: wording.endings.clone(),
            label: slot.label,
            certificate: None,
            meta: None,
        };
        check::check(&item) == Verdict::Proved
    })
}
