//! The commands, one a file.

pub mod compare;
pub mod import;
pub mod serve;
