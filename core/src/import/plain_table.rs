//! A plain table: its headers are our own field names, or the user says which column is which.
//!
//! Fields: `concurrency`, `request_rate`, `duration_s`, `completed`, `failed`, `requests_per_s`,
//! `input_tokens_per_s`, `output_tokens_per_s`, `input_tokens`, `output_tokens`, and latencies as
//! METRIC_QUANTILE_UNIT: `ttft_p99_ms`, `e2e_p50_s`. One row a load.

use super::{Format, Options, common, content::Content, table::Table, units};
use crate::{
    number::{parse_count, to_f64},
    problem::{Problem, Problems},
    report::{Metric, Point, Quantile, Report},
};

pub(super) struct PlainTable;

const RATE: &str = "requests_per_s";
const FIGURES: [&str; 10] = [
    "concurrency",
    "request_rate",
    "duration_s",
    "completed",
    "failed",
    RATE,
    "input_tokens_per_s",
    "output_tokens_per_s",
    "input_tokens",
    "output_tokens",
];

impl Format for PlainTable {
    fn name(&self) -> &'static str {
        "table"
    }

    fn marks(&self) -> &'static str {
        "a column requests_per_s, or columns named with --column"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.table().is_some_and(|table| table.has(&[RATE]))
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let table = content.table().ok_or_else(|| {
            Problem::new("this is not a table with a header", "这不是带表头的表格")
        })?;
        let columns = columns(&table, options)?;
        let mut problems = Vec::new();
        let mut reports = Vec::new();
        for (i, row) in table.rows.iter().enumerate() {
            // The header is line 1.
            match read_row(&table, row, &columns) {
                Ok(report) => reports.push(report),
                Err(found) => problems.extend(found.into_iter().map(|mut problem| {
                    let column = problem.path.unwrap_or_default();
                    problem.path = Some(format!("line {}, {column}", i + 2));
                    problem
                })),
            }
        }
        if table.rows.is_empty() {
            problems.push(Problem::new(
                "the table has a header and no rows",
                "表格只有表头，没有数据行",
            ));
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

/// What a column holds.
enum Field {
    Figure(&'static str),
    Latency {
        metric: Metric,
        quantile: Quantile,
        per_second: f64,
    },
}

/// The columns that are read, each with its place.
fn columns(table: &Table, options: &Options) -> Result<Vec<(Field, usize)>, Problems> {
    let mut columns = Vec::new();
    let mut problems = Vec::new();
    for (name, header) in &options.columns {
        match (field(name), table.column(header)) {
            (Some(field), Some(at)) => columns.push((field, at)),
            (None, _) => problems.push(
                Problem::new("this is not a field of ours", "不是可用的字段名")
                    .at(format!("--column {name}"))
                    .remedy(
                        format!(
                            "one of {}, or METRIC_QUANTILE_UNIT such as ttft_p99_ms",
                            FIGURES.join(", ")
                        ),
                        format!(
                            "可用：{}，或 指标_分位数_单位，例如 ttft_p99_ms",
                            FIGURES.join("、")
                        ),
                    ),
            ),
            (_, None) => problems.push(
                Problem::new("the table has no such column", "表格中没有这一列")
                    .at(format!("--column {name}"))
                    .found(header)
                    .remedy(
                        format!("its columns are {}", table.headers.join(", ")),
                        format!("表格的列为：{}", table.headers.join("、")),
                    ),
            ),
        }
    }
    for (at, header) in table.headers.iter().enumerate() {
        let named = columns.iter().any(|(_, taken)| *taken == at);
        if let Some(field) = field(header).filter(|_| !named) {
            columns.push((field, at));
        }
    }
    let has_rate = columns
        .iter()
        .any(|(field, _)| matches!(field, Field::Figure(name) if *name == RATE));
    if !has_rate && problems.is_empty() {
        problems.push(
            Problem::new(
                "no column holds the requests a second",
                "没有每秒请求数一列",
            )
            .found(table.headers.join(", "))
            .remedy(
                format!("name it: --column {RATE}=HEADER"),
                format!("请指明：--column {RATE}=表头"),
            ),
        );
    }
    Problems::none_in(problems)?;
    Ok(columns)
}

fn field(name: &str) -> Option<Field> {
    if let Some(figure) = FIGURES.into_iter().find(|figure| *figure == name) {
        return Some(Field::Figure(figure));
    }
    let mut parts = name.split('_');
    let (metric, quantile, unit) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    Some(Field::Latency {
        metric: Metric::ALL
            .into_iter()
            .find(|known| known.key() == metric)?,
        quantile: Quantile::ALL
            .into_iter()
            .find(|known| known.key() == quantile)?,
        per_second: units::per_second(unit)?,
    })
}

fn read_row(table: &Table, row: &[String], columns: &[(Field, usize)]) -> Result<Report, Problems> {
    let mut report = common::report("table", None);
    let mut point = Point {
        requests_per_s: f64::NAN,
        ..Point::default()
    };
    let mut problems = Vec::new();
    for (field, at) in columns {
        let header = table
            .headers
            .get(*at)
            .map(String::as_str)
            .unwrap_or_default();
        let value = match table.number(row, *at) {
            None => continue,
            Some(Ok(value)) => value,
            // People write 1.2万 in spreadsheets too.
            Some(Err(text)) => match parse_count(&text) {
                Ok(count) => to_f64(count),
                Err(_) => {
                    problems.push(
                        Problem::new("is not a number", "不是数字")
                            .at(header)
                            .found(text),
                    );
                    continue;
                }
            },
        };
        match field {
            Field::Latency {
                metric,
                quantile,
                per_second,
            } => {
                let quantiles = match metric {
                    Metric::Ttft => &mut point.ttft_s,
                    Metric::Tpot => &mut point.tpot_s,
                    Metric::Itl => &mut point.itl_s,
                    Metric::E2e => &mut point.latency_s,
                };
                quantiles.set(*quantile, Some(value / per_second));
            }
            Field::Figure(name) => match *name {
                "concurrency" => point.concurrency = Some(value),
                "request_rate" => point.request_rate = Some(value),
                "duration_s" => point.duration_s = Some(value),
                "completed" | "failed" => {
                    if value < 0.0 || value.fract() != 0.0 {
                        problems.push(
                            Problem::new("is not a count", "不是计数")
                                .at(header)
                                .found(value),
                        );
                    } else if *name == "completed" {
                        point.completed = Some(value as u64);
                    } else {
                        point.failed = Some(value as u64);
                    }
                }
                "input_tokens_per_s" => point.input_tokens_per_s = Some(value),
                "output_tokens_per_s" => point.output_tokens_per_s = Some(value),
                "input_tokens" => report.workload.input_tokens = Some(value),
                "output_tokens" => report.workload.output_tokens = Some(value),
                _ => point.requests_per_s = value,
            },
        }
    }
    if point.requests_per_s.is_nan() && problems.is_empty() {
        problems.push(Problem::new("is missing", "缺失").at(RATE));
    }
    Problems::none_in(problems)?;
    report.workload.arrivals = Some(common::arrivals(&point));
    report.points = vec![point];
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{fixture, import, import_with},
        *,
    };

    #[test]
    fn our_own_headers_need_no_mapping() {
        let report = &import("table", "own-headers.csv")[0];
        assert_eq!(report.points.len(), 2);
        assert_eq!(report.points[1].concurrency, Some(16.0));
        assert_eq!(report.points[1].ttft_s.p99, Some(0.8));
        assert_eq!(report.workload.output_tokens, Some(128.0));
    }

    #[test]
    fn a_spreadsheet_s_columns_are_mapped_with_its_decimal_comma() {
        let options = Options {
            format: Some("table".into()),
            columns: [
                ("requests_per_s", "QPS"),
                ("concurrency", "并发数"),
                ("ttft_p99_ms", "首字P99"),
                ("completed", "请求数"),
            ]
            .map(|(field, header)| (field.to_owned(), header.to_owned()))
            .into(),
            ..Options::default()
        };
        let bytes = fixture("table-mapped", "semicolon.csv");
        let report = import_with(&bytes, options).unwrap().remove(0);
        let point = &report.points[0];
        assert_eq!(point.requests_per_s, 1.29);
        assert_eq!(point.ttft_s.p99, Some(1234.56 / 1000.0));
        assert_eq!(point.completed, Some(12_000));
    }

    #[test]
    fn what_cannot_be_read_names_line_and_column() {
        let with = |text: &str, columns: Vec<(String, String)>| {
            let options = Options {
                format: Some("table".into()),
                columns,
                ..Options::default()
            };
            import_with(text.as_bytes(), options)
                .unwrap_err()
                .to_string()
        };
        let own = "concurrency,requests_per_s\n1,fast\n";
        assert!(with(own, vec![]).contains("line 2, requests_per_s: is not a number (found fast)"));
        assert!(with("a,b\n1,2\n", vec![]).contains("--column requests_per_s=HEADER"));
        let column = |field: &str, header: &str| vec![(field.to_owned(), header.to_owned())];
        assert!(with(own, column("speed", "a")).contains("METRIC_QUANTILE_UNIT"));
        assert!(
            with(own, column("failed", "zzz"))
                .contains("its columns are concurrency, requests_per_s")
        );
        assert!(with("concurrency,requests_per_s\n", vec![]).contains("no rows"));
    }
}
