//! A model of any shape with pseudo-random weights that are made when they are read: benches need no file.

use std::ops::Range;
use std::path::Path;

use candle_core::{DType, Device};
use llscore::Result;
use llscore::engine::Model;
use llscore::model::arch::spec_from_config;
use llscore::model::config::Config;
use llscore::model::weights::TensorSource;

/// Weights that are all there, in every shape asked for.
struct Random;

impl TensorSource for Random {
    fn location(&self) -> &Path {
        Path::new("random")
    }
    fn contains(&self, name: &str) -> bool {
        name != "lm_head.weight"
    }
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
    fn shape(&self, _: &str) -> Result<Vec<usize>> {
        Ok(Vec::new())
    }
    fn dtype(&self, _: &str) -> Result<String> {
        Ok("F32".to_string())
    }
    fn tensor_bytes(&self, _: &str) -> Result<u64> {
        Ok(0)
    }
    fn read_rows_f32(&self, name: &str, shape: &[usize], rows: Range<usize>) -> Result<Vec<f32>> {
        let width: usize = shape[1..].iter().product();
        let norm = name.contains("norm");
        let mut state = name.bytes().fold(1u64, |s, b| s.wrapping_mul(31).wrapping_add(u64::from(b))) | 1;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let unit = (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
            if norm { 1.0 + 0.1 * unit } else { 0.1 * unit }
        };
        Ok(std::iter::repeat_with(next).take(rows.len() * width).collect())
    }
    fn digest(&self) -> Result<String> {
        Ok("random".to_string())
    }
    fn total_parameters(&self) -> u64 {
        0
    }
    fn bytes_on_disk(&self) -> u64 {
        0
    }
}

/// SmolLM2-135M's shape with so many of its 30 layers.
pub fn smollm2(layers: usize) -> Model {
    let config = format!(
        r#"{{"model_type":"llama","hidden_size":576,"intermediate_size":1536,"num_attention_heads":9,
        "num_key_value_heads":3,"num_hidden_layers":{layers},"vocab_size":49152,"max_position_embeddings":8192,
        "rope_theta":100000,"rms_norm_eps":1e-5,"tie_word_embeddings":true}}"#
    );
    let spec =
        Config::parse(Path::new("config.json"), &config).and_then(|c| spec_from_config(&c)).expect("a sound config");
    Model { spec, source: Box::new(Random), device: Device::Cpu, dtype: DType::F32 }
}
