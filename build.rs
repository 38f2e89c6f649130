//! Tells the program which commit it was built from, where that is known.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let git = |args: &[&str]| {
        let out = Command::new("git").args(args).output().ok().filter(|o| o.status.success())?;
        Some(String::from_utf8_lossy(&out.stdout).trim().to_string())
    };
    // Only a checkout of this project itself: a copy inside another repository knows no commit.
    let top = git(&["rev-parse", "--show-toplevel"]);
    let here = std::env::var("CARGO_MANIFEST_DIR").ok();
    if top.is_none() || top != here {
        return;
    }
    // Anything that makes the program another one, so that `-dirty` is never stale.
    for path in ["src", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    let Some(hash) = git(&["rev-parse", "--short=12", "HEAD"]) else { return };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    println!("cargo:rustc-env=LLSCORE_GIT={hash}{}", if changed { "-dirty" } else { "" });
}
