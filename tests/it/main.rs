//! The one integration binary: each module drives the library or the built program from outside.

mod bad_gguf;
mod bad_input;
mod bad_model;
mod chain;
mod engine;
mod families;
mod gguf;
mod hub;
mod parity;
mod positions;
mod results;
mod run;
mod support;
mod tokenize;
