//! Small tokenizers of each kind, spelt out, so that what they do can be worked out by hand.

use std::path::Path;

use llscore::tokenize::{BosPolicy, EncodeOptions, EncodedPair, SpecialIds, TextEncoder};
use serde_json::{Value, json};
use tokenizers::Tokenizer;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;

/// A complete tokenizer.json.
pub fn file(
    model: Value,
    normalizer: Value,
    pre: Value,
    post: Value,
    decoder: Value,
    special: &[(u32, &str)],
) -> Value {
    let added: Vec<Value> = special
        .iter()
        .map(|(id, content)| {
            json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
                   "normalized": false, "special": true})
        })
        .collect();
    json!({"version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": normalizer,
           "pre_tokenizer": pre, "post_processor": post, "decoder": decoder, "model": model})
}

/// A template that puts the first token before the text and, if given, the second behind it.
pub fn template(before: (u32, &str), behind: Option<(u32, &str)>) -> Value {
    let special = |name: &str, kind: u32| json!({"SpecialToken": {"id": name, "type_id": kind}});
    let mut single = vec![special(before.1, 0), json!({"Sequence": {"id": "A", "type_id": 0}})];
    let mut tokens = serde_json::Map::new();
    tokens.insert(before.1.into(), json!({"id": before.1, "ids": [before.0], "tokens": [before.1]}));
    if let Some((id, name)) = behind {
        single.push(special(name, 0));
        tokens.insert(name.into(), json!({"id": name, "ids": [id], "tokens": [name]}));
    }
    let mut pair = single.clone();
    pair.push(json!({"Sequence": {"id": "B", "type_id": 1}}));
    json!({"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens})
}

/// Vocabulary: `first`, then what the merges make; merges are `"left right"`.
fn vocabulary(first: impl IntoIterator<Item = String>, merges: &[&str]) -> serde_json::Map<String, Value> {
    let mut vocab = serde_json::Map::new();
    for piece in first.into_iter().chain(merges.iter().map(|m| m.replace(' ', ""))) {
        let id = vocab.len();
        vocab.entry(piece).or_insert(json!(id));
    }
    vocab
}

/// GPT-2's kind: all bytes, `Ġ` for a space. Ids 0 and 1 are `<s>` and `</s>`.
pub fn byte_level(merges: &[&str], add_prefix_space: bool, trim_offsets: bool, post: Value) -> Value {
    let mut bytes: Vec<String> = ByteLevel::alphabet().iter().map(char::to_string).collect();
    bytes.sort();
    let vocab = vocabulary(["<s>".to_string(), "</s>".to_string()].into_iter().chain(bytes), merges);
    let level = |trim: bool| json!({"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": trim, "use_regex": true});
    let post = if post.is_null() { level(trim_offsets) } else { post };
    let model = json!({"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
                       "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
                       "vocab": vocab, "merges": merges});
    file(model, Value::Null, level(true), post, level(true), &[(0, "<s>"), (1, "</s>")])
}

/// Merges for GPT-2's kind.
pub const MERGES: &[&str] = &[
    "A n", "An s", "w e", "we r", "Ans wer", "l o", "h e", "l lo", "he llo", "Ġ P", "a r", "i s", "Ġ w", "o r",
    "Ġw or", "l d", "Ġwor ld", "ĠP ar", "ĠPar is", ". Ċ", "Ġ A", "Ã ©", "© Ã", "Ġ Ġ",
];

/// Llama's kind: `▁` for a space, one before the text, bytes for unknown characters, BOS by the template.
/// Ids 0, 1, 2 are `<unk>`, `<s>`, `</s>`. `metaspace` chooses between the two forms in which files have it.
pub fn llama(metaspace: bool) -> Value {
    let merges =
        ["▁ P", "a r", "i s", "▁P ar", "▁Par is", "A n", "s w", "e r", "▁ An", "▁An sw", "▁Answ er", "▁ A", "Q :"];
    let first = ["<unk>", "<s>", "</s>"].map(str::to_string).into_iter();
    let bytes = (0..=255u8).map(|b| format!("<0x{b:02X}>"));
    let letters = "▁abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:,?<>/".chars().map(|c| c.to_string());
    let model = json!({"type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
                       "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
                       "vocab": vocabulary(first.chain(bytes).chain(letters), &merges), "merges": merges});
    let (normalizer, pre) = if metaspace {
        (Value::Null, json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}))
    } else {
        (
            json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                   {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}),
            Value::Null,
        )
    };
    let decoder = json!({"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]});
    file(model, normalizer, pre, template((1, "<s>"), None), decoder, &[(0, "<unk>"), (1, "<s>"), (2, "</s>")])
}

/// SentencePiece's unigram kind. Ids 0, 1, 2 are `<unk>`, `<s>`, `</s>`; no BOS is added.
pub fn unigram() -> Value {
    let mut vocab = vec![json!(["<unk>", 0.0]), json!(["<s>", 0.0]), json!(["</s>", 0.0])];
    vocab.extend(["▁Paris", "▁is", "▁", "▁Answer", ":"].iter().map(|p| json!([p, -3.0])));
    vocab.extend("abcdefghijklmnopqrstuvwxyzAP.".chars().map(|c| json!([c.to_string(), -6.0])));
    let space = json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true});
    let model = json!({"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": false});
    file(model, Value::Null, space.clone(), Value::Null, space, &[(0, "<unk>"), (1, "<s>"), (2, "</s>")])
}

/// One word, one id. Ids 0, 1, 2 are `<unk>`, `<s>`, `</s>`; BOS before, and EOS behind if `eos`.
pub fn words(eos: bool) -> Value {
    let words = ["<unk>", "<s>", "</s>", "Every", "wumpus", "is", "a", "tumpus", "."].map(str::to_string);
    let model = json!({"type": "WordLevel", "unk_token": "<unk>", "vocab": vocabulary(words, &[])});
    let post = template((1, "<s>"), eos.then_some((2, "</s>")));
    let pre = json!({"type": "WhitespaceSplit"});
    file(model, Value::Null, pre, post, Value::Null, &[(0, "<unk>"), (1, "<s>"), (2, "</s>")])
}

/// GPT-2's kind with [`MERGES`] and neither BOS nor trimmed offsets.
pub fn plain_bytes() -> Value {
    byte_level(MERGES, false, false, Value::Null)
}

/// The tokenizer of a file.
pub fn tokenizer(file: &Value) -> Tokenizer {
    Tokenizer::from_bytes(file.to_string()).expect("a tokenizer")
}

/// An encoder of a file, with these BOS and EOS ids.
pub fn encoder_with(file: &Value, bos: Option<u32>, eos: Option<u32>, options: EncodeOptions) -> TextEncoder {
    let ids = SpecialIds { bos, eos, add_bos: None };
    TextEncoder::from_tokenizer(tokenizer(file), ids, Path::new("tokenizer.json"), options).expect("an encoder")
}

/// An encoder of a file with the policy and ids that it asks for itself.
pub fn encoder(file: &Value) -> TextEncoder {
    encoder_with(file, None, None, EncodeOptions::default())
}

/// Options with a BOS policy.
pub fn bos(policy: BosPolicy) -> EncodeOptions {
    EncodeOptions { bos: policy, ..Default::default() }
}

/// The pieces of context and ending.
pub fn pieces(encoder: &TextEncoder, pair: &EncodedPair) -> (Vec<String>, Vec<String>) {
    let of = |ids: &[u32]| {
        ids.iter().map(|id| encoder.tokenizer().id_to_token(*id).unwrap_or_else(|| format!("#{id}"))).collect()
    };
    (of(&pair.ids[..pair.context_len]), of(&pair.ids[pair.context_len..]))
}
