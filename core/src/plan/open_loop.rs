//! The largest rate one replica may be given when requests come at random.
//!
//! The rule of [`super::capacity`] takes latencies as a closed loop shows them. Here every percentile
//! is that of the mixture over the states that random arrivals find, and the wait of those that find
//! every place taken: what `capacity` answers, for a whole comparison in a few milliseconds.

use super::{
    capacity::{self, Bound, Limit},
    question::share,
    server::{Stationary, Table, death_rates},
};
use crate::{
    report::{Metric, Quantile, Slo, Target, curve::Curve},
    text::Notice,
};

/// Halvings of the range of rates: what is left is a billionth of it.
const HALVINGS: u32 = 32;

/// A replica's limit, and whether the waiting of random arrivals is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLimit {
    /// The limit.
    pub limit: Limit,
    /// Whether every target was judged under random arrivals. Not a largest value; and not where a
    /// lighter load that was measured misses a target, which the warning on it says, for then no rate
    /// would do.
    pub is_open: bool,
}

/// How one target is judged.
enum Judge {
    /// P(latency > target) is to be at most so much.
    Tail(Table, f64),
    /// The mean end-to-end latency, by Little's law.
    Mean,
}

/// The largest rate at which every target holds under random arrivals and utilisation stays at or
/// under `ceiling`; never above what the closed loop allows. A maximum has no place in random arrivals
/// and is judged by the closed loop alone.
///
/// # Errors
/// As [`capacity::largest_rate`].
pub fn largest_rate(curve: &Curve, slo: &Slo, ceiling: f64) -> Result<OpenLimit, Vec<Notice>> {
    let closed = capacity::largest_rate(curve, slo, ceiling)?;
    let closed_only = |limit| {
        Ok(OpenLimit {
            limit,
            is_open: false,
        })
    };
    let Some(rates) = death_rates(curve, 1) else {
        return closed_only(closed);
    };
    let judges: Vec<(&Target, Judge)> = slo
        .0
        .iter()
        .filter_map(|target| Some((target, judge(curve, target, rates.len())?)))
        .collect();
    // What is not among the judges, a maximum or the mean of anything but the whole, was judged above.
    let is_open = judges.len() == slo.0.len();
    let missed_at = |rate: f64| {
        let Some(state) = Stationary::of(&rates, rate) else {
            return Some(Bound::UtilizationCeiling);
        };
        let misses = |(target, judge): &&(&Target, Judge)| match judge {
            Judge::Tail(table, beyond) => state.exceeds(table, target.at_most_s) > *beyond,
            Judge::Mean => state.mean_latency_s() > target.at_most_s,
        };
        judges
            .iter()
            .find(misses)
            .map(|(target, _)| Bound::Target(**target))
    };
    // A curve that falls past its top is stable only below where it ends.
    let full = rates.last().copied().unwrap_or_default() * (1.0 - 1e-9);
    let top = closed.rate_per_s.min(full);
    let Some(mut bound) = missed_at(top) else {
        let limit = Limit {
            rate_per_s: top,
            ..closed
        };
        return Ok(OpenLimit { limit, is_open });
    };
    let (mut low, mut high) = (top * 1e-6, top);
    if missed_at(low).is_some() {
        return closed_only(closed);
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match missed_at(middle) {
            Some(found) => (bound, high) = (found, middle),
            None => low = middle,
        }
    }
    let in_system = Stationary::of(&rates, low).map(|state| state.mean_in_system());
    Ok(OpenLimit {
        limit: Limit {
            rate_per_s: low,
            concurrency: in_system.unwrap_or(closed.concurrency),
            bound,
            ..closed
        },
        is_open,
    })
}

fn judge(curve: &Curve, target: &Target, states: usize) -> Option<Judge> {
    match share(target.quantile) {
        Some(share) => {
            let table = Table::of(curve, target.metric, states)?;
            Some(Judge::Tail(table, 1.0 - share))
        }
        None => {
            let is_mean = target.quantile == Quantile::Mean && target.metric == Metric::E2e;
            is_mean.then_some(Judge::Mean)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::{
            question::{Question, answer},
            server::Dispatch,
        },
        report::tests::sweep,
    };

    fn slo(text: &str) -> Slo {
        Slo(text
            .split_whitespace()
            .map(|target| target.parse().unwrap())
            .collect())
    }

    /// TTFT p50 and p99 rise with the load; at most 40 in service.
    fn curve() -> Curve {
        let mut report = sweep(&[(1.0, 0.2), (16.0, 2.0), (40.0, 3.0)]);
        for (point, p99) in report.points.iter_mut().zip([0.1, 0.6, 2.0]) {
            point.ttft_s.p50 = Some(p99 / 2.0);
            point.ttft_s.p99 = Some(p99);
            point.latency_s.p99 = Some(p99 * 10.0);
        }
        Curve::of(&report).unwrap().0
    }

    #[test]
    fn it_is_what_a_capacity_question_answers() {
        let curve = curve();
        for text in [
            "ttft_p99=1",
            "ttft_p99=1 e2e_p99=6",
            "ttft_p50=0.4",
            "e2e_p99=8",
            "ttft_p99=0.4",
        ] {
            let targets = slo(text);
            let asked = Question {
                curve: &curve,
                rate_per_s: 1.0,
                replicas: Some(1),
                dispatch: Dispatch::Split,
                slo: &targets,
                ceiling: 0.85,
            };
            let exact = answer("r", &asked).unwrap();
            let found = largest_rate(&curve, &targets, 0.85).unwrap();
            let closed = capacity::largest_rate(&curve, &targets, 0.85).unwrap();
            // Both halve to about a billionth; the closed loop's own limit bounds this one.
            let most = exact.max_rate_per_replica.unwrap().min(closed.rate_per_s);
            let ratio = found.limit.rate_per_s / most;
            assert!((ratio - 1.0).abs() < 1e-6, "{text}: {ratio}");
            assert!(found.is_open && found.limit.rate_per_s <= closed.rate_per_s);
        }
    }

    #[test]
    fn a_light_load_that_misses_leaves_the_closed_loop_s_word() {
        // Cold at its first point: 1.5 s where four at once take 0.4 s.
        let mut report = sweep(&[(1.0, 1.0), (4.0, 3.0), (8.0, 4.0)]);
        for (point, p99) in report.points.iter_mut().zip([1.5, 0.4, 0.9]) {
            point.ttft_s.p99 = Some(p99);
        }
        let curve = Curve::of(&report).unwrap().0;
        let found = largest_rate(&curve, &slo("ttft_p99=1"), 1.0).unwrap();
        let closed = capacity::largest_rate(&curve, &slo("ttft_p99=1"), 1.0).unwrap();
        assert!(!found.is_open);
        assert_eq!(found.limit, closed);
        assert_eq!(found.limit.missed_below.len(), 1);
    }

    #[test]
    fn a_maximum_and_no_target_are_the_closed_loop_s() {
        let mut report = sweep(&[(1.0, 1.0), (8.0, 4.0)]);
        for point in &mut report.points {
            point.ttft_s.max = Some(1.0);
        }
        let curve = Curve::of(&report).unwrap().0;
        for text in ["ttft_max=2", ""] {
            let found = largest_rate(&curve, &slo(text), 0.85).unwrap();
            assert!((found.limit.rate_per_s - 3.4).abs() < 1e-9);
        }
        assert!(largest_rate(&curve, &slo("ttft_max=0.5"), 0.85).is_err());
    }
}
