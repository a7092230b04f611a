//! The llm-d benchmark report, 0.1 and 0.2, YAML or JSON. Each figure has its unit beside it.

use serde_json::Value;

use super::{Format, Options, common, content::Content, units};
use crate::{
    problem::{Problem, Problems},
    report::{Point, Quantiles, Report, Software},
};

pub(super) struct LlmD;

impl Format for LlmD {
    fn name(&self) -> &'static str {
        "llm-d"
    }

    fn marks(&self) -> &'static str {
        "version 0.1 or 0.2, scenario, results.request_performance or metrics"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.has(&["version", "scenario"])
            && (content.at("/results/request_performance").is_some()
                || content.at("/metrics/latency").is_some())
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let null = Value::Null;
        let value = content.json().unwrap_or(&null);
        let new = value.pointer("/results/request_performance/aggregate");
        let (figures, at) = match new {
            Some(figures) => (figures, "results.request_performance.aggregate"),
            None => (value.get("metrics").unwrap_or(&null), "metrics"),
        };
        let tool = if new.is_some() {
            "/scenario/load/standardized/tool"
        } else {
            "/scenario/load/name"
        };
        let mut report = common::report(
            &common::text(value, tool).unwrap_or_else(|| "llm-d".to_owned()),
            common::text(value, "/scenario/load/standardized/tool_version").as_deref(),
        );
        let latency = |metric: &str| statistics(figures, at, metric);
        let rate = |name: &str| throughput(figures, name);
        let requests_per_s = rate(if new.is_some() {
            "request_rate"
        } else {
            "requests_per_sec"
        })
        .ok_or_else(|| {
            Problem::new("is missing", "缺失")
                .at(format!("{at}.throughput.request_rate"))
                .remedy("requests a second are needed", "需要每秒请求数")
        })?;
        let total = common::count(figures, "/requests/total");
        let failed = common::count(figures, "/requests/failures");
        let load =
            |key: &str| common::optional(value, &format!("/scenario/load/standardized/{key}"));
        let request_rate = load("rate_qps").filter(|rate| *rate > 0.0);
        let mut point = Point {
            concurrency: load("concurrency").filter(|_| request_rate.is_none()),
            request_rate,
            duration_s: duration(value),
            completed: total.map(|total| total.saturating_sub(failed.unwrap_or(0))),
            failed,
            requests_per_s,
            input_tokens_per_s: rate("input_token_rate").or(rate("input_tokens_per_sec")),
            output_tokens_per_s: rate("output_token_rate").or(rate("output_tokens_per_sec")),
            latency_s: latency("request_latency")?,
            ttft_s: latency("time_to_first_token")?,
            tpot_s: latency("time_per_output_token")?,
            itl_s: latency("inter_token_latency")?,
            ..Point::default()
        };
        common::drop_zero_metrics(&mut point, &mut report.warnings);
        report.workload.input_tokens = common::optional(figures, "/requests/input_length/mean");
        report.workload.output_tokens = common::optional(figures, "/requests/output_length/mean");
        report.workload.arrivals = common::arrivals(&point);
        stack(value, &mut report);
        report.points = vec![point];
        Ok(vec![report])
    }
}

/// The statistics of one latency, by the unit stated beside them.
fn statistics(figures: &Value, at: &str, metric: &str) -> Result<Quantiles, Problem> {
    let Some(object) = figures.pointer(&format!("/latency/{metric}")) else {
        return Ok(Quantiles::default());
    };
    let unit = common::text(object, "/units").unwrap_or_default();
    let time = unit.split('/').next().unwrap_or_default();
    let per_second = units::per_second(time).ok_or_else(|| {
        Problem::new("the unit of time is not known", "未知的时间单位")
            .at(format!("{at}.latency.{metric}.units"))
            .found(&unit)
            .remedy(
                "expected s, ms, s/token or ms/token",
                "应为 s、ms、s/token 或 ms/token",
            )
    })?;
    Ok(common::statistics_of(Some(object), per_second))
}

/// A rate: an object with a mean in 0.2, a figure in 0.1.
fn throughput(figures: &Value, name: &str) -> Option<f64> {
    common::optional(figures, &format!("/throughput/{name}/mean"))
        .or_else(|| common::optional(figures, &format!("/throughput/{name}")))
}

/// `PT49.97S` in 0.2, seconds in 0.1.
fn duration(value: &Value) -> Option<f64> {
    if let Some(text) = common::text(value, "/run/time/duration") {
        return text.strip_prefix("PT")?.strip_suffix('S')?.parse().ok();
    }
    common::optional(value, "/metrics/time/duration")
}

/// The system: the one engine, or nothing where several unlike ones serve together.
fn stack(value: &Value, report: &mut Report) {
    let engines: Vec<&Value> = value
        .pointer("/scenario/stack")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|component| component.get("standardized"))
        .filter(|component| common::text(component, "/kind").as_deref() == Some("inference_engine"))
        .collect();
    if let [engine] = engines.as_slice() {
        report.system.accelerator = common::text(engine, "/accelerator/model")
            .and_then(|name| common::accelerator(&name, &mut report.warnings));
        report.system.accelerators =
            common::accelerators(common::optional(engine, "/accelerator/count"));
        report.model.name = common::text(engine, "/model/name");
        report.model.precision = common::text(engine, "/model/quantization");
        report.system.engine = common::text(engine, "/tool").map(|name| Software {
            name,
            version: common::text(engine, "/tool_version"),
        });
    }
    if let Some([engine]) = value
        .pointer("/scenario/platform/engine")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        report.system.engine = common::text(engine, "/name").map(|name| Software {
            name,
            version: common::text(engine, "/version"),
        });
    }
    if let Some([accelerator]) = value
        .pointer("/scenario/host/accelerator")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        let memory = common::optional(accelerator, "/memory")
            .map_or_else(String::new, |gb| format!(" {gb}GB"));
        report.system.accelerator = common::text(accelerator, "/model")
            .and_then(|name| common::accelerator(&format!("{name}{memory}"), &mut report.warnings));
        report.system.accelerators = common::accelerators(common::optional(accelerator, "/count"));
    }
    report.model.name = report
        .model
        .name
        .take()
        .or_else(|| common::text(value, "/scenario/model/name"));
    report.measured_on =
        common::text(value, "/run/time/start").and_then(|stamp| common::day_of(&stamp));
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};
    use crate::report::{llm_d, tests::sweep};

    #[test]
    fn both_versions_read_with_their_units() {
        let new = &import("llm-d", "v0.2.yaml")[0];
        let point = &new.points[0];
        assert_eq!((point.request_rate, point.requests_per_s), (Some(2.0), 1.9));
        assert_eq!((point.completed, point.failed), (Some(95), Some(5)));
        // In milliseconds here, and said so.
        assert_eq!(point.ttft_s.p99, Some(0.4));
        assert_eq!(point.tpot_s.mean, Some(0.03));
        assert_eq!(point.duration_s, Some(50.0));
        assert_eq!(
            new.system.accelerator.as_ref().unwrap().to_string(),
            "H100 80GB SXM"
        );
        assert_eq!(new.system.accelerators, Some(8));
        let old = &import("llm-d", "v0.1.json")[0];
        assert_eq!(old.points[0].requests_per_s, 1.9);
        assert_eq!(old.points[0].latency_s.p95, Some(5.0));
        assert_eq!(old.system.accelerators, Some(1));
    }

    #[test]
    fn what_is_exported_reads_back() {
        let mut report = sweep(&[(4.0, 2.0)]);
        let point = &mut report.points[0];
        point.completed = Some(95);
        point.failed = Some(5);
        point.duration_s = Some(50.0);
        point.ttft_s.p99 = Some(0.4);
        point.latency_s.mean = Some(2.0);
        point.output_tokens_per_s = Some(200.0);
        let document = llm_d::documents(&report).remove(0).to_string();
        let read = import_bytes(document.as_bytes()).unwrap().remove(0);
        assert_eq!(read.points, report.points);
        assert_eq!(read.system.accelerator, report.system.accelerator);
        assert_eq!(read.workload.input_tokens, report.workload.input_tokens);
    }

    #[test]
    fn an_unknown_unit_is_refused() {
        let text = br#"{"version": "0.2", "scenario": {}, "results": {"request_performance": {"aggregate": {
            "throughput": {"request_rate": {"mean": 1}}, "latency": {"time_to_first_token": {"mean": 1, "units": "ticks"}}}}}}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(
            message
                .contains("time_to_first_token.units: the unit of time is not known (found ticks)"),
            "{message}"
        );
    }
}
