//! MindIE's benchmark and AISBench, common with Ascend: tables and JSON with the unit in each cell.
//!
//! A table of latencies (`Performance Parameters` or `Metric`, then statistics) and one of totals
//! (`Common Metric`), in one folder; in Chinese or English.

use serde_json::Value;

use super::{Format, Options, common, content::Content, table::Table, units};
use crate::{
    problem::{Problem, Problems},
    report::{Metric, Point, Quantiles, Report},
};

pub(super) struct Aisbench;

const LATENCIES: &str = "latencies";
const TOTALS: &str = "totals";

/// Rows of latencies, in lower case.
const METRICS: [(&str, Metric); 15] = [
    ("e2el", Metric::E2e),
    ("ttft", Metric::Ttft),
    ("tpot", Metric::Tpot),
    ("itl", Metric::Itl),
    ("firsttokentime", Metric::Ttft),
    ("decodetime", Metric::Itl),
    ("generatetime", Metric::E2e),
    ("端到端时延", Metric::E2e),
    ("端到端延迟", Metric::E2e),
    ("首token时延", Metric::Ttft),
    ("首字时延", Metric::Ttft),
    ("首token延迟", Metric::Ttft),
    ("每token时延", Metric::Tpot),
    ("非首token时延", Metric::Tpot),
    ("token间时延", Metric::Itl),
];

impl Format for Aisbench {
    fn name(&self) -> &'static str {
        "aisbench"
    }

    fn marks(&self) -> &'static str {
        "rows E2EL, TTFT, TPOT or FirstTokenTime; Benchmark Duration, Request Throughput with units"
    }

    fn recognises(&self, content: &Content) -> bool {
        self.part(content).is_some()
    }

    fn part(&self, content: &Content) -> Option<&'static str> {
        if content.has(&["Benchmark Duration", "Request Throughput"]) {
            return Some(TOTALS);
        }
        let table = content.table()?;
        let first = table.headers.first()?.as_str();
        if matches!(first, "Common Metric" | "公共指标" | "通用指标") {
            return Some(TOTALS);
        }
        let is_latencies = table
            .rows
            .iter()
            .any(|row| row.first().is_some_and(|name| metric(name).is_some()));
        (is_latencies
            && matches!(
                first,
                "Performance Parameters" | "Metric" | "性能参数" | "指标"
            ))
        .then_some(LATENCIES)
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let part = |name: &str| match content.parts() {
            Some(parts) => parts.get(name),
            None => Some(content).filter(|content| self.part(content) == Some(name)),
        };
        let Some(totals) = part(TOTALS) else {
            return Err(Problem::new(
                "the totals of the run are not among the files, so its rate is not known",
                "文件中没有运行的总计，速率未知",
            )
            .remedy(
                "give the folder's other file too: the common metrics (.json, or result_common_*.csv)",
                "请连同目录中的公共指标文件一起给出（.json 或 result_common_*.csv）",
            )
            .into());
        };
        let mut report = common::report("aisbench", None);
        let mut point = read_totals(&totals_of(totals), &mut report)?;
        if let Some(table) = part(LATENCIES).and_then(Content::table) {
            read_latencies(&table, &mut point, &mut report)?;
        }
        common::drop_zero_metrics(&mut point, &mut report.warnings);
        report.workload.arrivals = Some(common::arrivals(&point));
        report.points = vec![point];
        Ok(vec![report])
    }
}

fn metric(name: &str) -> Option<Metric> {
    let name = name.trim().to_lowercase().replace(' ', "");
    METRICS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, metric)| *metric)
}

/// `2761.2 ms` → the figure and its unit.
fn quantity(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | 'e' | 'E')))
        .unwrap_or(text.len());
    let figure: f64 = text[..end].replace(',', "").parse().ok()?;
    figure.is_finite().then_some((figure, text[end..].trim()))
}

fn time_s(path: &str, text: &str) -> Result<f64, Problem> {
    let wrong = || {
        Problem::new("is not a time with a unit", "不是带单位的时间")
            .at(path)
            .found(text)
            .remedy(
                "expected a figure with s, ms or us",
                "应为带 s、ms 或 us 的数字",
            )
    };
    let (figure, unit) = quantity(text).ok_or_else(wrong)?;
    Ok(figure / units::per_second(unit).ok_or_else(wrong)?)
}

/// Names and cells of the totals, from JSON (`{ "Total Requests": { "total": 8 } }`) or a table.
fn totals_of(content: &Content) -> Vec<(String, String)> {
    let text_of = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if let Some(Value::Object(fields)) = content.json() {
        let cell = |value: &Value| text_of(value.get("total").unwrap_or(value));
        return fields
            .iter()
            .map(|(name, value)| (name.to_lowercase(), cell(value)))
            .collect();
    }
    let rows = content.table().map(|table| table.rows).unwrap_or_default();
    rows.into_iter()
        .filter_map(|row| Some((row.first()?.to_lowercase(), row.last()?.clone())))
        .collect()
}

fn read_totals(totals: &[(String, String)], report: &mut Report) -> Result<Point, Problem> {
    let cell = |names: &[&str]| {
        let found = totals
            .iter()
            .find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(name, text)| (name.as_str(), text.as_str()))
    };
    let figure = |names: &[&str]| {
        cell(names)
            .and_then(|(_, text)| quantity(text))
            .map(|(figure, _)| figure)
    };
    let whole = |names: &[&str]| {
        figure(names)
            .filter(|n| *n >= 0.0 && n.fract() == 0.0)
            .map(|n| n as u64)
    };
    let rate = ["request throughput", "throughput", "请求吞吐", "请求吞吐率"];
    let requests_per_s =
        figure(&rate).ok_or_else(|| Problem::new("is missing", "缺失").at("Request Throughput"))?;
    let duration = cell(&["benchmark duration", "timeelapsed", "测试时长", "总耗时"]);
    let failed = whole(&["failed requests", "失败请求数"]);
    let success = whole(&["success requests", "成功请求数"]);
    report.model.name = cell(&["modelname", "模型名称"]).map(|(_, text)| text.to_owned());
    Ok(Point {
        concurrency: figure(&["max concurrency", "最大并发数"])
            .or_else(|| figure(&["concurrency", "并发数"])),
        duration_s: duration
            .map(|(name, text)| time_s(name, text))
            .transpose()?,
        completed: success
            .or_else(|| whole(&["total requests", "总请求数"])?.checked_sub(failed.unwrap_or(0))),
        failed,
        requests_per_s,
        input_tokens_per_s: figure(&["input token throughput", "输入token吞吐"]),
        output_tokens_per_s: figure(&["output token throughput", "generatespeed", "输出token吞吐"]),
        ..Point::default()
    })
}

fn read_latencies(table: &Table, point: &mut Point, report: &mut Report) -> Result<(), Problem> {
    for row in &table.rows {
        let Some(name) = row.first() else { continue };
        let average = |headers: &[&str]| {
            let column = headers.iter().find_map(|header| table.column(header))?;
            quantity(table.cell(row, column)?).map(|(figure, _)| figure)
        };
        match name.to_lowercase().replace(' ', "").as_str() {
            "inputtokens" | "输入token数" => {
                report.workload.input_tokens = average(&["Average", "average", "平均"])
            }
            "outputtokens" | "generatedtokens" | "输出token数" => {
                report.workload.output_tokens = average(&["Average", "average", "平均"]);
            }
            _ => {}
        }
        let Some(metric) = metric(name) else { continue };
        let mut quantiles = Quantiles::default();
        for (at, header) in table.headers.iter().enumerate().skip(1) {
            if let (Some(quantile), Some(text)) = (units::quantile(header), table.cell(row, at)) {
                quantiles.set(quantile, Some(time_s(&format!("{name}, {header}"), text)?));
            }
        }
        *match metric {
            Metric::Ttft => &mut point.ttft_s,
            Metric::Tpot => &mut point.tpot_s,
            Metric::Itl => &mut point.itl_s,
            Metric::E2e => &mut point.latency_s,
        } = quantiles;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{fixture, import_bytes, import_files},
        *,
    };

    fn files(names: &[&str]) -> Vec<(String, Vec<u8>)> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), fixture("aisbench", name)))
            .collect()
    }

    #[test]
    fn the_unit_is_in_each_cell() {
        let report =
            &import_files(&files(&["aisbench/gsm8k.csv", "aisbench/gsm8k.json"])).unwrap()[0];
        let point = &report.points[0];
        assert_eq!((point.concurrency, point.requests_per_s), (Some(8.0), 2.0));
        assert_eq!(
            (point.ttft_s.mean, point.ttft_s.p99),
            (Some(0.12), Some(0.4))
        );
        assert_eq!(
            (point.latency_s.p50, point.duration_s),
            (Some(3.9), Some(50.0))
        );
        assert_eq!(report.workload.output_tokens, Some(128.0));
    }

    #[test]
    fn chinese_names_read_alike() {
        let report =
            &import_files(&files(&["chinese/latencies.csv", "chinese/totals.csv"])).unwrap()[0];
        let point = &report.points[0];
        assert_eq!((point.concurrency, point.requests_per_s), (Some(8.0), 2.0));
        assert_eq!(
            (point.ttft_s.p99, point.tpot_s.mean),
            (Some(0.4), Some(0.03))
        );
        assert_eq!((point.completed, point.failed), (Some(98), Some(2)));
    }

    #[test]
    fn a_cell_without_a_known_unit_is_refused_and_totals_are_asked_for() {
        let message = import_bytes(&fixture("aisbench", "aisbench/gsm8k.csv"))
            .unwrap_err()
            .to_string();
        assert!(message.contains("common metrics"), "{message}");
        assert_eq!(quantity("2761.2 ms"), Some((2761.2, "ms")));
        assert!(time_s("TTFT", "12 ticks").is_err());
        assert!(time_s("TTFT", "12").is_err());
    }
}
