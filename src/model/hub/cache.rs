//! The standard cache of the Hub, read without the network: `models--ORG--NAME/refs/REVISION` holds a commit, and
//! `snapshots/COMMIT/` the files of that commit as links into `blobs/`.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::model::layout;
use crate::model::weights::shards_of_index;
use crate::tokenize::load;

/// One repository in the cache.
pub(super) struct CachedRepo {
    folder: PathBuf,
}

impl CachedRepo {
    /// The place of `repo` (`org/name` or `name`) in the cache folder; it need not exist.
    pub(super) fn new(cache: &Path, repo: &str) -> Self {
        CachedRepo { folder: cache.join(format!("models--{}", repo.replace('/', "--"))) }
    }

    /// The repository's folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of a commit's files.
    pub(super) fn snapshot(&self, commit: &str) -> PathBuf {
        self.folder.join("snapshots").join(commit)
    }

    /// The file that holds the commit of a branch or tag.
    pub(super) fn reference(&self, revision: &str) -> PathBuf {
        self.folder.join("refs").join(revision)
    }

    /// The commit that a revision meant when it was last looked up, if its snapshot is here.
    pub(super) fn commit(&self, revision: &str) -> Option<String> {
        let commit = match is_commit(revision) {
            true => revision.to_string(),
            false => std::fs::read_to_string(self.reference(revision)).ok()?.trim().to_string(),
        };
        (is_plain(&commit) && self.snapshot(&commit).is_dir()).then_some(commit)
    }

    /// The names of the files that a snapshot lacks, of those that a model needs.
    ///
    /// # Errors
    /// If the index of the shards is corrupt.
    pub(super) fn lacking(&self, commit: &str, tokenizer_given: bool, weights: bool) -> Result<Vec<String>> {
        let root = self.snapshot(commit);
        let here = |name: &str| root.join(name).is_file();
        let mut lacking = Vec::new();
        if !here(layout::CONFIG) {
            lacking.push(layout::CONFIG.to_string());
        }
        if !tokenizer_given && load::tokenizer_in(here).is_none() {
            lacking.push(layout::TOKENIZER.to_string());
        }
        if weights && !here(layout::WEIGHTS) {
            let index = root.join(layout::WEIGHTS_INDEX);
            if index.is_file() {
                lacking.extend(shards_of_index(&index)?.into_iter().filter(|shard| !here(shard)));
            } else {
                lacking.push(layout::WEIGHTS.to_string());
            }
        }
        Ok(lacking)
    }
}

/// Whether a revision is a full commit hash, which can never mean anything else later.
pub(super) fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether a commit can be a folder's name.
pub(super) fn is_plain(commit: &str) -> bool {
    !commit.is_empty() && commit.bytes().all(|b| b.is_ascii_alphanumeric())
}
