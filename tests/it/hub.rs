//! Tests of hub.
