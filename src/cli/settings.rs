//! From flags to what the library is told: prompts, limits, and the manifest.

use clap::ValueEnum;

use super::data::Data;
use super::model::{Opened, device_kind};
use super::run::{RunArgs, size};
use crate::engine::{EngineOptions, WeightsMode};
use crate::item::{parse_items, read_bytes};
use crate::logicmark::release;
use crate::model::spec::DecoderSpec;
use crate::prompt::{self, ChatTemplate, Prompter};
use crate::results::{DataDigest, Environment, Host, ScoreSettings, Shots};
use crate::score::ScoreOptions;
use crate::{Error, Result};

/// How items become text, and where their examples come from.
pub fn prompter(args: &RunArgs, data: &Data) -> Result<(Prompter, Option<Shots>)> {
    let plain = Prompter::new(args.delimiter.clone());
    if args.shots == 0 {
        return match args.shots_from.first() {
            Some(_) => Err(Error::usage("--shots-from needs --shots K: how many examples?")),
            None => Ok((plain, None)),
        };
    }
    let files = if args.shots_from.is_empty() { data.train_files() } else { args.shots_from.clone() };
    if files.is_empty() {
        return Err(Error::usage(format!(
            "--shots {} needs --shots-from FILE with items to draw examples from: no folder `{}` lies beside the data",
            args.shots,
            release::TRAIN.folder
        )));
    }
    let (mut pool, mut from) = (Vec::new(), Vec::new());
    for file in &files {
        let bytes = read_bytes(file)?;
        let items = parse_items(&bytes[..], file)?;
        from.push(DataDigest::of(file, &bytes, items.len()));
        pool.extend(items);
    }
    let drawn = prompt::Shots::draw(&pool, &data.all, args.shots, args.seed)?;
    Ok((plain.with_shots(drawn), Some(Shots { count: args.shots, seed: args.seed, from })))
}

/// What decides an item's requests.
pub fn score_options(args: &RunArgs, spec: &DecoderSpec) -> Result<ScoreOptions> {
    let asked = size(args.max_length);
    if let (Some(asked), Some(positions)) = (asked, &spec.embedding.positions)
        && asked > positions.len()
    {
        let known = positions.len();
        return Err(Error::usage(format!("--max-length {asked}: the model has learned only {known} positions")));
    }
    Ok(ScoreOptions {
        truncate: args.truncate,
        max_length: asked.or(spec.context_length),
        pmi: args.pmi,
        log_tokens: args.log_tokens,
    })
}

/// All that decides the numbers.
pub fn scores(
    args: &RunArgs,
    opened: &Opened,
    data: &Data,
    prompter: &Prompter,
    shots: Option<Shots>,
    options: ScoreOptions,
) -> Result<ScoreSettings> {
    let before = opened.encoder.bos_info();
    Ok(ScoreSettings {
        version: env!("CARGO_PKG_VERSION").to_string(),
        model: opened.id.clone(),
        revision: opened.files.revision.clone(),
        weights: opened.model.source.digest()?,
        architecture: opened.model.spec.model_type.clone(),
        decoder: opened.model.spec.digest(),
        dtype: format!("{:?}", opened.model.dtype).to_lowercase(),
        device: device_kind(&opened.model.device).to_string(),
        tokenizer: opened.encoder.digest().to_string(),
        bos: flag_name(args.model.bos),
        bos_ids: before.ids,
        empty_context: before.empty_context,
        parse_special: args.model.parse_special,
        template: prompter.info().digest,
        chat_template: prompter.chat().map(ChatTemplate::digest),
        chat_date: prompter.chat().and_then(ChatTemplate::date).map(|date| date.to_string()),
        delimiter: prompter.delimiter().to_string(),
        truncate: flag_name(args.truncate),
        max_length: options.max_length,
        data: data.digests.clone(),
        select: data.selection.clone(),
        shots,
        pmi: args.pmi,
        log_tokens: args.log_tokens,
    })
}

/// A flag's value as it is written on the command line.
fn flag_name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |v| v.get_name().to_string())
}

/// Where and how the numbers are made.
pub fn environment(
    args: &RunArgs,
    opened: &Opened,
    data: &Data,
    prompter: &Prompter,
    engine: &EngineOptions,
) -> Result<Environment> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let features = [
        ("cuda", cfg!(feature = "cuda")),
        ("metal", cfg!(feature = "metal")),
        ("mkl", cfg!(feature = "mkl")),
        ("accelerate", cfg!(feature = "accelerate")),
    ];
    Ok(Environment {
        norm: args.norm,
        dtype: args.model.dtype.name().to_string(),
        weights: if engine.weights == Some(WeightsMode::Stream) { "stream" } else { "resident" }.to_string(),
        token_budget: engine.token_budget.unwrap_or_default(),
        threads: engine.threads.unwrap_or(cores),
        shard: data.shard.clone(),
        chat_template: prompter.chat().map(|chat| chat.origin().to_string()),
        device: format!("{:?}", opened.model.device.location()),
        git: option_env!("LLSCORE_GIT").map(str::to_string),
        features: features.iter().filter(|f| f.1).map(|f| f.0.to_string()).collect(),
        host: Host {
            os: std::env::consts::OS.to_string(),
            arch: std::env::consts::ARCH.to_string(),
            cpu: system.cpus().first().map(|c| c.brand().to_string()).filter(|b| !b.is_empty()),
            cores,
            memory: system.total_memory(),
        },
    })
}
