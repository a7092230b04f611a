//! A seeded event simulation of the system that [`crate::plan::server`] solves exactly, for what no
//! closed form covers: bursts, traces, other work than exponential, replicas that start and stop.
//!
//! A replica serves by processor sharing: with n in service each request receives X(n) ÷ n of a
//! request's work a second, at most N at once, the rest first come first served. With Poisson
//! arrivals and exponential work it is the birth–death chain of the exact solution, which is its test.
//!
//! TTFT is the wait and a draw of what was measured with as many in service as the request found,
//! itself included; TPOT and ITL are such draws without the wait; end to end is the wait and the time
//! under processor sharing.

pub mod answer;
pub mod arrivals;
mod control;
mod counts;
mod engine;
pub mod fleet;
pub mod outcome;
mod random;
pub mod remedy;
mod replica;
pub mod search;
mod source;
mod statistics;
#[cfg(test)]
mod tests;
mod tree;

pub use arrivals::{Arrivals, Trace};
pub use engine::{Cancelled, run};
pub use fleet::{Autoscale, Dispatch, Rule, Scaling};
pub use outcome::{Interval, Intervals, Outcome};
pub use random::Work;
pub use replica::Server;

use crate::report::Slo;

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// How requests come.
    pub arrivals: &'a Arrivals,
    /// How much work each brings, of mean 1.
    pub work: Work,
    /// Which replica a request goes to.
    pub dispatch: Dispatch,
    /// How many replicas there are, and when.
    pub scaling: Scaling,
    /// Targets that goodput counts each request against.
    pub slo: &'a Slo,
    /// Requests to simulate where the arrivals have no end of their own.
    pub requests: u64,
    /// Independent runs where the arrivals have an end; stationary ones are one long run.
    pub runs: u32,
    /// Equal seeds give equal results on every machine.
    pub seed: u64,
}
