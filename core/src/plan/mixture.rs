//! Latency distributions of a few known quantiles, and their mixture over the states of a server.

use crate::report::{Metric, Quantile, Quantiles, curve::Curve};

/// A distribution by its known quantiles: linear between them, and beyond the last known one with
/// the exponential tail that the last two span. Below the first it stands at the first, on the safe
/// side.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Share and seconds, both rising.
    known: Vec<(f64, f64)>,
    /// The scale of the tail, seconds; 0 where only one quantile, or the largest value, is known.
    tail_s: f64,
}

/// The percentiles that hold a distribution up.
const SHARES: [(Quantile, f64); 5] = [
    (Quantile::P50, 0.5),
    (Quantile::P90, 0.9),
    (Quantile::P95, 0.95),
    (Quantile::P99, 0.99),
    (Quantile::Max, 1.0),
];

impl Spread {
    /// The distribution of some quantiles; `None` where there is no percentile among them.
    #[must_use]
    pub fn of(quantiles: &Quantiles) -> Option<Self> {
        let mut known: Vec<(f64, f64)> = Vec::new();
        for (quantile, share) in SHARES {
            if let Some(seconds) = quantiles.get(quantile) {
                // Interpolation between noisy points may put a higher quantile lower by a hair.
                let least = known.last().map_or(0.0, |(_, before)| *before);
                known.push((share, seconds.max(least)));
            }
        }
        let (share, seconds) = *known.last()?;
        let tail_s = match known.len() {
            _ if share >= 1.0 => 0.0,
            0 | 1 => 0.0,
            n => {
                let (before, less) = known[n - 2];
                // Survival falls from 1 − before to 1 − share over the gap between the two.
                (seconds - less) / ((1.0 - before) / (1.0 - share)).ln()
            }
        };
        Some(Self { known, tail_s })
    }

    /// What a metric was with so many in service; `None` where the curve lacks it there.
    #[must_use]
    pub fn at_load(curve: &Curve, metric: Metric, n: f64) -> Option<Self> {
        let mut quantiles = Quantiles::default();
        for quantile in Quantile::ALL {
            quantiles.set(quantile, curve.latency_at(metric, quantile, n));
        }
        Self::of(&quantiles)
    }

    /// P(X > t).
    pub(super) fn survival(&self, t: f64) -> f64 {
        let (first, last) = (self.known[0], self.known[self.known.len() - 1]);
        if t < first.1 {
            return 1.0;
        }
        if t >= last.1 {
            let left = 1.0 - last.0;
            return if self.tail_s > 0.0 {
                left * (-(t - last.1) / self.tail_s).exp()
            } else {
                0.0
            };
        }
        let after = self.known.partition_point(|(_, seconds)| *seconds <= t);
        let ((p, a), (q, b)) = (self.known[after - 1], self.known[after]);
        1.0 - (p + (q - p) * (t - a) / (b - a))
    }

    /// Its mass in a few pieces, each a share and its seconds: enough to add a wait to it.
    pub(super) fn pieces(&self) -> Vec<(f64, f64)> {
        const PIECES: usize = 200;
        (0..PIECES)
            .map(|i| {
                let share = (i as f64 + 0.5) / PIECES as f64;
                (1.0 / PIECES as f64, self.at(share))
            })
            .collect()
    }

    /// The value at a share, seconds.
    #[must_use]
    pub fn at(&self, share: f64) -> f64 {
        let (first, last) = (self.known[0], self.known[self.known.len() - 1]);
        if share <= first.0 {
            return first.1;
        }
        if share >= last.0 {
            let beyond = ((1.0 - last.0) / (1.0 - share)).ln();
            return last.1
                + if self.tail_s > 0.0 {
                    self.tail_s * beyond
                } else {
                    0.0
                };
        }
        let after = self.known.partition_point(|(p, _)| *p <= share);
        let ((p, a), (q, b)) = (self.known[after - 1], self.known[after]);
        a + (b - a) * (share - p) / (q - p)
    }
}

/// A mixture: parts by their probability, and one part after an exponential wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    parts: Vec<(f64, Spread)>,
    waiting: f64,
    /// The waiting part's pieces, and the rate of its wait; no rate for a metric without a wait.
    full: Vec<(f64, f64)>,
    wait_rate: Option<f64>,
}

impl Mixture {
    pub(super) fn new(
        parts: Vec<(f64, Spread)>,
        (waiting, full, wait_rate): (f64, Spread, Option<f64>),
    ) -> Self {
        Self {
            parts,
            waiting,
            full: full.pieces(),
            wait_rate,
        }
    }

    /// P(latency > t).
    #[must_use]
    pub fn survival(&self, t: f64) -> f64 {
        let parts: f64 = self
            .parts
            .iter()
            .map(|(p, spread)| p * spread.survival(t))
            .sum();
        let after_wait = |seconds: f64| match (t < seconds, self.wait_rate) {
            (true, _) => 1.0,
            (false, Some(rate)) => (-rate * (t - seconds)).exp(),
            (false, None) => 0.0,
        };
        let waiting: f64 = self
            .full
            .iter()
            .map(|(share, seconds)| share * after_wait(*seconds))
            .sum();
        parts + self.waiting * waiting
    }

    /// The smallest t that a share of requests does not exceed, seconds, to a billionth of it.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1e-3);
        while self.survival(high) > 1.0 - share && high < 1e12 {
            low = high;
            high *= 2.0;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if self.survival(middle) > 1.0 - share {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles_come_back_and_the_tail_goes_on() {
        let quantiles = Quantiles {
            p50: Some(1.0),
            p90: Some(2.0),
            p99: Some(4.0),
            ..Quantiles::default()
        };
        let spread = Spread::of(&quantiles).unwrap();
        for (share, seconds) in [(0.5, 1.0), (0.7, 1.5), (0.9, 2.0), (0.99, 4.0), (0.2, 1.0)] {
            assert!((spread.at(share) - seconds).abs() < 1e-12, "{share}");
        }
        // From p90 to p99 survival falls tenfold over 2 s; another tenfold takes 2 s more.
        assert!((spread.at(0.999) - 6.0).abs() < 1e-9);
        assert!((spread.survival(6.0) - 0.001).abs() < 1e-12);
        assert!(Spread::of(&Quantiles::default()).is_none());
    }

    #[test]
    fn a_mixture_of_two_lies_between_them() {
        let fixed = |seconds: f64| {
            Spread::of(&Quantiles {
                p50: Some(seconds),
                max: Some(seconds),
                ..Quantiles::default()
            })
            .unwrap()
        };
        let mixture = Mixture::new(
            vec![(0.6, fixed(1.0)), (0.3, fixed(2.0))],
            (0.1, fixed(3.0), None),
        );
        assert!((mixture.quantile(0.5) - 1.0).abs() < 1e-6);
        assert!((mixture.quantile(0.8) - 2.0).abs() < 1e-6);
        assert!((mixture.quantile(0.95) - 3.0).abs() < 1e-6);
    }
}
