//! Where records end up. The law of the room is kept here, for all formats: a record gives an item, or a defect, or both.

use std::collections::HashMap;

use serde_json::Value;

use super::answer::key as key_of;
use super::defect::{Defect, Finding};
use super::record::{Draft, Place, Record, meta};
use super::source::Source;
use crate::item::Item;

/// What an import gave.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The items, in the order of files and records.
    pub items: Vec<Item>,
    /// The defects, in the order of files and records.
    pub defects: Vec<Defect>,
    /// Counts for each file, in the order given.
    pub files: Vec<Count>,
}

/// Counts for one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The file as it was named.
    pub file: String,
    /// Records read, in whatever state.
    pub records: usize,
    /// Items that they gave.
    pub items: usize,
    /// Records that gave no item; each has a defect.
    pub dropped: usize,
    /// Defects found.
    pub defects: usize,
}

/// An earlier item with the same text: its file (by number), row and label.
struct Seen {
    file: usize,
    row: Option<usize>,
    answer: String,
}

/// Takes records, makes ids unique, finds what stands twice, and counts.
pub struct Sink {
    format: &'static str,
    task: Option<String>,
    import: Import,
    /// The prefix of ids and the name in `meta`, for the file being read.
    prefix: String,
    base_name: String,
    ids: HashMap<String, usize>,
    source_ids: HashMap<String, Option<usize>>,
    seen: HashMap<(String, String, Option<String>, Vec<String>), Seen>,
}

impl Sink {
    pub(super) fn new(format: &'static str, task: Option<String>) -> Self {
        Sink {
            format,
            task,
            import: Import::default(),
            prefix: String::new(),
            base_name: String::new(),
            ids: HashMap::new(),
            source_ids: HashMap::new(),
            seen: HashMap::new(),
        }
    }

    /// Begins a file.
    pub(super) fn open(&mut self, source: &Source) {
        self.prefix.clone_from(&source.prefix);
        self.base_name.clone_from(&source.base_name);
        self.source_ids.clear();
        self.import.files.push(Count { file: source.name.clone(), ..Count::default() });
    }

    /// Names the records of the file at hand otherwise than by the file's stem.
    pub(super) fn set_prefix(&mut self, prefix: String) {
        self.prefix = prefix;
    }

    /// Notes a defect of the file as a whole.
    pub(super) fn flag_file(&mut self, line: Option<usize>, finding: Finding) {
        self.push(Place { row: None, line }, finding, false);
    }

    /// Reads one record.
    pub(super) fn record(&mut self, place: Place, source: Value, fill: impl FnOnce(&mut Record)) {
        let id = format!("{}-{:06}", self.prefix, place.row.unwrap_or(0));
        let mut record = Record { id, place, findings: Vec::new(), drafts: Vec::new(), source, source_id: None };
        fill(&mut record);
        self.close(record);
    }

    fn close(&mut self, mut record: Record) {
        if let Some(id) = record.source_id.take() {
            if let Some(first) = self.source_ids.get(&id) {
                let message = format!("the id `{id}` stands in row {} too", first.unwrap_or(0));
                record.findings.push(Finding::new("duplicate-id", "id", message));
            } else {
                self.source_ids.insert(id, record.place.row);
            }
        }
        let mut items = Vec::with_capacity(record.drafts.len());
        for draft in std::mem::take(&mut record.drafts) {
            let item = self.item(draft, &mut record);
            items.push(item);
        }
        if items.is_empty() && record.findings.is_empty() {
            record.findings.push(Finding::new("unknown-shape", "", "nothing in the record could be read"));
        }
        let dropped = items.is_empty();
        if let Some(count) = self.import.files.last_mut() {
            count.records += 1;
            count.items += items.len();
            count.dropped += usize::from(dropped);
        }
        self.import.items.append(&mut items);
        for finding in record.findings {
            self.push(record.place, finding, dropped);
        }
    }

    fn push(&mut self, place: Place, finding: Finding, dropped: bool) {
        let Some(count) = self.import.files.last_mut() else { return };
        count.defects += 1;
        let Finding { kind, field, column, message } = finding;
        let field = field.filter(|name| !name.is_empty());
        let file = count.file.clone();
        self.import.defects.push(Defect {
            file,
            row: place.row,
            line: place.line,
            field,
            column,
            kind,
            message,
            dropped,
        });
    }

    fn item(&mut self, mut draft: Draft, record: &mut Record) -> Item {
        let meta = meta(self.format, &self.base_name, record.place, &mut draft, &record.source);
        let wanted = draft.id.unwrap_or_else(|| format!("{}{}", record.id, draft.suffix));
        let id = self.unique(wanted);
        let task = self.task.clone().or(draft.task).unwrap_or_else(|| self.format.to_string());
        let item = Item {
            group: draft.group.unwrap_or_else(|| id.clone()),
            id,
            task,
            variant: if draft.variant.is_empty() { "base".to_string() } else { draft.variant },
            hops: draft.hops,
            extra_hops: draft.extra_hops,
            context: draft.context,
            question: draft.question,
            endings: draft.endings,
            label: draft.label,
            certificate: None,
            meta: Some(meta),
        };
        self.compare(&item, record);
        item
    }

    /// An id that no item has: the one wanted, else with `~2`, `~3`, … behind it.
    fn unique(&mut self, wanted: String) -> String {
        let mut id = wanted.clone();
        loop {
            let times = self.ids.entry(id.clone()).or_insert(0);
            *times += 1;
            if *times == 1 {
                return id;
            }
            let times = self.ids.get(&wanted).copied().unwrap_or(2);
            id = format!("{wanted}~{times}");
        }
    }

    /// Tells of an earlier record with the same question. Items of one choice differ by their answers alone, so that the
    /// answer is no part of the question there, and is compared whatever its spelling.
    fn compare(&mut self, item: &Item, record: &mut Record) {
        let choices = if item.endings.len() > 1 { item.endings.clone() } else { Vec::new() };
        let key = (item.task.clone(), item.context.clone(), item.question.clone(), choices);
        let answer = item.endings.get(item.label).cloned().unwrap_or_default();
        let same =
            |other: &str| if item.endings.len() > 1 { other == answer } else { key_of(other) == key_of(&answer) };
        let file = self.import.files.len();
        match self.seen.get(&key) {
            // Wordings of one record may agree; the format tells of that where it means something.
            Some(first) if first.file == file && first.row == record.place.row => {}
            Some(first) => {
                let there = match self.import.files.get(first.file.wrapping_sub(1)) {
                    Some(other) if first.file != file => format!("row {} of {}", first.row.unwrap_or(0), other.file),
                    _ => format!("row {}", first.row.unwrap_or(0)),
                };
                let which = if item.variant == "base" { String::new() } else { format!(" (`{}`)", item.variant) };
                record.findings.push(if same(&first.answer) {
                    Finding::new("duplicate-item", "", format!("the same item{which} as {there}"))
                } else {
                    let message =
                        format!("the same question{which} as {there}, which has the answer `{}`", first.answer);
                    Finding::new("conflicting-label", "", message)
                });
            }
            None => {
                self.seen.insert(key, Seen { file, row: record.place.row, answer });
            }
        }
    }

    pub(super) fn finish(self) -> Import {
        self.import
    }
}
