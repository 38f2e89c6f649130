//! A model's name to its files, its description as data, and one forward pass.
//!
//! Read in this order: [`source`] (which files), [`weights`] (tensors by name), [`spec`] (what a decoder can be),
//! [`arch`] (config.json to a spec), [`decoder`] (the forward pass).

pub mod arch;
pub mod attention;
mod attention_ops;
pub mod config;
pub mod decoder;
pub mod ends;
pub mod experts;
pub mod hub;

pub mod kernels;
pub mod latent;
pub mod layout;
pub mod linear;
pub mod load;
pub mod mamba;
mod mamba_plain;
pub mod mlp;
pub mod norm;
pub mod rope;
pub mod slices;
pub mod source;
pub mod spec;
pub mod weights;
