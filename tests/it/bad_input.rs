//! Input that is not as it should be, through the built program: one line that names the place and the remedy, exit code 2,
//! nothing on standard output, nothing written; and no damage to any file makes it panic.

mod damage;
mod data;
mod models;

use crate::support::{Ran, Work};

/// Runs over good data with whatever model `args` name, which must be refused before anything is written.
#[track_caller]
fn refused(work: &Work, args: &str, parts: &[&str]) {
    let ran: Ran = work.run(&format!("--data d.jsonl --output o {args}"));
    ran.refused(parts);
    assert!(!work.path("o").exists(), "a folder was made for a run that cannot be");
}
