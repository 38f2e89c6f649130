//! Progress and notes on standard error: bars on a terminal, plain lines elsewhere, nothing with `--quiet`.

use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::complain;
use crate::model::hub;

/// Where progress and notes go.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    quiet: bool,
}

impl Console {
    /// Speaks unless `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { quiet }
    }

    /// A note: something that the user should know and that is no error.
    pub fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            complain("note", text);
        }
    }

    /// Where the results are.
    pub fn results(&self, dir: &Path) {
        if !self.quiet {
            complain("results", dir.display());
        }
    }

    fn bar(&self, length: u64, template: &str) -> ProgressBar {
        let target = if self.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(Some(length), target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar
    }

    /// A bar for reading weights, in parts.
    pub fn loading(&self) -> ProgressBar {
        let bar = self.bar(1, "reading weights  {bar:30} {pos}/{len} parts");
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    /// A bar for work on `length` items.
    pub fn counting(&self, what: &'static str, length: usize) -> ProgressBar {
        self.bar(length as u64, &format!("{what}  {{bar:30}} {{pos}}/{{len}} items  {{eta}} left"))
    }

    /// The display of a run.
    pub fn scoring(&self, items: usize, tokens: usize) -> Scoring {
        let bar = self.bar(tokens.max(1) as u64, "scoring  {bar:30} {msg}  {eta} left");
        Scoring { bar, quiet: self.quiet, items, tokens, started: Instant::now(), spoken: Instant::now() }
    }
}

/// The display of a run: items, tokens per second, time left.
pub struct Scoring {
    bar: ProgressBar,
    quiet: bool,
    items: usize,
    tokens: usize,
    started: Instant,
    spoken: Instant,
}

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(15);

impl Scoring {
    /// Shows how far the run is.
    pub fn at(&mut self, items: usize, tokens: usize) {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = tokens as f64 / seconds.max(1e-3);
        self.bar.set_position(tokens as u64);
        self.bar.set_message(format!("{items}/{} items  {rate:.0} tokens/s", self.items));
        if self.bar.is_hidden() && !self.quiet && self.spoken.elapsed() > LINE_EVERY {
            self.spoken = Instant::now();
            let left = (self.tokens.saturating_sub(tokens)) as f64 / rate.max(1e-3);
            complain("scoring", format!("{items}/{} items, {rate:.0} tokens/s, {left:.0} s left", self.items));
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for each file that is downloaded.
pub struct Downloads {
    bar: ProgressBar,
}

impl Downloads {
    /// Shown on the console.
    pub fn new(console: Console) -> Self {
        let bar = console.bar(0, "{msg}  {bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left");
        Self { bar }
    }
}

impl hub::Progress for Downloads {
    fn begin(&self, file: &str, bytes: u64) {
        self.bar.reset();
        self.bar.set_length(bytes);
        self.bar.set_message(format!("downloading {file}"));
        self.bar.tick();
    }
    fn at(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }
    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
