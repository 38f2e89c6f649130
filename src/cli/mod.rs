//! The command line: one file per command. Flags in, library call, words and tables out; no scoring logic.

mod certify;
mod generate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Scores local causal language models on multiple-choice logic items, hop by hop.
#[derive(Parser)]
#[command(name = "llscore", version, about, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(generate::GenerateArgs),
    Certify(certify::CertifyArgs),
}

/// Parses the arguments, runs the command, prints an error if there is one, and gives the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Generate(args) => generate::run(args),
        Command::Certify(args) => certify::run(args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
