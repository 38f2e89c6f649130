//! Results as tables: which rows a reader gets, and one function per format.
//!
//! The terminal and Markdown tables leave out rows that repeat another (a task's only variant, a single depth of 0);
//! CSV has every breakdown, one row each, an empty cell meaning "all".

use std::collections::BTreeMap;
use std::io;

use super::metrics::{M, Metrics};
use super::report::Results;
use super::terminal;

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a terminal, with bars.
    #[default]
    Table,
    /// Markdown, with numbers aligned.
    Markdown,
    /// Comma-separated values: every breakdown and every metric.
    Csv,
}

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns to stay within, if the names allow.
    pub width: usize,
    /// Whether characters outside ASCII may be used.
    pub unicode: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style { width: 80, unicode: true }
    }
}

/// The results in `format`, with a newline at the end; `style` is for [`Format::Table`].
pub fn render(results: &Results, format: Format, style: &Style) -> String {
    match format {
        Format::Table => terminal::render(results, style),
        Format::Markdown => markdown(results),
        Format::Csv => csv(results).unwrap_or_else(|e| format!("the table cannot be written: {e}\n")),
    }
}

/// One line of a table. `None` stands for "all".
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) task: Option<&'a str>,
    pub(super) variant: Option<&'a str>,
    pub(super) hops: Option<u32>,
    pub(super) m: &'a M,
}

/// The rows for a reader: all items where there are several tasks; each task; its variants where there are several;
/// the hop depths of each variant.
pub(super) fn rows(metrics: &Metrics) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    if metrics.by_task.len() != 1 {
        rows.push(Row { task: None, variant: None, hops: None, m: &metrics.overall });
    }
    for (task, variants) in &metrics.by_variant {
        let task = Some(task.as_str());
        if let (true, Some(m)) = (variants.len() > 1, task.and_then(|t| metrics.by_task.get(t))) {
            rows.push(Row { task, variant: None, hops: None, m });
        }
        let depths = task.and_then(|t| metrics.by_variant_hops.get(t));
        for (variant, m) in variants {
            let depths = depths.and_then(|d| d.get(variant));
            let variant = Some(variant.as_str());
            rows.push(Row { task, variant, hops: None, m });
            for (hops, m) in depths.into_iter().flatten().filter(|_| !depths.is_some_and(no_depth)) {
                rows.push(Row { task, variant, hops: Some(*hops), m });
            }
        }
    }
    rows
}

fn no_depth(depths: &BTreeMap<u32, M>) -> bool {
    depths.keys().eq([&0])
}

/// Every breakdown.
fn all_rows(metrics: &Metrics) -> Vec<Row<'_>> {
    let mut rows = vec![Row { task: None, variant: None, hops: None, m: &metrics.overall }];
    for (task, m) in &metrics.by_task {
        let name = Some(task.as_str());
        rows.push(Row { task: name, variant: None, hops: None, m });
        for (hops, m) in metrics.by_hops.get(task).into_iter().flatten() {
            rows.push(Row { task: name, variant: None, hops: Some(*hops), m });
        }
        for (variant, m) in metrics.by_variant.get(task).into_iter().flatten() {
            rows.push(Row { task: name, variant: Some(variant), hops: None, m });
            let depths = metrics.by_variant_hops.get(task).and_then(|v| v.get(variant));
            for (hops, m) in depths.into_iter().flatten() {
                rows.push(Row { task: name, variant: Some(variant), hops: Some(*hops), m });
            }
        }
    }
    rows
}

/// The name of a count, and the count of a row.
type Count = (&'static str, fn(&M) -> usize);

/// The counts that are not zero everywhere.
pub(super) fn counts(rows: &[Row]) -> Vec<Count> {
    const ALL: [Count; 4] =
        [("ties", |m| m.ties), ("truncated", |m| m.truncated), ("skipped", |m| m.skipped), ("errors", |m| m.errors)];
    ALL.into_iter().filter(|(_, count)| rows.iter().any(|row| count(row.m) > 0)).collect()
}

/// A rate with its standard error.
pub(super) fn rate(value: Option<f64>, stderr: Option<f64>, sign: &str) -> String {
    match (value, stderr) {
        (Some(value), Some(stderr)) => format!("{value:.3} {sign} {stderr:.3}"),
        (Some(value), None) => format!("{value:.3}"),
        (None, _) => "-".to_string(),
    }
}

/// A number with three decimals.
pub(super) fn number(value: Option<f64>) -> String {
    rate(value, None, "")
}

/// A p-value: four decimals, or its size where it is smaller.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.00005 { format!("{p:.0e}") } else { format!("{p:.4}") }
}

/// An integer with a comma between thousands.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A name from the data on one line, without control characters.
pub(super) fn name(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn markdown(results: &Results) -> String {
    let cell = |text: Option<&str>| text.map_or("all".to_string(), |t| name(t).replace('|', "\\|"));
    let rows = rows(&results.metrics);
    let counts = counts(&rows);
    let norm = results.manifest.environment.norm;
    let mut header: Vec<String> = ["task", "variant", "hops", "n", "acc"].map(String::from).to_vec();
    header.extend([format!("acc_norm ({norm})"), "chance".to_string()]);
    header.extend(counts.iter().map(|(name, _)| name.to_string()));
    let body = rows.iter().map(|Row { task, variant, hops, m }| {
        let hops = hops.map_or("all".to_string(), |h| h.to_string());
        let mut row = vec![cell(*task), cell(*variant), hops, m.n.to_string(), rate(m.acc, m.acc_stderr, "±")];
        row.extend([rate(m.acc_norm, m.acc_norm_stderr, "±"), number(m.chance)]);
        row.extend(counts.iter().map(|(_, count)| count(m).to_string()));
        row
    });
    let mut text = markdown_table(&header, 2, body);
    if !results.robustness.tasks.is_empty() {
        let header = [
            "task",
            "variant",
            "pairs",
            "base",
            "variant's acc",
            "drop",
            "drop (95 % interval)",
            "both right",
            "McNemar p",
        ];
        let body = results.robustness.tasks.iter().flat_map(|(task, variants)| {
            variants.iter().map(move |(variant, p)| {
                let interval = p.drop_interval.map(|(low, high)| format!("{low:.3} to {high:.3}"));
                let mut row = vec![cell(Some(task)), cell(Some(variant)), p.pairs.to_string()];
                row.extend([Some(p.base_acc), Some(p.acc), p.drop].map(number));
                row.extend([interval.unwrap_or("-".to_string()), number(Some(p.consistent))]);
                row.push(p_value(p.mcnemar_p));
                row
            })
        });
        text.push('\n');
        text.push_str(&markdown_table(&header.map(String::from), 2, body));
        text.push_str(&format!("\nMean relative drop: {}\n", number(results.robustness.average)));
    }
    text
}

/// A Markdown table whose first `names` columns are text and the others numbers.
fn markdown_table(header: &[String], names: usize, body: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule: Vec<_> = (0..header.len()).map(|i| if i < names { "---" } else { "---:" }.to_string()).collect();
    let mut text = line(header) + &line(&rule);
    text.extend(body.map(|cells| line(&cells)));
    text
}

fn csv(results: &Results) -> io::Result<String> {
    let rows = all_rows(&results.metrics);
    let pmi = rows.iter().any(|row| row.m.acc_pmi.is_some());
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["task", "variant", "hops", "n", "acc", "acc_stderr", "acc_norm", "acc_norm_stderr"];
    header.extend(["acc_token", "acc_char", "acc_byte"]);
    header.extend(pmi.then_some("acc_pmi"));
    header.extend(["chance", "ties", "errors", "truncated", "skipped", "brier"]);
    out.write_record(&header)?;
    let number = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
    for Row { task, variant, hops, m } in rows {
        let names = [task.unwrap_or_default().to_string(), variant.unwrap_or_default().to_string()];
        let mut row = names.to_vec();
        row.extend([hops.map(|h| h.to_string()).unwrap_or_default(), m.n.to_string()]);
        row.extend([m.acc, m.acc_stderr, m.acc_norm, m.acc_norm_stderr].map(number));
        row.extend([m.acc_token, m.acc_char, m.acc_byte].map(number));
        row.extend(pmi.then(|| number(m.acc_pmi)));
        row.push(number(m.chance));
        row.extend([m.ties, m.errors, m.truncated, m.skipped].map(|count| count.to_string()));
        row.push(number(m.brier));
        out.write_record(&row)?;
    }
    let bytes = out.into_inner().map_err(|e| io::Error::other(e.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}
