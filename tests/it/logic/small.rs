//! Small models of the formulas of [`super::formulas`], all or some.

use llscore::logic::Model;

/// A model of `size` elements, each table read off `bits`, which are used up from the lowest.
pub fn model(size: usize, mut bits: u64) -> Model {
    let mut next = |of: usize| {
        let value = bits % of as u64;
        bits /= of as u64;
        value as usize
    };
    let functions = [("a", 0u32), ("b", 0), ("c", 0), ("f", 1)]
        .map(|(name, arity)| ((name.into(), arity as usize), (0..size.pow(arity)).map(|_| next(size)).collect()));
    let predicates = [("P", 1u32), ("R", 2), ("S", 0)]
        .map(|(name, arity)| ((name.into(), arity as usize), (0..size.pow(arity)).map(|_| next(2) == 1).collect()));
    Model { size, functions: functions.into(), predicates: predicates.into() }
}

/// How many models of one or two elements there are.
pub fn models(size: usize) -> u64 {
    let size = size as u32;
    u64::from(size).pow(3 + size) << (1 + size + size * size)
}
