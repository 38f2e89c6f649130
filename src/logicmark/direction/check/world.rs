//! What a text tells, as it is simulated: people, places, roads.

use std::collections::BTreeMap;

use super::turns::Rule;

/// Steps to the east and to the north.
pub(super) type Point = (i64, i64);

/// What somebody has done, as far as depth is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A stretch straight ahead.
    Leg,
    /// A turn that is told.
    Turn,
    /// A turn that a sign and the rule give, or that they give to go straight on.
    Decision,
    /// So many steps that cancel each other.
    Detour(u32),
}

/// Somebody on their way.
#[derive(Clone, Debug, Default)]
pub(super) struct Walker {
    pub(super) at: Point,
    /// The heading told at first, where only turns are told.
    pub(super) start: Option<u8>,
    pub(super) facing: Option<u8>,
    pub(super) marks: Vec<Mark>,
    /// Each stretch: heading and length.
    pub(super) path: Vec<(u8, i64)>,
}

/// A place of the single walker: where it is, and how many marks there were when it was reached.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) at: Point,
    pub(super) marks: usize,
}

/// A road, and who goes along it from its two ends, with their speeds.
#[derive(Clone, Debug)]
pub(super) struct Road {
    pub(super) ends: [String; 2],
    pub(super) length: i64,
    pub(super) marks: Vec<Mark>,
    pub(super) path: Vec<(u8, i64)>,
    pub(super) pair: Option<([String; 2], [i64; 2])>,
}

/// All that has been told so far.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    pub(super) people: BTreeMap<String, Walker>,
    /// Whom a pronoun means.
    pub(super) last: Option<String>,
    pub(super) stops: BTreeMap<String, Stop>,
    /// The place where the single walker is.
    pub(super) here: Option<String>,
    /// The place from which everybody starts.
    pub(super) start: Option<String>,
    /// People whose walk has been told.
    pub(super) told: Vec<String>,
    pub(super) roads: Vec<Road>,
    pub(super) rule: Option<(Rule, String)>,
    pub(super) unit: Option<String>,
    /// Events that move nobody; how many of them may take time.
    pub(super) events: u32,
    pub(super) slow_events: u32,
}

/// The largest length that is simulated.
const FAR: i64 = 1_000_000;

impl World {
    /// All lengths must be in one unit.
    pub(super) fn measure(&mut self, unit: &str) -> Result<(), String> {
        let unit = super::grammar::unit(unit);
        let known = self.unit.get_or_insert_with(|| unit.clone());
        if *known == unit { Ok(()) } else { Err(format!("lengths are told in `{known}` and in `{unit}`")) }
    }

    pub(super) fn walker(&mut self, name: &str) -> Result<&mut Walker, String> {
        self.people.get_mut(name).ok_or_else(|| format!("`{name}` has not been introduced"))
    }

    /// The person whom a pronoun means.
    pub(super) fn pronoun(&self) -> Result<String, String> {
        self.last.clone().ok_or_else(|| "a pronoun stands for nobody".to_string())
    }

    /// The turn that a sign gives to somebody of this kind.
    pub(super) fn sign(&self, sign: &str, who: &[&str]) -> Result<u8, String> {
        let (rule, whom) = self.rule.as_ref().ok_or("there is a sign but no rule")?;
        if !who.contains(&whom.as_str()) {
            return Err(format!("the rule is for `{whom}`"));
        }
        rule.turn(sign)
    }

    /// The single walker arrives at a place that is new.
    pub(super) fn arrive(&mut self, name: &str, place: &str) -> Result<(), String> {
        let walker = self.walker(name)?;
        let stop = Stop { at: walker.at, marks: walker.marks.len() };
        self.here = Some(place.to_string());
        if self.stops.insert(place.to_string(), stop).is_some() {
            return Err(format!("the {place} is reached twice"));
        }
        Ok(())
    }

    /// Whether the single walker is at this place now.
    pub(super) fn is_at(&self, place: &str) -> Result<(), String> {
        match &self.here {
            Some(here) if here == place => Ok(()),
            Some(here) => Err(format!("it goes on from the {place}, but the way has led to the {here}")),
            None => Err(format!("nobody has come to the {place}")),
        }
    }
}

impl Walker {
    pub(super) fn turn(&mut self, quarters: u8, mark: Mark) -> Result<(), String> {
        let facing = self.facing.ok_or("a turn is told of somebody whose heading is not known")?;
        self.facing = Some((facing + quarters) % 4);
        self.marks.push(mark);
        Ok(())
    }

    pub(super) fn head(&mut self, heading: u8, length: i64) -> Result<(), String> {
        self.facing = Some(heading);
        self.forward(length)
    }

    pub(super) fn forward(&mut self, length: i64) -> Result<(), String> {
        let (x, y) = self.at;
        let facing = self.facing.ok_or("a stretch is told of somebody whose heading is not known")?;
        self.path.push((facing, length));
        self.at = match facing {
            0 => (x, y + length),
            1 => (x + length, y),
            2 => (x, y - length),
            _ => (x - length, y),
        };
        self.marks.push(Mark::Leg);
        let far = self.at.0.abs().max(self.at.1.abs()) > FAR || length == 0;
        if far { Err("a stretch is of no length, or leads too far".to_string()) } else { Ok(()) }
    }
}
