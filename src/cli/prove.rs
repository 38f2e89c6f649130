//! `llscore prove`: what premises say of a conclusion, for files of questions and for one question on the command line.

mod derivation;
mod lines;
mod person;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::logic::syntax::{smtlib, tptp};
use crate::logic::{Formula, Limits, Syntax};
use crate::{Error, Result};

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore prove --premise '∀x (Cat(x) → Animal(x))' --premise 'Cat(tom)' --conclusion 'Animal(tom)'
  llscore prove --premise 'all x (Cat(x) -> Animal(x))' --premise 'Cat(tom)' --conclusion 'Animal(tom)'
  llscore prove questions.jsonl > verdicts.jsonl
  llscore prove questions.jsonl --export tptp > problems.p

A file holds one question a line, {\"premises\":[\"∀x …\",…],\"conclusion\":\"…\"}; other fields are carried through. Each
line gets one line: {\"verdict\":\"entailed|contradicted|unknown|inconsistent|undecided\",\"evidence\":{…},\"warnings\":[…]},
or {\"error\":{\"where\":\"premise\",\"index\":3,\"column\":17,\"kind\":\"unbalanced\",\"message\":\"…\"}}.

Exit codes: 0 every line has a verdict; 1 some line has an error; 2 nothing could be read.";

/// Decide whether premises entail a conclusion, and show why.
///
/// Formulas are first-order logic with equality: ¬ ∧ ∨ ⊕ → ↔ ∀ ∃ =, or their ASCII spellings. `entailed` and
/// `contradicted` come with the instances of the premises that prove it, and `unknown` with two models that anyone can
/// check. Premises that contradict themselves are `inconsistent`; `undecided` means that neither a proof nor a model was
/// found within the limits of time and size.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ProveArgs {
    /// JSON Lines, one question a line; `-` is standard input.
    #[arg(value_name = "FILE", required_unless_present_any = ["premise", "conclusion"], conflicts_with_all = ["premise", "conclusion"])]
    file: Option<PathBuf>,
    /// A premise; repeat for more.
    #[arg(long, value_name = "FORMULA", requires = "conclusion", allow_hyphen_values = true)]
    premise: Vec<String>,
    /// The conclusion.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    conclusion: Option<String>,
    /// How formulas are written; `auto` takes each formula's own symbols.
    #[arg(long, value_enum, default_value = "auto")]
    syntax: SyntaxArg,
    /// Seconds for one question; its shortest derivation has a fifth on top.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    timeout: f64,
    /// Derivations of more steps are not looked for; `hops` is null there.
    #[arg(long, value_name = "N", default_value_t = 12)]
    max_steps: usize,
    /// Unique names: different constants name different things.
    #[arg(long)]
    una: bool,
    /// Print the questions for other provers instead of answering them.
    #[arg(long, value_enum, value_name = "FORMAT")]
    export: Option<ExportArg>,
    /// Threads; one a core unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// For `--premise` and `--conclusion`: print the line that a file would get.
    #[arg(long)]
    json: bool,
    /// No progress and no notes; errors always.
    #[arg(long)]
    quiet: bool,
}

/// `--syntax`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum SyntaxArg {
    Auto,
    Folio,
    Nltk,
    Prover9,
}

impl SyntaxArg {
    /// None for `auto`.
    pub(super) fn chosen(self) -> Option<Syntax> {
        match self {
            SyntaxArg::Auto => None,
            SyntaxArg::Folio => Some(Syntax::Folio),
            SyntaxArg::Nltk => Some(Syntax::Nltk),
            SyntaxArg::Prover9 => Some(Syntax::Prover9),
        }
    }
}

/// `--export`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExportArg {
    Tptp,
    Smtlib,
}

impl ExportArg {
    fn write(self, premises: &[Formula], conclusion: &Formula, una: bool) -> String {
        match self {
            ExportArg::Tptp => tptp(premises, Some(conclusion), una),
            ExportArg::Smtlib => smtlib(premises, Some(conclusion), una),
        }
    }
    fn comment(self) -> char {
        match self {
            ExportArg::Tptp => '%',
            ExportArg::Smtlib => ';',
        }
    }
}

/// The limits that flags ask for.
///
/// # Errors
/// [`Error::Usage`] for a timeout that is no time.
pub(super) fn limits(timeout: f64, una: bool) -> Result<Limits> {
    let time = Duration::try_from_secs_f64(timeout)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| Error::usage(format!("--timeout {timeout} is no time; give seconds above 0")))?;
    // A moment beyond the clock's end is as good as none.
    let time = time.min(Duration::from_secs(365 * 24 * 3600));
    Ok(Limits { time, unique_names: una, ..Limits::default() })
}

/// The threads that a flag asks for; one a core where it is not given.
///
/// # Errors
/// [`Error::Usage`] where they cannot be had.
pub(super) fn pool(threads: Option<u64>) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(super::run::size(threads).unwrap_or(0));
    pool.build().map_err(|e| Error::usage(format!("--threads: {e}")))
}

/// Runs the command; the exit code is 0 or 1 where it returns.
///
/// # Errors
/// [`Error::Usage`] for flags without sense or formulas that do not parse, [`Error::Data`] for a file that cannot be read.
pub fn run(args: &ProveArgs) -> Result<u8> {
    let limits = limits(args.timeout, args.una)?;
    match (&args.file, &args.conclusion) {
        (Some(file), _) => {
            let pool = pool(args.threads)?;
            pool.install(|| lines::run(args, file, &limits))
        }
        (None, Some(conclusion)) => person::run(args, conclusion, &limits),
        (None, None) => Err(Error::usage("give a FILE, or --premise and --conclusion")),
    }
}
