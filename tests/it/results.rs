//! Tests of results.
