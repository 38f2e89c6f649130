//! SentencePiece's BPE from a GGUF file: pieces with scores become pairs to merge, best score first, as transformers does it
//! when it converts a `tokenizer.model`.
//!
//! A space is `▁`, one is put before the text unless the file says otherwise, and a character without a piece becomes its
//! bytes.

use tokenizers::decoders::byte_fallback::ByteFallback;
use tokenizers::decoders::fuse::Fuse;
use tokenizers::decoders::sequence::Sequence as Decoders;
use tokenizers::decoders::strip::Strip;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::{Prepend, Replace, Sequence};
use tokenizers::{DecoderWrapper, NormalizerWrapper, Tokenizer};

use super::guard::guarded;
use crate::model::weights::GgufFile;

/// SentencePiece's space.
const SPACE: &str = "\u{2581}";

/// The tokenizer of a file's pieces, without added tokens.
///
/// # Errors
/// What is wrong with the metadata, for a message that names the file.
pub(super) fn build(file: &GgufFile, vocabulary: Vocab, pieces: &[String]) -> Result<Tokenizer, String> {
    let said = |e: crate::Error| e.to_string();
    let scores = file.meta_f64s("tokenizer.ggml.scores").map_err(said)?;
    let scores = scores.ok_or("holds a SentencePiece tokenizer without `tokenizer.ggml.scores`")?;
    if scores.len() != pieces.len() {
        return Err(format!("`tokenizer.ggml.scores` has {} entries for {} tokens", scores.len(), pieces.len()));
    }
    let unknown = match file.meta_u64("tokenizer.ggml.unknown_token_id").map_err(said)? {
        Some(id) => {
            pieces.get(id as usize).ok_or_else(|| format!("`tokenizer.ggml.unknown_token_id` is {id}"))?.clone()
        }
        None => pieces.first().cloned().unwrap_or_default(),
    };
    let prefix = file.meta_bool("tokenizer.ggml.add_space_prefix").map_err(said)?.unwrap_or(true);
    let merges = merges(&vocabulary, pieces, &scores);
    let bytes = vocabulary.contains_key("<0x00>");
    let builder =
        BPE::builder().vocab_and_merges(vocabulary, merges).unk_token(unknown).fuse_unk(true).byte_fallback(bytes);
    let model = guarded(|| builder.build())?.map_err(|e| format!("its tokenizer cannot be built ({e})"))?;

    let library = |e: tokenizers::Error| format!("its tokenizer cannot be built ({e})");
    let mut tokenizer = Tokenizer::new(model);
    let mut normalizers: Vec<NormalizerWrapper> = Vec::new();
    if prefix {
        normalizers.push(Prepend::new(SPACE.to_string()).into());
    }
    normalizers.push(Replace::new(" ", SPACE).map_err(library)?.into());
    tokenizer.with_normalizer(Some(Sequence::new(normalizers))).map_err(library)?;
    let mut decoders: Vec<DecoderWrapper> =
        vec![Replace::new(SPACE, " ").map_err(library)?.into(), ByteFallback::new().into(), Fuse::new().into()];
    if prefix {
        decoders.push(Strip::new(' ', 1, 0).into());
    }
    tokenizer.with_decoder(Some(Decoders::new(decoders)));
    Ok(tokenizer)
}

/// Every way to part a piece into two others, pieces of better score first; of the ways to part one, the longest first half.
fn merges(vocabulary: &Vocab, pieces: &[String], scores: &[f64]) -> Vec<(String, String)> {
    let mut ways: Vec<(f64, usize, usize)> = Vec::new();
    for (id, piece) in pieces.iter().enumerate() {
        for (cut, _) in piece.char_indices().skip(1) {
            if vocabulary.contains_key(&piece[..cut]) && vocabulary.contains_key(&piece[cut..]) {
                ways.push((scores[id], id, cut));
            }
        }
    }
    ways.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(b.2.cmp(&a.2)));
    ways.into_iter().map(|(_, id, cut)| (pieces[id][..cut].to_string(), pieces[id][cut..].to_string())).collect()
}
