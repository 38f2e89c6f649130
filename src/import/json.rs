//! Records from JSON: one object a line, a list of objects, or one object in a file.
//!
//! A broken line costs its own record only, and a list is read up to its fault. A key that stands twice in one object and a
//! whole number beyond 64 bits, which JSON readers silently spoil, are defects; such a record is kept as text.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::defect::Finding;
use super::record::{Object, Place, Record, kind_of};
use super::sink::Sink;
use super::source::{Source, position};

/// Reads every object of a file as a record.
pub(super) fn each_object(source: &Source, sink: &mut Sink, mut read: impl FnMut(&mut Record, &Object)) {
    for (place, row) in rows(source) {
        give(sink, place, row, &mut read);
    }
}

/// Puts one row into the sink, as an object or as its defect.
pub(super) fn give(
    sink: &mut Sink,
    place: Place,
    row: Result<Parsed, Finding>,
    read: &mut impl FnMut(&mut Record, &Object),
) {
    let parsed = match row {
        Ok(parsed) => parsed,
        Err(finding) => {
            sink.record(place, Value::Null, |record| record.findings.push(finding));
            return;
        }
    };
    let Parsed { value, spoilt, text } = parsed;
    let source = if spoilt.is_empty() { value.clone() } else { Value::String(text) };
    sink.record(place, source, |record| {
        record.findings.extend(spoilt);
        match &value {
            Value::Object(object) => read(record, object),
            other => record.flag("wrong-type", "", format!("the record must be an object, is {}", kind_of(other))),
        }
    });
}

/// A JSON value, what of its text it does not hold, and (where there is such) the text.
pub(super) struct Parsed {
    pub value: Value,
    spoilt: Vec<Finding>,
    text: String,
}

/// White space as JSON has it.
const BLANKS: [char; 4] = [' ', '\n', '\r', '\t'];

/// The records of a file, each with its place.
pub(super) fn rows(source: &Source) -> Vec<(Place, Result<Parsed, Finding>)> {
    let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&source.bytes);
    match bytes.iter().find(|b| !BLANKS.contains(&char::from(**b))) {
        None => Vec::new(),
        Some(b'[') => list(source),
        Some(_) => whole(source).unwrap_or_else(|| lines(source)),
    }
}

/// A file that is one object over several lines.
fn whole(source: &Source) -> Option<Vec<(Place, Result<Parsed, Finding>)>> {
    let text = source.text().ok()?;
    let line = text.trim_start_matches(BLANKS).lines().next()?;
    if parse(line).is_ok() {
        return None;
    }
    match parse(text) {
        Ok(parsed) => Some(vec![(Place { row: Some(0), line: Some(1) }, Ok(parsed))]),
        // A first line that ends within an object is no record cut short: the file is one object, and broken.
        Err(fault) if line.trim_end().ends_with(['{', '[', ',']) => {
            let (line, finding) = fault.finding(text);
            Some(vec![(Place { row: Some(0), line: Some(line) }, Err(finding))])
        }
        Err(_) => None,
    }
}

/// One record a line; blank lines are passed over.
fn lines(source: &Source) -> Vec<(Place, Result<Parsed, Finding>)> {
    let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&source.bytes);
    let mut rows = Vec::new();
    for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let place = Place { row: Some(rows.len()), line: Some(i + 1) };
        let row = match std::str::from_utf8(line) {
            Ok(text) => parse(text).map_err(|fault| fault.finding(text).1),
            Err(e) => {
                let column = String::from_utf8_lossy(&line[..e.valid_up_to()]).chars().count() + 1;
                Err(Finding { kind: "not-utf-8", field: None, column: Some(column), message: NOT_UTF_8.into() })
            }
        };
        rows.push((place, row));
    }
    rows
}

/// What to do about bytes that are no UTF-8.
pub(super) const NOT_UTF_8: &str = "not UTF-8; convert the file to UTF-8";

/// A list of records, one after the other, up to its end or to a fault.
fn list(source: &Source) -> Vec<(Place, Result<Parsed, Finding>)> {
    let text = match source.text() {
        Ok(text) => text,
        Err((line, column)) => {
            let finding = Finding { kind: "not-utf-8", field: None, column: Some(column), message: NOT_UTF_8.into() };
            return vec![(Place { row: Some(0), line: Some(line) }, Err(finding))];
        }
    };
    let mut rows: Vec<(Place, Result<Parsed, Finding>)> = Vec::new();
    let skip = |at: usize| at + text[at..].len() - text[at..].trim_start_matches(BLANKS).len();
    let (mut at, mut line, mut counted) = (skip(0) + 1, 1, 0);
    let broken = |rows: &mut Vec<_>, at: usize, message: String| {
        let (line, column) = position(text, at);
        let message = format!("{message}; what follows is not read");
        let finding = Finding { kind: "broken-json", field: None, column: Some(column), message };
        rows.push((Place { row: Some(rows.len()), line: Some(line) }, Err(finding)));
    };
    at = skip(at);
    if text[at..].starts_with(']') {
        at += 1;
    } else {
        loop {
            at = skip(at);
            line += text[counted..at].matches('\n').count();
            counted = at;
            let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<IgnoredAny>();
            let raw = match values.next() {
                Some(Ok(_)) => &text[at..at + values.byte_offset()],
                Some(Err(e)) => {
                    let fault = at + offset(&text[at..], e.line(), e.column());
                    broken(&mut rows, fault, plain(&e));
                    return rows;
                }
                None => {
                    broken(&mut rows, at, "the list does not end".into());
                    return rows;
                }
            };
            let parsed = parse(raw).map_err(|fault| {
                // Columns of the record's first line count from the line's own beginning.
                let whole = Fault { at: at + fault.at, ..fault };
                whole.finding(text)
            });
            let (line, row) = match parsed {
                Ok(parsed) => (line, Ok(parsed)),
                Err((line, finding)) => (line, Err(finding)),
            };
            rows.push((Place { row: Some(rows.len()), line: Some(line) }, row));
            at = skip(at + values.byte_offset());
            if text[at..].starts_with(',') {
                at += 1;
            } else if text[at..].starts_with(']') {
                at += 1;
                break;
            } else {
                broken(&mut rows, at, "expected `,` or `]` between records".into());
                return rows;
            }
        }
    }
    if !text[at..].trim_matches(BLANKS).is_empty() {
        broken(&mut rows, skip(at), "more text after the list".into());
    }
    rows
}

/// A fault of JSON text: byte offset and message.
pub(super) struct Fault {
    pub at: usize,
    pub message: String,
}

impl Fault {
    /// The 1-based line of the text, and the finding with its column.
    fn finding(self, text: &str) -> (usize, Finding) {
        let (line, column) = position(text, self.at);
        (line, Finding { kind: "broken-json", field: None, column: Some(column), message: self.message })
    }
}

/// Parses one JSON value, which must be all of the text.
pub(super) fn parse(text: &str) -> Result<Parsed, Fault> {
    let spoilt = RefCell::new(Vec::new());
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Seed { spoilt: &spoilt, path: "" }.deserialize(&mut reader).and_then(|v| reader.end().map(|()| v));
    let spoilt = spoilt.into_inner();
    match value {
        Ok(value) => {
            Ok(Parsed { value, text: if spoilt.is_empty() { String::new() } else { text.to_string() }, spoilt })
        }
        Err(e) => Err(Fault { at: offset(text, e.line(), e.column()), message: plain(&e) }),
    }
}

/// The parser's message without its own place.
fn plain(e: &serde_json::Error) -> String {
    let text = e.to_string();
    let end = format!(" at line {} column {}", e.line(), e.column());
    text.strip_suffix(&end).unwrap_or(&text).to_string()
}

/// Byte offset of a fault, from the parser's line and column, which counts the bytes read, the bad one included.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Builds a value and notes what it cannot hold.
#[derive(Clone, Copy)]
struct Seed<'a> {
    spoilt: &'a RefCell<Vec<Finding>>,
    path: &'a str,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_f64<E>(self, v: f64) -> Result<Value, E> {
        // From 2^64 on, a whole number is read as the nearest one that has 53 digits in base 2.
        if v.fract() == 0.0 && v.abs() >= 9.2e18 {
            let message = format!("a whole number beyond 64 bits, read as {v:e}");
            self.spoilt.borrow_mut().push(Finding::new("inexact-number", self.path, message));
        }
        Ok(v.into())
    }
    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(v.into())
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element_seed(self)? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let path = if self.path.is_empty() { key.clone() } else { format!("{}.{key}", self.path) };
            let value = map.next_value_seed(Seed { path: &path, ..self })?;
            if object.insert(key, value).is_some() {
                let message = format!("the key `{path}` stands twice; the last one is read");
                self.spoilt.borrow_mut().push(Finding::new("duplicate-key", path, message));
            }
        }
        Ok(Value::Object(object))
    }
}
