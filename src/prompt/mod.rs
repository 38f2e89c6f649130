//! How an item becomes text.
//!
//! The text of an item is its context, then, if it has a question, `"\nQuestion: "` + question + `"\nAnswer:"`; then
//! the delimiter and an ending. Few-shot examples ([`shots`]) come first, each with its right ending, parted by blank
//! lines. They are the same for every item of a task and variant, so that they are one shared prefix.
//!
//! Not decided here: ids, BOS, and where the context ends ([`crate::tokenize`]).

pub mod shots;

use serde::Serialize;

use crate::item::Item;
use crate::{Error, Result};

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
#[derive(Clone, Debug, PartialEq)]
pub struct Prompter {
    delimiter: String,
    shots: Option<Shots>,
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
    /// BLAKE3 over all of the above, in hexadecimal.
    pub digest: String,
}

impl Default for Prompter {
    fn default() -> Self {
        Prompter::new(DEFAULT_DELIMITER)
    }
}

impl Prompter {
    /// Prompts without examples; `delimiter` stands between context and ending.
    pub fn new(delimiter: impl Into<String>) -> Self {
        Prompter { delimiter: delimiter.into(), shots: None }
    }

    /// Puts examples before every item.
    #[must_use]
    pub fn with_shots(mut self, shots: Shots) -> Self {
        self.shots = Some(shots);
        self
    }

    /// The prompt of an item.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are examples, but none were drawn for the item's task and variant.
    pub fn prompt(&self, item: &Item) -> Result<Prompt> {
        let text = item_text(item);
        let context = match &self.shots {
            None => text,
            Some(shots) => {
                let before = shots.text(item, &self.delimiter).ok_or_else(|| {
                    Error::usage(format!(
                        "no examples were drawn for task `{}`, variant `{}` (item `{}`)",
                        item.task, item.variant, item.id
                    ))
                })?;
                before + &text
            }
        };
        Ok(Prompt { context, delimiter: self.delimiter.clone(), endings: item.endings.clone() })
    }

    /// The prompt for the unconditional log-likelihood of an item's endings: [`UNCONDITIONAL_CONTEXT`] alone.
    pub fn unconditional(&self, item: &Item) -> Prompt {
        Prompt {
            context: UNCONDITIONAL_CONTEXT.to_string(),
            delimiter: self.delimiter.clone(),
            endings: item.endings.clone(),
        }
    }

    /// How prompts are made, for the manifest.
    pub fn info(&self) -> PromptInfo {
        let shots = self.shots.as_ref().map(|s| s.info(&self.delimiter));
        let mut hash = blake3::Hasher::new();
        for part in [TEMPLATE, &self.delimiter, shots.as_ref().map_or("", |s| &s.digest)] {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        PromptInfo {
            template: TEMPLATE,
            delimiter: self.delimiter.clone(),
            shots,
            digest: hash.finalize().to_hex().to_string(),
        }
    }
}
