//! Models for people: a line for the domain, one a function, one a predicate.

use std::fmt::{Display, Formatter, Result};

use super::super::formula::Name;
use super::{Model, tuple};

/// `domain: 0, 1`, `bonnie = 0`, `father(0) = 1, father(1) = 1`, `Talks: 0`, `Knows: (0,1), (1,1)`, `Rains: true`; a
/// predicate that holds of nothing is followed by a dash, and a predicate with several arities shows them: `Knows/2`.
/// Functions and predicates of the same arity are in the order of their names, the fewest arguments first.
impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let elements: Vec<String> = (0..self.size).map(|element| element.to_string()).collect();
        write!(f, "domain: {}", elements.join(", "))?;
        let mut functions: Vec<_> = self.functions.iter().collect();
        functions.sort_by_key(|((_, arity), _)| *arity);
        for ((name, arity), table) in functions {
            let cells = table.iter().enumerate().map(|(row, value)| match arity {
                0 => format!("{name} = {value}"),
                _ => format!("{name}({}) = {value}", commas(&tuple(self.size, *arity, row))),
            });
            write!(f, "\n{}", cells.collect::<Vec<_>>().join(", "))?;
        }
        let mut predicates: Vec<_> = self.predicates.iter().collect();
        predicates.sort_by_key(|((_, arity), _)| *arity);
        for ((name, arity), table) in predicates {
            write!(f, "\n{name}")?;
            if self.arities(name) > 1 {
                write!(f, "/{arity}")?;
            }
            let holds = table.iter().enumerate().filter(|(_, holds)| **holds);
            let tuples: Vec<String> = holds
                .map(|(row, _)| match arity {
                    1 => row.to_string(),
                    _ => format!("({})", commas(&tuple(self.size, *arity, row))),
                })
                .collect();
            match (*arity, tuples.is_empty()) {
                (0, empty) => write!(f, ": {}", !empty)?,
                (_, true) => write!(f, ": –")?,
                (_, false) => write!(f, ": {}", tuples.join(", "))?,
            }
        }
        Ok(())
    }
}

impl Model {
    /// With how many arities a predicate's name occurs.
    fn arities(&self, name: &Name) -> usize {
        self.predicates.keys().filter(|(other, _)| other == name).count()
    }
}

fn commas(tuple: &[usize]) -> String {
    tuple.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}
