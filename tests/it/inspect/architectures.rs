//! `llscore inspect --architectures`: the list of what can be run.

use serde_json::Value;

use super::run;
use crate::support::Work;
use llscore::model::arch::{FAMILIES, REFUSED};

#[test]
fn every_family_is_listed_in_every_format_with_words_of_its_own() {
    let work = Work::new();
    let ran = |format: &[&str]| run(&work, &[&["--architectures"], format].concat()).code(0).out;
    let (table, markdown, csv) = (ran(&[]), ran(&["--format", "markdown"]), ran(&["--format", "csv"]));
    let json: Value = serde_json::from_str(&ran(&["--json"])).expect("JSON");
    let listed = json["architectures"].as_array().expect("a list");
    assert_eq!(listed.len(), FAMILIES.len());
    assert_eq!(markdown.lines().count(), 2 + FAMILIES.len());
    assert_eq!(csv.lines().count(), 1 + FAMILIES.len());
    assert!(listed.is_sorted_by_key(|entry| entry["model_type"].as_str()));
    for family in FAMILIES {
        let name = family.model_type;
        let entry = listed.iter().find(|entry| entry["model_type"] == name).expect("is listed");
        assert!(!family.models.is_empty() && !family.notes.is_empty() && !family.models.contains('|'), "{name}");
        assert_eq!([&entry["model_type"], &entry["models"]], [name, family.models]);
        assert_eq!(entry["gguf"], serde_json::json!(family.gguf()));
        assert!(markdown.contains(&format!("| `{name}` | {} |", family.models)), "{name}");
        assert!(table.lines().any(|line| line.trim_start().starts_with(name)), "{name}");
        assert!(csv.lines().any(|line| line.starts_with(&format!("{name},"))), "{name}");
    }
}

#[test]
fn what_is_refused_by_name_is_listed_and_not_computed() {
    let work = Work::new();
    let table = run(&work, &["--architectures"]).out;
    for (name, why) in REFUSED {
        assert!(FAMILIES.iter().all(|f| f.model_type != *name), "{name} is computed");
        assert!(table.contains(name) && table.contains(why), "{name}");
        work.write("a.json", format!(r#"{{"model_type": "{name}"}}"#));
        let ran = run(&work, &["a.json"]).code(2);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
}

/// The README's table is this command's.
#[test]
fn the_readme_has_the_list() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README");
    let list = run(&Work::new(), &["--architectures", "--format", "markdown"]).code(0).out;
    assert!(
        readme.contains(&list),
        "README.md lacks what `llscore inspect --architectures --format markdown` prints; put it under Models"
    );
}
