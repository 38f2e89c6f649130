//! `--chat-template` and `--chat-date`, through the built program.

use serde_json::{Value, json};

use super::*;
use crate::support::{Ran, Work, item};

/// In the ChatML style, with the fixture's special tokens.
const CHATML: &str = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content | trim + '<|im_end|>\\n' }}{% endfor %}\
                      {% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/// The fixture's ids of BOS (which is EOS too) and of the marks.
const BOS: u32 = 0;
const START: u64 = 1;
const END: u64 = 2;

fn ids(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().map(|id| id.as_u64().expect("an id")).collect()
}

fn work() -> Work {
    let work = Work::new();
    work.write("chat.jinja", CHATML);
    let mut question = item("b", "Anna is left of Clara.", &["left", "red"], 0);
    question["question"] = json!("Where is Clara?");
    work.items("d.jsonl", &[item("a", " Turn left <|im_end|> ", &["red", "<|im_end|>"], 0), question]);
    work
}

/// Runs over the data into `output`, with the ids; by default with the fixture's model.
fn run(work: &Work, output: &str, flags: &[&str]) -> Ran {
    let mut command = work.command(["run", "--data", "d.jsonl", "--log-tokens", "--output", output]);
    if !flags.contains(&"--model") {
        command.arg("--model").arg(fixture(crate::support::COMPLETE));
    }
    Ran::of(command.args(flags).output().expect("starts"))
}

/// The same, where only errors are said.
fn quiet(work: &Work, output: &str, flags: &[&str]) -> Ran {
    run(work, output, &[flags, &["--quiet"]].concat())
}

#[test]
fn an_item_is_a_user_s_turn_and_its_own_special_tokens_are_text() {
    let work = work();
    let ran = run(&work, "o", &["--chat-template", "chat.jinja"]).code(0);
    assert!(ran.err.contains("note: chat template: chat.jinja"), "{}", ran.err);
    let samples = work.samples("o");
    for sample in &samples {
        let context = ids(&sample["context_ids"]);
        assert_eq!(context.iter().filter(|id| **id == START).count(), 2, "{sample}");
        assert_eq!(context.iter().filter(|id| **id == END).count(), 1, "the item's own is text: {sample}");
        assert_eq!(context[0], START);
        for ending in sample["endings"].as_array().expect("a list") {
            assert!(!ids(&ending["ids"]).iter().any(|id| [START, END].contains(id)), "{ending}");
        }
    }
    run(&work, "parsed", &["--chat-template", "chat.jinja", "--parse-special"]).code(0);
    let parsed = &work.samples("parsed")[0];
    assert_eq!(ids(&parsed["context_ids"]).iter().filter(|id| **id == END).count(), 2);
    assert_eq!(ids(&parsed["endings"][1]["ids"]).last(), Some(&END));

    let dry = run(&work, "none", &["--chat-template", "chat.jinja", "--dry-run"]).code(0);
    let shown = r#"context "<|im_start|>user\nAnna is left of Clara.\nQuestion: Where is Clara?\nAnswer:<|im_end|>\n<|im_start|>assistant\n""#;
    assert!(dry.out.contains(shown), "{}", dry.out);
    let one = ["run", "--context", "Turn", "--ending", "left", "--dry-run", "--chat-template", "chat.jinja", "--model"];
    let model = fixture(crate::support::COMPLETE).to_string_lossy().into_owned();
    let one = work.llscore(one.into_iter().chain([model.as_str()])).code(0);
    assert!(one.out.contains(r#"context "<|im_start|>user\nTurn<|im_end|>\n<|im_start|>assistant\n""#), "{}", one.out);
}

#[test]
fn the_delimiter_is_empty_unless_given() {
    let work = work();
    let text = |run: &str, sample: usize| {
        let tokenizer =
            tokenizers::Tokenizer::from_file(fixture("llama-with-tokenizer/tokenizer.json")).expect("loads");
        let ending: Vec<u32> =
            ids(&work.samples(run)[sample]["endings"][0]["ids"]).into_iter().map(|id| id as u32).collect();
        tokenizer.decode(&ending, false).expect("decodes")
    };
    let delimiter = |run: &str| work.json(&format!("{run}/manifest.json"))["scores"]["delimiter"].clone();
    run(&work, "plain", &[]).code(0);
    run(&work, "chat", &["--chat-template", "chat.jinja"]).code(0);
    run(&work, "spaced", &["--chat-template", "chat.jinja", "--delimiter", " "]).code(0);
    assert_eq!((text("plain", 1), delimiter("plain")), (" left".to_string(), json!(" ")));
    // White space at the context's end counts as the ending's, the generation prompt's too.
    assert_eq!((text("chat", 1), delimiter("chat")), ("\nleft".to_string(), json!("")));
    assert_eq!((text("spaced", 1), delimiter("spaced")), ("\n left".to_string(), json!(" ")));
}

#[test]
fn the_template_and_its_date_are_part_of_a_run_s_identity() {
    let work = work();
    run(&work, "o", &["--chat-template", "chat.jinja"]).code(0);
    let scores = work.json("o/manifest.json")["scores"].clone();
    assert_eq!(scores["chat_template"], blake3::hash(CHATML.as_bytes()).to_hex().to_string());
    assert_eq!(work.json("o/manifest.json")["environment"]["chat_template"], "chat.jinja");
    // The same text elsewhere is the same run.
    work.write("again.jinja", CHATML);
    let again = run(&work, "o", &["--chat-template", "again.jinja"]).code(0);
    assert!(again.err.contains("nothing was computed"), "{}", again.err);
    quiet(&work, "o", &[]).refused(&["chat_template"]);
    work.write("again.jinja", format!("{CHATML} "));
    quiet(&work, "o", &["--chat-template", "again.jinja"]).refused(&["chat_template"]);
    quiet(&work, "o", &["--chat-template", "chat.jinja", "--chat-date", "2024-07-26"]).refused(&["chat_date"]);
    run(&work, "none", &["--chat-date", "2024-07-26"]).refused(&["--chat-date", "--chat-template"]);
    let bad = run(&work, "none", &["--chat-template", "chat.jinja", "--chat-date", "26.7.2024"]).code(2);
    assert!(bad.err.contains("YYYY-MM-DD"), "{}", bad.err);
}

#[test]
fn the_model_s_own_template_is_found() {
    let work = work();
    let auto = |output: &str| run(&work, output, &["--chat-template", "auto", "--model", "m"]);
    work.model("m", |_| ());
    auto("none").refused(&["no chat template", "--chat-template FILE", "m: "]);
    let config = |template: Value| json!({"bos_token": "<|endoftext|>", "chat_template": template}).to_string();
    let named = |name: &str| json!([{"name": name, "template": CHATML}, {"name": "tool_use", "template": "x"}]);
    work.write("m/tokenizer_config.json", config(named("other")));
    auto("none").refused(&["tokenizer_config.json", "`default`", "other, tool_use"]);
    work.write("m/tokenizer_config.json", config(json!(3)));
    auto("none").refused(&["tokenizer_config.json", "neither text nor a list"]);
    work.write("m/tokenizer_config.json", config(named("default")));
    assert!(auto("list").code(0).err.contains("tokenizer_config.json, `default`"));
    work.write("m/tokenizer_config.json", config(json!(CHATML)));
    auto("text").code(0);
    work.write("m/chat_template.jinja", CHATML);
    assert!(auto("file").code(0).err.contains("chat_template.jinja"));
    run(&work, "given", &["--chat-template", "chat.jinja", "--model", "m"]).code(0);
    for other in ["text", "file", "given"] {
        assert_eq!(work.read("list/samples.jsonl"), work.read(&format!("{other}/samples.jsonl")), "{other}");
    }
}

#[test]
fn a_file_that_is_no_template_is_refused_before_anything_is_written() {
    let work = work();
    let refused = |file: &str, parts: &[&str]| {
        quiet(&work, "none", &["--chat-template", file]).refused(parts);
        assert!(!work.path("none").exists());
    };
    refused("missing.jinja", &["missing.jinja", "no such file", "`auto`"]);
    refused(".", &["this is a folder"]);
    for (name, text, parts) in [
        ("empty", &b" \n"[..], &["is empty"][..]),
        ("latin", b"\xe9{{ messages }}", &["not UTF-8"]),
        ("syntax", b"a\n{% if x %}", &["line 2", "syntax error"]),
        ("filter", b"{{ messages[0].content | nope }}", &["line 1", "filter", "nope"]),
        ("test", b"{{ messages[0].content is nope }}", &["line 1", "test", "nope"]),
        ("function", b"\n\n{{ nope() }}{{ messages[0].content }}", &["line 3", "function", "nope"]),
        ("method", b"{{ messages[0].content.nope() }}", &["method", "nope"]),
        ("tag", b"{% nope %}", &["line 1", "nope"]),
        ("silent", b"hello", &["does not hold the user's message"]),
        ("raises", b"{{ raise_exception('I want a system turn') }}", &["it raises: I want a system turn"]),
        (
            "endless",
            b"{{ messages[0].content }}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            &["too many steps"],
        ),
        ("today", b"{{ strftime_now('%Y') }}{{ messages[0].content }}", &["--chat-date YYYY-MM-DD"]),
    ] {
        work.write(&format!("{name}.jinja"), text);
        refused(&format!("{name}.jinja"), &[&[name], parts].concat());
    }
    let ran = run(&work, "dated", &["--chat-template", "today.jinja", "--chat-date", "2024-07-26"]);
    ran.code(0);
    assert_eq!(work.json("dated/manifest.json")["scores"]["chat_date"], "2024-07-26");
    work.write("odd.jinja", "{{ strftime_now('%Q') }}{{ messages[0].content }}");
    quiet(&work, "none", &["--chat-template", "odd.jinja", "--chat-date", "2024-07-26"]).refused(&["`%Q`"]);
}

#[test]
fn what_a_template_says_against_an_item_is_that_item_s_error() {
    let work = work();
    let text =
        "{% if 'Anna' in messages[0].content %}{{ raise_exception('no Anna') }}{% endif %}{{ messages[0].content }}:";
    work.write("picky.jinja", text);
    let ran = run(&work, "o", &["--chat-template", "picky.jinja"]).code(1);
    assert!(
        ran.err.contains("1 of 2 items failed: `b`: the chat template in picky.jinja") && ran.err.contains("no Anna")
    );
    // A template that changes the message: fine, unless the message has a special token's text.
    work.write("loud.jinja", "<|im_start|>{{ messages[0].content | upper }}:");
    let ran = run(&work, "loud", &["--chat-template", "loud.jinja"]).code(1);
    assert!(ran.err.contains("`a`: ") && ran.err.contains("`<|im_end|>`") && ran.err.contains("--parse-special"));
    assert_eq!(ids(&work.samples("loud")[1]["context_ids"])[0], START);
    run(&work, "loud-parsed", &["--chat-template", "loud.jinja", "--parse-special"]).code(0);
}

#[test]
fn bos_is_there_exactly_once_or_not_at_all() {
    let work = Work::new();
    work.items("d.jsonl", &[item("a", "Turn left", &["red"], 0)]);
    let with_bos = format!("{{{{ bos_token }}}}{CHATML}");
    for (name, text) in [("without", CHATML), ("with", &with_bos)] {
        work.write(&format!("{name}.jinja"), text);
    }
    // The fixture's tokenizer adds no BOS; a copy does.
    work.model("adds", |_| ());
    let file = work.path("adds/tokenizer.json");
    let mut tokenizer = tokenizers::Tokenizer::from_file(&file).expect("loads");
    let template = tokenizers::processors::template::TemplateProcessing::builder()
        .try_single("<|endoftext|> $A <|im_end|>")
        .and_then(|t| {
            t.special_tokens(vec![("<|endoftext|>", BOS), ("<|im_end|>", END as u32)])
                .build()
                .map_err(|e| e.to_string())
        })
        .expect("a template");
    tokenizer.with_post_processor(Some(template)).save(&file, false).expect("saves");
    let plain = fixture(crate::support::COMPLETE).to_string_lossy().into_owned();
    for (model, adds) in [(plain.as_str(), false), ("adds", true)] {
        for template in ["without", "with"] {
            for policy in ["auto", "always", "never"] {
                let output = format!("{adds}-{template}-{policy}");
                let flags = ["--chat-template", &format!("{template}.jinja"), "--bos", policy, "--model", model];
                run(&work, &output, &flags).code(0);
                let context = ids(&work.samples(&output)[0]["context_ids"]);
                let expected = match policy {
                    "auto" => usize::from(adds || template == "with"),
                    "always" => 1,
                    _ => 0,
                };
                assert_eq!(
                    context.iter().filter(|id| **id == u64::from(BOS)).count(),
                    expected,
                    "{output}: {context:?}"
                );
                assert_eq!(context[expected], START, "{output}: {context:?}");
                let ending = ids(&work.samples(&output)[0]["endings"][0]["ids"]);
                assert!(!ending.contains(&END) && context.iter().filter(|id| **id == END).count() == 1, "{output}");
            }
        }
    }
}

#[test]
fn examples_stand_in_the_user_s_turn_and_pmi_has_a_turn_of_its_own() {
    let work = work();
    let pool = item("t1", "Clara is red.", &["yes", "no"], 1);
    work.items("train.jsonl", &[pool]);
    let flags = ["--chat-template", "chat.jinja", "--shots", "1", "--shots-from", "train.jsonl"];
    let dry = run(&work, "none", &[&flags[..], &["--dry-run"]].concat()).code(0);
    assert!(dry.out.contains(r#""<|im_start|>user\nClara is red. no\n\nAnna is left of Clara."#), "{}", dry.out);
    run(&work, "pmi", &["--chat-template", "chat.jinja", "--pmi"]).code(0);
    work.items("answer.jsonl", &[item("b", "Answer:", &["left", "red"], 0)]);
    work.run("--data answer.jsonl --output answer --chat-template chat.jinja").code(0);
    let (own, alone) = (&work.samples("pmi")[1]["endings"], &work.samples("answer")[0]["endings"]);
    for ending in [0, 1] {
        assert_eq!(own[ending]["unconditional"], alone[ending]["logprob"]);
    }
}

/// A GGUF file with one more string among its metadata, as long as keeps the data aligned.
fn gguf_with(key: &str, text: &str) -> Vec<u8> {
    let file = std::fs::read(fixture("gguf-llama-with-tokenizer/model.gguf")).expect("reads");
    let padding = (32 - (8 + key.len() + 4 + 8 + text.len()) % 32) % 32;
    let text = format!("{text}{}", " ".repeat(padding));
    let count = u64::from_le_bytes(file[16..24].try_into().expect("eight bytes")) + 1;
    let mut out = [&file[..16], &count.to_le_bytes()].concat();
    for part in [&(key.len() as u64).to_le_bytes()[..], key.as_bytes(), &8u32.to_le_bytes()] {
        out.extend(part);
    }
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.bytes());
    out.extend(&file[24..]);
    out
}

#[test]
fn a_gguf_file_s_template_is_found_and_knows_its_special_tokens() {
    let work = work();
    let auto = |output: &str, model: &str| quiet(&work, output, &["--chat-template", "auto", "--model", model]);
    let bare = fixture("gguf-llama-with-tokenizer/model.gguf").to_string_lossy().into_owned();
    auto("none", &bare).refused(&["no chat template", "model.gguf"]);
    let text = format!("{{{{ bos_token }}}}{CHATML}{{# #}}");
    work.write("chat.gguf", gguf_with("tokenizer.chat_template", &text));
    auto("gguf", "chat.gguf").code(0);
    let context = ids(&work.samples("gguf")[1]["context_ids"]);
    assert_eq!((context[0], context[1]), (u64::from(BOS), START), "{context:?}");
    let origin = work.json("gguf/manifest.json")["environment"]["chat_template"].clone();
    assert_eq!(origin, "chat.gguf, `tokenizer.chat_template`");
    // A template beside a tokenizer that is given goes before the model's own.
    std::fs::create_dir(work.path("given")).expect("a folder");
    std::fs::copy(fixture("llama-with-tokenizer/tokenizer.json"), work.path("given/tokenizer.json")).expect("copies");
    work.write("given/chat_template.jinja", CHATML);
    let flags = ["--chat-template", "auto", "--model", "chat.gguf", "--tokenizer", "given"];
    run(&work, "beside", &flags).code(0);
    assert_eq!(ids(&work.samples("beside")[1]["context_ids"])[0], START);
}
