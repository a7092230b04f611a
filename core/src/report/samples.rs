//! Exact quantiles of per-request figures, with a bootstrap interval.

use serde::{Deserialize, Serialize};
use statrs::function::beta::beta_reg;

use super::{Quantile, Quantiles};

/// The confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// Where a quantile would lie, were the run repeated: a 95% bootstrap percentile interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The statistic, as in a target: `ttft_p99`.
    pub of: String,
    /// Its lower end, seconds.
    pub low_s: f64,
    /// Its upper end, seconds.
    pub high_s: f64,
    /// The number of figures it rests on.
    pub samples: usize,
}

/// The percentiles that are worked out, as shares.
const SHARES: [(Quantile, f64); 4] = [
    (Quantile::P50, 0.50),
    (Quantile::P90, 0.90),
    (Quantile::P95, 0.95),
    (Quantile::P99, 0.99),
];

/// The statistics of a sample, its percentiles interpolated linearly between order statistics, as
/// NumPy does by default; and an interval for each percentile. Empty for an empty sample.
#[must_use]
pub fn of(metric: &str, mut values: Vec<f64>) -> (Quantiles, Vec<Interval>) {
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    let mut quantiles = Quantiles::default();
    let mut intervals = Vec::new();
    let Some(largest) = values.last().copied() else {
        return (quantiles, intervals);
    };
    quantiles.mean = Some(values.iter().sum::<f64>() / values.len() as f64);
    quantiles.max = Some(largest);
    for (quantile, share) in SHARES {
        quantiles.set(quantile, Some(at(&values, share)));
        let (low_s, high_s) = interval(&values, share);
        intervals.push(Interval {
            of: format!("{metric}_{}", quantile.key()),
            low_s,
            high_s,
            samples: values.len(),
        });
    }
    (quantiles, intervals)
}

fn at(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * part
}

/// The bootstrap's own distribution, without drawing: of n values drawn anew from n, the k-th is at
/// most the j-th of the sample with probability P(Binomial(n, j/n) ≥ k), the regularised incomplete
/// beta function I(j/n; k, n − k + 1) (Efron, *The Jackknife, the Bootstrap and Other Resampling
/// Plans*, ch. 10). The interval's ends are where that passes 2.5% and 97.5%.
fn interval(sorted: &[f64], share: f64) -> (f64, f64) {
    let n = sorted.len();
    let k = ((share * n as f64).ceil() as usize).clamp(1, n) as f64;
    let passes = |j: usize, probability: f64| {
        let x = j as f64 / n as f64;
        x >= 1.0 || beta_reg(k, n as f64 - k + 1.0, x) >= probability
    };
    let first = |probability: f64| {
        let (mut low, mut high) = (1, n);
        while low < high {
            let middle = usize::midpoint(low, high);
            if passes(middle, probability) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        sorted[low - 1]
    };
    let tail = (1.0 - CONFIDENCE) / 2.0;
    (first(tail), first(1.0 - tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_numpy_s() {
        // numpy.percentile([1, 2, 3, 4, 10], [50, 90, 95, 99]) = 3, 7.6, 8.8, 9.76
        let (quantiles, _) = of("ttft", vec![10.0, 1.0, 3.0, 2.0, 4.0, f64::NAN]);
        assert_eq!(
            (quantiles.p50, quantiles.mean, quantiles.max),
            (Some(3.0), Some(4.0), Some(10.0))
        );
        for (value, exact) in [
            (quantiles.p90, 7.6),
            (quantiles.p95, 8.8),
            (quantiles.p99, 9.76),
        ] {
            assert!((value.unwrap() - exact).abs() < 1e-12);
        }
        assert_eq!(of("ttft", vec![]).0, Quantiles::default());
    }

    /// The interval without drawing agrees with drawing: 4000 resamples of 200 values by a small
    /// generator, whose ends lie within two ranks of the exact ones.
    #[test]
    fn the_interval_is_the_bootstrap_s() {
        let values: Vec<f64> = (0..200).map(f64::from).collect();
        let (_, intervals) = of("e2e", values.clone());
        let p90 = &intervals[1];
        let mut state = 42_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            values[(state >> 33) as usize % 200]
        };
        let mut ends: Vec<f64> = (0..4000)
            .map(|_| {
                let mut sample: Vec<f64> = (0..200).map(|_| draw()).collect();
                sample.sort_by(f64::total_cmp);
                sample[179]
            })
            .collect();
        ends.sort_by(f64::total_cmp);
        assert!(
            (p90.low_s - ends[100]).abs() <= 2.0,
            "{} {}",
            p90.low_s,
            ends[100]
        );
        assert!(
            (p90.high_s - ends[3900]).abs() <= 2.0,
            "{} {}",
            p90.high_s,
            ends[3900]
        );
        assert!(p90.low_s < 179.0 && p90.high_s > 179.0);
    }

    #[test]
    fn one_value_is_its_own_interval() {
        let (_, intervals) = of("ttft", vec![2.0]);
        assert!(intervals.iter().all(|i| (i.low_s, i.high_s) == (2.0, 2.0)));
    }
}
