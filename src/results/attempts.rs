//! What a run has cost over all its attempts, so that `seconds` and `tokens` of a resumed run are sums.
//!
//! Kept in `attempts.json`, replaced whole. A killed attempt counts up to its last record: at most a second, or the
//! batch in work, is missing.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::folder::{pretty, write_whole};

/// Token counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Inputs that separate passes would need: each request without its last id.
    pub requests: u64,
    /// Tokens run through the model.
    pub computed: u64,
    /// Tokens whose log-probability was taken.
    pub scored: u64,
}

/// One process's share of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Tokens.
    pub tokens: Tokens,
}

/// The attempts before this one, and this one.
#[derive(Debug)]
pub(super) struct Attempts {
    path: PathBuf,
    earlier: Vec<Attempt>,
    current: Option<Attempt>,
    saved: Option<Instant>,
    unsaved: bool,
}

#[derive(Deserialize, Serialize)]
struct Document {
    attempts: Vec<Attempt>,
}

impl Attempts {
    /// The attempts on record at `path`; a note for the user where the record cannot be read, since losing it costs
    /// no result.
    pub(super) fn load(path: PathBuf) -> (Self, Option<String>) {
        let (earlier, note) = match super::folder::read_json::<Document>(&path) {
            Ok(document) => (document.map(|d| d.attempts).unwrap_or_default(), None),
            Err(e) => (Vec::new(), Some(format!("{e}; seconds and tokens of earlier attempts are left out"))),
        };
        (Attempts { path, earlier, current: None, saved: None, unsaved: false }, note)
    }

    /// Sets this attempt's totals so far; written at most once a second.
    pub(super) fn record(&mut self, attempt: Attempt) -> io::Result<()> {
        (self.current, self.unsaved) = (Some(attempt), true);
        if self.saved.is_some_and(|at| at.elapsed() < Duration::from_secs(1)) {
            return Ok(());
        }
        self.save()
    }

    /// Writes the record as it stands, where it has changed.
    pub(super) fn save(&mut self) -> io::Result<()> {
        if !self.unsaved {
            return Ok(());
        }
        let attempts = self.earlier.iter().copied().chain(self.current).collect();
        write_whole(&self.path, &pretty(&Document { attempts })?)?;
        (self.saved, self.unsaved) = (Some(Instant::now()), false);
        Ok(())
    }

    /// The sum over all attempts.
    pub(super) fn total(&self) -> Attempt {
        self.earlier.iter().chain(&self.current).fold(Attempt::default(), |sum, a| Attempt {
            seconds: sum.seconds + a.seconds,
            tokens: Tokens {
                requests: sum.tokens.requests + a.tokens.requests,
                computed: sum.tokens.computed + a.tokens.computed,
                scored: sum.tokens.scored + a.tokens.scored,
            },
        })
    }

    pub(super) fn path(&self) -> &PathBuf {
        &self.path
    }
}
