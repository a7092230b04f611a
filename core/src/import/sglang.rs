//! SGLang's `bench_serving --output-file`: JSON Lines, one run a line, appended.
//!
//! The keys are vLLM's but for the latency (`mean_e2e_latency_ms`). `concurrency` is the achieved
//! one; the load is `max_concurrency`, null for no cap. A bare `Infinity` as `request_rate` means as
//! fast as possible.

use serde_json::Value;

use super::{
    Format, Options,
    content::Content,
    vllm_serve::{Dialect, read_run},
};
use crate::{
    problem::Problems,
    report::{Report, Software},
};

pub(super) struct Sglang;

/// Whether a run of this family is SGLang's: its keys for latency or recounted tokens.
pub(super) fn is_sglang(content: &Content) -> bool {
    let has = |key: &str| content.has(&[key]);
    has("request_throughput")
        && (has("total_output_tokens_retokenized") || has("mean_e2e_latency_ms"))
}

impl Format for Sglang {
    fn name(&self) -> &'static str {
        "sglang"
    }

    fn marks(&self) -> &'static str {
        "request_throughput, mean_e2e_latency_ms, total_output_tokens_retokenized"
    }

    fn recognises(&self, content: &Content) -> bool {
        is_sglang(content)
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let dialect = Dialect {
            tool: "sglang.bench_serving",
            latency: "e2e_latency",
        };
        let mut report = read_run(content, &dialect, options)?;
        let text = |key: &str| content.at(key).and_then(Value::as_str);
        // The tool can drive other engines: `vllm`, `sglang-oai`, …
        report.system.engine = text("/backend").map(|backend| Software {
            name: backend.split('-').next().unwrap_or(backend).to_owned(),
            version: None,
        });
        report.workload.dataset = text("/dataset_name").map(str::to_owned);
        Ok(vec![report])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{fixture, import};
    use crate::report::{Arrivals, curve::Curve};

    #[test]
    fn a_run_reads_with_its_units_and_its_load() {
        let reports = import("sglang", "two-runs.jsonl");
        let report = &reports[0];
        assert_eq!((reports.len(), report.points.len()), (1, 2));
        let point = &report.points[1];
        assert_eq!(point.concurrency, Some(16.0));
        assert_eq!(point.requests_per_s, 4.0);
        assert_eq!(point.latency_s.mean, Some(4.0));
        assert_eq!(point.latency_s.p99, Some(6.5));
        assert_eq!(point.ttft_s.p50, Some(0.2));
        assert_eq!(point.itl_s.p95, Some(0.035));
        assert_eq!(report.system.engine.as_ref().unwrap().name, "sglang");
        assert_eq!(report.workload.dataset.as_deref(), Some("random"));
        assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
        assert_eq!(report.warnings, []);
    }

    /// No text tokens were seen: TTFT and ITL are 0 while a request takes seconds.
    #[test]
    fn metrics_of_zeros_are_missing_and_infinity_is_no_limit() {
        let report = &import("sglang", "infinity-and-zeros.jsonl")[0];
        let point = &report.points[0];
        assert_eq!(point.request_rate, None);
        assert_eq!((point.ttft_s.p99, point.itl_s.mean), (None, None));
        assert_eq!(point.latency_s.mean, Some(4.0));
        let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["metric-all-zero", "metric-all-zero"]);
    }

    /// 600 of 1000 succeeded: not a capacity.
    #[test]
    fn a_run_that_lost_requests_is_left_out_of_the_curve() {
        let report = &import("sglang", "lost-requests.jsonl")[0];
        assert_eq!(report.points[0].failed, Some(400));
        assert_eq!(Curve::of(report).unwrap_err().code, "point-overloaded");
    }

    #[test]
    fn a_run_given_twice_counts_once() {
        let bytes = fixture("sglang", "two-runs.jsonl");
        let twice = [bytes.clone(), b"\n".to_vec(), bytes].concat();
        let reports = super::super::tests::import_bytes(&twice).unwrap();
        assert_eq!(reports[0].points.len(), 2);
        assert_eq!(reports[0].warnings[0].code, "same-run-twice");
    }
}
