//! Items in, samples out: the library's main entry.
//!
//! Every item becomes one request for each ending (and one without its context for PMI); the engine scores all of them
//! together; a sample is handed out as soon as its last ending is scored. What is wrong with one item becomes that item's
//! error, never the run's.

use rayon::prelude::*;

use crate::engine::{Engine, Model, Plan, Request, Scores, memory};
use crate::item::Item;
use crate::prompt::{Prompt, Prompter};
use crate::results::sample::{EndingScore, Sample, flag};
use crate::tokenize::{Context, EncodedPair, Fit, TextEncoder, Truncate};
use crate::{Error, Result};

/// What decides the requests of an item, besides its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreOptions {
    /// What happens to a request that is too long.
    pub truncate: Truncate,
    /// Most inputs of a request; no limit where `None`.
    pub max_length: Option<usize>,
    /// Whether unconditional log-likelihoods are taken too.
    pub pmi: bool,
    /// Whether samples carry ids and their log-probabilities.
    pub log_tokens: bool,
}

/// An item as requests.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Text before the endings.
    pub prompt: Prompt,
    /// One for each ending.
    pub pairs: Vec<EncodedPair>,
    /// One for each ending if PMI is asked for.
    pub unconditional: Vec<EncodedPair>,
    /// What the reader of the sample should know.
    pub flags: Vec<String>,
}

/// Why an item has no requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// It cannot be scored.
    Failed(String),
    /// It is over-long and left out as asked.
    Skipped,
}

/// Turns items into requests.
pub struct Preparer<'a> {
    /// Text to ids.
    pub encoder: &'a TextEncoder,
    /// Items to text.
    pub prompter: &'a Prompter,
    /// Rows of the model's embedding.
    pub vocab: usize,
    /// The rest.
    pub options: ScoreOptions,
}

impl Preparer<'_> {
    /// The requests of an item.
    ///
    /// # Errors
    /// [`Left`]: an empty ending, an over-long request, a token id beyond the embedding.
    pub fn prepare(&self, item: &Item) -> Result<Prepared, Left> {
        let failed = |e: Error| Left::Failed(e.to_string());
        let prompt = self.prompter.prompt(item).map_err(failed)?;
        let mut flags = Vec::new();
        let mut pairs = self.encode(&prompt)?;
        let mut cut = self.fit(&mut pairs)?;
        let mut unconditional = Vec::new();
        if self.options.pmi {
            // `Answer:` may be longer than the item's own context.
            let of = |left| match left {
                Left::Failed(why) => Left::Failed(format!("its unconditional score: {why}")),
                Left::Skipped => Left::Skipped,
            };
            let prompt = self.prompter.unconditional(item).map_err(failed).map_err(of)?;
            unconditional = self.encode(&prompt).map_err(of)?;
            cut |= self.fit(&mut unconditional).map_err(of)?;
        }
        if cut {
            flags.push(flag::TRUNCATED.to_string());
        }
        if pairs.iter().any(|p| p.boundary_merge) {
            flags.push(flag::BOUNDARY_MERGE.to_string());
        }
        if self.encoder.unknown_id().is_some_and(|unknown| pairs.iter().any(|p| p.ids.contains(&unknown))) {
            flags.push(flag::UNKNOWN_TOKEN.to_string());
        }
        Ok(Prepared { prompt, pairs, unconditional, flags })
    }

    /// Makes the requests fit; whether they were cut.
    fn fit(&self, pairs: &mut [EncodedPair]) -> Result<bool, Left> {
        match self.encoder.fit(pairs, self.options.max_length, self.options.truncate) {
            Ok(Fit::Kept) => Ok(false),
            Ok(Fit::Truncated { .. }) => Ok(true),
            Ok(Fit::Skipped) => Err(Left::Skipped),
            Err(e) => Err(Left::Failed(e.to_string())),
        }
    }

    fn encode(&self, prompt: &Prompt) -> Result<Vec<EncodedPair>, Left> {
        if let Some(token) = prompt.unlocated.as_deref().and_then(|text| self.encoder.special_in(text)) {
            return Err(Left::Failed(format!(
                "the chat template changes the text of the item, so that its `{token}` cannot be told from the template's \
                 own; give `--parse-special` if the token itself is meant"
            )));
        }
        let context = Context { text: &prompt.context, scaffold: &prompt.scaffold };
        let encode = |(i, ending): (usize, &String)| {
            let pair = self
                .encoder
                .encode_pair(context, &prompt.delimiter, ending)
                .map_err(|e| Left::Failed(format!("ending {i}: {e}")))?;
            match pair.ids.iter().find(|id| **id as usize >= self.vocab) {
                Some(id) => Err(Left::Failed(format!(
                    "ending {i}: token id {id} is beyond the embedding's {} rows; tokenizer and model do not belong together",
                    self.vocab
                ))),
                None => Ok(pair),
            }
        };
        prompt.endings.iter().enumerate().map(encode).collect()
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Items whose samples were handed out.
    pub items: usize,
    /// Tokens computed.
    pub tokens: usize,
}

/// What a run costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Inputs that separate passes would need.
    pub requests: usize,
    /// Tokens that are computed.
    pub computed: usize,
    /// Of these, tokens computed more than once because a pack ended.
    pub repeated: usize,
    /// Tokens that are scored.
    pub scored: usize,
}

/// Items with their requests planned, ready to be scored.
pub struct Job<'a> {
    items: &'a [&'a Item],
    prepared: Vec<Result<Prepared, Left>>,
    /// For each request: the item, the ending, whether it is the unconditional one.
    owners: Vec<(usize, usize, bool)>,
    plan: Plan,
    log_tokens: bool,
}

impl<'a> Job<'a> {
    /// Prepares items (in parallel) and plans their computation in packs of `token_budget` tokens, by default of what
    /// suits the model and the longest request.
    pub fn new(items: &'a [&'a Item], preparer: &Preparer<'_>, model: &Model, token_budget: Option<usize>) -> Self {
        let prepared: Vec<_> = items.par_iter().map(|item| preparer.prepare(item)).collect();
        let (mut owners, mut requests) = (Vec::new(), Vec::new());
        for (i, item) in prepared.iter().enumerate() {
            let Ok(item) = item else { continue };
            for (pairs, unconditional) in [(&item.pairs, false), (&item.unconditional, true)] {
                for (ending, pair) in pairs.iter().enumerate() {
                    // The encoder gives at least one id on either side of the split.
                    if let Ok(request) = Request::new(pair.ids.clone(), pair.context_len) {
                        requests.push(request);
                        owners.push((i, ending, unconditional));
                    }
                }
            }
        }
        let longest = requests.iter().map(|r| r.inputs().len()).max().unwrap_or(0);
        let budget = token_budget.unwrap_or_else(|| memory::default_budget(model, longest));
        let plan = Plan::for_model(&requests, budget, &model.spec);
        Self { items, prepared, owners, plan, log_tokens: preparer.options.log_tokens }
    }

    /// What the job costs.
    pub fn cost(&self) -> Cost {
        Cost {
            requests: self.plan.requested,
            computed: self.plan.computed(),
            repeated: self.plan.repeated(),
            scored: self.plan.scored(),
        }
    }

    /// The items' requests, or why there are none.
    pub fn prepared(&self) -> &[Result<Prepared, Left>] {
        &self.prepared
    }

    /// Scores the items. `sink` takes each sample with its item's index, in the order in which they are finished;
    /// `progress` hears how far the run is, and may stop it with an error.
    ///
    /// # Errors
    /// Those of `sink` and `progress`, of reading streamed weights, and of tensor operations.
    pub fn run(
        &self,
        engine: &Engine,
        sink: &mut dyn FnMut(usize, Sample) -> Result<()>,
        progress: &mut dyn FnMut(Progress) -> Result<()>,
    ) -> Result<()> {
        let mut finished = 0;
        for (i, prepared) in self.prepared.iter().enumerate() {
            if let Err(left) = prepared {
                let sample = match left {
                    Left::Failed(why) => Sample::failed(self.items[i], why.clone(), Vec::new()),
                    Left::Skipped => Sample::skipped(self.items[i]),
                };
                sink(i, sample)?;
                finished += 1;
            }
        }
        let mut owner_of_slot = Vec::with_capacity(self.plan.scored());
        let mut missing = vec![0usize; self.items.len()];
        let mut requests_of = vec![Vec::new(); self.items.len()];
        for (request, (slots, (item, ..))) in self.plan.slots.iter().zip(&self.owners).enumerate() {
            owner_of_slot.extend(std::iter::repeat_n(*item, slots.len()));
            missing[*item] += slots.len();
            requests_of[*item].push(request);
        }
        let mut seen = 0;
        let layers = engine.model().spec.layers.len();
        engine.run(&self.plan, &[layers], &mut |done, scores| {
            for pack in &self.plan.packs[seen..done.packs] {
                for slot in pack.scored.iter().flat_map(|s| &s.slots) {
                    let item = owner_of_slot[*slot as usize];
                    missing[item] -= 1;
                    if missing[item] == 0 {
                        sink(item, self.sample(item, &requests_of[item], scores))?;
                        finished += 1;
                    }
                }
            }
            seen = done.packs;
            progress(Progress { items: finished, tokens: done.tokens })
        })?;
        Ok(())
    }

    /// The sample of an item whose requests are all scored.
    fn sample(&self, index: usize, requests: &[usize], scores: &Scores) -> Sample {
        let item = self.items[index];
        let Ok(prepared) = &self.prepared[index] else { return Sample::failed(item, "was not prepared", Vec::new()) };
        let mut endings: Vec<EndingScore> = Vec::with_capacity(item.endings.len());
        for &request in requests {
            let (_, ending, unconditional) = self.owners[request];
            let tokens: Vec<_> = self.plan.slots[request].clone().map(|s| scores.slot(s)[0]).collect();
            let logprobs: Vec<f64> = tokens.iter().map(|t| t.logprob).collect();
            if let Some(at) = logprobs.iter().position(|p| !p.is_finite()) {
                let why = format!(
                    "ending {ending}: NaN or infinity in the logits before its token {at}; the weights or the dtype are at fault"
                );
                return Sample::failed(item, why, prepared.flags.clone());
            }
            let sum: f64 = logprobs.iter().sum();
            if unconditional {
                endings[ending].unconditional = Some(sum);
                continue;
            }
            let pair = &prepared.pairs[ending];
            let mut score = EndingScore::new(&item.endings[ending], sum, tokens.len(), tokens.iter().all(|t| t.greedy));
            if self.log_tokens {
                score.ids = Some(pair.ids[pair.context_len..].to_vec());
                score.logprobs = Some(logprobs);
                let (first, own) = (context(&prepared.pairs[0]), context(pair));
                score.context_ids = (first != own).then(|| own.to_vec());
            }
            endings.push(score);
        }
        let first = &prepared.pairs[0];
        let mut sample = Sample::scored(item, first.context_len, endings, prepared.flags.clone());
        if self.log_tokens {
            sample.context_ids = Some(context(first).to_vec());
        }
        sample
    }
}

fn context(pair: &EncodedPair) -> &[u32] {
    &pair.ids[..pair.context_len]
}
