//! Data files.

use serde_json::{Value, json};

use crate::support::{Work, item};

/// Writes `bytes` as the data, which must be refused.
#[track_caller]
fn data_refused(bytes: &[u8], parts: &[&str]) {
    let work = Work::new();
    work.write("d.jsonl", bytes);
    super::refused(&work, "", parts);
    // The other command that reads items says the same.
    work.llscore(["certify", "d.jsonl"]).refused(parts);
}

fn line(item: &Value) -> Vec<u8> {
    format!("{item}\n").into_bytes()
}

fn good() -> Value {
    item("a", "The cat is", &["red", "left"], 0)
}

/// `good` with some fields set; null takes one away.
fn with(fields: Value) -> Value {
    let mut item = good();
    for (name, value) in fields.as_object().unwrap() {
        item[name] = value.clone();
    }
    item.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    item
}

#[test]
fn a_file_that_is_no_file_of_items() {
    let work = Work::new();
    work.run("--data none.jsonl --output o").refused(&["none.jsonl: cannot read the data file"]);
    work.run("--data . --output o").refused(&[".: is a directory", "JSON Lines"]);
    work.write("d.jsonl", line(&good()));
    work.run("--data d.jsonl --data none.jsonl --output o").refused(&["none.jsonl"]);
    work.run("--data d.jsonl --output o --shots 1 --shots-from none.jsonl").refused(&["none.jsonl"]);
    assert!(work.run_with_input("--data - --output o", b"").refused(&["-: holds no items"]).contains("empty"));
    assert!(!work.path("o").exists());
    for empty in [&b""[..], b"\n \n\t\n", "\u{feff}\n".as_bytes()] {
        data_refused(empty, &["d.jsonl: holds no items; the file is empty"]);
    }
}

#[test]
fn text_that_is_not_utf8_is_told_by_line_and_byte() {
    data_refused(&[&line(&good())[..], b"{\"id\":\"\xff\"}\n"].concat(), &["d.jsonl:2: not UTF-8 at byte 8"]);
    let utf16: Vec<u8> = "\u{feff}{\"id\":1}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    data_refused(&utf16, &["d.jsonl:1: not UTF-8 at byte 1", "convert"]);
    data_refused(b"\x1f\x8b\x08\x00", &["d.jsonl:1: not UTF-8"]);
}

#[test]
fn broken_json_is_told_by_line_and_column() {
    let after = |tail: &[u8]| [&line(&good())[..], b"\n", tail].concat();
    data_refused(&after(b"{\"id\": \n"), &["d.jsonl:3: broken JSON", "column 6", "one whole item"]);
    data_refused(&after(b"{\"id\": 'x'}\n"), &["d.jsonl:3: broken JSON", "column 8"]);
    data_refused(&[line(&good()).trim_ascii_end(), b" x\n"].concat(), &["d.jsonl:1: broken JSON", "trailing"]);
    data_refused(&[line(&good()).trim_ascii_end(), &line(&good())].concat(), &["d.jsonl:1: broken JSON", "trailing"]);
    data_refused(b"{\"id\":\"\\ud800\"}\n", &["d.jsonl:1: broken JSON"]);
    data_refused(b"{\"meta\":1e999}\n", &["d.jsonl:1: broken JSON", "number out of range"]);
    data_refused(&[b"{\"meta\":", &[b'['; 300][..]].concat(), &["d.jsonl:1: broken JSON", "recursion"]);
    // What people take for JSON Lines.
    let pretty = serde_json::to_string_pretty(&good()).unwrap();
    data_refused(pretty.as_bytes(), &["d.jsonl:1: broken JSON", "each line must hold one whole item"]);
    data_refused(json!([good()]).to_string().as_bytes(), &["d.jsonl:1: not a JSON object", "each line"]);
    data_refused(b"id,task,context\n1,t,x\n", &["d.jsonl:1: not a JSON object"]);
    let tuple = br#"["a","t","g","base",1,0,"The cat",null,["x","y"],0,null,null]"#;
    data_refused(tuple, &["d.jsonl:1: not a JSON object"]);
    for scalar in [&b"null\n"[..], b"3\n", b"\"x\"\n", b"<html>\n"] {
        data_refused(scalar, &["d.jsonl:1: not a JSON object"]);
    }
}

#[test]
fn a_field_that_is_wrong_is_named() {
    for missing in ["id", "task", "context", "endings", "label"] {
        let item = with(json!({ missing: null }));
        data_refused(&line(&item), &["d.jsonl:1: not an item", &format!("missing field `{missing}`")]);
    }
    for (field, value) in [
        ("id", json!(3)),
        ("task", json!(["t"])),
        ("group", json!(1)),
        ("variant", json!(true)),
        ("context", json!({})),
        ("question", json!(5)),
        ("endings", json!("red")),
        ("endings", json!([3, "x"])),
        ("endings", json!([["x"]])),
        ("label", json!("0")),
        ("label", json!(-1)),
        ("label", json!(0.0)),
        ("label", json!(1e30)),
        ("hops", json!(-1)),
        ("hops", json!(1.5)),
        ("hops", json!(1_u64 << 40)),
        ("extra_hops", json!("2")),
    ] {
        let item = with(json!({ field: value }));
        data_refused(&line(&item), &["d.jsonl:1: not an item", &format!("field `{field}` must be "), "is "]);
    }
    for (field, null) in [("label", "0"), ("endings", r#"["red","left"]"#), ("group", "")] {
        let text = match null {
            "" => good().to_string().replacen('{', "{\"group\":null,", 1),
            old => good().to_string().replace(old, "null"),
        };
        data_refused(format!("{text}\n").as_bytes(), &[&format!("field `{field}` must be "), "is null"]);
    }
    for field in ["id", "task", "variant"] {
        data_refused(&line(&with(json!({ field: "" }))), &[&format!("d.jsonl:1: field `{field}` is empty")]);
    }
    data_refused(&line(&with(json!({"endings": []}))), &["d.jsonl:1: item `a`: field `endings` is empty"]);
    let label = with(json!({"label": 2}));
    data_refused(&line(&label), &["d.jsonl:1: item `a`: field `label` is 2 but there are 2 endings (0 to 1)"]);
    let both = good().to_string().replacen('{', "{\"ctx\":\"x\",", 1);
    data_refused(both.as_bytes(), &["d.jsonl:1: not an item: duplicate field `context`"]);
    let long = with(json!({"label": "x".repeat(5000)}));
    let work = Work::new();
    work.write("d.jsonl", line(&long));
    assert!(work.run("--data d.jsonl").code(2).err.len() < 200, "a message is no dump");
}

#[test]
fn an_id_that_stands_twice_is_told_with_both_lines() {
    let text = [line(&good()), line(&with(json!({"id": "b"}))), b"\n".to_vec(), line(&good())].concat();
    data_refused(&text, &["d.jsonl:4: duplicate id `a`, first at line 1"]);
    // What an id holds drives no terminal and breaks no line.
    let odd = line(&with(json!({"id": "c\u{1b}[31m\nerror: all is lost\u{7}"})));
    data_refused(&[odd.clone(), odd].concat(), &[r"duplicate id `c\u{1b}[31m\nerror: all is lost\u{7}`"]);
}

/// What is unusual and still right: it is scored, item for item.
#[test]
fn odd_files_that_are_right_are_read() {
    let one = |text: &str| text.trim_end().to_string();
    let (a, b) = (one(&good().to_string()), one(&with(json!({"id": "b"})).to_string()));
    for (name, text) in [
        ("byte order mark and Windows line ends", format!("\u{feff}{a}\r\n{b}\r\n")),
        ("no newline at the end", format!("{a}\n{b}")),
        ("blank lines and blanks", format!("\n  {a}  \n\u{2028}\n\t\n{b}\n\n")),
        ("aliases", format!("{}\n{b}\n", a.replace("context", "ctx").replace("endings", "choices"))),
        ("other fields", format!("{}\n{b}\n", a.replacen('{', "{\"source\":\"x\",", 1))),
    ] {
        let work = Work::new();
        work.write("d.jsonl", text);
        work.run("--data d.jsonl --output o").code(0);
        let samples = work.samples("o");
        assert_eq!(
            (samples.len(), samples[0]["id"].as_str(), samples[1]["id"].as_str()),
            (2, Some("a"), Some("b")),
            "{name}"
        );
        assert_eq!(samples[0]["endings"], samples[1]["endings"], "{name}");
    }
}

#[test]
fn odd_items_that_are_right_are_scored() {
    let work = Work::new();
    let many: Vec<String> = (0..10_000).map(|i| format!("n{i}")).collect();
    let items = [
        with(json!({"id": "one", "endings": ["x"]})),
        with(json!({"id": "same", "endings": ["x", "x", "x"], "label": 2})),
        with(json!({"id": "many", "endings": many, "label": 9_999})),
        with(json!({"id": "long", "endings": ["x".repeat(1900), "red".repeat(600)]})),
        with(
            json!({"id": "control \u{1b}[2J\n", "task": "t\n\u{1b}", "context": "a\u{0}b\u{8}", "endings": ["\u{1}", "\u{7f}"]}),
        ),
        with(json!({"id": "lines", "context": "a\u{2028}b\u{2029}c\u{85}d\r", "endings": ["x\u{2028}y", "\r\n"]})),
        with(json!({"id": "\u{a0}", "context": "", "endings": ["\u{a0}", "\u{200b}"]})),
        with(json!({"id": "question", "question": "", "hops": 4_294_967_295_u32})),
    ];
    work.items("d.jsonl", &items);
    let ran = work.run("--data d.jsonl --output o --log-tokens").code(0);
    assert!(
        !ran.out.contains('\u{1b}') && !ran.out.contains('\u{0}'),
        "control characters of a task reach the terminal"
    );
    let samples = work.samples("o");
    for (sample, item) in samples.iter().zip(&items) {
        assert_eq!(sample["id"], item["id"]);
        assert_eq!(sample["endings"].as_array().unwrap().len(), item["endings"].as_array().unwrap().len());
    }
    assert_eq!(samples[0]["choice"], json!({"sum": 0, "token": 0, "char": 0, "byte": 0}));
    assert_eq!(
        (&samples[1]["ties"], &samples[1]["choice"]["sum"]),
        (&json!(["sum", "token", "char", "byte"]), &json!(0))
    );
    assert!(samples[3]["endings"][0]["tokens"].as_u64().unwrap() > 900);
    work.run("--data d.jsonl --output o --log-tokens").code(0);
    let markdown = work.run("--data d.jsonl --output o --log-tokens --format markdown").code(0).out;
    assert!(!markdown.contains('\u{1b}') && markdown.lines().all(|line| line.starts_with('|')), "{markdown:?}");
    // Programs read CSV: names are what they are.
    let csv = work.run("--data d.jsonl --output o --log-tokens --format csv").code(0).out;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert!(reader.records().any(|row| &row.unwrap()[0] == "t\n\u{1b}"), "{csv:?}");
}
