//! The largest rate one replica may be given.
//!
//! The rule: among the measured concurrencies and the whole numbers between them, those at which
//! every latency target holds; the largest throughput among these; and no more than the
//! utilisation ceiling's share of the largest throughput measured. It takes the latencies as the
//! closed loop showed them: waiting under random arrivals is not in it.

use crate::{
    report::{Quantile, Slo, Target, curve::Curve},
    text::Notice,
};

/// What a replica may be given, and what holds it there.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Requests per second.
    pub rate_per_s: f64,
    /// Requests in service at that rate.
    pub concurrency: f64,
    /// What binds.
    pub bound: Bound,
    /// Targets that a higher quantile had to stand in for: an estimate on the safe side.
    pub stand_ins: Vec<(Target, Quantile)>,
    /// Targets that a lighter measured load misses: the worst such load and its latency.
    pub missed_below: Vec<MissedBelow>,
}

/// A target that holds at the limit and is missed at a lighter load that was measured.
///
/// Latency does not fall with load; such a sweep was cold at its start, or is noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissedBelow {
    /// The target.
    pub target: Target,
    /// Requests in service at the lighter load.
    pub concurrency: f64,
    /// What was measured there.
    pub seconds: f64,
}

/// What keeps a replica from more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A latency target, missed at the next concurrency.
    Target(Target),
    /// The utilisation ceiling.
    UtilizationCeiling,
}

impl Bound {
    /// Its key in JSON: a target's, or `utilization_ceiling`.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Target(target) => target.key(),
            Self::UtilizationCeiling => "utilization_ceiling".to_owned(),
        }
    }
}

/// The largest rate at which every target holds and utilisation stays at or under `ceiling`.
///
/// # Errors
/// Each target that the measurements cannot judge or that they miss even at their best.
pub fn largest_rate(curve: &Curve, slo: &Slo, ceiling: f64) -> Result<Limit, Vec<Notice>> {
    let mut reasons = Vec::new();
    let mut judged = Vec::new();
    let mut stand_ins = Vec::new();
    for target in &slo.0 {
        match judging_quantile(curve, target) {
            Some(quantile) => {
                if quantile != target.quantile {
                    stand_ins.push((*target, quantile));
                }
                judged.push((target, quantile));
            }
            None => reasons.push(cannot_judge(target)),
        }
    }
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let missed_at = |n: f64| {
        let misses = |(target, quantile): &&(&Target, Quantile)| {
            let latency = curve.latency_at(target.metric, *quantile, n);
            latency.is_none_or(|seconds| seconds > target.at_most_s)
        };
        judged.iter().find(misses).map(|(target, _)| **target)
    };
    let candidates: Vec<f64> = curve.concurrencies().collect();
    let best = candidates
        .iter()
        .enumerate()
        .filter(|(_, n)| missed_at(**n).is_none())
        .map(|(i, n)| (i, *n, curve.rate_at(*n)))
        .max_by(|a, b| a.2.total_cmp(&b.2));
    let Some((i, concurrency, rate)) = best else {
        return Err(judged
            .iter()
            .map(|(target, q)| missed(curve, target, *q))
            .collect());
    };
    let most = ceiling * curve.largest_rate();
    let next = candidates.get(i + 1).and_then(|n| missed_at(*n));
    let (rate_per_s, bound) = match next {
        Some(target) if rate <= most => (rate, Bound::Target(target)),
        _ => (rate.min(most), Bound::UtilizationCeiling),
    };
    Ok(Limit {
        rate_per_s,
        concurrency: concurrency_at(curve, &candidates, rate_per_s).unwrap_or(concurrency),
        bound,
        stand_ins,
        missed_below: missed_below(curve, &judged, concurrency),
    })
}

/// The worst lighter load of each target that one misses.
fn missed_below(
    curve: &Curve,
    judged: &[(&Target, Quantile)],
    concurrency: f64,
) -> Vec<MissedBelow> {
    let worst = |(target, quantile): &(&Target, Quantile)| {
        let lighter = curve.concurrencies().filter(|n| *n < concurrency);
        let latencies = lighter.filter_map(|concurrency| {
            let seconds = curve.latency_at(target.metric, *quantile, concurrency)?;
            (seconds > target.at_most_s).then_some(MissedBelow {
                target: **target,
                concurrency,
                seconds,
            })
        });
        latencies.max_by(|a, b| a.seconds.total_cmp(&b.seconds))
    };
    judged.iter().filter_map(worst).collect()
}

/// The target's own quantile where the report has it, else the nearest that is never below it.
pub(super) fn judging_quantile(curve: &Curve, target: &Target) -> Option<Quantile> {
    std::iter::once(&target.quantile)
        .chain(target.quantile.upper_bounds())
        .copied()
        .find(|quantile| curve.has(target.metric, *quantile))
}

/// The smallest candidate that serves `rate`.
fn concurrency_at(curve: &Curve, candidates: &[f64], rate: f64) -> Option<f64> {
    let serves = |n: &&f64| curve.rate_at(**n) >= rate * (1.0 - 1e-12);
    candidates.iter().find(serves).copied()
}

pub(crate) fn cannot_judge(target: &Target) -> Notice {
    let (metric, label) = (target.metric.name(), target.label());
    Notice::new(
        "target-cannot-be-judged",
        format!(
            "The report has no {metric} statistic that could judge {label}; measure it, or drop the target."
        ),
        format!("报告没有可用于判断 {label} 的 {metric} 统计；请补测，或去掉该目标。"),
    )
}

fn missed(curve: &Curve, target: &Target, quantile: Quantile) -> Notice {
    let best = curve
        .concurrencies()
        .filter_map(|n| curve.latency_at(target.metric, quantile, n))
        .min_by(f64::total_cmp);
    let label = target.label();
    let (en, zh) = match best {
        Some(seconds) => (
            format!(": at best {seconds:.4} s was measured"),
            format!("：实测最好为 {seconds:.4} 秒"),
        ),
        None => (String::new(), String::new()),
    };
    Notice::new(
        "target-missed",
        format!("No measured load meets {label} with the other targets{en}."),
        format!("没有任何实测负载能（连同其他目标）满足 {label}{zh}。"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Metric, tests::sweep};

    fn curve(points: &[(f64, f64, f64)]) -> Curve {
        let mut report = sweep(&points.iter().map(|p| (p.0, p.1)).collect::<Vec<_>>());
        for (point, (_, _, p99)) in report.points.iter_mut().zip(points) {
            point.ttft_s.p99 = Some(*p99);
        }
        Curve::of(&report).unwrap().0
    }

    fn slo(text: &str) -> Slo {
        Slo(text
            .split_whitespace()
            .map(|t| t.parse().unwrap())
            .collect())
    }

    #[test]
    fn a_target_binds_at_the_last_whole_concurrency_that_meets_it() {
        // R: 1 s at 1, 2 s at 5. TTFT p99: 0.1 s at 1, 0.5 s at 5, so 0.35 s allows n = 3.
        let curve = curve(&[(1.0, 1.0, 0.1), (5.0, 2.5, 0.5)]);
        let limit = largest_rate(&curve, &slo("ttft_p99=0.35"), 1.0).unwrap();
        assert_eq!(limit.concurrency, 3.0);
        assert!((limit.rate_per_s - 3.0 / 1.5).abs() < 1e-12);
        assert_eq!(limit.bound.key(), "ttft_p99");
    }

    #[test]
    fn without_targets_the_ceiling_binds() {
        let curve = curve(&[(1.0, 1.0, 0.1), (5.0, 2.5, 0.5)]);
        let limit = largest_rate(&curve, &Slo::default(), 0.85).unwrap();
        assert!((limit.rate_per_s - 0.85 * 2.5).abs() < 1e-12);
        assert_eq!(limit.bound, Bound::UtilizationCeiling);
        // R(n) = 1 + (n − 1)/4, so X(4) = 4/1.75 = 2.286 is the first to serve 2.125.
        assert_eq!(limit.concurrency, 4.0);
    }

    #[test]
    fn a_missing_quantile_is_judged_by_a_higher_one_and_never_by_a_lower() {
        let curve = curve(&[(1.0, 1.0, 0.1), (5.0, 2.5, 0.5)]);
        let limit = largest_rate(&curve, &slo("ttft_p95=0.35"), 1.0).unwrap();
        assert_eq!(limit.concurrency, 3.0);
        assert_eq!(limit.stand_ins[0].1, Quantile::P99);
        let reasons = largest_rate(&curve, &slo("ttft_max=1 e2e_p50=1"), 1.0).unwrap_err();
        let codes: Vec<_> = reasons.iter().map(|r| r.code.as_str()).collect();
        assert_eq!(
            codes,
            ["target-cannot-be-judged", "target-cannot-be-judged"]
        );
        assert!(!curve.has(Metric::E2e, Quantile::P99));
    }

    #[test]
    fn a_target_that_every_load_misses_is_a_reason_with_the_best_figure() {
        let curve = curve(&[(1.0, 1.0, 0.1), (5.0, 2.5, 0.5)]);
        let reasons = largest_rate(&curve, &slo("ttft_p99=0.05"), 1.0).unwrap_err();
        assert_eq!(reasons[0].code, "target-missed");
        assert!(reasons[0].en.contains("0.1000 s"), "{}", reasons[0].en);
    }

    #[test]
    fn a_target_missed_at_a_lighter_load_is_told_with_the_worst_of_it() {
        // Cold at the start: 7.6 s at 4 and 9.4 s at 8, but 5.7 s at 16, where the limit is.
        let curve = curve(&[(4.0, 0.5, 7.6), (8.0, 1.0, 9.4), (16.0, 2.0, 5.7)]);
        let limit = largest_rate(&curve, &slo("ttft_p99=6"), 1.0).unwrap();
        let below = limit.missed_below[0];
        assert_eq!((below.concurrency, below.seconds), (8.0, 9.4));
        let limit = largest_rate(&curve, &slo("ttft_p99=10"), 1.0).unwrap();
        assert!(limit.missed_below.is_empty());
    }

    #[test]
    fn adding_a_target_never_raises_the_rate() {
        let curve = curve(&[(1.0, 1.0, 0.1), (5.0, 2.5, 0.5), (9.0, 2.0, 3.0)]);
        let free = largest_rate(&curve, &Slo::default(), 1.0).unwrap();
        let bound = largest_rate(&curve, &slo("ttft_p99=0.4"), 1.0).unwrap();
        assert_eq!(free.rate_per_s, 2.5, "the top of the curve, not its end");
        assert!(bound.rate_per_s <= free.rate_per_s);
    }
}
