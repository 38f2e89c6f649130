//! Tests of bad_input.
