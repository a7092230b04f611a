//! Hugging Face's inference-benchmarker (TGI): one file, a result for each load. Milliseconds.
//!
//! `ConstantVUs` keeps `max_vus` requests in flight; `ConstantArrivalRate` sends `rate` a second and
//! leaves out what would exceed `max_vus`, which it does not count as failed. Its
//! `inter_token_latency` is one figure a request, the mean gap between its tokens: that is a time
//! per output token here, for a percentile of gaps lies far above it. `request_rate` is the achieved
//! rate; older versions count failed requests in it. The first result is of a warm-up.

use serde_json::{Map, Value};

use super::{Format, Options, common, content::Content, fields::Fields};
use crate::{
    problem::{Problem, Problems},
    report::{Point, Quantile, Quantiles, Report, Software},
    text::Notice,
};

pub(super) struct InferenceBenchmarker;

const MILLISECONDS: f64 = 1e3;
/// A run that only warms the server up.
const WARMUP: &str = "warmup";
const CLOSED: &str = "ConstantVUs";
const OPEN: &str = "ConstantArrivalRate";

/// The statistics a version writes, and those of them that are kept.
const STATISTICS: [(&str, Quantile); 5] = [
    ("avg", Quantile::Mean),
    ("p50", Quantile::P50),
    ("p90", Quantile::P90),
    ("p95", Quantile::P95),
    ("p99", Quantile::P99),
];
const NOT_KEPT: [&str; 3] = ["p60", "p70", "p80"];

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
        let (mut reports, mut problems, mut warmup) = (Vec::new(), Vec::new(), None);
        for (i, result) in results.into_iter().flatten().enumerate() {
            if common::text(result, "/id").as_deref() == Some(WARMUP) {
                warmup = common::count(result, "/successful_requests");
                continue;
            }
            match read_result(result) {
                Ok(report) => reports.push(report),
                Err(found) => problems.extend(found.into_iter().map(|problem| {
                    let path = problem.path.clone().unwrap_or_default();
                    problem.at(format!("results[{i}].{path}"))
                })),
            }
        }
        if reports.is_empty() && problems.is_empty() {
            problems.push(
                Problem::new("holds no result but of a warm-up", "除预热外没有结果")
                    .at("results")
                    .remedy("run the benchmark to its end", "请完整运行测试后再导入"),
            );
        }
        Problems::none_in(problems)?;
        for report in &mut reports {
            report.workload.warmup_requests = warmup;
            describe(content, report);
        }
        Ok(reports)
    }
}

fn read_result(result: &Value) -> Result<Report, Problems> {
    let Value::Object(map) = result else {
        return Err(Problem::new("is not a JSON object", "不是 JSON 对象").into());
    };
    let fields = Fields::of(map);
    fields.skip(&["id", "config", "total_requests"]);
    let mut notices = Vec::new();
    let mut problems = Vec::new();
    let (concurrency, request_rate) = load(&fields, result);
    let duration_s = fields.figure("duration_ms").map(|ms| ms / MILLISECONDS);
    let completed = fields.count("successful_requests");
    let stated = fields.required("request_rate");
    let rate = common::rate(
        stated,
        completed,
        duration_s.unwrap_or_default(),
        &mut notices,
    );
    let mut statistics = |name: &str| {
        let nested = map.get(name).and_then(Value::as_object);
        let (quantiles, found) = match nested {
            Some(nested) => nested_statistics(name, nested),
            None => (flat_statistics(&fields, name), Vec::new()),
        };
        if nested.is_some() {
            fields.skip(&[name]);
        }
        problems.extend(found);
        quantiles
    };
    let mut point = Point {
        concurrency,
        request_rate,
        duration_s,
        completed,
        latency_s: statistics("e2e_latency_ms"),
        ttft_s: statistics("time_to_first_token_ms"),
        tpot_s: statistics("inter_token_latency_ms"),
        failed: fields.count("failed_requests"),
        requests_per_s: rate,
        // -1 where nothing was measured.
        output_tokens_per_s: fields
            .figure("token_throughput_secs")
            .filter(|rate| *rate >= 0.0),
        ..Point::default()
    };
    let each = |key: &str| {
        let tokens = fields.count(key)?;
        Some(tokens as f64 / completed.filter(|count| *count > 0)? as f64)
    };
    let mut report = common::report("inference-benchmarker", None);
    report.workload.input_tokens = each("total_tokens_sent");
    report.workload.output_tokens = each("total_tokens");
    point.input_tokens_per_s = report.workload.input_tokens.map(|tokens| tokens * rate);
    report.workload.arrivals = common::arrivals_or_burst(&point);
    let (found, more) = fields.finish();
    problems.extend(found);
    Problems::none_in(problems)?;
    common::drop_zero_metrics(&mut point, &mut notices);
    notices.extend(more);
    report.points = vec![point];
    report.warnings = notices;
    Ok(report)
}

/// The concurrency, or the cap on it, and the offered rate.
fn load(fields: &Fields<'_>, result: &Value) -> (Option<f64>, Option<f64>) {
    let users = common::optional(result, "/config/max_vus");
    match fields.text("executor_type") {
        Some(CLOSED) => (users, None),
        Some(OPEN) => {
            let rate = common::required(result, "/config/rate");
            (users, rate.map_err(|problem| fields.problem(problem)).ok())
        }
        other => {
            fields.problem(
                Problem::new("is not a way of sending known here", "未知的发送方式")
                    .at("executor_type")
                    .found(other.unwrap_or("null"))
                    .remedy(
                        format!("expected {CLOSED} or {OPEN}"),
                        format!("应为 {CLOSED} 或 {OPEN}"),
                    ),
            );
            (None, None)
        }
    }
}

/// `"time_to_first_token_ms": { "avg": …, "p50": … }`.
fn nested_statistics(name: &str, map: &Map<String, Value>) -> (Quantiles, Vec<Problem>) {
    let fields = Fields::of(map);
    let quantiles = quantiles(|statistic| fields.figure(statistic));
    let (problems, _) = fields.finish();
    let placed = problems.into_iter().map(|problem| {
        let path = problem.path.clone().unwrap_or_default();
        problem.at(format!("{name}.{path}"))
    });
    (quantiles, placed.collect())
}

/// `"time_to_first_token_ms_avg": …`, as the first versions write.
fn flat_statistics(fields: &Fields<'_>, name: &str) -> Quantiles {
    for statistic in NOT_KEPT {
        fields.skip(&[&format!("{name}_{statistic}")]);
    }
    quantiles(|statistic| fields.figure(&format!("{name}_{statistic}")))
}

fn quantiles(figure: impl Fn(&str) -> Option<f64>) -> Quantiles {
    let mut quantiles = Quantiles::default();
    for (statistic, quantile) in STATISTICS {
        quantiles.set(quantile, figure(statistic).map(|ms| ms / MILLISECONDS));
    }
    quantiles
}

/// What holds of every result. The file's `system` is the client's, so it is not taken.
fn describe(content: &Content, report: &mut Report) {
    let text = |pointer: &str| content.json().and_then(|all| common::text(all, pointer));
    report.model.name = text("/config/model_name");
    report.workload.dataset = text("/config/profile");
    report.measured_on = text("/start_time").and_then(|stamp| common::day_of(&stamp));
    // What the user wrote down with --extra-meta.
    let meta = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| text(&format!("/config/meta/{key}")))
    };
    report.system.engine = meta(&["engine", "engine_name"]).map(|name| Software {
        name,
        version: meta(&["engine_version"]),
    });
    report.model.precision = meta(&["precision", "dtype", "quantization"]);
    if let Some(name) = meta(&["gpu", "gpu_type", "gpu_name", "accelerator"]) {
        report.system.accelerator = common::accelerator(&name, &mut report.warnings);
    }
    if let Some(count) = meta(&["gpus", "num_gpus", "gpu_count", "accelerators"]) {
        report.system.accelerators = common::accelerators(count.parse().ok());
        if report.system.accelerators.is_none() {
            report.warnings.push(Notice::new(
                "accelerators-not-understood",
                format!("The file's number of accelerators is not taken: {count}."),
                format!("未采用文件中的加速卡数量：{count}。"),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{fixture, import, import_bytes},
        *,
    };
    use crate::report::Arrivals;

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
        assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
        assert_eq!(report.measured_on.unwrap().to_string(), "2026-03-01");
    }

    /// The mean gap of each request is its time per token; a percentile of it is none of the gaps.
    #[test]
    fn the_gap_of_a_request_is_a_time_per_token() {
        let point = &import("inference-benchmarker", "result.json")[0].points[1];
        assert_eq!(point.tpot_s.mean, Some(0.029));
        assert_eq!(point.tpot_s.p50, Some(0.028));
        assert_eq!(point.itl_s, Quantiles::default());
    }

    /// A closed loop, then 2.5 and 5 requests a second offered, of which the last is not kept up.
    #[test]
    fn a_sweep_of_rates_is_open_and_kept_apart_from_the_closed_loop() {
        let reports = import("inference-benchmarker", "sweep.json");
        let arrivals: Vec<_> = reports.iter().map(|r| r.workload.arrivals).collect();
        assert_eq!(arrivals, [Some(Arrivals::Closed), Some(Arrivals::Open)]);
        let (closed, open) = (&reports[0], &reports[1]);
        assert_eq!(closed.points[0].request_rate, None);
        assert_eq!(closed.points[0].concurrency, Some(128.0));
        let rates: Vec<_> = open.points.iter().map(|p| p.request_rate).collect();
        assert_eq!(rates, [Some(2.5), Some(5.0)]);
        // The cap on what is in flight stays beside the rate.
        assert_eq!(open.points[1].concurrency, Some(128.0));
        assert_eq!(open.points[1].requests_per_s, 4.0);
        assert_eq!(open.points[1].input_tokens_per_s, Some(2048.0));
        assert_eq!(open.workload.warmup_requests, Some(12));
        assert_eq!(open.workload.dataset.as_deref(), Some("chat"));
        assert_eq!(open.model.name.as_deref(), Some("org/model-8b"));
        let accelerator = open.system.accelerator.as_ref().unwrap();
        assert_eq!(accelerator.to_string(), "H100 80GB SXM");
        assert_eq!(open.system.accelerators, Some(2));
        assert_eq!(open.system.engine.as_ref().unwrap().name, "TGI");
        assert_eq!(open.warnings, []);
    }

    /// 95 of 100 requests in 50 s: the rate that is written counts all of them.
    #[test]
    fn the_first_versions_flat_keys_and_rate_of_all_requests_are_read() {
        let report = &import("inference-benchmarker", "flat.json")[0];
        let point = &report.points[0];
        assert_eq!(point.requests_per_s, 1.9);
        assert_eq!((point.completed, point.failed), (Some(95), Some(5)));
        assert_eq!(
            (point.ttft_s.mean, point.ttft_s.p95),
            (Some(0.1), Some(0.2))
        );
        assert_eq!(point.tpot_s.p90, Some(0.03));
        // That version has no latency, and does not say what it sent.
        assert_eq!(point.latency_s, Quantiles::default());
        assert_eq!(report.workload.input_tokens, None);
        assert_eq!(report.workload.output_tokens, Some(128.0));
        let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["rate-inconsistent"]);
    }

    #[test]
    fn malformed_results_name_the_field() {
        let text = String::from_utf8(fixture("inference-benchmarker", "result.json")).unwrap();
        for (from, to, part) in [
            (
                "\"request_rate\": 4.0",
                "\"request_rate\": null",
                "results[2].request_rate: is missing",
            ),
            (
                "\"request_rate\": 4.0",
                "\"request_rate\": NaN",
                "results[2].request_rate: is not a finite number",
            ),
            (
                "\"avg\": 4000.0",
                "\"avg\": \"4 s\"",
                "results[2].e2e_latency_ms.avg: is not a number",
            ),
            (
                "\"successful_requests\": 240",
                "\"successful_requests\": 0",
                "no request completed",
            ),
            (
                "\"successful_requests\": 240",
                "\"successful_requests\": 2.5",
                "results[2].successful_requests: is not a count",
            ),
        ] {
            let message = import_bytes(text.replace(from, to).as_bytes())
                .unwrap_err()
                .to_string();
            assert!(message.contains(part), "{part} in {message}");
        }
        let message = import_bytes(text.replace("ConstantVUs", "Ramp").as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("results[1].executor_type") && message.contains("found Ramp"),
            "{message}"
        );
        let open = text.replace("ConstantVUs", "ConstantArrivalRate");
        let message = import_bytes(open.as_bytes()).unwrap_err().to_string();
        assert!(
            message.contains("results[1].config.rate: is missing"),
            "{message}"
        );
    }

    #[test]
    fn a_file_of_a_warm_up_alone_and_unreadable_meta_are_said() {
        let warmup = br#"{"results": [{"id": "warmup", "executor_type": "ConstantVUs", "token_throughput_secs": 1.0}]}"#;
        let message = import_bytes(warmup).unwrap_err().to_string();
        assert!(
            message.contains("results: holds no result but of a warm-up"),
            "{message}"
        );
        let text = String::from_utf8(fixture("inference-benchmarker", "sweep.json")).unwrap();
        let text = text
            .replace("NVIDIA H100-80GB-HBM3", "A100")
            .replace("\"2\"", "\"two\"");
        let report = &import_bytes(text.as_bytes()).unwrap()[0];
        assert_eq!(
            (&report.system.accelerator, report.system.accelerators),
            (&None, None)
        );
        let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(
            codes,
            ["accelerator-not-understood", "accelerators-not-understood"]
        );
    }
}
