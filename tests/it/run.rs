//! `llscore run`, from outside: the built program on a tiny model. Helpers here; the tests are in the modules.

mod contract;
mod flags;
mod identity;
mod interrupted;
mod output;
mod text;
mod unsound;

use serde_json::{Value, json};

use crate::support::Work;

/// The words that items are made of; most are tokens of the fixture's vocabulary.
const WORDS: [&str; 14] =
    ["Anna", "Clara", "uncle", "left", "turn", "red", "wug", "dax", "step", "prove", "goal", "naïve", "so", "7"];

/// A generator of its own, so that no library can move the data.
pub struct Draw(u64);

impl Draw {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn words(&mut self, n: usize) -> String {
        (0..n).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

/// `n` items of two tasks and two variants, in pairs that share a group and the beginning of their contexts; two to four
/// endings of one to three words, some of them equal, some items with a question.
pub fn data(n: usize) -> Vec<Value> {
    let mut draw = Draw(7);
    let mut begin = String::new();
    (0..n)
        .map(|i| {
            let (pair, second) = (i / 2, i % 2 == 1);
            if !second {
                let length = 4 + draw.below(12);
                begin = draw.words(length);
            }
            let length = 1 + draw.below(5);
            let context = format!("{begin} {}", draw.words(length));
            let count = 2 + draw.below(3);
            let mut endings: Vec<String> = (0..count)
                .map(|_| {
                    let length = 1 + draw.below(3);
                    draw.words(length)
                })
                .collect();
            if i % 7 == 0 {
                endings[1] = endings[0].clone();
            }
            let mut item = json!({
                "id": format!("item-{pair:03}/{}", if second { "l1" } else { "base" }),
                "task": if pair % 3 == 0 { "kin" } else { "own" },
                "group": format!("item-{pair:03}"),
                "variant": if second { "l1" } else { "base" },
                "hops": pair % 4,
                "extra_hops": 2 * usize::from(second),
                "context": context,
                "endings": endings,
                "label": draw.below(count),
            });
            if pair % 5 == 0 {
                item["question"] = json!(format!("{}?", draw.words(2)));
            }
            item
        })
        .collect()
}

/// A folder with `n` items in `d.jsonl`.
pub fn with_data(n: usize) -> Work {
    let work = Work::new();
    work.items("d.jsonl", &data(n));
    work
}

/// A list of numbers.
pub fn ids(value: &Value) -> Vec<u32> {
    value.as_array().expect("a list").iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}
