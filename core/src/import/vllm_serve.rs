//! vLLM's `bench serve --save-result` (formerly `benchmark_serving.py`).
//!
//! Keys that end in `_ms` are milliseconds. A variant writes the same keys without the ending, in
//! seconds. `request_rate` is a number or `"inf"`: with a `max_concurrency` that is a closed loop,
//! without one everything is sent at once. The accelerator is not in the file.

use serde_json::Value;

use super::{
    Format, Options, common,
    content::Content,
    fields::{Fields, Number},
    per_request, sglang,
};
use crate::{
    Date,
    problem::{Problem, Problems},
    report::{Point, Report, Workload},
};

pub(super) struct VllmServe;

impl Format for VllmServe {
    fn name(&self) -> &'static str {
        "vllm-serve"
    }

    fn marks(&self) -> &'static str {
        "request_throughput, total_input_tokens, model_id"
    }

    fn recognises(&self, content: &Content) -> bool {
        let has = |key: &str| content.has(&[key]);
        has("request_throughput")
            && has("total_input_tokens")
            && (has("model_id") || has("backend"))
            && !sglang::is_sglang(content)
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let report = read_run(
            content,
            &Dialect {
                tool: "vllm bench serve",
                latency: "e2el",
            },
            options,
        )?;
        Ok(vec![report])
    }
}

/// How a tool of this family differs from the first.
pub(super) struct Dialect {
    /// The load tool's name.
    pub(super) tool: &'static str,
    /// What its keys call the end-to-end latency.
    pub(super) latency: &'static str,
}

/// Keys whose meaning a plan has no use for.
const USELESS: &[&str] = &[
    "tokenizer_id",
    "fixed_output_len",
    // As SGLang's first versions spelt it.
    "timestampe",
    "num_prompts",
    "burstiness",
    "good_completed",
    "request_goodput",
    "total_token_throughput",
    "total_throughput",
    "backend",
    "endpoint_type",
    "label",
    "tag",
    "best_of",
    "use_beam_search",
    "rtfx",
    "max_output_tokens_per_s",
    "max_concurrent_requests",
    "accept_length",
    "sharegpt_output_len",
    "random_input_len",
    "random_output_len",
    "random_range_ratio",
    "dataset_name",
    "dataset_path",
    "total_output_tokens_retokenized",
    "output_throughput_retokenized",
    "total_throughput_retokenized",
    "concurrency",
    "server_info",
    "total_input_text_tokens",
    "total_input_vision_tokens",
    // One figure a request or a token, of --save-detailed and --output-details.
    "ttfts",
    "itls",
    "input_lens",
    "output_lens",
    "errors",
    "generated_texts",
    "start_times",
];

/// Reads one run.
pub(super) fn read_run(
    content: &Content,
    dialect: &Dialect,
    options: &Options,
) -> Result<Report, Problems> {
    let Some(Value::Object(map)) = content.json() else {
        return Err(Problem::new("is not a JSON object", "不是 JSON 对象").into());
    };
    let fields = Fields::of(map);
    fields.skip(USELESS);
    let mut notices = Vec::new();
    let duration_s = fields.required("duration");
    let completed = fields.count("completed");
    let stated_rate = fields.required("request_throughput");
    let per_second = |tokens: Option<f64>| tokens.map(|tokens| tokens / duration_s);
    let input_tokens = fields.figure("total_input_tokens");
    let output_tokens = fields.figure("total_output_tokens");
    let mut point = Point {
        concurrency: fields.figure("max_concurrency"),
        request_rate: match fields.number("request_rate") {
            Some(Number::Finite(rate)) => Some(rate),
            _ => None,
        },
        duration_s: Some(duration_s),
        completed,
        failed: failed(&fields, completed),
        requests_per_s: common::rate(stated_rate, completed, duration_s, &mut notices),
        input_tokens_per_s: fields
            .figure("input_throughput")
            .or(per_second(input_tokens)),
        output_tokens_per_s: fields
            .figure("output_throughput")
            .or(per_second(output_tokens)),
        ..Point::default()
    };
    point.latency_s = common::statistics(&fields, dialect.latency);
    point.ttft_s = common::statistics(&fields, "ttft");
    point.tpot_s = common::statistics(&fields, "tpot");
    point.itl_s = common::statistics(&fields, "itl");
    if let Some(run) = content.json().filter(|_| options.per_request) {
        per_request::apply(run, &mut point, &mut notices);
    }
    common::drop_zero_metrics(&mut point, &mut notices);
    let each = |total: Option<f64>| {
        let count = completed.filter(|count| *count > 0)? as f64;
        Some(total? / count)
    };
    let mut report = common::report(dialect.tool, None);
    report.model.name = fields.text("model_id").map(str::to_owned);
    report.measured_on = date(&fields);
    let (problems, more) = fields.finish();
    Problems::none_in(problems)?;
    notices.extend(more);
    report.workload = Workload {
        input_tokens: each(input_tokens),
        output_tokens: each(output_tokens),
        arrivals: common::arrivals_or_burst(&point),
        ..Workload::default()
    };
    report.points = vec![point];
    report.warnings = notices;
    Ok(report)
}

/// Failed requests: as said, or those sent and not completed.
fn failed(fields: &Fields<'_>, completed: Option<u64>) -> Option<u64> {
    let said = fields.count("failed");
    let sent = fields.count("num_prompts");
    said.or_else(|| sent?.checked_sub(completed?))
}

/// `20260216-125027` → 2026-02-16.
fn date(fields: &Fields<'_>) -> Option<Date> {
    let text = fields.text("date")?;
    let digits = text
        .split('-')
        .next()
        .filter(|day| day.len() == 8 && day.is_ascii());
    let date = digits.and_then(|day| {
        let (year, month, day) = (&day[..4], &day[4..6], &day[6..]);
        Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
    });
    if date.is_none() {
        fields.problem(
            Problem::new("is not a date", "不是日期")
                .at("date")
                .found(text)
                .remedy("expected YYYYMMDD-HHMMSS", "应为 YYYYMMDD-HHMMSS"),
        );
    }
    date
}
