//! Ctrl-C: while lines are written, the one in work is finished first; before and after, and the second time, the
//! program ends at once.

use std::sync::atomic::{AtomicU8, Ordering};

use super::complain;
use crate::Error;

/// Nothing is in work that a sudden end would spoil.
const IDLE: u8 = 0;
/// Lines are being written.
const WRITING: u8 = 1;
/// Lines are being written, and the user has asked for an end.
const ASKED: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(IDLE);

/// Takes over Ctrl-C from here on.
pub fn watch() {
    // A second handler (in one process) is refused; the first serves.
    let _ = ctrlc::set_handler(|| {
        if STATE.compare_exchange(WRITING, ASKED, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            complain("error", Error::Interrupted);
            std::process::exit(Error::Interrupted.exit_code().into());
        }
    });
}

/// While this lives, Ctrl-C is only noted.
pub struct Writing;

impl Writing {
    /// Lines are being written from here on.
    pub fn begin() -> Self {
        STATE.store(WRITING, Ordering::Relaxed);
        Self
    }

    /// Whether the user has asked for an end.
    pub fn is_interrupted(&self) -> bool {
        STATE.load(Ordering::Relaxed) == ASKED
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        STATE.store(IDLE, Ordering::Relaxed);
    }
}
