//! How much of the time a replica is busy, and how much of it is billed.

use crate::{price::table::SecondsBilled, report::curve::Curve};

/// A replica's chain of states, made once: a plan asks it for every hour of a week and every offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// 1 ÷ X(n) for n = 1 … N, seconds.
    gaps_s: Vec<f64>,
}

impl Chain {
    /// The chain of a curve.
    #[must_use]
    pub fn of(curve: &Curve) -> Self {
        let (_, largest) = curve.range();
        let states = largest.ceil().max(1.0) as u64;
        let gaps_s = (1..=states).map(|n| 1.0 / curve.rate_at(n as f64));
        Self {
            gaps_s: gaps_s.collect(),
        }
    }

    /// The share of time with at least one request in service, for Poisson arrivals.
    ///
    /// The stationary chain of a load-dependent server: P(n) ∝ Πₖ λ ÷ X(k), with a geometric tail
    /// beyond the largest measured concurrency. Its idle share 1 ÷ Σ is insensitive to the
    /// distribution of the work under processor sharing.
    #[must_use]
    pub fn busy_share(&self, rate_per_s: f64) -> f64 {
        /// Against a sum this large the idle share is less than any float tells from 0.
        const ALWAYS: f64 = 1e200;
        if rate_per_s <= 0.0 {
            return 0.0;
        }
        let last = rate_per_s * self.gaps_s[self.gaps_s.len() - 1];
        if last >= 1.0 {
            return 1.0;
        }
        // Of P(n) ÷ P(0), n from 1.
        let (mut term, mut sum) = (1.0, 0.0);
        for gap_s in &self.gaps_s {
            term *= rate_per_s * gap_s;
            sum += term;
            if sum > ALWAYS {
                return 1.0;
            }
        }
        // The last state carries the tail: 1 + ρ + ρ² + … = 1 ÷ (1 − ρ).
        sum += term * last / (1.0 - last);
        sum / (1.0 + sum)
    }
}

/// The share of a month's seconds that one replica is billed for.
///
/// For instances billed while up, a cycle is a busy period, then an idle gap, exponential with
/// mean 1 ÷ λ. The instance stays up for the gap or the idle time-out w, whichever is shorter;
/// with probability e^(−λw) it went, and the next request pays a start and the rounding of one more
/// stay. A stay that serves one request alone, which no other follows in its x seconds (start,
/// service, time-out; with probability e^(−λx)), has a known length and is rounded exactly; any
/// other's length may lie anywhere within an increment, and pays half of one on average. Requests
/// that come during a start are served after it; that this lengthens the busy period is left out,
/// which is small while λ × start is.
#[must_use]
pub fn billed_share(billed: &SecondsBilled, chain: &Chain, rate_per_s: f64) -> f64 {
    let busy = chain.busy_share(rate_per_s);
    match *billed {
        SecondsBilled::Always => 1.0,
        SecondsBilled::Active => busy,
        SecondsBilled::Up { .. } if rate_per_s <= 0.0 => 0.0,
        SecondsBilled::Up { .. } if busy >= 1.0 => 1.0,
        SecondsBilled::Up {
            idle_timeout_s,
            cold_start_s,
            increment_s,
            minimum_s,
        } => {
            let mean_gap_s = 1.0 / rate_per_s;
            let busy_period_s = busy / (1.0 - busy) * mean_gap_s;
            let gone = (-rate_per_s * idle_timeout_s).exp();
            let idle_up_s = (1.0 - gone) * mean_gap_s;
            let start_s = gone * cold_start_s.unwrap_or(0.0);
            let lone_s = cold_start_s.unwrap_or(0.0) + chain.gaps_s[0] + idle_timeout_s;
            let lone = (-rate_per_s * lone_s).exp();
            let rounding_s = lone * (rounded_up(lone_s, increment_s, minimum_s) - lone_s)
                + (1.0 - lone) * increment_s / 2.0;
            let up_s = busy_period_s + idle_up_s + start_s + gone * rounding_s;
            (up_s / (busy_period_s + mean_gap_s + start_s)).min(1.0)
        }
    }
}

/// A stay as it is billed: no less than the minimum, rounded up to the increment.
fn rounded_up(stay_s: f64, increment_s: f64, minimum_s: f64) -> f64 {
    let at_least = stay_s.max(minimum_s);
    if increment_s > 0.0 {
        // A stay that only the sums above have put past a whole number is that number.
        (at_least / increment_s * (1.0 - 1e-12)).ceil() * increment_s
    } else {
        at_least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sweep;

    fn chain(points: &[(f64, f64)]) -> Chain {
        Chain::of(&Curve::of(&sweep(points)).unwrap().0)
    }

    #[test]
    fn a_single_server_is_busy_by_its_utilisation() {
        // X(n) = 2 for every n ≥ 1 is M/M/1: busy λ ÷ μ of the time.
        for rate in [0.2, 1.0, 1.9] {
            let busy = chain(&[(1.0, 2.0), (10.0, 2.0)]).busy_share(rate);
            assert!((busy - rate / 2.0).abs() < 1e-12, "{rate}: {busy}");
        }
    }

    #[test]
    fn many_parallel_servers_are_idle_as_in_an_infinite_server_queue() {
        // X(n) = n: M/M/∞ but for the tail, idle e^(−λ).
        let busy = chain(&[(1.0, 1.0), (200.0, 200.0)]).busy_share(3.0);
        assert!((busy - (1.0 - (-3.0_f64).exp())).abs() < 1e-12);
    }

    #[test]
    fn nothing_overflows_and_an_overload_is_always_busy() {
        let wide = chain(&[(1.0, 1.0), (10_000.0, 10_000.0)]);
        assert!((wide.busy_share(9_990.0) - 1.0).abs() < 1e-12);
        assert_eq!(wide.busy_share(10_000.0), 1.0);
        assert_eq!(wide.busy_share(0.0), 0.0);
    }

    #[test]
    fn lone_requests_pay_for_their_start_their_idling_and_their_rounding() {
        // One request of 2.3 s every 10 000 s, start 12 s, idle 5 s, whole seconds: 19.3 s, billed
        // as 20, which is 8.7 times the work.
        let chain = chain(&[(1.0, 1.0 / 2.3)]);
        let up = |cold_start_s, minimum_s| SecondsBilled::Up {
            idle_timeout_s: 5.0,
            cold_start_s,
            increment_s: 1.0,
            minimum_s,
        };
        let rate = 1e-7;
        let each = |billed: &SecondsBilled| billed_share(billed, &chain, rate) / rate;
        // Within a thousandth: at 1e-7 a second hardly any two requests meet.
        assert!((each(&up(Some(12.0), 0.0)) - 20.0).abs() < 1e-3);
        assert!((each(&SecondsBilled::Active) - 2.3).abs() < 1e-3);
        // RunPod rounds 2.3 s of service up to 3 s where nothing else is billed.
        let service_only = SecondsBilled::Up {
            idle_timeout_s: 0.0,
            cold_start_s: None,
            increment_s: 1.0,
            minimum_s: 0.0,
        };
        assert!((each(&service_only) - 3.0).abs() < 1e-3);
        assert!((each(&up(Some(12.0), 60.0)) - 60.0).abs() < 1e-3);
        assert_eq!(billed_share(&SecondsBilled::Always, &chain, rate), 1.0);
        assert_eq!(billed_share(&up(Some(12.0), 0.0), &chain, 0.0), 0.0);
    }

    #[test]
    fn a_steady_stream_keeps_an_instance_up() {
        let chain = chain(&[(1.0, 1.0), (8.0, 4.0)]);
        let up = SecondsBilled::Up {
            idle_timeout_s: 60.0,
            cold_start_s: Some(10.0),
            increment_s: 1.0,
            minimum_s: 0.0,
        };
        assert!((billed_share(&up, &chain, 3.0) - 1.0).abs() < 1e-9);
    }
}
