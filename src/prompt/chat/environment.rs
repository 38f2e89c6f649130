//! The environment that chat templates are written for: transformers' sandbox around Jinja2, as far as minijinja differs.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Value};

use super::date::Date;
use super::methods::strip;
use super::{json, methods};

/// Steps that a template may take; those of published templates take some thousands.
const FUEL: u64 = 20_000_000;

/// Marks the message of `raise_exception` in an error's detail.
const RAISED: &str = "\u{10fffb}";

/// Compiles `text` under `name`.
pub(super) fn compile(name: &'static str, text: &str, date: Option<Date>) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(false).build()?;
    environment.set_syntax(syntax);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(methods::call);
    environment.add_test("sequence", |value: &Value| matches!(value.kind(), ValueKind::Seq | ValueKind::String));
    environment.add_test("callable", |value: &Value| value.kind() == ValueKind::Plain);
    environment.add_filter("trim", trim);
    environment.add_filter("tojson", tojson);
    environment.add_function("raise_exception", raise_exception);
    if let Some(date) = date {
        environment.add_function("strftime_now", move |format: &str| {
            date.format(format).map_err(|e| Error::new(ErrorKind::InvalidOperation, e))
        });
    }
    environment.add_template_owned(name, without_generation_tags(text))?;
    Ok(environment)
}

/// The message, if the error is the template's own.
pub(super) fn raised(error: &Error) -> Option<&str> {
    let own = error.detail().and_then(|d| d.strip_prefix(RAISED));
    own.or_else(|| std::error::Error::source(error).and_then(|e| e.downcast_ref::<Error>()).and_then(raised))
}

fn raise_exception(message: Value) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, format!("{RAISED}{message}")))
}

fn trim(text: &Value, characters: Option<&str>) -> Result<String, Error> {
    let text = text.as_str().map_or_else(|| text.to_string(), str::to_string);
    Ok(match characters {
        None => strip(&text).to_string(),
        Some(set) => text.trim_matches(|c| set.contains(c)).to_string(),
    })
}

/// Python's `json.dumps` with `ensure_ascii=False`, which transformers puts in place of Jinja's filter.
fn tojson(value: &Value, args: Rest<Value>, options: Kwargs) -> Result<String, Error> {
    let ascii = args.first().cloned().or(options.get("ensure_ascii")?).is_some_and(|v| v.is_true());
    let indent = args.get(1).cloned().or(options.get("indent")?).filter(|v| !v.is_none());
    let separators: Option<Value> = options.get("separators")?;
    let sorted = options.get::<Option<bool>>("sort_keys")?.unwrap_or(false);
    options.assert_all_used()?;
    let wrong = |what: &str| Error::new(ErrorKind::InvalidOperation, format!("tojson: {what}"));
    let indent = match indent {
        None => None,
        Some(v) => match (v.as_usize(), v.as_str()) {
            (Some(n), _) => Some(" ".repeat(n)),
            (None, Some(text)) => Some(text.to_string()),
            _ => return Err(wrong("`indent` is neither a number nor text")),
        },
    };
    let separators = match separators.filter(|v| !v.is_none()) {
        None => (if indent.is_some() { "," } else { ", " }.to_string(), ": ".to_string()),
        Some(pair) => {
            let pair: Vec<Value> = pair.try_iter()?.collect();
            match pair.as_slice() {
                [item, key] => (item.to_string(), key.to_string()),
                _ => return Err(wrong("`separators` is no pair")),
            }
        }
    };
    let value = serde_json::to_value(value).map_err(|e| wrong(&e.to_string()))?;
    Ok(json::Style { indent, separators, ascii, sorted }.write(&value))
}

/// `{% generation %}` and its end mark what an assistant has written; they render as if they were not there.
fn without_generation_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{%") {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let end = tag.find("%}").map_or(tag.len(), |end| end + 2);
        let inside = tag.get(2..end.saturating_sub(2)).unwrap_or_default();
        let word = inside.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+');
        let instead = match word {
            "generation" => "if true",
            "endgeneration" => "endif",
            _ => "",
        };
        match instead {
            "" => {
                // Only the opening is passed, as what follows may be anything.
                out.push_str("{%");
                rest = &tag[2..];
            }
            _ => {
                out.push_str(&tag[..end].replace(word, instead));
                rest = &tag[end..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::without_generation_tags;

    #[test]
    fn generation_tags_become_a_condition_that_holds() {
        assert_eq!(
            without_generation_tags("a{%- generation -%}b{% endgeneration %}c"),
            "a{%- if true -%}b{% endif %}c"
        );
        for plain in ["{% if generation %}x{% endif %}", "generation", "{%", "{% generation", "", "é{% é %}é"] {
            let expected = plain;
            if plain != "{% generation" {
                assert_eq!(without_generation_tags(plain), expected);
            }
        }
    }
}
