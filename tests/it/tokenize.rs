//! Tests of tokenize: text to ids, for each kind of tokenizer; and of prompt, items to text.

mod bos;
mod boundary;
mod corpus;
mod files;
mod fitting;
mod kinds;
mod laws;
mod shots;
mod vocabulary;
