//! vLLM's `bench serve --save-result` (formerly `benchmark_serving.py`).
//!
//! Keys that end in `_ms` are milliseconds. A variant writes the same keys without the ending, in
//! seconds. `request_rate` is a number or `"inf"`: with a `max_concurrency` that is a closed loop,
//! without one everything is sent at once. The accelerator is not in the file.

use serde_json::Value;

use super::{
    Format,
    json::{Fields, Number},
};
use crate::{
    Date,
    document::SchemaTag,
    problem::{Problem, Problems},
    report::{
        Arrivals, Metric, Model, Network, Point, Quantile, Quantiles, Report, Software, System,
        Workload,
    },
    text::Notice,
};

/// The tool prints its rates to more digits than this; a larger gap is a hand or a fault.
const RATE_AGREES_WITHIN: f64 = 0.01;
/// Start and end of a run leave fewer than n in flight for a while.
const LITTLES_LAW_HOLDS_WITHIN: f64 = 0.25;

pub(super) struct VllmServe;

impl Format for VllmServe {
    fn name(&self) -> &'static str {
        "vllm bench serve"
    }

    fn marks(&self) -> &'static str {
        "request_throughput, total_input_tokens, model_id"
    }

    fn recognises(&self, value: &Value) -> bool {
        let has = |key: &str| value.get(key).is_some();
        has("request_throughput")
            && has("total_input_tokens")
            && (has("model_id") || has("backend"))
            // SGLang's own key: another tool, with other meanings.
            && !has("total_output_tokens_retokenized")
    }

    fn read(&self, value: &Value) -> Result<Report, Problems> {
        let Value::Object(map) = value else {
            return Err(Problem::new("is not a JSON object", "不是 JSON 对象").into());
        };
        let fields = Fields::of(map);
        fields.skip(&[
            "tokenizer_id",
            "num_prompts",
            "burstiness",
            "good_completed",
            "request_goodput",
            "total_token_throughput",
            "backend",
            "endpoint_type",
            "label",
            "best_of",
            "use_beam_search",
            "max_output_tokens_per_s",
            "max_concurrent_requests",
            "rtfx",
            // --save-detailed
            "ttfts",
            "itls",
            "input_lens",
            "output_lens",
            "errors",
            "generated_texts",
            "start_times",
        ]);
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
            requests_per_s: rate(stated_rate, completed, duration_s, &mut notices),
            input_tokens_per_s: fields
                .figure("input_throughput")
                .or(per_second(input_tokens)),
            output_tokens_per_s: fields
                .figure("output_throughput")
                .or(per_second(output_tokens)),
            ..Point::default()
        };
        point.latency_s = quantiles(&fields, "e2el", Metric::E2e, &mut notices);
        point.ttft_s = quantiles(&fields, "ttft", Metric::Ttft, &mut notices);
        point.tpot_s = quantiles(&fields, "tpot", Metric::Tpot, &mut notices);
        point.itl_s = quantiles(&fields, "itl", Metric::Itl, &mut notices);
        notices.extend(littles_law(&point));
        if let Some(failed) = point.failed.filter(|failed| *failed > 0) {
            notices.push(Notice::new(
                "failed-requests",
                format!("{failed} request(s) of a run did not complete."),
                format!("有一次运行中 {failed} 个请求未完成。"),
            ));
        }
        let each = |total: Option<f64>| {
            let count = completed.filter(|count| *count > 0)? as f64;
            Some(total? / count)
        };
        let model = fields.text("model_id").map(str::to_owned);
        let measured_on = date(&fields);
        let (problems, more) = fields.finish();
        Problems::none_in(problems)?;
        notices.extend(more);
        Ok(Report {
            schema: SchemaTag::of::<Report>(),
            id: String::new(),
            measured_on,
            attribution: None,
            tool: Software {
                name: self.name().to_owned(),
                version: None,
            },
            system: System::default(),
            model: Model {
                name: model,
                ..Model::default()
            },
            workload: Workload {
                input_tokens: each(input_tokens),
                output_tokens: each(output_tokens),
                arrivals: Some(match (point.request_rate, point.concurrency) {
                    (Some(_), _) => Arrivals::Open,
                    (None, Some(_)) => Arrivals::Closed,
                    (None, None) => Arrivals::Burst,
                }),
                ..Workload::default()
            },
            network: Network::default(),
            points: vec![point],
            stated: Vec::new(),
            warnings: notices,
        })
    }
}

/// The rate of completed requests. Where the file's own contradicts count ÷ time, that is taken.
fn rate(stated: f64, completed: Option<u64>, duration_s: f64, notices: &mut Vec<Notice>) -> f64 {
    let Some(completed) = completed.filter(|_| duration_s > 0.0) else {
        return stated;
    };
    let derived = completed as f64 / duration_s;
    if (derived - stated).abs() <= RATE_AGREES_WITHIN * stated.abs()
        || completed == 0
        || stated <= 0.0
    {
        return stated;
    }
    notices.push(Notice::new(
        "rate-inconsistent",
        format!(
            "request_throughput says {stated}, but {completed} requests in {duration_s} s are {derived:.4} a second; the latter is used."
        ),
        format!(
            "request_throughput 为 {stated}，但 {duration_s} 秒内完成 {completed} 个请求即每秒 {derived:.4} 个；采用后者。"
        ),
    ));
    derived
}

/// Failed requests: as said, or those sent and not completed.
fn failed(fields: &Fields<'_>, completed: Option<u64>) -> Option<u64> {
    let said = fields.count("failed");
    let sent = fields.count("num_prompts");
    said.or_else(|| sent?.checked_sub(completed?))
}

/// The statistics of one metric, in seconds whichever spelling the file has.
fn quantiles(
    fields: &Fields<'_>,
    name: &str,
    metric: Metric,
    notices: &mut Vec<Notice>,
) -> Quantiles {
    let mut quantiles = Quantiles::default();
    for quantile in Quantile::ALL {
        let statistic = quantile.key();
        let mut value = seconds(fields, &format!("{statistic}_{name}"));
        if quantile == Quantile::P50 {
            value = value.or(seconds(fields, &format!("median_{name}")));
        }
        quantiles.set(quantile, value);
    }
    fields.skip(&[&format!("std_{name}_ms"), &format!("std_{name}")]);
    let mut values = Quantile::ALL
        .into_iter()
        .filter_map(|q| quantiles.get(q))
        .peekable();
    if values.peek().is_some() && values.all(|value| value == 0.0) {
        let metric = metric.name();
        notices.push(Notice::new(
            "metric-all-zero",
            format!("{metric} is 0 throughout, so it was not measured."),
            format!("{metric} 全为 0，视为未测量。"),
        ));
        return Quantiles::default();
    }
    quantiles
}

fn seconds(fields: &Fields<'_>, key: &str) -> Option<f64> {
    let milliseconds = fields.figure(&format!("{key}_ms"));
    milliseconds.map(|ms| ms / 1000.0).or(fields.figure(key))
}

/// In a closed loop, rate × mean latency is the concurrency.
fn littles_law(point: &Point) -> Option<Notice> {
    let (n, mean) = (point.concurrency?, point.latency_s.mean?);
    let in_service = point.requests_per_s * mean;
    let full = point.completed.is_some_and(|count| count as f64 >= n);
    if point.request_rate.is_some()
        || !full
        || (in_service - n).abs() <= LITTLES_LAW_HOLDS_WITHIN * n
    {
        return None;
    }
    Some(Notice::new(
        "littles-law",
        format!(
            "At concurrency {n}, rate × mean latency is {in_service:.1}: the run never held that many in flight, or a figure is wrong."
        ),
        format!(
            "并发 {n} 时，速率 × 平均延迟为 {in_service:.1}：运行中并未保持这么多请求，或有数字有误。"
        ),
    ))
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
