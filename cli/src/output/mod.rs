//! A comparison for people and for other programs, from the one value.

pub mod columns;
pub mod csv;
pub mod markdown;
pub mod notes;
mod row;
pub mod simulation;
pub mod table;
mod words;
