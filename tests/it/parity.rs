//! Tests of parity.
