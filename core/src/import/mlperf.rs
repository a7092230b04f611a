//! MLPerf LoadGen: `mlperf_log_summary.txt` and `mlperf_log_detail.txt`. **Nanoseconds.**
//!
//! A run that LoadGen calls INVALID carries that as a warning that forbids planning on it. Offline's
//! latencies are the time of the whole batch, so they are not taken. SingleStream holds one request.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Format, Options, common, content::Content, units};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Metric, Point, Quantile, Quantiles, Report},
    text::Notice,
};

pub(super) struct Mlperf;

const SUMMARY: &str = "summary";
const DETAIL: &str = "detail";
const TITLE: &str = "MLPerf Results Summary";
const LOG: &str = ":::MLLOG ";
const NANOSECONDS: f64 = 1e9;

impl Format for Mlperf {
    fn name(&self) -> &'static str {
        "mlperf"
    }

    fn marks(&self) -> &'static str {
        "MLPerf Results Summary, or lines of :::MLLOG"
    }

    fn recognises(&self, content: &Content) -> bool {
        self.part(content).is_some()
    }

    fn part(&self, content: &Content) -> Option<&'static str> {
        let text = content.text()?;
        if text.contains(TITLE) {
            return Some(SUMMARY);
        }
        text.lines()
            .take(50)
            .any(|line| line.starts_with(LOG))
            .then_some(DETAIL)
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let part = |name: &str| match content.parts() {
            Some(parts) => parts.get(name).and_then(Content::text),
            None => content.text().filter(|_| self.part(content) == Some(name)),
        };
        // Both say the same; the detail also says when and by which version.
        let summary = part(SUMMARY).map(read_summary);
        let detail = part(DETAIL).map(read_detail);
        let Some(figures) = summary.as_ref().or(detail.as_ref()) else {
            return Err(Problem::new("there is no MLPerf result", "没有 MLPerf 结果").into());
        };
        let about = detail.as_ref().unwrap_or(figures);
        let mut report = common::report("mlperf loadgen", about.get("version").map(String::as_str));
        report.measured_on = about.get("date").and_then(|stamp| common::day_of(stamp));
        report.points = vec![read_point(figures, &mut report)?];
        Ok(vec![report])
    }
}

/// Names and values under one set of names for both files.
type Figures = BTreeMap<String, String>;

fn read_summary(text: &str) -> Figures {
    let mut figures = Figures::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim().to_lowercase(), value.trim().to_owned());
        let key = match name.as_str() {
            "scenario" | "result is" => name,
            "samples per second"
            | "scheduled samples per second"
            | "completed samples per second"
            | "completed tokens per second"
            | "target_qps"
            | "samples_per_query" => name,
            other => match latency_name(other) {
                Some(key) => key,
                None => continue,
            },
        };
        figures.entry(key).or_insert(value);
    }
    figures
}

/// `99.00 percentile first token latency (ns)` → `ttft p99`; the unit must be nanoseconds.
fn latency_name(name: &str) -> Option<String> {
    let (name, unit) = units::split_unit(name);
    if unit != Some("ns") {
        return None;
    }
    let (statistic, rest) = match name.split_once(" percentile ") {
        Some((percent, rest)) => (percent, rest),
        None => name.split_once(' ')?,
    };
    let metric = match rest {
        "latency" => "e2e",
        "first token latency" => "ttft",
        "time per output token" | "time to output token" | "tpot" => "tpot",
        _ => return None,
    };
    let quantile = units::quantile(statistic)?;
    Some(format!("{metric} {}", quantile.key()))
}

fn read_detail(text: &str) -> Figures {
    let mut figures = Figures::new();
    for line in text.lines() {
        let Some(entry) = line
            .strip_prefix(LOG)
            .and_then(|json| serde_json::from_str::<Value>(json).ok())
        else {
            continue;
        };
        let Some(key) = entry.get("key").and_then(Value::as_str) else {
            continue;
        };
        let value = match entry.get("value") {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => continue,
        };
        let name = match key {
            "loadgen_version" => "version".to_owned(),
            "test_datetime" => "date".to_owned(),
            "effective_scenario" => "scenario".to_owned(),
            "result_validity" => "result is".to_owned(),
            "effective_target_qps" => "target_qps".to_owned(),
            "effective_samples_per_query" => "samples_per_query".to_owned(),
            "result_query_count" => "queries".to_owned(),
            "result_samples_per_second" => "samples per second".to_owned(),
            "result_scheduled_samples_per_sec" => "scheduled samples per second".to_owned(),
            "result_completed_samples_per_sec" => "completed samples per second".to_owned(),
            "result_completed_tokens_per_second" => "completed tokens per second".to_owned(),
            other => match detail_latency_name(other) {
                Some(name) => name,
                None => continue,
            },
        };
        figures.insert(name, value);
    }
    figures
}

/// `result_99.00_percentile_latency_ns`, `result_first_token_mean_latency_ns` → `e2e p99`, ….
fn detail_latency_name(key: &str) -> Option<String> {
    let name = key.strip_prefix("result_")?;
    let (metric, name) = if let Some(rest) = name.strip_prefix("first_token_") {
        ("ttft", rest.strip_suffix("_latency_ns")?)
    } else if let Some(rest) = name
        .strip_prefix("time_per_output_token_")
        .or(name.strip_prefix("time_to_output_token_"))
    {
        ("tpot", rest.strip_suffix("_ns")?)
    } else {
        ("e2e", name.strip_suffix("_latency_ns")?)
    };
    let statistic = name.strip_suffix("_percentile").unwrap_or(name);
    Some(format!("{metric} {}", units::quantile(statistic)?.key()))
}

fn read_point(figures: &Figures, report: &mut Report) -> Result<Point, Problem> {
    let figure = |name: &str| {
        figures
            .get(name)
            .and_then(|text| text.trim().parse::<f64>().ok())
            .filter(|n| n.is_finite())
    };
    let needed = |name: &str| {
        figure(name).ok_or_else(|| {
            let problem = Problem::new("is missing or no number", "缺失或不是数字").at(name);
            match figures.get(name) {
                Some(text) => problem.found(text),
                None => problem,
            }
        })
    };
    let scenario = figures
        .get("scenario")
        .map(String::as_str)
        .unwrap_or_default();
    match figures.get("result is").map(String::as_str) {
        Some("VALID") => {}
        verdict => report.warnings.push(Notice::new(
            "mlperf-invalid",
            format!("LoadGen calls the run {}: it broke a rule of the test, whatever else is satisfied.", verdict.unwrap_or("nothing")),
            format!("LoadGen 判定此次运行为 {}：违反了测试规则，即便其他条件满足。", verdict.unwrap_or("未知")),
        )),
    }
    let mut point = Point {
        output_tokens_per_s: figure("completed tokens per second"),
        ..Point::default()
    };
    if let Some(tokens) = point.output_tokens_per_s
        && let Some(rate) = figure("completed samples per second").filter(|rate| *rate > 0.0)
    {
        report.workload.output_tokens = Some(tokens / rate);
    }
    let statistics = |metric: Metric| {
        let mut quantiles = Quantiles::default();
        for quantile in Quantile::ALL {
            let value = figure(&format!("{} {}", metric.key(), quantile.key()));
            quantiles.set(quantile, value.map(|ns| ns / NANOSECONDS));
        }
        quantiles
    };
    match scenario {
        "Offline" => {
            point.requests_per_s = needed("samples per second")?;
            report.workload.arrivals = Some(Arrivals::Burst);
            report.warnings.push(Notice::new(
                "offline-latency",
                "Offline's latencies are the time of the whole batch, so they are not taken as a request's.",
                "Offline 的延迟是整批的时间，不作为单个请求的延迟。",
            ));
            return Ok(point);
        }
        "Server" => {
            point.requests_per_s = figure("completed samples per second")
                .map_or_else(|| needed("scheduled samples per second"), Ok)?;
            point.request_rate = figure("scheduled samples per second").or(figure("target_qps"));
            report.workload.arrivals = Some(Arrivals::Open);
        }
        "SingleStream" => {
            let mean = needed("e2e mean")? / NANOSECONDS;
            point.concurrency = Some(1.0);
            point.requests_per_s = 1.0 / mean;
            report.workload.arrivals = Some(Arrivals::Closed);
        }
        other => {
            return Err(Problem::new("this scenario is not read", "不支持该场景")
                .at("Scenario")
                .found(other)
                .remedy(
                    "give a Server, Offline or SingleStream run",
                    "请给出 Server、Offline 或 SingleStream 的结果",
                ));
        }
    }
    point.completed = figure("queries").filter(|n| *n >= 0.0).map(|n| n as u64);
    point.latency_s = statistics(Metric::E2e);
    point.ttft_s = statistics(Metric::Ttft);
    point.tpot_s = statistics(Metric::Tpot);
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    Ok(point)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{fixture, import, import_bytes, import_files};
    use crate::report::Arrivals;

    #[test]
    fn nanoseconds_become_seconds_in_either_file() {
        let summary = &import("mlperf", "server/mlperf_log_summary.txt")[0];
        let detail = &import("mlperf", "server/mlperf_log_detail.txt")[0];
        for report in [summary, detail] {
            let point = &report.points[0];
            assert_eq!(
                (point.requests_per_s, point.request_rate),
                (49.5, Some(50.0))
            );
            assert_eq!(
                (point.latency_s.mean, point.latency_s.p99),
                (Some(0.005), Some(0.0085))
            );
            assert_eq!(report.warnings, []);
        }
        assert_eq!(detail.tool.version.as_deref(), Some("6.0.17"));
        assert_eq!(detail.measured_on.unwrap().to_string(), "2026-03-01");
        let files = [
            "server/mlperf_log_summary.txt",
            "server/mlperf_log_detail.txt",
        ];
        let both =
            import_files(&files.map(|name| (name.to_owned(), fixture("mlperf", name)))).unwrap();
        assert_eq!(both.len(), 1);
        assert_eq!(both[0].tool.version.as_deref(), Some("6.0.17"));
    }

    #[test]
    fn a_batch_s_time_is_no_latency_and_invalid_is_said() {
        let report = &import("mlperf", "offline-invalid.txt")[0];
        let point = &report.points[0];
        assert_eq!(point.requests_per_s, 122.0);
        assert_eq!(point.latency_s.p99, None);
        assert_eq!(report.workload.arrivals, Some(Arrivals::Burst));
        let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["mlperf-invalid", "offline-latency"]);
    }

    /// "Performance constraints satisfied" beside INVALID, and first-token latencies of 0.
    #[test]
    fn first_token_latencies_of_zero_are_missing() {
        let report = &import("mlperf", "server-llm-invalid.txt")[0];
        let point = &report.points[0];
        assert_eq!(point.ttft_s.mean, None);
        assert_eq!(report.workload.output_tokens, Some(400.0)); // 40 tokens/s ÷ 0.1
        let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["mlperf-invalid", "metric-all-zero"]);
    }

    #[test]
    fn one_stream_is_one_request_and_other_scenarios_are_refused() {
        let report = &import("mlperf", "single-stream.txt")[0];
        assert_eq!(
            (
                report.points[0].concurrency,
                report.points[0].requests_per_s
            ),
            (Some(1.0), 200.0)
        );
        let text = b"MLPerf Results Summary\nScenario : MultiStream\nResult is : VALID\n";
        assert!(
            import_bytes(text)
                .unwrap_err()
                .to_string()
                .contains("found MultiStream")
        );
        let text = b"MLPerf Results Summary\nScenario : Server\nResult is : VALID\n";
        assert!(
            import_bytes(text)
                .unwrap_err()
                .to_string()
                .contains("scheduled samples per second: is missing")
        );
    }
}
