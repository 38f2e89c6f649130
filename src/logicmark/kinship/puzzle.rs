//! A puzzle as statements, whatever language it was told in.

use super::table::{Relation, Sex};

/// A person that the text names or points at, by place in [`Puzzle::people`].
pub type Person = usize;

/// One possessive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the next person is of the one before.
    pub relation: &'static Relation,
    /// Whether there is no other such person.
    pub only: bool,
}

/// Somebody, reached from a person by possessives: "Ann's mother's only brother".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Where it starts.
    pub of: Person,
    /// The possessives, in the order of walking.
    pub steps: Vec<Step>,
}

impl Term {
    /// The person alone.
    #[must_use]
    pub fn just(of: Person) -> Self {
        Term { of, steps: Vec::new() }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The two terms are one person. A term speaks of some person that its words fit.
    Same(Term, Term),
    /// The person is of this sex.
    Is(Person, Sex),
    /// Two people are not the same.
    Apart(Person, Person),
    /// Those who stand in the relation to the person are these and nobody else.
    Exactly(Person, &'static Relation, Vec<Person>),
}

impl Fact {
    /// The people that it is about.
    #[must_use]
    pub fn about(&self) -> Vec<Person> {
        match self {
            Fact::Same(a, b) => vec![a.of, b.of],
            Fact::Is(who, _) => vec![*who],
            Fact::Apart(a, b) => vec![*a, *b],
            Fact::Exactly(of, _, who) => who.iter().copied().chain([*of]).collect(),
        }
    }
}

/// All that a text states.
#[derive(Clone, Debug, Default)]
pub struct Puzzle {
    /// The people, named or (`None`) pointed at. Different names are different people.
    pub people: Vec<Option<String>>,
    /// The statements, in the order of the text.
    pub facts: Vec<Fact>,
}

impl Puzzle {
    /// The puzzle in parts that have no person in common, each over all the people. A family for each part, side by
    /// side, is a family for the whole.
    #[must_use]
    pub fn parts(&self) -> Vec<(Vec<Person>, Puzzle)> {
        let mut part: Vec<usize> = (0..self.people.len()).collect();
        for fact in &self.facts {
            let about = fact.about();
            for &person in &about[1..] {
                let (old, new) = (part[person], part[about[0]]);
                part.iter_mut().filter(|n| **n == old).for_each(|n| *n = new);
            }
        }
        let mut names: Vec<usize> = part.clone();
        names.sort_unstable();
        names.dedup();
        let one = |name: usize| {
            let people = (0..part.len()).filter(|&n| part[n] == name).collect();
            let facts = self.facts.iter().filter(|fact| part[fact.about()[0]] == name).cloned().collect();
            (people, Puzzle { people: self.people.clone(), facts })
        };
        names.into_iter().map(one).collect()
    }
}
