//! Export to the llm-d benchmark report 0.2: one document a load.

use serde_json::{Map, Value, json};

use super::{Metric, Point, Quantile, Report};

/// The version of the format written.
pub const VERSION: &str = "0.2";

/// The documents, lightest load first. What is not known is left out, as that format does.
#[must_use]
pub fn documents(report: &Report) -> Vec<Value> {
    report
        .points
        .iter()
        .enumerate()
        .map(|(i, point)| document(report, point, i))
        .collect()
}

fn document(report: &Report, point: &Point, stage: usize) -> Value {
    let workload = &report.workload;
    let length =
        |tokens: Option<f64>| tokens.map(|n| json!({ "distribution": "other", "value": n }));
    let load = object([
        ("tool", Some(json!(report.tool.name))),
        (
            "tool_version",
            report.tool.version.as_ref().map(|v| json!(v)),
        ),
        ("source", Some(json!("unknown"))),
        ("stage", Some(json!(stage))),
        ("concurrency", point.concurrency.map(|n| json!(n))),
        ("rate_qps", point.request_rate.map(|n| json!(n))),
        ("input_seq_len", length(workload.input_tokens)),
        ("output_seq_len", length(workload.output_tokens)),
    ]);
    let system = &report.system;
    let engine = object([
        ("kind", Some(json!("inference_engine"))),
        (
            "tool",
            system.engine.as_ref().map(|engine| json!(engine.name)),
        ),
        (
            "tool_version",
            system
                .engine
                .as_ref()
                .and_then(|engine| engine.version.as_ref())
                .map(|v| json!(v)),
        ),
        (
            "model",
            Some(object([
                ("name", report.model.name.as_ref().map(|name| json!(name))),
                (
                    "quantization",
                    report.model.precision.as_ref().map(|p| json!(p)),
                ),
            ])),
        ),
        (
            "accelerator",
            Some(object([
                (
                    "model",
                    system
                        .accelerator
                        .as_ref()
                        .map(|name| json!(name.to_string())),
                ),
                ("count", system.accelerators.map(|n| json!(n))),
            ])),
        ),
        ("replicas", Some(json!(1))),
    ]);
    let time = point
        .duration_s
        .map(|seconds| json!({ "duration": format!("PT{seconds}S") }));
    json!({
        "version": VERSION,
        "run": object([
            ("uid", Some(json!(format!("{}-{stage}", report.id)))),
            ("description", report.attribution.as_ref().map(|text| json!(text))),
            ("time", time),
        ]),
        "scenario": {
            "load": { "standardized": load },
            "stack": [ { "metadata": { "label": report.id }, "standardized": engine } ],
        },
        "results": { "request_performance": { "aggregate": {
            "requests": requests(report, point),
            "latency": latency(point),
            "throughput": throughput(point),
        } } },
    })
}

fn requests(report: &Report, point: &Point) -> Value {
    let failed = point.failed.unwrap_or(0);
    let mean = |tokens: Option<f64>| tokens.map(|n| json!({ "mean": n, "units": "count" }));
    object([
        // The format's total counts what failed too.
        (
            "total",
            point.completed.map(|completed| json!(completed + failed)),
        ),
        ("failures", point.failed.map(|n| json!(n))),
        ("input_length", mean(report.workload.input_tokens)),
        ("output_length", mean(report.workload.output_tokens)),
    ])
}

fn latency(point: &Point) -> Value {
    let statistics = |metric: Metric, units: &str| {
        let mut fields = Map::new();
        for quantile in Quantile::ALL {
            if let Some(value) = point.quantiles(metric).get(quantile) {
                fields.insert(quantile.key().to_owned(), json!(value));
            }
        }
        (!fields.is_empty()).then(|| {
            fields.insert("units".to_owned(), json!(units));
            Value::Object(fields)
        })
    };
    object([
        ("time_to_first_token", statistics(Metric::Ttft, "s")),
        ("time_per_output_token", statistics(Metric::Tpot, "s/token")),
        ("inter_token_latency", statistics(Metric::Itl, "s/token")),
        ("request_latency", statistics(Metric::E2e, "s")),
    ])
}

fn throughput(point: &Point) -> Value {
    let mean = |value: Option<f64>, units: &str| {
        value.map(|value| json!({ "mean": value, "units": units }))
    };
    object([
        (
            "request_rate",
            mean(Some(point.requests_per_s), "queries/s"),
        ),
        (
            "input_token_rate",
            mean(point.input_tokens_per_s, "tokens/s"),
        ),
        (
            "output_token_rate",
            mean(point.output_tokens_per_s, "tokens/s"),
        ),
    ])
}

/// An object of the fields that have a value.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let known = fields
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(known.collect())
}
