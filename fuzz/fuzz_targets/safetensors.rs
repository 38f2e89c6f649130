//! Weights of safetensors: the first line of the input is the index, the rest is the shard `a`; and the whole is a file.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use llscore::model::weights::{Safetensors, TensorSource, shards_of_index};
use tempfile::TempDir;

/// Files are read by position, so they must be files; these lie in memory where the system has such a place.
static FOLDER: LazyLock<TempDir> =
    LazyLock::new(|| tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder"));

fuzz_target!(|data: &[u8]| {
    let at = |name: &str| FOLDER.path().join(name);
    let write = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).expect("writes");
    write("model.safetensors", data);
    read(Safetensors::open(&at("model.safetensors")));
    let cut = data.iter().position(|b| *b == b'\n').unwrap_or(data.len());
    write("model.safetensors.index.json", &data[..cut]);
    write("a", data.get(cut + 1..).unwrap_or_default());
    let index = at("model.safetensors.index.json");
    let _ = shards_of_index(&index);
    read(Safetensors::open_index(&index));
});

fn read(opened: llscore::Result<Safetensors>) {
    let file = match opened {
        Ok(file) => file,
        Err(e) => {
            assert_eq!(e.exit_code(), 2, "{e}");
            return;
        }
    };
    let _ = (file.main_dtype(), file.total_parameters(), file.digest());
    for name in file.names() {
        let shape = file.shape(&name).expect("is named");
        let _ = (file.tensor_bytes(&name), file.read_f32(&name, &shape));
    }
}
