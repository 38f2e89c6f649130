//! The trie to packs: whole root-to-leaf paths under a token budget, flattened depth-first.
//!
//! A subtree that fits into what is left of a pack goes in whole; one that fits into an empty pack begins a new one; a
//! larger one is split between its children, and the ancestors that they share are repeated. A path longer than the
//! budget forms a pack of its own.

use std::collections::BTreeMap;
use std::ops::Range;

use super::request::Request;
use super::trie::{Node, ROOT, Trie};
use crate::model::attention::{PackLayout, RunPath};
use crate::model::kernels::attention::{KEY_BLOCK, KeyBlock};
use crate::model::spec::DecoderSpec;

/// Tokens that are computed together.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// The token of each row.
    pub tokens: Vec<u32>,
    /// Where the rows stand and what they see.
    pub layout: PackLayout,
    /// The rows to be scored, ascending, with their targets.
    pub scored: Vec<ScoredRow>,
    /// Rows that an earlier pack has computed too.
    pub repeated: usize,
    /// The length class of its requests ([`DecoderSpec::length_class`]).
    pub class: usize,
}

/// A target of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredRow {
    /// The predicting row.
    pub row: u32,
    /// The id whose log-probability is asked for.
    pub target: u32,
    /// The slots that want it.
    pub slots: Vec<u32>,
}

/// All packs of some requests.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The packs, in the order of computation.
    pub packs: Vec<Pack>,
    /// Slots of each request: one for each scored token.
    pub slots: Vec<Range<usize>>,
    /// Number of inputs that separate passes would need.
    pub requested: usize,
    /// Highest position plus one.
    pub positions: usize,
}

impl Plan {
    /// Plans the computation of some requests in packs of at most `budget` tokens, where the length of a request does not
    /// matter.
    pub fn new(requests: &[Request], budget: usize) -> Self {
        Self::by_class(requests, budget, |_| 0)
    }

    /// As [`Plan::new`], for a model in which it may matter: only requests of one class share tokens.
    pub fn for_model(requests: &[Request], budget: usize, spec: &DecoderSpec) -> Self {
        Self::by_class(requests, budget, |n| spec.length_class(n))
    }

    fn by_class(requests: &[Request], budget: usize, class: impl Fn(usize) -> usize) -> Self {
        let mut next = 0;
        let slots = requests.iter().map(|r| {
            let from = next;
            next += r.targets().len();
            from..next
        });
        let slots: Vec<Range<usize>> = slots.collect();
        let mut classes: BTreeMap<usize, Vec<(&Request, u32)>> = BTreeMap::new();
        for (request, slots) in requests.iter().zip(&slots) {
            classes.entry(class(request.ids().len())).or_default().push((request, slots.start as u32));
        }
        let packs = classes.into_iter().flat_map(|(class, requests)| {
            let mut packs = pack(&Trie::new(&requests), budget);
            packs.iter_mut().for_each(|p| p.class = class);
            packs
        });
        Self {
            packs: packs.collect(),
            slots,
            requested: requests.iter().map(|r| r.inputs().len()).sum(),
            positions: requests.iter().map(|r| r.inputs().len()).max().unwrap_or(0),
        }
    }
    /// Number of tokens that are computed, repeated ones included.
    pub fn computed(&self) -> usize {
        self.packs.iter().map(|p| p.tokens.len()).sum()
    }
    /// Number of tokens that are computed more than once.
    pub fn repeated(&self) -> usize {
        self.packs.iter().map(|p| p.repeated).sum()
    }
    /// Number of scored tokens.
    pub fn scored(&self) -> usize {
        self.slots.last().map_or(0, |r| r.end)
    }
}

/// Tokens in each node's subtree.
fn subtree_sizes(nodes: &[Node]) -> Vec<usize> {
    let mut order = vec![ROOT];
    let mut at = 0;
    while at < order.len() {
        order.extend(&nodes[order[at] as usize].children);
        at += 1;
    }
    let mut sizes: Vec<usize> = nodes.iter().map(|n| n.tokens.len()).collect();
    for &node in order.iter().rev() {
        if let Some(parent) = nodes[node as usize].parent {
            sizes[parent as usize] += sizes[node as usize];
        }
    }
    sizes
}

/// The pack that is being filled, and those that are full.
struct Filling<'a> {
    nodes: &'a [Node],
    budget: usize,
    /// The runs of this pack, depth-first.
    runs: Vec<u32>,
    tokens: usize,
    /// Whether a node is in this pack.
    inside: Vec<bool>,
    /// Whether a node is in a pack that is full.
    computed: Vec<bool>,
    packs: Vec<Pack>,
}

impl Filling<'_> {
    /// Ancestors of a node that this pack lacks, root first.
    fn missing(&self, node: u32) -> Vec<u32> {
        let mut missing = Vec::new();
        let mut at = self.nodes[node as usize].parent;
        while let Some(a) = at.filter(|a| *a != ROOT && !self.inside[*a as usize]) {
            missing.push(a);
            at = self.nodes[a as usize].parent;
        }
        missing.reverse();
        missing
    }
    /// Whether `size` tokens from a node on, and its missing ancestors, go into this pack.
    fn fits(&self, node: u32, size: usize) -> bool {
        let above: usize = self.missing(node).iter().map(|n| self.nodes[*n as usize].tokens.len()).sum();
        self.tokens + above + size <= self.budget
    }
    /// Whether they would go into an empty one.
    fn fits_alone(&self, node: u32, size: usize) -> bool {
        self.nodes[node as usize].start as usize + size <= self.budget
    }
    fn add(&mut self, node: u32) {
        for n in self.missing(node).into_iter().chain([node]).filter(|n| *n != ROOT) {
            self.inside[n as usize] = true;
            self.runs.push(n);
            self.tokens += self.nodes[n as usize].tokens.len();
        }
    }
    fn close(&mut self) {
        let runs = std::mem::take(&mut self.runs);
        if self.tokens > 0 {
            self.packs.push(flatten(self.nodes, &runs, &self.computed));
        }
        for r in runs {
            self.inside[r as usize] = false;
            self.computed[r as usize] = true;
        }
        self.tokens = 0;
    }
}

fn pack(trie: &Trie, budget: usize) -> Vec<Pack> {
    let nodes = trie.nodes();
    let sizes = subtree_sizes(nodes);
    let none = vec![false; nodes.len()];
    let mut filling =
        Filling { nodes, budget, runs: Vec::new(), tokens: 0, inside: none.clone(), computed: none, packs: Vec::new() };
    let mut stack = vec![ROOT];
    while let Some(node) = stack.pop() {
        let (n, size) = (&nodes[node as usize], sizes[node as usize]);
        if !filling.fits(node, size) && filling.fits_alone(node, size) {
            filling.close();
        }
        if filling.fits(node, size) {
            let mut whole = vec![node];
            while let Some(m) = whole.pop() {
                filling.add(m);
                whole.extend(nodes[m as usize].children.iter().rev());
            }
            continue;
        }
        // Too large for any pack. Its children bring its first run along, each as an ancestor where their pack lacks it; a
        // path that ends here is longer than the budget and forms a pack of its own.
        if n.children.is_empty() {
            filling.close();
            filling.add(node);
        }
        stack.extend(n.children.iter().rev());
    }
    filling.close();
    filling.packs
}

/// The rows of some runs (depth-first, ancestors first); what a computed run has to score was scored there.
fn flatten(nodes: &[Node], runs: &[u32], computed: &[bool]) -> Pack {
    let mut pack = Pack::default();
    let mut at = vec![u32::MAX; nodes.len()];
    let mut placed: Vec<Placed> = Vec::with_capacity(runs.len());
    for (i, &r) in runs.iter().enumerate() {
        let node = &nodes[r as usize];
        let from = pack.tokens.len() as u32;
        pack.tokens.extend(&node.tokens);
        pack.layout.positions.extend(node.start..node.start + node.tokens.len() as u32);
        let rows = from..pack.tokens.len() as u32;
        let parent = node.parent.filter(|p| *p != ROOT).map(|p| at[p as usize] as usize);
        at[r as usize] = i as u32;
        if computed[r as usize] {
            pack.repeated += node.tokens.len();
        } else {
            pack.scored.extend(node.scored.iter().map(|s| ScoredRow {
                row: from + s.offset,
                target: s.target,
                slots: s.slots.clone(),
            }));
        }
        placed.push(Placed { subtree_end: rows.end, rows, start: node.start, parent });
    }
    for i in (0..placed.len()).rev() {
        if let Some(p) = placed[i].parent {
            placed[p].subtree_end = placed[p].subtree_end.max(placed[i].subtree_end);
        }
    }
    pack.scored.sort_by_key(|s| (s.row, s.target));
    for (i, run) in placed.iter().enumerate() {
        let end = run.start + run.rows.len() as u32;
        pack.layout.runs.push(RunPath { rows: run.rows.clone(), path: path(&placed, i, 0..end) });
        key_blocks(&placed, i, &mut pack.layout.key_blocks);
    }
    pack
}

/// A run in a pack.
struct Placed {
    rows: Range<u32>,
    start: u32,
    parent: Option<usize>,
    /// One past the last row of the runs below it.
    subtree_end: u32,
}

/// Where the keys of some positions on the path of a run are, in the order of positions.
fn path(placed: &[Placed], run: usize, positions: Range<u32>) -> Vec<Range<u32>> {
    let mut ranges = Vec::new();
    let mut at = Some(run);
    while let Some(i) = at {
        let p = &placed[i];
        let (from, to) = (p.start.max(positions.start), (p.start + p.rows.len() as u32).min(positions.end));
        if from < to {
            ranges.push(p.rows.start + from - p.start..p.rows.start + to - p.start);
        }
        at = if p.start > positions.start { p.parent } else { None };
    }
    ranges.reverse();
    ranges
}

/// The blocks of keys that end in a run. Its own rows look at the block they are in; everything after a full block, in
/// the run and below it, looks at the whole of it.
fn key_blocks(placed: &[Placed], run: usize, out: &mut Vec<KeyBlock>) {
    let p = &placed[run];
    let block = KEY_BLOCK as u32;
    let end = p.start + p.rows.len() as u32;
    let row = |position: u32| p.rows.start + position - p.start;
    for start in (p.start / block * block..end).step_by(KEY_BLOCK) {
        let last = (start + block).min(end);
        let rows = path(placed, run, start..last);
        let own = row(start.max(p.start))..row(last);
        out.push(KeyBlock { start, len: last - start, rows: rows.clone(), queries: own.clone() });
        if last == start + block && own.end < p.subtree_end {
            out.push(KeyBlock { start, len: block, rows, queries: own.end..p.subtree_end });
        }
    }
}
