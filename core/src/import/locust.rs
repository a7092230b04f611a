//! Locust: `--csv` statistics and history, and `--json`. Milliseconds.
//!
//! Locust times whole HTTP responses and sees no tokens. `Requests/s` includes failures. Percentiles
//! are rounded to two digits. The history file's percentiles are of a window in one version and of
//! the whole run in another, so they are not taken.

use serde_json::Value;

use super::{Format, Options, common, content::Content, table::Table};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Report},
    text::Notice,
};

pub(super) struct Locust;

const STATS: &[&str] = &[
    "Type",
    "Name",
    "Request Count",
    "Failure Count",
    "Median Response Time",
    "Requests/s",
];
const HISTORY: &[&str] = &[
    "Timestamp",
    "User Count",
    "Total Request Count",
    "Total Average Response Time",
];
const FAILURES: &[&str] = &["Method", "Name", "Error", "Occurrences"];
/// The row that sums up all the others.
const ALL_REQUESTS: &str = "Aggregated";

impl Format for Locust {
    fn name(&self) -> &'static str {
        "locust"
    }

    fn marks(&self) -> &'static str {
        "Type,Name,Request Count,Failure Count; or num_requests, response_times"
    }

    fn recognises(&self, content: &Content) -> bool {
        let is_table = |headers| content.table().is_some_and(|table| table.has(headers));
        entries(content).is_some() || is_table(STATS) || is_table(HISTORY) || is_table(FAILURES)
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let mut notices = vec![Notice::new(
            "tokens-not-seen",
            "Locust sees whole responses and no tokens: TTFT, TPOT and tokens a second are not known.",
            "Locust 只看到完整响应，看不到 token：TTFT、TPOT 与每秒 token 数未知。",
        )];
        let point = match (entries(content), content.table()) {
            (Some(entries), _) => json(entries)?,
            (None, Some(table)) if table.has(STATS) => stats(&table)?,
            (None, Some(table)) if table.has(HISTORY) => {
                notices.push(Notice::new(
                    "history-window-unknown",
                    "The history file's percentiles are of a window or of the whole run, by version; they are not taken. The _stats.csv file has them.",
                    "历史文件的分位数依版本可能是窗口值或全程值，未采用；_stats.csv 中有。",
                ));
                history(&table)?
            }
            _ => {
                return Err(Problem::new(
                    "Locust's failures file holds no measurement",
                    "Locust 的 failures 文件没有测量数据",
                )
                .remedy(
                    "give the _stats.csv file beside it",
                    "请给出同目录的 _stats.csv",
                )
                .into());
            }
        };
        if point.latency_s.p99.is_some() {
            notices.push(Notice::new(
                "rounded-percentiles",
                "Locust rounds percentiles to two digits: they may be 5% off.",
                "Locust 将分位数取两位有效数字，误差可达 5%。",
            ));
        }
        let mut report = common::report("locust", None);
        // Users wait for a response before they ask again.
        report.workload.arrivals = Some(Arrivals::Closed);
        report.points = vec![point];
        report.warnings = notices;
        Ok(vec![report])
    }
}

/// The entries of `--json`.
fn entries(content: &Content) -> Option<&Vec<Value>> {
    let entries = content.json()?.as_array()?;
    let first = entries.first()?;
    (first.get("num_requests").is_some() && first.get("response_times").is_some())
        .then_some(entries)
}

/// A cell that must hold a number.
fn needed(table: &Table, row: &[String], header: &str) -> Result<f64, Problem> {
    let cell = table
        .column(header)
        .and_then(|column| table.number(row, column));
    match cell {
        Some(Ok(value)) => Ok(value),
        Some(Err(text)) => Err(Problem::new("is not a number", "不是数字")
            .at(header)
            .found(text)),
        None => Err(Problem::new("is missing", "缺失").at(header)),
    }
}

fn aggregated(table: &Table) -> Result<&Vec<String>, Problem> {
    let name = table.column("Name").unwrap_or_default();
    let is_all = |row: &&Vec<String>| row.get(name).is_some_and(|cell| cell == ALL_REQUESTS);
    table.rows.iter().rfind(is_all).ok_or_else(|| {
        Problem::new("there is no row `Aggregated`", "没有 `Aggregated` 行")
            .at("Name")
            .remedy(
                "give the whole file that --csv writes",
                "请给出 --csv 写出的完整文件",
            )
    })
}

fn stats(table: &Table) -> Result<Point, Problems> {
    let row = aggregated(table)?;
    let all = needed(table, row, "Request Count")?;
    let failed = needed(table, row, "Failure Count")?;
    let rate = needed(table, row, "Requests/s")? - needed(table, row, "Failures/s")?;
    let mut point = Point {
        completed: Some((all - failed).max(0.0) as u64),
        failed: Some(failed.max(0.0) as u64),
        requests_per_s: rate,
        duration_s: (rate > 0.0).then(|| (all - failed) / rate),
        ..Point::default()
    };
    for (quantile, header) in [
        (Quantile::Mean, "Average Response Time"),
        (Quantile::P50, "50%"),
        (Quantile::P90, "90%"),
        (Quantile::P95, "95%"),
        (Quantile::P99, "99%"),
        (Quantile::Max, "Max Response Time"),
    ] {
        point
            .latency_s
            .set(quantile, Some(needed(table, row, header)? / 1000.0));
    }
    Ok(point)
}

fn history(table: &Table) -> Result<Point, Problems> {
    let last = aggregated(table)?;
    let name = table.column("Name").unwrap_or_default();
    let of_all = table
        .rows
        .iter()
        .filter(|row| row.get(name).is_some_and(|cell| cell == ALL_REQUESTS));
    let mut first_s = f64::INFINITY;
    let mut users: f64 = 0.0;
    for row in of_all {
        first_s = first_s.min(needed(table, row, "Timestamp")?);
        users = users.max(needed(table, row, "User Count")?);
    }
    let all = needed(table, last, "Total Request Count")?;
    let failed = needed(table, last, "Total Failure Count")?;
    let duration_s = needed(table, last, "Timestamp")? - first_s;
    let mut point = Point {
        concurrency: (users > 0.0).then_some(users),
        duration_s: Some(duration_s),
        completed: Some((all - failed).max(0.0) as u64),
        failed: Some(failed.max(0.0) as u64),
        requests_per_s: (all - failed) / duration_s,
        ..Point::default()
    };
    point.latency_s.mean = Some(needed(table, last, "Total Average Response Time")? / 1000.0);
    point.latency_s.p50 = Some(needed(table, last, "Total Median Response Time")? / 1000.0);
    Ok(point)
}

/// All entries together: counts, the mean, and quantiles of the summed histogram.
fn json(entries: &[Value]) -> Result<Point, Problems> {
    let mut problems = Vec::new();
    let mut number = |entry: &Value, i: usize, key: &str| -> f64 {
        entry.get(key).and_then(Value::as_f64).unwrap_or_else(|| {
            let found = entry
                .get(key)
                .map_or_else(|| "nothing".to_owned(), Value::to_string);
            problems.push(
                Problem::new("is not a number", "不是数字")
                    .at(format!("[{i}].{key}"))
                    .found(found),
            );
            f64::NAN
        })
    };
    let (mut all, mut failed, mut time_ms, mut slowest_ms) = (0.0, 0.0, 0.0, 0.0_f64);
    let (mut from_s, mut to_s) = (f64::INFINITY, 0.0_f64);
    let mut histogram: Vec<(f64, f64)> = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        all += number(entry, i, "num_requests");
        failed += number(entry, i, "num_failures");
        time_ms += number(entry, i, "total_response_time");
        slowest_ms = slowest_ms.max(number(entry, i, "max_response_time"));
        from_s = from_s.min(number(entry, i, "start_time"));
        to_s = to_s.max(number(entry, i, "last_request_timestamp"));
        let bins = entry.get("response_times").and_then(Value::as_object);
        for (ms, count) in bins.into_iter().flatten() {
            histogram.extend(ms.parse().ok().zip(count.as_f64()));
        }
    }
    Problems::none_in(problems)?;
    histogram.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut point = Point {
        duration_s: Some(to_s - from_s),
        completed: Some((all - failed).max(0.0) as u64),
        failed: Some(failed as u64),
        requests_per_s: (all - failed) / (to_s - from_s),
        ..Point::default()
    };
    if all > 0.0 {
        point.latency_s.mean = Some(time_ms / all / 1000.0);
        point.latency_s.max = Some(slowest_ms / 1000.0);
    }
    for (quantile, share) in [
        (Quantile::P50, 0.5),
        (Quantile::P90, 0.9),
        (Quantile::P95, 0.95),
        (Quantile::P99, 0.99),
    ] {
        point
            .latency_s
            .set(quantile, at_share(&histogram, share).map(|ms| ms / 1000.0));
    }
    Ok(point)
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

#[cfg(test)]
mod tests {
    use super::super::tests::{fixture, import, import_bytes};

    #[test]
    fn failures_are_not_served_and_milliseconds_become_seconds() {
        let report = &import("locust", "run_stats.csv")[0];
        let point = &report.points[0];
        assert_eq!((point.completed, point.failed), (Some(180), Some(20)));
        assert_eq!(point.requests_per_s, 9.0); // 10 a second, one of them failing
        assert_eq!(point.latency_s.p99, Some(0.6));
        assert_eq!(
            point.latency_s.max,
            Some(0.596),
            "rounded p99 above the maximum is no fault"
        );
        assert_eq!(point.ttft_s.mean, None);
        let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["tokens-not-seen", "rounded-percentiles"]);
    }

    #[test]
    fn the_history_gives_totals_and_no_percentiles() {
        let report = &import("locust", "run_stats_history.csv")[0];
        let point = &report.points[0];
        assert_eq!((point.concurrency, point.completed), (Some(6.0), Some(100)));
        assert_eq!(point.requests_per_s, 10.0);
        assert_eq!(
            (point.latency_s.mean, point.latency_s.p99),
            (Some(0.06), None)
        );
        assert_eq!(report.warnings[1].code, "history-window-unknown");
    }

    #[test]
    fn json_entries_are_summed() {
        let point = &import("locust", "run.json")[0].points[0];
        assert_eq!((point.completed, point.failed), (Some(99), Some(1)));
        assert_eq!(point.requests_per_s, 9.9);
        assert_eq!(point.latency_s.mean, Some(0.06));
        assert_eq!(
            (point.latency_s.p50, point.latency_s.p99),
            (Some(0.05), Some(0.15))
        );
    }

    #[test]
    fn the_failures_file_points_to_the_right_one() {
        let message = import_bytes(&fixture("locust", "run_failures.csv"))
            .unwrap_err()
            .to_string();
        assert!(message.contains("_stats.csv"), "{message}");
        let cut = b"Type,Name,Request Count,Failure Count,Median Response Time,Requests/s\nGET,/,1,0,1,1\n";
        let message = import_bytes(cut).unwrap_err().to_string();
        assert!(message.contains("Aggregated"), "{message}");
    }
}
