//! `llscore run --dry-run`: the exact prompts and ids of the first items, and what the run would cost.

use super::model::Opened;
use super::{complain, print, remarks, visible};
use crate::Result;
use crate::engine::memory;
use crate::item::Item;
use crate::results::tables::thousands;
use crate::score::{Job, Left, Preparer};
use crate::tokenize::EncodedPair;

/// Items shown whole.
const SHOWN: usize = 2;

/// Shows the first items, the right endings marked if they are known, and the estimate; 1 if some item cannot be scored.
///
/// # Errors
/// If standard output cannot be written.
pub fn show(
    opened: &Opened,
    preparer: &Preparer<'_>,
    items: &[&Item],
    labelled: bool,
    token_budget: Option<usize>,
) -> Result<u8> {
    let job = Job::new(items, preparer, &opened.model, token_budget);
    let mut text = String::new();
    for (item, prepared) in items.iter().zip(job.prepared()).take(SHOWN) {
        text += &format!("item {}\n", visible(&item.id));
        match prepared {
            Err(Left::Skipped) => text += "  skipped: over-long\n",
            Err(Left::Failed(why)) => text += &format!("  error: {why}\n"),
            Ok(p) => {
                text += &format!("  context {:?}\n", p.prompt.context);
                text += &format!("  context ids {:?}\n", context(&p.pairs[0]));
                for (i, (pair, ending)) in p.pairs.iter().zip(&p.prompt.endings).enumerate() {
                    let tokens: Vec<String> =
                        pair.ids[pair.context_len..].iter().map(|id| opened.encoder.token_text(*id)).collect();
                    let right = if labelled && i == item.label { "  (right)" } else { "" };
                    text += &format!(
                        "  ending {i} {:?}{right}\n    ids {:?}\n    tokens {tokens:?}\n",
                        ending,
                        &pair.ids[pair.context_len..]
                    );
                    if context(pair) != context(&p.pairs[0]) {
                        text += &format!("    its context ids {:?}\n", context(pair));
                    }
                }
                if !p.flags.is_empty() {
                    text += &format!("  flags {}\n", p.flags.join(", "));
                }
            }
        }
    }
    let failures: Vec<_> = (items.iter().zip(job.prepared()))
        .filter_map(|(item, p)| match p {
            Err(Left::Failed(why)) => Some((item.id.as_str(), why.as_str())),
            _ => None,
        })
        .collect();
    let failed = failures.len();
    let skipped = job.prepared().iter().filter(|p| matches!(p, Err(Left::Skipped))).count();
    let cost = job.cost();
    let budget = token_budget.unwrap_or_else(|| memory::default_budget(&opened.model, 0));
    let need = memory::need(&opened.model.spec, opened.model.dtype.size_in_bytes(), budget);
    let count = |n: usize| thousands(n as u64);
    text += &format!("\nitems     {} ({failed} cannot be scored, {skipped} skipped)\n", items.len());
    text += &format!(
        "tokens    {} to compute for requests of {}; {} scored; {} computed again because packs end\n",
        count(cost.computed),
        count(cost.requests),
        count(cost.scored),
        count(cost.repeated)
    );
    text += &format!(
        "model     {} ({}), {} parameters\n",
        opened.id,
        opened.model.spec.model_type,
        count(opened.model.spec.parameters())
    );
    text += &format!(
        "memory    {} MB resident, {} MB streamed; {} MB free\n",
        need.resident >> 20,
        need.streamed >> 20,
        memory::free() >> 20
    );
    print(&text)?;
    if let Some(text) = remarks::failures(failures.into_iter(), items.len()) {
        complain("error", text);
    }
    Ok(u8::from(failed > 0))
}

fn context(pair: &EncodedPair) -> &[u32] {
    &pair.ids[..pair.context_len]
}
