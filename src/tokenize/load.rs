//! Tokenizers on disk: a `tokenizer.json`, or `vocab.json` with `merges.txt` ([`super::merges`]), and beside it the files
//! that name special tokens (`tokenize::named`).
//!
//! Where there is a `tokenizer.json`, whether a BOS is added is read from it alone (its post-processor), as transformers 5
//! does: `add_bos_token` in `tokenizer_config.json` has no effect there. Where the two disagree the encoder carries a note.

use std::path::{Path, PathBuf};

use tokenizers::{AddedToken, Tokenizer};

use super::guard::guarded;
use super::named::{Name, SideFiles, token_text};
use super::specials::{EncodeOptions, SpecialIds, Template};
use super::{BosPolicy, TextEncoder, merges};
use crate::{Error, Result};

/// The tokenizer, in the `tokenizers` library's own format.
pub const TOKENIZER: &str = "tokenizer.json";

/// The file that holds the tokenizer, of a folder's (or repository's) files: [`TOKENIZER`], or [`merges::VOCABULARY`] where
/// [`merges::MERGES`] is there too.
pub fn tokenizer_in(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    if has(TOKENIZER) {
        Some(TOKENIZER)
    } else if has(merges::VOCABULARY) && has(merges::MERGES) {
        Some(merges::VOCABULARY)
    } else {
        None
    }
}

/// What to say of files among which there is no tokenizer that can be read; goes on after the folder's name.
pub fn missing_tokenizer(has: impl Fn(&str) -> bool) -> String {
    let give = "name one with `--tokenizer`";
    for (here, absent) in [(merges::VOCABULARY, merges::MERGES), (merges::MERGES, merges::VOCABULARY)] {
        if has(here) && !has(absent) {
            return format!("has no tokenizer.json, and {here} without {absent}; fetch {absent} too, or {give}");
        }
    }
    let other = ["tokenizer.model", "spiece.model", "tekken.json", "tiktoken.model", "vocab.txt"];
    match other.into_iter().find(|name| has(name)) {
        Some(name) => format!(
            "has no tokenizer.json, only {name}, which is not read; make one with transformers (once): \
             `AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)`, or {give}"
        ),
        None => format!("has no tokenizer.json; {give}"),
    }
}

impl TextEncoder {
    /// Reads the tokenizer of a model folder, or of an explicit `tokenizer.json` (any name) or `vocab.json`, with the files
    /// beside it.
    ///
    /// BOS and EOS are named by `tokenizer_config.json` and `special_tokens_map.json`, else by the tokenizer's class, else by
    /// the ids in `config.json`; where one of the first says `null` there is none.
    ///
    /// # Errors
    /// [`Error::Model`] naming the file: missing, broken, or of a kind that must be converted first; [`Error::Usage`]
    /// for `--bos always` without a BOS token.
    pub fn load(path: &Path, options: EncodeOptions) -> Result<Self> {
        let (folder, file) = if path.is_dir() {
            let has = |name: &str| path.join(name).exists();
            let Some(name) = tokenizer_in(has) else { return Err(Error::model(path, missing_tokenizer(has))) };
            (path.to_path_buf(), path.join(name))
        } else {
            (path.parent().map(Path::to_path_buf).unwrap_or_default(), path.to_path_buf())
        };
        if !file.exists() {
            return Err(missing(&folder, &file));
        }
        let mut side = SideFiles::read(&folder)?;
        let mut notes = Vec::new();
        let is_vocabulary = file.file_name().is_some_and(|name| name == merges::VOCABULARY);
        let (mut tokenizer, digest) = match is_vocabulary && folder.join(merges::MERGES).exists() {
            true => merges::build(&folder, &mut side, &mut notes)?,
            false => read(&file)?,
        };

        let bos = id(&side.special("bos_token", "bos_token_id"), &tokenizer, "bos_token", &mut notes);
        let eos = id(&side.special("eos_token", "eos_token_id"), &tokenizer, "eos_token", &mut notes);
        let named = side.named();
        if options.parse_special {
            // As transformers does: what is named as special is recognised in text even if it is not listed as added.
            let by_name = named.iter().filter_map(|(_, token)| tokenizer.token_to_id(token));
            let listed: Vec<AddedToken> = [bos, eos]
                .into_iter()
                .flatten()
                .chain(by_name)
                .filter(|id| !tokenizer.get_added_vocabulary().get_added_tokens_decoder().contains_key(id))
                .filter_map(|id| tokenizer.id_to_token(id))
                .map(|content| AddedToken::from(content, true))
                .collect();
            tokenizer.add_special_tokens(listed).map_err(|e| Error::model(&file, format!("tokenizer: {e}")))?;
        }
        if !is_vocabulary
            && let (Some(asked), BosPolicy::Auto, Ok(template)) =
                (side.add_bos(), options.bos, Template::of(&tokenizer))
            && asked == template.before.is_empty()
        {
            notes.push(format!(
                "tokenizer_config.json says `add_bos_token: {asked}` but tokenizer.json {} a BOS token; tokenizer.json \
                 decides, and `--bos {}` overrules it",
                if asked { "does not add" } else { "adds" },
                if asked { "always" } else { "never" },
            ));
        }
        let mut encoder = Self::build(tokenizer, SpecialIds { bos, eos, add_bos: None }, &file, digest, options)?;
        for note in notes {
            encoder.note(note);
        }
        Ok(encoder.with_named_tokens(named))
    }
}

/// Reads a `tokenizer.json`; with the digest of its bytes.
fn read(file: &Path) -> Result<(Tokenizer, String)> {
    let bytes = std::fs::read(file).map_err(|e| Error::model(file, format!("cannot read: {e}")))?;
    if bytes.starts_with(b"version https://git-lfs") {
        return Err(Error::model(file, "is a Git LFS pointer, not the tokenizer; run `git lfs pull`"));
    }
    let read = guarded(|| Tokenizer::from_bytes(&bytes).map_err(|e| e.to_string()));
    let tokenizer = read.and_then(|tokenizer| tokenizer).map_err(|e| {
        Error::model(file, format!("not a tokenizer file: {e}; fetch it again or name another with `--tokenizer`"))
    })?;
    Ok((tokenizer, blake3::hash(&bytes).to_hex().to_string()))
}

/// The id of a named token.
fn id(name: &Name, tokenizer: &Tokenizer, key: &str, notes: &mut Vec<String>) -> Option<u32> {
    let known = |id: &u32| tokenizer.id_to_token(*id).is_some().then_some(*id);
    match name {
        Name::Unsaid | Name::Absent => None,
        Name::Token(value) => {
            let token = token_text(value)?;
            let id = tokenizer.token_to_id(token);
            if id.is_none() {
                notes.push(format!("`{key}` is `{token}`, which the tokenizer does not have; taken as none"));
            }
            id
        }
        // What a class of tokenizers is given by default it need not have.
        Name::Default(token, id) => tokenizer.token_to_id(token).or_else(|| known(id.as_ref()?)),
        Name::Id(id) => known(id),
    }
}

fn missing(folder: &Path, file: &Path) -> Error {
    if file.file_name().is_none_or(|name| name != TOKENIZER) {
        return Error::model(
            file,
            "there is no such tokenizer file; `--tokenizer` takes a tokenizer.json or its folder",
        );
    }
    let place = if folder == Path::new("") { PathBuf::from(".") } else { folder.to_path_buf() };
    Error::model(place, missing_tokenizer(|name| folder.join(name).exists()))
}
