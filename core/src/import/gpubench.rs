//! gpubench (silybench) `result.json`: a whole sweep with hardware and software named.
//! Milliseconds. A row's figures are medians of its repeats.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Report, Software},
    text::Notice,
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
        let Some(rows) = rows.filter(|rows| !rows.is_empty()) else {
            return Err(Problem::new(
                "this session measured accuracy and no performance",
                "该次运行只测了准确率，没有性能数据",
            )
            .at("perf")
            .remedy(
                "give the result.json of the performance session",
                "请给出性能测试的 result.json",
            )
            .into());
        };
        if value.get("sample") == Some(&Value::Bool(true)) {
            return Err(Problem::new(
                "these figures are made up, to show what a result looks like",
                "这是示例数据，并非实测",
            )
            .at("sample")
            .found(true)
            .remedy("give a measured result", "请给出实测结果")
            .into());
        }
        let mut reports = Vec::new();
        let mut problems = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            match read_row(value, row) {
                Ok(report) => reports.push(report),
                Err(found) => problems.extend(found.into_iter().map(|problem| {
                    let path = problem.path.clone().unwrap_or_default();
                    problem.at(format!("perf[{i}].{path}"))
                })),
            }
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

/// One row as a report of its own; rows of one workload join later.
fn read_row(value: &Value, row: &Value) -> Result<Report, Problems> {
    let mut report = common::report(
        "gpubench",
        common::text(value, "/software/gpubench_version").as_deref(),
    );
    let mut problems = Vec::new();
    let mut required = |pointer: &str| {
        common::required(row, pointer).unwrap_or_else(|problem| {
            problems.push(problem);
            f64::NAN
        })
    };
    let concurrency = required("/concurrency");
    let stated = required("/request_throughput");
    Problems::none_in(problems)?;
    let duration_s = common::optional(row, "/duration_s");
    let completed = common::count(row, "/completed");
    let output = common::optional(row, "/output_throughput");
    let both = common::optional(row, "/total_token_throughput");
    let statistics = |key: &str| common::statistics_of(row.get(key), MILLISECONDS);
    let notices = &mut report.warnings;
    let mut point = Point {
        concurrency: Some(concurrency),
        duration_s,
        completed,
        failed: common::count(row, "/failed"),
        requests_per_s: common::rate(stated, completed, duration_s.unwrap_or(0.0), notices),
        input_tokens_per_s: both
            .zip(output)
            .map(|(both, output)| both - output)
            .filter(|input| *input >= 0.0),
        output_tokens_per_s: output,
        latency_s: statistics("e2el_ms"),
        ttft_s: statistics("ttft_ms"),
        tpot_s: statistics("tpot_ms"),
        itl_s: statistics("itl_ms"),
        ..Point::default()
    };
    if value.get("complete") == Some(&Value::Bool(false)) {
        report.warnings.push(Notice::new(
            "run-incomplete",
            "The run was under way, or died: some of its loads are missing.",
            "该次运行尚未完成或中途终止：缺少部分负载。",
        ));
    }
    if let Some(share) =
        common::optional(row, "/prefix_cache_hit_rate").filter(|share| *share > 0.0)
    {
        report.warnings.push(Notice::new(
            "prompts-cached",
            format!("{share} of the prompt tokens came from the prefix cache: new prompts wait longer for their first token."),
            format!("提示 token 的前缀缓存命中率为 {share}：新提示的首 token 会更慢。"),
        ));
    }
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.measured_on =
        common::text(value, "/created_at").and_then(|stamp| common::day_of(&stamp));
    report.workload.input_tokens = common::optional(row, "/input_len");
    report.workload.output_tokens = common::optional(row, "/output_len");
    report.workload.dataset = common::text(row, "/workload");
    report.workload.arrivals = Some(Arrivals::Closed);
    // A checkpoint is what was served in place of the model it is made from.
    report.model.name =
        common::text(value, "/model/checkpoint").or(common::text(value, "/model/hf_id"));
    report.model.revision = common::text(value, "/model/revision");
    report.model.precision = common::text(value, "/model/precision");
    report.network.server_region = common::text(value, "/hardware/zone");
    describe_system(value, &mut report);
    report.points = vec![point];
    Ok(report)
}

fn describe_system(value: &Value, report: &mut Report) {
    let system = &mut report.system;
    system.accelerator = common::text(value, "/hardware/gpu_type")
        .and_then(|name| common::accelerator(&name, &mut report.warnings));
    system.accelerators = accelerators(value);
    system.engine = common::text(value, "/software/engine").map(|name| Software {
        name,
        version: common::text(value, "/software/engine_version"),
    });
    system.cuda = common::text(value, "/software/cuda_version");
    system.driver = common::text(value, "/software/nvidia_driver");
    // Where vLLM ran without a container, the image is only what named its version.
    if common::text(value, "/software/runtime").as_deref() != Some("native") {
        system.container_image = common::text(value, "/software/engine_image");
    }
}

/// The GPUs that served: those of the parallelism, which may be fewer than the machine has.
fn accelerators(value: &Value) -> Option<u32> {
    let figure = |pointer: &str| common::optional(value, pointer);
    let used = figure("/parallelism/tp").map(|tp| {
        let more = ["/parallelism/pp", "/parallelism/dp"].map(|key| figure(key).unwrap_or(1.0));
        tp * more[0] * more[1]
    });
    let there = || {
        let nodes = figure("/hardware/node_count").unwrap_or(1.0);
        Some(figure("/hardware/gpu_count")? * nodes)
    };
    common::accelerators(used.or_else(there))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{fixture, import, import_bytes};
    use crate::report::Report;

    /// The fixture with the value at a pointer changed.
    fn changed(pointer: &str, to: Value) -> Vec<u8> {
        let mut value: Value = serde_json::from_slice(&fixture("gpubench", "result.json")).unwrap();
        *value.pointer_mut(pointer).unwrap() = to;
        value.to_string().into_bytes()
    }

    fn one(bytes: &[u8]) -> Report {
        import_bytes(bytes).unwrap().remove(0)
    }

    #[test]
    fn a_sweep_of_two_workloads_is_two_reports_with_all_that_is_named() {
        let reports = import("gpubench", "result.json");
        assert_eq!(reports.len(), 2);
        let report = &reports[0];
        let loads: Vec<_> = report.points.iter().map(|p| p.concurrency).collect();
        assert_eq!(loads, [Some(1.0), Some(8.0)]);
        let point = &report.points[1];
        assert_eq!((point.ttft_s.p95, point.ttft_s.p99), (Some(0.3), Some(0.4)));
        assert_eq!((point.itl_s.p50, point.ttft_s.mean), (Some(0.0295), None));
        assert_eq!((point.requests_per_s, point.duration_s), (2.0, Some(50.0)));
        // 1280 tokens a second of both kinds, less 256 of output.
        assert_eq!(
            (point.input_tokens_per_s, point.output_tokens_per_s),
            (Some(1024.0), Some(256.0))
        );
        assert_eq!(
            report.system.accelerator.as_ref().unwrap().to_string(),
            "H100 80GB"
        );
        assert_eq!(
            report.system.engine.as_ref().unwrap().version.as_deref(),
            Some("0.30.0")
        );
        assert_eq!(report.tool.version.as_deref(), Some("0.1.0"));
        assert_eq!(report.model.precision.as_deref(), Some("bf16"));
        assert_eq!(report.network.server_region.as_deref(), Some("zone-a"));
        assert_eq!(report.measured_on.unwrap().to_string(), "2026-03-01");
        assert_eq!(report.id, "model-8b-h100-80gb-bf16-512-128");
        assert_eq!(report.warnings, []);
    }

    #[test]
    fn the_gpus_are_those_that_served() {
        let report = one(&changed(
            "/parallelism",
            json!({"tp": 2, "pp": 2, "dp": 2, "ep": 2}),
        ));
        assert_eq!(report.system.accelerators, Some(8));
        let mut value: Value = serde_json::from_slice(&fixture("gpubench", "result.json")).unwrap();
        value.as_object_mut().unwrap().remove("parallelism");
        value["hardware"]["gpu_count"] = json!(4);
        value["hardware"]["node_count"] = json!(2);
        let report = one(value.to_string().as_bytes());
        assert_eq!(report.system.accelerators, Some(8));
        let report = one(&changed("/model/checkpoint", json!("org/model-8b-fp8")));
        assert_eq!(report.model.name.as_deref(), Some("org/model-8b-fp8"));
        let report = one(&changed("/hardware/gpu_type", json!("A100")));
        assert_eq!(report.system.accelerator, None);
        assert_eq!(report.warnings[0].code, "accelerator-not-understood");
    }

    #[test]
    fn a_run_that_is_not_whole_says_so_and_one_that_is_made_up_is_refused() {
        let report = one(&changed("/complete", json!(false)));
        assert_eq!(report.warnings[0].code, "run-incomplete");
        let message = import_bytes(&changed("/sample", json!(true)))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("sample: these figures are made up"),
            "{message}"
        );
        let message = import_bytes(&changed("/perf", json!([])))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("perf: this session measured accuracy"),
            "{message}"
        );
    }

    #[test]
    fn what_cannot_be_read_names_row_and_key() {
        for (pointer, to, part) in [
            (
                "/perf/0/request_throughput",
                Value::Null,
                "perf[0].request_throughput: is missing",
            ),
            (
                "/perf/1/concurrency",
                json!("NaN"),
                "perf[1].concurrency: is not a finite number",
            ),
            (
                "/perf/2/request_throughput",
                json!("fast"),
                "perf[2].request_throughput: is not a finite number (found \"fast\")",
            ),
            ("/perf/0/completed", json!(0), "no request completed"),
            ("/perf/0/ttft_ms/p99", json!(-5), "ttft_s.p99: is negative"),
        ] {
            let message = import_bytes(&changed(pointer, to)).unwrap_err().to_string();
            assert!(message.contains(part), "{part} in {message}");
        }
        let text = br#"{"schema_version": 1, "hardware": {"gpu_type": "L4"}, "perf": [{"slo_pass": true}]}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        for part in ["perf[0].concurrency", "perf[0].request_throughput"] {
            assert!(message.contains(part), "{part} in {message}");
        }
    }
}
