//! GuideLLM, old and new, JSON and YAML: several benchmarks a file.
//!
//! `request_latency` is in seconds, the other latencies say `_ms`. Each metric is split into
//! successful, errored, incomplete and total: capacity counts all tokens, since a run cut by time
//! served those of unfinished requests too; latency is of the finished.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Point, Report},
};

pub(super) struct Guidellm;

const MILLISECONDS: f64 = 1e3;

impl Format for Guidellm {
    fn name(&self) -> &'static str {
        "guidellm"
    }

    fn marks(&self) -> &'static str {
        "benchmarks[].metrics.time_to_first_token_ms"
    }

    fn recognises(&self, content: &Content) -> bool {
        content
            .at("/benchmarks/0/metrics/requests_per_second")
            .is_some()
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let version = content
            .at("/metadata/guidellm_version")
            .and_then(Value::as_str);
        let benchmarks = content.at("/benchmarks").and_then(Value::as_array);
        let mut reports = Vec::new();
        let mut problems = Vec::new();
        for (i, benchmark) in benchmarks.into_iter().flatten().enumerate() {
            match read_benchmark(benchmark, version) {
                Ok(report) => reports.push(report),
                Err(problem) => {
                    let path = problem.path.clone().unwrap_or_default();
                    problems.push(problem.at(format!("benchmarks[{i}].{path}")));
                }
            }
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

fn read_benchmark(benchmark: &Value, version: Option<&str>) -> Result<Report, Problem> {
    let mut report = common::report("guidellm", version);
    let finished = |metric: &str, per_second: f64| {
        common::statistics_of(
            benchmark.pointer(&format!("/metrics/{metric}/successful")),
            per_second,
        )
    };
    let mean = |metric: &str, of: &str| {
        common::optional(benchmark, &format!("/metrics/{metric}/{of}/mean"))
    };
    let strategy = ["/config/strategy", "/args/strategy", "/scheduler/strategy"]
        .into_iter()
        .find_map(|pointer| benchmark.pointer(pointer));
    let of_strategy = |key: &str| common::optional(strategy?, &format!("/{key}"));
    let kind = strategy
        .and_then(|strategy| common::text(strategy, "/type_"))
        .unwrap_or_default();
    let made = |of: &str| {
        [
            "/metrics/request_totals",
            "/run_stats/requests_made",
            "/scheduler_metrics/requests_made",
        ]
        .into_iter()
        .find_map(|pointer| common::count(benchmark, &format!("{pointer}/{of}")))
    };
    common::required(benchmark, "/metrics/requests_per_second/successful/mean")?;
    let mut point = Point {
        concurrency: match kind.as_str() {
            "synchronous" => Some(1.0),
            "concurrent" => of_strategy("streams"),
            _ => None,
        },
        request_rate: of_strategy("rate")
            .filter(|_| matches!(kind.as_str(), "constant" | "poisson" | "async")),
        duration_s: common::optional(benchmark, "/duration").or_else(|| {
            let (from, to) = ("/run_stats/start_time", "/run_stats/end_time");
            Some(common::optional(benchmark, to)? - common::optional(benchmark, from)?)
        }),
        completed: made("successful"),
        failed: made("errored"),
        requests_per_s: mean("requests_per_second", "successful").unwrap_or(f64::NAN),
        input_tokens_per_s: mean("prompt_tokens_per_second", "total"),
        output_tokens_per_s: mean("output_tokens_per_second", "total")
            .or(mean("output_tokens_per_second", "successful")),
        latency_s: finished("request_latency", 1.0),
        ttft_s: finished("time_to_first_token_ms", MILLISECONDS),
        // GuideLLM divides the whole latency by the output here, and the decoding by the gaps in ITL.
        tpot_s: finished("inter_token_latency_ms", MILLISECONDS),
        itl_s: finished("inter_token_latency_ms", MILLISECONDS),
        ..Point::default()
    };
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.workload.input_tokens = mean("prompt_token_count", "successful");
    report.workload.output_tokens = mean("output_token_count", "successful");
    report.workload.arrivals = common::arrivals_or_burst(&point);
    report.model.name = [
        "/config/backend/model",
        "/worker/backend_model",
        "/benchmarker/backend/model",
    ]
    .into_iter()
    .find_map(|pointer| common::text(benchmark, pointer));
    report.points = vec![point];
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};
    use crate::report::Arrivals;

    #[test]
    fn seconds_and_milliseconds_are_told_apart() {
        let reports = import("guidellm", "old.json");
        let points = &reports[0].points;
        assert_eq!(points.len(), 2);
        assert_eq!(
            (points[1].concurrency, points[1].requests_per_s),
            (Some(8.0), 2.0)
        );
        assert_eq!(
            (points[1].latency_s.mean, points[1].latency_s.p99),
            (Some(3.9), Some(6.0))
        );
        assert_eq!(
            (points[1].ttft_s.p50, points[1].ttft_s.p99),
            (Some(0.11), Some(0.4))
        );
        assert_eq!(
            (points[1].completed, points[1].failed),
            (Some(100), Some(1))
        );
        // 256 by finished requests alone; the cut-off ones were served too.
        assert_eq!(points[1].output_tokens_per_s, Some(281.6));
        assert_eq!(reports[0].workload.arrivals, Some(Arrivals::Closed));
    }

    #[test]
    fn the_new_layout_reads_alike() {
        let report = &import("guidellm", "new.json")[0];
        assert_eq!(report.tool.version.as_deref(), Some("0.8.0"));
        assert_eq!(report.points[0].request_rate, Some(2.0));
        assert_eq!(report.points[0].latency_s.p95, Some(5.0));
        assert_eq!(report.model.name.as_deref(), Some("org/model-8b"));
    }

    #[test]
    fn a_benchmark_without_its_rate_is_named() {
        let text = br#"{"benchmarks": [{"metrics": {"requests_per_second": {"successful": {"mean": null}}}}]}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(
            message
                .contains("benchmarks[0].metrics.requests_per_second.successful.mean: is missing"),
            "{message}"
        );
    }
}
