//! Hub models: a repository's name and revision to a folder of files, by way of the standard cache.
//!
//! Decided here: when the network is asked (never offline, never for a pinned commit that is complete in the cache,
//! else once for the revision's commit), which files are fetched, and what each failure means. The transfer itself
//! (partial files, locks, links into `blobs/`) is hf-hub's, in `fetch`.

mod cache;
mod env;
mod fetch;

use std::path::PathBuf;

use cache::{CachedRepo, is_commit, is_plain};
use fetch::{Failure, Remote};

pub use env::HubEnv;

use super::layout::{self, Missing};
use super::weights::shards_of_index;
use crate::{Error, Result};

/// What is told about a download. The unit type says nothing.
pub trait Progress: Sync {
    /// A file of `bytes` bytes begins (again, if the connection was lost).
    fn begin(&self, file: &str, bytes: u64);
    /// So many bytes of it are here, those of an earlier attempt included.
    fn at(&self, bytes: u64);
    /// It is complete.
    fn end(&self);
    /// Another process is fetching files of the same model; this one waits for it.
    fn waiting(&self, file: &str) {
        let _ = file;
    }
}

impl Progress for () {
    fn begin(&self, _file: &str, _bytes: u64) {}
    fn at(&self, _bytes: u64) {}
    fn end(&self) {}
}

/// Which model of the Hub, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// `org/name` or `name`.
    pub repo: &'a str,
    /// Branch, tag or commit; default `main`.
    pub revision: Option<&'a str>,
    /// Make no network request.
    pub offline: bool,
    /// A tokenizer comes from elsewhere.
    pub tokenizer_given: bool,
    /// The weights are needed.
    pub weights: bool,
    /// A repository that lacks files that the model needs is an error, before anything large is fetched.
    pub strict: bool,
}

/// A commit's files in the cache.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The commit.
    pub commit: String,
    /// The folder.
    pub folder: PathBuf,
    /// What the repository (offline: the cached copy) lacks.
    pub missing: Vec<Missing>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Brings the files of a Hub model into the cache, as far as they are not there.
///
/// # Errors
/// [`Error::Hub`]: the repository or revision is absent, gated or private, the Hub cannot be reached and the cache has
/// no complete copy, or offline with nothing cached. The message says what to do.
pub fn snapshot(request: &Request, env: &HubEnv, progress: &dyn Progress) -> Result<Snapshot> {
    let repo = request.repo;
    check_repo(repo)?;
    let revision = request.revision.unwrap_or("main");
    check_revision(repo, revision)?;
    let cache = env.cache.as_deref().ok_or_else(|| {
        hub_error(repo, "there is no folder for the Hub's cache (HOME is not set); set HF_HOME to a folder")
    })?;
    let cached = CachedRepo::new(cache, repo);
    let flag = match (request.offline, env.offline) {
        (true, _) => Some("--offline"),
        (false, true) => Some("HF_HUB_OFFLINE"),
        _ => None,
    };
    if let Some(flag) = flag {
        return offline(request, &cached, revision, flag);
    }
    if is_commit(revision)
        && let Some(commit) = cached.commit(revision)
        && cached.lacking(&commit, request.tokenizer_given, request.weights)?.is_empty()
    {
        return Ok(Snapshot { folder: cached.snapshot(&commit), commit, missing: Vec::new(), notes: Vec::new() });
    }
    let remote = Remote::new(repo, env, cache)?;
    match remote.list(revision) {
        Ok(listing) => fetch_listing(request, &remote, &cached, revision, &listing, progress),
        Err(Failure::Unreachable(reason)) => {
            let Some(commit) = cached.commit(revision) else { return Err(remote.explain_unreachable(&reason)) };
            if !cached.lacking(&commit, request.tokenizer_given, request.weights)?.is_empty() {
                return Err(remote.explain_unreachable(&reason));
            }
            let notes = vec![format!(
                "{} cannot be reached ({reason}); using the cached copy of {repo}, commit {commit}",
                env.endpoint
            )];
            Ok(Snapshot { folder: cached.snapshot(&commit), commit, missing: Vec::new(), notes })
        }
        Err(Failure::Refused(error)) => Err(error),
    }
}

fn offline(request: &Request, cached: &CachedRepo, revision: &str, flag: &str) -> Result<Snapshot> {
    let Some(commit) = cached.commit(revision) else {
        return Err(hub_error(
            request.repo,
            format!(
                "{flag} is set and the cache has no revision `{revision}` of it (looked in {}); run once without \
                 {flag}, copy the cache, or give a local folder",
                cached.folder().display()
            ),
        ));
    };
    let folder = cached.snapshot(&commit);
    let lacking = cached.lacking(&commit, request.tokenizer_given, request.weights)?;
    let missing: Vec<Missing> = lacking
        .iter()
        .map(|file| Missing {
            file: [layout::CONFIG, layout::TOKENIZER].into_iter().find(|f| f == file).unwrap_or(layout::WEIGHTS),
            message: format!(
                "the cached copy in {} has no {file}, and {flag} is set; run once without {flag}{}",
                folder.display(),
                if file == layout::TOKENIZER { ", or give `--tokenizer FILE`" } else { "" }
            ),
        })
        .collect();
    match missing.first() {
        Some(first) if request.strict => Err(hub_error(request.repo, first.message.clone())),
        _ => Ok(Snapshot { commit, folder, missing, notes: Vec::new() }),
    }
}

fn fetch_listing(
    request: &Request,
    remote: &Remote,
    cached: &CachedRepo,
    revision: &str,
    listing: &fetch::Listing,
    progress: &dyn Progress,
) -> Result<Snapshot> {
    if !is_plain(&listing.commit) {
        return Err(hub_error(request.repo, format!("the Hub gave the odd commit `{}`", listing.commit)));
    }
    let survey = layout::survey(&listing.files, request.tokenizer_given);
    let relevant = |m: &&Missing| request.weights || m.file != layout::WEIGHTS;
    if let Some(first) = survey.missing.iter().find(relevant).filter(|_| request.strict) {
        return Err(hub_error(request.repo, first.message.clone()));
    }
    let has = |name: &str| listing.files.iter().any(|n| n == name);
    let folder = cached.snapshot(&listing.commit);
    let get = |file: &str| remote.get(cached, &listing.commit, file, progress);
    let parts = layout::TOKENIZER_PARTS.into_iter().filter(|_| !has(layout::TOKENIZER));
    let small = [layout::CONFIG, layout::TOKENIZER].into_iter().chain(layout::OPTIONAL).chain(parts);
    for file in small.filter(|file| has(file)) {
        get(file)?;
    }
    if request.weights
        && let Some(file) = survey.weights
    {
        get(file)?;
        if file == layout::WEIGHTS_INDEX {
            for shard in shards_of_index(&folder.join(file))? {
                if !has(&shard) {
                    return Err(hub_error(
                        request.repo,
                        format!("its {file} names the shard {shard}, which the repository does not hold"),
                    ));
                }
                get(&shard)?;
            }
        }
    }
    // The branch points to the new commit only now that the snapshot is complete.
    remote.remember(cached, revision, &listing.commit)?;
    Ok(Snapshot { commit: listing.commit.clone(), folder, missing: survey.missing, notes: Vec::new() })
}

fn hub_error(repo: &str, message: impl Into<String>) -> Error {
    Error::Hub { repo: repo.to_string(), message: message.into() }
}

/// Fails unless `repo` can be a repository's id, which also keeps it a plain folder name in the cache.
fn check_repo(repo: &str) -> Result<()> {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            && !part.starts_with(['-', '.'])
            && !part.ends_with(['-', '.'])
            && !part.contains("--")
            && !part.contains("..")
    };
    let parts: Vec<&str> = repo.split('/').collect();
    if parts.len() <= 2 && repo.len() <= 96 && parts.iter().all(|p| part(p)) {
        return Ok(());
    }
    Err(hub_error(
        repo,
        "is neither a file or folder here nor a Hub id (`org/name`, of letters, digits, `-`, `_`, `.`); check `--model`",
    ))
}

/// Fails unless `revision` can be a branch, tag or commit, and a path below `refs/`.
fn check_revision(repo: &str, revision: &str) -> Result<()> {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "\\~^:?*[%#".contains(c);
    let plain = revision.split('/').all(|part| !part.is_empty() && !part.starts_with('.')) && !revision.contains("..");
    if plain && !revision.contains(odd) {
        return Ok(());
    }
    Err(hub_error(repo, format!("`{revision}` cannot be a revision; `--revision` takes a branch, tag or commit")))
}
