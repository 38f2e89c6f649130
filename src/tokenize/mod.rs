//! placeholder

pub mod gguf;
mod pretokenizer;
