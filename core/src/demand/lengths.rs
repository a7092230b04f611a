//! Token counts as a log-linear histogram: exact to 16,383, within 0.013% above.

/// Values below this have a bucket each.
const EXACT: u64 = 1 << 14;
/// Buckets of each doubling above that.
const EACH: u64 = EXACT / 2;
/// The longest request that is taken for one, tokens.
pub(crate) const MOST_TOKENS: u64 = 100_000_000;

/// How many requests have which length. At most a megabyte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    buckets: Vec<u64>,
    known: u64,
    sum: u128,
    max: u64,
}

impl Histogram {
    /// One more request of so many tokens, at most [`MOST_TOKENS`].
    pub(crate) fn add(&mut self, tokens: u64) {
        let bucket = bucket(tokens);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.known += 1;
        self.sum += u128::from(tokens);
        self.max = self.max.max(tokens);
    }

    /// How many requests stated their length.
    pub(crate) fn known(&self) -> u64 {
        self.known
    }

    /// Mean tokens; `None` where no request stated its length.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.known > 0).then(|| self.sum as f64 / self.known as f64)
    }

    /// The longest, tokens.
    pub(crate) fn max(&self) -> u64 {
        self.max
    }

    /// The least length that a share of the requests does not exceed: the nearest rank.
    pub(crate) fn quantile(&self, share: f64) -> u64 {
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
        for tokens in (0..70_000).chain((70_000..MOST_TOKENS).step_by(9_973)) {
            let bucket = bucket(tokens);
            assert!(bucket >= last, "{tokens}");
            last = bucket;
            let largest = largest_of(bucket);
            assert!(largest >= tokens && largest - tokens <= tokens / 8_000, "{tokens}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_nearest_rank() {
        let mut lengths = Histogram::default();
        for tokens in (1..=100).rev() {
            lengths.add(tokens * 10);
        }
        assert_eq!((lengths.quantile(0.5), lengths.quantile(0.99)), (500, 990));
        assert_eq!((lengths.mean(), lengths.max(), lengths.known()), (Some(505.0), 1000, 100));
        assert_eq!(lengths.quantile(1.0), 1000);
    }
}
