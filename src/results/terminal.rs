//! The table for a terminal: one line per task, variant and hop depth, with a bar that shows how accuracy falls and
//! where chance lies.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::matrix;
use super::norm::Norm;
use super::report::Results;
use super::robustness::{BASE, Robustness};
use super::tables::{Row, Style, counts, name, number, p_value, rate, rows, thousands};

/// Widest and narrowest bar, in columns; with less room there is none.
const BAR: (usize, usize) = (24, 8);

/// The results for a terminal.
pub(super) fn render(results: &Results, style: &Style) -> String {
    let mut text = accuracies(results, style);
    if !results.robustness.tasks.is_empty() {
        text.push('\n');
        text.push_str(&robustness(&results.robustness));
    }
    let tokens = &results.tokens;
    if tokens.computed > 0 {
        text.push_str(&format!(
            "\ncomputed {} tokens for requests of {} ({:.1} times fewer) in {:.1} s\n",
            thousands(tokens.computed),
            thousands(tokens.requests),
            tokens.requests as f64 / tokens.computed as f64,
            results.seconds,
        ));
    }
    text
}

fn accuracies(results: &Results, style: &Style) -> String {
    let (sign, mark) = if style.unicode { ("±", '┆') } else { ("+-", '|') };
    let norm = match results.manifest.environment.norm {
        Norm::Sum => "not normalised",
        Norm::Token => "per token",
        Norm::Char => "per character",
        Norm::Byte => "per byte",
        Norm::Pmi => "against the unconditional",
    };
    if let Some(depths) = matrix::depths(&results.metrics) {
        let table = matrix::render(&results.metrics, &depths, sign);
        return format!(
            "{table}\nacc: by log-likelihood; acc_norm: {norm}; {sign} standard error; by depth: acc_norm\n"
        );
    }
    let rows = rows(&results.metrics);
    let counts = counts(&rows);
    let mut header = vec![String::new(), "n".into(), "acc".into(), "acc_norm".into(), "chance".into()];
    header.extend(counts.iter().map(|(name, _)| name.to_string()));
    let body: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let m = row.m;
            let mut cells = vec![label(row, &rows), m.n.to_string(), rate(m.acc, m.acc_stderr, sign)];
            cells.extend([rate(m.acc_norm, m.acc_norm_stderr, sign), number(m.chance)]);
            cells.extend(counts.iter().map(|(_, count)| count(m).to_string()));
            cells
        })
        .collect();
    let widest = layout(&header, &body).lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let room = style.width.saturating_sub(widest + 2).min(BAR.0);
    let bars = room >= BAR.1;
    let mut text = if bars {
        header.push(format!("0{:^1$}1", "acc_norm", room - 2));
        let bar = |row: &Row| row.m.acc_norm.map_or(String::new(), |acc| bar(acc, row.m.chance, room, style.unicode));
        let body: Vec<Vec<String>> =
            body.into_iter().zip(&rows).map(|(cells, row)| [cells, vec![bar(row)]].concat()).collect();
        layout(&header, &body)
    } else {
        layout(&header, &body)
    };
    text.push_str(&format!("\nacc: by log-likelihood; acc_norm: {norm}; {sign} standard error"));
    text.push_str(&if bars { format!("; {mark} chance\n") } else { "\n".to_string() });
    text
}

/// The row's name, indented under what it is a part of.
fn label(row: &Row, rows: &[Row]) -> String {
    let Some(task) = row.task else { return "all tasks".to_string() };
    let several = rows.iter().any(|other| other.task == row.task && other.variant.is_none());
    let indent = if several { "  " } else { "" };
    match (row.variant, row.hops) {
        (_, Some(1)) => format!("{indent}  1 hop"),
        (_, Some(hops)) => format!("{indent}  {hops} hops"),
        (Some(variant), None) if several => format!("  {}", name(variant)),
        (Some(variant), None) if variant != BASE => format!("{}/{}", name(task), name(variant)),
        _ => name(task),
    }
}

/// `cells` columns from 0 to 1, filled up to `value`, with a mark in the column where `chance` lies.
fn bar(value: f64, chance: Option<f64>, cells: usize, unicode: bool) -> String {
    const PARTS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let eighths = (value * cells as f64 * 8.0).round() as usize;
    let mark = chance.map(|c| ((c * cells as f64) as usize).min(cells - 1));
    let text: String = (0..cells)
        .map(|i| {
            let part = eighths.saturating_sub(8 * i).min(8);
            match (mark == Some(i), unicode) {
                (true, true) => '┆',
                (true, false) => '|',
                (false, true) => PARTS[part],
                (false, false) => [' ', '#'][part / 4 % 2 + part / 8],
            }
        })
        .collect();
    text.trim_end().to_string()
}

fn robustness(robustness: &Robustness) -> String {
    let header =
        ["rewording", "pairs", "base", "reworded", "drop (95 % interval)", "both right", "McNemar p"].map(String::from);
    let mut body = Vec::new();
    for (task, variants) in &robustness.tasks {
        for (variant, p) in variants {
            let drop = percent(p.drop, p.drop_interval);
            let label = format!("{}/{}", name(task), name(variant));
            let acc = [p.base_acc, p.acc].map(|x| number(Some(x)));
            let [base, acc] = acc;
            let both = number(Some(p.consistent));
            body.push(vec![label, p.pairs.to_string(), base, acc, drop, both, p_value(p.mcnemar_p)]);
        }
    }
    let mut text = layout(&header, &body);
    if let Some(average) = robustness.average {
        text.push_str(&format!("\nmean drop over tasks and variants: {:.1} % of base accuracy\n", 100.0 * average));
    }
    text
}

/// `38.1 % (20.3 to 55.9)`.
fn percent(value: Option<f64>, interval: Option<(f64, f64)>) -> String {
    let Some(value) = value else { return "-".to_string() };
    let interval = interval.map(|(low, high)| format!(" ({:.1} to {:.1})", 100.0 * low, 100.0 * high));
    format!("{:.1} %{}", 100.0 * value, interval.unwrap_or_default())
}

/// Columns side by side, two spaces between; names to the left, numbers to the right.
fn layout(header: &[String], body: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.to_vec()).add_rows(body.to_vec());
    let bar = header.last().is_some_and(|h| h.starts_with('0')).then(|| header.len() - 1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 0 && Some(index) != bar {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
