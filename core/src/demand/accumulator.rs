//! A trace taken in row by row, in memory that does not grow with the rows.

use crate::{problem::Problem, text::Notice};

use super::{
    HOURS,
    counts::Counts,
    document::Demand,
    lengths::Lengths,
    stamp::SECOND,
    totals::{GRIDS_S, Silence, Totals},
    week,
};

/// Takes in requests: a few bytes for each second of hours that hold any, and nothing for a row.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    requests: u64,
    /// The first row's time: seconds and windows count from it.
    base_ns: i64,
    first_ns: i64,
    last_ns: i64,
    before_ns: i64,
    late: u64,
    gap_squares: f64,
    on_grid: [u64; GRIDS_S.len()],
    hours: Box<Hours>,
    counts: Counts,
    input: Lengths,
    output: Lengths,
    without_length: u64,
    skipped: u64,
}

#[derive(Clone, Debug)]
struct Hours([u64; HOURS]);

impl Default for Hours {
    fn default() -> Self {
        Self([0; HOURS])
    }
}

impl Accumulator {
    /// Takes in one request: nanoseconds since 1970 UTC, and tokens where they are known.
    ///
    /// # Errors
    /// Times spread over more hours than two years have.
    pub fn add(&mut self, ns: i64, input: Option<u64>, output: Option<u64>) -> Result<(), Problem> {
        if self.requests == 0 {
            (self.base_ns, self.first_ns, self.last_ns) = (ns, ns, ns);
            self.before_ns = ns;
        }
        self.requests += 1;
        let gap = ns - self.before_ns;
        if gap < 0 {
            self.late += 1;
        } else {
            let seconds = gap as f64 / SECOND as f64;
            self.gap_squares += seconds * seconds;
        }
        self.before_ns = ns;
        self.first_ns = self.first_ns.min(ns);
        self.last_ns = self.last_ns.max(ns);
        let since = ns - self.base_ns;
        let second = since.div_euclid(SECOND);
        self.counts.add(second)?;
        if since == second * SECOND {
            for (on, grid) in self.on_grid.iter_mut().zip(GRIDS_S) {
                *on += u64::from(second % grid == 0);
            }
        }
        self.hours.0[week::hour_of(ns)] += 1;
        if let Some(tokens) = input {
            self.input.add(tokens);
        }
        if let Some(tokens) = output {
            self.output.add(tokens);
        }
        Ok(())
    }

    /// Counts a row left out.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Counts a request, already added, that lacks a length though the trace has a column for it.
    pub fn lacks_length(&mut self) {
        self.without_length += 1;
    }

    /// Requests taken in.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// The sums so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let since = |ns: i64| (ns - self.base_ns).div_euclid(SECOND);
        let span_s = (self.last_ns - self.first_ns) / SECOND;
        let mut exposure_s = [0.0; HOURS];
        week::expose(&mut exposure_s, self.first_ns, self.last_ns);
        Totals {
            requests: self.requests,
            first_ns: self.first_ns,
            last_ns: self.last_ns,
            observed_s: (self.last_ns - self.first_ns) as f64 / SECOND as f64,
            gap_squares: (self.late == 0).then_some(self.gap_squares),
            on_grid: self.on_grid,
            windows: self.counts.windows(since(self.first_ns), span_s).map(Some),
            hours: self.hours.0.map(|count| count as f64),
            exposure_s,
            silence: self.counts.silence().map(|(from_s, seconds)| Silence {
                from_ns: self.base_ns + from_s * SECOND,
                seconds,
            }),
            input: self.input.tokens(),
            output: self.output.tokens(),
            skipped: self.skipped,
            late: self.late,
            without_length: self.without_length,
        }
    }

    /// The document. `more` are what the reader had to say.
    ///
    /// # Errors
    /// No request, or all at one moment.
    pub fn demand(&self, more: Vec<Notice>) -> Result<Demand, Problem> {
        self.totals().demand(more)
    }
}
