//! Whole families that fit a puzzle, built at random: the second opinion on what [`super::chase`] finds.
//!
//! A family is built person by person. Whoever a statement speaks of may be somebody who is already there or somebody
//! new; which, is drawn, so that many families of different shape come up. Each is then held against every statement
//! and every convention by looking, not by reasoning. A family in which the labelled answer is wrong, or another is
//! right, disproves the item. Whoever has no parents in a family has parents outside it, about whom nothing is said.

use super::puzzle::{Fact, Person, Puzzle, Term};
use super::table::{Relation, Sex};

/// Most people in one family.
const PEOPLE: usize = 120;

/// A family.
#[derive(Clone, Debug, Default)]
pub struct Family {
    sex: Vec<Option<Sex>>,
    /// Father and mother.
    parents: Vec<Option<(usize, usize)>>,
    spouse: Vec<Option<usize>>,
    /// Who of the family each person of the puzzle is.
    place: Vec<Option<usize>>,
}

/// Numbers for the draws of one puzzle; always the same ones, so that a verdict never changes.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word >> 33) as usize).checked_rem(n).unwrap_or(0)
    }

    /// True in `n` of 12 draws.
    fn twelfths(&mut self, n: usize) -> bool {
        self.below(12) < n
    }

    fn pick<T: Copy>(&mut self, values: &[T]) -> Option<T> {
        (!values.is_empty()).then(|| values[self.below(values.len())])
    }
}

/// Up to `wanted` families that fit the puzzle, from `tries` attempts.
#[must_use]
pub fn families(puzzle: &Puzzle, wanted: usize, tries: usize) -> Vec<Family> {
    let mut found = Vec::new();
    for n in 0..tries {
        // Every third attempt lets nobody be somebody else without need: the family that most puzzles mean.
        let meet = if n % 3 == 0 { 0 } else { 1 + n % 3 };
        let mut dice = Dice(n as u64 * 977);
        if let Some(family) = Family::build(puzzle, &mut dice, meet)
            && family.fits(puzzle)
        {
            found.push(family);
            if found.len() == wanted {
                break;
            }
        }
    }
    found
}

impl Family {
    /// Whether `who` is the `relation` of `of` in this family.
    #[must_use]
    pub fn related(&self, who: Person, relation: &Relation, of: Person) -> bool {
        match (self.place[who], self.place[of]) {
            (Some(who), Some(of)) => self.all(relation, of).contains(&who),
            _ => false,
        }
    }

    fn build(puzzle: &Puzzle, dice: &mut Dice, meet: usize) -> Option<Self> {
        let mut family = Family { place: vec![None; puzzle.people.len()], ..Family::default() };
        let mut left: Vec<&Fact> = puzzle.facts.iter().collect();
        for n in (1..left.len()).rev() {
            left.swap(n, dice.below(n + 1));
        }
        while !left.is_empty() {
            // A statement about people who are there already comes first.
            let placed = |fact: &&Fact| match fact {
                Fact::Same(a, b) => [a.of, b.of].iter().filter(|&&n| family.place[n].is_some()).count(),
                Fact::Is(who, _) => usize::from(family.place[*who].is_some()),
                Fact::Exactly(of, ..) => usize::from(family.place[*of].is_some()),
                Fact::Apart(..) => 0,
            };
            let next = (0..left.len()).max_by_key(|&n| (placed(&left[n]), left.len() - n))?;
            family.add(puzzle, left.remove(next), dice, meet)?;
        }
        for n in 0..family.place.len() {
            family.person(n);
        }
        for n in 0..family.sex.len() {
            if family.sex[n].is_none() {
                let sex = if dice.twelfths(6) { Sex::Male } else { Sex::Female };
                family.be(n, sex)?;
            }
        }
        Some(family)
    }

    fn add(&mut self, puzzle: &Puzzle, fact: &Fact, dice: &mut Dice, meet: usize) -> Option<()> {
        match fact {
            Fact::Is(who, sex) => {
                let who = self.person(*who);
                self.be(who, *sex)
            }
            Fact::Apart(..) => Some(()),
            Fact::Exactly(of, relation, who) => {
                for person in who {
                    let of = self.person(*of);
                    self.step(puzzle, of, relation, Some(*person), None, dice, meet)?;
                }
                Some(())
            }
            Fact::Same(a, b) => {
                let (a, b) = if a.steps.is_empty() || !b.steps.is_empty() && self.place[b.of].is_some() {
                    (a, b)
                } else {
                    (b, a)
                };
                if a.steps.is_empty() {
                    self.walk(puzzle, b, Some(a.of), None, dice, meet)?;
                } else {
                    let target = self.walk(puzzle, a, None, None, dice, meet)?;
                    self.walk(puzzle, b, None, Some(target), dice, meet)?;
                }
                Some(())
            }
        }
    }

    /// Walks a term, to a person of the puzzle or to somebody in the family where one is given.
    #[allow(clippy::too_many_arguments)]
    fn walk(
        &mut self,
        puzzle: &Puzzle,
        term: &Term,
        to: Option<Person>,
        target: Option<usize>,
        dice: &mut Dice,
        meet: usize,
    ) -> Option<usize> {
        let mut at = self.person(term.of);
        if term.steps.is_empty() {
            let same = target.is_none_or(|target| target == at)
                && to.is_none_or(|to| *self.place[to].get_or_insert(at) == at);
            return same.then_some(at);
        }
        for (n, step) in term.steps.iter().enumerate() {
            let last = n + 1 == term.steps.len();
            let (to, target) = if last { (to, target) } else { (None, None) };
            at = self.step(puzzle, at, step.relation, to, target, dice, if step.only { 9 } else { meet })?;
        }
        Some(at)
    }

    #[allow(clippy::too_many_arguments)]
    fn step(
        &mut self,
        puzzle: &Puzzle,
        from: usize,
        relation: &Relation,
        to: Option<Person>,
        target: Option<usize>,
        dice: &mut Dice,
        meet: usize,
    ) -> Option<usize> {
        let target = target.or_else(|| to.and_then(|to| self.place[to]));
        // Somebody who is so called already.
        if target.is_none() && dice.twelfths(meet) {
            let there: Vec<usize> =
                self.all(relation, from).into_iter().filter(|&n| to.is_none() || !self.named(puzzle, n)).collect();
            if let Some(at) = dice.pick(&there) {
                if let Some(to) = to {
                    self.place[to] = Some(at);
                }
                return Some(at);
            }
        }
        let walk = dice.pick(relation.walks)?.as_bytes();
        let mut at = from;
        for (n, step) in walk.iter().enumerate() {
            let last = n + 1 == walk.len();
            let sex = if last { relation.sex } else { None };
            let step = match (step, sex, dice.twelfths(6)) {
                (b'P', Some(Sex::Male), _) | (b'P', None, true) => b'F',
                (b'P', ..) => b'M',
                (step, ..) => *step,
            };
            at = match target {
                Some(target) if last => {
                    self.link(at, step, target)?;
                    target
                }
                _ => self.go(puzzle, at, step, sex, last && to.is_some(), dice, meet)?,
            };
            if self.sex.len() > PEOPLE {
                return None;
            }
        }
        if let Some(sex) = relation.sex {
            self.be(at, sex)?;
        }
        if let Some(to) = to {
            self.place[to] = Some(at);
        }
        Some(at)
    }

    /// One move to somebody there or new; not to somebody with another name, if `fresh`.
    #[allow(clippy::too_many_arguments)]
    fn go(
        &mut self,
        puzzle: &Puzzle,
        at: usize,
        step: u8,
        sex: Option<Sex>,
        fresh: bool,
        dice: &mut Dice,
        meet: usize,
    ) -> Option<usize> {
        let free = |family: &Self, n: usize| !(fresh && family.named(puzzle, n));
        let there: Vec<usize> = match step {
            b'F' | b'M' => {
                let (father, mother) = self.couple(at, dice, meet)?;
                let parent = if step == b'F' { father } else { mother };
                return free(self, parent).then_some(parent);
            }
            b'S' => {
                if let Some(spouse) = self.spouse[at] {
                    return free(self, spouse).then_some(spouse);
                }
                (0..self.sex.len()).filter(|&n| n != at && self.spouse[n].is_none()).collect()
            }
            b'C' if dice.twelfths(6) => self.children(at),
            b'B' if dice.twelfths(6) => self.siblings(at),
            _ => (0..self.sex.len()).filter(|&n| n != at && self.parents[n].is_none()).collect(),
        };
        let there: Vec<usize> = there.into_iter().filter(|&n| free(self, n)).collect();
        let to = match dice.pick(&there) {
            Some(to) if dice.twelfths(meet) => to,
            _ => self.new_person(sex),
        };
        if step != b'S' && self.sex[at].is_none() {
            let sex = if dice.twelfths(6) { Sex::Male } else { Sex::Female };
            self.be(at, sex)?;
        }
        self.link(at, step, to)?;
        Some(to)
    }

    /// Makes the move from one to the other true, if that is possible.
    fn link(&mut self, at: usize, step: u8, to: usize) -> Option<()> {
        match step {
            b'F' | b'M' => {
                let sex = if step == b'F' { Sex::Male } else { Sex::Female };
                self.be(to, sex)?;
                if let Some((father, mother)) = self.parents[at] {
                    return (to == if step == b'F' { father } else { mother }).then_some(());
                }
                let other = self.married(to)?;
                self.parents[at] = Some(if step == b'F' { (to, other) } else { (other, to) });
            }
            b'S' => {
                if self.spouse[at] == Some(to) {
                    return Some(());
                }
                if at == to || self.spouse[at].is_some() || self.spouse[to].is_some() {
                    return None;
                }
                self.spouse[at] = Some(to);
                self.spouse[to] = Some(at);
                for (one, other) in [(at, to), (to, at)] {
                    if let Some(sex) = self.sex[one] {
                        self.be(other, sex.other())?;
                    }
                }
            }
            b'C' => {
                // Where the text does not say whether as father or as mother, the name of a convenience: as father.
                let sex = self.sex[at].unwrap_or(Sex::Male);
                self.link(to, if sex == Sex::Male { b'F' } else { b'M' }, at)?;
            }
            _ => {
                if at == to {
                    return None;
                }
                match (self.parents[at], self.parents[to]) {
                    (Some(a), Some(b)) if a != b => return None,
                    (Some(parents), _) | (None, Some(parents)) => {
                        self.parents[at] = Some(parents);
                        self.parents[to] = Some(parents);
                    }
                    (None, None) => {
                        let father = self.new_person(Some(Sex::Male));
                        let mother = self.married(father)?;
                        self.parents[at] = Some((father, mother));
                        self.parents[to] = Some((father, mother));
                    }
                }
            }
        }
        Some(())
    }

    /// The parents of a person: those there are, or a couple of the family, or a new couple.
    fn couple(&mut self, of: usize, dice: &mut Dice, meet: usize) -> Option<(usize, usize)> {
        if let Some(parents) = self.parents[of] {
            return Some(parents);
        }
        let men: Vec<usize> = (0..self.sex.len()).filter(|&n| n != of && self.sex[n] != Some(Sex::Female)).collect();
        let father = match dice.pick(&men) {
            Some(man) if dice.twelfths(meet) => man,
            _ => self.new_person(Some(Sex::Male)),
        };
        self.be(father, Sex::Male)?;
        let mother = self.married(father)?;
        self.parents[of] = Some((father, mother));
        Some((father, mother))
    }

    fn new_person(&mut self, sex: Option<Sex>) -> usize {
        self.sex.push(sex);
        self.parents.push(None);
        self.spouse.push(None);
        self.sex.len() - 1
    }

    /// Who a person of the puzzle is; somebody new, if nobody yet.
    fn person(&mut self, person: Person) -> usize {
        if let Some(at) = self.place[person] {
            return at;
        }
        let new = self.new_person(None);
        self.place[person] = Some(new);
        new
    }

    fn named(&self, puzzle: &Puzzle, at: usize) -> bool {
        self.place.iter().zip(&puzzle.people).any(|(place, name)| *place == Some(at) && name.is_some())
    }

    fn be(&mut self, who: usize, sex: Sex) -> Option<()> {
        if self.sex[who].is_none() {
            self.sex[who] = Some(sex);
            if let Some(spouse) = self.spouse[who] {
                self.be(spouse, sex.other())?;
            }
        }
        (self.sex[who] == Some(sex)).then_some(())
    }

    fn married(&mut self, who: usize) -> Option<usize> {
        if self.spouse[who].is_none() {
            let new = self.new_person(self.sex[who].map(Sex::other));
            self.spouse[who] = Some(new);
            self.spouse[new] = Some(who);
        }
        self.spouse[who]
    }

    fn children(&self, of: usize) -> Vec<usize> {
        (0..self.sex.len()).filter(|&n| self.parents[n].is_some_and(|(f, m)| f == of || m == of)).collect()
    }

    fn siblings(&self, of: usize) -> Vec<usize> {
        let Some(parents) = self.parents[of] else { return Vec::new() };
        (0..self.sex.len()).filter(|&n| n != of && self.parents[n] == Some(parents)).collect()
    }

    /// Everybody in the family who stands in the relation to a person.
    fn all(&self, relation: &Relation, of: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for walk in relation.walks {
            let mut places = vec![of];
            for step in walk.bytes() {
                places = places
                    .into_iter()
                    .flat_map(|at| match step {
                        b'F' => self.parents[at].map(|p| p.0).into_iter().collect(),
                        b'M' => self.parents[at].map(|p| p.1).into_iter().collect(),
                        b'P' => self.parents[at].map(|p| vec![p.0, p.1]).unwrap_or_default(),
                        b'S' => self.spouse[at].into_iter().collect(),
                        b'C' => self.children(at),
                        _ => self.siblings(at),
                    })
                    .collect();
            }
            found.extend(places);
        }
        found.retain(|&n| relation.sex.is_none() || self.sex[n].is_none() || self.sex[n] == relation.sex);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether every convention and every statement holds.
    fn fits(&self, puzzle: &Puzzle) -> bool {
        self.lawful() && self.names_differ(puzzle) && puzzle.facts.iter().all(|fact| self.true_of(fact))
    }

    fn names_differ(&self, puzzle: &Puzzle) -> bool {
        let mut seen = vec![false; self.sex.len()];
        self.place.iter().zip(&puzzle.people).all(|(place, name)| match (place, name) {
            (Some(at), Some(_)) => !std::mem::replace(&mut seen[*at], true),
            (Some(_), None) => true,
            (None, _) => false,
        })
    }

    fn true_of(&self, fact: &Fact) -> bool {
        let at = |person: Person| self.place[person].unwrap_or(usize::MAX);
        match fact {
            Fact::Is(who, sex) => self.sex[at(*who)] == Some(*sex),
            Fact::Apart(a, b) => at(*a) != at(*b),
            Fact::Exactly(of, relation, who) => {
                let mut who: Vec<usize> = who.iter().map(|&n| at(n)).collect();
                who.sort_unstable();
                self.all(relation, at(*of)) == who
            }
            Fact::Same(a, b) => {
                let (a, b) = (self.end(a), self.end(b));
                a.iter().any(|n| b.contains(n))
            }
        }
    }

    /// All whom the term's words fit.
    fn end(&self, term: &Term) -> Vec<usize> {
        let mut places: Vec<usize> = self.place[term.of].into_iter().collect();
        for step in &term.steps {
            let each = places.iter().map(|&at| self.all(step.relation, at));
            places = each.filter(|all| !step.only || all.len() == 1).flatten().collect();
            places.sort_unstable();
            places.dedup();
        }
        places
    }

    fn lawful(&self) -> bool {
        let people = 0..self.sex.len();
        // Generations: from each person that has none yet, to all who are tied to it.
        let near = |n: usize| {
            let parents = self.parents[n].into_iter().flat_map(|(f, m)| [(f, 1), (m, 1)]);
            parents.chain(self.spouse[n].map(|s| (s, 0))).collect::<Vec<(usize, i32)>>()
        };
        let mut level: Vec<Option<i32>> = vec![None; self.sex.len()];
        for start in people.clone() {
            level[start].get_or_insert(0);
            let mut changed = true;
            while changed {
                changed = false;
                for n in people.clone() {
                    for (other, by) in near(n) {
                        match (level[n], level[other]) {
                            (Some(a), None) => level[other] = Some(a - by),
                            (None, Some(b)) => level[n] = Some(b + by),
                            _ => continue,
                        }
                        changed = true;
                    }
                }
            }
        }
        let generations = |n: usize| near(n).iter().all(|&(m, by)| level[n] == level[m].map(|l| l + by));
        if !people.clone().all(generations) {
            return false;
        }
        people.clone().all(|n| {
            let couple = self.spouse[n].is_none_or(|s| {
                self.spouse[s] == Some(n)
                    && self.sex[n] == self.sex[s].map(Sex::other)
                    && self.forebears(n).iter().all(|a| !self.forebears(s).contains(a))
            });
            let born = self.parents[n].is_none_or(|(f, m)| {
                self.sex[f] == Some(Sex::Male) && self.sex[m] == Some(Sex::Female) && self.spouse[f] == Some(m)
            });
            couple && born && self.sex[n].is_some()
        })
    }

    /// A person and all ancestors in the family. Ends, since generations agree.
    fn forebears(&self, of: usize) -> Vec<usize> {
        let mut all = vec![of];
        let mut next = 0;
        while next < all.len() {
            if let Some((father, mother)) = self.parents[all[next]] {
                for parent in [father, mother] {
                    if !all.contains(&parent) {
                        all.push(parent);
                    }
                }
            }
            next += 1;
        }
        all
    }
}
