//! MLPerf LoadGen: `mlperf_log_summary.txt` and `mlperf_log_detail.txt`. **Nanoseconds.**
//!
//! A run that LoadGen calls INVALID carries that as a warning that forbids planning on it. Offline's
//! latencies are the time of the whole batch, so they are not taken. SingleStream holds one request.

mod log;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Metric, Point, Quantile, Quantiles, Report},
    text::Notice,
};
use log::Log;

pub(super) struct Mlperf;

const SUMMARY: &str = "summary";
const DETAIL: &str = "detail";
const TITLE: &str = "MLPerf Results Summary";
const NANOSECONDS: f64 = 1e9;
/// How well a batch's size agrees with its rate and time, where it is what was measured.
const AGREES_WITHIN: f64 = 0.01;

impl Format for Mlperf {
    fn name(&self) -> &'static str {
        "mlperf"
    }

    fn marks(&self) -> &'static str {
        "MLPerf Results Summary, or lines of :::MLLOG"
    }

    fn recognises(&self, content: &Content) -> bool {
        self.part(content).is_some()
    }

    fn part(&self, content: &Content) -> Option<&'static str> {
        let text = content.text()?;
        let mut first = text.lines().take(50);
        if text.lines().any(|line| line.trim() == TITLE) {
            return Some(SUMMARY);
        }
        let is_log = first.any(|line| line.starts_with(log::LINE));
        is_log.then_some(DETAIL)
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let part = |name: &str| match content.parts() {
            Some(parts) => parts.get(name).and_then(Content::text),
            None => content.text().filter(|_| self.part(content) == Some(name)),
        };
        let summary = part(SUMMARY).map(Log::of_summary).transpose()?;
        let detail = part(DETAIL).map(Log::of_detail);
        let log = match (summary, detail) {
            (Some(summary), Some(detail)) => Log::joined(summary, detail)?,
            (Some(log), None) | (None, Some(log)) => log,
            (None, None) => {
                return Err(
                    Problem::new("there is no MLPerf result", "没有 MLPerf 结果")
                        .remedy(
                            "give mlperf_log_summary.txt or mlperf_log_detail.txt",
                            "请给出 mlperf_log_summary.txt 或 mlperf_log_detail.txt",
                        )
                        .into(),
                );
            }
        };
        Ok(vec![read_log(&log)?])
    }
}

fn read_log(log: &Log) -> Result<Report, Problem> {
    let mode = log.text("mode").unwrap_or_default();
    if mode.to_lowercase().contains("accuracy") {
        return Err(Problem::new(
            "this run measured accuracy, not speed",
            "此次运行测的是精度，而非速度",
        )
        .at("mode")
        .found(mode)
        .remedy(
            "give a run in the mode PerformanceOnly",
            "请给出 PerformanceOnly 模式的结果",
        ));
    }
    let mut report = common::report("mlperf loadgen", log.text("version"));
    report.measured_on = log.text("date").and_then(common::day_of);
    report.warnings.extend(verdict(log));
    let point = match log.text("scenario") {
        Some("Offline") => offline(log, &mut report)?,
        Some("Server") => server(log, &mut report)?,
        Some("SingleStream") => single_stream(log, &mut report)?,
        other => return Err(unknown_scenario(other)),
    };
    report.points = vec![point];
    let not_finite = log.not_finite().join(", ");
    if !not_finite.is_empty() {
        report.warnings.push(Notice::new(
            "not-finite",
            format!("Not finite in the file, so taken as not measured: {not_finite}."),
            format!("文件中不是有限的数，视为未测量：{not_finite}。"),
        ));
    }
    Ok(report)
}

fn unknown_scenario(found: Option<&str>) -> Problem {
    let problem = match found {
        None => Problem::new("is missing", "缺失"),
        Some(found) => Problem::new("this scenario is not read", "不支持该场景").found(found),
    };
    problem.at("scenario").remedy(
        "give a Server, Offline or SingleStream run",
        "请给出 Server、Offline 或 SingleStream 的结果",
    )
}

/// What LoadGen thinks of the run, unless it is content.
fn verdict(log: &Log) -> Option<Notice> {
    let said = log.text("result is");
    if said == Some("VALID") {
        return None;
    }
    let Some(said) = said else {
        return Some(Notice::new(
            "mlperf-invalid",
            "LoadGen gave no verdict on the run, so it did not end as a valid one.",
            "LoadGen 未对此次运行作出判定，不能视为有效。",
        ));
    };
    let (mut en, mut zh) = (String::new(), String::new());
    if !log.broken.is_empty() {
        en = format!(" ({} not met)", log.broken.join(", "));
        zh = format!("（未满足 {}）", log.broken.join("、"));
    }
    Some(Notice::new(
        "mlperf-invalid",
        format!(
            "LoadGen calls the run {said}{en}: it broke a rule of the test, whatever else is satisfied."
        ),
        format!("LoadGen 判定此次运行为 {said}{zh}：违反了测试规则，即便其他条件满足。"),
    ))
}

/// One batch: its time is how long the run took, and nobody's latency.
fn offline(log: &Log, report: &mut Report) -> Result<Point, Problem> {
    let rate = log.needed("samples per second")?;
    let duration_s = seconds(log, "e2e max")?.filter(|seconds| *seconds > 0.0);
    let said = log.figure("samples_per_query")?;
    let completed = duration_s.map(|seconds| rate * seconds).and_then(|count| {
        let agrees = |said: &f64| (said - count).abs() <= AGREES_WITHIN * count;
        said.filter(agrees)
    });
    let tokens_per_s = log.figure("tokens per second")?;
    report.workload.output_tokens = each(tokens_per_s, Some(rate));
    report.workload.arrivals = Some(Arrivals::Burst);
    report.warnings.push(Notice::new(
        "offline-latency",
        "Offline's latencies are the time of the whole batch, so they are not taken as a request's.",
        "Offline 的延迟是整批的时间，不作为单个请求的延迟。",
    ));
    Ok(Point {
        duration_s,
        completed: completed.map(|count| count.round() as u64),
        requests_per_s: rate,
        output_tokens_per_s: tokens_per_s,
        ..Point::default()
    })
}

/// Requests at a rate: `Scheduled samples per second` is what was offered.
fn server(log: &Log, report: &mut Report) -> Result<Point, Problem> {
    let scheduled = log.figure("scheduled samples per second")?;
    let completed = log.figure("completed samples per second")?;
    let offered = match scheduled {
        Some(rate) => Some(rate),
        None => log.figure("target_qps")?.filter(|rate| *rate > 0.0),
    };
    let tokens_per_s = log.figure("completed tokens per second")?;
    report.workload.output_tokens = each(tokens_per_s, completed);
    report.workload.arrivals = Some(Arrivals::Open);
    let mut point = Point {
        request_rate: offered,
        completed: queries(log)?,
        requests_per_s: match completed {
            Some(rate) => rate,
            None => log.needed("scheduled samples per second")?,
        },
        output_tokens_per_s: tokens_per_s,
        ..Point::default()
    };
    latencies(log, &mut point, report)?;
    Ok(point)
}

/// One request after the other: what is not waiting for LoadGen is the mean's inverse.
fn single_stream(log: &Log, report: &mut Report) -> Result<Point, Problem> {
    let mean_s = log.needed("e2e mean")? / NANOSECONDS;
    if mean_s <= 0.0 {
        return Err(Problem::new("must be above 0", "必须大于 0")
            .at("e2e mean")
            .found(mean_s)
            .remedy("run it again", "请重新测量"));
    }
    let tokens_per_s = log.figure("tps w/ loadgen overhead")?;
    report.workload.output_tokens = each(tokens_per_s, log.figure("qps w/ loadgen overhead")?);
    report.workload.arrivals = Some(Arrivals::Closed);
    let mut point = Point {
        concurrency: Some(1.0),
        completed: queries(log)?,
        requests_per_s: 1.0 / mean_s,
        output_tokens_per_s: tokens_per_s,
        ..Point::default()
    };
    latencies(log, &mut point, report)?;
    Ok(point)
}

fn each(tokens_per_s: Option<f64>, rate: Option<f64>) -> Option<f64> {
    let rate = rate.filter(|rate| *rate > 0.0)?;
    Some(tokens_per_s? / rate)
}

fn queries(log: &Log) -> Result<Option<u64>, Problem> {
    let count = log.figure("queries")?.filter(|count| *count >= 0.0);
    Ok(count.map(|count| count as u64))
}

fn seconds(log: &Log, name: &str) -> Result<Option<f64>, Problem> {
    Ok(log.figure(name)?.map(|ns| ns / NANOSECONDS))
}

fn latencies(log: &Log, point: &mut Point, report: &mut Report) -> Result<(), Problem> {
    let statistics = |metric: Metric| -> Result<Quantiles, Problem> {
        let mut quantiles = Quantiles::default();
        for quantile in Quantile::ALL {
            let value = seconds(log, &format!("{} {}", metric.key(), quantile.key()))?;
            quantiles.set(quantile, value);
        }
        Ok(quantiles)
    };
    point.latency_s = statistics(Metric::E2e)?;
    point.ttft_s = statistics(Metric::Ttft)?;
    point.tpot_s = statistics(Metric::Tpot)?;
    common::drop_zero_metrics(point, &mut report.warnings);
    Ok(())
}

#[cfg(test)]
mod tests;
