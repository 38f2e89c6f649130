//! The pre-tokenizers that a GGUF file names by its key `tokenizer.ggml.pre`: how text is normalised and cut into
//! pieces before byte-pair merges.
//!
//! The names are llama.cpp's; what each stands for is what the tokenizer.json of the models behind the name says (the
//! expressions are the models' own, whose case-insensitive groups the C++ code spells out). A name that is not in the
//! table is refused: a wrong split changes ids without a sign.

use super::named::Class;
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{NormalizerWrapper, SplitDelimiterBehavior};

/// Words with one leading character, numbers of at most three digits, punctuation with the line ends that follow it.
const LLAMA_3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// As Llama 3's, with single digits.
const QWEN_2: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Mistral's Tekken: words are cut where lower case turns to upper case.
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// GPT-4o's: as Tekken's, with contractions at the word and numbers of at most three digits.
const GPT_4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// DeepSeek Coder: cut one after the other.
const DEEPSEEK_CODER: &[&str] = &[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"];
/// DeepSeek V3: cut one after the other.
const DEEPSEEK_V3: &[&str] = &[
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##,
];

/// What happens to text before the merges.
pub(super) struct Pretokenizer {
    /// Unicode normalisation.
    pub(super) normalizer: Option<NormalizerWrapper>,
    /// The cuts, then bytes to letters.
    pub(super) splitter: PreTokenizerWrapper,
    /// A piece that is a token is that token, whatever the merges say.
    pub(super) ignore_merges: bool,
}

/// The names that are known, for messages.
pub(super) const KNOWN: &[&str] = &[
    "command-r",
    "deepseek-coder",
    "deepseek-r1-qwen",
    "deepseek-v3",
    "default",
    "falcon-h1",
    "falcon3",
    "gpt-2",
    "gpt-4o",
    "lfm2",
    "llama-bpe",
    "llama-v3",
    "llama3",
    "llama4",
    "mpt",
    "olmo",
    "phi-2",
    "qwen2",
    "refact",
    "smaug-bpe",
    "smollm",
    "starcoder",
    "tekken",
];

/// The pre-tokenizer of that name, if it is known.
pub(super) fn by_name(name: &str) -> tokenizers::Result<Option<Pretokenizer>> {
    let nfc = || Some(NormalizerWrapper::from(NFC));
    let (normalizer, splitter, ignore_merges) = match name {
        "gpt-2" | "phi-2" | "default" => (None, gpt_2().into(), false),
        // Both vocabularies descend from GPT-NeoX's, which normalises.
        "mpt" | "olmo" => (nfc(), gpt_2().into(), false),
        "smollm" | "starcoder" | "refact" => (None, digits_and_gpt_2(), false),
        "command-r" => (nfc(), digits_and_gpt_2(), false),
        "llama-bpe" | "llama3" | "llama-v3" | "falcon3" | "falcon-h1" | "lfm2" => (None, cuts(&[LLAMA_3])?, true),
        "smaug-bpe" => (None, cuts(&[LLAMA_3])?, false),
        "qwen2" | "deepseek-r1-qwen" => (nfc(), cuts(&[QWEN_2])?, false),
        "tekken" => (None, cuts(&[TEKKEN])?, true),
        "gpt-4o" | "llama4" => (None, cuts(&[GPT_4O])?, false),
        "deepseek-coder" => (None, with_digits(DEEPSEEK_CODER)?, false),
        "deepseek-v3" => (None, cuts(DEEPSEEK_V3)?, false),
        _ => return Ok(None),
    };
    Ok(Some(Pretokenizer { normalizer, splitter, ignore_merges }))
}

/// What a class of tokenizers without a file of its own does; with `add_space` a text begins with a space.
pub(super) fn of_class(class: Class, add_space: bool) -> tokenizers::Result<Pretokenizer> {
    let nfc = || Some(NormalizerWrapper::from(NFC));
    let gpt_2 = ByteLevel::new(add_space, true, true);
    let (normalizer, splitter) = match class {
        Class::Gpt2 => (None, gpt_2.into()),
        Class::GptNeoX => (nfc(), gpt_2.into()),
        Class::Cohere => (nfc(), Sequence::new(vec![Digits::new(true).into(), gpt_2.into()]).into()),
        Class::Qwen2 => {
            let mut steps = splits(&[QWEN_2])?;
            steps.push(ByteLevel::new(add_space, true, false).into());
            (nfc(), Sequence::new(steps).into())
        }
    };
    Ok(Pretokenizer { normalizer, splitter, ignore_merges: false })
}

/// GPT-2's own cuts, which the byte-level step has built in.
fn gpt_2() -> ByteLevel {
    ByteLevel::new(false, false, true)
}

fn digits_and_gpt_2() -> PreTokenizerWrapper {
    Sequence::new(vec![Digits::new(true).into(), gpt_2().into()]).into()
}

fn cuts(expressions: &[&str]) -> tokenizers::Result<PreTokenizerWrapper> {
    let mut steps = splits(expressions)?;
    steps.push(bytes());
    Ok(Sequence::new(steps).into())
}

fn with_digits(expressions: &[&str]) -> tokenizers::Result<PreTokenizerWrapper> {
    let mut steps = splits(expressions)?;
    steps.extend([Digits::new(true).into(), bytes()]);
    Ok(Sequence::new(steps).into())
}

fn splits(expressions: &[&str]) -> tokenizers::Result<Vec<PreTokenizerWrapper>> {
    let split = |e: &&str| Split::new(SplitPattern::Regex(e.to_string()), SplitDelimiterBehavior::Isolated, false);
    expressions.iter().map(|e| Ok(split(e)?.into())).collect()
}

/// Bytes to letters, without further cuts.
fn bytes() -> PreTokenizerWrapper {
    ByteLevel::new(false, false, false).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_has_a_pretokenizer_and_no_other() {
        for name in KNOWN {
            assert!(by_name(name).unwrap().is_some(), "{name}");
        }
        assert!(by_name("gpt2").unwrap().is_none());
    }
}
