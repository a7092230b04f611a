//! vLLM's `bench throughput --output-json`: offline, everything given at once.
//!
//! There is no latency in it, and `tokens_per_second` counts input and output together, so neither
//! becomes a figure of ours.

use serde_json::Value;

use super::{Format, Options, common, content::Content, fields::Fields};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Report},
    text::Notice,
};

pub(super) struct VllmThroughput;

impl Format for VllmThroughput {
    fn name(&self) -> &'static str {
        "vllm-throughput"
    }

    fn marks(&self) -> &'static str {
        "elapsed_time, num_requests, total_num_tokens, requests_per_second"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.has(&["elapsed_time", "num_requests", "requests_per_second"])
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let Some(Value::Object(map)) = content.json() else {
            return Err(Problem::new("is not a JSON object", "不是 JSON 对象").into());
        };
        let fields = Fields::of(map);
        fields.skip(&["total_num_tokens", "tokens_per_second"]);
        let mut notices = vec![Notice::new(
            "total-is-input-and-output",
            "tokens_per_second counts input and output tokens together, so it is not taken as output.",
            "tokens_per_second 同时计入输入与输出 token，因此不作为输出吞吐。",
        )];
        let duration_s = fields.required("elapsed_time");
        let completed = fields.count("num_requests");
        let stated = fields.required("requests_per_second");
        let requests_per_s = common::rate(stated, completed, duration_s, &mut notices);
        let (problems, more) = fields.finish();
        Problems::none_in(problems)?;
        notices.extend(more);
        let mut report = common::report("vllm bench throughput", None);
        report.workload.arrivals = Some(Arrivals::Burst);
        report.points = vec![Point {
            duration_s: Some(duration_s),
            completed,
            requests_per_s,
            ..Point::default()
        }];
        report.warnings = notices;
        Ok(vec![report])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::import;

    #[test]
    fn total_tokens_are_not_output_tokens() {
        let report = &import("vllm-throughput", "result.json")[0];
        let point = &report.points[0];
        assert_eq!((point.requests_per_s, point.completed), (20.0, Some(1000)));
        assert_eq!(point.output_tokens_per_s, None);
        assert_eq!(point.latency_s.mean, None);
        assert_eq!(report.warnings[0].code, "total-is-input-and-output");
    }
}
