//! Compares verdicts with z3's, on random theories or on files of questions, and checks all evidence again.
//!
//! ```sh
//! cargo run --release --features z3 --example logic_cross_check -- --theories 10000 --seed 7
//! cargo run --release --features z3 --example logic_cross_check -- questions.jsonl
//! ```
//!
//! A file holds a question a line, as `llscore prove` reads them. Each disagreement and each evidence that shows nothing
//! is printed with its theory; exit code 1 if there is one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::z3::SatResult;
use clap::Parser;
use llscore::logic::{Decision, Limits, Question, Verdict};

#[path = "../tests/it/logic/theories.rs"]
mod theories;
#[path = "../tests/it/logic/z3.rs"]
mod z3;

use theories::{Theory, theory};

#[derive(Parser)]
struct Args {
    /// Questions as JSON Lines.
    files: Vec<PathBuf>,
    /// How many random theories; 0 unless given.
    #[arg(long, default_value_t = 0)]
    theories: u64,
    /// The first one's number.
    #[arg(long, default_value_t = 0)]
    first: u64,
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Seconds for one question here.
    #[arg(long, default_value_t = 10.0)]
    timeout: f64,
    /// Seconds for each of z3's two answers to a question.
    #[arg(long, default_value_t = 2.0)]
    z3_timeout: f64,
    /// Unique names, for the questions of files.
    #[arg(long)]
    una: bool,
    /// Tell each question's number before it is answered.
    #[arg(long)]
    trace: bool,
    /// Threads; with more than cores the times say little.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// The questions of a file that parse; how many do not.
fn read(path: &Path, una: bool) -> Result<(Vec<Theory>, usize), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (mut out, mut refused) = (Vec::new(), 0);
    for (i, line) in text.lines().enumerate() {
        let row: serde_json::Value =
            serde_json::from_str(line).map_err(|e| format!("{}:{}: {e}", path.display(), i + 1))?;
        let premises: Option<Vec<&str>> =
            row["premises"].as_array().and_then(|all| all.iter().map(serde_json::Value::as_str).collect());
        let (Some(premises), Some(conclusion)) = (premises, row["conclusion"].as_str()) else {
            return Err(format!("{}:{}: no premises and conclusion", path.display(), i + 1));
        };
        match Question::parse(&premises, Some(conclusion), None) {
            Ok(Question { premises, conclusion: Some(conclusion), .. }) => {
                out.push(Theory { kind: "file", premises, conclusion, unique_names: una });
            }
            _ => refused += 1,
        }
    }
    Ok((out, refused))
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut all = Vec::new();
    for path in &args.files {
        match read(path, args.una) {
            Ok((questions, refused)) => {
                println!("{}: {} questions, {refused} that do not parse", path.display(), questions.len());
                all.extend(questions);
            }
            Err(message) => {
                eprintln!("{message}");
                return ExitCode::from(2);
            }
        }
    }
    all.extend((args.first..args.first + args.theories).map(|number| theory(args.seed, number)));

    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(t) = all.get(number) else { return found };
            let limits = Limits {
                time: Duration::from_secs_f64(args.timeout),
                unique_names: t.unique_names,
                ..Limits::default()
            };
            let z3_time = Duration::from_secs_f64(args.z3_timeout);
            if args.trace {
                eprintln!("{number}");
            }
            found.push((number, z3::cross_check(&t.premises, &t.conclusion, &limits, z3_time)));
        }
    };
    let mut done: Vec<(usize, z3::Comparison)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    done.sort_by_key(|(number, _)| *number);

    let mut verdicts: BTreeMap<(&str, Verdict), usize> = BTreeMap::new();
    let (mut wrong, mut bad, mut half, mut z3_unknown) = (0, 0, 0, 0);
    for (number, c) in &done {
        let t = &all[*number];
        for kind in [t.kind, "all"] {
            *verdicts.entry((kind, c.answer.verdict)).or_default() += 1;
        }
        z3_unknown += usize::from(c.z3.contains(&SatResult::Unknown));
        let open = |d: &Decision| matches!(d, Decision::Undecided(_));
        half +=
            usize::from(c.answer.verdict != Verdict::Undecided && (open(&c.answer.with) || open(&c.answer.without)));
        for (count, problem) in [(&mut wrong, &c.disagreement), (&mut bad, &c.bad_evidence)] {
            if let Some(problem) = problem {
                *count += 1;
                println!("theory {number} ({}): {problem}\n{}", t.kind, z3::report(&t.premises, &t.conclusion));
            }
        }
        if c.answer.verdict == Verdict::Undecided || c.time > Duration::from_secs(1) {
            let reasons: Vec<&str> = [&c.answer.with, &c.answer.without]
                .into_iter()
                .filter_map(|d| if let Decision::Undecided(reason) = d { Some(reason.as_str()) } else { None })
                .collect();
            let (verdict, reasons) = (c.answer.verdict.name(), reasons.join("; "));
            let (time, z3) = (c.time, c.z3);
            println!("theory {number} ({}): {verdict} after {time:?} ({reasons}), z3 {z3:?}", t.kind);
            println!("{}", z3::report(&t.premises, &t.conclusion));
        }
    }
    let mut times: Vec<Duration> = done.iter().map(|(_, c)| c.time).collect();
    times.sort();
    for ((kind, verdict), count) in &verdicts {
        println!("{kind:<12} {:<13} {count}", verdict.name());
    }
    println!("disagreements with z3: {wrong}; evidence that fails: {bad}");
    println!("proved without a model of the premises: {half}; one of z3's two answers unknown: {z3_unknown}");
    if let (Some(median), Some(p99), Some(max)) =
        (times.get(times.len() / 2), times.get(times.len() * 99 / 100), times.last())
    {
        println!("time a question: median {median:?}, 99th percentile {p99:?}, longest {max:?}");
    }
    if wrong + bad > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS }
}
