//! What a simulation found.

use serde::{Deserialize, Serialize};

use super::statistics::Meter;
use crate::report::{Metric, Quantile, Slo, Target};

/// A value and the 99% confidence interval around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// The lower end; null where too few batches tell.
    pub low: Option<f64>,
    /// The upper end likewise.
    pub high: Option<f64>,
}

impl Interval {
    pub(super) fn new(value: f64, half: Option<f64>) -> Self {
        Self {
            value,
            low: half.map(|half| (value - half).max(0.0)),
            high: half.map(|half| value + half),
        }
    }

    /// Whether a value lies within it.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        self.low.is_some_and(|low| low <= value) && self.high.is_some_and(|high| value <= high)
    }
}

/// A latency's statistics, seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Intervals {
    /// The mean.
    pub mean: Interval,
    /// The median.
    pub p50: Interval,
    /// 90th percentile.
    pub p90: Interval,
    /// 95th percentile.
    pub p95: Interval,
    /// 99th percentile.
    pub p99: Interval,
    /// The largest seen.
    pub max: f64,
}

impl Intervals {
    pub(super) fn of(meter: &Meter) -> Option<Self> {
        let found = meter.finish()?;
        let at = |i: usize| Interval::new(found.values[i], found.halves[i]);
        Some(Self {
            mean: at(0),
            p50: at(1),
            p90: at(2),
            p95: at(3),
            p99: at(4),
            max: found.largest,
        })
    }

    /// A statistic; the largest seen has no interval, for a longer run sees a larger one.
    #[must_use]
    pub fn get(&self, quantile: Quantile) -> Interval {
        match quantile {
            Quantile::Mean => self.mean,
            Quantile::P50 => self.p50,
            Quantile::P90 => self.p90,
            Quantile::P95 => self.p95,
            Quantile::P99 => self.p99,
            Quantile::Max => Interval::new(self.max, None),
        }
    }
}

/// What a simulation found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Requests that were counted, after the warm-up.
    pub requests: u64,
    /// Requests completed a second.
    pub completed_per_s: Interval,
    /// The share of requests that waited for a place.
    pub probability_of_waiting: Interval,
    /// The wait for a place, seconds.
    pub wait_s: Option<Intervals>,
    /// End-to-end latency, seconds.
    pub latency_s: Option<Intervals>,
    /// Time to first token, where the report has it.
    pub ttft_s: Option<Intervals>,
    /// Time per output token likewise.
    pub tpot_s: Option<Intervals>,
    /// Inter-token latency likewise.
    pub itl_s: Option<Intervals>,
    /// The share of requests that each meet every target's seconds.
    pub goodput: Interval,
    /// Replicas ready, on average.
    pub mean_replicas: f64,
    /// Replicas ready at once at most.
    pub most_replicas: u32,
    /// Completions over what those ready could complete at most.
    pub utilization: f64,
    /// Requests waiting at once at most.
    pub longest_queue: u64,
    /// How long was simulated, all runs together, seconds.
    pub simulated_s: f64,
    /// Replica-seconds from asked for to gone.
    pub up_s: f64,
    /// Replica-seconds with a request in service.
    pub busy_s: f64,
    /// Starts of replicas, those there at first left out.
    pub starts: u64,
    /// How long each start's replica was up, seconds; for billing by increments.
    #[serde(skip)]
    pub stays_s: Vec<f64>,
    /// Events: arrivals, departures and changes of the fleet.
    pub events: u64,
}

impl Outcome {
    /// A metric's statistics.
    #[must_use]
    pub fn latency(&self, metric: Metric) -> Option<&Intervals> {
        match metric {
            Metric::Ttft => self.ttft_s.as_ref(),
            Metric::Tpot => self.tpot_s.as_ref(),
            Metric::Itl => self.itl_s.as_ref(),
            Metric::E2e => self.latency_s.as_ref(),
        }
    }

    /// The targets that are missed; one that cannot be judged is.
    #[must_use]
    pub fn missed(&self, slo: &Slo) -> Vec<Target> {
        let missed = |target: &&Target| {
            let found = self
                .latency(target.metric)
                .map(|all| all.get(target.quantile).value);
            found.is_none_or(|seconds| seconds > target.at_most_s)
        };
        slo.0.iter().filter(missed).copied().collect()
    }

    /// The targets so near that the interval does not tell whether they are met.
    #[must_use]
    pub fn undecided(&self, slo: &Slo) -> Vec<Target> {
        let near = |target: &&Target| {
            let found = self
                .latency(target.metric)
                .map(|all| all.get(target.quantile));
            found.is_some_and(|interval| interval.holds(target.at_most_s))
        };
        slo.0.iter().filter(near).copied().collect()
    }

    /// Seconds billed of all stays, each rounded up to an increment, none below a minimum; a start
    /// is billed where it is said to be.
    #[must_use]
    pub fn billed_s(&self, start_s: Option<f64>, increment_s: f64, minimum_s: f64) -> f64 {
        let billed = |stay: &f64| {
            let stay = (stay - start_s.unwrap_or(0.0)).max(minimum_s).max(0.0);
            if increment_s > 0.0 {
                // A hair above a whole number of increments is rounding.
                (stay / increment_s - 1e-9).ceil() * increment_s
            } else {
                stay
            }
        };
        self.stays_s.iter().map(billed).sum()
    }
}
