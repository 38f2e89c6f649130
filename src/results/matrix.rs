//! The table of a run over several tasks or variants: a line for each, a column for each hop depth.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::metrics::{M, Metrics};
use super::tables::{Row, counts, name, number, rate, rows};

/// Depths up to which each has a column; beyond, the long table is more legible.
const MOST_DEPTHS: usize = 12;

/// The hop depths that become columns; `None` where a table of this kind would not fit what was run.
pub(super) fn depths(metrics: &Metrics) -> Option<Vec<u32>> {
    let variants: usize = metrics.by_variant.values().map(BTreeMap::len).sum();
    let depths: BTreeSet<u32> = metrics.by_hops.values().flat_map(BTreeMap::keys).copied().collect();
    (variants > 1 && depths.len() > 1 && depths.len() <= MOST_DEPTHS).then(|| depths.into_iter().collect())
}

/// One line for all items, one for each task, one for each of its variants; under the depths stands `acc_norm`.
pub(super) fn render(metrics: &Metrics, depths: &[u32], sign: &str) -> String {
    let all = rows(metrics);
    let lines: Vec<&Row> = all.iter().filter(|row| row.hops.is_none()).collect();
    let counts = counts(&all);
    let mut header = ["", "n", "acc", "acc_norm", "chance"].map(String::from).to_vec();
    header.extend(depths.iter().map(|&hops| if hops == depths[0] { format!("hops {hops}") } else { hops.to_string() }));
    header.extend(counts.iter().map(|(name, _)| name.to_string()));
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header);
    for row in lines {
        let m = row.m;
        let mut cells =
            vec![label(row, metrics), m.n.to_string(), number(m.acc), rate(m.acc_norm, m.acc_norm_stderr, sign)];
        cells.push(number(m.chance));
        cells.extend(depths.iter().map(|hops| at(metrics, row, *hops).map_or(String::new(), short)));
        cells.extend(counts.iter().map(|(_, count)| count(m).to_string()));
        table.add_row(cells);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        // Depths stand close, so that eight of them fit a page.
        column.set_padding(if index > 4 { (0, 1) } else { (0, 2) });
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The task's name, its variants under it.
fn label(row: &Row, metrics: &Metrics) -> String {
    let Some(task) = row.task else { return "all tasks".to_string() };
    let several = metrics.by_variant.get(task).is_some_and(|variants| variants.len() > 1);
    match row.variant {
        Some(variant) if several => format!("  {}", name(variant)),
        _ => name(task),
    }
}

/// The numbers of one depth of a line; none for all tasks together, whose depths do not compare.
fn at<'a>(metrics: &'a Metrics, row: &Row, hops: u32) -> Option<&'a M> {
    match (row.task?, row.variant) {
        (task, Some(variant)) => metrics.by_variant_hops.get(task)?.get(variant)?.get(&hops),
        (task, None) => metrics.by_hops.get(task)?.get(&hops),
    }
}

/// `.53`, `1.0`, or `-` where nothing was scored.
fn short(m: &M) -> String {
    m.acc_norm.map_or("-".to_string(), |acc| {
        let text = format!("{acc:.2}");
        text.strip_prefix('0').map_or_else(|| "1.0".to_string(), String::from)
    })
}
