//! The report of a model for people: a line for each thing that is known.

use crate::cli::visible;
use crate::inspect::{Experts, Inspection, Rope, SpecialToken, SpecialTokens};
use crate::results::tables::thousands;

/// The report; memory is estimated for numbers of type `dtype`.
pub fn table(found: &Inspection, dtype: &str) -> String {
    let mut rows = Rows(String::new());
    rows.add("model", Some(identity(found)));
    rows.add("parameters", found.parameters.map(|n| parameters(n, found)));
    rows.add("layers", shape(found));
    rows.add("attention", attention(found));
    rows.add("windows", found.windows.as_deref().map(windows));
    rows.add("positions", found.positions.as_ref().map(|p| positions(p, found)));
    if found.ropes.is_empty() {
        rows.add("rope", found.rope.as_ref().map(|r| rope(r, found.layers)));
    }
    found.ropes.iter().for_each(|r| rows.add("rope", Some(rope(r, found.layers))));
    rows.add("experts", found.experts.as_ref().map(|e| experts(e, found.layers)));
    rows.add("weights", weights(found));
    rows.add("memory", memory(found, dtype));
    rows.add("tokenizer", found.tokenizer.as_ref().map(|t| format!("{}, {} entries", t.kind, count(t.vocab_size))));
    rows.add("embedding", embedding(found));
    rows.add("bos", bos(found));
    rows.add("special", found.special_tokens.as_ref().map(special));
    rows.add("chat", chat(found));
    for (file, remedy) in found.missing.iter().zip(&found.remedies) {
        rows.add("missing", Some(format!("{file}: {remedy}")));
    }
    rows.0
}

/// Lines of a name and a value.
struct Rows(String);

impl Rows {
    fn add(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value {
            self.0 += &format!("{name:<11} {}\n", visible(&value));
        }
    }
}

fn count(n: usize) -> String {
    thousands(n as u64)
}

fn identity(found: &Inspection) -> String {
    let kind = match (&found.model_type, &found.architecture) {
        (Some(t), Some(a)) if t != a => format!(" ({t}, {a})"),
        (Some(t), _) => format!(" ({t})"),
        (None, _) => String::new(),
    };
    let commit = found.revision.as_ref().map(|r| format!(", commit {r}")).unwrap_or_default();
    format!("{}{kind}{commit}", found.model)
}

fn parameters(n: usize, found: &Inspection) -> String {
    let tied = if found.tied == Some(true) { ", embedding and head tied" } else { "" };
    format!("{}{tied}", count(n))
}

fn shape(found: &Inspection) -> Option<String> {
    Some(format!("{} of width {}", found.layers?, count(found.hidden_size?)))
}

fn attention(found: &Inspection) -> Option<String> {
    let (heads, shared, width) = (found.heads?, found.kv_heads?, found.head_dim?);
    let keys = if shared == heads { String::new() } else { format!(", {shared} key/value heads") };
    let values = found.value_dim.filter(|v| *v != width).map(|v| format!(", values of width {v}")).unwrap_or_default();
    Some(format!("{heads} heads of width {width}{keys}{values}"))
}

/// `4096 on layers 0, 2, 4 … (13 of 26)`.
fn windows(windows: &[Option<usize>]) -> String {
    let mut sizes: Vec<usize> = windows.iter().flatten().copied().collect();
    sizes.sort_unstable();
    sizes.dedup();
    let one = |size: &usize| {
        let layers: Vec<usize> = (0..windows.len()).filter(|i| windows[*i] == Some(*size)).collect();
        format!("{size} on {}", on_layers(&layers, windows.len()))
    };
    if sizes.is_empty() { "none".to_string() } else { sizes.iter().map(one).collect::<Vec<_>>().join("; ") }
}

/// Layers that are listed before the list is cut.
const LISTED: usize = 3;

/// `all 26 layers`, or `layers 0, 2, 4 … (13 of 26)`.
fn on_layers(layers: &[usize], all: usize) -> String {
    if layers.len() == all {
        return format!("all {all} layers");
    }
    let text = |some: &[usize]| some.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let listed = if layers.len() > LISTED + 1 { format!("{} …", text(&layers[..LISTED])) } else { text(layers) };
    format!("layer{} {listed} ({} of {all})", if layers.len() == 1 { "" } else { "s" }, layers.len())
}

fn positions(kind: &str, found: &Inspection) -> String {
    match found.context_length {
        Some(n) => format!("{kind}, context of {} tokens", count(n)),
        None => format!("{kind}, context without limit"),
    }
}

fn rope(rope: &Rope, layers: Option<usize>) -> String {
    let mut text = format!("{}, θ {}, {} dimensions {}", rope.rule, rope.theta, rope.dims, rope.layout);
    if let Some(numbers) = rope.scaling.as_ref().and_then(|s| s.as_object()) {
        numbers.iter().for_each(|(name, value)| text += &format!(", {} {}", phrase(name), number(value)));
    }
    if rope.attention_factor != 1.0 {
        text += &format!(", attention factor {}", rope.attention_factor);
    }
    if let Some(change) = rope.by_length {
        text += &format!(", {} above {} tokens", change.how, count(change.above));
    }
    let all = layers.unwrap_or_default();
    if rope.layers.len() < all {
        text += &format!(", on {}", on_layers(&rope.layers, all));
    }
    text
}

/// A configuration's key in words.
fn phrase(key: &str) -> String {
    match key {
        "original_max_position_embeddings" => "original length".to_string(),
        "low_freq_factor" => "low".to_string(),
        "high_freq_factor" => "high".to_string(),
        other => other.replace('_', " "),
    }
}

/// A number without the `.0` of whole ones; anything else as it is.
fn number(value: &serde_json::Value) -> String {
    value.as_f64().map_or_else(|| value.to_string(), |n| n.to_string())
}

fn experts(experts: &Experts, layers: Option<usize>) -> String {
    let shared = experts.shared.map(|w| format!(", and a shared one of width {w}")).unwrap_or_default();
    format!(
        "{} of {} chosen, of width {}{shared}, on {}",
        experts.chosen,
        experts.count,
        experts.inner,
        on_layers(&experts.layers, layers.unwrap_or_default())
    )
}

fn weights(found: &Inspection) -> Option<String> {
    let dtype = found.dtype.as_ref()?;
    Some(match found.bytes_on_disk {
        Some(bytes) => format!("{dtype}, {} on disk", bytes_of(usize::try_from(bytes).unwrap_or(usize::MAX))),
        None if found.revision.is_some() => format!("{dtype}, as the configuration states; not fetched"),
        None => format!("{dtype}, as the configuration states"),
    })
}

fn memory(found: &Inspection, dtype: &str) -> Option<String> {
    let need = found.memory?;
    let dtype = if dtype == "auto" { "f32" } else { dtype };
    Some(format!("{} resident, {} streamed, in {dtype}", bytes_of(need.resident), bytes_of(need.streamed)))
}

/// Bytes in MB or GB of the powers of two, as a run's other messages count.
fn bytes_of(n: usize) -> String {
    if n < 10 << 30 {
        format!("{} MB", count(n.div_ceil(1 << 20)))
    } else {
        format!("{} GB", count(n.div_ceil(1 << 30)))
    }
}

fn embedding(found: &Inspection) -> Option<String> {
    let rows = found.vocab_rows?;
    Some(match &found.vocabulary {
        None => format!("{} rows", count(rows)),
        Some(v) if v.without_row > 0 => {
            format!("{} rows; {} entries of the tokenizer have none", count(rows), count(v.without_row))
        }
        Some(v) => match rows.saturating_sub(v.largest_id as usize + 1) {
            0 => format!("{} rows, one for each id", count(rows)),
            spare => format!("{} rows, {} beyond the tokenizer's ids", count(rows), count(spare)),
        },
    })
}

fn bos(found: &Inspection) -> Option<String> {
    let bos = found.bos.as_ref()?;
    Some(match bos.ids.is_empty() {
        true => format!("nothing before a text ({} decides)", bos.source),
        false => format!("{} before every text ({} decides)", bos.tokens.join(" "), bos.source),
    })
}

fn special(tokens: &SpecialTokens) -> String {
    let named = [("BOS", &tokens.bos), ("EOS", &tokens.eos), ("unknown", &tokens.unknown)];
    let one = |(name, token): (&str, &Option<SpecialToken>)| match token {
        Some(t) => format!("{name} {} ({})", t.token, t.id),
        None => format!("no {name}"),
    };
    format!("{}; {} special in all", named.map(one).join(", "), tokens.all.len())
}

fn chat(found: &Inspection) -> Option<String> {
    found.tokenizer.as_ref()?;
    Some(match &found.chat_template {
        None => "no template".to_string(),
        Some(t) if t.names.is_empty() => format!("a template in {}", t.from),
        Some(t) => format!("templates in {}: {}", t.from, t.names.join(", ")),
    })
}
