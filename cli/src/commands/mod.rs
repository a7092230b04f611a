//! The commands, one a file.

pub mod capacity;
pub mod compare;
pub mod demand;
pub mod env;
pub mod fit;
pub mod import;
pub mod lint;
pub mod prices;
pub mod report;
pub mod serve;
pub mod simulate;

/// Today, where the user is.
fn today() -> inferplan_core::Date {
    jiff::ZonedDateTime::now().date()
}
