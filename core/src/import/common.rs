//! What importers share: a blank report, and the corrections that every tool's figures need.

use serde_json::Value;

use super::{fields::Fields, units};
use crate::{
    Date,
    accelerator::Accelerator,
    day,
    document::SchemaTag,
    problem::Problem,
    report::{
        Arrivals, Metric, Model, Network, Point, Quantile, Quantiles, Report, Software, System,
        Workload,
    },
    text::{Lang, Notice},
};

/// Tools print their rates to more digits than this; a larger gap is a hand or a fault.
const RATE_AGREES_WITHIN: f64 = 0.01;

/// A report of a tool in which nothing else is said. Its id is made once statements are in.
pub(super) fn report(tool: &str, version: Option<&str>) -> Report {
    Report {
        schema: SchemaTag::of::<Report>(),
        id: String::new(),
        measured_on: None,
        attribution: None,
        tool: Software {
            name: tool.to_owned(),
            version: version.map(str::to_owned),
        },
        system: System::default(),
        model: Model::default(),
        workload: Workload::default(),
        network: Network::default(),
        points: Vec::new(),
        stated: Vec::new(),
        warnings: Vec::new(),
    }
}

/// How requests arrived at a point, as far as the file says: at a rate, or a fixed number in flight.
pub(super) fn arrivals(point: &Point) -> Option<Arrivals> {
    match (point.request_rate, point.concurrency) {
        (Some(_), _) => Some(Arrivals::Open),
        (None, Some(_)) => Some(Arrivals::Closed),
        (None, None) => None,
    }
}

/// The same of a tool that sends everything at once where it is given neither.
pub(super) fn arrivals_or_burst(point: &Point) -> Option<Arrivals> {
    arrivals(point).or(Some(Arrivals::Burst))
}

/// The rate of completed requests. Where the file's own contradicts count ÷ time, that is taken.
pub(super) fn rate(
    stated: f64,
    completed: Option<u64>,
    duration_s: f64,
    notices: &mut Vec<Notice>,
) -> f64 {
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
            "the file says {stated} requests/s, but {completed} requests in {duration_s} s are {derived:.4} a second; the latter is used."
        ),
        format!(
            "文件称每秒 {stated} 个请求，但 {duration_s} 秒内完成 {completed} 个请求即每秒 {derived:.4} 个；采用后者。"
        ),
    ));
    derived
}

/// The statistics of one metric under keys such as `p99_ttft_ms` (milliseconds) or `p99_ttft`
/// (seconds), the median also as `median_…`; seconds whichever spelling the file has.
pub(super) fn statistics(fields: &Fields<'_>, name: &str) -> Quantiles {
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
    quantiles
}

fn seconds(fields: &Fields<'_>, key: &str) -> Option<f64> {
    let milliseconds = fields.figure(&format!("{key}_ms"));
    milliseconds.map(|ms| ms / 1000.0).or(fields.figure(key))
}

/// A metric whose every statistic is 0 was not measured: it goes, with a warning.
pub(super) fn drop_zero_metrics(point: &mut Point, notices: &mut Vec<Notice>) {
    for metric in Metric::ALL {
        let quantiles = match metric {
            Metric::Ttft => &mut point.ttft_s,
            Metric::Tpot => &mut point.tpot_s,
            Metric::Itl => &mut point.itl_s,
            Metric::E2e => &mut point.latency_s,
        };
        let mut values = Quantile::ALL
            .into_iter()
            .filter_map(|q| quantiles.get(q))
            .peekable();
        if values.peek().is_some() && values.all(|value| value == 0.0) {
            *quantiles = Quantiles::default();
            let metric = metric.name();
            notices.push(Notice::new(
                "metric-all-zero",
                format!("{metric} is 0 throughout, so it was not measured."),
                format!("{metric} 全为 0，视为未测量。"),
            ));
        }
    }
}

/// A figure somewhere in a JSON value, by pointer: `/performance/request_throughput_req_s`.
pub(super) fn optional(value: &Value, pointer: &str) -> Option<f64> {
    // Sentinels: the largest safe integer and the largest float stand for nothing measured.
    const SENTINELS: [f64; 2] = [9_007_199_254_740_991.0, f64::MAX];
    let figure = value.pointer(pointer)?.as_f64()?;
    (figure.is_finite() && !SENTINELS.contains(&figure)).then_some(figure)
}

/// A figure that nothing works without.
pub(super) fn required(value: &Value, pointer: &str) -> Result<f64, Problem> {
    optional(value, pointer).ok_or_else(|| {
        let path = pointer.trim_start_matches('/').replace('/', ".");
        let problem = match value.pointer(pointer) {
            None | Some(Value::Null) => Problem::new("is missing", "缺失"),
            Some(found) => Problem::new("is not a finite number", "不是有限的数").found(found),
        };
        problem
            .at(path)
            .remedy("a finite number is needed here", "此处需要有限的数")
    })
}

/// A count somewhere in a JSON value.
pub(super) fn count(value: &Value, pointer: &str) -> Option<u64> {
    let figure = optional(value, pointer)?;
    (figure >= 0.0 && figure.fract() == 0.0 && figure < 1e15).then_some(figure as u64)
}

/// A text somewhere in a JSON value.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    let text = value.pointer(pointer)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

/// The statistics in an object such as `{ "avg": 1, "p50": 1, "percentiles": { "p99": 2 } }`, of
/// figures of which `per_second` make a second.
pub(super) fn statistics_of(value: Option<&Value>, per_second: f64) -> Quantiles {
    let mut quantiles = Quantiles::default();
    let Some(Value::Object(fields)) = value else {
        return quantiles;
    };
    let nested = fields.get("percentiles").and_then(Value::as_object);
    for (name, value) in fields.iter().chain(nested.into_iter().flatten()) {
        if let (Some(quantile), Some(figure)) = (units::quantile(name), value.as_f64())
            && figure.is_finite()
        {
            quantiles.set(quantile, Some(figure / per_second));
        }
    }
    quantiles
}

/// An accelerator by a tool's name for it; one that is not understood is a warning, not a guess.
pub(super) fn accelerator(name: &str, notices: &mut Vec<Notice>) -> Option<Accelerator> {
    match name.parse::<Accelerator>() {
        Ok(accelerator) => Some(accelerator),
        Err(problem) => {
            let (en, zh) = (problem.text(Lang::En), problem.text(Lang::Zh));
            notices.push(Notice::new(
                "accelerator-not-understood",
                format!("The file's accelerator is not taken: {en}."),
                format!("未采用文件中的加速卡：{zh}。"),
            ));
            None
        }
    }
}

/// The day at the start of a time stamp such as `2026-03-01T10:15:00Z`.
pub(super) fn day_of(stamp: &str) -> Option<Date> {
    day::parse(stamp.get(..10)?).ok()
}

/// A count of accelerators that fits a replica.
pub(super) fn accelerators(count: Option<f64>) -> Option<u32> {
    let count = count.filter(|n| n.fract() == 0.0 && (1.0..=1024.0).contains(n))?;
    Some(count as u32)
}
