//! One question on the command line, answered for a person.

use std::fmt::Write;

use serde_json::json;

use super::{ProveArgs, derivation};
use crate::cli::{complain, complain_more, print, print_json};
use crate::logic::derive::Shortest;
use crate::logic::{Answer, Decision, Limits, Model, Question, Refutation, Remark, Verdict, prove};
use crate::{Error, Result};

/// Answers the question of `--premise` and `--conclusion`.
pub(super) fn run(args: &ProveArgs, conclusion: &str, limits: &Limits) -> Result<u8> {
    let text = |remark: &Remark| remark.index.map_or(conclusion, |i| &args.premise[i]);
    let question = match Question::parse(&args.premise, Some(conclusion), args.syntax.chosen()) {
        Ok(question) => question,
        Err(faults) => {
            for fault in &faults {
                complain("error", fault);
                complain_more(&mark(fault, text(fault)));
            }
            return Ok(2);
        }
    };
    let Some(formula) = &question.conclusion else { return Err(Error::usage("give a --conclusion")) };
    if let Some(format) = args.export {
        print(&format.write(&question.premises, formula, args.una))?;
        return Ok(0);
    }
    let answer = prove(&question.premises, formula, limits).map_err(|fault| Error::usage(fault.to_string()))?;
    let count = question.premises.len();
    let shortest = derivation::of(&answer, &question.premises, formula, args.max_steps, limits);
    if args.json {
        let mut evidence = answer.evidence(count);
        derivation::add(&mut evidence, shortest.as_ref(), count);
        let line = json!({"verdict": answer.verdict, "evidence": evidence, "warnings": question.warnings});
        print_json(&line)?;
        return Ok(0);
    }
    for warning in question.warnings.iter().filter(|_| !args.quiet) {
        complain("warning", warning);
        complain_more(&mark(warning, text(warning)));
    }
    let mut out = String::new();
    tell(&mut out, &answer, shortest.as_ref(), count);
    print(&out)?;
    Ok(0)
}

/// A formula's text and a mark under the column.
fn mark(remark: &Remark, text: &str) -> String {
    // A mark stands under its character only where the text is one line; other control characters are spaces.
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("  {text}\n  {}^", " ".repeat(remark.fault.column.saturating_sub(1)))
}

fn tell(out: &mut String, answer: &Answer, shortest: Option<&Shortest>, premises: usize) {
    let words = match answer.verdict {
        Verdict::Entailed => "the conclusion follows from the premises",
        Verdict::Contradicted => "the negation of the conclusion follows from the premises",
        Verdict::Unknown => "the premises leave the conclusion open",
        Verdict::Inconsistent => "the premises cannot hold together, so that everything follows from them",
        Verdict::Undecided => "neither a proof nor a model was found within the limits",
    };
    let _ = writeln!(out, "{}: {words}", answer.verdict.name());
    let model = |out: &mut String, title: &str, model: &Model| {
        let _ = writeln!(out, "\n{title}");
        for line in model.to_string().lines() {
            let _ = writeln!(out, "  {line}");
        }
    };
    match shortest {
        Some(Shortest::Found(derivation)) => {
            let steps = if derivation.count == 1 { "step" } else { "steps" };
            let _ = writeln!(out, "\nDerivation in {} {steps}, the fewest there can be:", derivation.count);
            for line in derivation.to_text(premises, answer.verdict == Verdict::Contradicted).lines() {
                let _ = writeln!(out, "  {line}");
            }
            return;
        }
        Some(Shortest::Unknown { reason, .. }) => {
            let _ = writeln!(out, "\nThe fewest steps were not found out: {reason}.");
        }
        None => {}
    }
    match answer.verdict {
        Verdict::Entailed => proof(out, answer.without.refutation(), premises, "the conclusion's negation"),
        Verdict::Contradicted => proof(out, answer.with.refutation(), premises, "the conclusion"),
        Verdict::Inconsistent if answer.premises.is_some() => proof(out, answer.premises.as_ref(), premises, ""),
        Verdict::Inconsistent => {
            proof(out, answer.with.refutation(), premises, "the conclusion");
            proof(out, answer.without.refutation(), premises, "the conclusion's negation");
        }
        Verdict::Unknown | Verdict::Undecided => {
            let unless = "unless the premises contradict each other, of which neither a proof nor a model was found";
            for (found, word) in [(&answer.without, "conclusion"), (&answer.with, "conclusion's negation")] {
                if let Some(refutation) = found.refutation() {
                    let _ = writeln!(out, "\nThe {word} follows, {unless}.");
                    let last = if word == "conclusion" { "the conclusion's negation" } else { "the conclusion" };
                    proof(out, Some(refutation), premises, last);
                }
            }
            if let Some(found) = answer.with.model() {
                model(out, "A model of the premises in which the conclusion is true:", found);
            }
            if let Some(found) = answer.without.model() {
                model(out, "A model of the premises in which the conclusion is false:", found);
            }
        }
    }
    for (what, decision) in [("true", &answer.with), ("false", &answer.without)] {
        if let Decision::Undecided(reason) = decision {
            let _ = writeln!(out, "\nWhether the conclusion can be {what}: not found out ({reason})");
        }
    }
}

/// The instances of a refutation, one a line.
fn proof(out: &mut String, refutation: Option<&Refutation>, premises: usize, last: &str) {
    let Some(refutation) = refutation else { return };
    let _ = writeln!(out, "\nThese cannot hold together:");
    let name = |source: usize| match source < premises {
        true => format!("premise {}", source + 1),
        false => last.to_string(),
    };
    let wide = refutation.instances.iter().map(|i| name(i.source).chars().count()).max().unwrap_or(0);
    for instance in &refutation.instances {
        let with: Vec<String> = instance.bindings.iter().map(|(x, t)| format!("{x} = {t}")).collect();
        let with = if with.is_empty() { String::new() } else { format!("   ({})", with.join(", ")) };
        let _ = writeln!(out, "  {:wide$}  {}{with}", name(instance.source), instance.ground);
    }
    for skolem in &refutation.skolems {
        let args = match skolem.depends_on.is_empty() {
            true => String::new(),
            false => format!("({})", skolem.depends_on.join(", ")),
        };
        let _ =
            writeln!(out, "  where {}{args} is what {} says exists: {}", skolem.name, name(skolem.source), skolem.says);
    }
    if refutation.unique_names {
        let _ = writeln!(out, "  different constants name different things (--una)");
    }
}
