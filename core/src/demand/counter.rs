//! Counting a trace while it streams by, in bounded memory.

use std::collections::BTreeMap;

use crate::problem::Problem;

use super::{
    facts::{Facts, Moments, NS, Silences, WINDOWS_S, Windows},
    lengths::Histogram,
    pages::{LONGEST_S, Pages},
};

/// Stamps that wait for others that belong before them. Half of them leave at a time.
const WAITING: usize = 1 << 17;
/// Requests of one stamp that are compared with each other for being the same.
const ALIKE: usize = 64;

/// Counts requests, whatever their order.
///
/// Counts need no order. The gaps between arrivals do: stamps wait in a buffer of 131,072 and leave
/// it in order; where one comes later than that, the gaps are refused and the count of such rows is
/// reported. A trace that runs backwards is read backwards.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    waiting: Vec<i64>,
    /// −1 for a trace that runs backwards; 0 until the first stamps have left the buffer.
    direction: i64,
    /// Where seconds are counted from, nanoseconds.
    base: i64,
    last_out: Option<i64>,
    first: Option<i64>,
    last: i64,
    requests: u64,
    late: u64,
    seconds: Pages,
    hours: BTreeMap<i64, u64>,
    hour: (i64, u64),
    gaps: Moments,
    grid: u64,
    previous: i64,
    backwards: u64,
    duplicates: u64,
    alike: Vec<(Option<u64>, Option<u64>)>,
    input: Histogram,
    output: Histogram,
}

impl Counter {
    /// One request: when it arrived, nanoseconds since 1970 UTC (or since any instant), and its
    /// tokens where they are known.
    ///
    /// # Errors
    /// A stamp more than 400 days from the others.
    pub fn add(&mut self, at: i64, input: Option<u64>, output: Option<u64>) -> Result<(), Problem> {
        let Some(first) = self.first else {
            self.first = Some(at);
            self.last = at;
            self.previous = at;
            self.count(at, input, output);
            return Ok(());
        };
        if at < first || at > self.last {
            let (from, to) = (first.min(at), self.last.max(at));
            if to.saturating_sub(from) / NS > LONGEST_S {
                return Err(too_long(to.saturating_sub(from) / NS));
            }
            (self.first, self.last) = (Some(from), to);
        }
        // Once it is finer than a microsecond no figure is spoilt by it.
        if self.grid == 0 || self.grid > 1_000 {
            let apart = at.abs_diff(self.previous);
            if self.grid == 0 || apart % self.grid != 0 {
                self.grid = gcd(apart, self.grid);
            }
        }
        self.backwards += u64::from(at < self.previous);
        if at != self.previous {
            self.alike.clear();
            self.previous = at;
        }
        self.count(at, input, output);
        Ok(())
    }

    fn count(&mut self, at: i64, input: Option<u64>, output: Option<u64>) {
        self.requests += 1;
        if let Some(tokens) = input {
            self.input.add(tokens);
        }
        if let Some(tokens) = output {
            self.output.add(tokens);
        }
        let lengths = (input, output);
        if self.alike.contains(&lengths) {
            self.duplicates += 1;
        } else if self.alike.len() < ALIKE {
            self.alike.push(lengths);
        }
        self.waiting.push(at);
        if self.waiting.len() == WAITING {
            self.release(WAITING / 2);
        }
    }

    /// Lets the first stamps of those that wait go, in order.
    fn release(&mut self, count: usize) {
        if self.direction == 0 {
            let backwards = self.backwards > self.requests / 2;
            self.direction = if backwards { -1 } else { 1 };
            self.base = self.waiting.iter().copied().min().unwrap_or_default();
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        if self.direction < 0 {
            waiting.sort_unstable_by(|a, b| b.cmp(a));
        } else {
            waiting.sort_unstable();
        }
        for at in waiting.drain(..count) {
            self.leave(at);
        }
        self.waiting = waiting;
    }

    fn leave(&mut self, at: i64) {
        self.seconds.add((at - self.base).div_euclid(NS));
        let hour = at.div_euclid(3_600 * NS);
        if hour == self.hour.0 {
            self.hour.1 += 1;
        } else {
            self.settle_hour();
            self.hour = (hour, 1);
        }
        let gap = self.last_out.map(|last| (at - last) * self.direction);
        match gap {
            Some(gap) if gap < 0 => self.late += 1,
            Some(gap) => {
                self.gaps.add(gap as f64 / NS as f64);
                self.last_out = Some(at);
            }
            None => self.last_out = Some(at),
        }
    }

    fn settle_hour(&mut self) {
        let (hour, count) = self.hour;
        if count > 0 {
            *self.hours.entry(hour).or_default() += count;
        }
    }

    /// What was counted.
    pub(crate) fn facts(mut self) -> Facts {
        self.release(self.waiting.len());
        self.settle_hour();
        self.seconds.settle();
        let first = self.first.unwrap_or_default();
        let span_s = (self.last - first) as f64 / NS as f64;
        // The earliest second; the base itself unless rows before it came late.
        let earliest = (first - self.base).div_euclid(NS);
        let windows = WINDOWS_S.map(|width| {
            let complete = (span_s / width as f64) as i64;
            windows(&self.seconds, earliest, width, complete)
        });
        let mut facts = Facts {
            requests: Some(self.requests as f64),
            first_ns: self.first,
            last_ns: self.last,
            windows,
            gaps: (self.late == 0).then_some(self.gaps),
            grid_ns: self.grid,
            silences: silences(&self.seconds, span_s, self.requests),
            late: self.late,
            backwards: self.backwards.min(self.requests - self.backwards.min(self.requests)),
            duplicates: self.duplicates,
            input: self.input.into(),
            output: self.output.into(),
            ..Facts::default()
        };
        for (hour, count) in self.hours {
            facts.add_hour(hour, count as f64);
        }
        facts.observe(first, self.last);
        facts
    }
}

/// The counts of complete windows of a width, from the earliest second.
fn windows(seconds: &Pages, earliest: i64, width: i64, complete: i64) -> Windows {
    let mut found = Windows::default();
    let (mut current, mut count) = (0, 0_u64);
    for (second, more) in seconds.seconds() {
        let window = (second - earliest).div_euclid(width);
        if window >= complete {
            break;
        }
        if window != current {
            found.add(count as f64);
            (current, count) = (window, 0);
        }
        count += u64::from(more);
    }
    if complete > 0 {
        found.add(count as f64);
    }
    // Windows without a request add to their number alone.
    found.moments.n = complete as f64;
    found
}

/// Stretches without a request that are longer than chance would have them.
fn silences(seconds: &Pages, span_s: f64, requests: u64) -> Silences {
    let longest_by_chance = Silences::threshold_s(span_s, requests as f64);
    let mut found = Silences::default();
    let mut previous: Option<i64> = None;
    for (second, _) in seconds.seconds() {
        let silent = previous.map_or(0, |previous| second - previous) as f64;
        if silent > longest_by_chance {
            found.count += 1.0;
            found.total_s += silent;
            found.longest_s = found.longest_s.max(silent);
        }
        previous = Some(second);
    }
    found
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn too_long(span_s: i64) -> Problem {
    let days = span_s / 86_400;
    Problem::new(
        format!("this stamp is {days} days from others of the trace"),
        format!("该时间与跟踪中其他时间相差 {days} 天"),
    )
    .remedy(
        "at most 400 days are counted: is the column, or the unit of its stamps, right?",
        "最多统计 400 天：请检查该列及其时间单位",
    )
}
