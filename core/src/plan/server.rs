//! The load-dependent server under random arrivals, exactly.
//!
//! Requests come as a Poisson process and find n in the system with the stationary probability of a
//! birth–death chain whose death rates are X(1), …, X(N), and X(N) for every n beyond: at most N are
//! in service, the others wait, first come first served. P(n) ∝ Πₖ λ ÷ X(k), worked out in logs so
//! that ten thousand states neither overflow nor vanish. With X(n) = nμ this is M/M/c, and Erlang's
//! table is its test.

use crate::{
    plan::mixture::{Mixture, Spread},
    report::{Metric, curve::Curve},
};

/// Replicas that share one queue are one server of so many states at most.
const MOST_STATES: u64 = 1_000_000;

/// How a fleet's requests reach its replicas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// Each replica takes its share of the arrivals, whatever the others do: the cautious end.
    #[default]
    Split,
    /// All share one queue, and each request goes where the fewest are: the hopeful end.
    Shared,
}

/// A server in its stationary state.
#[derive(Clone, Debug, PartialEq)]
pub struct Stationary {
    /// Arrivals, requests a second.
    rate_per_s: f64,
    /// P(n) for n = 0 … N − 1.
    below: Vec<f64>,
    /// P(N or more): an arrival then waits.
    waiting: f64,
    /// λ ÷ X(N).
    load: f64,
    /// X(N).
    full_rate_per_s: f64,
}

/// The death rates of a fleet's chain: one replica's, or those of replicas that share a queue.
///
/// With n requests on c replicas each has n ÷ c, rounded down or up, as the fewest-first rule keeps
/// them. `None` for more states than can be gone through.
#[must_use]
pub fn death_rates(curve: &Curve, sharing: u64) -> Option<Vec<f64>> {
    let (_, largest) = curve.range();
    let limit = (largest.floor() as u64).max(1);
    let states = limit.checked_mul(sharing).filter(|n| *n <= MOST_STATES)?;
    let one = |n: u64| if n == 0 { 0.0 } else { curve.rate_at(n as f64) };
    let rates = (1..=states).map(|n| {
        let (each, more) = (n / sharing, n % sharing);
        (sharing - more) as f64 * one(each) + more as f64 * one(each + 1)
    });
    Some(rates.collect())
}

impl Stationary {
    /// The stationary state at a rate; `None` where the queue would grow without end.
    #[must_use]
    pub fn of(death_rates: &[f64], rate_per_s: f64) -> Option<Self> {
        let full_rate_per_s = *death_rates.last()?;
        let load = rate_per_s / full_rate_per_s;
        let is_rate = rate_per_s > 0.0 && rate_per_s.is_finite();
        if !is_rate || load >= 1.0 || !load.is_finite() {
            return None;
        }
        let mut logs = Vec::with_capacity(death_rates.len());
        let mut log = 0.0;
        for rate in death_rates {
            logs.push(log);
            log += (rate_per_s / rate).ln();
        }
        // The last state stands for all beyond it: 1 + ρ + ρ² + … = 1 ÷ (1 − ρ).
        let tail = log - (-load).ln_1p();
        let most = logs.iter().copied().fold(tail, f64::max);
        let mut below: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let mut waiting = (tail - most).exp();
        let sum = below.iter().sum::<f64>() + waiting;
        below.iter_mut().for_each(|p| *p /= sum);
        waiting /= sum;
        Some(Self {
            rate_per_s,
            below,
            waiting,
            load,
            full_rate_per_s,
        })
    }

    /// The probability that an arrival finds every place taken and waits.
    #[must_use]
    pub fn probability_of_waiting(&self) -> f64 {
        self.waiting
    }

    /// Requests in the system on average.
    #[must_use]
    pub fn mean_in_system(&self) -> f64 {
        let places = self.below.len() as f64;
        let below: f64 = (0..).zip(&self.below).map(|(n, p)| f64::from(n) * p).sum();
        // Beyond N the number waiting is geometric.
        below + self.waiting * (places + self.load / (1.0 - self.load))
    }

    /// The mean time in the system, by Little's law, seconds.
    #[must_use]
    pub fn mean_latency_s(&self) -> f64 {
        self.mean_in_system() / self.rate_per_s
    }

    /// A latency's distribution over the states that arrivals find: of what was measured with so many
    /// in service, after the wait for those that find every place taken. TPOT and ITL have no wait in
    /// them. `None` where the curve lacks the metric.
    ///
    /// A request that waits does so for as many departures as were before it, each after an
    /// exponential time of rate X(N): given that it waits, its wait is exponential of rate X(N) − λ.
    #[must_use]
    pub fn latency(&self, curve: &Curve, metric: Metric, sharing: u64) -> Option<Mixture> {
        let waits = matches!(metric, Metric::Ttft | Metric::E2e);
        let mut parts: Vec<(f64, Spread)> = Vec::new();
        let mut last: Option<(f64, usize)> = None;
        let spread = |each: f64| Spread::at_load(curve, metric, each);
        for (n, probability) in self.below.iter().enumerate() {
            // With this arrival there are n + 1 on the replicas, the fewest first.
            let each = ((n as u64) / sharing + 1) as f64;
            match last {
                Some((same, at)) if same == each => parts[at].0 += probability,
                _ => {
                    parts.push((*probability, spread(each)?));
                    last = Some((each, parts.len() - 1));
                }
            }
        }
        let full = spread(self.below.len() as f64 / sharing as f64)?;
        let wait_rate = waits.then_some(self.full_rate_per_s - self.rate_per_s);
        Some(Mixture::new(parts, (self.waiting, full, wait_rate)))
    }
}

/// A metric by the number in service, made once to be asked at many rates.
pub(super) struct Table {
    /// With n + 1 in service at index n.
    spreads: Vec<Spread>,
    /// The last one's mass in pieces, for those that wait first.
    full: Vec<(f64, f64)>,
    waits: bool,
}

impl Table {
    /// The table of one replica; `None` where the curve lacks the metric.
    pub(super) fn of(curve: &Curve, metric: Metric, states: usize) -> Option<Self> {
        let at = |n: usize| Spread::at_load(curve, metric, n as f64);
        let spreads: Vec<Spread> = (1..=states).map(at).collect::<Option<_>>()?;
        Some(Self {
            full: spreads.last()?.pieces(),
            spreads,
            waits: matches!(metric, Metric::Ttft | Metric::E2e),
        })
    }
}

impl Stationary {
    /// P(latency > t): the mixture of [`Stationary::latency`], for one replica.
    pub(super) fn exceeds(&self, table: &Table, t: f64) -> f64 {
        /// States this rare add less than rounding does.
        const RARE: f64 = 1e-16;
        let states = self.below.iter().zip(&table.spreads);
        let below: f64 = states
            .filter(|(p, _)| **p > RARE)
            .map(|(p, spread)| p * spread.survival(t))
            .sum();
        if self.waiting <= RARE {
            return below;
        }
        let wait_rate = self.full_rate_per_s - self.rate_per_s;
        let after = |(share, seconds): &(f64, f64)| match (t < *seconds, table.waits) {
            (true, _) => *share,
            (false, true) => share * (-wait_rate * (t - seconds)).exp(),
            (false, false) => 0.0,
        };
        below + self.waiting * table.full.iter().map(after).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Quantile, tests::sweep};

    fn erlang(servers: f64) -> Vec<f64> {
        // Two points of X(n) = n: its residence time is 1 s at every n.
        let report = sweep(&[(1.0, 1.0), (servers, servers)]);
        let curve = Curve::of(&report).unwrap().0;
        death_rates(&curve, 1).unwrap()
    }

    #[test]
    fn erlang_s_table_to_six_digits() {
        for (servers, rate, waiting, latency) in [
            (1.0, 0.5, 0.5, 2.0),
            (2.0, 1.0, 1.0 / 3.0, 4.0 / 3.0),
            (5.0, 4.0, 0.554_112_554_113, 1.554_112_554_113),
            (10.0, 8.0, 0.409_180_150_796, 1.204_590_075_398),
            (14.0, 10.0, 0.174_131_933_595, 1.0 + 0.174_131_933_595 / 4.0),
            (100.0, 90.0, 0.216_940, 1.021_694),
            (100.0, 95.0, 0.506_456_853_913, 1.101_291_370_783),
        ] {
            let state = Stationary::of(&erlang(servers), rate).unwrap();
            // Half a unit of the table's sixth digit.
            assert!(
                (state.probability_of_waiting() - waiting).abs() < 5e-7,
                "{servers}"
            );
            assert!((state.mean_latency_s() - latency).abs() < 5e-7, "{servers}");
        }
        let ten = Stationary::of(&erlang(10.0), 8.0).unwrap();
        assert!((ten.mean_in_system() - 9.636_721).abs() < 5e-7);
    }

    #[test]
    fn a_server_whose_residence_time_is_affine() {
        // X(n) = 12 n ÷ (n + 8), at most 64 in service.
        let at = |n: f64| (n, 12.0 * n / (n + 8.0));
        let report = sweep(&[at(1.0), at(16.0), at(64.0)]);
        let curve = Curve::of(&report).unwrap().0;
        let rates = death_rates(&curve, 1).unwrap();
        for (rate, latency) in [(2.0, 0.9), (4.0, 1.125), (8.0, 2.25), (9.0, 3.0008)] {
            let state = Stationary::of(&rates, rate).unwrap();
            // The table's four digits.
            assert!(
                (state.mean_latency_s() - latency).abs() < 5e-5,
                "{rate}: {}",
                state.mean_latency_s()
            );
        }
    }

    #[test]
    fn ten_thousand_in_service_near_saturation_neither_overflow_nor_vanish() {
        let rates = erlang(10_000.0);
        let state = Stationary::of(&rates, 9_990.0).unwrap();
        let waiting = state.probability_of_waiting();
        assert!(waiting > 0.0 && waiting < 1.0, "{waiting}");
        // Erlang's formula: the mean wait is P(wait) ÷ (cμ − λ).
        let latency = 1.0 + waiting / 10.0;
        assert!((state.mean_latency_s() - latency).abs() < 1e-9);
        assert!(Stationary::of(&rates, 10_000.0).is_none());
        assert!(Stationary::of(&rates, f64::NAN).is_none());
        assert!(Stationary::of(&rates, 0.0).is_none());
    }

    #[test]
    fn replicas_that_share_a_queue_wait_less_than_those_that_split() {
        let report = sweep(&[(1.0, 1.0), (5.0, 5.0)]);
        let curve = Curve::of(&report).unwrap().0;
        // Two replicas of five servers sharing a queue are ten servers.
        assert_eq!(death_rates(&curve, 2).unwrap(), erlang(10.0));
        let shared = Stationary::of(&death_rates(&curve, 2).unwrap(), 8.0).unwrap();
        let split = Stationary::of(&death_rates(&curve, 1).unwrap(), 4.0).unwrap();
        assert!(shared.mean_latency_s() < split.mean_latency_s());
        assert!(death_rates(&curve, 1_000_000).is_none());
    }

    #[test]
    fn a_latency_is_the_mixture_of_what_was_measured_and_the_wait() {
        // One server of rate 2, every request 0.5 s: half wait, for 1 ÷ (2 − 1) s on average.
        let mut report = sweep(&[(1.0, 2.0)]);
        for quantile in Quantile::ALL {
            report.points[0].latency_s.set(quantile, Some(0.5));
        }
        let curve = Curve::of(&report).unwrap().0;
        let state = Stationary::of(&death_rates(&curve, 1).unwrap(), 1.0).unwrap();
        let latency = state.latency(&curve, Metric::E2e, 1).unwrap();
        assert!((latency.quantile(0.5) - 0.5).abs() < 1e-6);
        // P(latency > t) = 0.5 e^(−(t − 0.5)), so the p99 is 0.5 + ln 50.
        assert!((latency.quantile(0.99) - (0.5 + 50.0_f64.ln())).abs() < 1e-6);
        assert!(state.latency(&curve, Metric::Ttft, 1).is_none());
    }
}
