//! `llscore prove`: lines in, lines out, and one question for a person.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Ran, Work};

const QUESTIONS: [&str; 6] = [
    r#"{"id":7,"premises":["∀x (Cat(x) → Animal(x))","Cat(tom)"],"conclusion":"Animal(tom)","note":{"a":[1.50,"é"]}}"#,
    r#"{"premises":["all x (Cat(x) -> -Dog(x))","Cat(tom)"],"conclusion":"Dog(tom)"}"#,
    r#"{"premises":["∀x Cat(x) → Animal(x)"],"conclusion":"Animal(tom)"}"#,
    r#"{"premises":["Cat(tom)","¬Cat(tom)"],"conclusion":"Dog(tom)"}"#,
    r#"{"premises":["Cat(tom)","Dog(rex","Cat(mr.smith)"],"conclusion":"Dog(tom)"}"#,
    r#"{"premises":["Cat(tom)"],"conclusion":"Dog(tom) ^ Cat(tom)"}"#,
];

fn lines(ran: &Ran) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn each_line_gets_a_line_in_order_and_keeps_its_other_fields() {
    let work = Work::new();
    work.write("q.jsonl", QUESTIONS.join("\n"));
    let ran = work.llscore(["prove", "q.jsonl"]).code(1);
    let lines = lines(&ran);
    assert_eq!(lines.len(), 6);
    let verdicts: Vec<&str> = lines.iter().map(|line| line["verdict"].as_str().unwrap_or("-")).collect();
    assert_eq!(verdicts, ["entailed", "contradicted", "unknown", "inconsistent", "-", "-"]);
    assert_eq!((&lines[0]["id"], &lines[0]["note"]), (&json!(7), &json!({"a": [1.50, "é"]})));
    let instances = lines[0]["evidence"]["refutation"]["instances"].as_array().expect("instances");
    let ground: Vec<&str> = instances.iter().map(|i| i["ground"].as_str().expect("text")).collect();
    assert_eq!(ground, ["¬Cat(tom) ∨ Animal(tom)", "Cat(tom)", "¬Animal(tom)"]);
    assert_eq!(lines[0]["evidence"]["model_true"]["size"], json!(1));
    assert_eq!(lines[0]["evidence"]["hops"], json!(1));
    assert_eq!(lines[0]["evidence"]["derivation"]["derivation"][0]["gives"], json!("⊥"));
    assert!(lines[2]["evidence"].get("hops").is_none());
    let warning = &lines[2]["warnings"][0];
    assert_eq!((&warning["where"], &warning["index"]), (&json!("premise"), &json!(0)));
    assert_eq!((&warning["column"], &warning["kind"]), (&json!(20), &json!("free-variable")));
    assert!(lines[2]["evidence"]["model_true"].is_object() && lines[2]["evidence"]["model_false"].is_object());
    let error = &lines[4]["error"];
    assert_eq!((&error["where"], &error["index"]), (&json!("premise"), &json!(1)));
    assert_eq!((&error["column"], &error["kind"]), (&json!(4), &json!("unbalanced")));
    assert_eq!(lines[4]["errors"].as_array().map(Vec::len), Some(2));
    assert_eq!(lines[5]["error"]["where"], json!("conclusion"));
    assert_eq!(lines[5]["error"]["index"], Value::Null);
    assert_eq!((&lines[5]["error"]["column"], &lines[5]["error"]["kind"]), (&json!(10), &json!("bad-token")));
    assert!(ran.err.contains("6 lines, 1 entailed") && ran.err.contains("2 with an error"), "{}", ran.err);
}

#[test]
fn the_same_lines_on_any_number_of_threads_and_from_standard_input() {
    let work = Work::new();
    let text = QUESTIONS.iter().cycle().take(600).map(|q| format!("{q}\n")).collect::<String>();
    work.write("q.jsonl", &text);
    let one = work.llscore(["prove", "q.jsonl", "--threads", "1", "--quiet"]).code(1);
    assert_eq!((one.out.lines().count(), one.err.as_str()), (600, ""));
    assert_eq!(work.llscore(["prove", "q.jsonl", "--threads", "2"]).code(1).out, one.out);
    let mut command = work.command(["prove", "-"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("starts");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("is read");
    assert_eq!(Ran::of(child.wait_with_output().expect("ends")).code(1).out, one.out);
}

#[test]
fn what_is_no_question_is_told_of_in_its_place() {
    let work = Work::new();
    let good = QUESTIONS[0];
    let text = [good, "not json", "", r#"{"premises":["P"]}"#, r#"{"premises":"P","conclusion":"P"}"#, good].join("\n");
    work.write("q.jsonl", text);
    let ran = work.llscore(["prove", "q.jsonl"]).code(1);
    let lines = lines(&ran);
    let kinds: Vec<&str> = lines.iter().map(|line| line["error"]["kind"].as_str().unwrap_or("-")).collect();
    assert_eq!(kinds, ["-", "json", "field", "field", "-"]);
    assert!(lines[2]["error"]["message"].as_str().expect("text").contains("`conclusion` is missing"));
    work.write(
        "bad.jsonl",
        [b"{\"premises\":[\"P\xff\"],\"conclusion\":\"P\"}\n".as_slice(), good.as_bytes()].concat(),
    );
    let ran = work.llscore(["prove", "bad.jsonl"]).code(1);
    assert!(ran.out.lines().next().expect("a line").contains("not UTF-8"), "{}", ran.out);
}

#[test]
fn where_nothing_can_be_read_the_exit_code_is_2() {
    let work = Work::new();
    work.write("empty.jsonl", "\n \n");
    work.write("text.jsonl", "all men are mortal\n");
    work.llscore(["prove", "missing.jsonl"]).refused(&["missing.jsonl"]);
    work.llscore(["prove", "empty.jsonl"]).refused(&["empty.jsonl", "no question"]);
    work.llscore(["prove", "."]).refused(&["directory"]);
    assert!(work.llscore(["prove", "text.jsonl"]).code(2).err.contains("no line holds a question"));
    assert!(work.llscore(["prove"]).code(2).err.contains("FILE"));
    assert!(work.llscore(["prove", "--premise", "P"]).code(2).err.contains("--conclusion"));
    work.llscore(["prove", "text.jsonl", "--timeout", "0"]).refused(&["--timeout 0"]);
    work.llscore(["prove", "text.jsonl", "--timeout", "nan"]).refused(&["--timeout"]);
    for threads in ["0", "100000"] {
        let ran = work.llscore(["prove", "text.jsonl", "--threads", threads]).code(2);
        assert!(ran.err.contains("--threads") && ran.err.contains("1..=1024"), "{}", ran.err);
    }
}

#[test]
fn one_question_is_answered_for_a_person() {
    let work = Work::new();
    let ask = |args: &[&str]| work.llscore([&["prove"], args].concat());
    let ran = ask(&["--premise", "∀x (Cat(x) → Animal(x))", "--premise", "Cat(tom)", "--conclusion", "Animal(tom)"]);
    let expected = "\
entailed: the conclusion follows from the premises

Derivation in 1 step, the fewest there can be:
  given Cat(tom)   (premise 2)
  assume ¬Animal(tom)   (the conclusion's negation)
  1. Cat(tom) → Animal(tom)   (premise 1, x = tom): contradiction
";
    assert_eq!(ran.out, expected);
    assert_eq!(ran.code, 0);
    let ran = ask(&["--premise", "Cat(tom)", "--conclusion", "-Cat(rex)"]).code(0);
    assert!(ran.out.starts_with("unknown: ") && ran.out.matches("domain: ").count() == 2, "{}", ran.out);
    let ran = ask(&["--premise", "P(a)", "--conclusion", "a = b → P(b)", "--json"]).code(0);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).expect("JSON")["verdict"], json!("entailed"));
}

#[test]
fn a_fault_is_shown_under_its_character() {
    let work = Work::new();
    let ran = work.llscore(["prove", "--premise", "Cat(captain america)", "--conclusion", "Cat(tom"]).code(2);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(
        lines[0].starts_with("error: premise 1, column 12: ") && lines[0].contains("captain_america"),
        "{}",
        ran.err
    );
    assert_eq!(lines[1..3], ["  Cat(captain america)", "             ^"]);
    assert!(lines[3].starts_with("error: conclusion, column 4: "), "{}", ran.err);
    assert_eq!(lines[4..], ["  Cat(tom", "     ^"]);
    assert_eq!(ran.out, "");
}

#[test]
fn unique_names_and_syntaxes_are_flags() {
    let work = Work::new();
    let ask = |args: &[&str]| {
        let ran = work.llscore([&["prove", "--conclusion"], args].concat()).code(0);
        ran.out.split(':').next().expect("a word").to_string()
    };
    assert_eq!(ask(&["a = b"]), "unknown");
    assert_eq!(ask(&["a = b", "--una"]), "contradicted");
    assert_eq!(ask(&["all x.(P(x) ^ Q(x)) -> all x.P(x)", "--syntax", "nltk"]), "entailed");
    assert!(
        work.llscore(["prove", "--conclusion", "all x.(P(x) ^ Q(x)) -> all x.P(x)"]).code(2).err.contains("bad-token")
    );
    // A free x is Prover9's for all things.
    assert_eq!(ask(&["P(a)", "--premise", "P(x)", "--syntax", "prover9"]), "entailed");
    assert!(work.llscore(["prove", "--conclusion", "P(a)", "--premise", "P(x)"]).code(0).out.contains("unknown: "));
}

#[test]
fn questions_are_exported_for_other_provers() {
    let work = Work::new();
    work.write("q.jsonl", QUESTIONS.join("\n"));
    let tptp = work.llscore(["prove", "q.jsonl", "--export", "tptp"]).code(1).out;
    assert_eq!(tptp.matches("conjecture").count(), 4, "{tptp}");
    assert!(
        tptp.starts_with("% line 1\nfof(")
            && tptp.lines().all(|l| l.is_empty() || l.starts_with("fof(") || l.starts_with('%')),
        "{tptp}"
    );
    let smtlib = work.llscore(["prove", "q.jsonl", "--export", "smtlib"]).code(1).out;
    assert_eq!(smtlib.matches("(check-sat)").count(), 4, "{smtlib}");
    assert_eq!(smtlib.matches("(reset)").count(), 4, "{smtlib}");
}
