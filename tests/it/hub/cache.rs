//! Hand-made caches and no network: refs lead to snapshots, snapshots to blobs, and no request is made.

use llscore::model::source::{SourceOptions, locate, resolve};

use super::{COMMIT, Home, assert_has, first_weight, message, tiny_hub, weights, write};

/// Lays out a commit by hand: blobs, links to them (plain files where there are no links), and the reference `main`.
fn lay_out(home: &Home, id: &str, files: &[(&str, &[u8])]) {
    let repo = home.repo(id);
    for (at, (name, content)) in files.iter().enumerate() {
        let pointer = repo.join("snapshots").join(COMMIT).join(name);
        #[cfg(unix)]
        {
            write(&repo.join(format!("blobs/{at}")), content);
            std::fs::create_dir_all(pointer.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(format!("../../blobs/{at}"), &pointer).unwrap();
        }
        #[cfg(not(unix))]
        {
            let _ = at;
            write(&pointer, content);
        }
    }
    write(&repo.join("refs/main"), COMMIT);
}

fn complete(home: &Home, id: &str) {
    lay_out(home, id, &[("config.json", b"{}"), ("tokenizer.json", b"{}"), ("model.safetensors", &weights(4.0))]);
}

#[test]
fn offline_reads_the_cache_and_asks_nothing() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    complete(&home, "org/tiny");
    let files = home.offline("org/tiny").unwrap();
    assert_eq!((files.revision.as_deref(), first_weight(&files)), (Some(COMMIT), 4.0));
    for variable in ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"] {
        let env = home.env_with(&[(variable, "1")]);
        let files = resolve("org/tiny", &SourceOptions { env, ..home.options() }, &()).unwrap();
        assert_eq!(first_weight(&files), 4.0);
    }
    let pinned = SourceOptions { revision: Some(COMMIT.into()), offline: true, ..home.options() };
    assert_eq!(first_weight(&resolve("org/tiny", &pinned, &()).unwrap()), 4.0);
    assert!(hub.requests().is_empty());
}

#[test]
fn a_pinned_commit_that_is_complete_needs_no_network() {
    let home = Home::new(&super::network::closed_endpoint());
    complete(&home, "org/tiny");
    let files = home.at("org/tiny", COMMIT).unwrap();
    assert_eq!((files.notes.len(), first_weight(&files)), (0, 4.0));
}

#[test]
fn branches_with_slashes_are_references_too() {
    let home = Home::new(&super::network::closed_endpoint());
    complete(&home, "org/tiny");
    write(&home.repo("org/tiny").join("refs/refs/pr/7"), format!("{COMMIT}\n"));
    let options = SourceOptions { revision: Some("refs/pr/7".into()), offline: true, ..home.options() };
    assert_eq!(first_weight(&resolve("org/tiny", &options, &()).unwrap()), 4.0);
}

#[test]
fn offline_with_nothing_cached_names_where_it_looked() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let folder = home.repo("org/tiny");
    let text = message(home.offline("org/tiny"));
    assert_has(&text, &["org/tiny", "--offline", "`main`", folder.to_str().unwrap()]);
    complete(&home, "org/tiny");
    let options = SourceOptions { revision: Some("v3".into()), offline: true, ..home.options() };
    assert_has(&message(resolve("org/tiny", &options, &())), &["`v3`"]);
    let env = home.env_with(&[("HF_HUB_OFFLINE", "yes")]);
    let options = SourceOptions { env, ..home.options() };
    assert_has(&message(resolve("org/none", &options, &())), &["HF_HUB_OFFLINE"]);
    assert!(hub.requests().is_empty());
}

#[test]
fn offline_with_a_part_cached_names_what_lacks() {
    let home = Home::new("http://127.0.0.1:1");
    lay_out(&home, "org/tiny", &[("config.json", b"{}"), ("model.safetensors", &weights(4.0))]);
    assert_has(&message(home.offline("org/tiny")), &["tokenizer.json", "--offline", "--tokenizer", COMMIT]);
    let given = home.folder.path().join("own.json");
    std::fs::write(&given, "{}").unwrap();
    let options = SourceOptions { tokenizer: Some(given), offline: true, ..home.options() };
    assert_eq!(first_weight(&resolve("org/tiny", &options, &()).unwrap()), 4.0);

    let home = Home::new("http://127.0.0.1:1");
    let index = br#"{"weight_map":{"w":"a.safetensors","v":"b.safetensors"}}"#;
    let files: [(&str, &[u8]); 4] = [
        ("config.json", b"{}"),
        ("tokenizer.json", b"{}"),
        ("model.safetensors.index.json", index),
        ("a.safetensors", &weights(4.0)),
    ];
    lay_out(&home, "org/tiny", &files);
    assert_has(&message(home.offline("org/tiny")), &["b.safetensors"]);
    let files = locate("org/tiny", &SourceOptions { offline: true, ..home.options() }, &()).unwrap();
    assert_eq!(files.missing.len(), 1);
    assert_has(&files.missing[0].message, &["b.safetensors"]);
}

#[test]
fn a_local_folder_wins_over_the_hub() {
    let hub = tiny_hub();
    let home = Home::new(&hub.endpoint());
    let folder = home.folder.path().join("org/tiny");
    for (name, content) in
        [("config.json", &b"{}"[..]), ("tokenizer.json", b"{}"), ("model.safetensors", &weights(8.0))]
    {
        write(&folder.join(name), content);
    }
    let files = home.resolve(folder.to_str().unwrap()).unwrap();
    assert_eq!((files.revision.as_deref(), first_weight(&files)), (None, 8.0));
    let files = home.resolve("~/org/tiny").unwrap();
    assert_eq!(first_weight(&files), 8.0);
    assert!(hub.requests().is_empty());
}
