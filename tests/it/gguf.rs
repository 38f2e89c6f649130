//! GGUF files: values of every block type, metadata, and tokenizers, against what gguf-py and the `tokenizers` library
//! make of the same files.

use std::path::{Path, PathBuf};

use llscore::model::weights::{GgufFile, Safetensors, TensorSource};
use llscore::tokenize::gguf::tokenizer_from_gguf;
use tokenizers::Tokenizer;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn blocks() -> (GgufFile, Safetensors) {
    let folder = fixture("gguf-blocks");
    let gguf = GgufFile::open(&folder.join("blocks.gguf")).unwrap();
    (gguf, Safetensors::open(&folder.join("expected.safetensors")).unwrap())
}

#[test]
fn every_block_type_dequantises_as_the_reference_does() {
    let (gguf, expected) = blocks();
    assert_eq!(gguf.names(), expected.names());
    assert_eq!(gguf.names().len(), 15);
    for name in gguf.names() {
        let shape = expected.shape(&name).unwrap();
        let ours = gguf.read_f32(&name, &shape).unwrap();
        let theirs = expected.read_f32(&name, &shape).unwrap();
        assert_eq!(ours.len(), theirs.len());
        for (at, (a, b)) in ours.iter().zip(&theirs).enumerate() {
            // One rounding of the product of scale and quant may differ in order.
            assert!((a - b).abs() <= 1e-6 * b.abs().max(1e-2), "{name}[{at}]: {a} and {b}");
        }
    }
}

#[test]
fn rows_are_read_where_they_are() {
    let (gguf, expected) = blocks();
    for name in ["q4_k.weight", "q8_0.weight", "f16.weight", "f64.weight"] {
        let whole = gguf.read_f32(name, &[3, 256]).unwrap();
        assert_eq!(gguf.read_rows_f32(name, &[3, 256], 1..3).unwrap(), whole[256..]);
        assert_eq!(gguf.read_rows_f32(name, &[3, 256], 0..1).unwrap(), whole[..256]);
        assert!(gguf.read_rows_f32(name, &[3, 256], 1..1).unwrap().is_empty());
    }
    let whole = expected.read_f32("q4_k.weight", &[3, 256]).unwrap();
    assert_eq!(expected.read_rows_f32("q4_k.weight", &[3, 256], 2..3).unwrap(), whole[512..]);
    let error = gguf.read_rows_f32("q4_k.weight", &[3, 256], 2..4).unwrap_err().to_string();
    assert!(error.contains("3 rows") && error.contains("2..4"), "{error}");
}

#[test]
fn types_and_sizes_are_named() {
    let (gguf, _) = blocks();
    assert_eq!(gguf.dtype("q6_k.weight").unwrap(), "Q6_K");
    assert_eq!(gguf.dtype("bf16.weight").unwrap(), "BF16");
    assert_eq!(gguf.tensor_bytes("q6_k.weight").unwrap(), 3 * 210);
    assert_eq!(gguf.tensor_bytes("odd.bias").unwrap(), 28);
    assert_eq!(gguf.total_parameters(), 14 * 3 * 256 + 7);
}

#[test]
fn metadata_of_every_type_are_read() {
    let (gguf, _) = blocks();
    assert_eq!(gguf.architecture().unwrap(), "llama");
    assert_eq!(gguf.meta_u64("test.u8").unwrap(), Some(200));
    assert_eq!(gguf.meta_u64("test.u16").unwrap(), Some(60000));
    assert_eq!(gguf.meta_u64("test.u32").unwrap(), Some(4_000_000_000));
    assert_eq!(gguf.meta_u64("test.u64").unwrap(), Some(1 << 63));
    assert_eq!(gguf.meta_f64("test.i8").unwrap(), Some(-100.0));
    assert_eq!(gguf.meta_f64("test.i16").unwrap(), Some(-30000.0));
    assert_eq!(gguf.meta_f64("test.i32").unwrap(), Some(-2e9));
    assert_eq!(gguf.meta_f64("test.i64").unwrap(), Some(-(2f64.powi(62))));
    assert_eq!(gguf.meta_f64("test.f32").unwrap(), Some(0.1f32 as f64));
    assert_eq!(gguf.meta_f64("test.f64").unwrap(), Some(0.1));
    assert_eq!(gguf.meta_bool("test.yes").unwrap(), Some(true));
    assert_eq!(gguf.meta_bool("test.no").unwrap(), Some(false));
    assert_eq!(gguf.meta_str("test.text").unwrap(), Some("naïve ▁ text"));
    assert_eq!(gguf.meta_strs("test.texts").unwrap().unwrap(), ["a", "", "ü"]);
    assert_eq!(gguf.meta_u64s("test.ints").unwrap().unwrap(), [3, 1, 2]);
    assert_eq!(gguf.meta_f64s("test.floats").unwrap().unwrap(), [0.5, -1.25]);
    assert_eq!(gguf.meta_u64s("test.u8").unwrap().unwrap(), [200]);
    assert_eq!(gguf.meta_str("test.absent").unwrap(), None);
}

#[test]
fn a_key_of_another_type_or_missing_is_named() {
    let (gguf, _) = blocks();
    for error in [
        gguf.meta_u64("test.text").unwrap_err().to_string(),
        gguf.meta_u64("test.i8").unwrap_err().to_string(),
        gguf.meta_str("test.u8").unwrap_err().to_string(),
        gguf.require_u64("test.absent").unwrap_err().to_string(),
    ] {
        assert!(error.contains("blocks.gguf") && error.contains("`test."), "{error}");
    }
}

#[test]
fn digests_follow_the_content_and_not_the_place() {
    let (gguf, _) = blocks();
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(gguf.path()).unwrap();
    let copy = folder.path().join("other.gguf");
    std::fs::write(&copy, &bytes).unwrap();
    let digest = gguf.digest().unwrap();
    assert_eq!(digest.len(), 64);
    assert_eq!(GgufFile::open(&copy).unwrap().digest().unwrap(), digest);
    let mut changed = bytes;
    *changed.last_mut().unwrap() ^= 1;
    // The last bytes may be padding of the last tensor, which counts too in a small file.
    std::fs::write(&copy, &changed).unwrap();
    assert_ne!(GgufFile::open(&copy).unwrap().digest().unwrap(), digest);
}

/// The fixtures whose GGUF file carries a tokenizer.
fn tokenizer_fixtures() -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = ["gpt-2", "gpt-4o", "llama-bpe", "qwen2", "smollm", "tekken", "spm"]
        .map(|f| fixture(&format!("gguf-tokenizer-{f}")))
        .into();
    folders
}

#[test]
fn tokenizers_give_the_ids_of_their_twins() {
    for folder in tokenizer_fixtures() {
        let gguf = GgufFile::open(&folder.join("tokenizer.gguf")).unwrap();
        let (mut tokenizer, info) = tokenizer_from_gguf(&gguf).unwrap();
        let twin = Tokenizer::from_file(folder.join("tokenizer.json")).unwrap();
        let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        let texts = expected["texts"].as_array().unwrap();
        assert!(texts.len() > 30);
        assert_eq!(info.pre, expected["pre"]);
        let name = folder.display();
        for (at, text) in texts.iter().enumerate() {
            let text = text.as_str().unwrap();
            let ours = tokenizer.encode(text, true).unwrap();
            assert_eq!(serde_json::json!(ours.get_ids()), expected["ids"][at], "{name}: {text:?}");
            let theirs = twin.encode(text, true).unwrap();
            assert_eq!(ours.get_offsets(), theirs.get_offsets(), "{name}: offsets of {text:?}");
            assert_eq!(tokenizer.decode(ours.get_ids(), false).unwrap(), twin.decode(theirs.get_ids(), false).unwrap());
        }
        tokenizer.set_encode_special_tokens(true);
        for (at, text) in texts.iter().enumerate() {
            let ours = tokenizer.encode(text.as_str().unwrap(), false).unwrap();
            assert_eq!(serde_json::json!(ours.get_ids()), expected["plain_ids"][at], "{name}: {text:?} as plain text");
        }
    }
}

#[test]
fn bos_is_what_the_metadata_say_and_absent_means_none() {
    let info = |name: &str| {
        let gguf = GgufFile::open(&fixture(name).join("tokenizer.gguf")).unwrap();
        tokenizer_from_gguf(&gguf).unwrap()
    };
    let (tokenizer, llama) = info("gguf-tokenizer-llama-bpe");
    assert!(llama.add_bos);
    assert_eq!(tokenizer.encode("a", true).unwrap().get_ids()[0], llama.bos_id.unwrap());
    assert_ne!(tokenizer.encode("a", false).unwrap().get_ids()[0], llama.bos_id.unwrap());
    let (tokenizer, smollm) = info("gguf-tokenizer-smollm");
    assert!(!smollm.add_bos && smollm.bos_id == Some(0) && smollm.notes.is_empty());
    assert_eq!(tokenizer.encode("a", true).unwrap().get_ids().len(), 1);
    let (_, qwen) = info("gguf-tokenizer-qwen2");
    assert!(!qwen.add_bos && qwen.eos_id == Some(483));
}

#[test]
fn a_sentencepiece_file_puts_bos_unless_it_says_otherwise() {
    let gguf = GgufFile::open(&fixture("gguf-tokenizer-spm").join("tokenizer.gguf")).unwrap();
    let (tokenizer, info) = tokenizer_from_gguf(&gguf).unwrap();
    assert!(gguf.meta_bool("tokenizer.ggml.add_bos_token").unwrap().is_none_or(|b| b) && info.add_bos);
    assert_eq!(tokenizer.encode("a b", true).unwrap().get_ids()[0], info.bos_id.unwrap());
}
