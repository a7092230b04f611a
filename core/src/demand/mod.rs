//! Demand: what a trace of requests says of its rate, its bursts and its lengths, and the shape
//! over the week that a scenario plans on.
//!
//! ```text
//! trace (CSV, JSON Lines, Parquet)  → Counter  ┐
//! summary table of a database                  ├→ Facts → Profile (inferplan.demand/1) → Shape
//! Prometheus range queries          → Series   ┘
//! ```
//!
//! Everything is counted while it streams by, in memory that depends on the span of the trace and
//! not on its rows.

mod clock;
mod columns;
mod counter;
mod facts;
mod lengths;
mod pages;
mod profile;
mod shape;
pub mod trace;

pub use clock::{Clock, TimeUnit};
pub use columns::{Columns, Field};
pub use counter::Counter;
pub use profile::{Hourly, Lengths, Peaks, Profile, Rows};
pub use shape::{HOURS, Shape, Week};
