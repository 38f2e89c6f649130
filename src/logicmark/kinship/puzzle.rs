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

/// All that a text states.
#[derive(Clone, Debug, Default)]
pub struct Puzzle {
    /// The people, named or (`None`) pointed at. Different names are different people.
    pub people: Vec<Option<String>>,
    /// The statements, in the order of the text.
    pub facts: Vec<Fact>,
}
