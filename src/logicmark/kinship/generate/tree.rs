//! Puzzles about one family of which twelve people are named, tied to each other by eleven facts.

use super::chains::{Hop, ends, ways, weighted};
use super::family::Family;
use super::tell::{Fact, Form, OPENINGS, sentence, tells_owner, tells_person};
use super::words::{WORDS, Word, loose, word};
use super::{Square, names, question};
use crate::logicmark::Draw;

/// People with names.
const PEOPLE: usize = 12;
/// Trees tried in one draw.
const TREES: usize = 4;
/// People added with an eye to the answers.
const GUIDED: usize = 6;

/// Facts that tie named people into one tree; people are numbered by their place in `people`.
struct Tree<'a> {
    family: &'a Family,
    people: Vec<usize>,
    facts: Vec<Fact>,
}

/// One puzzle with these four answers, each at this depth.
pub(super) fn draw(draw: &mut Draw, hops: usize, endings: [&'static str; 4], mixed: bool) -> Option<Square> {
    let family = Family::new(draw);
    let words = endings.map(word);
    let (tree, pairs) = (0..TREES).find_map(|_| {
        let tree = Tree::new(draw, &family, hops, words)?;
        let pairs = tree.pairs(draw, hops, words)?;
        Some((tree, pairs))
    })?;
    let paths: Vec<Vec<usize>> = pairs.iter().map(|&(who, of)| tree.path(who, of)).collect();

    // The facts to be told in a roundabout way: on each of the four ways at least half of them.
    let mut all: Vec<usize> = paths.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    draw.shuffle(&mut all);
    let mut chosen: Vec<(usize, Vec<Hop>, Vec<Hop>)> = Vec::new();
    for fact in all {
        let short = |path: &&Vec<usize>| {
            path.contains(&fact) && 2 * path.iter().filter(|n| chosen.iter().any(|c| c.0 == **n)).count() < path.len()
        };
        if !paths.iter().any(|path| short(&path)) {
            continue;
        }
        if let (Some(one), Some(two)) = (tree.roundabout(draw, fact, &[2]), tree.roundabout(draw, fact, &[3, 4])) {
            chosen.push((fact, one, two));
        }
    }
    if paths.iter().any(|path| 2 * path.iter().filter(|n| chosen.iter().any(|c| c.0 == **n)).count() < path.len()) {
        return None;
    }

    let (manner, opening) = OPENINGS[draw.below(OPENINGS.len())];
    let mut forms: Vec<Form> = tree.facts.iter().map(|_| Form::new(draw, manner, opening)).collect();
    tree.tell_sexes(draw, &pairs, &mut forms)?;
    let male: Vec<bool> = tree.people.iter().map(|&n| tree.family.male[n]).collect();
    let names = if mixed { names::silent(draw, PEOPLE) } else { names::telling(draw, &male) };
    let mut order: Vec<usize> = (0..tree.facts.len()).collect();
    draw.shuffle(&mut order);

    let first = usize::from(!opening.is_empty());
    let mut contexts = [const { String::new() }; 3];
    let mut extra = [[0; 4]; 3];
    for (n, context) in contexts.iter_mut().enumerate() {
        let mut sentences: Vec<String> = Vec::new();
        if !opening.is_empty() {
            sentences.push(opening.to_string());
        }
        for &place in &order {
            let mut fact = tree.facts[place].clone();
            if let Some((_, one, two)) = chosen.iter().find(|c| n > 0 && c.0 == place) {
                fact.hops = if n == 1 { one.clone() } else { two.clone() };
                for (path, sum) in paths.iter().zip(&mut extra[n]) {
                    *sum += if path.contains(&place) { fact.hops.len() as u32 - 1 } else { 0 };
                }
            }
            let several = tree.several(&fact);
            sentences.push(sentence(&fact, forms[place], &names, &male, several));
        }
        *context = sentences.join(" ");
    }
    let ask = question(draw);
    let number = |fact: &usize| order.iter().position(|n| n == fact).unwrap_or_default() + 1 + first;
    let proof = |n: usize| {
        let mut facts = paths[n].clone();
        // Whatever says of what sex the person asked about is.
        facts.extend(tree.sex_told(pairs[n].0, &forms));
        let mut numbers: Vec<usize> = facts.iter().map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    Some(Square {
        endings,
        contexts,
        questions: [0, 1, 2, 3].map(|n| ask(names[pairs[n].0], names[pairs[n].1])),
        extra,
        proofs: [0, 1, 2, 3].map(proof),
    })
}

impl<'a> Tree<'a> {
    /// A tree that grows at random at first, then wherever it comes closer to having all four answers.
    fn new(draw: &mut Draw, family: &'a Family, hops: usize, words: [Word; 4]) -> Option<Self> {
        let mut tree = Tree { family, people: vec![draw.below(family.size())], facts: Vec::new() };
        for _ in 0..60 {
            if tree.people.len() + GUIDED > PEOPLE {
                break;
            }
            // The deeper the question, the longer the branches.
            let anchor = if draw.below(8) < hops { tree.people.len() - 1 } else { draw.below(tree.people.len()) };
            let word = weighted(draw);
            let near: Vec<usize> =
                family.who(word, tree.people[anchor]).into_iter().filter(|n| !tree.people.contains(n)).collect();
            if let Some(&new) = near.get(draw.below(near.len())) {
                let back = draw.below(2) == 0;
                tree.tie(draw, hops, anchor, new, back);
            }
        }
        while tree.people.len() < PEOPLE {
            let (anchor, new, back) = tree.best(draw, hops, words)?;
            tree.tie(draw, hops, anchor, new, back).then_some(())?;
        }
        Some(tree)
    }

    /// Adds a person by a fact about him and somebody who is in the tree, told from either side.
    fn tie(&mut self, draw: &mut Draw, hops: usize, anchor: usize, new: usize, back: bool) -> bool {
        let old = self.people[anchor];
        let (who, of) = if back { (old, new) } else { (new, old) };
        // Long ways are of plain words, or nothing follows from them.
        let plain = hops > 1 && draw.below(3 * hops) > 0;
        let fits = |word: &Word| WORDS[*word].weight > 0 && !(plain && loose(*word)) && self.family.is(who, *word, of);
        let Some(word) = (0..30).map(|_| weighted(draw)).find(fits).or_else(|| (0..WORDS.len()).find(fits)) else {
            return false;
        };
        self.people.push(new);
        let new = self.people.len() - 1;
        let (who, of) = if back { (anchor, new) } else { (new, anchor) };
        self.facts.push(Fact { who, of, hops: vec![(word, false)] });
        true
    }

    /// Where the tree should grow: somebody in it, somebody to add, and from which side to tell it.
    fn best(&self, draw: &mut Draw, hops: usize, words: [Word; 4]) -> Option<(usize, usize, bool)> {
        let found = self.found(hops, words).map(|pairs| !pairs.is_empty());
        let mut best: Vec<(usize, usize, bool)> = Vec::new();
        let mut most = 0;
        for anchor in 0..self.people.len() {
            let far = self.distances(anchor);
            let plain = |word: &Word| WORDS[*word].weight > 0 && (hops == 1 || !loose(*word));
            let near = self.family.bits((0..WORDS.len()).filter(plain), self.people[anchor]);
            for new in (0..self.family.size()).filter(|new| near >> new & 1 == 1 && !self.people.contains(new)) {
                let mut gains = [found, found];
                for other in (0..self.people.len()).filter(|&other| far[other] + 1 == hops) {
                    for (n, &word) in words.iter().enumerate() {
                        // A question of one fact asks for the other side of it.
                        gains[1][n] |= self.family.is(new, word, self.people[other]);
                        gains[0][n] |= self.family.is(self.people[other], word, new);
                        if hops > 1 {
                            let both = gains[0][n] || gains[1][n];
                            (gains[0][n], gains[1][n]) = (both, both);
                        }
                    }
                }
                for (side, gain) in gains.iter().enumerate() {
                    let gain = gain.iter().filter(|has| **has).count();
                    if gain > most {
                        most = gain;
                        best.clear();
                    }
                    if gain == most {
                        best.push((anchor, new, side == 1));
                    }
                }
            }
        }
        best.get(draw.below(best.len())).copied()
    }

    /// For each answer all pairs of people of whom it is right, so many facts apart.
    fn found(&self, hops: usize, words: [Word; 4]) -> [Vec<(usize, usize)>; 4] {
        let mut found: [Vec<(usize, usize)>; 4] = Default::default();
        for who in 0..self.people.len() {
            let far = self.distances(who);
            for of in (0..self.people.len()).filter(|&of| far[of] == hops) {
                let Some(n) = words.iter().position(|&word| self.family.is(self.people[who], word, self.people[of]))
                else {
                    continue;
                };
                // A question of one fact asks for the other side of it.
                if hops > 1 || self.facts.iter().any(|fact| (fact.of, fact.who) == (who, of)) {
                    found[n].push((who, of));
                }
            }
        }
        found
    }

    /// For each ending two people of whom it is the answer, so many facts apart.
    fn pairs(&self, draw: &mut Draw, hops: usize, words: [Word; 4]) -> Option<[(usize, usize); 4]> {
        let found = self.found(hops, words);
        let mut pairs = [(0, 0); 4];
        for (pair, found) in pairs.iter_mut().zip(&found) {
            *pair = *found.get(draw.below(found.len()))?;
        }
        Some(pairs)
    }

    /// How many facts away everybody is. Each person but the first comes after one to whom a fact ties him.
    fn distances(&self, from: usize) -> [usize; PEOPLE] {
        let mut far = [usize::MAX; PEOPLE];
        far[from] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for fact in &self.facts {
                for (a, b) in [(fact.who, fact.of), (fact.of, fact.who)] {
                    if far[a] != usize::MAX && far[b] == usize::MAX {
                        far[b] = far[a] + 1;
                        changed = true;
                    }
                }
            }
        }
        far
    }

    /// The facts on the way from one to the other.
    fn path(&self, who: usize, of: usize) -> Vec<usize> {
        let mut open = vec![(who, Vec::new())];
        while let Some((at, path)) = open.pop() {
            if at == of {
                return path;
            }
            for (n, fact) in self.facts.iter().enumerate().filter(|(n, _)| !path.contains(n)) {
                for (from, to) in [(fact.who, fact.of), (fact.of, fact.who)] {
                    if from == at {
                        let mut path = path.clone();
                        path.push(n);
                        open.push((to, path));
                    }
                }
            }
        }
        Vec::new()
    }

    /// Another way to tell a fact, true of this family.
    fn roundabout(&self, draw: &mut Draw, fact: usize, lengths: &[usize]) -> Option<Vec<Hop>> {
        let fact = &self.facts[fact];
        let (who, of) = (self.people[fact.who], self.people[fact.of]);
        let length = lengths[draw.below(lengths.len())];
        let ways = ways(fact.hops[0].0, length);
        (0..200).find_map(|_| {
            let way = ways.get(draw.below(ways.len()))?;
            ends(self.family, &way.hops, of).contains(&who).then(|| way.hops.clone())
        })
    }

    /// Whether there are several people whom the words of a fact fit.
    fn several(&self, fact: &Fact) -> bool {
        ends(self.family, &fact.hops, self.people[fact.of]).len() > 1
    }

    /// Changes forms until the sex of each person asked about is told.
    fn tell_sexes(&self, draw: &mut Draw, pairs: &[(usize, usize); 4], forms: &mut [Form]) -> Option<()> {
        for &(who, _) in pairs {
            if self.sex_told(who, forms).is_some() {
                continue;
            }
            let own: Vec<usize> = (0..self.facts.len()).filter(|&n| self.facts[n].of == who).collect();
            let n = *own.get(draw.below(own.len()))?;
            forms[n] = forms[n].telling_sex();
        }
        Some(())
    }

    /// A fact that tells somebody's sex.
    fn sex_told(&self, who: usize, forms: &[Form]) -> Option<usize> {
        (0..self.facts.len()).find(|&n| {
            let fact = &self.facts[n];
            fact.who == who && tells_person(fact, forms[n])
                || fact.of == who && forms[n].kind == 3 && tells_owner(fact, forms[n])
        })
    }
}
