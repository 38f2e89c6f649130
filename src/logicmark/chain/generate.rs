//! Makes items: a rule pattern, four copies of it, names and nouns put on, sentences shuffled.

use serde_json::{Value, json};

use super::reword;
use super::words::{NAMES, NOUNS};
use crate::logic::Formula;
use crate::logicmark::{Draw, Slot, Wording};

/// People, copies of the pattern, and endings.
pub(super) const COPIES: usize = 4;
/// Rules in each copy: three more than the deepest derivation has, so that the deepest items too are of many shapes.
const RULES_PER_COPY: usize = 11;

/// One group.
pub(super) fn draw(draw: &mut Draw, slot: &Slot) -> Option<Vec<Wording>> {
    let hops = slot.hops as usize;
    let pattern = Pattern::new(draw, hops);
    let names = draw.sample(&NAMES, COPIES);
    let nouns = draw.sample(&NOUNS, COPIES * pattern.nodes);
    let noun = |copy: usize, node: usize| nouns[copy % COPIES * pattern.nodes + node];

    // Each sentence plain and reworded; the same places of the four copies are reworded alike, so that the ring stays whole.
    let mut sentences: Vec<(String, String)> = Vec::new();
    let mut steps: Vec<Vec<&str>> = Vec::new();
    let facts: Vec<Formula> = (0..COPIES).map(|copy| reword::fact(names[copy], noun(copy, 0))).collect();
    let (reworded, rewrites) = reword::alike(draw, &facts)?;
    steps.push(rewrites);
    sentences.extend((0..COPIES).map(|copy| fact(names[copy], noun(copy, 0))).zip(reworded));
    for (at, edge) in pattern.edges.iter().enumerate() {
        let ends = |copy: usize| (noun(copy, edge.from), noun(copy + edge.turn, edge.to));
        let rules: Vec<Formula> = (0..COPIES).map(|copy| reword::rule(ends(copy).0, ends(copy).1)).collect();
        let (reworded, rewrites) = reword::alike(draw, &rules)?;
        // The first edges are those of the derivation.
        if at < hops {
            steps.push(rewrites);
        }
        sentences.extend((0..COPIES).map(|copy| rule(ends(copy).0, ends(copy).1)).zip(reworded));
    }
    draw.shuffle(&mut sentences);

    // Copy 0 is the one asked about: names, nouns and sentences are in random order, so it is as good as any.
    let mut wrong: Vec<usize> = (1..COPIES).collect();
    draw.shuffle(&mut wrong);
    wrong.insert(slot.label, 0);
    let endings: Vec<String> = wrong.iter().map(|&copy| noun(copy, hops).to_string()).collect();
    let certificate = json!({
        "method": "forward-chaining",
        "claim": fact(names[0], noun(0, hops)),
        "facts": [fact(names[0], noun(0, 0))],
        "rules": (1..=hops).map(|n| rule(noun(0, n - 1), noun(0, n))).collect::<Vec<_>>(),
        "derivation": (1..=hops).map(|n| fact(names[0], noun(0, n))).collect::<Vec<_>>(),
        "derivation_length": hops,
    });
    let mut of_reworded = certificate.clone();
    of_reworded["rewrites"] = json!(steps);
    let (plain, reworded): (Vec<String>, Vec<String>) = sentences.into_iter().unzip();
    let wording = |extra: usize, sentences: &[String], certificate: Value| Wording {
        extra_hops: extra as u32,
        context: format!("{} Therefore, {} is a", sentences.join(" "), names[0]),
        question: None,
        endings: endings.clone(),
        certificate,
    };
    let extra = steps.iter().map(Vec::len).sum();
    Some(vec![wording(0, &plain, certificate), wording(extra, &reworded, of_reworded)])
}

fn fact(name: &str, noun: &str) -> String {
    format!("{name} is a {noun}.")
}

fn rule(from: &str, to: &str) -> String {
    format!("Every {from} is a {to}.")
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
        let mut spare = RULES_PER_COPY - hops;
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
