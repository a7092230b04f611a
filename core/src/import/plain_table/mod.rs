//! A plain table: its headers are our own field names, or the user says which column is which.
//!
//! Fields: `concurrency`, `request_rate`, `duration_s`, `completed`, `failed`, `requests_per_s`,
//! `input_tokens_per_s`, `output_tokens_per_s`, `input_tokens`, `output_tokens`, and latencies as
//! METRIC_QUANTILE_UNIT: `ttft_p99_ms`, `e2e_p50_s`. One row a load.

pub(super) mod field;
pub(super) mod number;

use super::{Format, Options, common, content::Content, grafana, table::Table};
use crate::{
    problem::{Problem, Problems},
    report::{Point, Report},
    text::Notice,
};
use field::{FIGURES, Field, RATE};
use number::Numbers;

pub(super) struct PlainTable;

/// What stands for nothing measured: the largest safe integer, the largest floats, and −1.
const SENTINELS: [f64; 4] = [9_007_199_254_740_991.0, f64::MAX, 1e308, -1.0];

impl Format for PlainTable {
    fn name(&self) -> &'static str {
        "table"
    }

    fn marks(&self) -> &'static str {
        "a column requests_per_s, or columns named with --column"
    }

    fn recognises(&self, content: &Content) -> bool {
        let table = content.table();
        table.is_some_and(|table| table.has(&[RATE]) && !grafana::is_panel(&table))
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let table = content.table().ok_or_else(|| {
            Problem::new("this is not a table with a header", "这不是带表头的表格").remedy(
                "give a CSV whose first line names its columns",
                "请给出首行为列名的 CSV",
            )
        })?;
        let columns = columns(&table, options)?;
        let rows = filled_rows(&table)?;
        let places: Vec<usize> = columns.iter().map(|column| column.at).collect();
        let numbers = Numbers::of(
            cells(&rows, &places),
            number::delimiter(content.text().unwrap_or_default()),
        )?;
        let mut problems = Vec::new();
        let mut reports = Vec::new();
        for (line, row) in rows {
            match read_row(&table, row, &columns, numbers) {
                Ok(report) => reports.push(report),
                Err(found) => problems.extend(found.into_iter().map(|mut problem| {
                    let column = problem.path.unwrap_or_default();
                    problem.path = Some(format!("line {line}, {column}"));
                    problem
                })),
            }
        }
        Problems::none_in(problems)?;
        if let Some(first) = reports.first_mut() {
            first.warnings.extend(not_read(&table, &places));
        }
        Ok(reports)
    }
}

/// The rows that hold anything, each with its line; the header is line 1.
///
/// # Errors
/// No such row; a row with more cells than the header, whose figures stand in the wrong columns.
pub(super) fn filled_rows(table: &Table) -> Result<Vec<(usize, &[String])>, Problems> {
    let rows = table.rows.iter().enumerate();
    let filled: Vec<(usize, &[String])> = rows
        .map(|(i, row)| (i + 2, row.as_slice()))
        .filter(|(_, row)| row.iter().any(|cell| !cell.is_empty()))
        .collect();
    let width = table.headers.len();
    let spills = |row: &[String]| row.iter().skip(width).any(|cell| !cell.is_empty());
    let wide = filled.iter().filter(|(_, row)| spills(row));
    let mut problems: Vec<Problem> = wide
        .map(|(line, row)| {
            Problem::new(
                "has more cells than the header, so which is which cannot be told",
                "单元格比表头多，无法判断各单元格的含义",
            )
            .at(format!("line {line}"))
            .found(row.join(" | "))
            .remedy(
                "put numbers with a comma in quotes, or separate cells by semicolons",
                "含逗号的数字请加引号，或用分号分隔单元格",
            )
        })
        .collect();
    if filled.is_empty() {
        problems.push(
            Problem::new(
                "the table has a header and no rows",
                "表格只有表头，没有数据行",
            )
            .remedy(
                "give a row for each measured load",
                "每个测得的负载请给一行",
            ),
        );
    }
    Problems::none_in(problems)?;
    Ok(filled)
}

/// The cells of some columns.
pub(super) fn cells<'a>(
    rows: &'a [(usize, &'a [String])],
    places: &'a [usize],
) -> impl Iterator<Item = &'a str> {
    rows.iter().flat_map(move |(_, row)| {
        let of_row = places.iter().filter_map(|at| row.get(*at));
        of_row.map(String::as_str)
    })
}

/// A column that is read.
struct Column {
    field: Field,
    /// How many of its unit make ours.
    per_unit: f64,
    at: usize,
}

/// The columns that are read: those that the user named, and those that bear our names.
fn columns(table: &Table, options: &Options) -> Result<Vec<Column>, Problems> {
    let mut columns: Vec<Column> = Vec::new();
    let mut problems = Vec::new();
    for (name, header) in &options.columns {
        let path = format!("--column {name}");
        match (Field::with_unit(name), table.column(header)) {
            (None, _) => problems.push(unknown_field(&path)),
            (_, None) => problems.push(no_such_column(table, header, &path)),
            (Some((field, per_unit)), Some(at)) => columns.push(Column {
                field,
                per_unit,
                at,
            }),
        }
    }
    for (at, header) in table.headers.iter().enumerate() {
        let Some((field, per_unit)) = Field::with_unit(header) else {
            continue;
        };
        // What the user named goes before what bears the name.
        let named = columns.iter().take(options.columns.len());
        if !named.into_iter().any(|c| c.at == at || c.field == field) {
            columns.push(Column {
                field,
                per_unit,
                at,
            });
        }
    }
    for (i, column) in columns.iter().enumerate() {
        if let Some(twin) = columns.iter().take(i).find(|c| c.field == column.field) {
            let headers = [twin.at, column.at].map(|at| header(table, at));
            problems.push(
                Problem::new("two columns hold the same figure", "有两列是同一指标")
                    .at(headers[1])
                    .found(headers.join(", "))
                    .remedy(
                        "name one of them with --column, or drop the other",
                        "请用 --column 指明其中一列，或去掉另一列",
                    ),
            );
        }
    }
    if problems.is_empty() && !columns.iter().any(|c| c.field == Field::Figure(RATE)) {
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

fn unknown_field(path: &str) -> Problem {
    Problem::new("this is not a field of ours", "不是可用的字段名")
        .at(path)
        .remedy(
            format!(
                "one of {}, or METRIC_QUANTILE_UNIT such as ttft_p99_ms",
                FIGURES.join(", ")
            ),
            format!(
                "可用：{}，或 指标_分位数_单位，例如 ttft_p99_ms",
                FIGURES.join("、")
            ),
        )
}

fn no_such_column(table: &Table, header: &str, path: &str) -> Problem {
    Problem::new("the table has no such column", "表格中没有这一列")
        .at(path)
        .found(header)
        .remedy(
            format!("its columns are {}", table.headers.join(", ")),
            format!("表格的列为：{}", table.headers.join("、")),
        )
}

fn header(table: &Table, at: usize) -> &str {
    table.headers.get(at).map_or("", String::as_str)
}

fn read_row(
    table: &Table,
    row: &[String],
    columns: &[Column],
    numbers: Numbers,
) -> Result<Report, Problems> {
    let mut report = common::report("table", None);
    let mut point = Point {
        requests_per_s: f64::NAN,
        ..Point::default()
    };
    let mut problems = Vec::new();
    let mut not_finite = Vec::new();
    for column in columns {
        let header = header(table, column.at);
        let text = row.get(column.at).map_or("", String::as_str);
        if is_not_finite(text) {
            // No limit on the rate is no rate, as everywhere.
            let unbounded = column.field == Field::Figure("request_rate");
            not_finite.extend((!unbounded).then_some(header));
            continue;
        }
        let Some(text) = table.cell(row, column.at) else {
            continue;
        };
        match numbers.read(text) {
            Some(figure) if SENTINELS.contains(&figure) => {}
            Some(figure) if column.field.is_count() && !is_count(figure) => {
                let problem = Problem::new("is not a count", "不是计数").at(header);
                problems.push(
                    problem
                        .found(text)
                        .remedy("expected a whole number", "应为整数"),
                );
            }
            Some(figure) => column
                .field
                .set(&mut report, &mut point, figure / column.per_unit),
            None => problems.push(
                Problem::new("is not a number", "不是数字")
                    .at(header)
                    .found(text)
                    .remedy(
                        "expected a number alone, such as 1234.5 or 1.2万; empty where there is none",
                        "应为单独的数字，例如 1234.5 或 1.2万；没有则留空",
                    ),
            ),
        }
    }
    if problems.is_empty() && (point.requests_per_s.is_nan() || point.requests_per_s <= 0.0) {
        let rate = columns.iter().find(|c| c.field == Field::Figure(RATE));
        let at = rate.map_or(0, |column| column.at);
        let found = row.get(at).filter(|cell| !cell.is_empty());
        problems.push(
            Problem::new("there is no rate here", "缺少每秒请求数")
                .at(header(table, at))
                .found(found.map_or("-", String::as_str))
                .remedy("expected a number above 0", "应为大于 0 的数"),
        );
    }
    Problems::none_in(problems)?;
    report.workload.arrivals = common::arrivals(&point);
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.points = vec![point];
    if !not_finite.is_empty() {
        let headers = not_finite.join(", ");
        report.warnings.push(Notice::new(
            "not-finite",
            format!("Not finite in the file, so taken as not measured: {headers}."),
            format!("文件中不是有限的数，视为未测量：{headers}。"),
        ));
    }
    Ok(report)
}

fn is_count(figure: f64) -> bool {
    figure.fract() == 0.0 && (0.0..1e15).contains(&figure)
}

fn is_not_finite(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']).to_lowercase();
    matches!(word.as_str(), "nan" | "inf" | "infinity" | "∞")
}

fn not_read(table: &Table, places: &[usize]) -> Option<Notice> {
    let headers = table.headers.iter().enumerate();
    let unread: Vec<&str> = headers
        .filter(|(at, header)| !places.contains(at) && !header.is_empty())
        .map(|(_, header)| header.as_str())
        .take(8)
        .collect();
    let unread = unread.join(", ");
    (!unread.is_empty()).then(|| {
        Notice::new(
            "columns-not-read",
            format!("Columns that are not named, not read: {unread}."),
            format!("未指明而未读取的列：{unread}。"),
        )
    })
}

#[cfg(test)]
mod tests;
