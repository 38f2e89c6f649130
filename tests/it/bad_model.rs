//! Model folders and safetensors files that are not as they should be: each gets one line that names the place and the remedy, with exit code 2
//! and no panic.

use std::path::Path;

use llscore::Error;
use llscore::model::hub::HubEnv;
use llscore::model::source::{ModelFiles, SourceOptions, WeightFiles, locate, resolve};
use llscore::model::weights::{GgufFile, Safetensors, TensorSource};
use tempfile::TempDir;

pub(crate) const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";

/// The bytes of a safetensors file with this header and data.
fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// A file with one f32 tensor `w` of shape [2, 3], whose values are 0…5.
pub(crate) fn good() -> Vec<u8> {
    let values: Vec<u8> = (0..6).flat_map(|x| (x as f32).to_le_bytes()).collect();
    safetensors(r#"{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#, &values)
}

/// The message of an error of exit code 2 that names `file`.
pub(crate) fn message<T>(result: llscore::Result<T>, file: &str) -> String {
    let error = result.err().unwrap_or_else(|| panic!("{file}: no error"));
    assert_eq!(error.exit_code(), 2, "{error}");
    let text = error.to_string();
    assert!(text.contains(file), "{text} does not name {file}");
    assert!(!text.contains('\n') && !text.ends_with('.'), "{text}");
    text
}

/// Opens `bytes` as model.safetensors, which fails, and returns the message.
fn refused(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    std::fs::write(&path, bytes).unwrap();
    message(Safetensors::open(&path), "model.safetensors")
}

fn open(bytes: &[u8]) -> (TempDir, Safetensors) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    std::fs::write(&path, bytes).unwrap();
    let opened = Safetensors::open(&path).unwrap();
    (folder, opened)
}

pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{text}` does not say `{part}`");
    }
}

#[test]
fn a_good_file_is_read() {
    let (_folder, tensors) = open(&good());
    assert_eq!(tensors.read_f32("w", &[2, 3]).unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(tensors.read_rows_f32("w", &[2, 3], 1..2).unwrap(), [3.0, 4.0, 5.0]);
    assert_eq!((tensors.total_parameters(), tensors.main_dtype()), (6, "F32".to_string()));
}

#[test]
fn other_float_types_become_f32() {
    let half = |bits: [u16; 3]| bits.iter().flat_map(|b| b.to_le_bytes()).collect::<Vec<u8>>();
    let header = r#"{"a":{"dtype":"F16","shape":[3],"data_offsets":[0,6]},"b":{"dtype":"BF16","shape":[3],"data_offsets":[6,12]},"c":{"dtype":"F64","shape":[],"data_offsets":[12,20]}}"#;
    // 1, -2, the smallest f16 above zero; 1, -2, 3 in bf16.
    let data = [half([0x3c00, 0xc000, 1]), half([0x3f80, 0xc000, 0x4040]), 0.1f64.to_le_bytes().to_vec()].concat();
    let (_folder, tensors) = open(&safetensors(header, &data));
    assert_eq!(tensors.read_f32("a", &[3]).unwrap(), [1.0, -2.0, 2f32.powi(-24)]);
    assert_eq!(tensors.read_f32("b", &[3]).unwrap(), [1.0, -2.0, 3.0]);
    assert_eq!(tensors.read_f32("c", &[]).unwrap(), [0.1f64 as f32]);
}

#[test]
fn a_large_tensor_is_read_across_pieces() {
    let values: Vec<f32> = (0..100_003).map(|x| x as f32 * 0.5).collect();
    let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let header = format!(r#"{{"w":{{"dtype":"F32","shape":[100003],"data_offsets":[0,{}]}}}}"#, data.len());
    let (_folder, tensors) = open(&safetensors(&header, &data));
    assert_eq!(tensors.read_f32("w", &[100_003]).unwrap(), values);
    assert_eq!(tensors.read_rows_f32("w", &[100_003], 40_000..90_000).unwrap(), values[40_000..90_000]);
}

#[test]
fn the_digest_of_a_large_file_samples_every_tensor() {
    use std::io::{Seek, SeekFrom, Write};
    let header = r#"{"v":{"dtype":"F32","shape":[4],"data_offsets":[40000000,40000016]},"w":{"dtype":"F32","shape":[10000000],"data_offsets":[0,40000000]}}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    std::fs::write(&path, safetensors(header, &[])).unwrap();
    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
    let data = 8 + header.len() as u64;
    // A hole in the file: it takes no space on disk.
    file.set_len(data + 40_000_016).unwrap();
    let mut seen = vec![Safetensors::open(&path).unwrap().digest().unwrap()];
    // The first and last bytes of the large tensor, and the small one.
    for at in [0, 39_999_999, 40_000_007] {
        file.seek(SeekFrom::Start(data + at)).unwrap();
        file.write_all(&[1]).unwrap();
        let digest = Safetensors::open(&path).unwrap().digest().unwrap();
        assert!(!seen.contains(&digest), "byte {at}");
        seen.push(digest);
    }
}

#[test]
fn a_missing_tensor_and_a_wrong_shape_are_named() {
    let (_folder, tensors) = open(&good());
    let text = message(tensors.read_f32("lm_head.weight", &[2, 3]), "model.safetensors");
    assert_has(&text, &["`lm_head.weight`", "missing"]);
    let text = message(tensors.read_f32("w", &[3, 2]), "model.safetensors");
    assert_has(&text, &["`w`", "[2, 3]", "[3, 2]"]);
    assert_has(&message(tensors.shape("x"), "model.safetensors"), &["`x`"]);
}

#[test]
fn unsupported_types_are_named_with_a_remedy() {
    let header = r#"{"q":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}}"#;
    let (_folder, tensors) = open(&safetensors(header, &[0; 4]));
    let text = message(tensors.read_f32("q", &[4]), "model.safetensors");
    assert_has(&text, &["`q`", "I8", "bf16"]);
    let text = refused(&safetensors(r#"{"q":{"dtype":"Q9","shape":[4],"data_offsets":[0,4]}}"#, &[0; 4]));
    assert_has(&text, &["`q`", "Q9"]);
}

#[test]
fn files_that_are_no_safetensors_are_refused() {
    assert_has(&refused(b""), &["empty", "download"]);
    assert_has(&refused(POINTER.as_bytes()), &["Git LFS pointer", "git lfs pull"]);
    assert_has(&refused(b"abc"), &["truncated"]);
    // "PK\3\4…" read as a length.
    assert_has(&refused(&[b"PK\x03\x04".repeat(4), vec![0; 64]].concat()), &["corrupt or not a safetensors file"]);
    assert_has(&refused(&u64::MAX.to_le_bytes()), &["corrupt or not a safetensors file"]);
    assert_has(&refused(&safetensors("{\"w\":", &[])), &["corrupt header"]);
    assert_has(&refused(&safetensors("\u{1}\u{2}", &[])), &["corrupt header"]);
    let good = good();
    assert_has(&refused(&good[..20]), &["truncated", "header"]);
    assert_has(&refused(&good[..good.len() - 1]), &["truncated", "tensors end at byte"]);
    assert_has(&refused(&[good, vec![0]].concat()), &["1 bytes follow"]);
    let overlap = r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}"#;
    assert_has(&refused(&safetensors(overlap, &[0; 6])), &["corrupt header"]);
    let absurd = r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,4]}}"#;
    assert_has(&refused(&safetensors(absurd, &[0; 4])), &["corrupt header"]);
}

#[test]
fn a_folder_in_place_of_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    message(Safetensors::open(folder.path()), &folder.path().display().to_string());
    message(GgufFile::open(&folder.path().join("none.gguf")), "none.gguf");
}

/// A folder with an index that maps `w` to `shard`, and model-1.safetensors.
fn sharded(index: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model-1.safetensors"), good()).unwrap();
    std::fs::write(folder.path().join("model.safetensors.index.json"), index).unwrap();
    folder
}

fn index_refused(index: &str) -> String {
    let folder = sharded(index);
    let path = folder.path().join("model.safetensors.index.json");
    message(Safetensors::open_index(&path), "model.safetensors.index.json")
}

#[test]
fn an_index_is_followed_and_checked() {
    let folder = sharded(r#"{"metadata":{},"weight_map":{"w":"model-1.safetensors"}}"#);
    let tensors = Safetensors::open_index(&folder.path().join("model.safetensors.index.json")).unwrap();
    assert_eq!(tensors.read_f32("w", &[2, 3]).unwrap()[5], 5.0);
    let (_other, single) = open(&good());
    assert_eq!(tensors.digest().unwrap(), single.digest().unwrap());

    let text = index_refused(r#"{"weight_map":{"w":"model-2.safetensors"}}"#);
    assert_has(&text, &["model-2.safetensors", "not in"]);
    let text = index_refused(r#"{"weight_map":{"w":"model-1.safetensors","x":"model-1.safetensors"}}"#);
    assert_has(&text, &["`x`", "model-1.safetensors"]);
    for outside in ["../model-1.safetensors", "/etc/passwd", "a/../../b", "..\\\\b", "c:b", ""] {
        let text = index_refused(&format!(r#"{{"weight_map":{{"w":"{outside}"}}}}"#));
        assert_has(&text, &["outside the model's folder"]);
    }
    assert_has(&index_refused("{}"), &["weight_map"]);
    assert_has(&index_refused(r#"{"weight_map":{}}"#), &["empty"]);
    assert_has(&index_refused(r#"{"weight_map":{"w":3}}"#), &["`w`"]);
    assert_has(&index_refused("{"), &["not valid JSON"]);
    assert_has(&index_refused(POINTER), &["Git LFS pointer"]);
}

#[test]
fn a_truncated_shard_is_named() {
    let folder = sharded(r#"{"weight_map":{"w":"model-1.safetensors"}}"#);
    std::fs::write(folder.path().join("model-1.safetensors"), &good()[..80]).unwrap();
    let text =
        message(Safetensors::open_index(&folder.path().join("model.safetensors.index.json")), "model-1.safetensors");
    assert_has(&text, &["truncated"]);
}

/// Options that know no environment and no network.
fn no_hub() -> SourceOptions {
    let env = HubEnv::from_vars(|_| None);
    SourceOptions { offline: true, env, ..SourceOptions::default() }
}

fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn resolve_folder(files: &[(&str, &str)]) -> llscore::Result<ModelFiles> {
    let folder = folder_with(files);
    resolve(folder.path().to_str().unwrap(), &no_hub(), &())
}

#[test]
fn a_complete_folder_is_found() {
    let folder = folder_with(&[("config.json", "{}"), ("tokenizer.json", "{}"), ("model.safetensors", "")]);
    let files = resolve(folder.path().to_str().unwrap(), &no_hub(), &()).unwrap();
    assert_eq!(files.weights, Some(WeightFiles::Safetensors(folder.path().join("model.safetensors"))));
    assert_eq!(files.require_config().unwrap(), folder.path().join("config.json"));
    assert_eq!((files.revision, files.missing.len()), (None, 0));
}

#[test]
fn what_a_folder_lacks_is_named() {
    let name = "/";
    let text = message(resolve_folder(&[("model.safetensors", ""), ("tokenizer.json", "{}")]), name);
    assert_has(&text, &["config.json"]);
    let text = message(resolve_folder(&[("config.json", "{}"), ("tokenizer.json", "{}")]), name);
    assert_has(&text, &["no weights", "model.safetensors"]);
    let text = message(resolve_folder(&[("config.json", "{}"), ("model.safetensors", "")]), name);
    assert_has(&text, &["tokenizer.json", "--tokenizer"]);
    let text =
        message(resolve_folder(&[("config.json", "{}"), ("model.safetensors", ""), ("tokenizer.model", "")]), name);
    assert_has(&text, &["--tokenizer", "AutoTokenizer"]);
    for torch in ["pytorch_model.bin", "consolidated.00.pth"] {
        let text = message(resolve_folder(&[("config.json", "{}"), (torch, ""), ("tokenizer.json", "{}")]), name);
        assert_has(&text, &[torch, "not supported", "save_pretrained"]);
    }
    let text = message(
        resolve_folder(&[("config.json", "{}"), ("adapter_model.safetensors", ""), ("tokenizer.json", "{}")]),
        name,
    );
    assert_has(&text, &["adapter_model.safetensors", "adapter"]);
    let index = r#"{"weight_map":{"w":"model-00001-of-00002.safetensors"}}"#;
    let text = message(
        resolve_folder(&[("config.json", "{}"), ("model.safetensors.index.json", index), ("tokenizer.json", "{}")]),
        name,
    );
    assert_has(&text, &["model-00001-of-00002.safetensors"]);
    let text = message(resolve_folder(&[("model-q4.gguf", "")]), name);
    assert_has(&text, &["model-q4.gguf"]);
    let text = message(resolve_folder(&[("config.json", "{}"), ("model-q4.gguf", "")]), name);
    assert_has(&text, &["model-q4.gguf"]);
    message(resolve_folder(&[]), name);
}

#[test]
fn missing_files_are_listed_where_that_is_asked_for() {
    let folder = folder_with(&[("config.json", "{}")]);
    let files = locate(folder.path().to_str().unwrap(), &no_hub(), &()).unwrap();
    let missing: Vec<&str> = files.missing.iter().map(|m| m.file).collect();
    assert_eq!(missing, ["model.safetensors", "tokenizer.json"]);
    message(files.open_weights(), folder.path().to_str().unwrap());
}

#[test]
fn pointers_in_place_of_small_files_are_refused() {
    for file in ["config.json", "tokenizer.json"] {
        let mut files = vec![("config.json", "{}"), ("tokenizer.json", "{}"), ("model.safetensors", "")];
        files.retain(|(name, _)| *name != file);
        files.push((file, POINTER));
        assert_has(&message(resolve_folder(&files), file), &["Git LFS pointer"]);
    }
}

#[test]
fn a_given_tokenizer_serves_in_place_of_the_models_own() {
    let model = folder_with(&[("config.json", "{}"), ("model.safetensors", "")]);
    let other = folder_with(&[("tokenizer.json", "{}")]);
    let with = |tokenizer: &Path| {
        let options = SourceOptions { tokenizer: Some(tokenizer.to_path_buf()), ..no_hub() };
        resolve(model.path().to_str().unwrap(), &options, &())
    };
    let file = other.path().join("tokenizer.json");
    assert_eq!(with(&file).unwrap().tokenizer, Some(file.clone()));
    assert_eq!(with(other.path()).unwrap().tokenizer, Some(file));
    assert_has(&message(with(&other.path().join("none.json")), "none.json"), &["--tokenizer"]);
}

#[test]
fn what_looks_like_a_path_is_never_asked_of_the_hub() {
    for name in ["./none", "/none/such", "a/b/c", "model.gguf", "~/none", "org/model.gguf", "../x", "none/"] {
        let text = message(resolve(name, &no_hub(), &()), "no such file");
        assert_has(&text, &["--model"]);
    }
    let file = folder_with(&[("model.safetensors", "x"), ("notes.txt", "x")]);
    let path = file.path().join("model.safetensors");
    assert_has(
        &message(resolve(path.to_str().unwrap(), &no_hub(), &()), "model.safetensors"),
        &["the folder that it is in"],
    );
    let path = file.path().join("notes.txt");
    assert_has(&message(resolve(path.to_str().unwrap(), &no_hub(), &()), "notes.txt"), &["not a model"]);
    assert!(matches!(resolve("", &no_hub(), &()), Err(Error::Usage(_))));
    let options = SourceOptions { revision: Some("v2".into()), ..no_hub() };
    assert!(matches!(resolve(file.path().to_str().unwrap(), &options, &()), Err(Error::Usage(_))));
}
