//! An audit in words and tables, as data: a terminal shows them short, a Markdown report in full.

use std::collections::BTreeMap;

use super::pair::{Effect, Link};
use super::row::{Outcome, Premises, Row};
use super::summary::{PairSummary, Wording};
use super::wording::{WordingFigures, WordingRow};
use super::{Audit, Pair};

/// A part of a report: a title, sentences, and a table.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// What it is about.
    pub title: String,
    /// Sentences before the table.
    pub notes: Vec<String>,
    /// The table's header; empty where there is no table.
    pub header: Vec<String>,
    /// The table's rows, the worst first.
    pub rows: Vec<Vec<String>>,
    /// Whether the rows are records of the data, of which a short report shows the first only.
    pub records: bool,
}

impl Section {
    fn new(title: impl Into<String>, header: &[&str]) -> Self {
        Section { title: title.into(), header: header.iter().map(ToString::to_string).collect(), ..Section::default() }
    }
    fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }
}

/// The parts of a report: what is wrong, the most frequent first, then the figures behind it.
#[must_use]
pub fn sections(audit: &Audit) -> Vec<Section> {
    let mut out = vec![worst(audit)];
    for wording in &audit.summary.wordings {
        // Records of a file with one wording only need no word on it.
        let of = if audit.summary.wordings.len() > 1 { format!(" of `{}`", wording.variant) } else { String::new() };
        out.push(formulas(wording, &of));
        out.push(premises(wording, &of, &audit.rows));
        out.extend(labels(wording, &of, &audit.rows));
    }
    for pairs in &audit.summary.pairs {
        out.extend(rewordings(pairs, &audit.pairs));
    }
    out.retain(|section| !section.notes.is_empty() || !section.rows.is_empty());
    out
}

/// The parts of a report on free-text puzzles.
#[must_use]
pub fn wording_sections(rows: &[WordingRow], figures: &[WordingFigures]) -> Vec<Section> {
    let header =
        ["task", "wording", "items", "read", "right", "wrong", "open", "contradictory", "base has one answer", "kept"];
    let mut counts = Section::new("Answers, as the wordings themselves give them", &header);
    for f in figures {
        let numbers = [f.items, f.read, f.right, f.wrong, f.open, f.contradictory, f.pairs, f.kept];
        let mut row = vec![f.task.clone(), f.variant.clone()];
        row.extend(numbers.iter().map(ToString::to_string));
        counts.rows.push(row);
    }
    let mut differ = Section::new("Answers that are not the stated one", &["item", "stated", "found"]);
    let mut changed = Section::new("Rewordings that no longer ask the same", &["item", "outcome", "found"]);
    let mut unread = Section::new("Not understood", &["item", "what"]);
    (differ.records, changed.records, unread.records) = (true, true, true);
    for row in rows {
        if row.outcome != "unread" && row.agrees != Some(true) {
            let found = if row.found.is_empty() { row.outcome.to_string() } else { row.found.join(" | ") };
            differ.row([row.id.clone(), row.stated.clone(), found]);
        }
        if row.same_as_base == Some(false) {
            changed.row([row.id.clone(), row.outcome.to_string(), row.found.join(" | ")]);
        }
        if let (true, Some(reason)) = (row.outcome == "unread", &row.reason) {
            unread.row([row.id.clone(), reason.clone()]);
        }
    }
    let mut out = vec![counts, differ, changed, unread];
    out.retain(|section| !section.rows.is_empty());
    out
}

/// One line for each kind of finding, the largest share first.
fn worst(audit: &Audit) -> Section {
    let summary = &audit.summary;
    let several = summary.wordings.len() > 1;
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    for wording in &summary.wordings {
        let of = if several { format!(" (`{}`)", wording.variant) } else { String::new() };
        let parsing = &wording.parsing;
        let mut add = |n: usize, all: usize, what: &str| found.push((n, all, format!("{what}{of}")));
        add(parsing.rows - parsing.rows_parsed, parsing.rows, "items have a formula that does not parse");
        let sure = |state| wording.consistency.get(&state).copied().unwrap_or(0);
        let (good, bad) = (sure(Premises::Consistent), sure(Premises::Inconsistent));
        add(bad, good + bad, "items have premises that contradict each other");
        if let Some(labels) = &wording.labels {
            add(labels.disagree, labels.agree + labels.disagree, "labels are not what the premises say");
        }
        add(wording.tautologies, parsing.premises_parsed, "premises are tautologies");
        add(wording.contradictions, parsing.premises_parsed, "premises are contradictions");
        add(wording.undecided, parsing.rows, "items are undecided");
    }
    for pairs in &summary.pairs {
        let of = format!(" (`{}`)", pairs.variant);
        for (links, what) in [
            (&pairs.premises, "premises are not equivalent to those of the base"),
            (&pairs.theories, "theories are not equivalent to those of the base"),
            (&pairs.conclusions, "conclusions are not equivalent to those of the base"),
        ] {
            let (same, all) = (count(links, Link::Equivalent), comparable(links));
            found.push((all - same, all, format!("{what}{of}")));
        }
    }
    found.retain(|(n, _, _)| *n > 0);
    // Shares as fractions of whole numbers, so that their order is exact.
    found.sort_by(|(n, all, _), (m, other, _)| (m * all).cmp(&(n * other)));
    let mut section = Section::new("What is wrong, the largest share first", &["share", "number", "of", "what"]);
    for (n, all, what) in found {
        section.row([format!("{:.1} %", 100.0 * n as f64 / all as f64), n.to_string(), all.to_string(), what]);
    }
    if section.rows.is_empty() {
        section.notes.push("Nothing: all formulas parse, and all that could be decided is as it is labelled.".into());
    }
    if summary.without_formulas > 0 {
        section.notes.push(format!(
            "{} of {} items have no formulas; nothing is said of them.",
            summary.without_formulas, summary.items
        ));
    }
    let dropped: usize = audit.files.iter().map(|file| file.dropped).sum();
    if dropped > 0 {
        section.notes.push(format!("{dropped} records gave no item; `llscore import` says why."));
    }
    section
}

fn formulas(wording: &Wording, of: &str) -> Section {
    let parsing = &wording.parsing;
    let header = ["defect", "", "items", "premises", "conclusions", "distinct"];
    let mut section = Section::new(format!("Formulas{of}"), &header);
    section.notes.push(format!(
        "{} of {} items parse; {} of {} premises and {} of {} conclusions; {} of {} distinct formulas do not.",
        parsing.rows_parsed,
        parsing.rows,
        parsing.premises_parsed,
        parsing.premises,
        parsing.conclusions_parsed,
        parsing.conclusions,
        parsing.distinct_unparsed,
        parsing.distinct
    ));
    for defect in &parsing.defects {
        let severity = if defect.error { "no formula" } else { "suspicious" };
        let numbers = [defect.rows, defect.premises, defect.conclusions, defect.distinct].map(|n| n.to_string());
        let [rows, premises, conclusions, distinct] = numbers;
        section.row([defect.kind.clone(), severity.to_string(), rows, premises, conclusions, distinct]);
    }
    section
}

fn premises(wording: &Wording, of: &str, rows: &[Row]) -> Section {
    let mut section = Section::new(format!("Premises together{of}"), &["inconsistent", "label"]);
    let states = [
        (Premises::Consistent, "consistent"),
        (Premises::Inconsistent, "inconsistent"),
        (Premises::Undecided, "undecided"),
        (Premises::Unparseable, "unparseable"),
    ];
    let parts = states.iter().filter_map(|(state, name)| Some(format!("{} {name}", wording.consistency.get(state)?)));
    section.notes.push(format!(
        "Items by their premises: {}. {} premises are tautologies, {} contradictions.",
        parts.collect::<Vec<_>>().join(", "),
        wording.tautologies,
        wording.contradictions
    ));
    section.records = true;
    for row in rows.iter().filter(|row| row.variant == wording.variant && row.consistency == Premises::Inconsistent) {
        section.row([row.id.clone(), row.label.clone()]);
    }
    section
}

fn labels(wording: &Wording, of: &str, rows: &[Row]) -> Vec<Section> {
    let Some(labels) = &wording.labels else {
        let notes = vec!["No item has a formula for its conclusion, so that labels cannot be compared.".to_string()];
        return vec![Section { title: format!("Labels{of}"), notes, ..Section::default() }];
    };
    let mut table = cross(format!("Labels{of}"), "label", &labels.table, String::clone);
    let judged = labels.agree + labels.disagree;
    table
        .notes
        .push(format!("Of {judged} labels that can be judged {} agree, {} do not.", labels.agree, labels.disagree));
    let mut list = Section::new(format!("Labels{of} that disagree"), &["item", "row", "label", "verdict", "models"]);
    list.records = true;
    let mut wrong: Vec<&Row> =
        rows.iter().filter(|row| row.variant == wording.variant && row.agrees == Some(false)).collect();
    // The opposite is worse than nothing that follows.
    wrong.sort_by_key(|row| match row.verdict {
        Some(Outcome::Entailed | Outcome::Contradicted) => 0,
        Some(Outcome::Inconsistent) => 1,
        _ => 2,
    });
    for row in wrong {
        let models = [row.model_true, row.model_false].map(|n| n.map_or("-".to_string(), |n| n.to_string()));
        let verdict = row.verdict.map_or("", Outcome::name).to_string();
        list.row([row.id.clone(), number(row.row), row.label.clone(), verdict, models.join(" / ")]);
    }
    if !list.rows.is_empty() {
        list.notes.push("Models: elements of the smallest with the conclusion / with its negation.".to_string());
    }
    vec![table, list]
}

fn rewordings(pairs: &PairSummary, all: &[Pair]) -> Vec<Section> {
    let variant = &pairs.variant;
    let header = ["", "unrelated", "stronger", "weaker", "equivalent", "undecided", "unparseable"];
    let mut links = Section::new(format!("`{variant}` against base"), &header);
    let kinds = [Link::Unrelated, Link::Stronger, Link::Weaker, Link::Equivalent, Link::Undecided, Link::Unparseable];
    for (name, counts) in
        [("premises", &pairs.premises), ("theories", &pairs.theories), ("conclusions", &pairs.conclusions)]
    {
        let cells = kinds.map(|kind| count(counts, kind).to_string());
        links.rows.push([name.to_string()].into_iter().chain(cells).collect());
    }
    links.notes.push(format!(
        "{} items have a base; in {} the numbers of premises differ, so that premises are not compared one by one.",
        pairs.rows, pairs.other_number
    ));
    links.notes.push(
        "Weaker: follows from the base, and not the other way round; stronger: entails it; unrelated: neither.".into(),
    );
    let name = |verdict: &Outcome| verdict.name().to_string();
    let mut verdicts = cross(format!("Verdicts of `{variant}` against base"), "base", &pairs.verdicts, name);
    let effect = |kind| pairs.effects.get(&kind).copied().unwrap_or(0);
    let judged: usize = pairs.effects.values().sum();
    verdicts.notes.push(format!(
        "{} verdicts change. Of {judged} labels {} still follow, {} are left open, {} turned round, {} settled where they say \
         unknown, {} stand on inconsistent premises, {} are undecided.",
        pairs.verdict_changed,
        effect(Effect::Keeps),
        effect(Effect::Opens),
        effect(Effect::Turns),
        effect(Effect::Settles),
        effect(Effect::Inconsistent),
        effect(Effect::Undecided),
    ));
    let header = ["item", "row", "label", "theory", "premises not equivalent", "base verdict", "verdict"];
    let mut list = Section::new(format!("Items of `{variant}`, the worst first"), &header);
    list.records = true;
    let mut of: Vec<&Pair> = all.iter().filter(|pair| pair.variant == *variant).collect();
    of.retain(|pair| pair.theory != Link::Equivalent || pair.effect != Some(Effect::Keeps));
    of.sort_by_key(|pair| (badness(pair), std::cmp::Reverse(not_equivalent(pair).0)));
    for pair in of {
        let premises = match (&pair.pairs, not_equivalent(pair)) {
            (Some(_), (n, all)) => format!("{n} of {all}"),
            (None, _) => format!("{} for {}", pair.premises, pair.base_premises),
        };
        let verdict = |verdict: Option<Outcome>| verdict.map_or("-".to_string(), |v| v.name().to_string());
        list.row([
            pair.id.clone(),
            number(pair.row),
            pair.gold.clone().unwrap_or_default(),
            pair.theory.name().to_string(),
            premises,
            verdict(pair.base_verdict),
            verdict(pair.verdict),
        ]);
    }
    vec![links, verdicts, list]
}

/// What a rewording does to its label, the worst first.
fn badness(pair: &Pair) -> usize {
    let order = [Effect::Turns, Effect::Inconsistent, Effect::Settles, Effect::Opens, Effect::Undecided, Effect::Keeps];
    pair.effect.and_then(|effect| order.iter().position(|other| *other == effect)).unwrap_or(order.len())
}

/// Premises that are not equivalent to those at the same place, and those that can be compared.
fn not_equivalent(pair: &Pair) -> (usize, usize) {
    let mut counts = BTreeMap::new();
    for link in pair.pairs.iter().flatten() {
        *counts.entry(*link).or_insert(0) += 1;
    }
    let all = comparable(&counts);
    (all - count(&counts, Link::Equivalent), all)
}

fn count(links: &BTreeMap<Link, usize>, link: Link) -> usize {
    links.get(&link).copied().unwrap_or(0)
}

/// How many of the compared could be compared, and with a result.
fn comparable(links: &BTreeMap<Link, usize>) -> usize {
    links.iter().filter(|(link, _)| !matches!(link, Link::Undecided | Link::Unparseable)).map(|(_, n)| n).sum()
}

fn number(row: Option<u64>) -> String {
    row.map_or("-".to_string(), |row| row.to_string())
}

/// A table of counts with verdicts as columns; those that do not occur are left out.
fn cross<K: Ord>(
    title: String,
    corner: &str,
    table: &BTreeMap<K, BTreeMap<Outcome, usize>>,
    name: impl Fn(&K) -> String,
) -> Section {
    let mut columns: Vec<Outcome> = table.values().flat_map(|row| row.keys().copied()).collect();
    columns.sort();
    columns.dedup();
    let header: Vec<&str> = [corner].into_iter().chain(columns.iter().map(|outcome| outcome.name())).collect();
    let mut section = Section::new(title, &header);
    for (key, row) in table {
        let cells = columns.iter().map(|outcome| row.get(outcome).copied().unwrap_or(0).to_string());
        section.rows.push([name(key)].into_iter().chain(cells).collect());
    }
    section
}

/// The whole report as Markdown.
#[must_use]
pub fn markdown(audit: &Audit) -> String {
    let mut text = format!("# Audit: {}\n\n", audit.format);
    for file in &audit.files {
        text.push_str(&format!("- `{}`: {} records, {} items\n", file.file, file.records, file.items));
    }
    let settings = &audit.settings;
    let names =
        if settings.unique_names { "different constants name different things" } else { "two constants may be equal" };
    text.push_str(&format!("\nSyntax: {}; {names}; {} s a question.\n", settings.syntax, settings.timeout));
    text.push_str(&markdown_sections(&sections(audit)));
    text
}

/// A cell's text; what a data set brings in draws no table.
fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace(char::is_control, " ")
}

/// Sections as Markdown, whole.
#[must_use]
pub fn markdown_sections(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        text.push_str(&format!("\n## {}\n", section.title));
        for note in &section.notes {
            text.push_str(&format!("\n{note}\n"));
        }
        if section.rows.is_empty() {
            continue;
        }
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        text.push('\n');
        text.push_str(&line(&section.header));
        text.push_str(&line(&vec!["---".to_string(); section.header.len()]));
        section.rows.iter().for_each(|row| text.push_str(&line(row)));
    }
    text
}
