//! Flags about chat templates, and the way from them to a template.

use std::path::{Path, PathBuf};

use clap::Args;

use super::model::Opened;
use super::progress::Console;
use crate::model::source::WeightFiles;
use crate::model::weights::GgufFile;
use crate::prompt::chat::{Date, source};
use crate::prompt::{ChatTemplate, Prompter, TemplateSource};
use crate::tokenize::gguf::chat_template;
use crate::{Error, Result};

/// Flags about chat templates.
#[derive(Args, Clone, Debug)]
pub struct ChatArgs {
    /// Make each item a user's turn and its endings the start of the answer: `auto` by the model's own template, or a Jinja
    /// FILE, or `none`.
    #[arg(long, value_name = "TEMPLATE", default_value = "none", help_heading = "Text")]
    chat_template: ChatFlag,
    /// Today's date, for chat templates that ask for it.
    #[arg(long, value_name = "YYYY-MM-DD", help_heading = "Text")]
    chat_date: Option<Date>,
}

/// `--chat-template`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ChatFlag {
    None,
    Auto,
    File(PathBuf),
}

impl From<&str> for ChatFlag {
    fn from(flag: &str) -> Self {
        match flag {
            "none" => ChatFlag::None,
            "auto" => ChatFlag::Auto,
            file => ChatFlag::File(file.into()),
        }
    }
}

impl ChatArgs {
    /// Puts the chat template, if one is asked for, into the prompter, and makes the encoder ready for it.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    pub fn apply(&self, prompter: Prompter, opened: &mut Opened, console: Console) -> Result<Prompter> {
        let source = match &self.chat_template {
            ChatFlag::None if self.chat_date.is_some() => {
                return Err(Error::usage("--chat-date is for chat templates; give `--chat-template auto` or FILE too"));
            }
            ChatFlag::None => return Ok(prompter),
            ChatFlag::Auto => own_template(opened)?,
            ChatFlag::File(file) => source::from_file(file)?,
        };
        let template = ChatTemplate::new(source, opened.encoder.named_tokens(), self.chat_date)?;
        console.note(format!("chat template: {}", template.origin()));
        opened.encoder.read_scaffold()?;
        Ok(prompter.with_chat(template))
    }
}

/// The template beside the tokenizer, else the model's.
fn own_template(opened: &Opened) -> Result<TemplateSource> {
    let files = &opened.files;
    let beside = files.tokenizer.as_deref().and_then(Path::parent);
    let root = files.root.is_dir().then_some(files.root.as_path());
    for folder in [beside, root].into_iter().flatten() {
        if let Some(found) = source::from_folder(folder)? {
            return Ok(found);
        }
    }
    if let Some(WeightFiles::Gguf(file)) = &files.weights
        && let Some(text) = chat_template(&GgufFile::open(file)?)?
    {
        return Ok(TemplateSource { text, origin: format!("{}, `tokenizer.chat_template`", file.display()) });
    }
    Err(Error::model(
        &files.root,
        "`--chat-template auto`: the model has no chat template (neither chat_template.jinja nor `chat_template` in \
         tokenizer_config.json, nor `tokenizer.chat_template` in a GGUF file); it may be a base model: leave the flag out, \
         or give a template with `--chat-template FILE`",
    ))
}
