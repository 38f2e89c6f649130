//! A list of strings as Python prints it: `['a', "b's", 'c\n']`. Exactly what `repr` writes of such a list, and what
//! `ast.literal_eval` reads of it (single and double quotes, escapes); no other literals, no string prefixes, no
//! concatenation. Rules: the Python reference, "String and Bytes literals".

/// A fault and its 1-based column in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub column: usize,
    pub message: &'static str,
}

/// Reads a list of strings, or a tuple of two or more.
pub(super) fn parse(text: &str) -> Result<Vec<String>, Fault> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0 };
    let list = reader.list()?;
    reader.blanks();
    if reader.at < reader.chars.len() {
        return Err(reader.fault("more text after the list"));
    }
    Ok(list)
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn fault(&self, message: &'static str) -> Fault {
        Fault { column: self.at + 1, message }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn list(&mut self) -> Result<Vec<String>, Fault> {
        self.blanks();
        let (close, unclosed) = match self.peek() {
            Some('[') => (']', "expected `,` or `]`"),
            Some('(') => (')', "expected `,` or `)`"),
            _ => return Err(self.fault("expected `[`")),
        };
        self.at += 1;
        let mut list = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(close) {
                break;
            }
            list.push(self.string()?);
            self.blanks();
            match self.peek() {
                Some(',') => self.at += 1,
                Some(c) if c == close => {}
                _ => return Err(self.fault(unclosed)),
            }
        }
        self.at += 1;
        Ok(list)
    }

    fn string(&mut self) -> Result<String, Fault> {
        let quote = match self.peek() {
            Some(c @ ('\'' | '"')) => c,
            _ => return Err(self.fault("expected a string in quotes")),
        };
        let opened = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            match self.peek() {
                None | Some('\n') => {
                    return Err(Fault { column: opened + 1, message: "the string that opens here does not close" });
                }
                Some('\\') => self.escape(&mut out)?,
                Some(c) => {
                    self.at += 1;
                    if c == quote {
                        return Ok(out);
                    }
                    out.push(c);
                }
            }
        }
    }

    /// One escape, its backslash included.
    fn escape(&mut self, out: &mut String) -> Result<(), Fault> {
        let Some(c) = self.chars.get(self.at + 1).copied() else {
            return Err(self.fault("a backslash at the end"));
        };
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digits > 0 {
            let code: String = self.chars.iter().skip(self.at + 2).take(digits).collect();
            let value = if code.len() == digits { u32::from_str_radix(&code, 16).ok() } else { None };
            let Some(c) = value.and_then(char::from_u32) else {
                return Err(self.fault("an escape that names no character"));
            };
            out.push(c);
            self.at += 2 + digits;
            return Ok(());
        }
        if c.is_digit(8) {
            let mut value = 0;
            let mut read = 0;
            while let Some(d) = self.chars.get(self.at + 1 + read).and_then(|c| c.to_digit(8)).filter(|_| read < 3) {
                value = value * 8 + d;
                read += 1;
            }
            out.extend(char::from_u32(value));
            self.at += 1 + read;
            return Ok(());
        }
        match c {
            '\n' => {}
            '\\' | '\'' | '"' => out.push(c),
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            'N' => return Err(self.fault("a named character, which is not supported")),
            // Python keeps the backslash of an escape that it does not know.
            other => out.extend(['\\', other]),
        }
        self.at += 2;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repr_writes_is_read() {
        assert_eq!(parse(r#"['∀x P(x)', "it's", 'a "b" \'c\'']"#).unwrap(), ["∀x P(x)", "it's", "a \"b\" 'c'"]);
        assert_eq!(parse(r" [ 'a\n\t\\' , '\xe9\u2200\U0001F600\101' , ] ").unwrap(), ["a\n\t\\", "é∀😀A"]);
        assert_eq!(parse("[]").unwrap(), Vec::<String>::new());
        assert_eq!(parse(r"['\d']").unwrap(), ["\\d"]);
        assert_eq!(parse("('a', 'b')").unwrap(), ["a", "b"]);
    }

    #[test]
    fn faults_have_their_column() {
        let column = |text: &str| parse(text).unwrap_err().column;
        assert_eq!(column("'a'"), 1);
        assert_eq!(column("['é' 'b']"), 6);
        assert_eq!(column("['a', b]"), 7);
        assert_eq!(column("['a', 'b]"), 7);
        assert_eq!(column("['a'] x"), 7);
        assert_eq!(column("['a', 'b'"), 10);
        assert_eq!(column(r"['\uZZZZ']"), 3);
        assert_eq!(column(""), 1);
    }
}
