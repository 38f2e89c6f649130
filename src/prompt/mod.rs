//! How an item becomes text.
//!
//! The text of an item is its context, then, if it has a question, `"\nQuestion: "` + question + `"\nAnswer:"`; then
//! the delimiter and an ending. Few-shot examples ([`shots`]) come first, each with its right ending, parted by blank
//! lines. They are the same for every item of a task and variant, so that they are one shared prefix.
//!
//! With a chat template ([`chat`]) all of that, up to the delimiter, is a user's turn, and the ending is the start of the
//! assistant's answer. The delimiter between the two is then empty unless one is asked for; within examples it stays.
//!
//! Not decided here: ids, BOS, and where the context ends ([`crate::tokenize`]).

pub mod chat;
pub mod shots;

use std::ops::Range;

use serde::Serialize;

use crate::item::Item;
use crate::{Error, Result};

pub use chat::{ChatTemplate, TemplateSource};
pub use shots::{Shots, ShotsInfo};

/// What stands between the text of an item and its ending unless told otherwise.
pub const DEFAULT_DELIMITER: &str = " ";

/// The context after which an ending's unconditional log-likelihood is taken (pointwise mutual information).
pub const UNCONDITIONAL_CONTEXT: &str = "Answer:";

/// How an item's text is put together, as recorded in manifests.
const TEMPLATE: &str = "{context}[\\nQuestion: {question}\\nAnswer:]{delimiter}{ending}";

/// The text of one item's requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What comes before the delimiter, few-shot examples included.
    pub context: String,
    /// What of the context a chat template wrote, in bytes; empty without one.
    pub scaffold: Vec<Range<usize>>,
    /// The user's message, if a chat template changed it so that it cannot be told from the scaffold, which is then given as
    /// the whole context.
    pub unlocated: Option<String>,
    /// What stands between context and ending; scored with the ending.
    pub delimiter: String,
    /// The endings, in the item's order.
    pub endings: Vec<String>,
}

/// The text of an item without examples and endings.
pub fn item_text(item: &Item) -> String {
    match &item.question {
        Some(question) => format!("{}\nQuestion: {question}\nAnswer:", item.context),
        None => item.context.clone(),
    }
}

/// Turns items into prompts, all in one way.
#[derive(Debug)]
pub struct Prompter {
    delimiter: Option<String>,
    shots: Option<Shots>,
    chat: Option<ChatTemplate>,
}

/// How prompts are made, for the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptInfo {
    /// How an item's text is put together; brackets: only with a question.
    pub template: &'static str,
    /// What stands between context and ending.
    pub delimiter: String,
    /// The few-shot examples, if any.
    pub shots: Option<ShotsInfo>,
    /// BLAKE3 of the chat template's text, if there is one.
    pub chat_template: Option<String>,
    /// BLAKE3 over all of the above, in hexadecimal.
    pub digest: String,
}

impl Default for Prompter {
    fn default() -> Self {
        Prompter::new(None)
    }
}

impl Prompter {
    /// Prompts without examples and chat template. `delimiter` stands between context and ending; by default
    /// [`DEFAULT_DELIMITER`], and nothing between a chat template's text and the ending.
    pub fn new(delimiter: Option<String>) -> Self {
        Prompter { delimiter, shots: None, chat: None }
    }

    /// Puts examples before every item.
    #[must_use]
    pub fn with_shots(mut self, shots: Shots) -> Self {
        self.shots = Some(shots);
        self
    }

    /// Makes every item a user's turn.
    #[must_use]
    pub fn with_chat(mut self, template: ChatTemplate) -> Self {
        self.chat = Some(template);
        self
    }

    /// The chat template.
    pub fn chat(&self) -> Option<&ChatTemplate> {
        self.chat.as_ref()
    }

    /// What stands between context and ending.
    pub fn delimiter(&self) -> &str {
        match (&self.delimiter, &self.chat) {
            (Some(delimiter), _) => delimiter,
            (None, None) => DEFAULT_DELIMITER,
            (None, Some(_)) => "",
        }
    }

    /// What stands between text and ending within an example.
    fn inner_delimiter(&self) -> &str {
        self.delimiter.as_deref().unwrap_or(DEFAULT_DELIMITER)
    }

    /// The prompt of an item.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are examples, but none were drawn for the item's task and variant, or if the chat
    /// template refuses the item.
    pub fn prompt(&self, item: &Item) -> Result<Prompt> {
        let text = item_text(item);
        let context = match &self.shots {
            None => text,
            Some(shots) => {
                let before = shots.text(item, self.inner_delimiter()).ok_or_else(|| {
                    Error::usage(format!(
                        "no examples were drawn for task `{}`, variant `{}` (item `{}`)",
                        item.task, item.variant, item.id
                    ))
                })?;
                before + &text
            }
        };
        self.with_endings(context, item)
    }

    /// The prompt for the unconditional log-likelihood of an item's endings: [`UNCONDITIONAL_CONTEXT`] alone, as a user's
    /// turn if there is a chat template.
    ///
    /// # Errors
    /// [`Error::Usage`] if the chat template refuses it.
    pub fn unconditional(&self, item: &Item) -> Result<Prompt> {
        self.with_endings(UNCONDITIONAL_CONTEXT.to_string(), item)
    }

    fn with_endings(&self, text: String, item: &Item) -> Result<Prompt> {
        let delimiter = self.delimiter().to_string();
        let endings = item.endings.clone();
        let Some(chat) = &self.chat else {
            return Ok(Prompt { context: text, scaffold: Vec::new(), unlocated: None, delimiter, endings });
        };
        let turn = chat.turn(&text)?;
        let (scaffold, unlocated) = match &turn.message {
            Some(message) => (between(message, turn.text.len()), None),
            None => (std::iter::once(0..turn.text.len()).collect(), Some(text)),
        };
        Ok(Prompt { context: turn.text, scaffold, unlocated, delimiter, endings })
    }

    /// How prompts are made, for the manifest.
    pub fn info(&self) -> PromptInfo {
        let shots = self.shots.as_ref().map(|s| s.info(self.inner_delimiter()));
        let mut hash = blake3::Hasher::new();
        let mut add = |part: &str| {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        };
        add(TEMPLATE);
        add(self.delimiter());
        add(shots.as_ref().map_or("", |s| &s.digest));
        if let Some(chat) = &self.chat {
            add(&chat.full_digest());
        }
        PromptInfo {
            template: TEMPLATE,
            delimiter: self.delimiter().to_string(),
            shots,
            chat_template: self.chat.as_ref().map(ChatTemplate::digest),
            digest: hash.finalize().to_hex().to_string(),
        }
    }
}

/// What lies between, before and behind `places` in a text of `length` bytes.
fn between(places: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut gaps = Vec::with_capacity(places.len() + 1);
    for place in places {
        gaps.push(at..place.start);
        at = place.end;
    }
    gaps.push(at..length);
    gaps.retain(|gap| !gap.is_empty());
    gaps
}
