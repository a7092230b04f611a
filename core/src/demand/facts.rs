//! What is counted of a demand, from whatever source, and what follows from it.

use super::{HOURS, lengths::Histogram};

/// Nanoseconds of a second.
pub(crate) const NS: i64 = 1_000_000_000;
/// Widths of the windows whose peaks are told, seconds.
pub(crate) const WINDOWS_S: [i64; 5] = [1, 10, 60, 300, 3_600];

/// Count, sum and sum of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

impl Moments {
    pub(crate) fn add(&mut self, value: f64) {
        self.n += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    pub(crate) fn mean(&self) -> Option<f64> {
        (self.n > 0.0).then(|| self.sum / self.n)
    }

    /// The variance of the values themselves.
    fn variance(&self) -> Option<f64> {
        let mean = self.mean()?;
        Some((self.squares / self.n - mean * mean).max(0.0))
    }

    /// Standard deviation over mean.
    pub(crate) fn cv(&self) -> Option<f64> {
        let mean = self.mean().filter(|mean| *mean > 0.0)?;
        Some(self.variance()?.sqrt() / mean)
    }

    /// Variance, estimated of the population, over mean.
    pub(crate) fn dispersion(&self) -> Option<f64> {
        let mean = self.mean().filter(|mean| *mean > 0.0)?;
        (self.n >= 2.0).then_some(self.variance()? * self.n / (self.n - 1.0) / mean)
    }
}

/// The counts of complete windows of one width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Windows {
    pub(crate) most: f64,
    pub(crate) moments: Moments,
}

impl Windows {
    pub(crate) fn add(&mut self, count: f64) {
        self.most = self.most.max(count);
        self.moments.add(count);
    }

    /// The fullest window over the mean one; `None` of fewer than two.
    pub(crate) fn peak_to_mean(&self) -> Option<f64> {
        let mean = self.moments.mean().filter(|mean| *mean > 0.0)?;
        (self.moments.n >= 2.0).then_some(self.most / mean)
    }
}

/// Stretches without a request, longer than chance would have them; seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Silences {
    pub(crate) count: f64,
    pub(crate) total_s: f64,
    pub(crate) longest_s: f64,
}

impl Silences {
    /// Random arrivals at a steady rate have a longer silence once in a million such traces. A
    /// second is allowed for, as stamps are counted by the second.
    pub(crate) fn threshold_s(span_s: f64, requests: f64) -> f64 {
        if requests < 2.0 {
            return f64::INFINITY;
        }
        span_s / requests * (1e6 * requests).ln() + 1.0
    }
}

/// Lengths of requests, tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LengthFacts {
    /// Requests whose length is known.
    pub(crate) known: f64,
    /// p50, p90, p95, p99, where they can be told.
    pub(crate) quantiles: [Option<f64>; 4],
    pub(crate) mean: Option<f64>,
    pub(crate) max: Option<f64>,
}

/// The quantiles told of lengths.
pub(crate) const QUANTILES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

impl From<Histogram> for LengthFacts {
    fn from(lengths: Histogram) -> Self {
        let any = lengths.known() > 0;
        Self {
            known: lengths.known() as f64,
            quantiles: QUANTILES.map(|share| any.then(|| lengths.quantile(share) as f64)),
            mean: lengths.mean(),
            max: any.then(|| lengths.max() as f64),
        }
    }
}

/// One hour of the week.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slot {
    pub(crate) count: f64,
    pub(crate) observed_s: f64,
}

/// Everything counted.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// `None` where something else than requests was counted.
    pub(crate) requests: Option<f64>,
    /// `None` of an empty trace.
    pub(crate) first_ns: Option<i64>,
    pub(crate) last_ns: i64,
    /// Stamps count from an unknown instant, so that they have no hour of the week.
    pub(crate) relative: bool,
    /// From Monday 00:00 UTC.
    pub(crate) slots: [Slot; HOURS],
    /// Of each of [`WINDOWS_S`].
    pub(crate) windows: [Windows; 5],
    /// Gaps between arrivals, seconds; `None` where they cannot be told.
    pub(crate) gaps: Option<Moments>,
    /// All stamps are whole multiples of this apart; 0 where fewer than two differ.
    pub(crate) grid_ns: u64,
    pub(crate) silences: Silences,
    /// Stamps too late for the buffer that puts them in order.
    pub(crate) late: u64,
    /// Rows before the one above them.
    pub(crate) backwards: u64,
    pub(crate) duplicates: u64,
    /// Rows that hold no stamp.
    pub(crate) without_time: u64,
    /// Rows that could not be read.
    pub(crate) bad: u64,
    pub(crate) input: LengthFacts,
    pub(crate) output: LengthFacts,
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            requests: None,
            first_ns: None,
            last_ns: 0,
            relative: false,
            slots: [Slot::default(); HOURS],
            windows: [Windows::default(); 5],
            gaps: None,
            grid_ns: 0,
            silences: Silences::default(),
            late: 0,
            backwards: 0,
            duplicates: 0,
            without_time: 0,
            bad: 0,
            input: LengthFacts::default(),
            output: LengthFacts::default(),
        }
    }
}

/// The hour of the week of an hour since 1970, which began on a Thursday.
pub(crate) fn hour_of_week(hour: i64) -> usize {
    (hour + 3 * 24).rem_euclid(HOURS as i64) as usize
}

impl Facts {
    /// Counts requests of an hour, numbered from 1970.
    pub(crate) fn add_hour(&mut self, hour: i64, count: f64) {
        self.slots[hour_of_week(hour)].count += count;
    }

    /// Says that a stretch was watched, so that hours without a request in it were idle.
    pub(crate) fn observe(&mut self, from_ns: i64, to_ns: i64) {
        let hour_ns = 3_600 * NS;
        for hour in from_ns.div_euclid(hour_ns)..=to_ns.div_euclid(hour_ns) {
            let begin = from_ns.max(hour * hour_ns);
            let end = to_ns.min((hour + 1) * hour_ns);
            let seconds = (end - begin).max(0) as f64 / NS as f64;
            self.slots[hour_of_week(hour)].observed_s += seconds;
        }
    }

    /// From the first stamp to the last, seconds.
    pub(crate) fn span_s(&self) -> f64 {
        let first = self.first_ns.unwrap_or(self.last_ns);
        (self.last_ns - first) as f64 / NS as f64
    }
}
