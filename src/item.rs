//! One multiple-choice question, and the JSON Lines files that hold them.
//!
//! Reading validates: a broken line, a duplicate id, a label out of range or an item without endings is an error that
//! names file, line and field. An *empty ending* is let through: it becomes an error of that item alone when scored.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, Result};

/// A multiple-choice item. Field order is the order in which it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Unique in the file.
    pub id: String,
    /// `chain`, …, or the user's own name.
    pub task: String,
    /// Items that pose the same question in different words; the id where absent.
    #[serde(default)]
    pub group: String,
    /// `base` where absent.
    #[serde(default = "base")]
    pub variant: String,
    /// Inference steps from the premises to the answer of the base question.
    #[serde(default)]
    pub hops: u32,
    /// Steps that an obfuscation adds.
    #[serde(default)]
    pub extra_hops: u32,
    /// What comes before the question.
    #[serde(alias = "ctx")]
    pub context: String,
    /// The question, if it stands apart from the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The answers to choose from, at least one.
    #[serde(alias = "choices")]
    pub endings: Vec<String>,
    /// Index of the right ending.
    pub label: usize,
    /// What was proved, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Value>,
    /// Anything; carried through untouched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Value>,
}

fn base() -> String {
    "base".to_string()
}

/// Reads the items of a JSON Lines file; `-` is standard input. Blank lines are passed over.
///
/// # Errors
/// [`Error::Data`] with file and line for a missing, empty or non-UTF-8 file, a directory, broken JSON, a missing
/// field, a duplicate id, a label out of range, or no endings.
pub fn read_items(path: &Path) -> Result<Vec<Item>> {
    parse_items(&read_bytes(path)?[..], path)
}

/// Reads a data file whole; `-` is standard input.
///
/// # Errors
/// [`Error::Data`] for a missing file or a directory.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| Error::data(path, None, format!("cannot read the data file: {e}"));
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
        return Ok(bytes);
    }
    if path.is_dir() {
        return Err(Error::data(path, None, "is a directory; give a JSON Lines file"));
    }
    std::fs::read(path).map_err(failed)
}

/// Parses items from a reader; `name` stands for the file in messages.
///
/// # Errors
/// As [`read_items`].
pub fn parse_items(mut reader: impl BufRead, name: &Path) -> Result<Vec<Item>> {
    let mut items: Vec<Item> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let n = reader
            .read_until(b'\n', &mut bytes)
            .map_err(|e| Error::data(name, Some(line), format!("cannot read: {e}")))?;
        if n == 0 {
            break;
        }
        let text = std::str::from_utf8(&bytes).map_err(|e| {
            Error::data(
                name,
                Some(line),
                format!("not UTF-8 at byte {} of the line; convert the file to UTF-8", e.valid_up_to() + 1),
            )
        })?;
        let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        if text.trim().is_empty() {
            continue;
        }
        let item = parse_item(text.trim()).map_err(|m| Error::data(name, Some(line), m))?;
        if let Some(first) = seen.insert(item.id.clone(), line) {
            return Err(Error::data(
                name,
                Some(line),
                format!("duplicate id `{}`, first at line {first}; ids must be unique", item.id),
            ));
        }
        items.push(item);
    }
    if items.is_empty() {
        return Err(Error::data(name, None, "holds no items; the file is empty"));
    }
    Ok(items)
}

fn parse_item(text: &str) -> std::result::Result<Item, String> {
    if !text.starts_with('{') {
        return Err("not a JSON object; each line must hold one item, `{\"id\": …}`, and nothing else".to_string());
    }
    let mut item: Item = serde_json::from_str(text).map_err(|e| {
        // The parser has seen this line alone, so that its line number would mislead.
        let (reason, column) = (e.to_string(), e.column());
        let reason = reason.strip_suffix(&format!(" at line {} column {column}", e.line())).unwrap_or(&reason);
        match e.classify() {
            serde_json::error::Category::Data => format!("not an item: {}", wrong_field(text).unwrap_or(reason.into())),
            serde_json::error::Category::Eof => {
                format!("broken JSON: {reason} at column {column}; each line must hold one whole item")
            }
            _ => format!("broken JSON: {reason} at column {column}"),
        }
    })?;
    // An empty name would read as "all" in tables.
    for (name, value) in [("id", &item.id), ("task", &item.task), ("variant", &item.variant)] {
        if value.is_empty() {
            return Err(format!("field `{name}` is empty; give it a name"));
        }
    }
    if item.group.is_empty() {
        item.group.clone_from(&item.id);
    }
    if item.endings.is_empty() {
        return Err(format!("item `{}`: field `endings` is empty; at least one is needed", item.id));
    }
    if item.label >= item.endings.len() {
        return Err(format!(
            "item `{}`: field `label` is {} but there are {} endings (0 to {})",
            item.id,
            item.label,
            item.endings.len(),
            item.endings.len() - 1
        ));
    }
    Ok(item)
}

/// What is wrong with the first field that is not of its type, by name.
fn wrong_field(text: &str) -> Option<String> {
    let object: serde_json::Map<String, Value> = serde_json::from_str(text).ok()?;
    let strings = |v: &Value| v.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    object.iter().find_map(|(name, value)| {
        let (right, kind) = match name.as_str() {
            "id" | "task" | "group" | "variant" | "context" | "ctx" => (value.is_string(), "a string"),
            "question" => (value.is_string() || value.is_null(), "a string"),
            "endings" | "choices" => (strings(value), "a list of strings"),
            "label" => (value.is_u64(), "a whole number from 0 on"),
            "hops" | "extra_hops" => {
                (value.as_u64().is_some_and(|n| u32::try_from(n).is_ok()), "a whole number from 0 on")
            }
            _ => (true, ""),
        };
        let mut is: String = value.to_string().chars().take(60).collect();
        if is.len() < value.to_string().len() {
            is.push('…');
        }
        (!right).then(|| format!("field `{name}` must be {kind}, is {is}"))
    })
}

/// Writes items as JSON Lines, one object a line, fields in the order of [`Item`].
///
/// # Errors
/// Whatever the writer reports.
pub fn write_items(mut out: impl Write, items: &[Item]) -> std::io::Result<()> {
    for item in items {
        serde_json::to_writer(&mut out, item)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}
