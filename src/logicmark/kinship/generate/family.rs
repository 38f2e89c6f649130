//! Invented families, told whole, and who is what to whom in them.

use super::words::{KINDS, Kind, WORDS, Word};
use crate::logicmark::Draw;

/// For each person, some others.
type Lists = Vec<Vec<usize>>;

/// A family of some thirty people over four generations.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    pub(super) male: Vec<bool>,
    parents: Vec<Option<[usize; 2]>>,
    spouse: Vec<Option<usize>>,
    /// For each kind of relation and each person, all who stand in it.
    kin: Vec<Lists>,
    /// The same as bits.
    bits: Vec<Vec<u128>>,
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
        family.settle();
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
        word.male.is_none_or(|male| male == self.male[who]) && self.bits[word.kind as usize][of] >> who & 1 == 1
    }

    /// All who are called one of these words by `of`, as bits.
    pub(super) fn bits(&self, words: impl Iterator<Item = Word>, of: usize) -> u128 {
        let men = (0..self.size()).filter(|&n| self.male[n]).fold(0u128, |bits, n| bits | 1 << n);
        let sex = |male: Option<bool>| male.map_or(u128::MAX, |male| if male { men } else { !men });
        words.fold(0, |bits, word| bits | self.bits[WORDS[word].kind as usize][of] & sex(WORDS[word].male))
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

    /// Everything that relations are made of, once.
    fn settle(&mut self) {
        let size = self.size();
        let people = || 0..size;
        let children: Lists = people()
            .map(|n| people().filter(|&c| self.parents[c].is_some_and(|parents| parents.contains(&n))).collect())
            .collect();
        let parents: Lists = self.parents.iter().map(|parents| parents.map(Vec::from).unwrap_or_default()).collect();
        let side = |male: bool| -> Lists {
            parents.iter().map(|two| two.iter().copied().filter(|&n| self.male[n] == male).collect()).collect()
        };
        let (fathers, mothers) = (side(true), side(false));
        let spouse: Lists = self.spouse.iter().map(|spouse| spouse.iter().copied().collect()).collect();
        let siblings: Lists = people()
            .map(|n| {
                let of_father = fathers[n].first().map_or(&[][..], |&father| &children[father]);
                of_father.iter().copied().filter(|&c| c != n).collect()
            })
            .collect();
        let then = |first: &Lists, next: &Lists| -> Lists {
            first.iter().map(|all| all.iter().flat_map(|&n| next[n].iter().copied()).collect()).collect()
        };
        let both =
            |a: &Lists, b: &Lists| -> Lists { a.iter().zip(b).map(|(a, b)| [&a[..], &b[..]].concat()).collect() };
        let by_marriage = then(&siblings, &spouse);
        // Brothers and sisters and those married to them; one's own and those of one's spouse.
        let around = both(&siblings, &by_marriage);
        let theirs = then(&spouse, &siblings);
        let near = both(&siblings, &theirs);
        let grandparents = then(&parents, &parents);
        let grandchildren = then(&children, &children);
        self.kin = KINDS
            .iter()
            .map(|kind| match kind {
                Kind::Parent => parents.clone(),
                Kind::Child => children.clone(),
                Kind::Spouse => spouse.clone(),
                Kind::Sibling => siblings.clone(),
                Kind::Grandparent => grandparents.clone(),
                Kind::FathersParent => then(&fathers, &parents),
                Kind::MothersParent => then(&mothers, &parents),
                Kind::Grandchild => grandchildren.clone(),
                Kind::GreatGrandparent => then(&grandparents, &parents),
                Kind::GreatGrandchild => then(&grandchildren, &children),
                Kind::Uncle => then(&parents, &around),
                Kind::FathersSide => then(&fathers, &around),
                Kind::MothersSide => then(&mothers, &around),
                Kind::Nephew => then(&near, &children),
                Kind::GreatUncle => then(&grandparents, &around),
                Kind::GreatNephew => then(&near, &grandchildren),
                Kind::Cousin => then(&then(&parents, &siblings), &children),
                Kind::ParentInLaw => then(&spouse, &parents),
                Kind::ChildInLaw => then(&children, &spouse),
                Kind::SiblingInLaw => both(&theirs, &by_marriage),
            })
            .collect();
        for people in self.kin.iter_mut().flatten() {
            people.sort_unstable();
            people.dedup();
        }
        let bits = |people: &Vec<usize>| people.iter().fold(0, |bits, &n| bits | 1 << n);
        self.bits = self.kin.iter().map(|lists| lists.iter().map(bits).collect()).collect();
    }
}
