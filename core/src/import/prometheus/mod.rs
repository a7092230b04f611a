//! Prometheus: query results, and the text exposition of vLLM, SGLang and TGI.
//!
//! Counters become rates: the increase of each series, whose resets (a restarted server) add what was
//! counted since, over the time that the servers were seen. A histogram's quantile is an
//! interpolation in its bucket; one in the last, open bucket is not known. A single reading has no
//! time in it, so the user states for how long it counted.

mod histogram;
mod series;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Quantiles, Report, Software},
    text::Notice,
};
use histogram::Histogram;
use series::{Series, answer, exposition};

pub(super) struct Prometheus;

/// One figure's names, best first: engines and versions differ, and renamed theirs.
type Names = &'static [&'static str];

/// What counts requests. The first three count each once; vLLM's others count every sample of one.
const REQUESTS: Names = &[
    "request_params_n_count",
    "num_requests_total",
    "request_success",
    "request_duration_count",
    "request_prompt_tokens_count",
    "request_success_total",
    "e2e_request_latency_seconds_count",
];
/// Those of them that count the samples of a request.
const SAMPLES: Names = &[
    "request_prompt_tokens_count",
    "request_success_total",
    "e2e_request_latency_seconds_count",
];
const FAILURES: Names = &["num_aborted_requests_total", "request_failure"];
const INPUT_TOKENS: Names = &[
    "prompt_tokens_total",
    "request_prompt_tokens_sum",
    "request_input_length_sum",
];
const OUTPUT_TOKENS: Names = &[
    "generation_tokens_total",
    "request_generation_tokens_sum",
    "request_generated_tokens_sum",
];
const RUNNING: Names = &[
    "num_requests_running",
    "num_running_reqs",
    "batch_current_size",
];
const LATENCY: Names = &["e2e_request_latency_seconds", "request_duration"];
const TTFT: Names = &["time_to_first_token_seconds"];
/// TGI's is the whole time over all tokens, the first among them.
const TGI_TPOT: &str = "request_mean_time_per_token_duration";
const TPOT: Names = &["request_time_per_output_token_seconds", TGI_TPOT];
const ITL: Names = &[
    "inter_token_latency_seconds",
    "time_per_output_token_seconds",
];

impl Format for Prometheus {
    fn name(&self) -> &'static str {
        "prometheus"
    }

    fn marks(&self) -> &'static str {
        "resultType: matrix or vector; # TYPE vllm:, sglang: or tgi_"
    }

    fn recognises(&self, content: &Content) -> bool {
        if let Some(text) = content.text() {
            let mut types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
            return types.any(|name| {
                ["vllm:", "sglang:", "tgi_"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
            });
        }
        let kind = content.at("/data/resultType").or(content.at("/resultType"));
        matches!(kind.and_then(Value::as_str), Some("matrix" | "vector"))
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let series = match (content.text(), content.json()) {
            (Some(text), _) => exposition(text)?,
            (None, Some(value)) => answer(value)?,
            (None, None) => Vec::new(),
        };
        let mut reports = Vec::new();
        for series in by_model(series) {
            let metrics = Metrics {
                series,
                snapshot_s: options.stated.duration_s,
            };
            reports.push(metrics.report()?);
        }
        Ok(reports)
    }
}

/// The series of each model; those that name none are of all.
fn by_model(series: Vec<Series>) -> Vec<Vec<Series>> {
    let model = |series: &Series| series.labels.get("model_name").cloned();
    let models: BTreeSet<String> = series.iter().filter_map(model).collect();
    if models.len() < 2 {
        return vec![series];
    }
    let of = |name: &String| {
        let its = series
            .iter()
            .filter(|series| model(series).is_none_or(|model| model == *name));
        its.cloned().collect()
    };
    models.iter().map(of).collect()
}

struct Metrics {
    series: Vec<Series>,
    /// For how long a single reading counted.
    snapshot_s: Option<f64>,
}

impl Metrics {
    fn report(&self) -> Result<Report, Problem> {
        let mut report = common::report("prometheus", None);
        let (finished, counts_samples) = self.requests()?;
        let (duration_s, server_s) = self.times()?;
        // vLLM's are among the finished; the others' are counted apart.
        let (failed, among_finished) = match self.increase(FAILURES) {
            Some(failed) => (Some(failed), 0.0),
            None => self.ended_badly(),
        };
        let completed = (finished - among_finished).max(0.0);
        let rate = completed / server_s;
        let per_s = |names: Names| Some(self.increase(names)? / server_s);
        let mut point = Point {
            // Traffic comes when it comes: what was served is what was offered.
            request_rate: Some(rate),
            concurrency: self.mean_gauge(RUNNING),
            duration_s: Some(duration_s),
            completed: Some(completed.round() as u64),
            failed: failed.map(|count| count.round() as u64),
            requests_per_s: rate,
            input_tokens_per_s: per_s(INPUT_TOKENS),
            output_tokens_per_s: per_s(OUTPUT_TOKENS),
            ..Point::default()
        };
        report.warnings.extend(counts_samples.then(samples_counted));
        report.warnings.extend(self.server_notices());
        for (names, field) in [
            (LATENCY, &mut point.latency_s),
            (TTFT, &mut point.ttft_s),
            (TPOT, &mut point.tpot_s),
            (ITL, &mut point.itl_s),
        ] {
            *field = self.histogram(names, &mut report.warnings);
        }
        if point
            .latency_s
            .p50
            .or(point.ttft_s.p50)
            .or(point.tpot_s.p50)
            .or(point.itl_s.p50)
            .is_some()
        {
            report.warnings.push(interpolated());
        }
        let each = |rate_of: Option<f64>| Some(rate_of? / rate).filter(|tokens| tokens.is_finite());
        report.workload.input_tokens = each(point.input_tokens_per_s);
        report.workload.output_tokens = each(point.output_tokens_per_s);
        report.workload.arrivals = Some(Arrivals::Open);
        report.model.name = self
            .series
            .iter()
            .find_map(|series| series.labels.get("model_name").cloned());
        let engines: BTreeSet<&str> = self.series.iter().filter_map(|s| s.engine).collect();
        report.system.engine =
            engines
                .first()
                .filter(|_| engines.len() == 1)
                .map(|name| Software {
                    name: (*name).to_owned(),
                    version: None,
                });
        report.points = vec![point];
        Ok(report)
    }

    /// Finished requests, and whether a request with several samples counts several times.
    fn requests(&self) -> Result<(f64, bool), Problem> {
        let name = self.first_of(REQUESTS).ok_or_else(|| {
            let seen: BTreeSet<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
            Problem::new("no metric counts requests", "没有请求计数指标")
                .found(seen.into_iter().take(6).collect::<Vec<_>>().join(", "))
                .remedy(
                    "query request_success_total, or the _count of e2e_request_latency_seconds",
                    "请查询 request_success_total，或 e2e_request_latency_seconds 的 _count",
                )
        })?;
        let finished = self.increase(&[name]).unwrap_or_default();
        Ok((finished, SAMPLES.contains(&name)))
    }

    /// vLLM's requests that finished without success, and how many of the finished they are. It does
    /// not count those whose client left, so a 0 says nothing.
    fn ended_badly(&self) -> (Option<f64>, f64) {
        let by_reason = self.named("request_success_total").filter(|series| {
            let reason = series.labels.get("finished_reason").map(String::as_str);
            matches!(reason, Some("abort" | "error"))
        });
        let count: f64 = by_reason.map(|s| s.increase(self.is_snapshot())).sum();
        (Some(count).filter(|count| *count > 0.0), count)
    }

    /// From the first to the last sample of all, and the time that each server was seen, summed: a
    /// server that another took the place of was not there for all of it. Stated for one reading.
    fn times(&self) -> Result<(f64, f64), Problem> {
        let seen = self.seen();
        if !self.is_snapshot() {
            let first = seen
                .values()
                .map(|(first, _)| *first)
                .fold(f64::MAX, f64::min);
            let last = seen
                .values()
                .map(|(_, last)| *last)
                .fold(f64::MIN, f64::max);
            let all: f64 = seen.values().map(|(first, last)| last - first).sum();
            if all > 0.0 {
                return Ok((last - first, all));
            }
        }
        let stated = self.snapshot_s.filter(|seconds| *seconds > 0.0);
        let seconds = stated.ok_or_else(|| {
            Problem::new(
                "one reading of counters has no time in it, so no rate",
                "单次读数没有时间跨度，无法得出速率",
            )
            .remedy(
                "state for how long they counted: --duration SECONDS; or give a range query",
                "请注明计数时长：--duration 秒；或给出区间查询结果",
            )
        })?;
        Ok((seconds, seconds * seen.len().max(1) as f64))
    }

    /// When each server was first and last seen. Series that name none are of none where others do.
    fn seen(&self) -> BTreeMap<&str, (f64, f64)> {
        let mut seen = BTreeMap::new();
        for series in self.of_engines() {
            for (time, _) in &series.samples {
                let (first, last) = seen.entry(series.server()).or_insert((*time, *time));
                *first = time.min(*first);
                *last = time.max(*last);
            }
        }
        if seen.len() > 1 {
            seen.remove("");
        }
        seen
    }

    /// Whether there is one reading, which shows what was counted since the server started.
    fn is_snapshot(&self) -> bool {
        self.of_engines().all(|series| series.samples.len() < 2)
    }

    /// The first name that is there: an old and a new name of one figure are not added up.
    fn first_of(&self, names: Names) -> Option<&'static str> {
        let is_there = |name: &&&str| self.named(name).next().is_some();
        names.iter().find(is_there).copied()
    }

    /// The engines' own series: others that were queried too tell nothing of them.
    fn of_engines(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| series.engine.is_some())
    }

    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Series> {
        self.of_engines().filter(move |series| series.name == name)
    }

    fn increase(&self, names: &[&'static str]) -> Option<f64> {
        let is_there = |name: &&&'static str| self.named(name).next().is_some();
        let name = names.iter().find(is_there)?;
        let increases = self.named(name).map(|s| s.increase(self.is_snapshot()));
        Some(increases.sum())
    }

    /// A gauge's mean over time and servers; the parts of one server add up.
    fn mean_gauge(&self, names: Names) -> Option<f64> {
        let name = self.first_of(names)?;
        let (mut sum, mut readings) = (0.0, BTreeSet::new());
        for series in self.named(name) {
            for (time, value) in &series.samples {
                sum += value;
                readings.insert((series.server(), time.to_bits()));
            }
        }
        (!readings.is_empty()).then(|| sum / readings.len() as f64)
    }

    fn server_notices(&self) -> Vec<Notice> {
        let seen = self.seen();
        let mut notices = Vec::new();
        if seen.len() > 1 {
            let servers = seen.len();
            notices.push(Notice::new(
                "averaged-over-replicas",
                format!("{servers} servers are in the metrics; rates are those of one, over the time that each was seen."),
                format!("指标来自 {servers} 个服务实例；速率按各实例出现的时间折算为单个实例。"),
            ));
        }
        let first = seen
            .values()
            .map(|(first, _)| *first)
            .fold(f64::MAX, f64::min);
        let late = seen.values().filter(|(begin, _)| *begin > first).count();
        if late > 0 {
            notices.push(Notice::new(
                "counted-from-first-sample",
                format!("{late} server(s) came up during the range; what they had counted before their first sample is left out."),
                format!("有 {late} 个服务实例在区间内启动；其首个样本之前的计数未计入。"),
            ));
        }
        notices
    }

    fn histogram(&self, names: Names, notices: &mut Vec<Notice>) -> Quantiles {
        let has_buckets = |name: &&&str| self.named(&format!("{name}_bucket")).next().is_some();
        let Some(name) = names.iter().find(has_buckets) else {
            return Quantiles::default();
        };
        let snapshot = self.is_snapshot();
        let buckets = format!("{name}_bucket");
        let (mut quantiles, beyond) = Histogram::of(self.named(&buckets), snapshot).quantiles();
        notices.extend(
            beyond
                .into_iter()
                .map(|(q, bound)| beyond_buckets(name, q, bound)),
        );
        let total = |suffix: &str| {
            let name = format!("{name}{suffix}");
            self.named(&name).map(|s| s.increase(snapshot)).sum::<f64>()
        };
        let (sum, count) = (total("_sum"), total("_count"));
        if count > 0.0 && sum > 0.0 {
            quantiles.mean = Some(sum / count);
        }
        if *name == TGI_TPOT && quantiles != Quantiles::default() {
            notices.push(Notice::new(
                "tpot-includes-first-token",
                "TGI's time per token is the whole time over all tokens, the first among them.",
                "TGI 的每 token 时间为总时间除以全部 token 数，包含首 token。",
            ));
        }
        quantiles
    }
}

fn samples_counted() -> Notice {
    Notice::new(
        "samples-may-be-counted",
        "vLLM counts every sample of a request here: with n above 1 the volume is n times too high. Query request_params_n_count too, which counts each request once.",
        "vLLM 在此按样本计数：若每次请求取 n 个样本，请求量会被放大 n 倍。请一并查询按请求计数的 request_params_n_count。",
    )
}

fn interpolated() -> Notice {
    Notice::new(
        "interpolated-percentiles",
        "Percentiles are interpolated within a histogram's buckets, so they are only as fine as those.",
        "百分位数由直方图桶内插值得出，精度不高于桶的宽度。",
    )
}

fn beyond_buckets(name: &str, quantile: Quantile, bound: f64) -> Notice {
    let quantile = quantile.key();
    Notice::new(
        "quantile-beyond-buckets",
        format!("{name} {quantile} is above {bound} s, the last bucket, and not known."),
        format!("{name} 的 {quantile} 超过最后一个桶 {bound} 秒，无法得知。"),
    )
}

#[cfg(test)]
mod tests;
