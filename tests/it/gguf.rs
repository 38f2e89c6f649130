//! Tests of gguf.
