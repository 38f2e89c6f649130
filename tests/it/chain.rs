//! Tests of chain.
