//! Results: sample records, the store and its resume, metrics, tables. Helpers here; the tests are in the modules.

mod metrics;
mod refusals;
mod sample;
mod store;
mod tables;

use llscore::item::Item;
use llscore::results::{
    DataDigest, EndingScore, Environment, Host, Manifest, Norm, Results, Sample, ScoreSettings, Selection,
};

/// An item of `task` with two endings, `label` 0.
pub fn item(id: &str, task: &str, variant: &str, hops: u32) -> Item {
    Item {
        id: id.to_string(),
        task: task.to_string(),
        group: id.split('/').next().unwrap_or(id).to_string(),
        variant: variant.to_string(),
        hops,
        extra_hops: 0,
        context: "Every wumpus is a tumpus.".to_string(),
        question: None,
        endings: vec!["yes".to_string(), "naïve".to_string()],
        label: 0,
        certificate: None,
        meta: None,
    }
}

/// A scored sample of `item` with these log-likelihoods, one token an ending.
pub fn scored(item: &Item, logprobs: &[f64]) -> Sample {
    let endings = item.endings.iter().zip(logprobs).map(|(text, lp)| EndingScore::new(text, *lp, 1, false)).collect();
    Sample::scored(item, 7, endings, Vec::new())
}

/// A manifest of a small run.
pub fn manifest() -> Manifest {
    Manifest {
        scores: ScoreSettings {
            version: "0.1.0".into(),
            model: "models/tiny-logic".into(),
            revision: None,
            weights: "ab".repeat(32),
            architecture: "llama".into(),
            decoder: "de".repeat(32),
            dtype: "f32".into(),
            device: "cpu".into(),
            tokenizer: "cd".repeat(32),
            bos: "auto".into(),
            bos_ids: vec![1],
            empty_context: Some(1),
            parse_special: false,
            template: "plain".into(),
            chat_template: None,
            chat_date: None,
            delimiter: " ".into(),
            truncate: "error".into(),
            max_length: Some(512),
            data: vec![DataDigest { file: "chain.jsonl".into(), blake3: "ef".repeat(32), items: 8 }],
            select: Selection::default(),
            shots: None,
            pmi: false,
            log_tokens: false,
        },
        environment: Environment {
            norm: Norm::Char,
            dtype: "auto".into(),
            weights: "resident".into(),
            token_budget: 4096,
            threads: 2,
            shard: None,
            chat_template: None,
            device: "cpu".into(),
            git: None,
            features: Vec::new(),
            host: Host { os: "linux".into(), arch: "x86_64".into(), cpu: None, cores: 2, memory: 8 << 30 },
        },
    }
}

/// The results of these samples, at no cost.
pub fn results(samples: &[Sample]) -> Results {
    Results::new(manifest(), Default::default(), samples)
}
