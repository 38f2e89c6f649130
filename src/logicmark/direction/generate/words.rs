//! The words of settings, places, signs and events.

use crate::logicmark::Draw;
use crate::logicmark::people::{MEN, WOMEN};

/// How somebody moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// `walks`.
    pub(super) moves: &'static str,
    /// `km`.
    pub(super) unit: &'static str,
    /// What is said of the day.
    pub(super) setting: &'static str,
}

pub(super) const MANNERS: [Manner; 10] = [
    Manner { moves: "walks", unit: "km", setting: "It is the second day of a walking holiday." },
    Manner { moves: "cycles", unit: "km", setting: "The cycling club is out for the day." },
    Manner { moves: "drives", unit: "miles", setting: "Parcels are being delivered this morning." },
    Manner { moves: "rides", unit: "miles", setting: "The riding school has its yearly outing." },
    Manner { moves: "walks", unit: "m", setting: "The park is full of people this afternoon." },
    Manner { moves: "runs", unit: "m", setting: "This is a treasure hunt with a map and a compass." },
    Manner { moves: "skis", unit: "km", setting: "Fresh snow lies on the plain." },
    Manner { moves: "goes", unit: "m", setting: "In a game on a large field, every move is written down." },
    Manner { moves: "walks", unit: "miles", setting: "The postal round is long today." },
    Manner { moves: "goes", unit: "km", setting: "Here is a page of a traveller's diary." },
];

pub(super) const PLACES: [&str; 28] = [
    "bank",
    "school",
    "mill",
    "church",
    "library",
    "station",
    "bakery",
    "bridge",
    "well",
    "tower",
    "inn",
    "farm",
    "market",
    "museum",
    "harbour",
    "chapel",
    "quarry",
    "castle",
    "forge",
    "barn",
    "lighthouse",
    "orchard",
    "fountain",
    "pharmacy",
    "theatre",
    "cinema",
    "post office",
    "town hall",
];

pub(super) const COLOURS: [&str; 6] = ["red", "blue", "green", "yellow", "white", "black"];

/// Things that are seen and mark a turn.
pub(super) const MARKS: [&str; 5] = ["flag", "stone", "lantern", "ribbon", "post"];

/// Somebody of the story.
#[derive(Clone, Copy, Debug)]
pub(super) struct Person {
    pub(super) name: &'static str,
    woman: bool,
}

impl Person {
    /// `count` people with different names.
    pub(super) fn some(draw: &mut Draw, count: usize) -> Vec<Person> {
        let all: Vec<Person> = WOMEN
            .iter()
            .map(|name| Person { name, woman: true })
            .chain(MEN.iter().map(|name| Person { name, woman: false }))
            .collect();
        draw.sample(&all, count)
    }
    /// `she`.
    pub(super) fn they(&self) -> &'static str {
        if self.woman { "she" } else { "he" }
    }
    /// `her`, as in `brings her`.
    pub(super) fn them(&self) -> &'static str {
        if self.woman { "her" } else { "him" }
    }
    /// `her`, as in `her brother`.
    pub(super) fn their(&self) -> &'static str {
        if self.woman { "her" } else { "his" }
    }
}

/// An event that moves nobody, as a whole sentence.
pub(super) fn event(draw: &mut Draw, person: &Person, unit: &str) -> String {
    let they = capital(person.they());
    let their = person.their();
    let number = 2 + draw.below(18);
    let heading = super::walk::HEADINGS[draw.below(4)];
    match draw.below(10) {
        0 => format!("{they} stops there to buy {number} apples."),
        1 => format!("There {} waits {number} minutes for the rain to end.", person.they()),
        2 => format!("{they} reads a letter from a friend who lives {number} {unit} to the {heading}."),
        3 => {
            let relative = ["brother", "sister", "mother", "cousin"][draw.below(4)];
            format!("{} {relative} phones from a town {number} {unit} to the {heading}.", capital(their))
        }
        4 => format!("{they} photographs {number} birds that fly {heading}."),
        5 => format!("{they} rests for {number} minutes and eats a sandwich."),
        6 => format!("There {} meets a neighbour who is on the way {heading}.", person.they()),
        7 => format!("{they} counts {number} boats on the river, all heading {heading}."),
        8 => format!("{they} drinks some tea and checks {their} watch."),
        _ => format!("A cold wind blows from the {heading}, and {} buttons up {their} coat.", person.they()),
    }
}

/// The first letter as a capital.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `1 mile`, `2 miles`, `3 km`.
pub(super) fn length(n: i64, unit: &str) -> String {
    let unit = if n == 1 && unit == "miles" { "mile" } else { unit };
    format!("{n} {unit}")
}
