//! What follows from a puzzle: a chase over the family graph.
//!
//! Each statement adds the people that it speaks of; people are merged where a relation has room for one alone (father,
//! mother, spouse, "the only son"). Where a word has several meanings, each is a case of its own. A case that breaks a
//! convention is dropped. What holds in each case that is left holds in every family that fits the puzzle.

use super::puzzle::{Fact, Person, Puzzle, Step, Term};
use super::table::{Relation, Sex};

/// Most people in one case.
const PEOPLE: usize = 120;
/// Most cases looked at for one puzzle.
const CASES: usize = 4_000;
/// Most cases left at the end of one puzzle.
const LEFT: usize = 256;

/// Why a case is dropped: it breaks a convention.
struct Clash;
type Fits = Result<(), Clash>;

/// The puzzle has too many people or cases to be decided within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

#[derive(Clone, Debug, Default)]
struct Node {
    /// The person with whom this one was merged, if any.
    merged: Option<usize>,
    sex: Option<Sex>,
    named: bool,
    /// Father and mother.
    parents: Option<(usize, usize)>,
    spouse: Option<usize>,
}

#[derive(Clone, Debug)]
struct Only {
    owner: usize,
    relation: &'static Relation,
    who: Vec<usize>,
}

/// One case: a family of which only what the puzzle says is known.
#[derive(Clone, Debug, Default)]
pub struct Case {
    nodes: Vec<Node>,
    apart: Vec<(usize, usize)>,
    only: Vec<Only>,
}

/// What must hold for a person to stand in a relation, where the case does not say.
enum If {
    Sex(usize, Sex),
    Apart(usize, usize),
}

/// All cases of a puzzle that fit the conventions.
#[derive(Clone, Debug)]
pub struct Cases(Vec<Case>);

impl Cases {
    /// The cases of the puzzle.
    ///
    /// # Errors
    /// [`TooLarge`] if there are too many.
    pub fn of(puzzle: &Puzzle) -> Result<Self, TooLarge> {
        let mut start = Case::default();
        for person in &puzzle.people {
            start.nodes.push(Node { named: person.is_some(), ..Node::default() });
        }
        let mut budget = CASES;
        extend(vec![start], &puzzle.facts, &mut budget).map(Cases)
    }

    /// Whether nothing fits the puzzle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `who` is the `relation` of `of` in every family that fits (and some case is left).
    #[must_use]
    pub fn all(&self, who: Person, relation: &'static Relation, of: Person) -> bool {
        !self.is_empty() && self.0.iter().all(|case| case.holds(who, relation, of))
    }

    /// Whether `who` is the `relation` of `of` in no family that fits.
    ///
    /// # Errors
    /// [`TooLarge`] if that leads to too many cases.
    pub fn none(&self, who: Person, relation: &'static Relation, of: Person) -> Result<bool, TooLarge> {
        let term = Term { of, steps: vec![Step { relation, only: false }] };
        let mut budget = CASES;
        Ok(extend(self.0.clone(), &[Fact::Same(Term::just(who), term)], &mut budget)?.is_empty())
    }

    /// Whether the two are certainly different people.
    #[must_use]
    pub fn differ(&self, a: Person, b: Person) -> bool {
        self.0.iter().all(|case| case.different(a, b))
    }

    /// Whether the two are certainly one person.
    #[must_use]
    pub fn one(&self, a: Person, b: Person) -> bool {
        !self.is_empty() && self.0.iter().all(|case| case.find(a) == case.find(b))
    }

    /// The sex of a person, where it is certain.
    #[must_use]
    pub fn sex(&self, who: Person) -> Option<Sex> {
        let first = self.0.first()?.nodes[self.0[0].find(who)].sex?;
        self.0.iter().all(|case| case.nodes[case.find(who)].sex == Some(first)).then_some(first)
    }
}

/// Adds statements to cases, one after the other, then decides what an "only" leaves open.
fn extend(mut cases: Vec<Case>, facts: &[Fact], budget: &mut usize) -> Result<Vec<Case>, TooLarge> {
    for fact in facts {
        let mut next = Vec::new();
        for case in cases {
            for mut new in case.with(fact)? {
                *budget = budget.checked_sub(1).ok_or(TooLarge)?;
                if new.close().is_ok() {
                    next.push(new);
                }
            }
        }
        cases = next;
        if cases.len() > 2 * LEFT {
            return Err(TooLarge);
        }
    }
    let mut left = Vec::new();
    while let Some(mut case) = cases.pop() {
        *budget = budget.checked_sub(1).ok_or(TooLarge)?;
        if case.close().is_err() {
            continue;
        }
        match case.split() {
            None if left.len() == LEFT => return Err(TooLarge),
            None => left.push(case),
            Some(parts) => cases.extend(parts),
        }
    }
    Ok(left)
}

impl Case {
    /// The cases into which a statement leads, before they are closed.
    fn with(self, fact: &Fact) -> Result<Vec<Case>, TooLarge> {
        let mut case = self;
        let one = |case: Case, fits: Fits| if fits.is_ok() { vec![case] } else { Vec::new() };
        Ok(match fact {
            Fact::Is(who, sex) => {
                let fits = case.set_sex(*who, *sex);
                one(case, fits)
            }
            Fact::Apart(a, b) => {
                case.apart.push((*a, *b));
                vec![case]
            }
            Fact::Exactly(of, relation, who) => {
                let mut cases = vec![case];
                for person in who {
                    let term = Term { of: *of, steps: vec![Step { relation, only: false }] };
                    let mut next = Vec::new();
                    for case in cases {
                        next.extend(case.with(&Fact::Same(Term::just(*person), term.clone()))?);
                    }
                    cases = next;
                }
                for case in &mut cases {
                    case.only.push(Only { owner: *of, relation, who: who.clone() });
                }
                cases
            }
            Fact::Same(left, right) => {
                let mut cases = Vec::new();
                for (case, a) in case.walk(left)? {
                    for (mut case, b) in case.walk(right)? {
                        if case.merge(a, b).is_ok() {
                            cases.push(case);
                        }
                    }
                }
                cases
            }
        })
    }

    /// Where a term leads: its people are added, anew each time.
    fn walk(self, term: &Term) -> Result<Vec<(Case, usize)>, TooLarge> {
        let mut places = vec![(self, term.of)];
        for step in &term.steps {
            let mut next = Vec::new();
            if step.only && step.relation.several() {
                return Ok(next);
            }
            for (case, at) in places {
                for moves in step.relation.walks {
                    for (mut case, to) in case.clone().moves(at, moves, step.relation.sex)? {
                        if step.relation.sex.is_some_and(|sex| case.set_sex(to, sex).is_err()) {
                            continue;
                        }
                        if step.only {
                            case.only.push(Only { owner: at, relation: step.relation, who: vec![to] });
                        }
                        next.push((case, to));
                    }
                }
            }
            if next.len() > 2 * LEFT {
                return Err(TooLarge);
            }
            places = next;
        }
        Ok(places)
    }

    /// Where one walk of a word leads.
    fn moves(self, from: usize, moves: &str, sex: Option<Sex>) -> Result<Vec<(Case, usize)>, TooLarge> {
        let mut places = vec![(self, from)];
        for (n, step) in moves.bytes().enumerate() {
            let last = n + 1 == moves.len();
            let mut next = Vec::new();
            for (mut case, at) in places {
                if case.nodes.len() + 4 > PEOPLE {
                    return Err(TooLarge);
                }
                let at = case.find(at);
                match step {
                    b'F' | b'M' | b'P' => {
                        let (father, mother) = case.parents(at);
                        let sex = if last { sex } else { None };
                        if step == b'F' || step == b'P' && sex != Some(Sex::Female) {
                            next.push((case.clone(), father));
                        }
                        if step == b'M' || step == b'P' && sex != Some(Sex::Male) {
                            next.push((case, mother));
                        }
                    }
                    b'S' => {
                        let spouse = case.spouse(at);
                        next.push((case, spouse));
                    }
                    b'B' => {
                        let parents = case.parents(at);
                        let new = case.new_node(None);
                        case.nodes[new].parents = Some(parents);
                        case.apart.push((at, new));
                        next.push((case, new));
                    }
                    _ => {
                        // Whether as father or as mother, where the text does not say.
                        let sexes = case.nodes[at].sex.map_or(vec![Sex::Male, Sex::Female], |sex| vec![sex]);
                        for sex in sexes {
                            let mut case = case.clone();
                            if case.set_sex(at, sex).is_err() {
                                continue;
                            }
                            let other = case.spouse(at);
                            let new = case.new_node(None);
                            case.nodes[new].parents = Some(if sex == Sex::Male { (at, other) } else { (other, at) });
                            next.push((case, new));
                        }
                    }
                }
            }
            places = next;
        }
        Ok(places)
    }

    fn new_node(&mut self, sex: Option<Sex>) -> usize {
        self.nodes.push(Node { sex, ..Node::default() });
        self.nodes.len() - 1
    }

    fn find(&self, mut at: usize) -> usize {
        while let Some(next) = self.nodes[at].merged {
            at = next;
        }
        at
    }

    /// Father and mother; everybody has them.
    fn parents(&mut self, of: usize) -> (usize, usize) {
        let of = self.find(of);
        if let Some(parents) = self.nodes[of].parents {
            return parents;
        }
        let (father, mother) = (self.new_node(Some(Sex::Male)), self.new_node(Some(Sex::Female)));
        self.nodes[father].spouse = Some(mother);
        self.nodes[mother].spouse = Some(father);
        self.nodes[of].parents = Some((father, mother));
        (father, mother)
    }

    /// The spouse, who is added where the text speaks of one.
    fn spouse(&mut self, of: usize) -> usize {
        let of = self.find(of);
        if let Some(spouse) = self.nodes[of].spouse {
            return spouse;
        }
        let new = self.new_node(self.nodes[of].sex.map(Sex::other));
        self.nodes[of].spouse = Some(new);
        self.nodes[new].spouse = Some(of);
        new
    }

    fn set_sex(&mut self, of: usize, sex: Sex) -> Fits {
        let of = self.find(of);
        match self.nodes[of].sex {
            Some(old) if old != sex => Err(Clash),
            Some(_) => Ok(()),
            None => {
                self.nodes[of].sex = Some(sex);
                self.nodes[of].spouse.map_or(Ok(()), |spouse| self.set_sex(spouse, sex.other()))
            }
        }
    }

    /// Makes two people one, and with them their parents and spouses.
    fn merge(&mut self, a: usize, b: usize) -> Fits {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        if self.nodes[a].named && self.nodes[b].named {
            return Err(Clash);
        }
        let gone = std::mem::take(&mut self.nodes[b]);
        self.nodes[b].merged = Some(a);
        self.nodes[a].named |= gone.named;
        if let Some(sex) = gone.sex {
            self.set_sex(a, sex)?;
        }
        match (self.nodes[a].parents, gone.parents) {
            (Some(old), Some(new)) => {
                self.merge(old.0, new.0)?;
                self.merge(old.1, new.1)?;
            }
            (None, new) => self.nodes[a].parents = new,
            _ => {}
        }
        let a = self.find(a);
        match (self.nodes[a].spouse, gone.spouse) {
            (Some(old), Some(new)) => self.merge(old, new)?,
            (None, Some(new)) => {
                self.nodes[a].spouse = Some(new);
                if let Some(sex) = self.nodes[a].sex {
                    self.set_sex(new, sex.other())?;
                } else if let Some(sex) = self.nodes[self.find(new)].sex {
                    self.set_sex(a, sex.other())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Merges whoever must be one, until nothing changes; then looks whether the conventions hold.
    fn close(&mut self) -> Fits {
        loop {
            let before = self.nodes.iter().filter(|node| node.merged.is_some()).count();
            for n in 0..self.nodes.len() {
                if self.nodes[n].merged.is_some() {
                    continue;
                }
                // Parents are married to each other; whose spouse somebody is, is that one's spouse.
                if let Some((father, mother)) = self.nodes[n].parents {
                    self.marry(father, mother)?;
                }
                if self.nodes[n].merged.is_none()
                    && let Some(spouse) = self.nodes[n].spouse
                {
                    self.marry(n, spouse)?;
                }
            }
            for n in 0..self.only.len() {
                let Only { owner, relation, who } = self.only[n].clone();
                let [one] = who[..] else { continue };
                for (member, ifs) in self.members(owner, relation) {
                    if ifs.iter().all(|open| self.settled(open)) {
                        self.merge(member, one)?;
                    }
                }
            }
            if self.nodes.iter().filter(|node| node.merged.is_some()).count() == before {
                break;
            }
        }
        self.lawful()
    }

    fn marry(&mut self, a: usize, b: usize) -> Fits {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Err(Clash);
        }
        for (one, other) in [(a, b), (b, a)] {
            let one = self.find(one);
            match self.nodes[one].spouse {
                Some(old) => self.merge(old, other)?,
                None => self.nodes[one].spouse = Some(other),
            }
        }
        for (one, other) in [(a, b), (b, a)] {
            if let Some(sex) = self.nodes[self.find(one)].sex {
                self.set_sex(other, sex.other())?;
            }
        }
        Ok(())
    }

    /// Nobody is told apart from himself, generations agree, and no couple has a common ancestor.
    fn lawful(&self) -> Fits {
        if self.apart.iter().any(|&(a, b)| self.find(a) == self.find(b)) {
            return Err(Clash);
        }
        self.levels().ok_or(Clash)?;
        let mut ancestors = vec![None; self.nodes.len()];
        for n in 0..self.nodes.len() {
            if self.nodes[n].merged.is_none()
                && let Some(spouse) = self.nodes[n].spouse
                && self.ancestors(n, &mut ancestors) & self.ancestors(self.find(spouse), &mut ancestors) != 0
            {
                return Err(Clash);
            }
        }
        Ok(())
    }

    /// A person and all ancestors, as bits. Ends, since generations agree.
    fn ancestors(&self, of: usize, known: &mut Vec<Option<u128>>) -> u128 {
        if let Some(bits) = known[of] {
            return bits;
        }
        let mut bits = 1u128 << of;
        if let Some((father, mother)) = self.nodes[of].parents {
            bits |= self.ancestors(self.find(father), known) | self.ancestors(self.find(mother), known);
        }
        known[of] = Some(bits);
        bits
    }

    /// For each person a component of the graph and the generation in it, if generations agree.
    fn levels(&self) -> Option<Vec<(usize, i32)>> {
        let mut near: Vec<Vec<(usize, i32)>> = vec![Vec::new(); self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.merged.is_none()) {
            let parents = node.parents.map_or([None; 2], |(father, mother)| [Some((father, -1)), Some((mother, -1))]);
            for (other, by) in parents.into_iter().flatten().chain(node.spouse.map(|spouse| (spouse, 0))) {
                let other = self.find(other);
                near[n].push((other, by));
                near[other].push((n, -by));
            }
        }
        let mut levels: Vec<Option<(usize, i32)>> = vec![None; self.nodes.len()];
        for start in 0..self.nodes.len() {
            if levels[start].is_some() || self.nodes[start].merged.is_some() {
                continue;
            }
            levels[start] = Some((start, 0));
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                let level = levels[at]?.1;
                for &(other, by) in &near[at] {
                    match levels[other] {
                        None => {
                            levels[other] = Some((start, level + by));
                            open.push(other);
                        }
                        Some((_, old)) if old != level + by => return None,
                        Some(_) => {}
                    }
                }
            }
        }
        Some((0..self.nodes.len()).map(|n| levels[self.find(n)].unwrap_or((n, 0))).collect())
    }

    /// Who stands in a relation to a person, of those in the case, and on what conditions.
    fn members(&self, of: usize, relation: &Relation) -> Vec<(usize, Vec<If>)> {
        let mut found = Vec::new();
        for walk in relation.walks {
            let mut places: Vec<(usize, Vec<(usize, usize)>)> = vec![(self.find(of), Vec::new())];
            for step in walk.bytes() {
                let mut next = Vec::new();
                for (at, apart) in places {
                    let node = &self.nodes[at];
                    let mut to = |to: usize| next.push((self.find(to), apart.clone()));
                    match step {
                        b'S' => node.spouse.into_iter().for_each(&mut to),
                        b'F' => node.parents.into_iter().for_each(|(father, _)| to(father)),
                        b'M' => node.parents.into_iter().for_each(|(_, mother)| to(mother)),
                        b'P' => node.parents.into_iter().for_each(|(father, mother)| {
                            to(father);
                            to(mother);
                        }),
                        b'C' => self.children(at).into_iter().for_each(to),
                        _ => {
                            let Some((father, _)) = node.parents else { continue };
                            for sibling in self.children(self.find(father)).into_iter().filter(|n| *n != at) {
                                let mut apart = apart.clone();
                                apart.push((at, sibling));
                                next.push((sibling, apart));
                            }
                        }
                    }
                }
                places = next;
            }
            for (at, apart) in places {
                let mut ifs: Vec<If> = apart.into_iter().map(|(a, b)| If::Apart(a, b)).collect();
                match (relation.sex, self.nodes[at].sex) {
                    (Some(sex), Some(is)) if sex != is => continue,
                    (Some(sex), None) => ifs.push(If::Sex(at, sex)),
                    _ => {}
                }
                found.push((at, ifs));
            }
        }
        found
    }

    fn children(&self, of: usize) -> Vec<usize> {
        let child = |node: &Node| node.parents.is_some_and(|(f, m)| self.find(f) == of || self.find(m) == of);
        (0..self.nodes.len()).filter(|&n| self.nodes[n].merged.is_none() && child(&self.nodes[n])).collect()
    }

    /// Whether a condition is sure to hold, at a glance.
    fn settled(&self, open: &If) -> bool {
        match *open {
            If::Sex(..) => false,
            If::Apart(a, b) => self.told_apart(a, b),
        }
    }

    fn told_apart(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.nodes[self.find(a)], &self.nodes[self.find(b)]);
        let pair = [self.find(a), self.find(b)];
        x.named && y.named && pair[0] != pair[1]
            || x.sex.is_some() && y.sex.is_some() && x.sex != y.sex
            || self.apart.iter().any(|&(c, d)| {
                let other = [self.find(c), self.find(d)];
                other == pair || other == [pair[1], pair[0]]
            })
    }

    /// Whether two people are certainly different: merging them breaks a convention.
    fn different(&self, a: usize, b: usize) -> bool {
        if self.told_apart(a, b) {
            return true;
        }
        let mut merged = self.clone();
        self.find(a) != self.find(b) && (merged.merge(a, b).is_err() || merged.close().is_err())
    }

    /// Whether the relation is certain in this case.
    fn holds(&self, who: usize, relation: &Relation, of: usize) -> bool {
        let who = self.find(who);
        self.members(of, relation).iter().any(|(member, ifs)| {
            *member == who
                && ifs.iter().all(|open| match *open {
                    If::Sex(..) => false,
                    If::Apart(a, b) => self.different(a, b),
                })
        })
    }

    /// Two or more cases that together are this one, where an "only" depends on what is not known; none if it does not.
    fn split(&self) -> Option<Vec<Case>> {
        for Only { owner, relation, who } in &self.only {
            let who: Vec<usize> = who.iter().map(|&n| self.find(n)).collect();
            for (member, ifs) in self.members(*owner, relation) {
                if who.contains(&member) {
                    continue;
                }
                let with = |change: &dyn Fn(&mut Case) -> Fits| {
                    let mut case = self.clone();
                    change(&mut case).is_ok().then_some(case)
                };
                let parts = match ifs.iter().find(|open| !self.settled(open)) {
                    Some(&If::Sex(n, sex)) => {
                        vec![with(&|case| case.set_sex(n, sex)), with(&|case| case.set_sex(n, sex.other()))]
                    }
                    Some(&If::Apart(a, b)) => vec![
                        with(&|case| case.merge(a, b)),
                        with(&|case| {
                            case.apart.push((a, b));
                            Ok(())
                        }),
                    ],
                    None => who.iter().map(|&n| with(&|case| case.merge(member, n))).collect(),
                };
                return Some(parts.into_iter().flatten().collect());
            }
        }
        None
    }
}
