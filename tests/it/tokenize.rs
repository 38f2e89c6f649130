//! Tests of tokenize.
