//! Chat templates: an item as a user's turn, the ending as the start of the assistant's answer.
//!
//! A template is a Jinja program that comes with a model. It is rendered as transformers renders it (`environment`), with
//! one user message and the generation prompt. What it writes around the message is *scaffold*: there the text of a special
//! token means the token. The item's own text is not scaffold, so the two must be told apart in what is rendered. The
//! template is therefore rendered once with a mark in the message's place; an item's text is located if putting it (as it
//! is, or without white space at its ends) in place of the mark gives what rendering it gives.
//!
//! Not decided here: where a model keeps its template ([`source`]), and how scaffold becomes ids ([`crate::tokenize`]).

mod date;
mod environment;
mod json;
mod methods;
pub mod source;

use std::ops::Range;

use minijinja::{Environment, ErrorKind, Value, context};

use crate::{Error, Result};

pub use date::Date;
pub use source::TemplateSource;

/// The name under which the template is compiled; no ending, so that nothing is escaped.
const NAME: &str = "chat";

/// Stands for the message: no letter, no white space, in no template.
const MARK: &str = "\u{10fffd}\u{10fffc}\u{10fffd}";

/// A compiled template that has been seen to show a message.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    source: TemplateSource,
    /// The variables that stand for special tokens: `bos_token` and the like.
    tokens: Vec<(String, String)>,
    date: Option<Date>,
    /// Whether a message's content is a list of parts, for templates that do not take text.
    parts: bool,
    /// What is rendered around the message: the texts between its occurrences.
    around: Vec<String>,
}

/// A rendered turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The text, generation prompt included.
    pub text: String,
    /// Where the message is in it, in bytes; `None` if the template changed the message so that this cannot be told.
    pub message: Option<Vec<Range<usize>>>,
}

impl ChatTemplate {
    /// Compiles a template and renders a sample with it. `tokens` are the names and texts of special tokens.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the template's place: a syntax error (with its line), something that is not supported, a
    /// template that raises whatever the message, or that does not show the message.
    pub fn new(source: TemplateSource, tokens: &[(String, String)], date: Option<Date>) -> Result<Self> {
        let environment = environment::compile(NAME, &source.text, date)
            .map_err(|e| Error::usage(format!("the chat template in {}: {}", source.origin, describe(&e))))?;
        let mut template =
            ChatTemplate { environment, source, tokens: tokens.to_vec(), date, parts: false, around: Vec::new() };
        let sample = template.render(MARK);
        if let Some(around) = sample.as_deref().ok().and_then(split_at_mark) {
            template.around = around;
            return Ok(template);
        }
        // Templates for models that also see images may take a list of parts only.
        template.parts = true;
        if let Some(around) = template.render(MARK).ok().as_deref().and_then(split_at_mark) {
            template.around = around;
            return Ok(template);
        }
        Err(template.wrong(match sample {
            Err(e) => describe(&e),
            Ok(_) => {
                "what it renders does not hold the user's message; give another with `--chat-template FILE`".into()
            }
        }))
    }

    /// The text as a user's turn, with the generation prompt.
    ///
    /// # Errors
    /// Meant as one item's error: the template raises, or fails.
    pub fn turn(&self, message: &str) -> Result<Turn> {
        let text = self.render(message).map_err(|e| self.wrong(describe(&e)))?;
        let trimmed = methods::strip(message);
        let forms = [message, trimmed, methods::strip_start(message), methods::strip_end(message)];
        let message = forms.iter().find_map(|form| self.locate(&text, form));
        Ok(Turn { text, message })
    }

    /// Where the template was found.
    pub fn origin(&self) -> &str {
        &self.source.origin
    }

    /// BLAKE3 of the template's text, in hexadecimal.
    pub fn digest(&self) -> String {
        blake3::hash(self.source.text.as_bytes()).to_hex().to_string()
    }

    /// The date that the template is told.
    pub fn date(&self) -> Option<Date> {
        self.date
    }

    /// BLAKE3 over all that decides what is rendered: text, special tokens, date.
    pub fn full_digest(&self) -> String {
        let date = self.date.map(|d| d.to_string()).unwrap_or_default();
        let tokens = self.tokens.iter().flat_map(|(name, token)| [name, token]);
        let mut hash = blake3::Hasher::new();
        for part in [&self.source.text, &date].into_iter().chain(tokens) {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        hash.finalize().to_hex().to_string()
    }

    fn render(&self, message: &str) -> Result<String, minijinja::Error> {
        let content = match self.parts {
            true => Value::from(vec![context! { type => "text", text => message }]),
            false => Value::from(message),
        };
        let variables = context! {
            messages => vec![context! { role => "user", content => content }],
            tools => (),
            documents => (),
            add_generation_prompt => true,
        };
        let tokens = Value::from_pairs(self.tokens.iter().map(|(name, token)| (name.as_str(), token.as_str())));
        self.environment.get_template(NAME)?.render(context! { ..variables, ..tokens })
    }

    /// The places of `message` in `text`, if with it in place of the mark the scaffold gives `text`.
    fn locate(&self, text: &str, message: &str) -> Option<Vec<Range<usize>>> {
        let (first, rest) = self.around.split_first()?;
        let mut at = text.strip_prefix(first.as_str()).map(|_| first.len())?;
        let mut places = Vec::with_capacity(rest.len());
        for part in rest {
            let left = text[at..].strip_prefix(message)?.strip_prefix(part.as_str())?;
            places.push(at..at + message.len());
            at = text.len() - left.len();
        }
        (at == text.len()).then_some(places)
    }

    fn wrong(&self, message: String) -> Error {
        Error::usage(format!("the chat template in {}: {message}", self.source.origin))
    }
}

fn split_at_mark(text: &str) -> Option<Vec<String>> {
    let parts: Vec<String> = text.split(MARK).map(str::to_string).collect();
    (parts.len() > 1).then_some(parts)
}

/// What is wrong, where, and what to do.
fn describe(error: &minijinja::Error) -> String {
    let line = error.line().map(|n| format!("line {n}: ")).unwrap_or_default();
    let detail = error.detail().unwrap_or_default();
    if let Some(message) = environment::raised(error) {
        return format!("{line}it raises: {message}");
    }
    match error.kind() {
        ErrorKind::UnknownFunction if detail.contains("strftime_now") => {
            format!(
                "{line}it asks for today's date; give one with `--chat-date YYYY-MM-DD`, so that scores can be repeated"
            )
        }
        ErrorKind::OutOfFuel => "it takes too many steps; is there a loop without end in it?".to_string(),
        kind if detail.is_empty() => format!("{line}{kind}"),
        kind => format!("{line}{kind}: {detail}"),
    }
}
