//! Where a chat template comes from.

use std::path::Path;

use serde_json::Value;

use crate::{Error, Result};

/// A template's text and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateSource {
    /// The Jinja program.
    pub text: String,
    /// Its place, for messages and for the record.
    pub origin: String,
}

/// The file of its own that a template may have.
pub const TEMPLATE_FILE: &str = "chat_template.jinja";

/// The file of settings that may hold one.
const SETTINGS: &str = "tokenizer_config.json";

/// Reads a template from a file of its own.
///
/// # Errors
/// [`Error::Usage`] naming the file: missing, a folder, empty, not UTF-8.
pub fn from_file(file: &Path) -> Result<TemplateSource> {
    let wrong = |what: &str| Error::usage(format!("--chat-template {}: {what}", file.display()));
    if file.is_dir() {
        return Err(wrong("this is a folder; give a Jinja file, or `auto` for the model's own template"));
    }
    let bytes = std::fs::read(file).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            wrong("no such file; give a Jinja file, or `auto` for the model's own template")
        }
        _ => wrong(&format!("cannot be read: {e}")),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8 text; save it as UTF-8"))?;
    if file.extension().is_some_and(|e| e == "json") {
        let value = serde_json::from_str(&text).map_err(|e| wrong(&format!("broken JSON: {e}")))?;
        return of_settings(&value, file)?.ok_or_else(|| wrong("has no `chat_template`"));
    }
    if text.trim().is_empty() {
        return Err(wrong("is empty"));
    }
    Ok(TemplateSource { text, origin: file.display().to_string() })
}

/// The template in a folder, if it holds one: [`TEMPLATE_FILE`], else `chat_template` in tokenizer_config.json.
///
/// # Errors
/// [`Error::Model`] naming the file, if it is broken, or holds several templates and none is called `default`.
pub fn from_folder(folder: &Path) -> Result<Option<TemplateSource>> {
    let own = folder.join(TEMPLATE_FILE);
    if own.is_file() {
        return from_file(&own).map(Some);
    }
    let settings = folder.join(SETTINGS);
    if !settings.is_file() {
        return Ok(None);
    }
    let bytes = std::fs::read(&settings).map_err(|e| Error::model(&settings, format!("cannot be read: {e}")))?;
    let value = serde_json::from_slice(&bytes).map_err(|e| Error::model(&settings, format!("broken JSON: {e}")))?;
    of_settings(&value, &settings)
}

/// The template in the settings of a tokenizer: text, or the one called `default` of a list.
fn of_settings(settings: &Value, file: &Path) -> Result<Option<TemplateSource>> {
    let wrong = |what: String| Err(Error::model(file, format!("`chat_template` {what}")));
    let source = |text: &str, which: &str| {
        Ok(Some(TemplateSource { text: text.to_string(), origin: format!("{}{which}", file.display()) }))
    };
    match settings.get("chat_template") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => {
            wrong("is empty; give one with `--chat-template FILE`".into())
        }
        Some(Value::String(text)) => source(text, ""),
        Some(Value::Array(list)) => {
            let named = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_string);
            let pairs: Vec<(String, String)> =
                list.iter().filter_map(|entry| Some((named(entry, "name")?, named(entry, "template")?))).collect();
            match pairs.iter().find(|(name, _)| name == "default") {
                Some((_, text)) => source(text, ", `default`"),
                None => {
                    let names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
                    wrong(format!(
                        "is a list without a `default` (it has: {}); save the one that you mean to a file and give it \
                         with `--chat-template FILE`",
                        names.join(", ")
                    ))
                }
            }
        }
        Some(_) => wrong("is neither text nor a list of templates; give one with `--chat-template FILE`".into()),
    }
}
