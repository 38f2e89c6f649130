//! Makes items: one of four kinds of question, dealt in turn, each told in five ways.

mod answer;
mod facing;
mod meet;
mod people;
mod place;
mod segments;
mod style;
mod walk;
mod words;

use serde_json::json;

use crate::logicmark::{Draw, Slot, Wording};
use style::{STYLES, Style};

/// What a kind of question makes of one style.
struct Told {
    context: String,
    /// Steps that the style adds on the asked stretch.
    extra: u32,
}

/// A group before its styles: what is asked, and what the answers are.
struct Question {
    text: String,
    /// The right answer first.
    answers: [String; 4],
}

/// One group.
pub(super) fn draw(draw: &mut Draw, slot: &Slot) -> Option<Vec<Wording>> {
    // Blocks of four groups, which have all label positions, are of one kind.
    let (question, told) = match slot.index / 4 % 4 {
        0 => place::group(draw, slot.hops as usize)?,
        1 => facing::group(draw, slot.hops as usize)?,
        2 => people::group(draw, slot.hops as usize)?,
        _ => meet::group(draw, slot.hops as usize)?,
    };
    let [right, wrong @ ..] = question.answers;
    let mut endings = wrong.to_vec();
    draw.shuffle(&mut endings);
    endings.insert(slot.label, right.clone());
    let wording = |told: Told| Wording {
        extra_hops: told.extra,
        context: told.context,
        question: Some(question.text.clone()),
        endings: endings.clone(),
        certificate: json!({ "method": "simulation", "claim": right }),
    };
    Some(told.into_iter().map(wording).collect())
}

/// One telling for each style.
fn each(mut tell: impl FnMut(Style) -> Told) -> Vec<Told> {
    STYLES.iter().map(|style| tell(*style)).collect()
}

/// Whether four answers are different.
fn all_differ(answers: &[String; 4]) -> bool {
    (0..4).all(|a| (0..a).all(|b| answers[a] != answers[b]))
}

/// What is said of directions between two, where an answer has one.
fn convention(answers: &[String; 4]) -> &'static str {
    if answers.iter().any(|answer| answer::is_between(answer)) {
        " (North-east means anywhere between north and east, and so on.)"
    } else {
        ""
    }
}
