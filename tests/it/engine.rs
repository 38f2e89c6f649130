//! What holds for any requests: each distinct prefix is computed once, every path is whole in its pack, every row looks at
//! the keys of its own path and no others, and no budget changes what is asked.

use std::collections::{BTreeMap, HashSet};

use llscore::engine::pack::{Pack, ScoredRow};
use llscore::engine::trie::{ROOT, Trie};
use llscore::engine::{Plan, Request};
use llscore::model::kernels::attention::KEY_BLOCK;
use proptest::prelude::*;
use proptest::sample::Index;

/// A budget that nothing here reaches.
const UNLIMITED: usize = usize::MAX;

/// Requests like those of items: each takes some beginning of an earlier one and goes on by itself. Few distinct ids, so that
/// they also meet by chance; lengths on both sides of a block of keys.
fn requests() -> impl Strategy<Value = Vec<Request>> {
    let tail = prop_oneof![6 => 1usize..8, 2 => 1usize..40, 1 => 60usize..300];
    let one = (any::<Index>(), any::<Index>(), tail, any::<u64>(), any::<Index>());
    prop::collection::vec(one, 1..24).prop_map(|parts| {
        let mut all: Vec<Request> = Vec::new();
        for (of, keep, tail, seed, context) in parts {
            let mut ids = match all.len() {
                0 => Vec::new(),
                n => {
                    let earlier = all[of.index(n)].ids();
                    earlier[..keep.index(earlier.len() + 1)].to_vec()
                }
            };
            let mut state = seed;
            ids.extend((0..tail.max(2usize.saturating_sub(ids.len()))).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 62) as u32
            }));
            let context = 1 + context.index(ids.len() - 1);
            all.push(Request::new(ids, context).expect("a context and an ending"));
        }
        all
    })
}

fn budgets() -> impl Strategy<Value = usize> {
    prop_oneof![3 => 1usize..40, 3 => 40usize..400, 1 => Just(UNLIMITED)]
}

/// Every distinct beginning of what the model reads.
fn prefixes(requests: &[Request]) -> HashSet<&[u32]> {
    requests.iter().flat_map(|r| (1..=r.inputs().len()).map(|n| &r.inputs()[..n])).collect()
}

/// The rows on the path of each row, by the runs, root first; runs lie side by side and cover the pack.
fn paths(pack: &Pack) -> Vec<Vec<u32>> {
    let mut paths = Vec::new();
    for run in &pack.layout.runs {
        assert_eq!(run.rows.start as usize, paths.len(), "runs lie side by side");
        let path: Vec<u32> = run.path.iter().cloned().flatten().collect();
        let before = path.len() - run.rows.len();
        assert_eq!(path[before..], run.rows.clone().collect::<Vec<u32>>(), "a path ends in its own run");
        paths.extend((before + 1..=path.len()).map(|n| path[..n].to_vec()));
    }
    assert_eq!(paths.len(), pack.tokens.len(), "runs cover the pack");
    paths
}

/// The ids read up to each row, and that its position says how many those are.
fn texts(pack: &Pack) -> Vec<Vec<u32>> {
    assert_eq!(pack.layout.positions.len(), pack.tokens.len());
    let texts: Vec<Vec<u32>> =
        paths(pack).iter().map(|path| path.iter().map(|row| pack.tokens[*row as usize]).collect()).collect();
    for (row, text) in texts.iter().enumerate() {
        assert_eq!(pack.layout.positions[row] as usize, text.len() - 1);
    }
    texts
}

/// The keys that each row looks at, by the blocks: (position, row of the key), as they are visited.
fn keys(pack: &Pack) -> Vec<Vec<(u32, u32)>> {
    let mut keys = vec![Vec::new(); pack.tokens.len()];
    for block in &pack.layout.key_blocks {
        assert_eq!(block.start as usize % KEY_BLOCK, 0, "blocks begin at fixed positions");
        assert!((1..=KEY_BLOCK).contains(&(block.len as usize)));
        let rows: Vec<u32> = block.rows.iter().cloned().flatten().collect();
        assert_eq!(rows.len(), block.len as usize);
        for query in block.queries.clone() {
            let own = pack.layout.positions[query as usize];
            let visible = (block.start..).zip(&rows).filter(|(position, _)| *position <= own);
            keys[query as usize].extend(visible.map(|(position, row)| (position, *row)));
        }
    }
    keys
}

/// What each slot of a plan asks: the ids read, and the id whose log-probability is taken. Fails unless each slot is asked
/// exactly once.
fn asked(plan: &Plan) -> BTreeMap<u32, (Vec<u32>, u32)> {
    let mut asked = BTreeMap::new();
    for pack in &plan.packs {
        let texts = texts(pack);
        for ScoredRow { row, target, slots } in &pack.scored {
            for slot in slots {
                let earlier = asked.insert(*slot, (texts[*row as usize].clone(), *target));
                assert_eq!(earlier, None, "slot {slot} is scored twice");
            }
        }
    }
    asked
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// The trie holds every distinct prefix once, in runs as long as can be.
    #[test]
    fn a_trie_holds_each_prefix_once(requests in requests()) {
        let with_slots: Vec<_> = requests.iter().map(|r| (r, 0)).collect();
        let trie = Trie::new(&with_slots);
        prop_assert_eq!(trie.tokens(), prefixes(&requests).len());
        for (i, node) in trie.nodes().iter().enumerate() {
            let i = i as u32;
            if i != ROOT {
                let parent = &trie.nodes()[node.parent.expect("only the root has none") as usize];
                prop_assert!(parent.children.contains(&i) && !node.tokens.is_empty() && node.children.len() != 1);
                prop_assert_eq!(node.start, parent.start + parent.tokens.len() as u32);
            }
            let first: HashSet<u32> = node.children.iter().map(|c| trie.nodes()[*c as usize].tokens[0]).collect();
            prop_assert_eq!(first.len(), node.children.len(), "no two children begin alike");
        }
    }

    /// Without a budget: one pack, and each distinct prefix is computed once, whatever the requests' order.
    #[test]
    fn without_a_budget_each_prefix_is_computed_once(requests in requests()) {
        let plan = Plan::new(&requests, UNLIMITED);
        prop_assert_eq!(plan.packs.len(), 1);
        let rows = texts(&plan.packs[0]);
        prop_assert_eq!(rows.len(), prefixes(&requests).len());
        let rows: HashSet<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        prop_assert_eq!(rows, prefixes(&requests));
        prop_assert_eq!((plan.computed(), plan.repeated()), (prefixes(&requests).len(), 0));
    }

    /// Each slot of each request is scored exactly once, after exactly its request's ids, under any budget.
    #[test]
    fn a_budget_changes_nothing_that_is_asked(requests in requests(), budget in budgets()) {
        let plan = Plan::new(&requests, budget);
        let asked = asked(&plan);
        prop_assert_eq!(plan.slots.len(), requests.len());
        let mut expected = 0;
        for (request, slots) in requests.iter().zip(&plan.slots) {
            prop_assert_eq!(slots.clone(), expected..expected + request.targets().len());
            expected = slots.end;
            for (slot, at) in slots.clone().zip(request.context_len()..) {
                let (read, target) = &asked[&(slot as u32)];
                prop_assert_eq!(read.as_slice(), &request.ids()[..at]);
                prop_assert_eq!(*target, request.ids()[at]);
            }
        }
        prop_assert_eq!((plan.scored(), asked.len()), (expected, expected));
        prop_assert_eq!(plan.requested, requests.iter().map(|r| r.ids().len() - 1).sum::<usize>());
        prop_assert_eq!(plan.positions, requests.iter().map(|r| r.ids().len() - 1).max().unwrap_or(0));
        for pack in &plan.packs {
            prop_assert!(pack.scored.is_sorted_by(|a, b| (a.row, a.target) < (b.row, b.target)));
        }
    }

    /// A pack keeps to the budget unless it is one path that alone exceeds it; nothing is in a pack twice; what is in
    /// several is counted; and all of it together is never more than separate passes would compute.
    #[test]
    fn packs_keep_to_the_budget_and_repeat_little(requests in requests(), budget in budgets()) {
        let plan = Plan::new(&requests, budget);
        let mut seen: HashSet<Vec<u32>> = HashSet::new();
        for pack in &plan.packs {
            let texts = texts(pack);
            let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
            prop_assert!(!texts.is_empty());
            prop_assert!(texts.len() <= budget || texts.len() == longest, "{} rows, budget {budget}", texts.len());
            let here: HashSet<Vec<u32>> = texts.iter().cloned().collect();
            prop_assert_eq!(here.len(), texts.len(), "a prefix is twice in a pack");
            prop_assert_eq!(here.intersection(&seen).count(), pack.repeated);
            prop_assert!(!here.is_subset(&seen), "a pack that computes nothing new");
            seen.extend(here);
        }
        prop_assert_eq!(seen.len(), prefixes(&requests).len());
        prop_assert_eq!(plan.computed(), seen.len() + plan.repeated());
        prop_assert!(plan.computed() <= plan.requested, "{} of {}", plan.computed(), plan.requested);
    }

    /// Every row looks at each position up to its own, once, in order, at the rows of its own path; and always in the same
    /// blocks of positions, so that its sums have the same order in any company.
    #[test]
    fn a_row_looks_at_its_own_path(requests in requests(), budget in budgets()) {
        for pack in &Plan::new(&requests, budget).packs {
            for (path, keys) in paths(pack).iter().zip(keys(pack)) {
                let expected: Vec<(u32, u32)> = (0..).zip(path.iter().copied()).collect();
                prop_assert_eq!(keys, expected);
            }
            for row in 0..pack.tokens.len() as u32 {
                let blocks: Vec<u32> =
                    pack.layout.key_blocks.iter().filter(|b| b.queries.contains(&row)).map(|b| b.start).collect();
                let own = pack.layout.positions[row as usize];
                prop_assert_eq!(blocks, (0..=own).step_by(KEY_BLOCK).collect::<Vec<u32>>());
            }
        }
    }
}

#[test]
fn a_request_needs_a_context_and_an_ending() {
    for (ids, context) in [(vec![1, 2], 0), (vec![1, 2], 2), (vec![1, 2], 3), (vec![], 0), (vec![1], 1)] {
        assert!(Request::new(ids, context).is_err());
    }
}
