//! Demand: what a trace of requests says of its rate, its bursts and its lengths, and the shape
//! over the week that a scenario plans on.

mod accumulator;
pub mod counters;
mod counts;
mod document;
mod lengths;
mod shape;
pub mod sql;
pub mod stamp;
pub mod summary;
pub mod totals;
mod warnings;
mod week;

#[cfg(test)]
mod tests;

pub use accumulator::Accumulator;
pub use counts::Window;
pub use document::{Demand, Peaks, Tokens};
pub use lengths::Lengths;
pub use shape::{HOURS, Shape, Week};
pub use totals::Totals;
