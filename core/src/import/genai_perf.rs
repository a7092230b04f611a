//! NVIDIA GenAI-Perf and AIPerf, JSON and CSV. The unit is in the file, and is read from it; one
//! that is not known is refused.

use serde_json::Value;

use super::{Format, Options, common, content::Content, table::Table, units};
use crate::{
    problem::{Problem, Problems},
    report::{Metric, Point, Quantiles, Report},
};

pub(super) struct GenaiPerf;

/// The metrics that become ours, as JSON names them. TPOT and ITL are one here: the mean gap between
/// a request's tokens.
const LATENCIES: [(&str, Metric); 3] = [
    ("time_to_first_token", Metric::Ttft),
    ("inter_token_latency", Metric::Itl),
    ("request_latency", Metric::E2e),
];

const JSON: &str = "json";
const CSV: &str = "csv";

impl Format for GenaiPerf {
    fn name(&self) -> &'static str {
        "genai-perf"
    }

    fn marks(&self) -> &'static str {
        "request_latency with unit and avg; a CSV of Metric,avg,…"
    }

    fn recognises(&self, content: &Content) -> bool {
        let json = content.at("/request_latency/unit").is_some()
            && content.at("/request_throughput/avg").is_some();
        json || content.text().is_some_and(|text| !tables(text).is_empty())
    }

    /// Both tools write a run as JSON and again, rounded, as CSV.
    fn part(&self, content: &Content) -> Option<&'static str> {
        Some(if content.json().is_some() { JSON } else { CSV })
    }

    fn run(&self, file: &str) -> String {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        stem.to_owned()
    }

    fn runs_share_a_name(&self) -> bool {
        true
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let content = match content.parts() {
            Some(parts) => parts
                .get(JSON)
                .or_else(|| parts.get(CSV))
                .unwrap_or(content),
            None => content,
        };
        let mut report = common::report("genai-perf", None);
        match content.json() {
            Some(value) => json(value, &mut report)?,
            None => csv(content.text().unwrap_or_default(), &mut report)?,
        }
        for point in &mut report.points {
            common::drop_zero_metrics(point, &mut report.warnings);
        }
        Ok(vec![report])
    }
}

fn set(point: &mut Point, metric: Metric, quantiles: Quantiles) {
    *match metric {
        Metric::Ttft => &mut point.ttft_s,
        Metric::Tpot => &mut point.tpot_s,
        Metric::Itl => &mut point.itl_s,
        Metric::E2e => &mut point.latency_s,
    } = quantiles;
}

fn per_second(unit: &str, path: &str) -> Result<f64, Problem> {
    units::per_second(unit).ok_or_else(|| {
        Problem::new("the unit of time is not known", "未知的时间单位")
            .at(path)
            .found(unit)
            .remedy("expected s, ms, us or ns", "应为 s、ms、us 或 ns")
    })
}

/// Units of a rate a second, as both tools spell them.
fn is_per_second(unit: &str) -> bool {
    let unit = unit.to_lowercase();
    unit.ends_with("/sec") || unit.ends_with("/s") || unit == "per sec" || unit.ends_with("/second")
}

fn json(value: &Value, report: &mut Report) -> Result<(), Problems> {
    let average = |metric: &str| common::optional(value, &format!("/{metric}/avg"));
    let rate = |metric: &str| -> Result<Option<f64>, Problem> {
        let Some(figure) = average(metric) else {
            return Ok(None);
        };
        let unit = common::text(value, &format!("/{metric}/unit")).unwrap_or_default();
        if is_per_second(&unit) {
            return Ok(Some(figure));
        }
        Err(
            Problem::new("the unit of a rate is not known", "未知的速率单位")
                .at(format!("{metric}.unit"))
                .found(unit)
                .remedy("expected …/sec", "应为 …/sec"),
        )
    };
    common::required(value, "/request_throughput/avg")?;
    let completed = average("request_count")
        .filter(|n| *n >= 0.0)
        .map(|n| n as u64);
    let failed = average("error_request_count")
        .filter(|n| *n >= 0.0)
        .map(|n| n as u64);
    let config = [
        "/input_config/loadgen",
        "/input_config/perf_analyzer/stimulus",
        "/input_config",
    ];
    let phase = measured_phase(value);
    let load = |key: &str, of_phase: &str| {
        let stated = config
            .iter()
            .find_map(|at| common::optional(value, &format!("{at}/{key}")));
        stated.or_else(|| common::optional(phase?, of_phase))
    };
    let request_rate = load("request_rate", "/rate").filter(|rate| *rate > 0.0);
    let mut point = Point {
        concurrency: load("concurrency", "/concurrency")
            .filter(|n| *n > 0.0 && request_rate.is_none()),
        request_rate,
        duration_s: benchmark_duration(value)?,
        completed,
        failed,
        requests_per_s: rate("request_throughput")?.unwrap_or(f64::NAN),
        output_tokens_per_s: rate("output_token_throughput")?,
        ..Point::default()
    };
    for (name, metric) in LATENCIES {
        if let Some(object) = value.get(name) {
            let unit = common::text(object, "/unit").unwrap_or_default();
            let unit = per_second(&unit, &format!("{name}.unit"))?;
            set(
                &mut point,
                metric,
                common::statistics_of(Some(object), unit),
            );
        }
    }
    report.workload.input_tokens = average("input_sequence_length");
    report.workload.output_tokens = average("output_sequence_length");
    report.workload.arrivals = common::arrivals(&point);
    let models = [
        "/input_config/models/items/0/name",
        "/input_config/endpoint/model_names/0",
        "/input_config/model_names/0",
        "/input_config/model/0",
    ];
    report.model.name = models
        .into_iter()
        .find_map(|pointer| common::text(value, pointer));
    if let Some(version) = common::text(value, "/aiperf_version") {
        "aiperf".clone_into(&mut report.tool.name);
        report.tool.version = Some(version);
    }
    report.measured_on =
        common::text(value, "/start_time").and_then(|stamp| common::day_of(&stamp));
    report.workload.warmup_requests = warmup_requests(value);
    report.points = vec![point];
    Ok(())
}

/// The one phase whose requests count, in a file of AIPerf 0.13 or newer.
fn measured_phase(value: &Value) -> Option<&Value> {
    let phases = value.pointer("/input_config/phases")?.as_array()?;
    let mut measured = phases
        .iter()
        .filter(|phase| common::text(phase, "/kind").as_deref() == Some("profiling"));
    // Of several, which figure is of which load is not said.
    measured.next().filter(|_| measured.next().is_none())
}

/// Requests before those that count; `None` where the file does not say how many.
fn warmup_requests(value: &Value) -> Option<u64> {
    let phases = value.pointer("/input_config/phases")?.as_array()?;
    let is_warmup = |phase: &&Value| common::text(phase, "/kind").as_deref() == Some("warmup");
    phases
        .iter()
        .filter(is_warmup)
        .map(|phase| phase.get("requests")?.as_u64())
        .sum()
}

fn benchmark_duration(value: &Value) -> Result<Option<f64>, Problem> {
    let Some(duration) = common::optional(value, "/benchmark_duration/avg") else {
        return Ok(None);
    };
    let unit = common::text(value, "/benchmark_duration/unit").unwrap_or_default();
    Ok(Some(
        duration / per_second(&unit, "benchmark_duration.unit")?,
    ))
}

/// The tables of a CSV, which are parted by blank lines: statistics, single values, telemetry.
fn tables(text: &str) -> Vec<Table> {
    let text = text.replace("\r\n", "\n");
    text.split("\n\n")
        .filter_map(Table::parse)
        .filter(|table| {
            table.headers.first().is_some_and(|head| head == "Metric") && table.headers.len() >= 2
        })
        .filter(|table| table.has(&["avg"]) || table.has(&["Value"]))
        .collect()
}

fn csv(text: &str, report: &mut Report) -> Result<(), Problems> {
    let mut point = Point {
        requests_per_s: f64::NAN,
        ..Point::default()
    };
    let mut problems = Vec::new();
    for table in tables(text) {
        for row in &table.rows {
            let Some(name) = row.first() else { continue };
            if let Err(problem) = read_row(&table, row, name, &mut point, report) {
                problems.push(problem.at(name.clone()));
            }
        }
    }
    if point.requests_per_s.is_nan() && problems.is_empty() {
        problems.push(
            Problem::new("is missing", "缺失")
                .at("Request Throughput")
                .remedy(
                    "give the whole file that the tool wrote",
                    "请给出工具写出的完整文件",
                ),
        );
    }
    Problems::none_in(problems)?;
    report.workload.arrivals = common::arrivals(&point);
    report.points = vec![point];
    Ok(())
}

/// One row; columns are found by name, since their order changed between versions.
fn read_row(
    table: &Table,
    row: &[String],
    name: &str,
    point: &mut Point,
    report: &mut Report,
) -> Result<(), Problem> {
    let (metric, unit) = units::split_unit(name);
    let cell = |header: &str| -> Result<Option<f64>, Problem> {
        match table
            .column(header)
            .and_then(|column| table.number(row, column))
        {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(text)) => Err(Problem::new("is not a number", "不是数字").found(text)),
        }
    };
    let value = || -> Result<Option<f64>, Problem> { Ok(cell("Value")?.or(cell("avg")?)) };
    let latency = match metric {
        "Time To First Token" | "Time to First Token" => Some(Metric::Ttft),
        "Inter Token Latency" => Some(Metric::Itl),
        "Request Latency" => Some(Metric::E2e),
        _ => None,
    };
    if let Some(metric) = latency {
        let unit = per_second(unit.unwrap_or_default(), name)?;
        let mut quantiles = Quantiles::default();
        for header in &table.headers {
            if let Some(quantile) = units::quantile(header) {
                quantiles.set(quantile, cell(header)?.map(|figure| figure / unit));
            }
        }
        set(point, metric, quantiles);
        return Ok(());
    }
    match metric {
        "Request Throughput" => point.requests_per_s = value()?.unwrap_or(f64::NAN),
        "Output Token Throughput" => point.output_tokens_per_s = value()?,
        "Request Count" => point.completed = value()?.filter(|n| *n >= 0.0).map(|n| n as u64),
        "Input Sequence Length" => report.workload.input_tokens = value()?,
        "Output Sequence Length" => report.workload.output_tokens = value()?,
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{
        Options, read_all,
        tests::{import, import_bytes},
    };
    use crate::report::Arrivals;

    #[test]
    fn the_unit_is_read_from_the_file() {
        let old = &import("genai-perf", "genai-perf.json")[0];
        let point = &old.points[0];
        assert_eq!((point.concurrency, point.requests_per_s), (Some(8.0), 2.0));
        assert_eq!(
            (point.ttft_s.mean, point.ttft_s.p99),
            (Some(0.12), Some(0.4))
        );
        assert_eq!(point.latency_s.p50, Some(3.9));
        assert_eq!(old.workload.output_tokens, Some(128.0));
        let new = &import("genai-perf", "aiperf.json")[0];
        assert_eq!(new.tool.name, "aiperf");
        // Nanoseconds this time.
        assert_eq!(new.points[0].ttft_s.mean, Some(0.12));
        assert_eq!(new.points[0].completed, Some(80));
        assert_eq!(new.model.name.as_deref(), Some("org/model-8b"));
    }

    #[test]
    fn csv_columns_are_found_by_name_and_units_by_header() {
        let nanoseconds = &import("genai-perf", "nanoseconds.csv")[0].points[0];
        assert_eq!(nanoseconds.ttft_s.mean, Some(0.002));
        assert_eq!(nanoseconds.ttft_s.p99, Some(0.003));
        assert_eq!(nanoseconds.requests_per_s, 123.0);
        let new_order = &import("genai-perf", "aiperf-new-order.csv")[0];
        let point = &new_order.points[0];
        assert_eq!(
            (point.ttft_s.p99, point.ttft_s.p50),
            (Some(0.4), Some(0.11))
        );
        assert_eq!((point.requests_per_s, point.completed), (2.0, Some(80)));
        assert_eq!(point.output_tokens_per_s, Some(256.0));
    }

    #[test]
    fn a_run_written_as_json_and_as_csv_counts_once_with_its_load() {
        // As AIPerf 0.13 writes them: the load is in a list of phases.
        let json = br#"{"aiperf_version": "0.13.0", "start_time": "2026-12-01T14:32:33.3",
            "request_latency": {"unit": "ms", "avg": 52.4}, "request_count": {"unit": "requests", "avg": 20.0},
            "request_throughput": {"unit": "requests/sec", "avg": 33.73},
            "input_config": {"models": {"items": [{"name": "m"}]}, "phases": [
                {"name": "warmup", "kind": "warmup", "type": "concurrency", "requests": 3, "concurrency": 2},
                {"name": "profiling", "kind": "profiling", "type": "concurrency", "requests": 20, "concurrency": 2}]}}"#;
        let csv = b"Metric,avg,p99\nRequest Latency (ms),52.4,60\n\nMetric,Value\nRequest Throughput (requests/sec),33.73\n";
        let files: [(&str, &[u8]); 3] = [
            ("run/profile.csv", csv),
            ("run/profile.json", json),
            ("run/other.csv", csv),
        ];
        let imported = read_all(files, &Options::default(), |_| None).unwrap();
        assert_eq!(imported.reports.len(), 2);
        let report = imported
            .reports
            .iter()
            .find(|r| r.tool.name == "aiperf")
            .unwrap();
        assert_eq!(report.points[0].concurrency, Some(2.0));
        assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
        assert_eq!(report.workload.warmup_requests, Some(3));
        assert_eq!(report.model.name.as_deref(), Some("m"));
        let other = imported
            .reports
            .iter()
            .find(|r| r.tool.name != "aiperf")
            .unwrap();
        assert_eq!(other.workload.arrivals, None, "a CSV does not say");
    }

    #[test]
    fn an_unknown_unit_is_refused() {
        let text = br#"{"request_latency": {"unit": "fortnights", "avg": 1}, "request_throughput": {"unit": "requests/sec", "avg": 1}}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(
            message
                .contains("request_latency.unit: the unit of time is not known (found fortnights)"),
            "{message}"
        );
        let minutes = br#"{"request_latency": {"unit": "ms", "avg": 1}, "request_throughput": {"unit": "requests/min", "avg": 95.78}}"#;
        let message = import_bytes(minutes).unwrap_err().to_string();
        assert!(message.contains("request_throughput.unit"), "{message}");
        let csv = b"Metric,avg,p99\nTime To First Token,2,3\n\nMetric,Value\nRequest Throughput (per sec),1\n";
        assert!(
            import_bytes(csv)
                .unwrap_err()
                .to_string()
                .contains("unit of time")
        );
    }
}
