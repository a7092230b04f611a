//! Prometheus: range-query results, and the text exposition of vLLM, SGLang and TGI.
//!
//! Counters become rates: the increase of each series, whose resets (a restarted server) add what was
//! counted since, over the time between its first and its last sample. A histogram's quantile is an
//! interpolation in its bucket; one in the last, open bucket is not known. A single exposition has no
//! time in it, so the user states for how long it counted.

mod series;

use std::collections::BTreeSet;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Quantiles, Report},
    text::Notice,
};
use series::{Series, exposition, matrix};

pub(super) struct Prometheus;

/// One figure's names: engines and versions differ, and renamed theirs.
type Names = &'static [&'static str];

/// Requests, by what counts each once: vLLM's `request_success` counts every sample of a request.
const REQUESTS: [Names; 2] = [
    &[
        "request_prompt_tokens_count",
        "num_requests_total",
        "request_count",
    ],
    &[
        "e2e_request_latency_seconds_count",
        "request_duration_count",
    ],
];
const SUCCESSES: Names = &["request_success_total", "request_success"];
const INPUT_TOKENS: Names = &["prompt_tokens_total", "request_input_length_sum"];
const OUTPUT_TOKENS: Names = &["generation_tokens_total", "request_generated_tokens_sum"];
const RUNNING: Names = &[
    "num_requests_running",
    "num_running_reqs",
    "batch_current_size",
];
const LATENCY: Names = &["e2e_request_latency_seconds", "request_duration"];
const TTFT: Names = &["time_to_first_token_seconds"];
const TPOT: Names = &["request_time_per_output_token_seconds"];
const ITL: Names = &[
    "inter_token_latency_seconds",
    "time_per_output_token_seconds",
    "request_mean_time_per_token_duration",
];

impl Format for Prometheus {
    fn name(&self) -> &'static str {
        "prometheus"
    }

    fn marks(&self) -> &'static str {
        "resultType: matrix; # TYPE vllm:, sglang: or tgi_"
    }

    fn recognises(&self, content: &Content) -> bool {
        if let Some(text) = content.text() {
            let is_type = |line: &str| {
                let name = line.strip_prefix("# TYPE ")?;
                Some(
                    ["vllm:", "sglang:", "tgi_"]
                        .iter()
                        .any(|prefix| name.starts_with(prefix)),
                )
            };
            return text.lines().any(|line| is_type(line) == Some(true));
        }
        let kind = content.at("/data/resultType").or(content.at("/resultType"));
        kind.and_then(serde_json::Value::as_str) == Some("matrix")
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let series = match (content.text(), content.json()) {
            (Some(text), _) => exposition(text)?,
            (None, Some(value)) => matrix(value)?,
            (None, None) => Vec::new(),
        };
        let metrics = Metrics {
            series,
            snapshot_s: options.stated.duration_s,
        };
        Ok(vec![metrics.report()?])
    }
}

struct Metrics {
    series: Vec<Series>,
    /// For how long a single exposition counted.
    snapshot_s: Option<f64>,
}

impl Metrics {
    fn report(&self) -> Result<Report, Problem> {
        let mut report = common::report("prometheus", None);
        let duration_s = self.duration_s()?;
        let mut requests = REQUESTS.iter().find_map(|names| self.increase(names));
        if requests.is_none() {
            requests = self.increase(SUCCESSES);
            report.warnings.extend(requests.map(|_| Notice::new(
                "samples-may-be-counted",
                "request_success counts every sample of a request: with n above 1 the volume is n times too high.",
                "request_success 按样本计数：若每次请求取 n 个样本，请求量会被放大 n 倍。",
            )));
        }
        let requests = requests.ok_or_else(|| {
            let seen: BTreeSet<&str> = self
                .series
                .iter()
                .map(|series| series.name.as_str())
                .collect();
            Problem::new("no metric counts requests", "没有请求计数指标")
                .found(seen.into_iter().take(6).collect::<Vec<_>>().join(", "))
                .remedy(
                    "query request_success_total, or the _count of e2e_request_latency_seconds",
                    "请查询 request_success_total，或 e2e_request_latency_seconds 的 _count",
                )
        })?;
        let replicas = self.replicas();
        if replicas > 1.0 {
            report.warnings.push(Notice::new(
                "averaged-over-replicas",
                format!("{replicas} servers are in the metrics; rates are of their mean."),
                format!("指标来自 {replicas} 个服务实例；速率为其平均值。"),
            ));
        }
        let per_s = |names: Names| Some(self.increase(names)? / duration_s / replicas);
        let rate = requests / duration_s / replicas;
        let mut point = Point {
            request_rate: Some(rate),
            concurrency: self.mean_gauge(RUNNING).map(|running| running / replicas),
            duration_s: Some(duration_s),
            completed: Some(requests.round() as u64),
            requests_per_s: rate,
            input_tokens_per_s: per_s(INPUT_TOKENS),
            output_tokens_per_s: per_s(OUTPUT_TOKENS),
            ..Point::default()
        };
        point.latency_s = self.histogram(LATENCY, &mut report.warnings);
        point.ttft_s = self.histogram(TTFT, &mut report.warnings);
        point.tpot_s = self.histogram(TPOT, &mut report.warnings);
        point.itl_s = self.histogram(ITL, &mut report.warnings);
        let each = |rate_of: Option<f64>| Some(rate_of? / rate).filter(|tokens| tokens.is_finite());
        report.workload.input_tokens = each(point.input_tokens_per_s);
        report.workload.output_tokens = each(point.output_tokens_per_s);
        report.workload.arrivals = Some(Arrivals::Open);
        report.model.name = self
            .series
            .iter()
            .find_map(|series| series.labels.get("model_name").cloned());
        report.points = vec![point];
        Ok(report)
    }

    /// From the first to the last sample of all; stated where there is only one.
    fn duration_s(&self) -> Result<f64, Problem> {
        let times = || {
            self.series
                .iter()
                .flat_map(|series| series.samples.iter().map(|(time, _)| *time))
        };
        let span =
            times().fold(f64::NEG_INFINITY, f64::max) - times().fold(f64::INFINITY, f64::min);
        if span > 0.0 && self.is_range() {
            return Ok(span);
        }
        self.snapshot_s
            .filter(|seconds| *seconds > 0.0)
            .ok_or_else(|| {
                Problem::new(
                    "one reading of counters has no time in it, so no rate",
                    "单次读数没有时间跨度，无法得出速率",
                )
                .remedy(
                    "state for how long they counted: --duration SECONDS; or give a range query",
                    "请注明计数时长：--duration 秒；或给出区间查询结果",
                )
            })
    }

    fn is_range(&self) -> bool {
        self.series.iter().any(|series| series.samples.len() > 1)
    }

    fn named(&self, names: Names) -> impl Iterator<Item = &Series> {
        // The first name that is there: an old and a new name of one figure are not added up.
        let name = names
            .iter()
            .find(|name| self.series.iter().any(|series| series.name == **name));
        self.series
            .iter()
            .filter(move |series| Some(&series.name.as_str()) == name)
    }

    fn increase(&self, names: Names) -> Option<f64> {
        let increases: Vec<f64> = self
            .named(names)
            .map(|series| series.increase(!self.is_range()))
            .collect();
        (!increases.is_empty()).then(|| increases.iter().sum())
    }

    /// The mean over time of a gauge, summed over servers.
    fn mean_gauge(&self, names: Names) -> Option<f64> {
        let means: Vec<f64> = self.named(names).filter_map(Series::mean).collect();
        (!means.is_empty()).then(|| means.iter().sum())
    }

    /// Servers, by the labels that tell them apart.
    fn replicas(&self) -> f64 {
        let label = |series: &Series| {
            ["pod", "instance"]
                .into_iter()
                .find_map(|name| series.labels.get(name).cloned())
        };
        let servers: BTreeSet<String> = self.series.iter().filter_map(label).collect();
        servers.len().max(1) as f64
    }

    /// Quantiles by linear interpolation in the bucket they fall in, and the mean from sum and count.
    fn histogram(&self, names: Names, notices: &mut Vec<Notice>) -> Quantiles {
        let mut quantiles = Quantiles::default();
        let Some(name) = names.iter().find(|name| {
            self.series
                .iter()
                .any(|s| s.name == format!("{name}_bucket"))
        }) else {
            return quantiles;
        };
        let of = |suffix: &str| {
            let wanted = format!("{name}{suffix}");
            self.series
                .iter()
                .filter(move |series| series.name == wanted)
        };
        let snapshot = !self.is_range();
        let mut buckets: Vec<(f64, f64)> = Vec::new();
        for series in of("_bucket") {
            let Some(upper) = series.labels.get("le").and_then(|le| series::number(le)) else {
                continue;
            };
            let increase = series.increase(snapshot);
            match buckets.iter_mut().find(|(known, _)| *known == upper) {
                Some((_, count)) => *count += increase,
                None => buckets.push((upper, increase)),
            }
        }
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (quantile, share) in [
            (Quantile::P50, 0.5),
            (Quantile::P90, 0.9),
            (Quantile::P95, 0.95),
            (Quantile::P99, 0.99),
        ] {
            match interpolate(&buckets, share) {
                Some(Ok(seconds)) => quantiles.set(quantile, Some(seconds)),
                Some(Err(bound)) => notices.push(Notice::new(
                    "quantile-beyond-buckets",
                    format!(
                        "{name} {} is above {bound} s, the last bucket, and not known.",
                        quantile.key()
                    ),
                    format!(
                        "{name} 的 {} 超过最后一个桶 {bound} 秒，无法得知。",
                        quantile.key()
                    ),
                )),
                None => {}
            }
        }
        let total = |suffix: &str| {
            of(suffix)
                .map(|series| series.increase(snapshot))
                .sum::<f64>()
        };
        let (sum, count) = (total("_sum"), total("_count"));
        if count > 0.0 && sum > 0.0 {
            quantiles.set(Quantile::Mean, Some(sum / count));
        }
        quantiles
    }
}

/// The value at a share of the counts; the last finite bound where it lies past it.
fn interpolate(buckets: &[(f64, f64)], share: f64) -> Option<Result<f64, f64>> {
    let (_, all) = buckets
        .last()
        .filter(|(upper, count)| upper.is_infinite() && *count > 0.0)?;
    let rank = share * all;
    let at = buckets.iter().position(|(_, count)| *count >= rank)?;
    let (lower, below) = if at == 0 { (0.0, 0.0) } else { buckets[at - 1] };
    let (upper, count) = buckets[at];
    if upper.is_infinite() {
        return Some(Err(lower));
    }
    let inside = count - below;
    let part = if inside > 0.0 {
        (rank - below) / inside
    } else {
        1.0
    };
    Some(Ok(lower + (upper - lower) * part))
}

#[cfg(test)]
mod tests;
