//! Random numbers that are the same on every machine, and the work of requests.

use rand_distr::{Distribution, Exp1, LogNormal, uniform::Uniform};
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

/// Named, for what a crate calls "small" or "standard" differs between machines and versions.
pub(super) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// A stream of its own for each use, so that another number of replicas sees the same requests.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        // The golden ratio's odd multiple keeps neighbouring streams apart; SplitMix does the rest.
        Self(Xoshiro256PlusPlus::seed_from_u64(
            seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        ))
    }

    /// From 0 to under 1.
    pub(super) fn share(&mut self) -> f64 {
        use rand_distr::StandardUniform;
        StandardUniform.sample(&mut self.0)
    }

    /// Exponential of mean 1.
    pub(super) fn exponential(&mut self) -> f64 {
        Exp1.sample(&mut self.0)
    }

    /// A whole number under `end`, which is above 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        Uniform::new(0, end).map_or(0, |uniform| uniform.sample(&mut self.0))
    }

    pub(super) fn of(&mut self, distribution: &impl Distribution<f64>) -> f64 {
        distribution.sample(&mut self.0)
    }
}

/// How a request's work is spread about its mean of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Exponential, as the exact chain has it.
    Exponential,
    /// The same for every request.
    Fixed,
    /// Lognormal, by its coefficient of variation.
    LogNormal {
        /// Standard deviation over mean.
        cv: f64,
    },
    /// As the trace's lengths have it.
    FromTrace,
}

pub(super) enum Draw {
    Exponential,
    Fixed,
    LogNormal(LogNormal<f64>),
}

impl Work {
    pub(super) fn draw(self) -> Draw {
        match self {
            Self::Exponential => Draw::Exponential,
            // The trace brings each request's own work with it.
            Self::Fixed | Self::FromTrace => Draw::Fixed,
            Self::LogNormal { cv } => {
                // Mean 1: μ = −σ² ÷ 2 with σ² = ln(1 + cv²).
                let variance = (cv * cv).ln_1p();
                LogNormal::new(-variance / 2.0, variance.sqrt())
                    .map_or(Draw::Fixed, Draw::LogNormal)
            }
        }
    }
}

impl Draw {
    pub(super) fn one(&self, random: &mut Random) -> f64 {
        match self {
            Self::Exponential => random.exponential(),
            Self::Fixed => 1.0,
            Self::LogNormal(distribution) => random.of(distribution),
        }
    }
}
