//! Makes groups: a family, what is told of it, four pairs of people, and the three wordings.

mod chains;
mod family;
mod names;
mod pictures;
mod tell;
mod tree;
mod words;

use serde_json::json;

use super::check;
use crate::item::Item;
use crate::logicmark::{Draw, Slot, Verdict, Wording};

/// A puzzle of which four questions can be asked, in its three wordings.
struct Square {
    /// The endings, in the order of `asked`.
    endings: [&'static str; 4],
    /// The three contexts.
    contexts: [String; 3],
    /// For each ending, the question to which it is the answer.
    questions: [String; 4],
    /// For each wording and each ending, what the wording adds on the way.
    extra: [[u32; 4]; 3],
    /// For each ending, the numbers of the sentences that it follows from, the same in all wordings.
    proofs: [Vec<usize>; 4],
}

/// One group.
pub(super) fn draw(draw: &mut Draw, slot: &Slot) -> Option<Vec<Wording>> {
    // Four groups in a row share a square, and each asks for another corner of it.
    let block = (slot.index / 4) as usize;
    let corner = (slot.index % 4) as usize;
    let mixed = block.is_multiple_of(2);
    let list = if mixed { words::MIXED } else { words::ALIKE };
    let endings = list[(block / 2 + 3 * slot.hops as usize) % list.len()];
    let square = if (2..=5).contains(&slot.hops) && block % 3 == 2 {
        pictures::draw(draw, slot.hops as usize, endings, mixed)?
    } else {
        tree::draw(draw, slot.hops as usize, endings, mixed)?
    };
    // The order of the wrong endings.
    let mut order: Vec<usize> = (0..4).filter(|&n| n != corner).collect();
    draw.shuffle(&mut order);
    order.insert(slot.label, corner);
    // Each of the four questions must be a sound one, in each wording, or the question would not decide.
    for (n, variant) in ["base", "l1", "l2"].into_iter().enumerate() {
        for asked in 0..4 {
            let label = order.iter().position(|&ending| ending == asked)?;
            let item = item(&square, slot, variant, n, asked, &order, label);
            if check::check(&item) != Verdict::Proved {
                return None;
            }
        }
    }
    let wordings = (0..3).map(|n| {
        let item = item(&square, slot, "", n, corner, &order, slot.label);
        Wording {
            extra_hops: item.extra_hops,
            context: item.context,
            question: item.question,
            endings: item.endings,
            certificate: item.certificate.unwrap_or_default(),
        }
    });
    Some(wordings.collect())
}

fn item(square: &Square, slot: &Slot, variant: &str, n: usize, asked: usize, order: &[usize], label: usize) -> Item {
    Item {
        id: String::new(),
        task: "kinship".to_string(),
        group: String::new(),
        variant: variant.to_string(),
        hops: slot.hops,
        extra_hops: square.extra[n][asked],
        context: square.contexts[n].clone(),
        question: Some(square.questions[asked].clone()),
        endings: order.iter().map(|&ending| square.endings[ending].to_string()).collect(),
        label,
        certificate: Some(json!({
            "method": "chase",
            "claim": square.endings[asked],
            "sentences": square.proofs[asked],
        })),
        meta: None,
    }
}

/// The question how one is related to the other.
fn question(draw: &mut Draw) -> impl Fn(&str, &str) -> String + use<> {
    let form = draw.below(4);
    move |who, of| match form {
        0 => format!("What is {who} to {of}?"),
        1 => format!("What relation is {who} to {of}?"),
        _ => format!("How is {who} related to {of}?"),
    }
}
