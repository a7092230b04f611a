//! Token counts as a log-linear histogram: exact to 16,383, within 0.013% above.

use super::document::Tokens;

/// Values below this have a bucket each.
const EXACT: u64 = 1 << 14;
/// Buckets of each doubling above that.
const EACH: u64 = EXACT / 2;

/// How many requests have which length. At most a megabyte.
#[derive(Clone, Debug, Default)]
pub struct Lengths {
    buckets: Vec<u64>,
    known: u64,
    sum: u128,
    max: u64,
}

impl Lengths {
    /// The longest request that is taken for one, tokens.
    pub const MOST: u64 = 100_000_000;

    /// One more request of so many tokens, at most [`Self::MOST`].
    pub fn add(&mut self, tokens: u64) {
        let tokens = tokens.min(Self::MOST);
        let bucket = bucket(tokens);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.known += 1;
        self.sum += u128::from(tokens);
        self.max = self.max.max(tokens);
    }

    /// The statistics; `None` where no length is known.
    #[must_use]
    pub fn tokens(&self) -> Option<Tokens> {
        let quantile = |share| Some(self.quantile(share) as f64);
        (self.known > 0).then(|| Tokens {
            mean: self.sum as f64 / self.known as f64,
            p50: quantile(0.5),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
            max: Some(self.max as f64),
        })
    }

    /// The least length that a share of the requests does not exceed: the nearest rank.
    fn quantile(&self, share: f64) -> u64 {
        let rank = (share * self.known as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            below += count;
            if below >= rank {
                return largest_of(bucket).min(self.max);
            }
        }
        self.max
    }
}

fn bucket(tokens: u64) -> usize {
    if tokens < EXACT {
        return tokens as usize;
    }
    let doublings = u64::from(tokens.ilog2() - EXACT.ilog2());
    (EXACT + doublings * EACH + ((tokens >> (doublings + 1)) - EACH)) as usize
}

/// The largest value of a bucket.
fn largest_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < EXACT {
        return bucket;
    }
    let (doublings, within) = ((bucket - EXACT) / EACH, (bucket - EXACT) % EACH);
    ((within + EACH + 1) << (doublings + 1)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_the_bucket_that_says_so() {
        let mut last = 0;
        let coarse = (70_000..Lengths::MOST).step_by(9_973);
        for tokens in (0..70_000).chain(coarse) {
            let bucket = bucket(tokens);
            assert!(bucket >= last, "{tokens}");
            last = bucket;
            let largest = largest_of(bucket);
            assert!(
                largest >= tokens && largest - tokens <= tokens / 8_000,
                "{tokens}"
            );
        }
    }

    #[test]
    fn quantiles_are_those_of_the_nearest_rank() {
        let mut lengths = Lengths::default();
        assert_eq!(lengths.tokens(), None);
        for tokens in (1..=100).rev() {
            lengths.add(tokens * 10);
        }
        let found = lengths.tokens().unwrap();
        assert_eq!((found.p50, found.p99), (Some(500.0), Some(990.0)));
        assert_eq!((found.mean, found.max), (505.0, Some(1000.0)));
    }
}
