//! Quantiles of a histogram's cumulative buckets.

use super::series::{self, Series};
use crate::report::{Quantile, Quantiles};

/// The percentiles that are worked out, as shares.
const SHARES: [(Quantile, f64); 4] = [
    (Quantile::P50, 0.50),
    (Quantile::P90, 0.90),
    (Quantile::P95, 0.95),
    (Quantile::P99, 0.99),
];

/// Upper bounds and how many values lie at or below each, lowest first.
pub(super) struct Histogram(Vec<(f64, f64)>);

impl Histogram {
    /// Adds up the buckets of every series. A bound that some series lack, as servers of two
    /// versions do, counts for none.
    pub(super) fn of<'a>(buckets: impl Iterator<Item = &'a Series>, snapshot: bool) -> Self {
        let mut bounds: Vec<(f64, f64, usize)> = Vec::new();
        for bucket in buckets {
            let Some(upper) = bucket.labels.get("le").and_then(|le| series::number(le)) else {
                continue;
            };
            let increase = bucket.increase(snapshot);
            match bounds.iter_mut().find(|(known, ..)| *known == upper) {
                Some((_, count, series)) => {
                    *count += increase;
                    *series += 1;
                }
                None => bounds.push((upper, increase, 1)),
            }
        }
        let all = bounds.iter().map(|(.., series)| *series).max();
        bounds.retain(|(.., series)| Some(*series) == all);
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self(
            bounds
                .into_iter()
                .map(|(upper, count, _)| (upper, count))
                .collect(),
        )
    }

    /// The percentiles, and those past the last finite bound, with that bound.
    pub(super) fn quantiles(&self) -> (Quantiles, Vec<(Quantile, f64)>) {
        let mut quantiles = Quantiles::default();
        let mut beyond = Vec::new();
        for (quantile, share) in SHARES {
            match self.at(share) {
                Some(Ok(value)) => quantiles.set(quantile, Some(value)),
                Some(Err(bound)) => beyond.push((quantile, bound)),
                None => {}
            }
        }
        (quantiles, beyond)
    }

    /// The value at a share of the counts, linearly within its bucket; the last finite bound where
    /// it lies past it.
    fn at(&self, share: f64) -> Option<Result<f64, f64>> {
        let (_, all) = self
            .0
            .last()
            .filter(|(upper, count)| upper.is_infinite() && *count > 0.0)?;
        let rank = share * all;
        let at = self.0.iter().position(|(_, count)| *count >= rank)?;
        let (upper, count) = *self.0.get(at)?;
        let before = at.checked_sub(1).and_then(|before| self.0.get(before));
        let (lower, below) = before.copied().unwrap_or((0.0, 0.0));
        if upper.is_infinite() {
            return Some(Err(lower));
        }
        let inside = count - below;
        let part = if inside > 0.0 {
            (rank - below) / inside
        } else {
            1.0
        };
        Some(Ok(lower + (upper - lower) * part))
    }
}
