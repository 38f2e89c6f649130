//! The one integration binary: each module drives the library or the built program from outside.

mod audit;
mod bad_gguf;
mod bad_input;
mod bad_model;
mod chain;
mod chat;
mod engine;
mod families;
mod gguf;
mod hub;
mod import;
mod inspect;
mod kinship;
mod logic;
mod logicmark;
mod mamba;
mod parity;
mod positions;
mod prove;
mod reference;
mod results;
mod run;
mod series;
mod support;
mod tokenize;
