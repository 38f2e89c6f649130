//! Text to ids: tokenizer files, the BOS policy, and where a request's context ends and its ending begins.
//!
//! One rule governs the room: *nothing is ever encoded apart and glued*. A request is the text context + delimiter +
//! ending, encoded once, and its ids are split by looking at which text each token covers ([`boundary`]). What stands
//! before the text (BOS) is decided once, when the encoder is made ([`specials`]), so that it is never missing and
//! never doubled; what a post-processor would put behind it (EOS) is dropped. Where a chat template wrote a part of the
//! context, special tokens are known in that part only (`scaffold`). Files are read in [`load`], requests that
//! are too long for a model are dealt with in [`fit`].
//!
//! Not decided here: how an item becomes text ([`crate::prompt`]), and whether an id has a row in the embedding.

pub mod boundary;
mod describe;
pub mod encoder;
pub mod fit;
pub mod guard;
pub mod load;
pub mod merges;
mod named;
mod scaffold;
mod sentencepiece;
pub mod specials;
mod vocabulary;

pub use describe::TokenizerInfo;
pub use encoder::{EncodedPair, TextEncoder};
pub use fit::{Fit, Truncate};
pub use scaffold::Context;
pub use specials::{BosInfo, BosPolicy, EncodeOptions, SpecialIds};

pub mod gguf;
mod pretokenizer;
