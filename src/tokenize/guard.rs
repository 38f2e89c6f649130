//! The tokenizer library panics where a file contradicts itself (merges whose product the vocabulary lacks, say). What it
//! makes of a file is therefore run guarded: a panic becomes an error about that file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static ACTIVE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs something guarded, so that a panic in it is no news.
pub fn is_active() -> bool {
    ACTIVE.get()
}

/// Runs `f`; a panic in it becomes its message.
///
/// # Errors
/// The panic's message.
pub fn guarded<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    // Nothing that `f` may have left half done is used after a panic.
    let before = ACTIVE.replace(true);
    let done = catch_unwind(AssertUnwindSafe(f));
    ACTIVE.set(before);
    done.map_err(|panic| message(&*panic).to_string())
}

/// What a panic says.
pub fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "no message",
    }
}
