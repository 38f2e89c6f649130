//! Invented families, told whole, and who is what to whom in them.

use super::words::{KINDS, Kind, WORDS, Word};
use crate::logicmark::Draw;

/// A family of some thirty people over four generations.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    pub(super) male: Vec<bool>,
    parents: Vec<Option<[usize; 2]>>,
    spouse: Vec<Option<usize>>,
    /// For each kind of relation and each person, all who stand in it.
    kin: Vec<Vec<Vec<usize>>>,
}

impl Family {
    /// A family drawn at random.
    pub(super) fn new(draw: &mut Draw) -> Self {
        let mut family = Family::default();
        // Two couples whose children marry, so that every kind of relative by marriage is there.
        let (a, b) = (family.couple(), family.couple());
        let (mut left, mut right) = (family.children(draw, a, 2), family.children(draw, b, 2));
        if let (Some(&one), Some(other)) =
            (left.first(), right.iter().position(|&n| family.male[n] != family.male[left[0]]))
        {
            let other = right.swap_remove(other);
            family.marry(one, other);
            left[0] = one;
            left.push(other);
        }
        let mut next = Vec::new();
        for &parent in left.iter().chain(&right) {
            next.extend(family.house(draw, parent, 9, 2));
        }
        let mut last = Vec::new();
        for &parent in &next {
            last.extend(family.house(draw, parent, 6, 1));
        }
        for &parent in &last {
            if family.male.len() < 34 {
                family.house(draw, parent, 2, 1);
            }
        }
        family.kin = KINDS.iter().map(|&kind| (0..family.male.len()).map(|n| family.find(kind, n)).collect()).collect();
        family
    }

    /// How many people it has.
    pub(super) fn size(&self) -> usize {
        self.male.len()
    }

    /// All who are called `word` by `of`.
    pub(super) fn who(&self, word: Word, of: usize) -> Vec<usize> {
        let word = &WORDS[word];
        let all = self.kin[word.kind as usize][of].iter().copied();
        all.filter(|&n| word.male.is_none_or(|male| male == self.male[n])).collect()
    }

    /// Whether `who` is called `word` by `of`.
    pub(super) fn is(&self, who: usize, word: Word, of: usize) -> bool {
        let word = &WORDS[word];
        word.male.is_none_or(|male| male == self.male[who]) && self.kin[word.kind as usize][of].contains(&who)
    }

    fn person(&mut self, male: bool, parents: Option<[usize; 2]>) -> usize {
        self.male.push(male);
        self.parents.push(parents);
        self.spouse.push(None);
        self.male.len() - 1
    }

    fn marry(&mut self, a: usize, b: usize) {
        self.spouse[a] = Some(b);
        self.spouse[b] = Some(a);
    }

    fn couple(&mut self) -> [usize; 2] {
        let couple = [self.person(true, None), self.person(false, None)];
        self.marry(couple[0], couple[1]);
        couple
    }

    /// As many children as `least`, or one or two more.
    fn children(&mut self, draw: &mut Draw, couple: [usize; 2], least: usize) -> Vec<usize> {
        (0..least + draw.below(2)).map(|_| self.person(draw.below(2) == 0, Some(couple))).collect()
    }

    /// Somebody may marry, a stranger with parents or without, and have children.
    fn house(&mut self, draw: &mut Draw, of: usize, twelfths: usize, least: usize) -> Vec<usize> {
        if self.spouse[of].is_none() {
            if draw.below(12) >= twelfths {
                return Vec::new();
            }
            let parents = (draw.below(3) == 0).then(|| self.couple());
            let spouse = self.person(!self.male[of], parents);
            self.marry(of, spouse);
            if let Some(parents) = parents
                && draw.below(2) == 0
            {
                self.person(draw.below(2) == 0, Some(parents));
            }
        }
        let Some(spouse) = self.spouse[of] else { return Vec::new() };
        // Each couple has its children once.
        if self.parents.iter().flatten().any(|parents| parents.contains(&of)) {
            return Vec::new();
        }
        let couple = if self.male[of] { [of, spouse] } else { [spouse, of] };
        self.children(draw, couple, least)
    }

    fn find(&self, kind: Kind, of: usize) -> Vec<usize> {
        let all = |people: Vec<usize>, next: &dyn Fn(usize) -> Vec<usize>| -> Vec<usize> {
            people.into_iter().flat_map(next).collect()
        };
        let parents = |n: usize| self.parents[n].map(Vec::from).unwrap_or_default();
        let side = |n: usize, male: usize| self.parents[n].map(|p| vec![p[1 - male]]).unwrap_or_default();
        let children = |n: usize| -> Vec<usize> {
            (0..self.size()).filter(|&c| self.parents[c].is_some_and(|p| p.contains(&n))).collect()
        };
        let spouse = |n: usize| -> Vec<usize> { self.spouse[n].into_iter().collect() };
        let siblings = |n: usize| -> Vec<usize> {
            let same = |c: usize| c != n && self.parents[c].is_some() && self.parents[c] == self.parents[n];
            (0..self.size()).filter(|&c| same(c)).collect()
        };
        // Brothers and sisters, and those married to them.
        let around = |people: Vec<usize>| -> Vec<usize> {
            let own = all(people, &siblings);
            own.iter().copied().chain(all(own.clone(), &spouse)).collect()
        };
        let mut found = match kind {
            Kind::Parent => parents(of),
            Kind::Child => children(of),
            Kind::Spouse => spouse(of),
            Kind::Sibling => siblings(of),
            Kind::Grandparent => all(parents(of), &parents),
            Kind::FathersParent => all(side(of, 1), &parents),
            Kind::MothersParent => all(side(of, 0), &parents),
            Kind::Grandchild => all(children(of), &children),
            Kind::GreatGrandparent => all(all(parents(of), &parents), &parents),
            Kind::GreatGrandchild => all(all(children(of), &children), &children),
            Kind::Uncle => around(parents(of)),
            Kind::FathersSide => around(side(of, 1)),
            Kind::MothersSide => around(side(of, 0)),
            Kind::Nephew => all(siblings(of).into_iter().chain(all(spouse(of), &siblings)).collect(), &children),
            Kind::GreatUncle => around(all(parents(of), &parents)),
            Kind::GreatNephew => {
                let near = siblings(of).into_iter().chain(all(spouse(of), &siblings)).collect();
                all(all(near, &children), &children)
            }
            Kind::Cousin => all(all(parents(of), &siblings), &children),
            Kind::ParentInLaw => all(spouse(of), &parents),
            Kind::ChildInLaw => all(children(of), &spouse),
            Kind::SiblingInLaw => {
                let his = all(spouse(of), &siblings);
                let theirs = all(siblings(of).into_iter().chain(his.iter().copied()).collect(), &spouse);
                his.into_iter().chain(theirs).collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        found
    }
}
