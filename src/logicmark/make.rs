//! From a task's draws to its items: label positions, the split, ids; each group from a stream of its own.
//!
//! A group depends on seed, split, task, depth and its own index, and on the smaller indices of its depth only in that
//! it is never the same question as one of theirs. So more items keep the earlier ones.

use std::collections::HashSet;

use rayon::prelude::*;

use super::{Draw, Slot, Spec, Split, Task, Wording};
use crate::item::Item;
use crate::{Error, Result};

/// Draws for one group before giving up. Half of all draws fall into the other split, and a task may refuse most of
/// the rest.
const ATTEMPTS: u32 = 60_000;

/// The groups of one depth, in order.
pub(super) fn depth(task: &Task, spec: &Spec, hops: u32) -> Result<Vec<Item>> {
    // What each group would be if it stood alone is found in parallel; then, in order, those that repeat an earlier one
    // draw on.
    let first: Vec<Option<Candidate>> =
        (0..spec.items).into_par_iter().map(|index| candidate(task, spec, hops, index, 0)).collect();
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    for (index, mut found) in (0..).zip(first) {
        let group = loop {
            match found {
                None => {
                    return Err(Error::usage(format!(
                        "task `{}` has no more than {index} different groups of depth {hops} for seed {}; lower `--items`",
                        task.name, spec.seed
                    )));
                }
                Some(new) if seen.insert(new.key.clone()) => break new.items,
                Some(again) => found = candidate(task, spec, hops, index, again.attempt + 1),
            }
        };
        items.extend(group);
    }
    Ok(items)
}

/// A group of the right split.
struct Candidate {
    attempt: u32,
    key: String,
    items: Vec<Item>,
}

/// The first draw from `attempt` on that succeeds and falls into the split.
fn candidate(task: &Task, spec: &Spec, hops: u32, index: u32, attempt: u32) -> Option<Candidate> {
    let slot = Slot { hops, index, label: label(task, spec, hops, index) };
    (attempt..ATTEMPTS).find_map(|attempt| {
        let mut draw = Draw::new(key(task, spec), stream(hops, index, attempt));
        let wordings = (task.draw)(&mut draw, &slot)?;
        let items = items(task, spec, &slot, wordings);
        let signature = match (task.signature)(&items[0]) {
            Ok(signature) => signature,
            Err(reason) => panic!("{}: its own item cannot be read: {reason}\n{}", items[0].id, items[0].context),
        };
        (Split::of(hops, &signature) == spec.split).then(|| Candidate {
            attempt,
            key: format!("{}\0{}", signature.structure, signature.instance),
            items,
        })
    })
}

/// The items of one group: one for each wording.
fn items(task: &Task, spec: &Spec, slot: &Slot, wordings: Vec<Wording>) -> Vec<Item> {
    debug_assert_eq!(wordings.len(), task.variants.len());
    let split = if spec.split == Split::Train { "-train" } else { "" };
    // The seed and the split keep the items of several files apart.
    let group = format!("{}{split}-s{}-h{}-{:04}", task.name, spec.seed, slot.hops, slot.index);
    let item = |(variant, wording): (&super::Variant, Wording)| Item {
        id: format!("{group}/{}", variant.name),
        task: task.name.to_string(),
        group: group.clone(),
        variant: variant.name.to_string(),
        hops: slot.hops,
        extra_hops: wording.extra_hops,
        context: wording.context,
        question: wording.question,
        endings: wording.endings,
        label: slot.label,
        certificate: Some(wording.certificate),
        meta: None,
    };
    task.variants.iter().zip(wordings).map(item).collect()
}

/// A key of its own for each seed, split and task.
fn key(task: &Task, spec: &Spec) -> u64 {
    let mut hash = blake3::Hasher::new();
    hash.update(&spec.seed.to_le_bytes()).update(&[u8::from(spec.split == Split::Train)]).update(task.name.as_bytes());
    let mut key = [0; 8];
    key.copy_from_slice(&hash.finalize().as_bytes()[..8]);
    u64::from_le_bytes(key)
}

/// A stream of its own for each draw of each group.
fn stream(hops: u32, index: u32, attempt: u32) -> u64 {
    u64::from(hops) << 48 | u64::from(index) << 16 | u64::from(attempt)
}

/// The right ending's position: each run of as many groups as there are positions has all of them, in an order of its
/// own.
fn label(task: &Task, spec: &Spec, hops: u32, index: u32) -> usize {
    let positions = task.endings as u32;
    let mut order: Vec<usize> = (0..task.endings).collect();
    Draw::new(key(task, spec), 1 << 63 | stream(hops, index / positions, 0)).shuffle(&mut order);
    order[(index % positions) as usize]
}
