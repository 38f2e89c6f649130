//! The network side: asking the Hub for a revision's commit and files, and fetching one file through hf-hub.
//!
//! hf-hub 0.5 sends the token as a bearer header, resumes its partial files, and links snapshots to blobs as Python's
//! library does. What it leaves to its caller, and is done here: it fetches again what another process has just
//! fetched or an earlier commit brought, does not notice that a resumed file came out with the wrong length, trips over
//! links whose target is gone and over partial files that are already whole, and sets no time limit.

use std::cell::Cell;
use std::fs::File;
use std::path::Path;
use std::sync::mpsc;

use hf_hub::api::sync::{Api, ApiBuilder, ApiError};
use hf_hub::{Cache, Repo, RepoType};

use super::cache::CachedRepo;
use super::env::HubEnv;
use super::{Progress, hub_error};
use crate::{Error, Result};

/// How often hf-hub takes up a broken transfer before it is an error (the next run goes on from there).
const RETRIES: usize = 3;

/// What a revision holds.
pub(super) struct Listing {
    pub(super) commit: String,
    pub(super) files: Vec<String>,
}

/// Why a listing failed.
pub(super) enum Failure {
    /// The Hub is not there (no network, no answer in time, or a fault of its own): a cached copy may serve.
    Unreachable(String),
    /// The Hub said no.
    Refused(Error),
}

/// Why an attempt at a file failed.
enum Broken {
    /// What an earlier attempt had left could not be used and is gone: another attempt may do.
    Useless(Error),
    /// Another attempt would fail as well.
    Failed(Error),
}

impl Broken {
    fn into_error(self) -> Error {
        match self {
            Broken::Useless(error) | Broken::Failed(error) => error,
        }
    }
}

/// A repository on the Hub.
pub(super) struct Remote<'a> {
    repo: &'a str,
    env: &'a HubEnv,
    api: Api,
    cache: Cache,
}

impl<'a> Remote<'a> {
    /// Prepares to talk to the Hub; no request is made yet.
    pub(super) fn new(repo: &'a str, env: &'a HubEnv, cache: &Path) -> Result<Self> {
        let host = env.endpoint.strip_prefix("https://").or_else(|| env.endpoint.strip_prefix("http://"));
        let plain =
            |host: &str| !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic() && !b"?#\"<>".contains(&b));
        if !host.is_some_and(plain) {
            return Err(hub_error(repo, format!("HF_ENDPOINT is `{}`; it must be an http(s) address", env.endpoint)));
        }
        if env.token.as_ref().is_some_and(|t| !t.bytes().all(|b| b.is_ascii_graphic())) {
            return Err(hub_error(repo, "the Hub token has characters that a token cannot have; check HF_TOKEN"));
        }
        let cache = Cache::new(cache.to_path_buf());
        let api = ApiBuilder::from_cache(cache.clone())
            .with_endpoint(env.endpoint.clone())
            .with_token(env.token.clone())
            .with_progress(false)
            .with_retries(RETRIES)
            .with_user_agent("llscore", env!("CARGO_PKG_VERSION"))
            .build()
            .map_err(|e| hub_error(repo, format!("cannot prepare the connection: {e}")))?;
        Ok(Remote { repo, env, api, cache })
    }

    fn at(&self, revision: &str) -> Repo {
        Repo::with_revision(self.repo.to_string(), RepoType::Model, revision.to_string())
    }

    /// The commit that `revision` means now, and its files.
    pub(super) fn list(&self, revision: &str) -> Result<Listing, Failure> {
        match self.info(revision) {
            Ok(listing) => Ok(listing),
            Err((Some(404), _)) => Err(Failure::Refused(self.explain_absent(revision))),
            Err((Some(status @ (401 | 403)), _)) => Err(Failure::Refused(self.explain_status(status))),
            Err((_, reason)) => Err(Failure::Unreachable(reason)),
        }
    }

    /// Asks within the time limit. The error is the HTTP status, if there was one, and the reason in words.
    fn info(&self, revision: &str) -> Result<Listing, (Option<u16>, String)> {
        let (send, receive) = mpsc::channel();
        let (api, repo) = (self.api.clone(), self.at(revision));
        // hf-hub sets no time limit, and a network that drops packets would hang here for minutes; a thread that is
        // still waiting ends with the process.
        std::thread::spawn(move || send.send(api.repo(repo).info()));
        match receive.recv_timeout(self.env.timeout) {
            Ok(Ok(info)) => {
                Ok(Listing { commit: info.sha, files: info.siblings.into_iter().map(|s| s.rfilename).collect() })
            }
            Ok(Err(e)) => Err((status(&e), e.to_string())),
            Err(_) => Err((None, format!("no answer within {} s", self.env.timeout.as_secs()))),
        }
    }

    /// Fetches one file of a commit into the cache, unless it is there.
    pub(super) fn get(&self, cached: &CachedRepo, commit: &str, file: &str, progress: &dyn Progress) -> Result<()> {
        let pointer = cached.snapshot(commit).join(file);
        if pointer.is_file() {
            return Ok(());
        }
        let _lock = self.lock(file, progress);
        // Whoever held the lock may have fetched it.
        if pointer.is_file() {
            return Ok(());
        }
        if pointer.is_symlink() {
            // The blob is gone; hf-hub would fail to link it anew.
            std::fs::remove_file(&pointer).map_err(|e| Error::model(&pointer, format!("cannot be replaced: {e}")))?;
        }
        if self.link_blob(cached, commit, file, &pointer) {
            return Ok(());
        }
        match self.download(commit, file, &pointer, progress) {
            Ok(()) => Ok(()),
            Err(Broken::Useless(_)) => self.download(commit, file, &pointer, progress).map_err(Broken::into_error),
            Err(Broken::Failed(error)) => Err(error),
        }
    }

    /// One attempt. What it leaves behind when it fails is fit for another.
    fn download(&self, commit: &str, file: &str, pointer: &Path, progress: &dyn Progress) -> Result<(), Broken> {
        let watch = Watch { progress, size: Cell::new(0), at: Cell::new(0) };
        match self.api.repo(self.at(commit)).download_with_progress(file, &watch) {
            Ok(_) => {
                let (size, wanted) = (std::fs::metadata(pointer).map(|m| m.len()).unwrap_or(0), watch.size.get());
                if size == wanted {
                    return Ok(());
                }
                if let Ok(blob) = pointer.canonicalize() {
                    let _ = std::fs::remove_file(blob);
                }
                let _ = std::fs::remove_file(pointer);
                Err(Broken::Useless(self.fail(file, format!("{size} bytes came instead of {wanted}; try again"))))
            }
            Err(e) if matches!(e, ApiError::InvalidResume) || status(&e) == Some(416) => {
                self.drop_partial(commit, file);
                Err(Broken::Useless(self.fail(file, format!("{e}; try again"))))
            }
            Err(e) => Err(Broken::Failed(match (status(&e), &e) {
                (Some(code @ (401 | 403)), _) => self.explain_status(code),
                (Some(404), _) => self.fail(file, "the Hub does not have it".into()),
                (_, ApiError::LockAcquisition(lock)) => self.fail(
                    file,
                    format!(
                        "{} cannot be locked; wait if another program is fetching the model, or set HF_HOME to a file \
                         system with locks",
                        lock.display()
                    ),
                ),
                _ => self.fail(file, format!("{e}; give the same command again to go on")),
            })),
        }
    }

    /// Waits until no other process is fetching files of this repository. Where the file system has no locks there is
    /// no waiting, and at worst a file is fetched twice.
    fn lock(&self, file: &str, progress: &dyn Progress) -> Option<File> {
        let folder = self.cache.path().join(".locks").join(self.at("main").folder_name());
        std::fs::create_dir_all(&folder).ok()?;
        let lock = File::options().create(true).append(true).open(folder.join("llscore.lock")).ok()?;
        match lock.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                progress.waiting(file);
                lock.lock().ok()?;
            }
            Err(std::fs::TryLockError::Error(_)) => return None,
            Ok(()) => {}
        }
        Some(lock)
    }

    /// Links a blob that an earlier commit brought, if this commit's file is the same: hf-hub would fetch it again.
    fn link_blob(&self, cached: &CachedRepo, commit: &str, file: &str, pointer: &Path) -> bool {
        let blobs = cached.folder().join("blobs");
        if !std::fs::read_dir(&blobs).is_ok_and(|mut entries| entries.next().is_some()) {
            return false;
        }
        let repo = self.at(commit);
        let Ok(about) = self.api.metadata(&self.api.repo(repo.clone()).url(file)) else { return false };
        let blob = self.cache.repo(repo).blob_path(about.etag());
        if !std::fs::metadata(&blob).is_ok_and(|m| m.is_file() && m.len() == about.size() as u64) {
            return false;
        }
        // From snapshots/COMMIT/FILE up to the repository's folder, then down.
        let up = "../".repeat(2 + file.matches('/').count());
        let target = format!("{up}blobs/{}", about.etag());
        pointer.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok())
            && link(&target, &blob, pointer).is_ok()
    }

    /// Records that `revision` means `commit`, and forgets the reference that hf-hub leaves under the commit's own name.
    pub(super) fn remember(&self, cached: &CachedRepo, revision: &str, commit: &str) -> Result<()> {
        let _ = std::fs::remove_file(cached.reference(commit));
        if revision == commit {
            return Ok(());
        }
        self.cache
            .repo(self.at(revision))
            .create_ref(commit)
            .map_err(|e| hub_error(self.repo, format!("cannot write {}: {e}", cached.reference(revision).display())))
    }

    /// Removes a partial file that cannot be taken up.
    fn drop_partial(&self, commit: &str, file: &str) {
        let repo = self.at(commit);
        let url = self.api.repo(repo.clone()).url(file);
        if let Ok(about) = self.api.metadata(&url) {
            let partial = self.cache.repo(repo).blob_path(about.etag()).with_extension("part");
            let _ = std::fs::remove_file(partial);
        }
    }

    fn fail(&self, file: &str, why: String) -> Error {
        hub_error(self.repo, format!("{file} could not be fetched from {}: {why}", self.env.endpoint))
    }

    /// The error for a Hub that cannot be reached when the cache does not help.
    pub(super) fn explain_unreachable(&self, reason: &str) -> Error {
        hub_error(
            self.repo,
            format!(
                "{} cannot be reached ({reason}), and the cache has no complete copy; check the network and \
                 HF_ENDPOINT, or give a local folder",
                self.env.endpoint
            ),
        )
    }

    fn explain_absent(&self, revision: &str) -> Error {
        if revision != "main" && self.info("main").is_ok() {
            return hub_error(self.repo, format!("has no revision `{revision}`; check `--revision`"));
        }
        let token = match self.env.token {
            Some(_) => "",
            None => " (if it is private, set HF_TOKEN)",
        };
        hub_error(
            self.repo,
            format!("no such repository at {}, nor a file or folder here; check `--model`{token}", self.env.endpoint),
        )
    }

    fn explain_status(&self, status: u16) -> Error {
        let page = format!("{}/{}", self.env.endpoint, self.repo);
        let message = match (status, &self.env.token) {
            (401, None) => format!(
                "the Hub refuses it without a token (401): it is gated, private or absent; check the name, accept the \
                 licence at {page} if it asks for one, and set HF_TOKEN"
            ),
            (401, Some(_)) => format!(
                "the Hub refuses the token (401); check HF_TOKEN and the name, and accept the licence at {page} if it \
                 asks for one"
            ),
            (_, None) => format!("it is gated (403); accept the licence at {page} and set HF_TOKEN"),
            (_, Some(_)) => format!(
                "it is gated (403) and the token's account has no access; accept the licence at {page}, or set another \
                 HF_TOKEN"
            ),
        };
        hub_error(self.repo, message)
    }
}

/// Makes `pointer` stand for `blob`: by a relative link where the system has them.
#[cfg(unix)]
fn link(target: &str, _blob: &Path, pointer: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, pointer)
}

#[cfg(not(unix))]
fn link(_target: &str, blob: &Path, pointer: &Path) -> std::io::Result<()> {
    std::fs::hard_link(blob, pointer)
}

/// The HTTP status of an error. hf-hub hides its HTTP library's type, so the status is read off the text.
fn status(error: &ApiError) -> Option<u16> {
    match error {
        ApiError::RequestError(inner) => inner.to_string().strip_prefix("http status: ")?.parse().ok(),
        ApiError::TooManyRetries(inner) => status(inner),
        _ => None,
    }
}

/// Turns hf-hub's increments into positions, and keeps the size that the Hub announced.
struct Watch<'a> {
    progress: &'a dyn Progress,
    size: Cell<u64>,
    at: Cell<u64>,
}

impl hf_hub::api::Progress for &Watch<'_> {
    fn init(&mut self, size: usize, file: &str) {
        self.size.set(size as u64);
        self.at.set(0);
        self.progress.begin(file, size as u64);
    }
    fn update(&mut self, size: usize) {
        self.at.set(self.at.get() + size as u64);
        self.progress.at(self.at.get());
    }
    fn finish(&mut self) {
        self.progress.end();
    }
}
