//! Downloads: what is asked for, what is fetched once only, and how broken transfers go on.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use llscore::model::hub::Progress;
use llscore::model::source::{SourceOptions, locate, resolve};

use super::server::{Hub, etag};
use super::{COMMIT, Home, assert_has, first_weight, message, tiny_hub, weights, write};

const NEXT: &str = "2222222222222222222222222222222222222222";

#[test]
fn a_model_is_fetched_into_the_standard_layout() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let files = home.resolve("org/tiny").unwrap();
    assert_eq!(files.revision.as_deref(), Some(COMMIT));
    assert_eq!(first_weight(&files), 1.5);
    let repo = home.repo("org/tiny");
    let snapshot = repo.join("snapshots").join(COMMIT);
    assert_eq!(files.root, snapshot);
    assert_eq!(std::fs::read_to_string(repo.join("refs/main")).unwrap(), COMMIT);
    let refs: Vec<_> = std::fs::read_dir(repo.join("refs")).unwrap().collect();
    assert_eq!(refs.len(), 1);
    #[cfg(unix)]
    {
        let link = std::fs::read_link(snapshot.join("model.safetensors")).unwrap();
        assert_eq!(link.to_str().unwrap(), format!("../../blobs/{}", etag(&weights(1.5))));
    }
    let mut names: Vec<_> =
        std::fs::read_dir(snapshot).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]);
    let asked = hub.requests().join("\n");
    for unneeded in ["generation_config", "pytorch_model", "README"] {
        assert!(!asked.contains(unneeded), "{asked}");
    }
}

#[test]
fn what_is_cached_is_not_fetched_again() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    home.resolve("org/tiny").unwrap();
    hub.requests();
    let files = home.resolve("org/tiny").unwrap();
    assert_eq!(hub.requests(), ["/api/models/org/tiny/revision/main"]);
    assert!(files.notes.is_empty());
    // A commit never changes: nothing to ask.
    let files = home.at("org/tiny", COMMIT).unwrap();
    assert_eq!((hub.requests().len(), first_weight(&files)), (0, 1.5));
}

#[test]
fn main_is_looked_up_anew_and_equal_blobs_are_kept() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    home.resolve("org/tiny").unwrap();
    hub.commit(NEXT);
    hub.put("org/tiny", "config.json", b"{\"new\":1}");
    hub.requests();
    let files = home.resolve("org/tiny").unwrap();
    assert_eq!(files.revision.as_deref(), Some(NEXT));
    assert_eq!(std::fs::read_to_string(files.config.as_ref().unwrap()).unwrap(), "{\"new\":1}");
    assert_eq!(first_weight(&files), 1.5);
    let weights: Vec<_> = hub.requests().into_iter().filter(|r| r.contains("model.safetensors")).collect();
    assert!(weights.iter().all(|r| r.ends_with("bytes=0-0")), "{weights:?}");
    // The old commit is still there.
    assert_eq!(home.at("org/tiny", COMMIT).unwrap().revision.as_deref(), Some(COMMIT));
}

#[test]
fn a_name_without_an_organisation_works() {
    let hub = Hub::start();
    for (file, content) in
        [("config.json", &b"{}"[..]), ("tokenizer.json", b"{}"), ("model.safetensors", &weights(3.0))]
    {
        hub.put("gpt2", file, content);
    }
    let home = Home::new(&hub.endpoint());
    assert_eq!(first_weight(&home.resolve("gpt2").unwrap()), 3.0);
    assert!(home.repo("gpt2").is_dir());
}

#[test]
fn shards_are_fetched_by_their_index() {
    let hub = tiny_hub();
    hub.remove("org/tiny", "model.safetensors");
    hub.put("org/tiny", "model.safetensors.index.json", br#"{"weight_map":{"w":"model-00002-of-00002.safetensors"}}"#);
    hub.put("org/tiny", "model-00002-of-00002.safetensors", &weights(2.5));
    hub.put("org/tiny", "model-00001-of-00002.safetensors", &weights(0.0));
    let home = Home::new(&hub.endpoint());
    assert_eq!(first_weight(&home.resolve("org/tiny").unwrap()), 2.5);
    assert!(!hub.requests().join("\n").contains("model-00001"));
    assert_eq!(first_weight(&home.offline("org/tiny").unwrap()), 2.5);
}

#[test]
fn a_shard_outside_the_folder_is_never_fetched() {
    for shard in ["../../evil", "/etc/passwd"] {
        let hub = tiny_hub();
        hub.remove("org/tiny", "model.safetensors");
        let index = format!(r#"{{"weight_map":{{"w":"{shard}"}}}}"#);
        hub.put("org/tiny", "model.safetensors.index.json", index.as_bytes());
        hub.put("org/tiny", shard, b"evil");
        let home = Home::new(&hub.endpoint());
        assert_has(&message(home.resolve("org/tiny")), &["outside the model's folder"]);
        assert!(!hub.requests().join("\n").contains("evil"));
    }
    let hub = tiny_hub();
    hub.remove("org/tiny", "model.safetensors");
    hub.put("org/tiny", "model.safetensors.index.json", br#"{"weight_map":{"w":"lost.safetensors"}}"#);
    assert_has(&message(Home::new(&hub.endpoint()).resolve("org/tiny")), &["lost.safetensors", "does not hold"]);
}

#[test]
fn large_files_come_from_where_the_hub_points() {
    let hub = tiny_hub();
    hub.redirect("model.safetensors");
    let home = Home::new(&hub.endpoint());
    assert_eq!(first_weight(&home.resolve("org/tiny").unwrap()), 1.5);
    assert!(home.repo("org/tiny").join("blobs").join(etag(&weights(1.5))).is_file());
    assert!(hub.requests().iter().any(|r| r.starts_with("/cdn/org/tiny/resolve/")));
}

#[test]
fn weights_are_left_alone_where_they_are_not_needed() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let files = locate("org/tiny", &SourceOptions { weights: false, ..home.options() }, &()).unwrap();
    assert!(files.weights.is_none() && files.missing.is_empty() && files.config.is_some());
    assert!(!hub.requests().join("\n").contains("model.safetensors"));
}

#[test]
fn a_broken_download_goes_on_where_it_was() {
    let content = weights(1.5);
    for (partial, range) in [(&content[..30], "bytes=30-"), (&content[..], "bytes=0-"), (&[0; 500][..], "bytes=0-")] {
        let hub = tiny_hub();
        let home = Home::new(&hub.endpoint());
        let blobs = home.repo("org/tiny").join("blobs");
        // Whole already, or longer than the file: the attempt begins anew.
        write(&blobs.join(format!("{}.part", etag(&content))), partial);
        assert_eq!(first_weight(&home.resolve("org/tiny").unwrap()), 1.5);
        let asked = hub.requests();
        let last = asked.iter().rfind(|r| r.contains("model.safetensors")).unwrap();
        assert!(last.ends_with(range), "{asked:?}");
        assert_eq!(std::fs::read(blobs.join(etag(&content))).unwrap(), content);
    }
}

#[cfg(unix)]
#[test]
fn a_link_whose_blob_is_gone_is_replaced() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    home.resolve("org/tiny").unwrap();
    let blobs = home.repo("org/tiny").join("blobs");
    std::fs::remove_file(blobs.join(etag(&weights(1.5)))).unwrap();
    assert_eq!(first_weight(&home.resolve("org/tiny").unwrap()), 1.5);
}

#[test]
fn progress_is_told_in_bytes() {
    #[derive(Default)]
    struct Told(Mutex<Vec<String>>);
    impl Progress for Told {
        fn begin(&self, file: &str, bytes: u64) {
            let mut told = self.0.lock().unwrap();
            if !told.contains(&format!("{file} {bytes}")) {
                told.push(format!("{file} {bytes}"));
            }
        }
        fn at(&self, bytes: u64) {
            self.0.lock().unwrap().push(format!("at {bytes}"));
        }
        fn end(&self) {
            self.0.lock().unwrap().push("end".into());
        }
    }
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let told = Told::default();
    resolve("org/tiny", &home.options(), &told).unwrap();
    let told = told.0.into_inner().unwrap();
    let size = weights(1.5).len();
    let begin = told.iter().position(|t| *t == format!("model.safetensors {size}")).unwrap();
    assert!(told[begin..].contains(&format!("at {size}")), "{told:?}");
    assert_eq!(told.last().unwrap(), "end");
}

#[test]
fn two_processes_fetch_a_model_once() {
    struct Flag(Mutex<bool>);
    impl Progress for Flag {
        fn begin(&self, _file: &str, _bytes: u64) {}
        fn at(&self, _bytes: u64) {}
        fn end(&self) {}
        fn waiting(&self, _file: &str) {
            *self.0.lock().unwrap() = true;
        }
    }
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    // What another process does: it holds the lock, fetches, and lets go.
    let lock = home.repo("org/tiny").parent().unwrap().join(".locks/models--org--tiny/llscore.lock");
    write(&lock, "");
    let held = std::fs::File::open(&lock).unwrap();
    held.lock().unwrap();
    let flag = Flag(Mutex::new(false));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| resolve("org/tiny", &home.options(), &flag));
        while !*flag.0.lock().unwrap() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let folder = home.repo("org/tiny").join("snapshots").join(COMMIT);
        for (file, content) in
            [("config.json", &b"{}"[..]), ("tokenizer.json", b"{}"), ("tokenizer_config.json", b"{}")]
        {
            write(&folder.join(file), content);
        }
        write(&folder.join("model.safetensors"), weights(9.0));
        held.unlock().unwrap();
        assert_eq!(first_weight(&waiting.join().unwrap().unwrap()), 9.0);
    });
    assert_eq!(hub.requests().len(), 1);
}

#[test]
fn the_token_is_sent_if_there_is_one() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    home.resolve("org/tiny").unwrap();
    assert!(hub.requests().iter().all(|r| !r.contains("Bearer")));

    let home = Home::new(&hub.endpoint());
    let env = home.env_with(&[("HF_TOKEN", "hf_secret")]);
    resolve("org/tiny", &SourceOptions { env, ..home.options() }, &()).unwrap();
    assert!(hub.requests().iter().all(|r| r.ends_with("Bearer hf_secret")));
}

#[test]
fn a_hub_that_cannot_be_reached_leaves_the_cached_copy() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    home.resolve("org/tiny").unwrap();
    for status in [500, 503, 429] {
        hub.fail_listing(Some(status));
        let files = home.resolve("org/tiny").unwrap();
        assert_eq!((files.notes.len(), first_weight(&files)), (1, 1.5));
        assert_has(&files.notes[0], &["cached copy", COMMIT, &hub.endpoint()]);
    }
    let mut gone = home.options();
    gone.env.endpoint = closed_endpoint();
    let files = resolve("org/tiny", &gone, &()).unwrap();
    assert_has(&files.notes[0], &["cannot be reached", "cached copy"]);
    // A copy that lacks a file is no help.
    std::fs::remove_file(home.repo("org/tiny").join("snapshots").join(COMMIT).join("tokenizer.json")).unwrap();
    assert_has(&message(resolve("org/tiny", &gone, &())), &["cannot be reached", "no complete copy"]);
}

#[test]
fn a_hub_that_does_not_answer_is_given_up() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    hub.delay(Duration::from_secs(4));
    let env = home.env_with(&[("HF_HUB_ETAG_TIMEOUT", "1")]);
    let started = Instant::now();
    let text = message(resolve("org/tiny", &SourceOptions { env, ..home.options() }, &()));
    assert_has(&text, &["no answer within 1 s"]);
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn nothing_is_remembered_of_a_download_that_failed() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    hub.fail_files(Some(500));
    let text = message(home.resolve("org/tiny"));
    assert_has(&text, &["config.json", "500"]);
    assert!(!home.repo("org/tiny").join("refs/main").exists());
    hub.fail_files(None);
    assert_eq!(first_weight(&home.resolve("org/tiny").unwrap()), 1.5);
}

/// An address where nobody listens.
pub(super) fn closed_endpoint() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// GPT-2's older form of a tokenizer is fetched where there is no tokenizer.json, and only there.
#[test]
fn a_tokenizer_in_parts_is_fetched() {
    let parts = ["vocab.json", "merges.txt", "added_tokens.json"];
    let hub = tiny_hub();
    for file in parts {
        hub.put("org/tiny", file, b"{}");
        hub.put("org/parts", file, b"{}");
    }
    hub.put("org/parts", "config.json", b"{}");
    hub.put("org/parts", "model.safetensors", &weights(2.5));
    let home = Home::new(&hub.endpoint());
    home.resolve("org/tiny").unwrap();
    let asked = hub.requests().join("\n");
    assert!(parts.iter().all(|file| !asked.contains(file)), "{asked}");

    let files = home.resolve("org/parts").unwrap();
    assert!(parts.iter().all(|file| files.root.join(file).is_file()));
    assert_eq!(files.tokenizer, Some(files.root.join("vocab.json")));
    hub.requests();
    assert_eq!(home.offline("org/parts").unwrap().tokenizer, files.tokenizer);
    assert!(hub.requests().is_empty());
    std::fs::remove_file(files.root.join("merges.txt")).unwrap();
    assert_has(&message(home.offline("org/parts")), &["tokenizer.json", "offline"]);
}
