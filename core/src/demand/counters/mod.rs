//! Counters that a monitor scraped: requests and tokens since a server began, at even steps.
//!
//! A counter that falls began anew with its server: what it shows is what came since. A step for
//! which a server that was there before and after has no figure is unknown, not idle.

mod engine;
mod steps;

use crate::{problem::Problem, text::Notice};

use super::{
    Demand, HOURS, Tokens, Totals, Window,
    stamp::SECOND,
    totals::{GRIDS_S, WINDOWS_S},
    week,
};

pub use engine::{ENGINES, Engine};
pub use steps::Counter;

/// The counters of one engine over a span.
#[derive(Clone, Debug)]
pub struct Counters {
    /// When the first step begins, seconds since 1970 UTC.
    pub from_s: i64,
    /// The length of a step, seconds.
    pub step_s: i64,
    /// Requests served.
    pub requests: Counter,
    /// Input tokens.
    pub input: Counter,
    /// Output tokens.
    pub output: Counter,
}

impl Counters {
    /// Counters yet to be filled, with so many steps.
    #[must_use]
    pub fn new(from_s: i64, step_s: i64, steps: usize) -> Self {
        Self {
            from_s,
            step_s,
            requests: Counter::new(steps),
            input: Counter::new(steps),
            output: Counter::new(steps),
        }
    }

    /// The document. Only means of lengths are known, and no gaps between requests.
    ///
    /// # Errors
    /// No request in any step that is known.
    pub fn demand(&self) -> Result<Demand, Problem> {
        let known = self.requests.known();
        let begin = known.iter().position(Option::is_some).unwrap_or(0);
        let end = known
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |at| at + 1);
        let steps = &known[begin..end.max(begin)];
        let at = |step: usize| (self.from_s + step as i64 * self.step_s) * SECOND;
        let requests: f64 = steps.iter().flatten().sum();
        let seen = steps.iter().flatten().count();
        let mut hours = [0.0; HOURS];
        let mut exposure_s = [0.0; HOURS];
        for (step, count) in steps.iter().enumerate() {
            let Some(count) = count else { continue };
            let mut within = [0.0; HOURS];
            let from = at(begin + step);
            week::expose(&mut within, from, from + self.step_s * SECOND);
            for ((hour, exposed), seconds) in hours.iter_mut().zip(&mut exposure_s).zip(within) {
                *hour += count * seconds / self.step_s as f64;
                *exposed += seconds;
            }
        }
        let totals = Totals {
            requests: requests.round() as u64,
            first_ns: at(begin),
            last_ns: at(end.max(begin)),
            observed_s: (seen as i64 * self.step_s) as f64,
            gap_squares: None,
            on_grid: [0; GRIDS_S.len()],
            windows: WINDOWS_S.map(|width| windows(steps, width, self.step_s)),
            hours,
            exposure_s,
            silence: None,
            input: self.length(&self.input, requests),
            output: self.length(&self.output, requests),
            skipped: 0,
            late: 0,
            without_length: 0,
        };
        totals.demand(self.notices(steps))
    }

    /// Mean tokens a request, over the steps in which both counters are known.
    fn length(&self, tokens: &Counter, all: f64) -> Option<Tokens> {
        let both = self.requests.known().into_iter().zip(tokens.known());
        let (requests, tokens) = both.fold((0.0, 0.0), |sums, pair| match pair {
            (Some(requests), Some(tokens)) => (sums.0 + requests, sums.1 + tokens),
            _ => sums,
        });
        // A mean of a small part would be one of its start or its end.
        (requests > 0.0 && requests >= all / 2.0).then(|| Tokens {
            mean: tokens / requests,
            p50: None,
            p90: None,
            p95: None,
            p99: None,
            max: None,
        })
    }

    fn notices(&self, steps: &[Option<f64>]) -> Vec<Notice> {
        let step = self.step_s;
        let mut found = vec![Notice::new(
            "counters-not-requests",
            format!(
                "Counters every {step} s hold no single request: the variation of gaps, peaks of windows under {step} s and quantiles of lengths are not known."
            ),
            format!(
                "每 {step} 秒采集一次的计数器不含单个请求：间隔变异系数、短于 {step} 秒窗口的峰值以及长度分位数均未知。"
            ),
        )];
        let unknown = steps.iter().filter(|step| step.is_none()).count();
        if unknown > 0 {
            let minutes = crate::number::significant((unknown as i64 * step) as f64 / 60.0, 3);
            let lost = crate::number::significant(self.requests.unplaced(), 3);
            found.push(Notice::new(
                "monitoring-gaps",
                format!("Monitoring has gaps of {minutes} minutes in all: they are left out, not taken as idle. About {lost} requests came in them."),
                format!("监控共缺失 {minutes} 分钟：已排除，未当作空闲。其间约有 {lost} 个请求。"),
            ));
        }
        if self.requests.restarts() > 0 {
            let restarts = self.requests.restarts();
            found.push(Notice::new(
                "counters-restarted",
                format!("Counters began anew {restarts} times, as at a server's restart: requests between its last scrape and the restart are not counted."),
                format!("计数器重置 {restarts} 次（如服务重启）：最后一次采集到重启之间的请求未计入。"),
            ));
        }
        found
    }
}

/// Windows of whole steps, all of them known; `None` where steps do not fill a window.
fn windows(steps: &[Option<f64>], width: i64, step: i64) -> Option<Window> {
    if width < step || width % step != 0 {
        return None;
    }
    let mut found = Window::default();
    for steps in steps.chunks_exact(usize::try_from(width / step).ok()?) {
        let Some(count) = steps.iter().copied().sum::<Option<f64>>() else {
            continue;
        };
        found.windows += 1;
        found.put(count);
    }
    Some(found)
}

#[cfg(test)]
mod tests;
