//! MindIE's benchmark and AISBench, common with Ascend: a table of latencies and one of totals, in
//! Chinese or English, with the unit in each cell, or in the name beside it.
//!
//! AISBench writes the latencies as CSV and the totals as JSON. MindIE writes both as CSV, on their
//! side, and the rows of statistics without their names. What either prints is read too.

mod cell;
mod shape;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Metric, Point, Quantile, Quantiles, Report},
    text::Notice,
};
use cell::Cell;
use shape::{Latency, Shape, Total, metric, plain, statistic};

pub(super) struct Aisbench;

const LATENCIES: &str = "latencies";
const TOTALS: &str = "totals";

impl Format for Aisbench {
    fn name(&self) -> &'static str {
        "aisbench"
    }

    fn marks(&self) -> &'static str {
        "rows E2EL, TTFT, TPOT or FirstTokenTime; Benchmark Duration, Request Throughput with units"
    }

    fn recognises(&self, content: &Content) -> bool {
        // EvalScope's log prints rows of the same names.
        if super::evalscope::is_overview(content) {
            return false;
        }
        let shape = Shape::of(content);
        !shape.latencies.is_empty() || !shape.totals.is_empty()
    }

    fn part(&self, content: &Content) -> Option<&'static str> {
        let shape = Shape::of(content);
        match (shape.latencies.is_empty(), shape.totals.is_empty()) {
            (false, true) => Some(LATENCIES),
            (true, false) => Some(TOTALS),
            _ => None,
        }
    }

    /// `gsm8k.csv` and `gsm8k.json`, `result_perf_1.csv` and `result_common_1.csv`.
    fn run(&self, file: &str) -> String {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        stem.replace("_perf_", "_").replace("_common_", "_")
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let mut shape = Shape::default();
        match content.parts() {
            Some(parts) => parts.values().for_each(|part| shape.join(Shape::of(part))),
            None => shape = Shape::of(content),
        }
        if shape.totals.is_empty() {
            return Err(Problem::new(
                "the totals of the run are not among the files, so its rate is not known",
                "文件中没有运行的总计，速率未知",
            )
            .remedy(
                "give the folder's other file too: the common metrics (.json, or result_common_*.csv)",
                "请连同目录中的公共指标文件一起给出（.json 或 result_common_*.csv）",
            )
            .into());
        }
        Ok(vec![read_run(shape)?])
    }
}

fn read_run(mut shape: Shape) -> Result<Report, Problems> {
    let mut report = common::report("aisbench", None);
    if let Some(stage) = shape.keep_one_stage()?.filter(|stage| stage != "total") {
        report.warnings.push(Notice::new(
            "stable-stage",
            format!("The figures are of the stage `{stage}` alone: start and end are left out."),
            format!("数据仅来自 `{stage}` 阶段：不含开始与结束阶段。"),
        ));
    }
    let mut run = Run {
        totals: &shape.totals,
        problems: Vec::new(),
        not_finite: Vec::new(),
    };
    let mut point = run.totals(&mut report);
    run.latencies(&shape.latencies, &mut point, &mut report);
    run.must_be_one_run(&shape.latencies);
    Problems::none_in(run.problems)?;
    if !run.not_finite.is_empty() {
        let names = run.not_finite.join("; ");
        report.warnings.push(Notice::new(
            "not-finite",
            format!("Not finite in the file, so taken as not measured: {names}."),
            format!("文件中不是有限的数，视为未测量：{names}。"),
        ));
    }
    let unread: Vec<&str> = shape
        .totals
        .iter()
        .map(|total| total.name.as_str())
        .filter(|name| {
            !KNOWN
                .iter()
                .any(|names| names.contains(&plain(name).as_str()))
        })
        .collect();
    if !unread.is_empty() {
        let names = unread.join(", ");
        report.warnings.push(Notice::new(
            "fields-not-read",
            format!("Fields without a known meaning here, not read: {names}."),
            format!("含义未知而未读取的字段：{names}。"),
        ));
    }
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.workload.arrivals = common::arrivals(&point);
    report.points = vec![point];
    Ok(report)
}

/// A run being read, with every problem met.
struct Run<'a> {
    totals: &'a [Total],
    problems: Vec<Problem>,
    not_finite: Vec<String>,
}

const RATE: &[&str] = &[
    "requestthroughput",
    "throughput",
    "请求吞吐",
    "请求吞吐率",
    "请求吞吐量",
];
const DURATION: &[&str] = &["benchmarkduration", "timeelapsed", "测试时长", "总耗时"];
const TOTAL: &[&str] = &["totalrequests", "total", "总请求数"];
const SUCCESS: &[&str] = &[
    "successrequests",
    "successfulrequests",
    "returned",
    "成功请求数",
];
const FAILED: &[&str] = &["failedrequests", "failed", "失败请求数"];
const CAP: &[&str] = &["maxconcurrency", "最大并发数"];
const CONCURRENCY: &[&str] = &["concurrency", "并发数"];
const INPUT_RATE: &[&str] = &[
    "inputtokenthroughput",
    "inputgeneratespeed",
    "输入token吞吐",
];
const OUTPUT_RATE: &[&str] = &[
    "outputtokenthroughput",
    "outputgeneratespeed",
    "generatespeed",
    "输出token吞吐",
];
const INPUT_TOKENS: &[&str] = &["totalinputtokens", "总输入token数"];
const OUTPUT_TOKENS: &[&str] = &["totalgeneratedtokens", "totaloutputtokens", "总输出token数"];
const MODEL: &[&str] = &["modelname", "模型名称"];
const DATASET: &[&str] = &["datasource", "数据集"];
const TIME: &[&str] = &["currenttime", "测试时间"];
/// Totals with a known meaning that a plan has no use for.
const USELESS: &[&str] = &[
    "prefilltokenthroughput",
    "totaltokenthroughput",
    "totalgeneratespeed",
    "generatespeedperclient",
    "lpct",
    "accuracy",
    "总token吞吐",
];
const KNOWN: [&[&str]; 15] = [
    RATE,
    DURATION,
    TOTAL,
    SUCCESS,
    FAILED,
    CAP,
    CONCURRENCY,
    INPUT_RATE,
    OUTPUT_RATE,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    MODEL,
    DATASET,
    TIME,
    USELESS,
];
const REQUEST_UNITS: &[&str] = &[
    "req/s",
    "reqs/s",
    "request/s",
    "requests/s",
    "qps",
    "请求/秒",
];
const TOKEN_UNITS: &[&str] = &["token/s", "tokens/s", "tok/s", "token/秒"];

impl<'a> Run<'a> {
    fn cell(&self, names: &[&str]) -> Option<Cell<'a>> {
        let total = self
            .totals
            .iter()
            .find(|total| names.contains(&plain(&total.name).as_str()))?;
        Cell::of(&total.text, &total.name, &[&total.name])
    }

    fn text(&self, names: &[&str]) -> Option<&'a str> {
        self.cell(names).map(|cell| cell.text())
    }

    /// What a reading gives; its problem is kept, and a figure that is not finite is noted.
    fn keep<T>(&mut self, cell: Option<&Cell>, read: Result<T, Problem>) -> Option<T> {
        match (read, cell) {
            (Ok(value), _) => Some(value),
            (Err(_), Some(cell)) if cell.is_not_finite() => {
                self.not_finite.push(cell.path().to_owned());
                None
            }
            (Err(problem), _) => {
                self.problems.push(problem);
                None
            }
        }
    }

    fn count(&mut self, names: &[&str]) -> Option<u64> {
        let cell = self.cell(names)?;
        self.keep(Some(&cell), cell.count())
    }

    fn figure(&mut self, names: &[&str]) -> Option<f64> {
        let cell = self.cell(names)?;
        self.keep(Some(&cell), cell.figure())
    }

    fn rate(&mut self, names: &[&str], units: &[&str]) -> Option<f64> {
        let cell = self.cell(names)?;
        self.keep(Some(&cell), cell.rate(units))
    }

    fn totals(&mut self, report: &mut Report) -> Point {
        let duration = self.cell(DURATION);
        let duration_s = duration.and_then(|cell| self.keep(Some(&cell), cell.time_s()));
        let (total, failed) = (self.count(TOTAL), self.count(FAILED));
        let completed = self.count(SUCCESS).or_else(|| total?.checked_sub(failed?));
        let stated = match self.cell(RATE) {
            // Nothing works without it, so what is not finite is a problem too.
            Some(cell) => self.keep(None, cell.rate(REQUEST_UNITS)),
            None => self.keep(
                None,
                Err(Problem::new("is missing", "缺失").at("Request Throughput")),
            ),
        };
        let notices = &mut report.warnings;
        let requests_per_s = common::rate(
            stated.unwrap_or(0.0),
            completed,
            duration_s.unwrap_or(0.0),
            notices,
        );
        // AISBench's own concurrency is the mean reached, which is no whole number.
        let reached = self.figure(CONCURRENCY).filter(|n| n.fract() == 0.0);
        report.model.name = self.text(MODEL).map(str::to_owned);
        report.workload.dataset = self.text(DATASET).map(|path| {
            let name = path
                .trim_end_matches(['/', '\\'])
                .rsplit(['/', '\\'])
                .next();
            name.unwrap_or(path).to_owned()
        });
        report.measured_on = self.text(TIME).and_then(common::day_of);
        let each = |tokens: Option<f64>| {
            let requests = completed.filter(|count| *count > 0)? as f64;
            Some(tokens? / requests)
        };
        report.workload.input_tokens = each(self.figure(INPUT_TOKENS));
        report.workload.output_tokens = each(self.figure(OUTPUT_TOKENS));
        Point {
            concurrency: self.figure(CAP).or(reached).filter(|n| *n > 0.0),
            duration_s,
            completed,
            failed,
            requests_per_s,
            input_tokens_per_s: self.rate(INPUT_RATE, TOKEN_UNITS),
            output_tokens_per_s: self.rate(OUTPUT_RATE, TOKEN_UNITS),
            ..Point::default()
        }
    }

    fn latencies(&mut self, rows: &[Latency], point: &mut Point, report: &mut Report) {
        for row in rows {
            let mean = row
                .cells
                .iter()
                .find(|(header, _)| statistic(header) == Some(Quantile::Mean));
            let mean = mean.and_then(|(header, text)| {
                Cell::of(text, &format!("{}, {header}", row.name), &[])?
                    .figure()
                    .ok()
            });
            let workload = &mut report.workload;
            match plain(&row.name).as_str() {
                "inputtokens" | "输入token数" => workload.input_tokens = mean,
                "outputtokens" | "generatedtokens" | "输出token数" => {
                    workload.output_tokens = mean;
                }
                _ => {}
            }
            let Some(metric) = metric(&row.name) else {
                continue;
            };
            *match metric {
                Metric::Ttft => &mut point.ttft_s,
                Metric::Tpot => &mut point.tpot_s,
                Metric::Itl => &mut point.itl_s,
                Metric::E2e => &mut point.latency_s,
            } = self.quantiles(row);
        }
    }

    fn quantiles(&mut self, row: &Latency) -> Quantiles {
        let mut quantiles = Quantiles::default();
        for (header, text) in &row.cells {
            let path = format!("{}, {header}", row.name);
            if let (Some(quantile), Some(cell)) = (
                statistic(header),
                Cell::of(text, &path, &[&row.name, header]),
            ) {
                quantiles.set(quantile, self.keep(Some(&cell), cell.time_s()));
            }
        }
        if row.cells.is_empty() {
            self.problems.push(
                Problem::new(
                    "its statistics have no names, and are not as many as are known",
                    "统计量没有名称，且数目与已知的不符",
                )
                .at(row.name.clone())
                .remedy(
                    "give the file as the tool wrote it, with 7 or 8 rows below the header",
                    "请给出工具原样写出的文件，表头下应有 7 或 8 行",
                ),
            );
        }
        quantiles
    }

    /// Latencies and totals count the same requests, unless they are of different runs.
    fn must_be_one_run(&mut self, rows: &[Latency]) {
        let counted = rows.iter().find(|row| metric(&row.name).is_some());
        let counted = counted.and_then(|row| row.cells.iter().find(|(header, _)| header == "N"));
        let counted = counted.and_then(|(_, text)| Cell::of(text, "N", &[])?.count().ok());
        let (total, success) = (self.count(TOTAL), self.count(SUCCESS));
        let Some(counted) = counted.filter(|n| {
            (total.is_some() || success.is_some()) && Some(*n) != total && Some(*n) != success
        }) else {
            return;
        };
        let all = total.or(success).unwrap_or_default();
        self.problems.push(
            Problem::new(
                format!(
                    "the latencies are of another run than the totals, which count {all} requests"
                ),
                format!("时延与总计不是同一次运行：总计为 {all} 个请求"),
            )
            .at("N")
            .found(counted)
            .remedy(
                "give the two files of one run",
                "请给出同一次运行的两个文件",
            ),
        );
    }
}

#[cfg(test)]
mod tests;
