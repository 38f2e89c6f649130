//! Folders that cannot be used, found before anything is scored; and a disk that fills in mid-run.

use std::fs;
use std::path::Path;
use std::process::Command;

use llscore::results::{Sample, Store};
use llscore::{Error, Result};

use super::{item, manifest, results, scored};

fn ids(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("own-{i:04}")).collect()
}

fn good(position: usize) -> Sample {
    scored(&item(&format!("own-{position:04}"), "own", "base", 1), &[-1.0 / 3.0, -2.0])
}

fn open(dir: &Path, n: usize) -> Result<Store> {
    Store::open(dir, manifest(), ids(n), false)
}

/// The message of a refusal that scores nothing.
#[track_caller]
fn refused(result: Result<Store>) -> String {
    let error = result.expect_err("the folder is refused");
    assert!(matches!(error, Error::Output { .. }), "{error:?}");
    assert_eq!(error.exit_code(), 2);
    let text = error.to_string();
    assert!(!text.contains('\n') && text.contains("--output"), "{text}");
    text
}

#[test]
fn a_second_writer_is_refused_while_the_first_is_at_work() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path(), 3).unwrap();
    assert!(refused(open(dir.path(), 3)).contains("another run is writing to this folder"));
    let overwrite = Store::open(dir.path(), manifest(), ids(3), true);
    assert!(refused(overwrite).contains("another run"), "--overwrite does not pull a folder from under a run");
    drop(first);
    open(dir.path(), 3).unwrap();
}

#[test]
fn a_file_in_the_way_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("results");
    fs::write(&file, "mine").unwrap();
    assert!(refused(open(&file, 1)).contains("is a file, not a folder"));
    assert!(refused(open(&file.join("run"), 1)).contains("cannot be created"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");

    for name in ["manifest.json", "samples.jsonl", ".lock"] {
        let run = dir.path().join(format!("run-{name}"));
        fs::create_dir_all(run.join(name)).unwrap();
        refused(open(&run, 1));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_place_is_told() {
    // Nobody, not even root, can make a folder there.
    assert!(refused(open(Path::new("/proc/self/llscore-run"), 1)).contains("cannot be created"));
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // Root is above permissions: then there is nothing to see here, and the test above covers the message.
    if fs::write(dir.path().join("probe"), "").is_err() {
        assert!(refused(open(dir.path(), 1)).contains("cannot be written"));
    }
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_no_run_of_ours_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let manifest_file = dir.path().join("manifest.json");
    fs::write(&manifest_file, r#"{"name":"a web page"}"#).unwrap();
    assert!(refused(open(dir.path(), 1)).contains("was not written by this version"));
    fs::remove_file(&manifest_file).unwrap();
    fs::write(dir.path().join("samples.jsonl"), "{}\n").unwrap();
    assert!(refused(open(dir.path(), 1)).contains("no manifest.json beside it"));
    assert_eq!(fs::read_to_string(dir.path().join("samples.jsonl")).unwrap(), "{}\n");
}

#[test]
fn lines_of_other_items_are_told_with_their_number() {
    let write = |lines: &[String]| {
        let dir = tempfile::tempdir().unwrap();
        drop(open(dir.path(), 3).unwrap());
        fs::write(dir.path().join("samples.jsonl"), lines.concat()).unwrap();
        let text = refused(open(dir.path(), 3));
        assert_eq!(fs::read_to_string(dir.path().join("samples.jsonl")).unwrap(), lines.concat(), "nothing is cut");
        text
    };
    let line = |i| String::from_utf8(good(i).to_line().unwrap()).unwrap();
    assert!(
        write(&[line(0), line(2)]).contains("line 2 does not belong to this run: item `own-0002` where `own-0001`")
    );
    assert!(write(&[line(0), "{\"id\":\n".into(), line(2)]).contains("line 2"));
    assert!(
        write(&[line(0), line(1), line(2), line(3)]).contains("line 4 does not belong to this run: item `own-0003`")
    );
}

const FULL_DISK: &str = "LLSCORE_TEST_FULL_DISK";
const ITEMS: usize = 200;

/// A limit on the size of files stands for a full disk: a write comes back short, the next one fails. The limit is set by
/// a shell, which runs this same test again as its child.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_in_mid_run_loses_no_whole_line() {
    if let Some(dir) = std::env::var_os(FULL_DISK) {
        return fill(Path::new(&dir));
    }
    let dir = tempfile::tempdir().unwrap();
    let test = std::env::current_exe().unwrap();
    let name = "results::refusals::a_disk_that_fills_in_mid_run_loses_no_whole_line";
    let output = Command::new("sh")
        .args(["-c", r#"trap "" XFSZ; ulimit -f 16; exec "$0" "$1" --exact --nocapture"#])
        .arg(test)
        .arg(name)
        .env(FULL_DISK, dir.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "the child ran this test");

    let left = fs::read(dir.path().join("samples.jsonl")).unwrap();
    let whole: Vec<u8> = (0..ITEMS).flat_map(|i| good(i).to_line().unwrap()).collect();
    assert!(left.ends_with(b"\n") && left.len() < whole.len() && whole.starts_with(&left), "{}", left.len());
    let mut store = open(dir.path(), ITEMS).unwrap();
    for position in store.todo() {
        store.append(position, &good(position)).unwrap();
    }
    store.finish(&results(&store.samples().unwrap())).unwrap();
    assert_eq!(fs::read(dir.path().join("samples.jsonl")).unwrap(), whole);
}

#[cfg(unix)]
fn fill(dir: &Path) {
    let mut store = open(dir, ITEMS).unwrap();
    let error = (0..ITEMS).find_map(|i| store.append(i, &good(i)).err()).expect("the disk fills");
    assert!(matches!(error, Error::Write { .. }) && error.exit_code() == 1, "{error}");
    assert!(error.to_string().contains("samples.jsonl: write failed"), "{error}");
    let next = store.todo()[0];
    let left = fs::read(dir.join("samples.jsonl")).unwrap();
    assert!(store.append(next, &good(next)).is_err());
    assert_eq!(fs::read(dir.join("samples.jsonl")).unwrap(), left, "nothing more is tried");
}

#[test]
fn the_default_folder_is_named_after_model_digest_and_shard() {
    let mut m = manifest();
    m.scores.model = "../org name/model.gguf".into();
    let digest = m.digest().unwrap();
    assert_eq!(m.default_folder().unwrap(), Path::new("runs/org_name__model.gguf").join(&digest[..8]));
    m.environment.shard = Some("2/16".into());
    assert!(m.default_folder().unwrap().ends_with(format!("{}-2of16", &digest[..8])));
    m.scores.truncate = "left".into();
    assert_ne!(m.digest().unwrap(), digest);
}

#[test]
fn the_digest_is_that_of_the_settings_with_sorted_keys() {
    let canonical = format!(
        concat!(
            r#"{{"architecture":"llama","bos":"auto","bos_ids":[1],"chat_template":null,"data":[{{"blake3":"{ef}","#,
            r#""items":8}}],"decoder":"{de}","delimiter":" ","device":"cpu","dtype":"f32","empty_context":1,"log_tokens":false,"max_length":512,"#,
            r#""model":"models/tiny-logic","parse_special":false,"pmi":false,"revision":null,"#,
            r#""select":{{"limit":null,"task":[],"variant":[]}},"shots":null,"template":"plain","tokenizer":"{cd}","#,
            r#""truncate":"error","version":"0.1.0","weights":"{ab}"}}"#
        ),
        ab = "ab".repeat(32),
        cd = "cd".repeat(32),
        de = "de".repeat(32),
        ef = "ef".repeat(32)
    );
    let expected = blake3::hash(canonical.as_bytes()).to_hex().to_string();
    assert_eq!(manifest().digest().unwrap(), expected);
}
