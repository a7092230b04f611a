//! kubernetes-sigs/inference-perf's lifecycle report, YAML or JSON. Seconds.
//!
//! Its TTFT is of the first content token: for a reasoning model it may be null, or hold the whole
//! thinking, and does not compare with an engine's own.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::Problems,
    report::{Point, Report},
    text::Notice,
};

pub(super) struct InferencePerf;

impl Format for InferencePerf {
    fn name(&self) -> &'static str {
        "inference-perf"
    }

    fn marks(&self) -> &'static str {
        "load_summary, successes.latency"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.has(&["load_summary", "successes"])
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let null = Value::Null;
        let value = content.json().unwrap_or(&null);
        let of = |pointer: &str| common::optional(value, pointer);
        let latency = |metric: &str| {
            common::statistics_of(value.pointer(&format!("/successes/latency/{metric}")), 1.0)
        };
        let mut report = common::report("inference-perf", None);
        let requests_per_s = common::required(value, "/successes/throughput/requests_per_sec")?;
        let mut point = Point {
            concurrency: of("/load_summary/concurrency"),
            request_rate: of("/load_summary/requested_rate").filter(|rate| *rate > 0.0),
            duration_s: of("/benchmark_time_seconds").or(of("/load_summary/send_duration")),
            completed: common::count(value, "/successes/count"),
            failed: common::count(value, "/failures/count"),
            requests_per_s,
            input_tokens_per_s: of("/successes/throughput/input_tokens_per_sec"),
            output_tokens_per_s: of("/successes/throughput/output_tokens_per_sec"),
            latency_s: latency("request_latency"),
            ttft_s: latency("time_to_first_token"),
            tpot_s: latency("time_per_output_token"),
            itl_s: latency("inter_token_latency"),
            ..Point::default()
        };
        if point.completed.is_none() {
            // Older reports count all requests sent.
            let sent = common::count(value, "/load_summary/count");
            point.completed = sent.map(|sent| sent.saturating_sub(point.failed.unwrap_or(0)));
        }
        if point.ttft_s.mean.is_none() {
            report.warnings.push(Notice::new(
                "ttft-missing",
                "No time to first token: with a reasoning model the tool may not see one.",
                "没有首 token 延迟：对推理（思考）模型，该工具可能看不到。",
            ));
        }
        common::drop_zero_metrics(&mut point, &mut report.warnings);
        report.workload.input_tokens = of("/successes/prompt_len/mean");
        report.workload.output_tokens = of("/successes/output_len/mean");
        report.workload.arrivals = common::arrivals(&point);
        report.points = vec![point];
        Ok(vec![report])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};

    #[test]
    fn a_stage_is_a_point_in_seconds() {
        let report = &import("inference-perf", "stage.yaml")[0];
        let point = &report.points[0];
        assert_eq!((point.request_rate, point.requests_per_s), (Some(2.0), 1.9));
        assert_eq!((point.completed, point.failed), (Some(95), Some(5)));
        assert_eq!(
            (point.latency_s.p50, point.latency_s.p99),
            (Some(3.5), Some(6.0))
        );
        assert_eq!(point.ttft_s.p99, Some(0.4));
        assert_eq!(report.workload.output_tokens, Some(128.0));
    }

    #[test]
    fn a_missing_ttft_stays_missing() {
        let report = &import("inference-perf", "reasoning.json")[0];
        assert_eq!(report.points[0].ttft_s.p99, None);
        assert_eq!(report.warnings[0].code, "ttft-missing");
        let message = import_bytes(br#"{"load_summary": {}, "successes": {}}"#)
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("successes.throughput.requests_per_sec: is missing"),
            "{message}"
        );
    }
}
