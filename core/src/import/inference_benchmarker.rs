//! Hugging Face's inference-benchmarker (TGI): one file, a result for each load. Milliseconds.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Point, Report},
};

pub(super) struct InferenceBenchmarker;

const MILLISECONDS: f64 = 1e3;
/// A run that only warms the server up.
const WARMUP: &str = "warmup";

impl Format for InferenceBenchmarker {
    fn name(&self) -> &'static str {
        "inference-benchmarker"
    }

    fn marks(&self) -> &'static str {
        "results[].executor_type, results[].token_throughput_secs"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.at("/results/0/executor_type").is_some()
            && content.at("/results/0/token_throughput_secs").is_some()
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let results = content.at("/results").and_then(Value::as_array);
        let mut reports = Vec::new();
        let mut problems = Vec::new();
        for (i, result) in results.into_iter().flatten().enumerate() {
            if common::text(result, "/id").as_deref() == Some(WARMUP) {
                continue;
            }
            match read_result(content, result) {
                Ok(report) => reports.push(report),
                Err(problem) => {
                    let path = problem.path.clone().unwrap_or_default();
                    problems.push(problem.at(format!("results[{i}].{path}")));
                }
            }
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

fn read_result(content: &Content, result: &Value) -> Result<Report, Problem> {
    let statistics = |key: &str| common::statistics_of(result.get(key), MILLISECONDS);
    let mut report = common::report("inference-benchmarker", None);
    let completed = common::count(result, "/successful_requests");
    // An arrival rate is open loop; a number of users is closed.
    let rate = common::optional(result, "/config/rate");
    let mut point = Point {
        concurrency: common::optional(result, "/config/max_vus").filter(|_| rate.is_none()),
        request_rate: rate,
        duration_s: common::optional(result, "/duration_ms").map(|ms| ms / MILLISECONDS),
        completed,
        failed: common::count(result, "/failed_requests"),
        requests_per_s: common::required(result, "/request_rate")?,
        output_tokens_per_s: common::optional(result, "/token_throughput_secs"),
        latency_s: statistics("e2e_latency_ms"),
        ttft_s: statistics("time_to_first_token_ms"),
        itl_s: statistics("inter_token_latency_ms"),
        ..Point::default()
    };
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    let each = |pointer: &str| {
        let tokens = common::optional(result, pointer)?;
        Some(tokens / completed.filter(|count| *count > 0)? as f64)
    };
    report.workload.input_tokens = each("/total_tokens_sent");
    report.workload.output_tokens = each("/total_tokens");
    report.workload.arrivals = Some(common::arrivals(&point));
    report.model.name = content
        .at("/config/model_name")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let started = content.at("/start_time").and_then(Value::as_str);
    report.measured_on = started.and_then(common::day_of);
    report.points = vec![point];
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};

    #[test]
    fn each_load_is_a_point_and_the_warm_up_is_none() {
        let report = &import("inference-benchmarker", "result.json")[0];
        assert_eq!(report.points.len(), 2);
        let point = &report.points[1];
        assert_eq!((point.concurrency, point.requests_per_s), (Some(16.0), 4.0));
        assert_eq!((point.completed, point.failed), (Some(240), Some(2)));
        assert_eq!(
            (point.ttft_s.p99, point.latency_s.mean),
            (Some(0.4), Some(4.0))
        );
        assert_eq!(report.workload.input_tokens, Some(512.0));
        assert_eq!(report.workload.output_tokens, Some(128.0));
        assert_eq!(report.measured_on.unwrap().to_string(), "2026-03-01");
    }

    #[test]
    fn a_result_without_its_rate_is_named() {
        let text = br#"{"results": [{"id": "x", "executor_type": "ConstantVUs", "token_throughput_secs": 1.0}]}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(
            message.contains("results[0].request_rate: is missing"),
            "{message}"
        );
    }
}
