//! Python's methods of text, lists and dictionaries, as templates call them: those that minijinja-contrib has, and here those
//! that it lacks, or that treat white space in another way than Python.

use minijinja::{Error, ErrorKind, State, Value};

/// White space as Python's `str.strip` takes it.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Python's `str.strip()`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Python's `str.lstrip()`.
pub(super) fn strip_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Python's `str.rstrip()`.
pub(super) fn strip_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// Calls a method.
pub(super) fn call(state: &mut State, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    if let Some(text) = value.as_str()
        && let Some(result) = of_text(text, name, args)
    {
        return result;
    }
    minijinja_contrib::pycompat::unknown_method_callback(state, value, name, args)
}

/// A method of text; `None` if it is not one of these.
fn of_text(text: &str, name: &str, args: &[Value]) -> Option<Result<Value, Error>> {
    let first = args.first().and_then(Value::as_str);
    let needed = || {
        first
            .filter(|part| !part.is_empty())
            .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("`{name}` needs a text that is not empty")))
    };
    let three = |parts: [&str; 3]| Value::from(parts.map(Value::from).to_vec());
    let result = match (name, args.len()) {
        ("strip", 0) => Ok(Value::from(strip(text))),
        ("lstrip", 0) => Ok(Value::from(strip_start(text))),
        ("rstrip", 0) => Ok(Value::from(strip_end(text))),
        ("removeprefix", 1) => Ok(Value::from(first.and_then(|part| text.strip_prefix(part)).unwrap_or(text))),
        ("removesuffix", 1) => Ok(Value::from(first.and_then(|part| text.strip_suffix(part)).unwrap_or(text))),
        ("rsplit", 0..=2) => return Some(rsplit(text, args)),
        ("partition", 1) => needed().map(|part| match text.split_once(part) {
            Some((before, behind)) => three([before, part, behind]),
            None => three([text, "", ""]),
        }),
        ("rpartition", 1) => needed().map(|part| match text.rsplit_once(part) {
            Some((before, behind)) => three([before, part, behind]),
            None => three(["", "", text]),
        }),
        _ => return None,
    };
    Some(result)
}

/// Python's `str.rsplit`: at white space, or at a text, at most so many times from the end.
fn rsplit(text: &str, args: &[Value]) -> Result<Value, Error> {
    let wrong = |what: &str| Error::new(ErrorKind::InvalidOperation, format!("`rsplit`: {what}"));
    let most = match args.get(1).and_then(Value::as_i64) {
        None if args.len() > 1 => return Err(wrong("the second argument is no number")),
        None => usize::MAX,
        Some(most) => usize::try_from(most).unwrap_or(usize::MAX),
    };
    let count = most.saturating_add(1);
    let mut parts: Vec<&str> = match args.first().filter(|part| !part.is_none()) {
        None if most == usize::MAX => text.split(is_space).filter(|part| !part.is_empty()).rev().collect(),
        None => return Err(wrong("a number of cuts at white space is not supported; give the text to cut at")),
        Some(part) => match part.as_str() {
            None | Some("") => return Err(wrong("the text to cut at is empty, or no text")),
            Some(part) => text.rsplitn(count, part).collect(),
        },
    };
    parts.reverse();
    Ok(Value::from(parts.into_iter().map(Value::from).collect::<Vec<_>>()))
}
