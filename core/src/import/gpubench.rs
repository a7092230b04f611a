//! gpubench (silybench) `result.json`: a whole sweep with hardware and software named.
//! Milliseconds.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Report, Software},
};

pub(super) struct Gpubench;

const MILLISECONDS: f64 = 1e3;

impl Format for Gpubench {
    fn name(&self) -> &'static str {
        "gpubench"
    }

    fn marks(&self) -> &'static str {
        "schema_version, hardware.gpu_type, perf[].slo_pass"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.has(&["schema_version", "perf"]) && content.at("/hardware/gpu_type").is_some()
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let null = Value::Null;
        let value = content.json().unwrap_or(&null);
        let rows = value.get("perf").and_then(Value::as_array);
        let mut reports = Vec::new();
        let mut problems = Vec::new();
        for (i, row) in rows.into_iter().flatten().enumerate() {
            match read_row(value, row) {
                Ok(report) => reports.push(report),
                Err(problem) => {
                    let path = problem.path.clone().unwrap_or_default();
                    problems.push(problem.at(format!("perf[{i}].{path}")));
                }
            }
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

/// One row as a report of its own; rows of one workload join later.
fn read_row(value: &Value, row: &Value) -> Result<Report, Problem> {
    let mut report = common::report(
        "gpubench",
        common::text(value, "/software/gpubench_version").as_deref(),
    );
    let statistics = |key: &str| common::statistics_of(row.get(key), MILLISECONDS);
    let mut point = Point {
        concurrency: Some(common::required(row, "/concurrency")?),
        duration_s: common::optional(row, "/duration_s"),
        completed: common::count(row, "/completed"),
        failed: common::count(row, "/failed"),
        requests_per_s: common::required(row, "/request_throughput")?,
        output_tokens_per_s: common::optional(row, "/output_throughput"),
        latency_s: statistics("e2el_ms"),
        ttft_s: statistics("ttft_ms"),
        tpot_s: statistics("tpot_ms"),
        itl_s: statistics("itl_ms"),
        ..Point::default()
    };
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.measured_on =
        common::text(value, "/created_at").and_then(|stamp| common::day_of(&stamp));
    report.workload.input_tokens = common::optional(row, "/input_len");
    report.workload.output_tokens = common::optional(row, "/output_len");
    report.workload.dataset = common::text(row, "/workload");
    report.workload.arrivals = Some(Arrivals::Closed);
    report.model.name = common::text(value, "/model/hf_id");
    report.model.revision = common::text(value, "/model/revision");
    report.model.precision = common::text(value, "/model/precision");
    let system = &mut report.system;
    system.accelerator = common::text(value, "/hardware/gpu_type")
        .and_then(|name| common::accelerator(&name, &mut report.warnings));
    system.accelerators = common::accelerators(common::optional(value, "/hardware/gpu_count"));
    system.engine = common::text(value, "/software/engine").map(|name| Software {
        name,
        version: common::text(value, "/software/engine_version"),
    });
    system.cuda = common::text(value, "/software/cuda_version");
    system.driver = common::text(value, "/software/nvidia_driver");
    system.container_image = common::text(value, "/software/engine_image");
    report.points = vec![point];
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};

    #[test]
    fn a_sweep_of_two_workloads_is_two_reports_with_all_that_is_named() {
        let reports = import("gpubench", "result.json");
        assert_eq!(reports.len(), 2);
        let report = &reports[0];
        let loads: Vec<_> = report.points.iter().map(|p| p.concurrency).collect();
        assert_eq!(loads, [Some(1.0), Some(8.0)]);
        assert_eq!(report.points[1].ttft_s.p99, Some(0.4));
        assert_eq!(report.points[1].itl_s.p50, Some(0.0295));
        assert_eq!(
            report.system.accelerator.as_ref().unwrap().to_string(),
            "H100 80GB"
        );
        assert_eq!(
            report.system.engine.as_ref().unwrap().version.as_deref(),
            Some("0.30.0")
        );
        assert_eq!(report.model.precision.as_deref(), Some("bf16"));
        assert_eq!(report.id, "model-8b-h100-80gb-bf16-512-128");
    }

    #[test]
    fn a_row_without_its_rate_is_named() {
        let text = br#"{"schema_version": 1, "hardware": {"gpu_type": "L4"}, "perf": [{"concurrency": 1, "slo_pass": true}]}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(
            message.contains("perf[0].request_throughput: is missing"),
            "{message}"
        );
    }
}
