//! The law of importing, on files that are damaged at random: every record gives an item or is dropped with a defect, and an
//! item's source is its record.

use std::collections::BTreeSet;

use llscore::import::{FORMATS, Import};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::formats::{folio, log};
use super::{meta, read_files};

/// Three good records of each format that has a record a line.
fn lines(format: &str) -> Vec<Value> {
    let of = |i: usize| match format {
        "folio" => {
            let mut record = folio(["True", "False", "Unknown"][i]);
            record["conclusion"] = json!(format!("Statement {i}."));
            record
        }
        "proverqa" => json!({"id": i, "options": ["A) True", "B) False"], "answer": "A", "question": format!("Q{i}"),
            "context": "Tom is a cat.", "nl2fol": {"Tom is a cat.": "cat(Tom)"}, "conclusion_fol": "cat(Tom)"}),
        "prontoqa" => json!({"id": i, "context": "Tom is a wug.", "question": format!("{i}? Tom is a wug."),
            "options": ["A) True", "B) False"], "answer": "A", "explanation": ["Tom is a wug."]}),
        "clutrr" => json!({"story": format!("Story {i}"), "query": "('A', 'B')", "target": "3", "target_text": "son",
            "task_name": "task_1.2"}),
        "logiqa" => json!({"id": i, "text": "t", "question": format!("Q{i}"), "options": ["a", "b"], "answer": 1}),
        "hellaswag" => json!({"ctx": format!("c{i}"), "endings": ["a", "b"], "label": "1"}),
        _ => {
            let mut line = log(&[" a", " b"], "1");
            line["doc_id"] = json!(i);
            line["arguments"]["gen_args_0"]["arg_0"] = json!(format!("c{i}"));
            line["arguments"]["gen_args_1"]["arg_0"] = json!(format!("c{i}"));
            line
        }
    };
    (0..3).map(of).collect()
}

const LINES: [&str; 7] = ["folio", "proverqa", "prontoqa", "clutrr", "logiqa", "hellaswag", "lm-eval"];
const TABLES: [(&str, &str); 4] = [
    ("csv", "context,A,B,label\nx,a,b,0\ny,a,\"b, c\",B\n\"z\nz\",a,b,1\n"),
    ("logiqate", "number_series,answer,obfuscation\n\"1, 2, ?\",3,\"Mercury, 2, ?\"\n\"2, 4, ?\",6,\"Venus, 4, ?\"\n"),
    ("logiqate", "BASE,OBFUS,ACTUAL ANSWER\nA?,\"B\nC?\",East\nD?,E?,\"5 m, West\"\n"),
    ("logiqate", "Answer,BaseQuestion,ObfuscatedQuest_l1,ObfuscatedQuest_l2\nAunt,A,B,C\nUncle,D,E,F\n"),
];

/// Rows of items, and rows that were dropped with a defect.
fn rows(found: &Import) -> (BTreeSet<u64>, BTreeSet<u64>) {
    let kept = found.items.iter().map(|item| meta(item, "row").as_u64().unwrap()).collect();
    let dropped = found.defects.iter().filter(|d| d.dropped).map(|d| d.row.unwrap() as u64).collect();
    (kept, dropped)
}

/// Every row is kept or dropped, and none is both.
fn holds(found: &Import, records: usize) -> Result<(), TestCaseError> {
    let (kept, dropped) = rows(found);
    prop_assert!(kept.is_disjoint(&dropped));
    let all: BTreeSet<u64> = kept.union(&dropped).copied().collect();
    prop_assert_eq!(all, (0..records as u64).collect::<BTreeSet<u64>>());
    prop_assert_eq!((found.files[0].records, found.files[0].dropped), (records, dropped.len()));
    Ok(())
}

#[test]
fn good_records_come_through_whole() {
    for format in LINES {
        let records = lines(format);
        let text = records.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let found = read_files(format, &[("f.jsonl", text.as_bytes())]);
        let sources: Vec<&Value> = found.items.iter().map(|item| meta(item, "source")).collect();
        assert_eq!(sources, records.iter().collect::<Vec<_>>(), "{format}");
        assert_eq!(found.defects, [], "{format}");
        // The same records as a list in one file.
        let listed = read_files(format, &[("f.jsonl", Value::from(records).to_string().as_bytes())]);
        assert_eq!(listed.items, found.items, "{format}");
    }
}

#[test]
fn every_format_is_named_once_and_reads_nothing_from_nothing() {
    let names: BTreeSet<&str> = FORMATS.iter().map(|format| format.name()).collect();
    assert_eq!(names.len(), FORMATS.len());
    for format in FORMATS {
        for text in ["", " \n\n", "\u{feff}"] {
            let found = read_files(format.name(), &[("f", text.as_bytes())]);
            assert_eq!((found.items.len(), found.files[0].records), (0, 0), "{}", format.name());
        }
        for text in [
            "[",
            "{",
            "{}",
            "[]",
            "null",
            "\"x",
            "[{}, 3, null]",
            "\u{fffb}[",
            "\u{feff}\u{feff}[",
            "\u{c}[]",
            "\u{0}",
            "a,b\nc",
            "{\"0\": {}}",
        ] {
            let found = read_files(format.name(), &[("f", text.as_bytes())]);
            assert_eq!(found.items.len(), 0, "{} {text}", format.name());
            assert_eq!(found.files[0].records, found.files[0].dropped);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Values put in the place of any field leave an item or a defect.
    #[test]
    fn damaged_fields_are_never_dropped_in_silence(
        which in 0..LINES.len(),
        record in 0..3usize,
        field in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![
            json!(null), json!(""), json!(" "), json!(7), json!(-1), json!(1.5), json!([]), json!({}), json!(["a", 1]),
            json!("x"), json!([[]]), json!(true), json!("['a'"), json!(["", ""]),
        ]),
        remove in any::<bool>(),
    ) {
        let mut records = lines(LINES[which]);
        let object = records[record].as_object_mut().unwrap();
        let key = object.keys().nth(field.index(object.len())).unwrap().clone();
        if remove { object.remove(&key); } else { object[&key] = value; }
        let text = records.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let found = read_files(LINES[which], &[("f.jsonl", text.as_bytes())]);
        holds(&found, 3)?;
        for item in &found.items {
            prop_assert_eq!(meta(item, "source"), &records[meta(item, "row").as_u64().unwrap() as usize]);
        }
    }

    /// Bytes put into a line cost that line at most.
    #[test]
    fn damaged_lines_cost_themselves_only(
        which in 0..LINES.len(),
        record in 0..3usize,
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>().prop_filter("a line", |b| *b != b'\n'), 1..4),
    ) {
        let mut records: Vec<Vec<u8>> = lines(LINES[which]).iter().map(|v| v.to_string().into_bytes()).collect();
        let line = &mut records[record];
        let at = 1 + at.index(line.len() - 1);
        line.splice(at..at, bytes);
        let found = read_files(LINES[which], &[("f.jsonl", &records.join(&b'\n'))]);
        holds(&found, 3)?;
    }

    /// No text makes a format fail, or give what it does not tell of.
    #[test]
    fn any_text_is_read_or_told_of(
        which in 0..FORMATS.len(),
        parts in prop::collection::vec(prop::sample::select(vec![
            "[", "]", "{", "}", "{\"", "\":", ",", "\"", "\u{feff}", "\u{fffb}", "\n", ":", "1e999", "a", "\\", "é", "'", "null",
            "\"samples\"", "\"facts\"", "\"0\"", "\u{a0}", "\u{c}", "\0", " ", "\r",
        ]), 0..24),
    ) {
        let found = read_files(FORMATS[which].name(), &[("f", parts.concat().as_bytes())]);
        prop_assert!(found.items.is_empty() || found.files[0].records > 0);
        prop_assert_eq!(found.files[0].records == 0, found.defects.iter().all(|d| d.row.is_none()) && found.items.is_empty());
    }

    /// Whatever a file holds, its records are kept or dropped.
    #[test]
    fn damaged_tables_lose_no_row(
        which in 0..TABLES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b"\",\n\r'?[]x0\xFF ".to_vec())), 1..5),
    ) {
        let (format, text) = TABLES[which];
        let header = text.find('\n').unwrap() + 1;
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = header + at.index(bytes.len() - header);
            bytes.insert(at, byte);
        }
        let found = read_files(format, &[("f.csv", &bytes)]);
        holds(&found, found.files[0].records)?;
        // Every byte that is not a separator is in some row: none vanishes between them.
        prop_assert!(found.files[0].records > 0);
    }
}
