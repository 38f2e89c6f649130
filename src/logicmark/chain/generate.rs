//! Makes items: a rule pattern, four copies of it, names and nouns put on, sentences shuffled.

use serde_json::json;

use super::words::{NAMES, NOUNS};
use crate::item::Item;
use crate::logicmark::{Draw, Spec};

/// People, copies of the pattern, and endings.
const COPIES: usize = 4;
/// Rules in each copy, and so the deepest derivation there can be.
pub(super) const RULES_PER_COPY: u32 = 8;

/// `spec.items` items for each depth.
pub(super) fn generate(spec: &Spec) -> Vec<Item> {
    spec.hops.clone().flat_map(|hops| (0..spec.items).map(move |index| item(spec.seed, hops, index))).collect()
}

/// One item; it depends on its own seed, depth and index alone.
fn item(seed: u64, hops: u32, index: u32) -> Item {
    let mut draw = Draw::new(seed, stream(hops, index));
    let pattern = Pattern::new(&mut draw, hops as usize);
    let names = draw.sample(&NAMES, COPIES);
    let nouns = draw.sample(&NOUNS, COPIES * pattern.nodes);
    let noun = |copy: usize, node: usize| nouns[copy % COPIES * pattern.nodes + node];

    let mut sentences: Vec<String> = (0..COPIES).map(|copy| fact(names[copy], noun(copy, 0))).collect();
    for copy in 0..COPIES {
        for edge in &pattern.edges {
            sentences.push(rule(noun(copy, edge.from), noun(copy + edge.turn, edge.to)));
        }
    }
    draw.shuffle(&mut sentences);

    // Copy 0 is the one asked about: names, nouns and sentences are in random order, so it is as good as any.
    let hops_at = hops as usize;
    let label = label(seed, hops, index);
    let mut wrong: Vec<usize> = (1..COPIES).collect();
    draw.shuffle(&mut wrong);
    wrong.insert(label, 0);
    let endings = wrong.iter().map(|&copy| noun(copy, hops_at).to_string()).collect();

    // The seed keeps items of a train file apart from those that are scored.
    let id = format!("chain-s{seed}-h{hops}-{index:04}");
    Item {
        group: id.clone(),
        id,
        task: "chain".to_string(),
        variant: "base".to_string(),
        hops,
        extra_hops: 0,
        context: format!("{} Therefore, {} is a", sentences.join(" "), names[0]),
        question: None,
        endings,
        label,
        certificate: Some(json!({
            "method": "forward-chaining",
            "claim": fact(names[0], noun(0, hops_at)),
            "facts": [fact(names[0], noun(0, 0))],
            "rules": (1..=hops_at).map(|n| rule(noun(0, n - 1), noun(0, n))).collect::<Vec<_>>(),
            "derivation": (1..=hops_at).map(|n| fact(names[0], noun(0, n))).collect::<Vec<_>>(),
            "derivation_length": hops,
        })),
        meta: None,
    }
}

fn fact(name: &str, noun: &str) -> String {
    format!("{name} is a {noun}.")
}

fn rule(from: &str, to: &str) -> String {
    format!("Every {from} is a {to}.")
}

/// A stream of its own for each item.
fn stream(hops: u32, index: u32) -> u64 {
    u64::from(hops) << 32 | u64::from(index)
}

/// The right ending's position: each run of four items of a depth has all four, in an order of its own.
fn label(seed: u64, hops: u32, index: u32) -> usize {
    let block = index / COPIES as u32;
    let mut order: [usize; COPIES] = std::array::from_fn(|n| n);
    Draw::new(seed, 1 << 63 | stream(hops, block)).shuffle(&mut order);
    order[index as usize % COPIES]
}

/// A rule of the pattern: from a node to a node of the copy `turn` places further round the ring.
struct Edge {
    from: usize,
    to: usize,
    turn: usize,
}

/// The rules of one copy. Nodes 0 to `hops` are the derivation, node 0 is stated of the person, node `hops` is the
/// ending; the other nodes lead nowhere.
struct Pattern {
    nodes: usize,
    edges: Vec<Edge>,
}

impl Pattern {
    /// The derivation of `hops` rules, and as many others as it takes to make [`RULES_PER_COPY`].
    ///
    /// A rule is only ever added *from* a new node or *to* a new node. So nothing new leads into what follows from the
    /// person's fact, every node has at most one derivation, and the shortest one of the ending stays `hops` long.
    fn new(draw: &mut Draw, hops: usize) -> Self {
        let edges = (0..hops).map(|n| Edge { from: n, to: n + 1, turn: 0 }).collect();
        let mut pattern = Pattern { nodes: hops + 1, edges };
        let mut spare = RULES_PER_COPY as usize - hops;
        // Two rules from a new noun, into this copy and into another: they tie the copies together, so that being
        // connected to the person, in whichever direction, says nothing.
        if spare >= 2 {
            let turn = 1 + draw.below(COPIES - 1);
            let (here, there) = (draw.below(pattern.nodes), draw.below(pattern.nodes));
            let new = pattern.nodes;
            pattern.edges.push(Edge { from: new, to: here, turn: 0 });
            pattern.edges.push(Edge { from: new, to: there, turn });
            pattern.nodes += 1;
            spare -= 2;
        }
        for _ in 0..spare {
            let (new, old) = (pattern.nodes, draw.below(pattern.nodes));
            let (from, to) = if draw.below(2) == 0 { (old, new) } else { (new, old) };
            pattern.edges.push(Edge { from, to, turn: 0 });
            pattern.nodes += 1;
        }
        pattern
    }
}
