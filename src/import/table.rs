//! Records from CSV. A reader of our own, since a lenient one hides what is to be reported here: quotes that do not pair, and
//! rows of another width than the header. Cells may be quoted, with line breaks and doubled quotes inside.

use serde_json::Value;

use super::defect::Finding;
use super::json::NOT_UTF_8;
use super::record::{Object, Place, Record};
use super::sink::Sink;
use super::source::{Source, position};

/// A row as it stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// 1-based line on which it begins.
    pub line: usize,
    /// Byte offset at which it begins.
    start: usize,
    /// Its cells, unquoted.
    pub cells: Vec<Vec<u8>>,
    /// The byte offset of a quote that does not pair.
    fault: Option<(usize, &'static str)>,
}

/// The column names of a file, and its rows.
pub(super) struct Table {
    /// Column names, spaces at their ends taken off.
    pub header: Vec<String>,
    pub rows: Vec<Row>,
}

impl Table {
    /// Reads a file; `None` where there is no header.
    pub fn read(source: &Source) -> Option<Table> {
        let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&source.bytes);
        let mut rows = parse(bytes).into_iter();
        let header = rows.next()?;
        let header = header.cells.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_string()).collect();
        Some(Table { header, rows: rows.collect() })
    }

    /// What may be wrong with a header that lacks columns, to go behind a message.
    pub fn hint(&self) -> &'static str {
        if self.header.len() == 1 { "; the header has one column only: cells must be separated by commas" } else { "" }
    }

    /// Reads every row as a record.
    pub fn each(&self, source: &Source, sink: &mut Sink, mut read: impl FnMut(&mut Record, &Object)) {
        let names = self.names(sink);
        for (i, row) in self.rows.iter().enumerate() {
            let place = |line| Place { row: Some(i), line: Some(line) };
            match self.object(row, &names, source) {
                Ok(object) => {
                    sink.record(place(row.line), Value::Object(object.clone()), |record| read(record, &object))
                }
                Err((line, finding)) => sink.record(place(line), Value::Null, |record| record.findings.push(finding)),
            }
        }
    }

    /// The column names, each once: a name that stands twice gets a number, so that no cell is lost.
    fn names(&self, sink: &mut Sink) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.header.len());
        for name in &self.header {
            if name.contains('\u{fffd}') {
                sink.flag_file(
                    Some(1),
                    Finding::new("not-utf-8", name.clone(), "a column name is not UTF-8; convert the file to UTF-8"),
                );
            }
            let times = self.header[..names.len()].iter().filter(|other| *other == name).count();
            if times > 0 {
                let message = format!("column `{name}` stands twice; the first is read");
                sink.flag_file(Some(1), Finding::new("duplicate-column", name.clone(), message));
            }
            names.push(if times == 0 { name.clone() } else { format!("{name}#{}", times + 1) });
        }
        names
    }

    /// A row as an object; else the line of its fault, and what it is.
    fn object(&self, row: &Row, names: &[String], source: &Source) -> Result<Object, (usize, Finding)> {
        let fault = |kind, field, column, message: String| Finding { kind, field, column, message };
        if let Some((at, message)) = row.fault {
            let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&source.bytes);
            let before = String::from_utf8_lossy(bytes.get(row.start..at).unwrap_or_default()).into_owned();
            let (line, column) = position(&before, before.len());
            return Err((row.line + line - 1, fault("bad-quotes", None, Some(column), message.into())));
        }
        if row.cells.len() != names.len() {
            let message = format!("{} cells under {} columns", row.cells.len(), names.len());
            return Err((row.line, fault("wrong-width", None, None, message)));
        }
        let mut object = Object::new();
        for (name, cell) in names.iter().zip(&row.cells) {
            let text = std::str::from_utf8(cell).map_err(|e| {
                let column = String::from_utf8_lossy(&cell[..e.valid_up_to()]).chars().count() + 1;
                (row.line, fault("not-utf-8", Some(name.clone()), Some(column), NOT_UTF_8.into()))
            })?;
            object.insert(name.clone(), Value::from(text));
        }
        Ok(object)
    }
}

/// Cuts bytes into rows. Lines without anything are passed over.
fn parse(bytes: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        let row = parse_row(bytes, &mut at, &mut line);
        if row.cells.len() > 1 || row.cells.first().is_some_and(|cell| !cell.is_empty()) || row.fault.is_some() {
            rows.push(row);
        }
    }
    rows
}

fn parse_row(bytes: &[u8], at: &mut usize, line: &mut usize) -> Row {
    let mut row = Row { line: *line, start: *at, cells: Vec::new(), fault: None };
    let mut cell = Vec::new();
    loop {
        if cell.is_empty() && bytes.get(*at) == Some(&b'"') {
            quoted(bytes, at, line, &mut cell, &mut row);
        }
        let byte = bytes.get(*at).copied();
        *at += 1;
        match byte {
            Some(b',') => row.cells.push(std::mem::take(&mut cell)),
            Some(b'\r' | b'\n') | None => {
                if byte == Some(b'\r') && bytes.get(*at) == Some(&b'\n') {
                    *at += 1;
                }
                *line += 1;
                row.cells.push(cell);
                return row;
            }
            Some(other) => cell.push(other),
        }
    }
}

/// Reads a quoted cell, from its first quote to behind its last.
fn quoted(bytes: &[u8], at: &mut usize, line: &mut usize, cell: &mut Vec<u8>, row: &mut Row) {
    let opened = *at;
    *at += 1;
    loop {
        match bytes.get(*at) {
            None => {
                row.fault = row.fault.or(Some((opened, "a quote that opens here does not close")));
                return;
            }
            Some(b'"') if bytes.get(*at + 1) == Some(&b'"') => {
                cell.push(b'"');
                *at += 2;
            }
            Some(b'"') => {
                *at += 1;
                if !matches!(bytes.get(*at), None | Some(b',' | b'\r' | b'\n')) {
                    row.fault = row.fault.or(Some((*at, "text behind a closing quote")));
                }
                return;
            }
            Some(byte) => {
                *line += usize::from(*byte == b'\n');
                cell.push(*byte);
                *at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Vec<String>> {
        let of = |row: &Row| row.cells.iter().map(|c| String::from_utf8_lossy(c).into_owned()).collect();
        parse(text.as_bytes()).iter().map(of).collect()
    }

    #[test]
    fn quotes_line_breaks_and_empty_cells() {
        assert_eq!(
            cells("a,b\r\n\"x, \"\"y\"\"\n z\",\n\n,\n"),
            [vec!["a", "b"], vec!["x, \"y\"\n z", ""], vec!["", ""]]
        );
        assert_eq!(cells("it\"s,6\""), [["it\"s", "6\""]]);
        assert_eq!(cells("a\rb"), [["a"], ["b"]]);
    }

    #[test]
    fn lines_are_counted_through_quoted_breaks() {
        let lines: Vec<usize> = parse(b"a\n\"x\r\ny\"\n\nb\n").iter().map(|row| row.line).collect();
        assert_eq!(lines, [1, 2, 5]);
    }

    #[test]
    fn quotes_that_do_not_pair_are_placed() {
        let fault = |text: &str| parse(text.as_bytes()).iter().find_map(|row| row.fault).map(|(at, _)| at);
        assert_eq!(fault("a,\"b"), Some(2));
        assert_eq!(fault("\"a\"b,c"), Some(3));
        assert_eq!(fault("\"a\",\"b\"\n"), None);
    }
}
