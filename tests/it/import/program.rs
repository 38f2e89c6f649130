//! The command: what it prints where, its files, and its exit codes.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::formats::folio;

fn llscore(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_llscore"));
    command.current_dir(folder).arg("import").args(args);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses its arguments reads no input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut short = folio("True");
    short["conclusion"] = json!("Tom is a cat.");
    short["premises-FOL"] = json!(["Cat(tom)"]);
    let lines = format!("{}\n{short}\nnonsense\n", folio("True"));
    std::fs::write(folder.path().join("set.jsonl"), lines).unwrap();
    folder
}

#[test]
fn items_go_to_standard_output_and_defects_with_counts_to_standard_error() {
    let folder = folder();
    let output = llscore(folder.path(), &["folio", "set.jsonl"], "");
    assert_eq!(output.status.code(), Some(0));
    let items: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(items.iter().map(|item| item["id"].as_str().unwrap()).collect::<Vec<_>>(), ["set-000000", "set-000001"]);
    let told = text(&output.stderr);
    let expected = [
        "set.jsonl:2: row 1, field `premises-FOL`: premise-count: 1 formulas for 2 premises",
        "set.jsonl:3: row 2, column 2: broken-json: expected ident (dropped)",
    ];
    for line in expected {
        assert!(told.lines().any(|l| l == line), "{told}");
    }
    assert!(told.contains("set.jsonl        3      2        1        2"), "{told}");
}

#[test]
fn files_for_items_and_defects() {
    let folder = folder();
    let args = ["folio", "set.jsonl", "--output", "items.jsonl", "--defects", "defects.jsonl", "--task", "mine"];
    let output = llscore(folder.path(), &args, "");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let items = llscore::item::read_items(&folder.path().join("items.jsonl")).unwrap();
    assert!(items.len() == 2 && items.iter().all(|item| item.task == "mine"));
    let defects = std::fs::read_to_string(folder.path().join("defects.jsonl")).unwrap();
    let defects: Vec<Value> = defects.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let broken = json!({"file": "set.jsonl", "row": 2, "line": 3, "field": null, "column": 2, "kind": "broken-json",
        "message": "expected ident", "dropped": true});
    assert_eq!(defects[1], broken);
    assert_eq!(defects.len(), 2);
    assert!(!text(&output.stderr).contains("set.jsonl:3"));
    // Nothing is left beside them.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn standard_input_is_a_file() {
    let folder = folder();
    let output = llscore(folder.path(), &["csv", "-"], "context,A,B,label\nx,a,b,1\n");
    assert_eq!(output.status.code(), Some(0));
    let item: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((item["id"].as_str(), item["label"].as_u64()), (Some("stdin-000000"), Some(1)));
    assert_eq!(llscore(folder.path(), &["csv", "-", "-"], "").status.code(), Some(2));
}

#[test]
fn what_is_read_is_never_overwritten() {
    let folder = folder();
    let before = std::fs::read(folder.path().join("set.jsonl")).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::os::unix::fs::symlink("set.jsonl", folder.path().join("link.jsonl")).unwrap();
    for (input, flag, path) in [
        ("set.jsonl", "--output", "set.jsonl"),
        ("set.jsonl", "--output", "sub/../set.jsonl"),
        ("set.jsonl", "--defects", "set.jsonl"),
        ("link.jsonl", "--output", "set.jsonl"),
        ("set.jsonl", "--output", "link.jsonl"),
    ] {
        let output = llscore(folder.path(), &["folio", input, flag, path], "");
        assert_eq!(output.status.code(), Some(2), "{input} {flag} {path}");
        let said = text(&output.stderr);
        assert!(said.contains("would be overwritten") && said.contains(flag), "{said}");
        assert_eq!(std::fs::read(folder.path().join("set.jsonl")).unwrap(), before, "{input} {flag} {path}");
    }
}

#[test]
fn what_cannot_be_read_is_exit_code_2_and_writes_nothing() {
    let folder = folder();
    std::fs::write(folder.path().join("empty.jsonl"), "\n").unwrap();
    for (args, word) in [
        (vec!["nosuch", "set.jsonl"], "known: `folio`"),
        (vec!["folio", "set.jsonl", "missing.jsonl"], "missing.jsonl"),
        (vec!["folio", "."], "directory"),
        (vec!["folio", "empty.jsonl"], "holds no records"),
        (vec!["hellaswag", "set.jsonl"], "none of 3 records"),
        (vec!["folio"], "FILE"),
        (vec!["folio", "set.jsonl", "--defects", "out.jsonl"], "same place"),
    ] {
        let output = llscore(folder.path(), &[&args[..], &["--output", "out.jsonl"]].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(word), "{args:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty() && !folder.path().join("out.jsonl").exists(), "{args:?}");
    }
    let output = llscore(folder.path(), &["folio", "set.jsonl", "--output", "nowhere/out.jsonl"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_list_names_every_format_and_kind() {
    let output = llscore(Path::new("."), &["--list"], "");
    let listed = text(&output.stdout);
    for format in llscore::import::FORMATS {
        assert!(listed.contains(&format!("\n  {} ", format.name())), "{}", format.name());
    }
    assert!(llscore::import::KINDS.iter().all(|(kind, _)| listed.contains(kind)));
}
