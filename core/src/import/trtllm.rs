//! TensorRT-LLM's `trtllm-bench … --report_json`. Milliseconds.
//!
//! Throughputs are of the whole replica; the parallelism is in `world_info`. `Issue Rate`, which the
//! log prints, is how fast requests were handed over, and no traffic: it is not in the file and
//! would not be read.

use super::{Format, Options, common, content::Content};
use crate::{
    problem::Problems,
    report::{Arrivals, Point, Quantile, Report, Software},
};

pub(super) struct Trtllm;

const MILLISECONDS: f64 = 1e3;

impl Format for Trtllm {
    fn name(&self) -> &'static str {
        "trtllm-bench"
    }

    fn marks(&self) -> &'static str {
        "performance.request_throughput_req_s, world_info.tp_size"
    }

    fn recognises(&self, content: &Content) -> bool {
        content
            .at("/performance/request_throughput_req_s")
            .is_some()
            && content.at("/world_info/tp_size").is_some()
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let null = serde_json::Value::Null;
        let value = content.json().unwrap_or(&null);
        let of = |pointer: &str| common::optional(value, pointer);
        let first = |pointers: [&str; 2]| pointers.into_iter().find_map(of);
        let statistics =
            |pointer: &str| common::statistics_of(value.pointer(pointer), MILLISECONDS);
        let mut report = common::report(
            "trtllm-bench",
            common::text(value, "/engine/version").as_deref(),
        );
        let mut point = Point {
            // Requests in flight are capped by --concurrency where it was given, else by the batch.
            concurrency: of("/request_info/avg_num_concurrent_requests").filter(|n| *n > 0.0),
            duration_s: of("/performance/total_latency_ms").map(|ms| ms / MILLISECONDS),
            completed: common::count(value, "/request_info/num_requests")
                .or(common::count(value, "/dataset/num_requests")),
            requests_per_s: common::required(value, "/performance/request_throughput_req_s")?,
            output_tokens_per_s: of("/performance/system_output_throughput_tok_s"),
            latency_s: statistics("/performance/request_latency_percentiles_ms"),
            ttft_s: statistics("/streaming_metrics/ttft_percentiles"),
            tpot_s: statistics("/streaming_metrics/tpot_percentiles"),
            ..Point::default()
        };
        let means = [
            (&mut point.latency_s, "/performance/avg_request_latency_ms"),
            (&mut point.ttft_s, "/streaming_metrics/avg_ttft_ms"),
            (&mut point.tpot_s, "/streaming_metrics/avg_tpot_ms"),
        ];
        for (quantiles, pointer) in means {
            if let Some(mean) = of(pointer) {
                quantiles.set(Quantile::Mean, Some(mean / MILLISECONDS));
            }
        }
        common::drop_zero_metrics(&mut point, &mut report.warnings);
        let size = of("/world_info/world_size").or_else(|| {
            Some(of("/world_info/tp_size")? * of("/world_info/pp_size").unwrap_or(1.0))
        });
        report.system.accelerators = common::accelerators(size);
        report.system.accelerator = common::text(value, "/machine/name")
            .and_then(|name| common::accelerator(&name, &mut report.warnings));
        report.system.engine = Some(Software {
            name: "tensorrt-llm".to_owned(),
            version: common::text(value, "/engine/version"),
        });
        report.model.name = common::text(value, "/engine/model");
        report.model.precision = common::text(value, "/engine/quantization")
            .filter(|name| name != "NO_QUANT" && name != "None")
            .or_else(|| common::text(value, "/engine/dtype"))
            .map(|name| name.to_lowercase());
        report.workload.input_tokens =
            first(["/request_info/avg_input_length", "/dataset/avg_isl"]);
        report.workload.output_tokens =
            first(["/request_info/avg_output_length", "/dataset/avg_osl"]);
        report.workload.arrivals = Some(match point.concurrency {
            Some(_) => Arrivals::Closed,
            None => Arrivals::Burst,
        });
        report.points = vec![point];
        Ok(vec![report])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};

    #[test]
    fn throughput_is_the_replica_s_and_the_parallelism_is_read() {
        let report = &import("trtllm-bench", "report.json")[0];
        let point = &report.points[0];
        assert_eq!(report.system.accelerators, Some(4)); // tp 2 × pp 2
        assert_eq!(
            report.system.accelerator.as_ref().unwrap().to_string(),
            "H100 80GB SXM"
        );
        assert_eq!(
            (point.requests_per_s, point.output_tokens_per_s),
            (10.0, Some(1280.0))
        );
        assert_eq!(
            (
                point.latency_s.mean,
                point.latency_s.p99,
                point.latency_s.max
            ),
            (Some(3.2), Some(4.0), Some(4.5))
        );
        assert_eq!(
            (point.ttft_s.mean, point.ttft_s.p95),
            (Some(0.2), Some(0.3))
        );
        assert_eq!(point.concurrency, Some(32.0));
        assert_eq!(report.model.precision.as_deref(), Some("fp8"));
        assert_eq!(report.workload.output_tokens, Some(128.0));
    }

    #[test]
    fn a_report_without_its_throughput_is_refused() {
        let text = br#"{"performance": {"request_throughput_req_s": "fast"}, "world_info": {"tp_size": 1}}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(
            message.contains("performance.request_throughput_req_s: is not a finite number"),
            "{message}"
        );
    }
}
