//! The model of inferplan: what serving a model will cost a month, where, and on how many
//! accelerators.
//!
//! Pure functions: no file, network, clock or unseeded randomness; bytes and dates come in as
//! arguments. Data flows one way:
//!
//! ```text
//! report (import → canonical report → operating curve)  ┐
//! price  (table → offer at a date)                       ├→ plan (capacity → bill) → decide (compare)
//! scenario (volume, lengths, targets)                    ┘
//! ```
//!
//! One document in, one document out: [`scenario::Scenario`] → [`comparison::Comparison`], by
//! [`decide::compare`].

pub mod accelerator;
pub mod comparison;
pub mod day;
pub mod decide;
pub mod demand;
pub mod document;
pub mod environment;
pub mod fit;
pub mod import;
pub mod lint;
pub mod money;
pub mod number;
pub mod plan;
pub mod price;
pub mod problem;
pub mod report;
pub mod scenario;
#[cfg(feature = "schema")]
pub mod schemas;
pub mod simulate;
pub mod text;

pub use jiff::civil::Date;
pub use rust_decimal::Decimal;
