//! `llscore inspect --architectures`: what can be run, from the table of families.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde_json::json;

use crate::cli::{print, print_json};
use crate::model::arch::{FAMILIES, Family, REFUSED};
use crate::results::Format;
use crate::{Error, Result};

/// Columns of the list.
const HEADER: [&str; 5] = ["model_type", "such as", "safetensors", "GGUF", "particulars"];

/// Prints the list.
///
/// # Errors
/// If standard output cannot be written.
pub fn show(format: Format, as_json: bool) -> Result<()> {
    if as_json {
        return print_json(&json!({
            "architectures": FAMILIES.iter().map(object).collect::<Vec<_>>(),
            "refused": REFUSED.iter().map(|(name, why)| json!({"model_type": name, "why": why})).collect::<Vec<_>>(),
        }));
    }
    print(&match format {
        Format::Table => table(),
        Format::Markdown => markdown(),
        Format::Csv => csv().map_err(|e| Error::usage(format!("the list cannot be written: {e}")))?,
    })
}

fn object(family: &Family) -> serde_json::Value {
    let [model_type, models, _, _, notes] = cells(family);
    json!({
        "model_type": model_type,
        "models": models,
        "safetensors": true,
        "gguf": family.gguf(),
        "particulars": notes,
    })
}

fn cells(family: &Family) -> [&'static str; 5] {
    [family.model_type, family.models, "yes", family.gguf().unwrap_or("no"), family.notes]
}

fn table() -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(HEADER);
    table.add_rows(FAMILIES.iter().map(cells));
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    text += "\nrefused by name\n";
    REFUSED.iter().for_each(|(name, why)| text += &format!("{name:<16} {why}\n"));
    text
}

fn markdown() -> String {
    let mut text = format!("| `{}` | {} |\n|---|---|---|---|---|\n", HEADER[0], HEADER[1..].join(" | "));
    for family in FAMILIES {
        let [model_type, rest @ ..] = cells(family);
        text += &format!("| `{model_type}` | {} |\n", rest.join(" | "));
    }
    text
}

fn csv() -> std::result::Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER)?;
    FAMILIES.iter().try_for_each(|f| writer.write_record(cells(f)))?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}
