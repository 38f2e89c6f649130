//! `llscore run`: scores a model on items.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::chat::ChatArgs;
use super::data::DataArgs;
use super::interrupt::{self, Writing};
use super::model::ModelArgs;
use super::progress::Console;
use super::{dry_run, one_item, print, print_json, remarks, settings};
use crate::engine::{Engine, EngineOptions, Model, WeightsMode, memory};
use crate::item::Item;
use crate::results::tables::thousands;
use crate::results::{Attempt, Format, Manifest, Norm, Results, Sample, Store, Style, Tokens, render};
use crate::score::{Job, Preparer};
use crate::tokenize::Truncate;
use crate::{Error, Result};

/// Examples for `-h` and `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore run                                                  what ships with llscore
  llscore run --model gpt2 --limit 100                         a Hub model, the first 100 items
  llscore run --model model.gguf --data items.jsonl            your own model and items
  llscore run --model gpt2 --data items.jsonl --dry-run        look at prompts, ids and cost first
  llscore run --model gpt2 --context 'The sky is' --ending blue --ending green
  llscore run --model gpt2 --shots 5                           five examples before each item
  llscore run --model gpt2 --shard 3/8                         the third of eight parts";

/// What `--help` says after the examples.
const NOTES: &str = "\
An item is one JSON object on a line; these fields are needed, others may be given:
  {\"id\":\"a1\",\"task\":\"mine\",\"context\":\"Tom is a\",\"endings\":[\"cat\",\"dog\"],\"label\":0}

The table goes to standard output; progress, notes and errors go to standard error.

Environment: HF_HOME, HF_HUB_CACHE, HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE as in huggingface_hub.

Exit codes: 0 every item scored, or skipped as asked; 1 some items failed, or a write did;
2 nothing scored: bad usage, data, model or output folder; 130 stopped by Ctrl-C.";

/// Score a model on multiple-choice items.
///
/// For each item the model's log-likelihood of every ending is computed; the largest is its answer. The table shows how
/// often that is the right one (`acc`), and how often if log-likelihoods are divided by the ending's length
/// (`acc_norm`), per task, variant and hop depth. Results are kept in a folder, and the same command goes on where it
/// stopped.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{NOTES}"))]
pub struct RunArgs {
    #[command(flatten)]
    pub(super) data: DataArgs,
    /// Score one item without a file or a folder for results: its context (with --ending).
    #[arg(long, value_name = "TEXT", requires = "ending", conflicts_with_all = FOR_FILES, help_heading = "Data")]
    context: Option<String>,
    /// An ending of that item; may be repeated.
    #[arg(long, value_name = "TEXT", requires = "context", conflicts_with = "data", help_heading = "Data")]
    pub(super) ending: Vec<String>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Put K worked examples before each item, of its task and variant.
    #[arg(long, value_name = "K", default_value_t = 0, help_heading = "Text")]
    pub(super) shots: usize,
    /// Items that the examples are drawn from, never one that is scored; may be repeated [default: the file of the same
    /// name in a folder `train` beside the data, as LogicMark has].
    #[arg(long, value_name = "FILE", help_heading = "Text")]
    pub(super) shots_from: Vec<PathBuf>,
    /// Seed by which examples are drawn.
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Text")]
    pub(super) seed: u64,
    /// What stands between context and ending [default: one space; nothing with a chat template].
    #[arg(long, value_name = "TEXT", help_heading = "Text")]
    pub(super) delimiter: Option<String>,
    #[command(flatten)]
    pub(super) chat: ChatArgs,
    /// What happens to an item that is too long for the model.
    #[arg(long, value_enum, default_value_t = Truncate::Error, value_name = "MODE", help_heading = "Text")]
    pub(super) truncate: Truncate,
    /// The most input tokens that an item may have with its longest ending [default: the model's context length].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Text")]
    pub(super) max_length: Option<u64>,
    /// The length that log-likelihoods are divided by for `acc_norm`. Every choice is kept under all of them.
    #[arg(long, value_enum, default_value_t = Norm::Char, value_name = "NORM", help_heading = "Results")]
    pub(super) norm: Norm,
    /// Also rank by log-likelihood minus that after `Answer:` alone (pointwise mutual information): `acc_pmi` in
    /// results.json.
    #[arg(long, help_heading = "Results")]
    pub(super) pmi: bool,
    /// Keep token ids and their log-probabilities in samples.jsonl.
    #[arg(long, help_heading = "Results")]
    pub(super) log_tokens: bool,
    /// Folder for results [default: runs/MODEL/DIGEST, the same for the same command].
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    output: Option<PathBuf>,
    /// Remove the results that the folder holds and begin anew.
    #[arg(long, help_heading = "Results")]
    overwrite: bool,
    /// How the table is printed.
    #[arg(long, value_enum, default_value_t = Format::Table, value_name = "FORMAT", help_heading = "Results")]
    format: Format,
    /// Print results.json instead of the table.
    #[arg(long, conflicts_with = "format", help_heading = "Results")]
    pub(super) json: bool,
    /// No progress and no notes; errors always.
    #[arg(long, help_heading = "Results")]
    pub(super) quiet: bool,
    /// Show the prompts and ids of the first items and what the run would cost; read no weights.
    #[arg(long, conflicts_with_all = ["json", "format"], help_heading = "Results")]
    pub(super) dry_run: bool,
    /// Where weights are kept.
    #[arg(long, value_enum, default_value_t = WeightsFlag::Auto, value_name = "MODE", help_heading = "Speed")]
    weights: WeightsFlag,
    /// Tokens computed together; more need more memory [default: by the model's size].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Speed")]
    pub(super) token_budget: Option<u64>,
    /// Threads of computation [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024), help_heading = "Speed")]
    pub(super) threads: Option<u64>,
}

/// Flags that are about files of items and folders of results, and say nothing to the one item of `--context`.
const FOR_FILES: [&str; 10] =
    ["data", "task", "variant", "limit", "shard", "shots", "shots_from", "output", "overwrite", "format"];

/// `--weights`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WeightsFlag {
    /// In memory if they fit into what is free, else read layer by layer.
    Auto,
    /// In memory.
    Resident,
    /// On disk: each layer is read when its turn comes, and dropped. For models larger than memory.
    Stream,
}

/// A count from a flag.
pub(super) fn size(n: Option<u64>) -> Option<usize> {
    n.map(|n| usize::try_from(n).unwrap_or(usize::MAX))
}

/// Runs the command.
///
/// # Errors
/// Everything that stops a run; item errors are counted in the exit code (1) instead.
pub fn run(args: &RunArgs) -> Result<u8> {
    let console = Console::new(args.quiet);
    interrupt::watch();
    if let Some(threads) = size(args.threads) {
        // What is parallel outside the engine, such as tokenizing, keeps to the number too; refused where a pool is there.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    if let Some(context) = &args.context {
        return one_item::run(context, args, console);
    }
    let data = args.data.read()?;
    let (prompter, shots) = settings::prompter(args, &data)?;
    let mut opened = args.model.open(console)?;
    let prompter = args.chat.apply(prompter, &mut opened, console)?;
    let options = settings::score_options(args, &opened.model.spec)?;
    let preparer = Preparer { encoder: &opened.encoder, prompter: &prompter, vocab: opened.model.spec.vocab, options };
    let asked = size(args.token_budget);
    if args.dry_run {
        let items: Vec<&Item> = data.chosen.iter().map(|i| &data.all[*i]).collect();
        return dry_run::show(&opened, &preparer, &items, true, asked);
    }
    let engine_options = engine_options(args, &opened.model, console);
    let scores = settings::scores(args, &opened, &data, &prompter, shots, options)?;
    let environment = settings::environment(args, &opened, &data, &prompter, &engine_options)?;
    let manifest = Manifest { scores, environment };
    let dir = match &args.output {
        Some(dir) => dir.clone(),
        None => manifest.default_folder()?,
    };
    let ids = data.chosen.iter().map(|i| data.all[*i].id.clone()).collect();
    let mut store = Store::open(&dir, manifest.clone(), ids, args.overwrite)?;
    store.notes().iter().for_each(|n| console.note(n));
    let todo = store.todo();
    if todo.is_empty() {
        let results = match store.completed()? {
            Some(results) => results,
            None => {
                let samples = store.samples()?;
                finish(&mut store, manifest, &samples)?
            }
        };
        console.note(format!("this run is complete in {}; nothing was computed", dir.display()));
        return report(&results, args);
    }
    let resumed = store.resumed();
    if resumed.kept > 0 || resumed.failed > 0 {
        let again = if resumed.failed > 0 {
            format!(", {} that failed are tried again", resumed.failed)
        } else {
            String::new()
        };
        console.note(format!("{} of {} items are already scored{again}", resumed.kept, data.chosen.len()));
    }
    let items: Vec<&Item> = todo.iter().map(|p| &data.all[data.chosen[*p]]).collect();
    let job = Job::new(&items, &preparer, &opened.model, size(args.token_budget));
    let bar = console.loading();
    let engine = Engine::new(opened.model, engine_options, &|part, parts| {
        bar.set_length(parts as u64);
        bar.set_position(part as u64);
    })?;
    bar.finish_and_clear();
    score(&engine, &job, &todo, &mut store, console)?;
    let samples = store.samples()?;
    let results = finish(&mut store, manifest, &samples)?;
    let code = report(&results, args)?;
    remarks::say(&samples, &dir.join("samples.jsonl"), console);
    console.results(&dir);
    Ok(code)
}

/// Scores what is left to do, line by line into the store.
fn score(engine: &Engine, job: &Job<'_>, todo: &[usize], store: &mut Store, console: Console) -> Result<()> {
    let cost = job.cost();
    if cost.repeated > 0 {
        console.note(format!(
            "{} tokens are computed again because packs end; a larger --token-budget repeats fewer",
            thousands(cost.repeated as u64)
        ));
    }
    let mut display = console.scoring(todo.len(), cost.computed);
    let started = Instant::now();
    let spent = |tokens: usize| {
        let share = tokens as f64 / cost.computed.max(1) as f64;
        let part = |n: usize| (n as f64 * share).round() as usize;
        let tokens =
            Tokens { requests: part(cost.requests) as u64, computed: tokens as u64, scored: part(cost.scored) as u64 };
        Attempt { seconds: started.elapsed().as_secs_f64(), tokens }
    };
    let store = std::cell::RefCell::new(store);
    let writing = Writing::begin();
    let done = job.run(engine, &mut |item, sample| store.borrow_mut().append(todo[item], &sample), &mut |progress| {
        display.at(progress.items, progress.tokens);
        store.borrow_mut().record(spent(progress.tokens))?;
        if writing.is_interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    });
    display.end();
    done
}

/// How the engine is to work.
pub(super) fn engine_options(args: &RunArgs, model: &Model, console: Console) -> EngineOptions {
    let budget = size(args.token_budget).unwrap_or_else(|| memory::default_budget(model, 0));
    let weights = match args.weights {
        WeightsFlag::Auto => memory::choose(model, budget),
        WeightsFlag::Resident => WeightsMode::Resident,
        WeightsFlag::Stream => WeightsMode::Stream,
    };
    if weights == WeightsMode::Stream && args.weights == WeightsFlag::Auto {
        console.note("the weights do not fit into free memory and are read layer by layer (--weights stream)");
    }
    EngineOptions { threads: size(args.threads), weights: Some(weights), token_budget: Some(budget) }
}

fn finish(store: &mut Store, manifest: Manifest, samples: &[Sample]) -> Result<Results> {
    let results = Results::new(manifest, store.total(), samples);
    store.finish(&results)?;
    Ok(results)
}

/// Prints the results; 1 if some items failed.
fn report(results: &Results, args: &RunArgs) -> Result<u8> {
    if args.json {
        print_json(results)?;
    } else {
        let width = if std::io::stdout().is_terminal() { terminal_width() } else { 80 };
        print(&render(results, args.format, &Style { width, ..Style::default() }))?;
    }
    Ok(u8::from(results.metrics.overall.errors > 0))
}

fn terminal_width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(80)
}
