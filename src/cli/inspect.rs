//! `llscore inspect`: what a model is and needs, before it is loaded.

mod architectures;
mod words;

use std::path::PathBuf;

use candle_core::DType;
use clap::Args;

use super::model::DTypeFlag;
use super::progress::{Console, Downloads};
use super::run::size;
use super::{complain, print, print_json};
use crate::Result;
use crate::inspect::{Assume, inspect};
use crate::model::source::SourceOptions;
use crate::results::Format;
use crate::tokenize::{BosPolicy, EncodeOptions};

/// Examples for `-h` and `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore inspect gpt2                          a Hub model; its weights are not fetched
  llscore inspect path/to/folder                files that are missing are listed
  llscore inspect path/to/config.json           a configuration alone
  llscore inspect model.gguf --json             every field, as JSON
  llscore inspect --architectures               what can be run

Exit codes: 0 llscore could run it, were all files there; 2 it could not, or there is no such model.";

/// Show what a model is and needs, before it is loaded.
///
/// Sizes, positions, windows, experts, number type, memory, tokenizer, BOS policy, special tokens and chat template; what
/// is missing; and what llscore cannot run. No weights are read.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct InspectArgs {
    /// A Hub id such as `gpt2`, a HuggingFace folder, a config.json, or a .gguf file.
    #[arg(value_name = "MODEL", required_unless_present = "architectures")]
    model: Option<String>,
    /// List the architectures that llscore runs, and those that it refuses by name.
    #[arg(long, conflicts_with = "model")]
    architectures: bool,
    /// How that list is printed.
    #[arg(long, value_enum, default_value_t = Format::Table, value_name = "FORMAT", requires = "architectures", conflicts_with = "json")]
    format: Format,
    /// Branch, tag or commit of a Hub model [default: `main`].
    #[arg(long, value_name = "REV")]
    revision: Option<String>,
    /// A tokenizer.json, or a folder that holds one, instead of the model's own.
    #[arg(long, value_name = "PATH")]
    tokenizer: Option<PathBuf>,
    /// Make no network request: use what the Hub cache has.
    #[arg(long)]
    offline: bool,
    /// Whether texts begin with a BOS (beginning of sequence) token.
    #[arg(long, value_enum, default_value_t = BosPolicy::Auto, value_name = "POLICY")]
    bos: BosPolicy,
    /// The type of number that the memory is estimated for; auto means f32, which the CPU computes in.
    #[arg(long, value_enum, default_value_t = DTypeFlag::Auto, value_name = "TYPE")]
    dtype: DTypeFlag,
    /// Tokens computed together, for the estimate of memory [default: by the model's size].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    token_budget: Option<u64>,
    /// Print every field as JSON.
    #[arg(long)]
    json: bool,
    /// No progress and no notes; errors always.
    #[arg(long)]
    quiet: bool,
}

/// Runs the command; the exit code is 0 or 2 where it returns.
///
/// # Errors
/// If there is no such model, the Hub fails, or standard output cannot be written.
pub fn run(args: &InspectArgs) -> Result<u8> {
    let console = Console::new(args.quiet);
    let Some(model) = args.model.as_deref() else {
        architectures::show(args.format, args.json)?;
        return Ok(0);
    };
    let options = SourceOptions {
        revision: args.revision.clone(),
        offline: args.offline,
        tokenizer: args.tokenizer.clone(),
        ..SourceOptions::default()
    };
    let assume = Assume {
        encode: EncodeOptions { bos: args.bos, parse_special: false },
        dtype: match args.dtype {
            DTypeFlag::Auto | DTypeFlag::F32 => DType::F32,
            DTypeFlag::F16 => DType::F16,
            DTypeFlag::Bf16 => DType::BF16,
        },
        token_budget: size(args.token_budget),
    };
    let found = inspect(model, &options, assume, &Downloads::new(console))?;
    if args.json {
        print_json(&found)?;
    } else {
        found.notes.iter().for_each(|n| console.note(n));
        print(&words::table(&found, args.dtype.name()))?;
    }
    found.unsupported.iter().for_each(|why| complain("error", why));
    Ok(if found.is_supported() { 0 } else { 2 })
}
