//! Each format, from a record to its item.

use serde_json::json;

use super::{meta, places, read, read_files, sole};

/// A FOLIO record about cats.
pub fn folio(label: &str) -> serde_json::Value {
    json!({
        "premises": ["All cats purr. ", "Tom is a cat."],
        "premises-FOL": ["∀x (Cat(x) → Purrs(x))", "Cat(tom)"],
        "conclusion": "Tom purrs.",
        "conclusion-FOL": "Purrs(tom)",
        "label": label,
    })
}

#[test]
fn folio_records_keep_labels_formulas_and_source() {
    let found = read("folio", folio("True").to_string());
    let item = sole(&found);
    assert_eq!((item.id.as_str(), item.task.as_str(), item.variant.as_str()), ("set-000000", "folio", "base"));
    assert_eq!(item.group, item.id);
    assert_eq!(item.context, "All cats purr. Tom is a cat.");
    assert_eq!(item.question.as_deref(), Some("Is the following statement true, false, or unknown? Tom purrs."));
    assert_eq!((item.endings.join(" ").as_str(), item.label), ("True False Unknown", 0));
    assert_eq!(meta(item, "gold"), "entailed");
    let formulas = json!({"premises": ["∀x (Cat(x) → Purrs(x))", "Cat(tom)"], "conclusion": "Purrs(tom)"});
    assert_eq!(meta(item, "formulas"), &formulas);
    assert_eq!(meta(item, "source"), &folio("True"));
    assert_eq!(meta(item, "row"), 0);
}

#[test]
fn folio_spells_its_third_label_as_the_file_does() {
    let mut open = folio("Uncertain");
    open["conclusion"] = json!("Tom sleeps.");
    let found = read("folio", format!("{}\n{open}\n", folio("False")));
    assert!(found.items.iter().all(|item| item.endings == ["True", "False", "Uncertain"]));
    assert_eq!(found.items.iter().map(|item| item.label).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(meta(&found.items[1], "gold"), "unknown");
}

#[test]
fn folio_without_a_conclusions_formula_and_with_premises_as_one_text() {
    let mut record = folio("True");
    record.as_object_mut().unwrap().remove("conclusion-FOL");
    record["premises"] = json!("All cats purr.\nTom is a cat.");
    let found = read("folio", record.to_string());
    assert_eq!(sole(&found).context, "All cats purr. Tom is a cat.");
    assert!(meta(sole(&found), "formulas")["conclusion"].is_null());
}

#[test]
fn proverqa_records_count_the_steps_of_their_reasoning() {
    let record = json!([{
        "id": 7, "options": ["A) True", "B) False", "C) Uncertain"], "answer": "B",
        "question": "Is it true, false, or uncertain? Tom barks.",
        "context": "Tom is a cat. No cat barks.",
        "nl2fol": {"Tom is a cat.": "cat(Tom)", "No cat barks.": "∀x (cat(x) → ¬barks(x))"},
        "conclusion_fol": "barks(Tom)",
        "reasoning": "fact1: Tom is a cat.\nconclusion: Tom is an animal.\n\nrule: …\nconclusion: Tom does not bark.",
    }]);
    let found = read("proverqa", record.to_string());
    let item = sole(&found);
    assert_eq!((item.hops, item.label, item.endings.join(" ").as_str()), (2, 1, "True False Uncertain"));
    assert_eq!(meta(item, "gold"), "contradicted");
    assert_eq!(meta(item, "formulas")["premises"], json!(["cat(Tom)", "∀x (cat(x) → ¬barks(x))"]));
    assert_eq!(meta(item, "source"), &record[0]);

    // Without the reasoning the hops are unknown; the file's name tells their range.
    let mut record = record;
    record[0].as_object_mut().unwrap().remove("reasoning");
    let found = read_files("proverqa", &[("hard.json", record.to_string().as_bytes())]);
    assert_eq!((sole(&found).hops, meta(sole(&found), "hops_range")), (0, &json!([6, 9])));
}

#[test]
fn prontoqa_records_count_the_conclusions_of_their_explanation() {
    let record = json!([{
        "id": "p", "context": "Tom is a wug. Wugs are daxes. Daxes are blue.",
        "question": "Is the following statement true or false? Tom is blue.", "options": ["A) True", "B) False"],
        "answer": "A",
        "explanation": ["Tom is a wug.", "Wugs are daxes.", "Tom is a dax.", "Daxes are blue.", "Tom is blue."],
    }]);
    let found = read("prontoqa", record.to_string());
    assert_eq!((sole(&found).hops, sole(&found).label), (2, 0));
    assert_eq!(meta(sole(&found), "gold"), "entailed");
}

/// A LogicBench file of the yes/no part.
pub fn yes_no() -> serde_json::Value {
    json!({"type": "propositional_logic", "axiom": "modus_tollens", "samples": [
        {"id": 1, "context": "If it rains, it is wet. It is dry.", "qa_pairs": [
            {"question": "Does it rain?", "answer": "no"}, {"question": "Is it fair?", "answer": "yes"}]},
        {"id": 2, "context": "If it snows, it is white. It is green.", "qa_pairs": [
            {"question": "Does it snow?", "answer": "no"}]},
    ]})
}

#[test]
fn logicbench_gives_an_item_a_question_with_ids_from_pattern_and_part() {
    let pretty = serde_json::to_string_pretty(&yes_no()).unwrap();
    let found = read("logicbench", pretty);
    let ids: Vec<&str> = found.items.iter().map(|item| item.id.as_str()).collect();
    let stem = "logicbench-bqa-propositional_logic-modus_tollens";
    assert_eq!(ids, [format!("{stem}-000000/0"), format!("{stem}-000000/1"), format!("{stem}-000001/0")]);
    assert_eq!(found.items.iter().map(|item| item.label).collect::<Vec<_>>(), [1, 0, 1]);
    assert!(found.items.iter().all(|item| item.endings == ["yes", "no"]));
    assert_eq!(found.files[0].records, 3);
    assert_eq!(meta(&found.items[0], "source")["sample"], yes_no()["samples"][0]);
    assert_eq!(meta(&found.items[0], "source")["axiom"], "modus_tollens");
    assert!(found.defects.is_empty());

    let four = json!({"type": "nm_logic", "axiom": "x", "samples": [{"id": 1, "context": "c", "question": "q",
        "choices": {"choice_1": "w", "choice_2": "x", "choice_3": "y", "choice_4": "z"}, "answer": "choice_3"}]});
    let found = read("logicbench", four.to_string());
    assert_eq!((sole(&found).label, sole(&found).endings.concat().as_str()), (2, "wxyz"));
    assert_eq!(sole(&found).id, "logicbench-mcqa-nm_logic-x-000000");
}

#[test]
fn logiqate_entailment_gives_two_wordings_of_a_group() {
    let csv = "input_index,premises_nl,premises_fol,conclusion_nl,conclusion_fol,original_label,obf_premises_nl,\
        obf_premises_fol,obf_conclusion_nl,obf_conclusion_fol,obf_label\n\
        4,\"['Cats purr.', \"\"Tom's a cat.\"\"]\",\"['∀x (Cat(x) → Purrs(x))', 'Cat(tom)']\",Tom purrs.,Purrs(tom),TRUE,\
        \"['None that is silent is a cat.', 'Tom is a cat.']\",\"['∀x (¬Purrs(x) → ¬Cat(x))', 'Cat(tom)']\",Tom purrs.,\
        Purrs(tom),TRUE\n";
    let found = read("logiqate", csv);
    assert!(found.defects.is_empty(), "{:?}", found.defects);
    let of = |i: usize| (found.items[i].group.as_str(), found.items[i].variant.as_str(), found.items[i].id.as_str());
    assert_eq!(of(0), ("set-000000", "base", "set-000000/base"));
    assert_eq!(of(1), ("set-000000", "obfuscated", "set-000000/obfuscated"));
    assert_eq!(found.items[0].context, "Cats purr. Tom's a cat.");
    assert_eq!(meta(&found.items[1], "formulas")["premises"][0], "∀x (¬Purrs(x) → ¬Cat(x))");
    assert_eq!((found.items[1].endings.join(" ").as_str(), found.items[1].label), ("TRUE FALSE", 0));
    assert_eq!(meta(&found.items[1], "source")["input_index"], "4");
}

#[test]
fn logiqate_series_pair_the_wordings_of_a_base_by_group() {
    let sum = "c81e728d9d4c2f636f067f89cc14862c";
    let csv = format!(
        "number_series,answer,obfuscation\n\"2, 4, ?\",6,\"Venus, 4, ?\"\n\"1, 9\",9,\"Mercury, 9\"\n\
         \"2, 4, ?\",6,\"771, Mars, ?\"\n\"2, 4, ?\",6,\"{sum}, 4, ?\"\n"
    );
    let found = read("logiqate", csv);
    let of: Vec<(&str, &str)> = found.items.iter().map(|i| (i.group.as_str(), i.variant.as_str())).collect();
    let (a, b) = ("set-000000", "set-000001");
    assert_eq!(of, [(a, "base"), (a, "planet"), (b, "base"), (b, "planet"), (a, "ascii"), (a, "md5")]);
    assert_eq!(found.items[0].question.as_deref(), Some("Which number is missing from the series?"));
    assert_eq!(found.items[2].question.as_deref(), Some("Which number in the series is wrong?"));
    assert!(found.items.iter().all(|item| item.endings.len() == 1 && item.label == 0));
    assert_eq!(found.defects.iter().filter(|d| d.kind == "no-choices").count(), 4);
    assert!(found.defects.iter().filter(|d| d.kind != "no-choices").all(|d| d.kind == "no-unknown-term"));
    // A wording is known by what it is made of, where that tells.
    let found = read("logiqate", "number_series,answer,obfuscation\n\"2, 4, ?\",6,\"771, 4, ?\"\n");
    assert_eq!(found.items[1].variant, "ascii");
}

#[test]
fn logiqate_kinship_and_direction_give_their_wordings() {
    let csv = "Answer,BaseQuestion,ObfuscatedQuest_l1,ObfuscatedQuest_l2\nAunt,\"A, who?\",\"B, who?\",\"C, who?\"\n";
    let found = read("logiqate", csv);
    let of: Vec<(&str, &str)> = found.items.iter().map(|i| (i.variant.as_str(), i.context.as_str())).collect();
    assert_eq!(of, [("base", "A, who?"), ("l1", "B, who?"), ("l2", "C, who?")]);
    assert!(found.items.iter().all(|item| item.endings == ["Aunt"] && item.group == "set-000000"));

    let found = read("logiqate", "BASE,OBFUS,ACTUAL ANSWER\nGo north.,\"Go\nto 12.\",North\n");
    let of: Vec<(&str, &str)> = found.items.iter().map(|i| (i.variant.as_str(), i.context.as_str())).collect();
    assert_eq!(of, [("base", "Go north."), ("obfuscated", "Go\nto 12.")]);
    assert_eq!(found.items[0].task, "logiqate-direction");
}

#[test]
fn hellaswag_labels_are_numbers_or_digits() {
    for label in [json!(1), json!("1")] {
        let record = json!({"ind": 3, "ctx_a": "Tom sits.", "ctx_b": "He", "ctx": "Tom sits. He",
            "endings": ["barks.", "purrs."], "label": label, "split": "val"});
        let found = read("hellaswag", record.to_string());
        assert_eq!((sole(&found).context.as_str(), sole(&found).label), ("Tom sits. He", 1));
        assert_eq!(meta(sole(&found), "source"), &record);
    }
    let found = read("hellaswag", json!({"ctx_a": "A.", "ctx_b": "b", "endings": ["c"], "label": 0}).to_string());
    assert_eq!(sole(&found).context, "A. b");
}

/// A line as the harness logs it.
pub fn log(endings: &[&str], target: &str) -> serde_json::Value {
    let requests = endings.iter().enumerate().map(|(i, ending)| {
        (format!("gen_args_{i}"), json!({"arg_0": "Tom is a cat.\nQuestion: Does he purr?\nAnswer:", "arg_1": ending}))
    });
    json!({"doc_id": 0, "doc": {"gold": 1}, "target": target, "filter": "none", "resps": [[["-0.1", "False"]]],
        "arguments": requests.collect::<serde_json::Map<_, _>>()})
}

#[test]
fn logs_of_the_harness_give_context_endings_and_target() {
    let line = log(&[" no", " yes", " maybe"], "1").to_string();
    let found = read_files("lm-eval", &[("samples_my_task_2026-01-02T03-04-05.678.jsonl", line.as_bytes())]);
    let item = sole(&found);
    assert_eq!((item.task.as_str(), item.label), ("my_task", 1));
    assert_eq!(item.context, "Tom is a cat.\nQuestion: Does he purr?\nAnswer:");
    assert_eq!(item.endings, ["no", "yes", "maybe"]);
    assert_eq!(meta(item, "source")["doc"]["gold"], 1);

    // Older logs have lists of pairs; mutual information adds requests without a context; a target may be a text.
    let mut older = log(&[], "yes");
    older["arguments"] = json!([["c", " no"], ["c", " yes"], ["", " no"], ["", " yes"]]);
    let found = read("lm-eval", older.to_string());
    assert_eq!((sole(&found).endings.join(" ").as_str(), sole(&found).label), ("no yes", 1));
}

#[test]
fn documents_of_the_harness_may_be_spelt_in_several_ways() {
    let rows = [
        json!({"question": "Q?", "choices": ["x", "y"], "answer": 1}),
        json!({"question": "R?", "options": ["x", "y"], "answer": "B"}),
        json!({"question": "S?", "choices": ["x", "y"], "answer": "y"}),
        json!({"question": "T?", "choices": {"text": ["x", "y"], "label": ["1", "2"]}, "answerKey": "2"}),
        json!({"doc": {"question": "U?", "choices": ["x", "y"], "gold": "1"}}),
        json!({"context": "C.", "question": "V?", "choices": ["x", "y"], "label": 1}),
    ];
    let found = read("lm-eval", rows.map(|row| row.to_string()).join("\n"));
    assert!(found.defects.is_empty(), "{:?}", found.defects);
    assert_eq!(found.items.len(), 6);
    assert!(found.items.iter().all(|item| item.label == 1 && item.endings == ["x", "y"]));
    assert_eq!(found.items[0].context, "Question: Q?\nAnswer:");
    assert_eq!((found.items[5].context.as_str(), found.items[5].question.as_deref()), ("C.", Some("V?")));
}

#[test]
fn csv_choices_stand_in_a_list_in_numbered_or_in_lettered_columns() {
    for text in [
        "context,endings,label\nTom,\"[\"\"purrs\"\", \"\"barks\"\"]\",1\n",
        "context,endings,label\nTom,\"['purrs', 'barks']\",1\n",
        "Context,ending1,ending2,ending3,label\nTom,purrs,barks,,ending2\n",
        "ctx,choice_0,choice_1,answer\nTom,purrs,barks,barks\n",
        "passage,A,B,answer\nTom,purrs,barks,B\n",
    ] {
        let found = read("csv", text);
        assert_eq!((sole(&found).context.as_str(), sole(&found).label), ("Tom", 1), "{text}");
        assert_eq!(sole(&found).endings, ["purrs", "barks"], "{text}");
    }
    let found = read("csv", "id,task,group,variant,hops,question,A,B,label,note\nx,t,g,l1,3,Q?,a,b,0,kept\n");
    let item = sole(&found);
    let names = [&item.id, &item.task, &item.group, &item.variant].map(String::as_str);
    assert_eq!((names, item.hops), (["x", "t", "g", "l1"], 3));
    assert_eq!(meta(item, "source")["note"], "kept");
}

#[test]
fn clutrr_and_logiqa() {
    let records = json!([
        {"story": "[A] is [B]'s son.", "query": "('B', 'A')", "target": "15", "target_text": "son", "task_name": "task_1.2"},
        {"story": "[C] is [D]'s sister.", "query": "('D', 'C')", "target": "4", "target_text": "sister", "task_name": "task_1.3"},
    ]);
    let found = read("clutrr", records.to_string());
    assert_eq!(places(&found), []);
    assert_eq!(found.items[0].question.as_deref(), Some("What is A to B?"));
    assert_eq!((found.items[0].endings.join(" ").as_str(), found.items[0].label), ("sister son", 1));
    assert_eq!(found.items.iter().map(|item| item.hops).collect::<Vec<_>>(), [2, 3]);

    let record =
        json!({"id": 1, "answer": 1, "text": "t", "question": "q", "options": ["a", "b"], "type": {"x": true}});
    let found = read("logiqa", record.to_string());
    assert_eq!((sole(&found).label, meta(sole(&found), "source")), (1, &record));
}
