//! EvalScope `perf`: a folder a load, with a summary, percentiles and arguments.
//!
//! The unit is in each key: new releases write `Avg TTFT (ms)`, old ones `Average time to first token
//! (s)`. A request rate of −1 means a closed loop. The summary alone imports too.

use serde_json::Value;

use super::{Format, Options, common, content::Content, units};
use crate::{
    problem::{Problem, Problems},
    report::{Metric, Point, Quantile, Report},
};

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
        self.part(content).is_some()
    }

    fn part(&self, content: &Content) -> Option<&'static str> {
        let value = content.json()?;
        if figure(value, RATE).is_some() {
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
        let Some(summary) = part(SUMMARY) else {
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
        let mut report = common::report("evalscope perf", None);
        let mut point = read_summary(summary, &mut report)?;
        if let Some(percentiles) = part(PERCENTILES) {
            read_percentiles(percentiles, &mut point)?;
        }
        if let Some(arguments) = part(ARGUMENTS) {
            report.model.name =
                common::text(arguments, "/model_id").or(common::text(arguments, "/model"));
            report.workload.dataset = common::text(arguments, "/dataset");
            report.workload.warmup_requests = common::count(arguments, "/warmup_num");
        }
        common::drop_zero_metrics(&mut point, &mut report.warnings);
        report.workload.arrivals = Some(common::arrivals(&point));
        report.points = vec![point];
        Ok(vec![report])
    }
}

/// What a figure is called in new and in old releases, without its unit, in lower case.
type Names = &'static [&'static str];
const RATE: Names = &["req throughput", "request throughput"];
const DURATION: Names = &["test duration", "time taken for tests"];
const CONCURRENCY: Names = &["concurrency", "number of concurrency"];
const OFFERED: Names = &["request rate"];
const TOTAL: Names = &["total requests"];
const SUCCESS: Names = &["success requests", "succeed requests"];
const FAILED: Names = &["failed requests"];
const LATENCY: Names = &["avg latency", "average latency"];
const TTFT: Names = &["avg ttft", "average time to first token"];
const TPOT: Names = &["avg tpot", "average time per output token"];
const ITL: Names = &["avg itl", "average inter-token latency"];
const INPUT: Names = &["avg input tokens", "average input tokens per request"];
const OUTPUT: Names = &["avg output tokens", "average output tokens per request"];
const OUTPUT_RATE: Names = &["output throughput", "output token throughput"];

/// A figure under any of its names, with the unit in its key.
fn figure(value: &Value, names: Names) -> Option<(&str, Option<&str>, f64)> {
    value.as_object()?.iter().find_map(|(key, value)| {
        let (name, unit) = units::split_unit(key);
        let known = names.contains(&name.to_lowercase().as_str());
        let figure = value
            .as_f64()
            .filter(|figure| figure.is_finite() && known)?;
        Some((key.as_str(), unit, figure))
    })
}

/// The same in seconds, by the unit in its key.
fn time_s(value: &Value, names: Names) -> Result<Option<f64>, Problem> {
    let Some((key, unit, figure)) = figure(value, names) else {
        return Ok(None);
    };
    in_seconds(key, unit, figure).map(Some)
}

fn in_seconds(key: &str, unit: Option<&str>, figure: f64) -> Result<f64, Problem> {
    let per_second = unit.and_then(units::per_second).ok_or_else(|| {
        Problem::new(
            "the key names no unit of time that is known",
            "键中没有已知的时间单位",
        )
        .at(key)
        .remedy("expected (s) or (ms)", "应为 (s) 或 (ms)")
    })?;
    Ok(figure / per_second)
}

fn read_summary(summary: &Value, report: &mut Report) -> Result<Point, Problem> {
    let plain = |names: Names| figure(summary, names).map(|(_, _, figure)| figure);
    let whole = |names: Names| {
        plain(names)
            .filter(|n| *n >= 0.0 && n.fract() == 0.0)
            .map(|n| n as u64)
    };
    let requests_per_s = plain(RATE)
        .ok_or_else(|| Problem::new("is missing", "缺失").at("Req Throughput (req/s)"))?;
    // −1: as fast as the concurrency lets.
    let request_rate = plain(OFFERED).filter(|rate| *rate > 0.0);
    let failed = whole(FAILED);
    let mut point = Point {
        concurrency: plain(CONCURRENCY).filter(|n| *n > 0.0 && request_rate.is_none()),
        request_rate,
        duration_s: time_s(summary, DURATION)?,
        completed: whole(SUCCESS).or_else(|| whole(TOTAL)?.checked_sub(failed?)),
        failed,
        requests_per_s,
        output_tokens_per_s: plain(OUTPUT_RATE),
        ..Point::default()
    };
    point.latency_s.mean = time_s(summary, LATENCY)?;
    point.ttft_s.mean = time_s(summary, TTFT)?;
    point.tpot_s.mean = time_s(summary, TPOT)?;
    point.itl_s.mean = time_s(summary, ITL)?;
    report.workload.input_tokens = plain(INPUT);
    report.workload.output_tokens = plain(OUTPUT);
    Ok(point)
}

/// Rows of `{ "Percentiles": "99%", "TTFT (ms)": 1 }`, or in old releases one object of columns.
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
            let seconds = Some(in_seconds(key, unit, figure)?);
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
mod tests {
    use super::super::tests::{fixture, import, import_bytes, import_files};
    use crate::report::Arrivals;

    const FILES: [&str; 3] = [
        "benchmark_summary.json",
        "benchmark_percentile.json",
        "benchmark_args.json",
    ];

    fn folder(name: &str) -> Vec<(String, Vec<u8>)> {
        FILES
            .map(|file| {
                (
                    format!("out/{name}/{file}"),
                    fixture("evalscope", &format!("{name}/{file}")),
                )
            })
            .into()
    }

    #[test]
    fn the_files_of_each_folder_are_one_load() {
        let files = [folder("new-4"), folder("new-16")].concat();
        let reports = import_files(&files).unwrap();
        assert_eq!(reports.len(), 1);
        let report = &reports[0];
        let loads: Vec<_> = report.points.iter().map(|p| p.concurrency).collect();
        assert_eq!(loads, [Some(4.0), Some(16.0)]);
        let point = &report.points[1];
        assert_eq!((point.request_rate, point.requests_per_s), (None, 4.0));
        assert_eq!(
            (point.ttft_s.mean, point.ttft_s.p99),
            (Some(0.2), Some(0.4))
        );
        assert_eq!(
            (point.latency_s.mean, point.latency_s.p95),
            (Some(4.0), Some(5.5))
        );
        assert_eq!((point.completed, point.failed), (Some(98), Some(2)));
        assert_eq!(report.model.name.as_deref(), Some("model-8b"));
        assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
        assert_eq!(report.workload.warmup_requests, Some(10));
    }

    /// Old releases wrote seconds under other names, and columns of percentiles.
    #[test]
    fn an_old_summary_is_in_seconds() {
        let reports = import_files(&folder("old-8")).unwrap();
        let point = &reports[0].points[0];
        assert_eq!(
            (point.concurrency, point.ttft_s.mean),
            (Some(8.0), Some(0.12))
        );
        assert_eq!(
            (point.tpot_s.mean, point.latency_s.p99),
            (Some(0.03), Some(6.0))
        );
        assert_eq!(point.duration_s, Some(50.0));
        let alone = &import("evalscope", "old-8/benchmark_summary.json")[0];
        assert_eq!(alone.points[0].latency_s.p99, None);
    }

    #[test]
    fn percentiles_alone_ask_for_the_summary_and_a_strange_unit_is_refused() {
        let message = import_bytes(&fixture("evalscope", "new-4/benchmark_percentile.json"))
            .unwrap_err()
            .to_string();
        assert!(message.contains("benchmark_summary.json"), "{message}");
        let text = br#"{"Req Throughput (req/s)": 1.0, "Avg TTFT (ticks)": 3.0}"#;
        assert!(
            import_bytes(text)
                .unwrap_err()
                .to_string()
                .contains("Avg TTFT (ticks)")
        );
        let two = [folder("new-4"), folder("new-16")].concat();
        let mixed: Vec<_> = two
            .into_iter()
            .map(|(name, bytes)| (name.rsplit('/').next().unwrap().to_owned(), bytes))
            .collect();
        assert!(
            import_files(&mixed)
                .unwrap_err()
                .to_string()
                .contains("one run's folder")
        );
    }
}
