//! vLLM's `bench latency --output-json`: one batch, run again and again. Seconds.
//!
//! The file does not hold the batch size, without which a batch's time says nothing of a rate: the
//! user states it as the concurrency.

use serde_json::Value;

use super::{Format, Options, common, content::Content, fields::Fields, units};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Report},
};

pub(super) struct VllmLatency;

impl Format for VllmLatency {
    fn name(&self) -> &'static str {
        "vllm-latency"
    }

    fn marks(&self) -> &'static str {
        "avg_latency, latencies, percentiles"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.has(&["avg_latency", "latencies", "percentiles"])
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let Some(Value::Object(map)) = content.json() else {
            return Err(Problem::new("is not a JSON object", "不是 JSON 对象").into());
        };
        let fields = Fields::of(map);
        fields.skip(&["latencies", "percentiles"]);
        let mean = fields.required("avg_latency");
        let batch = fields.figure("batch_size").or(options.stated.concurrency);
        if batch.is_none() {
            fields.problem(
                Problem::new("the file does not hold the batch size", "文件未说明批大小")
                    .at("batch_size")
                    .remedy("state it: --concurrency N", "请注明：--concurrency N"),
            );
        }
        let mut point = Point {
            concurrency: batch,
            requests_per_s: batch.unwrap_or_default() / mean,
            ..Point::default()
        };
        point.latency_s.mean = Some(mean);
        let percentiles = content.at("/percentiles").and_then(Value::as_object);
        for (name, value) in percentiles.into_iter().flatten() {
            // Keys are percents as texts: "50", "99".
            if let Some(quantile) = units::quantile(name).filter(|q| *q != Quantile::Max) {
                point.latency_s.set(quantile, value.as_f64());
            }
        }
        let (problems, notices) = fields.finish();
        Problems::none_in(problems)?;
        let mut report = common::report("vllm bench latency", None);
        report.workload.arrivals = Some(Arrivals::Closed);
        report.points = vec![point];
        report.warnings = notices;
        Ok(vec![report])
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{fixture, import_with},
        *,
    };

    #[test]
    fn a_batch_s_time_becomes_a_rate_only_with_its_size() {
        let bytes = fixture("vllm-latency", "result.json");
        let message = import_with(&bytes, Options::default())
            .unwrap_err()
            .to_string();
        assert!(message.contains("--concurrency"), "{message}");
        let mut options = Options::default();
        options.stated.concurrency = Some(8.0);
        let report = import_with(&bytes, options).unwrap().remove(0);
        let point = &report.points[0];
        assert_eq!(point.requests_per_s, 4.0); // 8 in 2 s
        assert_eq!(
            (point.latency_s.p50, point.latency_s.p99),
            (Some(1.9), Some(2.6))
        );
    }
}
