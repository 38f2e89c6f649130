//! GGUF files that are not as they should be: each gets one line that names the place and the remedy, and no damage
//! makes a reader panic.

use std::path::Path;

use llscore::model::weights::{GgufFile, Safetensors, TensorSource};
use llscore::tokenize::gguf::tokenizer_from_gguf;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::bad_model::{POINTER, assert_has, good, message};

/// The bytes of the GGUF fixture with every block type.
fn gguf_bytes() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gguf-blocks/blocks.gguf")).unwrap()
}

fn open_gguf(bytes: &[u8]) -> (TempDir, llscore::Result<GgufFile>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    let opened = GgufFile::open(&path);
    (folder, opened)
}

fn gguf_refused(bytes: &[u8]) -> String {
    message(open_gguf(bytes).1, "model.gguf")
}

/// A GGUF file: `keys` and `tensors` are the encoded entries, with their numbers.
fn gguf(version: u32, keys: (u64, &[u8]), tensors: (u64, &[u8]), data: &[u8]) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(tensors.0.to_le_bytes());
    bytes.extend(keys.0.to_le_bytes());
    bytes.extend(keys.1);
    bytes.extend(tensors.1);
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    bytes.extend(data);
    bytes
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

fn key_u32(key: &str, value: u32) -> Vec<u8> {
    [text(key), 4u32.to_le_bytes().to_vec(), value.to_le_bytes().to_vec()].concat()
}

fn tensor(name: &str, dimensions: &[u64], kind: u32, offset: u64) -> Vec<u8> {
    let mut bytes = text(name);
    bytes.extend((dimensions.len() as u32).to_le_bytes());
    dimensions.iter().for_each(|d| bytes.extend(d.to_le_bytes()));
    bytes.extend(kind.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes
}

#[test]
fn a_handmade_gguf_is_read() {
    let bytes = gguf(3, (1, &key_u32("a", 7)), (1, &tensor("w", &[2, 1], 0, 0)), &[0, 0, 128, 63, 0, 0, 0, 64]);
    let (_folder, file) = open_gguf(&bytes);
    let file = file.unwrap();
    assert_eq!(file.meta_u64("a").unwrap(), Some(7));
    assert_eq!(file.read_f32("w", &[1, 2]).unwrap(), [1.0, 2.0]);
}

#[test]
fn files_that_are_no_gguf_are_refused() {
    assert_has(&gguf_refused(b""), &["empty"]);
    assert_has(&gguf_refused(POINTER.as_bytes()), &["Git LFS pointer"]);
    assert_has(&gguf_refused(b"GGML\0\0\0\0\0\0\0\0"), &["not a GGUF file"]);
    assert_has(&gguf_refused(b"GG"), &["truncated"]);
    assert_has(&gguf_refused(&gguf(9, (0, &[]), (0, &[]), &[])), &["version 9"]);
    assert_has(&gguf_refused(&gguf(3u32.swap_bytes(), (0, &[]), (0, &[]), &[])), &["big-endian"]);
    assert_has(&gguf_refused(&gguf(3, (u64::MAX, &[]), (0, &[]), &[])), &["metadata keys"]);
    assert_has(&gguf_refused(&gguf(3, (0, &[]), (u64::MAX, &[]), &[])), &["tensors"]);
    let endless = [text("k"), 8u32.to_le_bytes().to_vec(), u64::MAX.to_le_bytes().to_vec()].concat();
    assert_has(&gguf_refused(&gguf(3, (1, &endless), (0, &[]), &[])), &["`k`"]);
    let unknown = [text("k"), 77u32.to_le_bytes().to_vec()].concat();
    assert_has(&gguf_refused(&gguf(3, (1, &unknown), (0, &[]), &[])), &["`k`", "77"]);
    let twice = [key_u32("k", 1), key_u32("k", 2)].concat();
    assert_has(&gguf_refused(&gguf(3, (2, &twice), (0, &[]), &[])), &["`k`", "twice"]);
    for alignment in [0, 3, 1 << 30] {
        let bytes = gguf(3, (1, &key_u32("general.alignment", alignment)), (0, &[]), &[]);
        assert_has(&gguf_refused(&bytes), &["general.alignment"]);
    }
    assert_has(&gguf_refused(&gguf(3, (1, &key_u32("split.count", 3)), (0, &[]), &[])), &["3 parts", "merge"]);
}

#[test]
fn tensors_of_a_gguf_that_cannot_be_are_named() {
    let refused = |tensor: Vec<u8>| gguf_refused(&gguf(3, (0, &[]), (1, &tensor), &[0; 64]));
    assert_has(&refused(tensor("blk.0.w", &[256, 2], 23, 0)), &["`blk.0.w`", "IQ4_XS", "Q8_0"]);
    assert_has(&refused(tensor("w", &[256], 999, 0)), &["`w`", "999"]);
    assert_has(&refused(tensor("w", &[2, 1], 0, 1 << 40)), &["`w`", "truncated"]);
    assert_has(&refused(tensor("w", &[2, 1], 0, u64::MAX)), &["`w`", "beyond"]);
    assert_has(&refused(tensor("w", &[1 << 62, 1 << 62], 0, 0)), &["`w`", "absurd"]);
    assert_has(&refused(tensor("w", &[33, 1], 8, 0)), &["`w`", "blocks hold 32"]);
    assert_has(&refused(tensor("w", &[1, 1, 1, 1, 1], 0, 0)), &["`w`", "5 dimensions"]);
}

#[test]
fn a_tensor_of_a_gguf_that_is_missing_or_of_another_shape_is_named() {
    let (_folder, file) = open_gguf(&gguf_bytes());
    let file = file.unwrap();
    assert_has(&message(file.read_f32("output.weight", &[3, 256]), "model.gguf"), &["`output.weight`", "missing"]);
    let text = message(file.read_f32("q4_k.weight", &[256, 3]), "model.gguf");
    assert_has(&text, &["`q4_k.weight`", "[3, 256]", "[256, 3]"]);
}

#[test]
fn a_gguf_cut_anywhere_is_refused() {
    let bytes = gguf_bytes();
    // Padding follows the last tensor, so the last few bytes carry nothing.
    let end = bytes.len() - 32;
    let mut cuts: Vec<usize> = (1..end).step_by(97).collect();
    cuts.push(end);
    for cut in cuts {
        gguf_refused(&bytes[..cut]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A flipped byte may or may not be noticed, but never panics, and what opens can be read or says why not.
    #[test]
    fn a_damaged_file_never_panics(at in 0usize..18_000, value: u8, cut in 0usize..2) {
        let mut bytes = gguf_bytes();
        let len = bytes.len();
        bytes[at % len] = value;
        bytes.truncate(len - cut * (at % 1000));
        if let (_folder, Ok(file)) = open_gguf(&bytes) {
            for name in file.names() {
                let shape = file.shape(&name).unwrap();
                if shape.iter().product::<usize>() < 1 << 20 {
                    let _ = file.read_f32(&name, &shape);
                }
            }
            let _ = file.digest();
        }
        let mut bytes = good();
        let len = bytes.len();
        bytes[at % len] = value;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(tensors) = Safetensors::open(&path) {
            for name in tensors.names() {
                let _ = tensors.read_f32(&name, &tensors.shape(&name).unwrap());
            }
        }
    }
}

/// A tokenizer in a GGUF file: by default three tokens and one merge, changed by `change`.
fn tokenizer_error(change: impl FnOnce(&mut Keys)) -> String {
    let mut keys = vec![
        ("tokenizer.ggml.model", string("gpt2")),
        ("tokenizer.ggml.pre", string("gpt-2")),
        ("tokenizer.ggml.tokens", strings(&["a", "b", "ab", "<s>"])),
        ("tokenizer.ggml.token_type", integers(&[1, 1, 1, 3])),
        ("tokenizer.ggml.merges", strings(&["a b"])),
        ("tokenizer.ggml.bos_token_id", integer(3)),
        ("tokenizer.ggml.add_bos_token", [7u32.to_le_bytes().to_vec(), vec![1]].concat()),
    ];
    change(&mut keys);
    let encoded: Vec<u8> = keys.iter().flat_map(|(key, value)| [text(key), value.clone()].concat()).collect();
    let (_folder, file) = open_gguf(&gguf(3, (keys.len() as u64, &encoded), (0, &[]), &[]));
    match tokenizer_from_gguf(&file.unwrap()) {
        Ok((tokenizer, info)) => {
            let ids = tokenizer.encode("ab", true).unwrap().get_ids().to_vec();
            format!("ids {ids:?} notes {:?}", info.notes)
        }
        error => message(error, "model.gguf"),
    }
}

fn string(value: &str) -> Vec<u8> {
    [8u32.to_le_bytes().to_vec(), text(value)].concat()
}

fn strings(values: &[&str]) -> Vec<u8> {
    let head = [9u32.to_le_bytes(), 8u32.to_le_bytes()].concat();
    let all: Vec<u8> = values.iter().flat_map(|v| text(v)).collect();
    [head, (values.len() as u64).to_le_bytes().to_vec(), all].concat()
}

fn integer(value: u32) -> Vec<u8> {
    [4u32.to_le_bytes(), value.to_le_bytes()].concat()
}

fn integers(values: &[i32]) -> Vec<u8> {
    let head = [9u32.to_le_bytes(), 5u32.to_le_bytes()].concat();
    let all: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    [head, (values.len() as u64).to_le_bytes().to_vec(), all].concat()
}

type Keys = Vec<(&'static str, Vec<u8>)>;

fn set(key: &'static str, value: Vec<u8>) -> impl FnOnce(&mut Keys) {
    move |keys| {
        keys.retain(|(k, _)| *k != key);
        keys.push((key, value));
    }
}

fn unset(key: &'static str) -> impl FnOnce(&mut Keys) {
    move |keys| keys.retain(|(k, _)| *k != key)
}

#[test]
fn a_tokenizer_that_cannot_be_built_names_the_key_and_the_way_out() {
    assert_eq!(tokenizer_error(|_| ()), "ids [3, 2] notes []");
    let kind = "tokenizer.ggml.model";
    assert_has(&tokenizer_error(unset(kind)), &["no tokenizer", "--tokenizer"]);
    for other in ["bert", "t5", "rwkv", "gemma4"] {
        assert_has(&tokenizer_error(set(kind, string(other))), &[other, "--tokenizer"]);
    }
    assert_has(&tokenizer_error(set(kind, string("llama"))), &["tokenizer.ggml.scores", "--tokenizer"]);
    assert_has(&tokenizer_error(set(kind, integer(1))), &[kind]);
    let text = tokenizer_error(set("tokenizer.ggml.pre", string("kimi-k2")));
    assert_has(&text, &["`kimi-k2`", "tokenizer.ggml.pre", "--tokenizer", "llama-bpe"]);
    assert_has(&tokenizer_error(unset("tokenizer.ggml.tokens")), &["tokenizer.ggml.tokens", "missing"]);
    assert_has(&tokenizer_error(unset("tokenizer.ggml.merges")), &["tokenizer.ggml.merges", "missing"]);
    let text = tokenizer_error(set("tokenizer.ggml.tokens", strings(&["a", "b", "ab", "a"])));
    assert_has(&text, &["\"a\" twice", "--tokenizer"]);
    assert_has(&tokenizer_error(set("tokenizer.ggml.merges", strings(&["ab"]))), &["entry 0", "\"ab\""]);
    assert_has(&tokenizer_error(set("tokenizer.ggml.merges", strings(&["a c"]))), &["cannot be built", "--tokenizer"]);
    // The library panics where a merge makes something longer than every token.
    let text = tokenizer_error(set("tokenizer.ggml.merges", strings(&["ab ab"])));
    assert_has(&text, &["cannot be built", "--tokenizer"]);
    assert_has(&tokenizer_error(set("tokenizer.ggml.token_type", integers(&[1]))), &["1 entries for 4 tokens"]);
    assert_has(&tokenizer_error(set("tokenizer.ggml.bos_token_id", integer(4))), &["is 4", "4 tokens"]);
    assert_has(&tokenizer_error(unset("tokenizer.ggml.bos_token_id")), &["bos_token_id", "missing"]);
    let yes = [7u32.to_le_bytes().to_vec(), vec![1]].concat();
    assert_has(&tokenizer_error(set("tokenizer.ggml.add_space_prefix", yes)), &["add_space_prefix", "--tokenizer"]);
}

#[test]
fn what_the_metadata_leave_open_is_noted() {
    let text = tokenizer_error(unset("tokenizer.ggml.pre"));
    assert_has(&text, &["ids [3, 2]", "GPT-2", "--tokenizer"]);
    assert_has(&tokenizer_error(set("tokenizer.ggml.pre", string("default"))), &["GPT-2"]);
    assert_eq!(tokenizer_error(unset("tokenizer.ggml.add_bos_token")), "ids [2] notes []");
    let text = tokenizer_error(|keys| {
        unset("tokenizer.ggml.add_bos_token")(keys);
        set("tokenizer.ggml.pre", string("llama-bpe"))(keys);
    });
    assert_has(&text, &["ids [2]", "--bos always"]);
}
