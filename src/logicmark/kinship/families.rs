//! Whole families that fit a puzzle, built at random: the second opinion on what [`super::chase`] finds.
//!
//! A family is built person by person. Whoever a statement speaks of may be somebody who is already there or somebody
//! new; which, is drawn, so that many families of different shape come up. Each is then held against every statement
//! and every convention by looking, not by reasoning. A family in which the labelled answer is wrong, or another is
//! right, disproves the item. Whoever has no parents in a family has parents outside it, about whom nothing is said.

use super::puzzle::{Fact, Person, Puzzle, Step, Term};
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

/// One move of a walk.
#[derive(Clone, Copy)]
struct Move {
    /// As in [`Relation::walks`].
    step: u8,
    /// The sex of the person it leads to, where that is said.
    sex: Option<Sex>,
    /// How readily, in twelfths, it leads to somebody who is there already.
    meet: usize,
    /// At the start of a possessive with "only": what it is, and how many moves it takes.
    only: Option<(&'static Relation, usize)>,
}

/// Where a walk is to end.
#[derive(Clone, Copy)]
enum End {
    Anybody,
    /// At somebody in the family.
    At(usize),
    /// At somebody who thereby is this person of the puzzle.
    Be(Person),
}

/// The moves of a term, one of its meanings drawn.
fn moves(term: &Term, dice: &mut Dice, meet: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    for step in &term.steps {
        let walk = dice.pick(step.relation.walks).unwrap_or_default();
        for (n, letter) in walk.bytes().enumerate() {
            let sex = if n + 1 == walk.len() { step.relation.sex } else { None };
            let (letter, sex) = match (letter, sex) {
                (b'F', _) | (b'P', Some(Sex::Male)) => (b'F', Some(Sex::Male)),
                (b'M', _) | (b'P', Some(Sex::Female)) => (b'M', Some(Sex::Female)),
                (b'P', None) if dice.twelfths(6) => (b'F', Some(Sex::Male)),
                (b'P', None) => (b'M', Some(Sex::Female)),
                other => other,
            };
            let only = (step.only && n == 0).then_some((step.relation, walk.len()));
            moves.push(Move { step: letter, sex, meet, only });
        }
    }
    moves
}

/// Up to `wanted` families that fit the puzzle, from `tries` attempts.
#[must_use]
pub fn families(puzzle: &Puzzle, wanted: usize, tries: usize) -> Vec<Family> {
    let mut found = Vec::new();
    for n in 0..tries {
        // At first nobody is somebody else without need, the family that most puzzles mean; then ever more do.
        let meet = [0, 2, 5, 8, 10][n % 5];
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
            // A statement about people who are there already comes first; of these, one with "only" last.
            let only = |fact: &&Fact| match fact {
                Fact::Same(a, b) => a.steps.iter().chain(&b.steps).any(|step| step.only),
                _ => false,
            };
            let placed = |fact: &&Fact| match fact {
                Fact::Same(a, b) => [a.of, b.of].iter().filter(|&&n| family.place[n].is_some()).count(),
                Fact::Is(who, _) => usize::from(family.place[*who].is_some()),
                Fact::Exactly(of, ..) => usize::from(family.place[*of].is_some()),
                Fact::Apart(..) => 0,
            };
            let next = (0..left.len())
                .max_by_key(|&n| (placed(&left[n]) > 0, !only(&left[n]), placed(&left[n]), left.len() - n))?;
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

    /// Makes a statement true, if that is possible.
    fn add(&mut self, puzzle: &Puzzle, fact: &Fact, dice: &mut Dice, meet: usize) -> Option<()> {
        match fact {
            Fact::Is(who, sex) => {
                let who = self.person(*who);
                self.be(who, *sex)
            }
            Fact::Apart(..) => Some(()),
            Fact::Exactly(of, relation, who) => {
                for person in who {
                    let term = Term { of: *of, steps: vec![Step { relation, only: false }] };
                    self.tie(puzzle, *person, &term, dice, meet)?;
                }
                Some(())
            }
            Fact::Same(a, b) if a.steps.is_empty() => self.tie(puzzle, a.of, b, dice, meet),
            Fact::Same(a, b) if b.steps.is_empty() => self.tie(puzzle, b.of, a, dice, meet),
            Fact::Same(a, b) => {
                let (a, b) = if self.place[b.of].is_some() { (a, b) } else { (b, a) };
                let from = self.person(a.of);
                let middle = self.walk(puzzle, from, &moves(a, dice, meet), End::Anybody, dice)?;
                let from = self.person(b.of);
                self.walk(puzzle, from, &moves(b, dice, meet), End::At(middle), dice)?;
                Some(())
            }
        }
    }

    /// Makes a person of the puzzle one to whom a term leads.
    fn tie(&mut self, puzzle: &Puzzle, who: Person, term: &Term, dice: &mut Dice, meet: usize) -> Option<()> {
        let moves = moves(term, dice, meet);
        match (self.place[who], self.place[term.of]) {
            (Some(at), None) if !moves.is_empty() => {
                // From the person back to where the term starts.
                if let Some(sex) = moves[moves.len() - 1].sex {
                    self.be(at, sex)?;
                }
                let back = |n: usize| {
                    let sex = if n == 0 { None } else { moves[n - 1].sex };
                    let step = match (moves[n].step, sex) {
                        (b'F' | b'M', _) => b'C',
                        (b'C', Some(Sex::Male)) => b'F',
                        (b'C', Some(Sex::Female)) => b'M',
                        (b'C', None) => b'P',
                        (step, _) => step,
                    };
                    Move { step, sex, meet: moves[n].meet, only: None }
                };
                let back: Vec<Move> = (0..moves.len()).rev().map(back).collect();
                self.walk(puzzle, at, &back, End::Be(term.of), dice)?;
            }
            (target, _) => {
                let from = self.person(term.of);
                let end = target.map_or(End::Be(who), End::At);
                self.walk(puzzle, from, &moves, end, dice)?;
            }
        }
        Some(())
    }

    /// Takes the moves one by one.
    fn walk(&mut self, puzzle: &Puzzle, from: usize, moves: &[Move], end: End, dice: &mut Dice) -> Option<usize> {
        let mut at = from;
        let mut n = 0;
        while let Some(next) = moves.get(n) {
            // Whoever is there already is the only one.
            if let Some((relation, length)) = next.only
                && let Some(there) = dice.pick(&self.all(relation, at))
                && (n + length < moves.len() || self.may_end(puzzle, there, end))
            {
                at = there;
                n += length;
                continue;
            }
            let end = if n + 1 == moves.len() { end } else { End::Anybody };
            at = match end {
                End::At(target) => {
                    self.link(at, next.step, target)?;
                    target
                }
                _ => {
                    self.go(puzzle, at, next, matches!(end, End::Be(person) if puzzle.people[person].is_some()), dice)?
                }
            };
            if let Some(sex) = next.sex {
                self.be(at, sex)?;
            }
            if self.sex.len() > PEOPLE {
                return None;
            }
            n += 1;
        }
        match end {
            End::At(target) if target != at => return None,
            End::Be(person) => self.place[person] = Some(at),
            _ => {}
        }
        Some(at)
    }

    /// Whether a walk that is to end so may end here.
    fn may_end(&self, puzzle: &Puzzle, at: usize, end: End) -> bool {
        match end {
            End::Anybody => true,
            End::At(target) => target == at,
            End::Be(person) => puzzle.people[person].is_none() || !self.named(puzzle, at),
        }
    }

    /// One move to somebody there or new; not to somebody with a name, if `fresh`.
    fn go(&mut self, puzzle: &Puzzle, at: usize, next: &Move, fresh: bool, dice: &mut Dice) -> Option<usize> {
        let &Move { step, sex, meet, .. } = next;
        let fits = |family: &Self, n: usize| sex.is_none_or(|sex| family.sex[n].is_none_or(|is| is == sex));
        let free = |family: &Self, n: usize| fits(family, n) && !(fresh && family.named(puzzle, n));
        let there: Vec<usize> = match step {
            b'F' | b'M' | b'P' => {
                let (father, mother) = self.couple(at, dice, meet)?;
                let known = if fits(self, father) && !(fresh && self.named(puzzle, father)) { 6 } else { 0 };
                let parent = if step == b'F' || step == b'P' && dice.twelfths(known) { father } else { mother };
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
            places = each.filter(|all| !step.only || all.len() == 1 && !step.relation.several()).flatten().collect();
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
