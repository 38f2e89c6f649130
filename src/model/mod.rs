//! placeholder

pub mod hub;
pub mod layout;
pub mod source;
pub mod weights;
