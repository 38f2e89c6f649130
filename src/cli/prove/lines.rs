//! Files of questions: one line in, one line out, in order, in parallel.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::{ExportArg, ProveArgs, derivation};
use crate::cli::complain;
use crate::item::read_bytes;
use crate::logic::{Limits, Question, Remark, Syntax, Verdict, prove};
use crate::{Error, Result};

/// Lines that are worked on before the first of them is written.
const BATCH: usize = 256;

/// What became of the lines.
#[derive(Default)]
struct Counts {
    lines: usize,
    /// Lines that held a question, whether or not its formulas parse.
    questions: usize,
    errors: usize,
    warned: usize,
    verdicts: [usize; 5],
}

const VERDICTS: [Verdict; 5] =
    [Verdict::Entailed, Verdict::Contradicted, Verdict::Unknown, Verdict::Inconsistent, Verdict::Undecided];

/// Answers each line of a file.
pub(super) fn run(args: &ProveArgs, file: &Path, limits: &Limits) -> Result<u8> {
    let bytes = read_bytes(file)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    // Blank lines hold no question.
    let lines: Vec<(usize, &[u8])> = bytes
        .split(|&b| b == b'\n')
        .enumerate()
        .map(|(i, line)| (i + 1, line))
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .collect();
    if lines.is_empty() {
        return Err(Error::data(file, None, "holds no question; the file is empty"));
    }
    let mut counts = Counts::default();
    let mut out = std::io::stdout().lock();
    let failed = |e: std::io::Error| Error::Write { path: "standard output".into(), source: e };
    for batch in lines.chunks(BATCH) {
        let done: Vec<Line> =
            batch.par_iter().map(|(number, line)| answer(*number, line, args, args.syntax.chosen(), limits)).collect();
        for line in done {
            counts.add(&line);
            match out.write_all(line.text.as_bytes()) {
                Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => return Ok(0),
                other => other.map_err(failed)?,
            }
        }
        out.flush().or_else(|e| if e.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(failed(e)) })?;
    }
    if counts.questions == 0 {
        return Err(Error::data(
            file,
            Some(lines[0].0),
            "no line holds a question; each must be one JSON object, {\"premises\":[…],\"conclusion\":\"…\"}",
        ));
    }
    if !args.quiet {
        complain("note", counts.summary(args.export.is_some()));
    }
    Ok(u8::from(counts.errors > 0))
}

/// One line out.
struct Line {
    text: String,
    question: bool,
    verdict: Option<Verdict>,
    warned: bool,
}

fn answer(number: usize, line: &[u8], args: &ProveArgs, syntax: Option<Syntax>, limits: &Limits) -> Line {
    let object = std::str::from_utf8(line)
        .map_err(|e| format!("line {number} is not UTF-8 at byte {}", e.valid_up_to() + 1))
        .and_then(|text| {
            serde_json::from_str::<Map<String, Value>>(text).map_err(|e| {
                // The parser has seen this line alone, so that its line number would mislead.
                let (reason, place) = (e.to_string(), format!(" at line {} column {}", e.line(), e.column()));
                let reason = reason.strip_suffix(&place).unwrap_or(&reason);
                format!("line {number} is no JSON object: {reason}, at byte {}", e.column())
            })
        });
    let mut object = match object {
        Ok(object) => object,
        Err(message) => return broken(Map::new(), false, "line", "json", &message, args.export),
    };
    let fields = fields(&object);
    let (premises, conclusion) = match fields {
        Ok(fields) => fields,
        Err(message) => return broken(object, false, "line", "field", &message, args.export),
    };
    object.retain(|name, _| !["premises", "conclusion", "verdict", "evidence", "warnings", "error"].contains(&&**name));
    let question = match Question::parse(&premises, Some(&conclusion), syntax) {
        Ok(question) => question,
        Err(faults) => return refused(object, &faults, args.export),
    };
    let Some(formula) = &question.conclusion else { return refused(object, &[], args.export) };
    if let Some(format) = args.export {
        let problem = format.write(&question.premises, formula, args.una);
        // One SMT-LIB script may hold them all: what was declared for the last is forgotten.
        let reset = if matches!(format, ExportArg::Smtlib) { "(reset)\n" } else { "" };
        let text = format!("{} line {number}\n{reset}{problem}\n", format.comment());
        return Line { text, question: true, verdict: Some(Verdict::Undecided), warned: !question.warnings.is_empty() };
    }
    let answer = match prove(&question.premises, formula, limits) {
        Ok(answer) => answer,
        Err(fault) => return broken(object, true, "line", &fault.kind.name(), &fault.message, None),
    };
    object.insert("verdict".into(), json!(answer.verdict));
    let count = question.premises.len();
    let mut evidence = answer.evidence(count);
    let shortest = derivation::of(&answer, &question.premises, formula, args.max_steps, limits);
    derivation::add(&mut evidence, shortest.as_ref(), count);
    object.insert("evidence".into(), evidence);
    object.insert("warnings".into(), json!(question.warnings));
    let warned = !question.warnings.is_empty();
    Line { text: format!("{}\n", Value::Object(object)), question: true, verdict: Some(answer.verdict), warned }
}

/// The premises and the conclusion of a line.
fn fields(object: &Map<String, Value>) -> Result<(Vec<String>, String), String> {
    let texts = |list: &Vec<Value>| list.iter().map(|v| v.as_str().map(str::to_string)).collect::<Option<Vec<_>>>();
    let premises = match object.get("premises") {
        Some(Value::Array(list)) => texts(list).ok_or("field `premises` must be a list of strings")?,
        Some(_) => return Err("field `premises` must be a list of strings".to_string()),
        None => return Err("field `premises` is missing".to_string()),
    };
    match object.get("conclusion") {
        Some(Value::String(conclusion)) => Ok((premises, conclusion.clone())),
        Some(_) => Err("field `conclusion` must be a string".to_string()),
        None => Err("field `conclusion` is missing".to_string()),
    }
}

/// The line for formulas that do not parse: the first is the error, and all are listed where there are several.
fn refused(mut object: Map<String, Value>, faults: &[Remark], export: Option<ExportArg>) -> Line {
    object.insert("error".into(), json!(faults.first()));
    if faults.len() > 1 {
        object.insert("errors".into(), json!(faults));
    }
    line(object, true, export)
}

fn broken(
    mut object: Map<String, Value>,
    question: bool,
    place: &str,
    kind: &str,
    message: &str,
    export: Option<ExportArg>,
) -> Line {
    let error = json!({"where": place, "index": null, "column": null, "kind": kind, "message": message});
    object.insert("error".into(), error);
    line(object, question, export)
}

/// A line with an error; a comment in an export.
fn line(object: Map<String, Value>, question: bool, export: Option<ExportArg>) -> Line {
    let comment = export.map(|format| format!("{} ", format.comment())).unwrap_or_default();
    Line { text: format!("{comment}{}\n", Value::Object(object)), question, verdict: None, warned: false }
}

impl Counts {
    fn add(&mut self, line: &Line) {
        self.lines += 1;
        self.questions += usize::from(line.question);
        self.warned += usize::from(line.warned);
        match line.verdict {
            Some(verdict) => {
                let at = VERDICTS.iter().position(|v| *v == verdict).unwrap_or(0);
                self.verdicts[at] += 1;
            }
            None => self.errors += 1,
        }
    }

    fn summary(&self, export: bool) -> String {
        let mut parts = vec![format!("{} line{}", self.lines, if self.lines == 1 { "" } else { "s" })];
        if !export {
            let named = VERDICTS.iter().zip(self.verdicts).filter(|(_, n)| *n > 0);
            parts.extend(named.map(|(verdict, n)| format!("{n} {}", verdict.name())));
        }
        if self.errors > 0 {
            parts.push(format!("{} with an error", self.errors));
        }
        if self.warned > 0 {
            parts.push(format!("{} with warnings", self.warned));
        }
        parts.join(", ")
    }
}
