//! The command: what it prints where, its files, and its exit codes.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::{RULE, classes, folio, lines};

fn llscore(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_llscore")).current_dir(folder).arg("audit").args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("set.jsonl"), text).unwrap();
    folder
}

#[test]
fn findings_are_no_failure() {
    let folder = folder(&classes());
    let output = llscore(folder.path(), &["folio", "set.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    for line in [
        "Of 5 labels that can be judged 2 agree, 3 do not.",
        "Items by their premises: 4 consistent, 2 inconsistent, 1 unparseable.",
        "6 of 7 items parse; 15 of 16 premises and 6 of 6 conclusions; 1 of 7 distinct formulas do not.",
    ] {
        assert!(told.contains(line), "{told}");
    }
    assert!(output.stderr.is_empty());
}

#[test]
fn long_lists_are_cut_on_the_terminal_only() {
    let wrong: Vec<Value> =
        (0..20).map(|i| folio(&[RULE, &format!("Cat(c{i})")], Some(&format!("Purrs(c{i})")), "False")).collect();
    let folder = folder(&lines(&wrong));
    let told = text(&llscore(folder.path(), &["folio", "set.jsonl", "--report", "audit.md"]).stdout);
    assert!(told.contains("… and 8 more; --json lists all"), "{told}");
    assert!(told.contains("set-000011") && !told.contains("set-000012"), "{told}");
    let report = std::fs::read_to_string(folder.path().join("audit.md")).unwrap();
    assert!(report.starts_with("# Audit: folio\n"), "{report}");
    assert!((0..20).all(|i| report.contains(&format!("| set-{i:06} | {i} | False | entailed |"))), "{report}");
    // With `-` the report is what is printed.
    let output = llscore(folder.path(), &["folio", "set.jsonl", "--report", "-"]);
    assert_eq!(text(&output.stdout), report);
}

#[test]
fn json_holds_every_figure_and_every_record() {
    let folder = folder(&classes());
    let output = llscore(folder.path(), &["folio", "set.jsonl", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["schema"], "llscore.audit/1");
    assert_eq!(found["files"][0]["records"], 7);
    let settings = &found["settings"];
    assert_eq!((settings["syntax"].as_str(), settings["unique_names"].as_bool()), (Some("auto"), Some(false)));
    let rows = found["rows"].as_array().unwrap();
    let counted = |verdict: &str| rows.iter().filter(|row| row["verdict"] == verdict).count() as u64;
    let table = &found["summary"]["wordings"][0]["labels"]["table"];
    for verdict in ["entailed", "contradicted", "unknown", "inconsistent", "unparseable"] {
        let sum: u64 = table.as_object().unwrap().values().filter_map(|row| row[verdict].as_u64()).sum();
        assert_eq!(sum, counted(verdict), "{verdict}");
    }
    let broken = &rows[5];
    let defect = &broken["defects"][0];
    let place = ["where", "index", "column", "kind"].map(|field| defect[field].to_string());
    assert_eq!(place, ["\"premise\"", "1", "4", "\"unbalanced\""]);
    assert_eq!((broken["row"].as_u64(), broken["file"].as_str()), (Some(5), Some("set.jsonl")));
    assert!(broken["agrees"].is_null() && broken["parses"] == false && broken.get("evidence").is_none());
    let again = llscore(folder.path(), &["folio", "set.jsonl", "--json", "--threads", "1"]);
    assert_eq!(again.stdout, output.stdout, "the number of threads changes nothing");
    let evidence = llscore(folder.path(), &["folio", "set.jsonl", "--json", "--evidence"]);
    let evidence: Value = serde_json::from_slice(&evidence.stdout).unwrap();
    assert!(evidence["rows"][0]["evidence"]["shown"]["refutation"]["instances"].is_array());
}

#[test]
fn where_nothing_can_be_audited_the_exit_code_is_2() {
    let folder = folder(&classes());
    std::fs::write(folder.path().join("empty.jsonl"), "\n").unwrap();
    std::fs::write(folder.path().join("plain.csv"), "context,A,B,label\nx,a,b,1\n").unwrap();
    for (args, word) in [
        (vec!["csv", "plain.csv"], "no item carries formulas"),
        (vec!["nosuch", "set.jsonl"], "known: `folio`"),
        (vec!["folio", "missing.jsonl"], "missing.jsonl"),
        (vec!["folio", "empty.jsonl"], "holds no records"),
        (vec!["folio", "plain.csv"], "could be read as `folio`"),
        (vec!["folio"], "FILE"),
        (vec!["folio", "set.jsonl", "--timeout", "0"], "--timeout"),
        (vec!["folio", "set.jsonl", "--evidence"], "--json"),
        (vec!["folio", "set.jsonl", "--report", "nowhere/audit.md"], "nowhere"),
        (vec!["folio", "set.jsonl", "--report", "./set.jsonl"], "would be overwritten"),
    ] {
        let output = llscore(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(word), "{args:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("set.jsonl")).unwrap(), classes());
}
