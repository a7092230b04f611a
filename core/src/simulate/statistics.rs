//! Quantiles of a stream, with confidence intervals by batch means.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Sub-buckets of an octave: a bucket is at most 0.1% wide.
const BITS: u32 = 42;
/// 2⁻³⁰ s: anything below counts as it.
const LEAST: u64 = (1023 - 30) << (52 - BITS);
/// 2³⁰ s.
const MOST: u64 = (1023 + 30) << (52 - BITS);

/// Counts by value, in buckets of equal relative width; 0 has one of its own.
#[derive(Clone)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    zeros: u64,
    count: u64,
    sum: f64,
    largest: f64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self {
            counts: vec![0; (MOST - LEAST + 1) as usize],
            zeros: 0,
            count: 0,
            sum: 0.0,
            largest: 0.0,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.sum += seconds;
        self.largest = self.largest.max(seconds);
        if seconds <= 0.0 {
            self.zeros += 1;
        } else {
            let bucket = (seconds.to_bits() >> BITS).clamp(LEAST, MOST) - LEAST;
            self.counts[bucket as usize] += 1;
        }
    }

    /// Takes another's counts and empties it.
    fn take(&mut self, other: &mut Self) {
        for (mine, its) in self.counts.iter_mut().zip(&mut other.counts) {
            *mine += std::mem::take(its);
        }
        self.zeros += std::mem::take(&mut other.zeros);
        self.count += std::mem::take(&mut other.count);
        self.sum += std::mem::take(&mut other.sum);
        self.largest = self.largest.max(std::mem::take(&mut other.largest));
    }

    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// The middle of the bucket that holds the quantile.
    fn quantiles(&self, shares: &[f64]) -> Vec<f64> {
        let mut found = Vec::with_capacity(shares.len());
        let mut passed = self.zeros;
        let mut wanted = shares
            .iter()
            .map(|share| (share * self.count as f64).ceil());
        let mut next = wanted.next();
        while let Some(rank) = next.filter(|rank| passed as f64 >= *rank) {
            let _ = rank;
            found.push(0.0);
            next = wanted.next();
        }
        for (bucket, count) in self.counts.iter().enumerate() {
            if *count == 0 {
                continue;
            }
            passed += count;
            while next.is_some_and(|rank| passed as f64 >= rank) {
                let low = f64::from_bits((bucket as u64 + LEAST) << BITS);
                let high = f64::from_bits((bucket as u64 + LEAST + 1) << BITS);
                found.push(f64::midpoint(low, high).min(self.largest));
                next = wanted.next();
            }
        }
        found
    }
}

/// The percentiles that are kept, in order.
pub(super) const SHARES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// Mean, p50, p90, p95, p99.
pub(super) type Row = [f64; 5];

/// A metric's statistics: mean, p50, p90, p95, p99.
pub(super) struct Statistics {
    pub(super) values: Row,
    /// Half of each one's 99% interval, where there are batches enough to tell.
    pub(super) halves: [Option<f64>; 5],
    pub(super) largest: f64,
}

/// One metric over a simulation.
pub(super) struct Meter {
    all: Histogram,
    batch: Histogram,
    rows: Vec<Row>,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self {
            all: Histogram::new(),
            batch: Histogram::new(),
            rows: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, seconds: f64) {
        self.batch.add(seconds);
    }

    pub(super) fn end_batch(&mut self) {
        if self.batch.count > 0 {
            self.rows.push(row(&self.batch));
            self.all.take(&mut self.batch);
        }
    }

    /// The statistics over everything; `None` where nothing was seen.
    pub(super) fn finish(&self) -> Option<Statistics> {
        (self.all.count > 0).then(|| Statistics {
            values: row(&self.all),
            halves: std::array::from_fn(|i| half_width(self.rows.iter().map(|row| row[i]))),
            largest: self.all.largest,
        })
    }
}

fn row(histogram: &Histogram) -> Row {
    let quantiles = histogram.quantiles(&SHARES);
    let at = |i: usize| quantiles.get(i).copied().unwrap_or(0.0);
    [histogram.mean(), at(0), at(1), at(2), at(3)]
}

/// Half of the 99% confidence interval of the mean of independent values; `None` under five.
pub(super) fn half_width(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    if values.len() < 5 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let t = StudentsT::new(0.0, 1.0, count - 1.0)
        .ok()?
        .inverse_cdf(0.995);
    Some(t * (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_a_bucket() {
        let mut meter = Meter::new();
        for i in 1..=100_000 {
            meter.add(f64::from(i) / 1000.0);
        }
        meter.end_batch();
        let found = meter.finish().unwrap();
        for (value, exact) in found.values.iter().zip([50.0005, 50.0, 90.0, 95.0, 99.0]) {
            // A bucket is a 1,024th of an octave wide: its middle is off by half of that.
            assert!((value / exact - 1.0).abs() < 0.000_5, "{value} {exact}");
        }
        assert_eq!(found.halves, [None; 5], "one batch tells no interval");
        assert_eq!(found.largest, 100.0);
    }

    #[test]
    fn zeros_are_zero_and_extremes_stay_in_range() {
        let mut meter = Meter::new();
        for seconds in [0.0, 0.0, 0.0, 1e-300, 1e300] {
            meter.add(seconds);
        }
        meter.end_batch();
        let found = meter.finish().unwrap();
        assert_eq!(found.values[1], 0.0);
        assert!(found.values[4] > 1e9);
        assert!(Meter::new().finish().is_none());
    }

    #[test]
    fn the_half_width_is_student_s() {
        // Mean 3, s² = 2.5, t(0.995, 4) = 4.604095: 4.604095 × √(2.5 ÷ 5).
        let half = half_width([1.0, 2.0, 3.0, 4.0, 5.0].into_iter()).unwrap();
        assert!((half - 4.604_095 * 0.5_f64.sqrt()).abs() < 1e-4, "{half}");
    }
}
