//! EvalScope `perf`: a folder a load, with a summary, percentiles and arguments.
//!
//! The unit is in each key. Releases name the mean TTFT `Average time to first token (s)` (to
//! March 2026), `TTFT (ms)` (to July 2026) and `Avg TTFT (ms)`. A request rate of −1 means as fast
//! as the concurrency lets, any other −1 that nothing was measured. The summary alone imports too.

mod summary;

use serde_json::{Map, Value};

use super::{Format, Options, common, content::Content, units};
use crate::{
    Date,
    problem::{Problem, Problems},
    report::{Metric, Point, Quantile, Quantiles, Report},
    text::Notice,
};
use summary::{Summary, in_seconds};

pub(super) struct Evalscope;

const SUMMARY: &str = "summary";
const PERCENTILES: &str = "percentiles";
const ARGUMENTS: &str = "arguments";

impl Format for Evalscope {
    fn name(&self) -> &'static str {
        "evalscope"
    }

    fn marks(&self) -> &'static str {
        "Req Throughput (req/s) or Request throughput (req/s); rows of Percentiles; parallel and number"
    }

    fn recognises(&self, content: &Content) -> bool {
        self.part(content).is_some() || is_overview(content)
    }

    /// The overview repeats every load of its run, rounded.
    fn refuses(&self, content: &Content) -> Option<Problem> {
        is_overview(content).then(|| {
            Problem::new(
                "EvalScope's overview and log round their figures, and leave most out",
                "EvalScope 的概览报告和日志中的数字经过舍入，且大多未列出",
            )
            .remedy(
                "give the folder it lies in, or benchmark_summary.json and its likes of each load",
                "请给出它所在的目录，或每个负载的 benchmark_summary.json 等文件",
            )
        })
    }

    fn part(&self, content: &Content) -> Option<&'static str> {
        let value = content.json()?;
        if value.as_object().is_some_and(summary::is_summary) {
            return Some(SUMMARY);
        }
        if content.has(&["parallel", "number", "api", "url"]) {
            return Some(ARGUMENTS);
        }
        let has_rows = value.as_array().is_some_and(|rows| {
            rows.first()
                .is_some_and(|row| row.get("Percentiles").is_some())
        });
        (has_rows || content.has(&["Percentiles"])).then_some(PERCENTILES)
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let part = |name: &str| match content.parts() {
            Some(parts) => parts.get(name).and_then(Content::json),
            None => content.json().filter(|_| name == SUMMARY),
        };
        let Some(Value::Object(summary)) = part(SUMMARY) else {
            return Err(Problem::new(
                "the summary of the run is not among the files",
                "文件中没有运行的汇总",
            )
            .remedy(
                "give benchmark_summary.json with the others of its folder",
                "请连同目录中的 benchmark_summary.json 一起给出",
            )
            .into());
        };
        let report = read_run(summary, part(PERCENTILES), part(ARGUMENTS))?;
        Ok(vec![report])
    }
}

/// `performance_summary.txt`, beside the folders of the loads, and `benchmark.log`, which prints the
/// tables of all of them.
pub(super) fn is_overview(content: &Content) -> bool {
    let mut lines = content.text().into_iter().flat_map(str::lines).take(4);
    lines.any(|line| {
        line.contains("Performance Test Summary Report") || line.contains(" - evalscope - ")
    })
}

fn read_run(
    summary: &Map<String, Value>,
    percentiles: Option<&Value>,
    arguments: Option<&Value>,
) -> Result<Report, Problems> {
    let mut report = common::report("evalscope perf", None);
    let summary = Summary::of(summary);
    let mut point = summary.point(open_loop(arguments), &mut report);
    if let Some(percentiles) = percentiles {
        summary.keep(read_percentiles(percentiles, &mut point));
    }
    let streamed = summary.streamed().unwrap_or_else(|| {
        let stream = arguments.and_then(|arguments| arguments.get("stream"));
        stream.and_then(Value::as_bool).unwrap_or(true)
    });
    summary.finish(&mut report)?;
    if !streamed {
        drop_first_tokens(&mut point, &mut report.warnings);
    }
    if let Some(arguments) = arguments {
        read_arguments(arguments, &mut report);
    }
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.workload.arrivals = common::arrivals_or_burst(&point);
    report.points = vec![point];
    Ok(report)
}

/// Whether requests were sent at their rate whatever was in flight, so that the concurrency is a
/// mere label; `None` where the arguments are not there to say it. Older releases could not.
fn open_loop(arguments: Option<&Value>) -> Option<bool> {
    let stated = arguments?.get("open_loop").and_then(Value::as_bool);
    Some(stated.unwrap_or(false))
}

/// Without streaming the tool gives the whole latency as TTFT.
fn drop_first_tokens(point: &mut Point, notices: &mut Vec<Notice>) {
    for metric in [&mut point.ttft_s, &mut point.tpot_s, &mut point.itl_s] {
        *metric = Quantiles::default();
    }
    notices.push(Notice::new(
        "not-streamed",
        "Responses were not streamed, and what the files call TTFT is the whole latency: TTFT, TPOT and ITL are not known.",
        "响应未流式返回，文件中的 TTFT 实为整个请求的时延：TTFT、TPOT 与 ITL 未知。",
    ));
}

fn read_arguments(arguments: &Value, report: &mut Report) {
    report.model.name = common::text(arguments, "/model_id").or(common::text(arguments, "/model"));
    report.workload.dataset = common::text(arguments, "/dataset");
    report.workload.warmup_requests = warm_up(arguments);
    report.measured_on = common::text(arguments, "/outputs_dir").and_then(|path| day_in(&path));
}

/// Warm-up requests: a count, or below 1 a share of the run's requests.
fn warm_up(arguments: &Value) -> Option<u64> {
    match common::optional(arguments, "/warmup_num")? {
        share if share > 0.0 && share < 1.0 => {
            let requests = common::optional(arguments, "/number").filter(|n| *n >= 1.0)?;
            Some(((share * requests) as u64).max(1))
        }
        count => Some(count.max(0.0) as u64),
    }
}

/// The day in a path such as `outputs/20260301_101500/model-8b`.
fn day_in(path: &str) -> Option<Date> {
    path.split(['/', '\\']).find_map(|folder| {
        let (day, time) = folder.split_once('_')?;
        let digits = |text: &str, length| {
            text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !digits(day, 8) || !digits(time, 6) {
            return None;
        }
        let (year, month, day) = (&day[..4], &day[4..6], &day[6..]);
        Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
    })
}

/// Rows of `{ "Percentiles": "99%", "TTFT (ms)": 1 }`, or one object of columns.
fn read_percentiles(percentiles: &Value, point: &mut Point) -> Result<(), Problem> {
    let rows: Vec<(String, Vec<(&str, f64)>)> = match percentiles {
        Value::Array(rows) => rows
            .iter()
            .filter_map(|row| {
                let fields = row.as_object()?.iter();
                let figures =
                    fields.filter_map(|(key, value)| Some((key.as_str(), value.as_f64()?)));
                Some((common::text(row, "/Percentiles")?, figures.collect()))
            })
            .collect(),
        columns => {
            let names = columns.get("Percentiles").and_then(Value::as_array);
            let row = |(i, name): (usize, &Value)| {
                let fields = columns.as_object()?.iter();
                let figures = fields
                    .filter_map(|(key, column)| Some((key.as_str(), column.get(i)?.as_f64()?)));
                Some((name.as_str()?.to_owned(), figures.collect()))
            };
            names
                .into_iter()
                .flatten()
                .enumerate()
                .filter_map(row)
                .collect()
        }
    };
    for (name, figures) in rows {
        let Some(quantile) = units::quantile(&name).filter(|q| *q != Quantile::Mean) else {
            continue;
        };
        for (key, figure) in figures {
            let (label, unit) = units::split_unit(key);
            let metric = match label {
                "Latency" => Metric::E2e,
                "TTFT" => Metric::Ttft,
                "TPOT" => Metric::Tpot,
                "ITL" => Metric::Itl,
                _ => continue,
            };
            let seconds = Some(in_seconds(key, unit, figure)?).filter(|figure| *figure >= 0.0);
            match metric {
                Metric::E2e => point.latency_s.set(quantile, seconds),
                Metric::Ttft => point.ttft_s.set(quantile, seconds),
                Metric::Tpot => point.tpot_s.set(quantile, seconds),
                Metric::Itl => point.itl_s.set(quantile, seconds),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
