//! What `--json` prints: an entry a request name, each with a histogram.

use serde_json::Value;

use super::{Counted, is_http, note_events, note_kinds};
use crate::{
    import::{common, content::Content},
    problem::{Problem, Problems},
    report::{Point, Quantile},
    text::Notice,
};

/// The entries.
pub(super) fn entries(content: &Content) -> Option<&Vec<Value>> {
    let entries = content.json()?.as_array()?;
    let first = entries.first()?;
    (first.get("num_requests").is_some() && first.get("response_times").is_some())
        .then_some(entries)
}

/// All entries together: counts, the mean, and quantiles of the summed histogram.
pub(super) fn read(entries: &[Value], notices: &mut Vec<Notice>) -> Result<Point, Problems> {
    let method = |entry: &Value| common::text(entry, "/method").unwrap_or_default();
    let mixed = entries.iter().any(|entry| is_http(&method(entry)))
        && entries.iter().any(|entry| !is_http(&method(entry)));
    if mixed {
        note_events(notices);
    }
    let mut sum = Sum::default();
    let mut kinds = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        if mixed && !is_http(&method(entry)) || entry.get("num_requests") == Some(&0.into()) {
            continue;
        }
        sum.add(i, entry);
        let name = common::text(entry, "/name").unwrap_or_default();
        kinds.push(format!("{} {name}", method(entry)));
    }
    note_kinds(&kinds, notices);
    sum.point()
}

struct Sum {
    all: f64,
    failed: f64,
    timed: f64,
    time_ms: f64,
    slowest_ms: f64,
    from_s: f64,
    to_s: f64,
    /// Bins by their milliseconds, and their counts.
    histogram: Vec<(f64, f64)>,
    problems: Vec<Problem>,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            all: 0.0,
            failed: 0.0,
            timed: 0.0,
            time_ms: 0.0,
            slowest_ms: 0.0,
            from_s: f64::INFINITY,
            to_s: 0.0,
            histogram: Vec::new(),
            problems: Vec::new(),
        }
    }
}

impl Sum {
    fn add(&mut self, i: usize, entry: &Value) {
        let mut number = |key: &str| {
            common::required(entry, &format!("/{key}")).unwrap_or_else(|problem| {
                self.problems.push(problem.at(format!("[{i}].{key}")));
                f64::NAN
            })
        };
        let requests = number("num_requests");
        self.all += requests;
        self.failed += number("num_failures");
        self.time_ms += number("total_response_time");
        self.slowest_ms = self.slowest_ms.max(number("max_response_time"));
        self.from_s = self.from_s.min(number("start_time"));
        self.to_s = self.to_s.max(number("last_request_timestamp"));
        // Some clients have no time for a request.
        self.timed += requests - common::optional(entry, "/num_none_requests").unwrap_or(0.0);
        let bins = entry.get("response_times").and_then(Value::as_object);
        for (ms, count) in bins.into_iter().flatten() {
            match ms.parse().ok().zip(count.as_f64()) {
                Some(bin) => self.histogram.push(bin),
                None => self.problems.push(
                    Problem::new("is not a count of a time", "不是某时长的计数")
                        .at(format!("[{i}].response_times.{ms}"))
                        .found(count)
                        .remedy("expected milliseconds and a count", "应为毫秒数与计数"),
                ),
            }
        }
    }

    fn point(mut self) -> Result<Point, Problems> {
        Problems::none_in(self.problems)?;
        let mut point = Counted {
            all: self.all,
            failed: self.failed,
            duration_s: self.to_s - self.from_s,
        }
        .point()?;
        if self.timed > 0.0 {
            point.latency_s.mean = Some(self.time_ms / self.timed / 1000.0);
            point.latency_s.max = Some(self.slowest_ms / 1000.0);
        }
        self.histogram.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (quantile, share) in [
            (Quantile::P50, 0.5),
            (Quantile::P90, 0.9),
            (Quantile::P95, 0.95),
            (Quantile::P99, 0.99),
        ] {
            let ms = at_share(&self.histogram, share);
            point.latency_s.set(quantile, ms.map(|ms| ms / 1000.0));
        }
        Ok(point)
    }
}

/// The first bin at or past a share of all counts.
fn at_share(histogram: &[(f64, f64)], share: f64) -> Option<f64> {
    let all: f64 = histogram.iter().map(|(_, count)| count).sum();
    let mut seen = 0.0;
    histogram.iter().find_map(|(ms, count)| {
        seen += count;
        (seen >= share * all && all > 0.0).then_some(*ms)
    })
}
