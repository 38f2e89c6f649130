//! The command line: one file per command. Flags in, library call, words and tables out; no scoring logic.

mod audit;
mod baselines;
mod certify;
mod chat;
mod data;
mod dry_run;
mod generate;
mod import;
mod inspect;
mod interrupt;
mod model;
mod one_item;
mod output;
mod progress;
mod prove;
mod remarks;
mod run;
mod settings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::tokenize::guard;
use crate::{Error, Result};

/// What to try first.
const FIRST: &str = "\
First steps:
  llscore run                               the model and the items that ship with llscore
  llscore run --model gpt2                  a model from the Hub, downloaded once
  llscore run --model FOLDER --data FILE    your own model and items
  llscore run --help                        all that can be set, with examples";

/// Scores local causal language models on multiple-choice logic items, hop by hop.
#[derive(Parser)]
#[command(name = "llscore", version, about, max_term_width = 100, after_help = FIRST)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Audit(audit::AuditArgs),
    Baselines(baselines::BaselinesArgs),
    Run(Box<run::RunArgs>),
    Generate(generate::GenerateArgs),
    Certify(certify::CertifyArgs),
    Import(import::ImportArgs),
    Inspect(inspect::InspectArgs),
    Prove(prove::ProveArgs),
}

/// Parses the arguments, runs the command, prints an error if there is one, and gives the exit code.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(say_fault));
    // Whatever a fault of ours has cut short, the lines that a run has written are whole.
    std::panic::catch_unwind(dispatch).unwrap_or(ExitCode::FAILURE)
}

/// Tells of a fault of ours in one line.
fn say_fault(fault: &std::panic::PanicHookInfo<'_>) {
    if guard::is_active() {
        return;
    }
    let at = fault.location().map(ToString::to_string).unwrap_or_default();
    let message = guard::message(fault.payload());
    complain(
        "error",
        format!("a fault in llscore at {at}: {message}; please report it with the command that you gave"),
    );
    let trace = std::backtrace::Backtrace::capture();
    if trace.status() == std::backtrace::BacktraceStatus::Captured {
        complain("backtrace", "");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), trace.to_string().as_bytes());
    }
}

fn dispatch() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Audit(args) => audit::run(args),
        Command::Baselines(args) => baselines::run(args),
        Command::Run(args) => run::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Certify(args) => certify::run(args),
        Command::Import(args) => import::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Prove(args) => prove::run(args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain("error", &error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Writes a line to standard error. What a name or a text brings in control characters is spelt out, so that a message is
/// one line and drives no terminal; where nobody listens, nothing is lost but the message.
fn complain(kind: &str, text: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{kind}: {}", visible(&text.to_string()));
}

/// Writes lines that belong to the complaint before them, and hold no control characters.
fn complain_more(lines: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{lines}");
}

/// The text with its control characters spelt out.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Writes text to standard output; a reader that has seen enough and closed the pipe is no failure.
fn print(text: &str) -> Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Write { path: "standard output".into(), source: e })
        }
        _ => Ok(()),
    }
}

/// Writes a value to standard output as indented JSON.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text =
        serde_json::to_string_pretty(value).map_err(|e| Error::usage(format!("cannot be written as JSON: {e}")))?;
    print(&format!("{text}\n"))
}
