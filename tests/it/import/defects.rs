//! Each kind of defect, with its place.

use serde_json::json;

use super::formats::{folio, log, yes_no};
use super::{only, places, read, read_files};

/// Kinds of the defects of an import, in order.
fn kinds(format: &str, text: &str) -> Vec<&'static str> {
    read(format, text).defects.iter().map(|defect| defect.kind).collect()
}

#[test]
fn broken_lines_cost_their_own_record_only() {
    let text = format!("{}\n\n{{\"premises\": [}}\n[1]\n{}", folio("True"), folio("False"));
    let found = read("folio", text);
    assert_eq!(found.items.len(), 2);
    let defect = &found.defects[0];
    assert_eq!((defect.kind, defect.row, defect.line, defect.column), ("broken-json", Some(1), Some(3), Some(15)));
    assert!(defect.dropped && defect.file == "set.jsonl");
    assert_eq!((found.defects[1].kind, found.defects[1].row, found.defects[1].line), ("wrong-type", Some(2), Some(4)));
    assert_eq!((found.defects[2].kind, found.defects[2].row), ("conflicting-label", Some(3)));
}

#[test]
fn columns_count_characters_not_bytes() {
    let found = read("folio", "{\"é∀😀\": x}");
    assert_eq!((only(&found).kind, only(&found).column), ("broken-json", Some(9)));
}

#[test]
fn a_list_is_read_up_to_its_fault() {
    let record = json!({"text": "t", "question": "q", "options": ["a", "b"], "answer": 0});
    let found = read("logiqa", format!("[\n {record},\n {{\"text\": nope}},\n {record}]"));
    assert_eq!((found.items.len(), found.files[0].records), (1, 2));
    let defect = only(&found);
    assert_eq!((defect.kind, defect.row, defect.line, defect.column), ("broken-json", Some(1), Some(3), Some(12)));
    assert_eq!(kinds("logiqa", &format!("[{record}")), ["broken-json"]);
    assert_eq!(kinds("logiqa", &format!("[{record} {record}]")), ["broken-json"]);
    assert_eq!(kinds("logiqa", &format!("[{record}] x")), ["broken-json"]);
    // A fault that only the record's own reading finds: a number beyond all.
    let found = read("logiqa", format!("[{record},\n {{\n\"a\": 1e999}}, {record}]"));
    assert_eq!((found.items.len(), found.files[0].dropped), (2, 1));
    assert_eq!((found.defects[0].kind, found.defects[0].line), ("broken-json", Some(3)));
    // One object over several lines is one record, whole or broken.
    let pretty = serde_json::to_string_pretty(&record).unwrap();
    assert_eq!(read("logiqa", &pretty).items.len(), 1);
    let found = read("logiqa", pretty.replacen("\"q\"", "q", 1));
    assert_eq!((only(&found).row, only(&found).line, only(&found).column), (Some(0), Some(3), Some(15)));
    assert_eq!(kinds("logiqa", &format!("[{record}, 1]")), ["wrong-type"]);
}

#[test]
fn bytes_that_are_no_utf_8_have_their_place() {
    let good = folio("True").to_string();
    let bytes = [good.as_bytes(), b"\n{\"\xC3\xA9\xFF\": 1}\n"].concat();
    let found = read_files("folio", &[("f.jsonl", &bytes)]);
    assert_eq!((only(&found).kind, only(&found).line, only(&found).column), ("not-utf-8", Some(2), Some(4)));
    let found = read_files("csv", &[("f.csv", b"context,A,B,label\nx,\xC3\xA9\xFF,b,0\ny,a,b,1\n")]);
    assert_eq!(places(&found), [("not-utf-8", Some(0), Some("A"), Some(2))]);
    assert_eq!(found.items.len(), 1);
    let found = read_files("clutrr", &[("f.json", b"[\n{\"a\xFF\"}]")]);
    assert_eq!((only(&found).kind, only(&found).line, only(&found).column), ("not-utf-8", Some(2), Some(4)));
}

#[test]
fn a_key_that_stands_twice_is_told_and_the_text_is_kept() {
    let text = r#"{"ctx": "a", "endings": ["x", "y"], "label": 0, "meta": {"k": 1, "k": 2}, "label": 1}"#;
    let found = read("hellaswag", text);
    assert_eq!(places(&found).iter().map(|p| p.2.unwrap()).collect::<Vec<_>>(), ["meta.k", "label"]);
    assert!(found.defects.iter().all(|defect| defect.kind == "duplicate-key"));
    assert_eq!((found.items[0].label, super::meta(&found.items[0], "source").as_str()), (1, Some(text)));
}

#[test]
fn numbers_beyond_64_bits_are_told_and_the_text_is_kept() {
    let text = r#"{"ctx": "a", "endings": ["x", "y"], "label": 0, "n": {"k": 123456789012345678901234}}"#;
    let found = read("hellaswag", text);
    assert_eq!((only(&found).kind, only(&found).field.as_deref()), ("inexact-number", Some("n.k")));
    assert_eq!(super::meta(&found.items[0], "source").as_str(), Some(text));
    let fits = text.replace("123456789012345678901234", "-9223372036854775808");
    assert_eq!(super::meta(super::sole(&read("hellaswag", &fits)), "source")["n"]["k"], i64::MIN);
}

#[test]
fn csv_rows_that_do_not_fit_are_placed() {
    let text = "context,A,B,label\nx,a,b\n\"x\"y,a,b,0\nz,a,b,0,c\nw,a,b,1\nv,\"a\nb,c,0\n";
    let found = read("csv", text);
    assert_eq!(found.items.len(), 1);
    let of: Vec<_> = found.defects.iter().map(|d| (d.kind, d.row.unwrap(), d.line.unwrap(), d.column)).collect();
    let quotes = "bad-quotes";
    assert_eq!(
        of,
        [("wrong-width", 0, 2, None), (quotes, 1, 3, Some(4)), ("wrong-width", 2, 4, None), (quotes, 4, 6, Some(3))]
    );
    assert!(found.defects.iter().all(|defect| defect.dropped));
    assert_eq!(kinds("csv", "context,A,A,B,label\nx,a,a2,b,0\n"), ["duplicate-column"]);
    assert_eq!(kinds("csv", "foo,label\nx,0\n"), ["missing-field", "missing-field"]);
    let found = read("csv", "context;A;B;label\nx;a;b;0\n");
    assert!(found.defects.iter().all(|d| d.kind == "missing-field" && d.message.contains("commas")));
    let found = read_files("csv", &[("f.csv", b"context,A,B,label,n\xFF\nx,a,b,0,1\n")]);
    assert_eq!((only(&found).kind, only(&found).row, found.items.len()), ("not-utf-8", None, 1));
    assert_eq!(kinds("logiqate", "foo,bar\n1,2\n"), ["unknown-header"]);
}

#[test]
fn csv_lists_and_labels_that_cannot_be_read_are_placed() {
    let found = read("csv", "context,endings,label\nx,\"['a' 'b']\",0\n");
    assert_eq!(places(&found), [("python-literal", Some(0), Some("endings"), Some(6))]);
    let label = |label: &str| kinds("csv", &format!("context,A,B,label\nx,yes,no,{label}\n"));
    assert_eq!(label("2"), ["label-out-of-range"]);
    assert_eq!(label("C"), ["label-out-of-range"]);
    assert_eq!(label("perhaps"), ["unknown-label"]);
    assert_eq!(label(""), ["hidden-label"]);
    assert_eq!(label("-1"), ["hidden-label"]);
    assert_eq!(label("Yes"), ["label-spelling"]);
    assert_eq!(kinds("csv", "context,A,B,label\nx,1,0,0\n"), ["ambiguous-label"]);
    assert_eq!(kinds("csv", "context,A,B,C,label\nx,a,,c,C\n"), ["empty-choice"]);
    assert_eq!(kinds("csv", "context,A,B,C,label\nx,a,,c,B\n"), ["empty-choice", "empty-answer"]);
    assert_eq!(kinds("csv", "context,A,B,label\nx,,,0\n"), ["empty-choice"]);
    assert_eq!(kinds("csv", "context,A,B,label\nx,a,a,0\n"), ["duplicate-choice"]);
    assert_eq!(kinds("csv", "context,A,B,label,hops\nx,a,b,0,many\n"), ["wrong-type"]);
}

#[test]
fn ids_that_stand_twice_are_told_and_made_unique() {
    let found = read("csv", "id,context,A,B,label\nq,x,a,b,0\nq,y,a,b,1\nq,z,a,b,1\n");
    assert_eq!(found.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["q", "q~2", "q~3"]);
    assert_eq!(
        found.defects.iter().map(|d| (d.kind, d.row.unwrap())).collect::<Vec<_>>(),
        [("duplicate-id", 1), ("duplicate-id", 2)]
    );
    // An id may stand in several files.
    let one = json!({"id": 1, "text": "t", "question": "q", "options": ["a", "b"], "answer": 0}).to_string();
    let two = one.replace("\"t\"", "\"u\"");
    let found = read_files("logiqa", &[("a.jsonl", one.as_bytes()), ("b.jsonl", two.as_bytes())]);
    assert_eq!(found.defects, []);
    // Files of one name get their folders before them; a file given twice is told apart too.
    let line = folio("True").to_string();
    let bytes = line.as_bytes();
    let found = read_files(
        "folio",
        &[("a/x/f.jsonl", bytes), ("b/x/f.jsonl", bytes), ("b/x/f.jsonl", bytes), ("g.jsonl", bytes)],
    );
    let ids: Vec<&str> = found.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["a/x/f-000000", "b/x/f-000000", "b/x/f-000000~2", "g-000000"]);
    assert_eq!(found.defects.len(), 3);
    assert!(found.defects.iter().all(|d| d.kind == "duplicate-item" && d.message.ends_with("row 0 of a/x/f.jsonl")));
}

#[test]
fn folio_records_with_faults() {
    let with = |field: &str, value: serde_json::Value| {
        let mut record = folio("True");
        record[field] = value;
        let found = read("folio", record.to_string());
        let places: Vec<_> = found.defects.iter().map(|d| (d.kind, d.field.clone().unwrap_or_default())).collect();
        (found.items.len(), places)
    };
    let one = |kind: &'static str, field: &str| vec![(kind, field.to_string())];
    assert_eq!(with("premises-FOL", json!(["Cat(tom)"])), (1, one("premise-count", "premises-FOL")));
    assert_eq!(with("premises-FOL", json!(["Cat(tom)", " "])), (1, one("empty", "premises-FOL[1]")));
    assert_eq!(with("conclusion-FOL", json!("")), (1, one("empty", "conclusion-FOL")));
    assert_eq!(with("premises", json!(["Tom is a cat.", " "])), (1, one("empty-text", "premises[1]")));
    assert_eq!(with("premises", json!(["Tom is a cat.", 3])), (0, one("wrong-type", "premises[1]")));
    assert_eq!(with("premises", json!(3)), (0, one("wrong-type", "premises")));
    assert_eq!(with("conclusion", json!(null)), (0, one("wrong-type", "conclusion")));
    assert_eq!(with("label", json!("Maybe")), (0, one("unknown-label", "label")));
    assert_eq!(with("label", json!("true")), (1, one("label-spelling", "label")));
    assert_eq!(with("label", json!(["True"])), (0, one("wrong-type", "label")));
    let twice = format!("{}\n{}\n{}", folio("True"), folio("True"), folio("False"));
    assert_eq!(kinds("folio", &twice), ["duplicate-item", "conflicting-label"]);
    assert_eq!(kinds("folio", "{}"), ["missing-field"; 4]);
    let mixed = format!("{}\n{}", folio("Unknown"), folio("Uncertain"));
    assert_eq!(kinds("folio", &mixed), ["label-spelling", "duplicate-item"]);
}

#[test]
fn logicbench_choices_that_are_empty_or_too_many() {
    let sample = |answer: &str| {
        json!({"type": "t", "axiom": "a", "samples": [{"id": 1, "context": "c", "question": "q", "answer": answer,
            "choices": {"choice_1": "", "choice_2": "x", "choice_3": "y", "choice_4": "z", "choice_5": "w"}}]})
        .to_string()
    };
    let found = read("logicbench", sample("choice_4"));
    let of: Vec<_> = found.defects.iter().map(|d| (d.kind, d.field.as_deref().unwrap())).collect();
    assert_eq!(of, [("unexpected-choice", "choices.choice_5"), ("empty-choice", "choices.choice_1")]);
    assert_eq!((found.items[0].endings.join(" ").as_str(), found.items[0].label), ("x y z w", 2));
    let found = read("logicbench", sample("choice_1"));
    assert_eq!(found.defects.last().unwrap().kind, "empty-answer");
    assert!(found.items.is_empty());

    let mut file = yes_no();
    file["samples"][0]["qa_pairs"][1] = json!({"question": "Is it fair?", "answer": "perhaps"});
    file["samples"][1]["id"] = json!(1);
    let found = read("logicbench", serde_json::to_string_pretty(&file).unwrap());
    assert_eq!((found.items.len(), found.files[0].dropped), (2, 1));
    let of: Vec<_> = places(&found).into_iter().map(|(kind, row, field, _)| (kind, row, field)).collect();
    let expected = [("unknown-label", Some(0), Some("qa_pairs[1].answer")), ("duplicate-id", Some(1), Some("id"))];
    assert_eq!(of, expected);
    assert_eq!(found.defects[0].line, Some(6));
    assert_eq!(kinds("logicbench", "{\"a\": 1}"), ["unknown-shape"]);
}

#[test]
fn explanations_and_reasonings_are_held_against_their_records() {
    let record = |answer: &str, lines: serde_json::Value| {
        json!({"context": "Tom is a wug. Wugs are blue.", "question": "True or false? Tom is blue.",
            "options": ["A) True", "B) False"], "answer": answer, "explanation": lines})
        .to_string()
    };
    let right = json!(["Tom is a wug.", "Wugs are blue.", "Tom is blue."]);
    assert_eq!(kinds("prontoqa", &record("A", right.clone())), Vec::<&str>::new());
    assert_eq!(kinds("prontoqa", &record("B", right)), ["explanation-mismatch"]);
    assert_eq!(kinds("prontoqa", &record("A", json!(["Tom is a wug.", "Tom is blue."]))), ["explanation-shape"]);
    let foreign = json!(["Tom is a dax.", "Wugs are blue.", "Tom is blue."]);
    assert_eq!(kinds("prontoqa", &record("A", foreign)), ["explanation-mismatch"]);

    let record = json!({"context": "Tom is a cat. Tom purrs.", "question": "Q", "options": ["A) True", "B) False"],
        "answer": "A", "nl2fol": {"Tom is a cat.": "cat(Tom)", "Ann sings.": "sings(Ann)"}, "conclusion_fol": "cat(Tom)"});
    let expected = ["formula-without-sentence", "sentence-without-formula"];
    assert_eq!(kinds("proverqa", &record.to_string()), expected);
    // A sentence that is a part of another one is not taken out of that.
    let record = json!({"context": "If Ann sings. Then Ann sings. Ann sings.", "question": "Q", "options": ["A) True", "B) False"],
        "answer": "A", "nl2fol": {"Ann sings.": "p", "If Ann sings. Then Ann sings.": "p → p"}, "conclusion_fol": "p"});
    assert_eq!(kinds("proverqa", &record.to_string()), Vec::<&str>::new());
}

#[test]
fn logiqate_wordings_that_lost_something() {
    let series = |base: &str, wording: &str| -> Vec<&'static str> {
        let text = format!("number_series,answer,obfuscation\n\"{base}\",7,\"{wording}\"\n");
        kinds("logiqate", &text).into_iter().filter(|kind| *kind != "no-choices").collect()
    };
    assert_eq!(series("1, 3, ?", "Mercury, 3, ?"), Vec::<&str>::new());
    assert_eq!(series("1, 3, ?", "Mercury, 3"), ["missing-mark"]);
    assert_eq!(series("1, 3, ...", "1, 3, ..."), ["not-obfuscated"]);
    assert_eq!(series("1.5, 3, ?", "Mercury Jupiter, 3, ?"), ["lost-decimal-point"]);
    assert_eq!(series("1, 3, 5, ?", "Mercury, 5, ?"), ["term-count"]);
    assert_eq!(series("1, 3, 5", "Mercury, 3, 5"), ["no-unknown-term"]);

    let found =
        read("logiqate", "BASE,OBFUS,ACTUAL ANSWER\nA?,B?,East \nC?,D?,East\nE?,F?,\"east\"\"\"\nG?,H?,east\nI?,J?,\n");
    let of: Vec<_> =
        found.defects.iter().filter(|d| d.kind != "no-choices").map(|d| (d.kind, d.row.unwrap())).collect();
    assert_eq!(of, [("answer-spelling", 0), ("answer-spelling", 2), ("answer-spelling", 3), ("empty-answer", 4)]);
    assert_eq!(found.items.iter().map(|i| i.endings[0].as_str()).collect::<Vec<_>>()[..4], ["East"; 4]);
    assert_eq!(found.items[6].endings, ["east"]);
    let found = read("logiqate", "BASE,OBFUS,ACTUAL ANSWER\nA?,B?,\"West\n\"\n");
    assert_eq!((found.defects[0].kind, found.items[0].endings[0].as_str()), ("answer-spelling", "West"));

    // A question that stands twice: the same answer, spelt otherwise, and another one.
    let twice = read("logiqate", "BASE,OBFUS,ACTUAL ANSWER\nA?,B?,North-East\nA?,C?,northeast\nA?,D?,West\n");
    let of: Vec<_> =
        twice.defects.iter().map(|d| d.kind).filter(|k| k.ends_with("item") || k.ends_with("label")).collect();
    assert_eq!(of, ["duplicate-item", "conflicting-label"]);
}

#[test]
fn logiqate_theories_that_do_not_fit() {
    let header = "input_index,premises_nl,premises_fol,conclusion_nl,conclusion_fol,original_label,obf_premises_nl,\
        obf_premises_fol,obf_conclusion_nl,obf_conclusion_fol,obf_label";
    let row = |fol: &str, obf_nl: &str, obf_fol: &str, label: &str| {
        let text =
            format!("{header}\n1,\"['A.', 'B.']\",\"{fol}\",C.,c(t),TRUE,\"{obf_nl}\",\"{obf_fol}\",C.,c(t),{label}\n");
        let found = read("logiqate", text);
        let of =
            found.defects.iter().map(|d| (d.kind, d.field.clone().unwrap_or_default(), d.column)).collect::<Vec<_>>();
        (found.items.len(), of)
    };
    let (two, other) = ("['a', 'b']", "['D.', 'E.']");
    assert_eq!(row(two, other, two, "TRUE"), (2, vec![]));
    assert_eq!(row(two, other, two, "FALSE").1[0].0, "label-changed");
    assert_eq!(
        row("['a']", other, two, "TRUE").1.iter().map(|d| d.0).collect::<Vec<_>>(),
        ["premise-count", "theory-size"]
    );
    assert_eq!(row(two, "['A.', 'B.']", two, "TRUE").1[0].0, "not-obfuscated");
    // Formulas that cannot be read are none, not an empty theory; the wording in words is kept.
    let (items, defects) = row(two, other, "['a' 'b']", "TRUE");
    assert_eq!((items, defects), (2, vec![("python-literal", "obf_premises_fol".to_string(), Some(6))]));
    let (items, defects) = row(two, "['D.', E.]", two, "TRUE");
    assert_eq!((items, defects), (1, vec![("python-literal", "obf_premises_nl".to_string(), Some(8))]));
}

#[test]
fn logs_that_cannot_be_expressed() {
    let mut ways = log(&[" a", " a"], "0");
    ways["arguments"]["gen_args_1"]["arg_0"] = json!("another context");
    assert_eq!(kinds("lm-eval", &ways.to_string()), ["several-contexts"]);
    assert_eq!(kinds("lm-eval", &log(&["a", "b"], "0").to_string()), ["delimiter"]);
    assert_eq!(kinds("lm-eval", &log(&[" a", " b"], "[1, 0]").to_string()), ["several-answers"]);
    assert_eq!(kinds("lm-eval", &log(&[" 1", " 0"], "0").to_string()), ["ambiguous-label"]);
    assert_eq!(kinds("lm-eval", &log(&[" a", " b"], "5").to_string()), ["label-out-of-range"]);
    assert_eq!(kinds("lm-eval", &log(&[], "0").to_string()), ["unknown-shape"]);
    let mut generated = log(&[], "yes");
    generated["arguments"] = json!({"gen_args_0": {"arg_0": "Q?", "arg_1": {"until": ["\n"]}}});
    let found = read("lm-eval", generated.to_string());
    assert_eq!((only(&found).kind, found.items[0].endings[0].as_str()), ("no-choices", "yes"));
    let mut second = log(&[" a", " b"], "0");
    second["filter"] = json!("other");
    let found = read("lm-eval", format!("{}\n{second}\n", log(&[" a", " b"], "0")));
    assert_eq!((only(&found).kind, only(&found).dropped, found.items.len()), ("repeated-filter", true, 1));
    let kinds_of = |value: serde_json::Value| kinds("lm-eval", &value.to_string());
    assert_eq!(kinds_of(json!({"question": "Q", "answer": 0})), ["missing-field"]);
    assert_eq!(kinds_of(json!({"question": "Q", "choices": {"x": 1}, "answer": 0})), ["missing-field"]);
    assert_eq!(kinds_of(json!({"question": "Q", "choices": ["a", "b"], "answer": 1.5})), ["unknown-label"]);
}

#[test]
fn other_formats_faults() {
    let hidden = json!({"ctx": "c", "endings": ["a", "b"], "label": ""}).to_string();
    assert_eq!(kinds("hellaswag", &hidden), ["hidden-label"]);
    let apart = json!({"ctx_a": "a", "ctx_b": "b", "ctx": "c", "endings": ["a", "b"], "label": 0}).to_string();
    assert_eq!(kinds("hellaswag", &apart), ["parts-differ"]);
    let record = |query: &str, task: &str| {
        json!({"story": "s", "query": query, "target": "1", "target_text": "son", "task_name": task}).to_string()
    };
    assert_eq!(kinds("clutrr", &record("('A', 'B'", "task_1.2")), ["python-literal"]);
    assert_eq!(kinds("clutrr", &record("('A', 'B', 'C')", "task_1.2")), ["python-literal"]);
    assert_eq!(kinds("clutrr", &record("('A', 'B')", "task")), ["unknown-shape"]);
}

#[test]
fn formulas_are_parsed_and_every_fault_is_placed() {
    let mut record = folio("True");
    record["premises-FOL"] = json!(["∀x (Cat(x) → Purrs(x)", "∀y Cat(y) → Purrs(y)"]);
    record["conclusion-FOL"] = json!("Purrs(tom) + Cat(tom)");
    let found = read("folio", record.to_string());
    let expected = [
        ("unbalanced", Some(0), Some("premises-FOL[0]"), Some(4)),
        ("free-variable", Some(0), Some("premises-FOL[1]"), Some(19)),
        ("bad-token", Some(0), Some("conclusion-FOL"), Some(12)),
    ];
    assert_eq!(places(&found), expected);
    // They cost no item, and what can be told of the formulas that parse is told beside those that do not.
    assert_eq!((found.items.len(), found.defects.iter().any(|defect| defect.dropped)), (1, false));
    record["premises-FOL"] = json!(["∀x (Cat(x) → purrs(x))", "Cat(tom, ann)"]);
    record["conclusion-FOL"] = json!("Purrs(tom");
    let clashes = read("folio", record.to_string());
    let clashes: Vec<_> = clashes.defects.iter().map(|d| (d.kind, d.field.as_deref().unwrap())).collect();
    let expected =
        [("arity-clash", "premises-FOL[0]"), ("arity-clash", "premises-FOL[1]"), ("unbalanced", "conclusion-FOL")];
    assert_eq!(clashes, expected);
}
