//! What every source of demand comes down to, and the document made of it.

use crate::{document::SchemaTag, problem::Problem, text::Notice};

use super::{
    HOURS,
    counts::Window,
    document::{Demand, Peaks, Tokens},
    stamp::{self, SECOND},
    warnings, week,
};

/// Widths of the windows in which peaks are sought, in seconds.
pub const WINDOWS_S: [i64; 5] = [1, 10, 60, 300, 3600];
/// Grids that coarse stamps may lie on, in seconds; each a multiple of the first.
pub const GRIDS_S: [i64; 11] = [1, 2, 3, 5, 10, 15, 30, 60, 300, 900, 3600];
/// Fewer stamps than this may lie on a grid by chance.
const ENOUGH_STAMPS: u64 = 20;
/// Stamps before 1973-03-03 count from the trace's start, not from 1970.
const DATED: i64 = 100_000_000 * SECOND;

/// Seconds without a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Silence {
    /// When they begin, nanoseconds since 1970 UTC.
    pub from_ns: i64,
    /// How many.
    pub seconds: i64,
}

/// Sums over a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// Requests counted.
    pub requests: u64,
    /// The first request, nanoseconds since 1970 UTC.
    pub first_ns: i64,
    /// The last.
    pub last_ns: i64,
    /// Seconds watched.
    pub observed_s: f64,
    /// The sum of the squared gaps between requests, in s²; `None` where their order is not known.
    pub gap_squares: Option<f64>,
    /// Stamps that lie on each of [`GRIDS_S`], counted from the first.
    pub on_grid: [u64; GRIDS_S.len()],
    /// Requests by windows of each of [`WINDOWS_S`]; `None` where the source is coarser.
    pub windows: [Option<Window>; WINDOWS_S.len()],
    /// Requests of each hour of the week, from Monday 00:00 UTC.
    pub hours: [f64; HOURS],
    /// Seconds that each was watched.
    pub exposure_s: [f64; HOURS],
    /// The longest run of seconds without a request.
    pub silence: Option<Silence>,
    /// Input tokens a request.
    pub input: Option<Tokens>,
    /// Output tokens a request.
    pub output: Option<Tokens>,
    /// Rows left out.
    pub skipped: u64,
    /// Rows earlier than one before them.
    pub late: u64,
    /// Rows without a length, among those with columns for one.
    pub without_length: u64,
}

impl Totals {
    /// The document. `more` are what the reader of the source had to say.
    ///
    /// # Errors
    /// No request, or all at one moment.
    pub fn demand(&self, more: Vec<Notice>) -> Result<Demand, Problem> {
        if self.requests == 0 {
            return Err(
                Problem::new("no request is in it", "其中没有任何请求").remedy(
                    "give a trace with a row for each request",
                    "请给出每个请求一行的数据",
                ),
            );
        }
        let span_s = (self.last_ns - self.first_ns) as f64 / SECOND as f64;
        if span_s <= 0.0 || self.observed_s <= 0.0 {
            return Err(Problem::new(
                "all requests have the same time, so no rate can be told",
                "所有请求时间相同，无法得出速率",
            )
            .found(stamp::text(self.first_ns))
            .remedy("check which column is the time", "请检查哪一列是时间"));
        }
        let grid = self.grid_s();
        let mut warnings = warnings::all(self, grid);
        warnings.extend(more);
        let hourly = if self.is_dated() {
            week::weights(&self.hours, &self.exposure_s)
        } else {
            vec![None; HOURS]
        };
        warnings.extend(warnings::hours(self, &hourly));
        let peak = |at: usize| {
            let window = self.windows[at]
                .as_ref()
                .filter(|_| shows(grid, WINDOWS_S[at]))?;
            window.peak_to_mean()
        };
        let minute = self.windows[2].as_ref().filter(|_| shows(grid, 60));
        Ok(Demand {
            schema: SchemaTag::of::<Demand>(),
            requests: self.requests,
            from: stamp::text(self.first_ns),
            to: stamp::text(self.last_ns),
            span_s,
            observed_s: self.observed_s,
            mean_requests_per_s: self.requests as f64 / self.observed_s,
            hourly,
            peak_to_mean: Peaks {
                second: peak(0),
                ten_seconds: peak(1),
                minute: peak(2),
                five_minutes: peak(3),
                hour: peak(4),
            },
            gap_cv: if grid.is_some() {
                None
            } else {
                self.gap_cv(span_s)
            },
            dispersion_1min: minute.and_then(Window::dispersion),
            input_tokens: self.input,
            output_tokens: self.output,
            warnings,
        })
    }

    /// Whether the times are of a calendar.
    pub(super) fn is_dated(&self) -> bool {
        self.first_ns >= DATED
    }

    /// The coarsest grid on which all but a few stamps lie, in seconds.
    fn grid_s(&self) -> Option<i64> {
        let enough = (self.requests as f64 * 0.99).ceil() as u64;
        let on = GRIDS_S.iter().zip(self.on_grid);
        on.filter(|(_, count)| self.requests >= ENOUGH_STAMPS && *count >= enough)
            .map(|(grid, _)| *grid)
            .max()
    }

    fn gap_cv(&self, span_s: f64) -> Option<f64> {
        let gaps = self.requests as f64 - 1.0;
        let squares = self.gap_squares.filter(|_| gaps >= 2.0)?;
        let mean = span_s / gaps;
        let variance = squares / gaps - mean * mean;
        Some(variance.max(0.0).sqrt() / mean)
    }
}

/// Whether windows of a width mean anything with stamps on a grid. A second's never do; others do
/// where every window holds as many places of the grid, or nearly.
pub(super) fn shows(grid_s: Option<i64>, width_s: i64) -> bool {
    grid_s.is_none_or(|grid| width_s > 1 && (width_s % grid == 0 || width_s >= 20 * grid))
}
