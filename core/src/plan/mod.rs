//! From a measured replica and a rate to accelerators, and from them to a bill.

pub mod bill;
pub mod calendar;
pub mod capacity;
pub mod fleet;
pub mod length;
pub mod length_fit;
pub mod mixture;
pub mod open_loop;
pub mod question;
pub mod server;
pub mod uptime;
