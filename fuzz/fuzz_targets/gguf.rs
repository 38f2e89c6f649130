//! A GGUF file: its header, the description of the decoder, its tokenizer, and its tensors.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use llscore::engine::memory;
use llscore::model::arch::spec_from_gguf;
use llscore::model::weights::{GgufFile, TensorSource};
use llscore::tokenize::gguf::tokenizer_from_gguf;
use llscore::tokenize::{EncodeOptions, SpecialIds, TextEncoder};
use tempfile::TempDir;

/// Files are read by position, so they must be files; these lie in memory where the system has such a place.
static FOLDER: LazyLock<TempDir> =
    LazyLock::new(|| tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder"));

fuzz_target!(|data: &[u8]| {
    // What the library makes of a tokenizer is guarded against its panics; those are not to end the fuzzer.
    static QUIET: LazyLock<()> = LazyLock::new(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !llscore::tokenize::guard::is_active() {
                loud(info);
            }
        }));
    });
    LazyLock::force(&QUIET);
    let path = FOLDER.path().join("model.gguf");
    std::fs::write(&path, data).expect("writes");
    if data.len().is_multiple_of(2) {
        // Room for the tensors of a header that stands alone.
        let file = std::fs::File::options().append(true).open(&path).expect("opens");
        file.set_len(data.len() as u64 + (1 << 20)).expect("grows");
    }
    let file = match GgufFile::open(&path) {
        Ok(file) => file,
        Err(e) => {
            assert_eq!(e.exit_code(), 2, "{e}");
            return;
        }
    };
    if let Ok(spec) = spec_from_gguf(&file) {
        let _ = memory::need(&spec, 4, memory::budget(&spec, 4, true, 0));
        let _ = (spec.tensors().len(), spec.parameters());
    }
    let _ = (file.main_dtype(), file.total_parameters(), file.digest());
    for name in file.names().into_iter().take(4) {
        let shape = file.shape(&name).expect("is named");
        let _ = (file.tensor_bytes(&name), file.read_f32(&name, &shape));
    }
    let Ok((tokenizer, info)) = tokenizer_from_gguf(&file) else { return };
    let specials = SpecialIds { bos: info.bos_id, eos: info.eos_id, add_bos: Some(info.add_bos) };
    if let Ok(encoder) = TextEncoder::from_tokenizer(tokenizer, specials, &path, EncodeOptions::default()) {
        let _ = encoder.encode_pair("The cat is", " ", "naïve 7\n<|im_end|>");
    }
});
