//! Parses, dispatches, and turns the outcome into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    llscore::cli::main()
}
