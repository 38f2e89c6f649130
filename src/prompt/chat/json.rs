//! JSON as Python's `json.dumps` writes it, for the filter `tojson`.

use serde_json::Value;

/// How it is written.
pub(super) struct Style {
    /// What a level is indented by; all in one line where `None`.
    pub(super) indent: Option<String>,
    /// Between items, and between a key and its value.
    pub(super) separators: (String, String),
    /// Whether all but ASCII is escaped.
    pub(super) ascii: bool,
    /// Whether keys are in order.
    pub(super) sorted: bool,
}

impl Style {
    pub(super) fn write(&self, value: &Value) -> String {
        let mut out = String::new();
        self.value(value, 0, &mut out);
        out
    }

    fn value(&self, value: &Value, level: usize, out: &mut String) {
        match value {
            Value::Array(items) if !items.is_empty() => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    self.next(i, level + 1, out);
                    self.value(item, level + 1, out);
                }
                self.close(level, ']', out);
            }
            Value::Object(map) if !map.is_empty() => {
                let mut pairs: Vec<_> = map.iter().collect();
                if self.sorted {
                    pairs.sort_by_key(|(key, _)| *key);
                }
                out.push('{');
                for (i, (key, item)) in pairs.into_iter().enumerate() {
                    self.next(i, level + 1, out);
                    self.text(key, out);
                    out.push_str(&self.separators.1);
                    self.value(item, level + 1, out);
                }
                self.close(level, '}', out);
            }
            Value::String(text) => self.text(text, out),
            other => out.push_str(&other.to_string()),
        }
    }

    fn next(&self, index: usize, level: usize, out: &mut String) {
        if index > 0 {
            out.push_str(&self.separators.0);
        }
        self.line(level, out);
    }

    fn close(&self, level: usize, bracket: char, out: &mut String) {
        self.line(level, out);
        out.push(bracket);
    }

    fn line(&self, level: usize, out: &mut String) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            out.push_str(&indent.repeat(level));
        }
    }

    fn text(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if c < ' ' || (self.ascii && !c.is_ascii()) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c if self.ascii && c == '\u{7f}' => out.push(c),
                c => out.push(c),
            }
        }
        out.push('"');
    }
}
