//! The words of the theories: what people are and do, and what animals are and do.

use crate::logicmark::Draw;
use crate::logicmark::english::words::{Domain, Lexicon, Word};
use crate::logicmark::people::{MEN, WOMEN};

/// Jobs.
const JOBS: [&str; 40] = [
    "baker",
    "pilot",
    "nurse",
    "farmer",
    "painter",
    "singer",
    "doctor",
    "lawyer",
    "teacher",
    "gardener",
    "waiter",
    "sailor",
    "tailor",
    "poet",
    "chemist",
    "dentist",
    "driver",
    "plumber",
    "carpenter",
    "barber",
    "butcher",
    "clerk",
    "cook",
    "dancer",
    "engineer",
    "fisher",
    "gambler",
    "hunter",
    "janitor",
    "judge",
    "lecturer",
    "miner",
    "musician",
    "novelist",
    "potter",
    "printer",
    "surgeon",
    "weaver",
    "writer",
    "actor",
];
/// What people are like.
const TRAITS: [&str; 40] = [
    "patient",
    "tall",
    "calm",
    "rude",
    "clever",
    "honest",
    "lazy",
    "brave",
    "shy",
    "cheerful",
    "careful",
    "curious",
    "generous",
    "gentle",
    "greedy",
    "grumpy",
    "humble",
    "jealous",
    "kind",
    "loyal",
    "modest",
    "nervous",
    "polite",
    "proud",
    "punctual",
    "quiet",
    "restless",
    "rich",
    "sensible",
    "serious",
    "sociable",
    "stubborn",
    "talkative",
    "thrifty",
    "tidy",
    "vain",
    "wise",
    "witty",
    "young",
    "famous",
];
/// What people do, own, and where they live.
const HABITS: [(&str, &str); 40] = [
    ("sing", ""),
    ("paint", ""),
    ("swim", ""),
    ("snore", ""),
    ("ski", ""),
    ("own", "a bicycle"),
    ("own", "a boat"),
    ("own", "a piano"),
    ("own", "a telescope"),
    ("keep", "a parrot"),
    ("keep", "a tortoise"),
    ("keep", "a goat"),
    ("play", "chess"),
    ("play", "golf"),
    ("play", "tennis"),
    ("collect", "stamps"),
    ("collect", "coins"),
    ("drink", "tea"),
    ("drink", "coffee"),
    ("drive", "a van"),
    ("wear", "a hat"),
    ("wear", "gloves"),
    ("live", "in Lisbon"),
    ("live", "in Vienna"),
    ("live", "near Dublin"),
    ("work", "in Oslo"),
    ("work", "at Ascot"),
    ("read", "novels"),
    ("read", "poetry"),
    ("grow", "roses"),
    ("bake", "bread"),
    ("speak", "a dialect"),
    ("ride", "a horse"),
    ("climb", "mountains"),
    ("travel", ""),
    ("whistle", ""),
    ("meditate", ""),
    ("study", "a map"),
    ("need", "glasses"),
    ("like", "jazz"),
];
/// What people have to do with each other.
const TIES: [&str; 10] = ["trust", "admire", "know", "help", "visit", "like", "envy", "follow", "respect", "avoid"];

const ANIMAL_NAMES: [&str; 24] = [
    "Rex", "Bella", "Coco", "Duke", "Fifi", "Gus", "Hazel", "Iggy", "Jumbo", "Kiki", "Lola", "Milo", "Nero", "Otto",
    "Pepper", "Quincy", "Rufus", "Sasha", "Tiger", "Ursa", "Vixen", "Wolfie", "Yogi", "Ziggy",
];
const ANIMALS: [&str; 28] = [
    "otter", "badger", "beaver", "camel", "cheetah", "dolphin", "eagle", "falcon", "gorilla", "hamster", "heron",
    "iguana", "jackal", "koala", "lemur", "llama", "monkey", "newt", "owl", "panther", "penguin", "rabbit", "raven",
    "seal", "squirrel", "tiger", "turtle", "zebra",
];
const LOOKS: [&str; 30] = [
    "striped",
    "furry",
    "shy",
    "noisy",
    "playful",
    "fierce",
    "gentle",
    "clever",
    "fast",
    "slow",
    "hungry",
    "sleepy",
    "nocturnal",
    "spotted",
    "healthy",
    "old",
    "young",
    "tame",
    "wild",
    "timid",
    "bold",
    "slender",
    "heavy",
    "agile",
    "vain",
    "curious",
    "warm",
    "rare",
    "graceful",
    "stubborn",
];
const WAYS: [(&str, &str); 26] = [
    ("swim", ""),
    ("climb", ""),
    ("dig", ""),
    ("sleep", ""),
    ("jump", ""),
    ("purr", ""),
    ("growl", ""),
    ("eat", "fish"),
    ("eat", "nuts"),
    ("eat", "grass"),
    ("eat", "insects"),
    ("drink", "milk"),
    ("live", "in Kenya"),
    ("live", "in Peru"),
    ("live", "near Perth"),
    ("hunt", ""),
    ("build", "a nest"),
    ("build", "a dam"),
    ("need", "sunlight"),
    ("need", "a vet"),
    ("wear", "a collar"),
    ("fear", "thunder"),
    ("love", "mud"),
    ("chase", "sticks"),
    ("hide", "food"),
    ("follow", "a trail"),
];

/// Words that a theory may use, in random order, and names for its individuals.
pub(super) struct Vocabulary {
    pub(super) lexicon: Lexicon,
    pub(super) about: String,
    names: Vec<&'static str>,
    words: Vec<Word>,
    ties: Vec<Word>,
}

impl Vocabulary {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let people = draw.below(3) > 0;
        let (nouns, adjectives, verbs): (&[&str], &[&str], &[(&str, &str)]) =
            if people { (&JOBS, &TRAITS, &HABITS) } else { (&ANIMALS, &LOOKS, &WAYS) };
        let mut words: Vec<Word> = nouns.iter().map(|word| Word::Noun(word)).collect();
        words.extend(adjectives.iter().map(|word| Word::Adjective(word)));
        words.extend(verbs.iter().map(|(verb, rest)| Word::Verb(verb, rest)));
        draw.shuffle(&mut words);
        let mut ties: Vec<Word> =
            if people { TIES.iter().map(|tie| Word::Relation(tie)).collect() } else { Vec::new() };
        // A tie whose verb is used by itself or with a thing would have two meanings.
        ties.retain(|tie| {
            !words.iter().any(|word| matches!((word, tie), (Word::Verb(a, _), Word::Relation(b)) if a == b))
        });
        draw.shuffle(&mut ties);
        let names = if people {
            let all: Vec<&'static str> = WOMEN.iter().chain(&MEN).copied().collect();
            draw.sample(&all, 8)
        } else {
            draw.sample(&ANIMAL_NAMES, 8)
        };
        let domain = if people { Domain::People } else { Domain::Things };
        let about = if people {
            [
                "the people of a village",
                "the members of a club",
                "the guests of a hotel",
                "the staff of a theatre",
                "some neighbours",
            ][draw.below(5)]
        } else {
            ["the animals of a zoo", "the animals of a park", "the animals in a story"][draw.below(3)]
        };
        let all: Vec<Word> = words.iter().chain(&ties).cloned().collect();
        Vocabulary { lexicon: Lexicon::new(domain, &all), about: about.to_string(), names, words, ties }
    }

    /// A predicate that has not been taken yet.
    pub(super) fn predicate(&mut self) -> Option<String> {
        self.words.pop().map(|word| word.predicate())
    }
    /// A relation, which may be taken again.
    pub(super) fn tie(&self, draw: &mut Draw) -> Option<String> {
        (!self.ties.is_empty()).then(|| self.ties[draw.below(self.ties.len().min(2))].predicate())
    }
    /// A name that has not been taken yet.
    pub(super) fn name(&mut self) -> Option<&'static str> {
        self.names.pop()
    }
}
