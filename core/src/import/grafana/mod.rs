//! Grafana panels exported as CSV: a time column and series columns.
//!
//! What a panel shows is its author's choice, so the user says which column is which; a column's mean
//! over the rows is its figure. Units stand in the cells (`12.5 ms`, `1.2 K req/s`), or nowhere.

use std::borrow::Cow;

use super::{
    Format, Options, common,
    content::Content,
    plain_table::{
        cells,
        field::{Field, RATE},
        filled_rows,
        number::{Numbers, delimiter},
    },
    table::Table,
    units,
};
use crate::{
    day,
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Report},
    text::Notice,
};

pub(super) struct Grafana;

/// Whether a table is a panel's: its first column is the time.
pub(super) fn is_panel(table: &Table) -> bool {
    let first = table.headers.first().map(String::as_str);
    matches!(first, Some("Time" | "time" | "时间")) && table.headers.len() > 1
}

impl Format for Grafana {
    fn name(&self) -> &'static str {
        "grafana"
    }

    fn marks(&self) -> &'static str {
        "a first column Time, then series"
    }

    fn recognises(&self, content: &Content) -> bool {
        content
            .text()
            .and_then(|text| Table::parse(panel(text)))
            .is_some_and(|table| is_panel(&table))
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let text = panel(content.text().unwrap_or_default());
        let table = Table::parse(text).ok_or_else(|| {
            Problem::new("this is not a table", "这不是表格")
                .remedy("export the panel's data as CSV", "请将面板数据导出为 CSV")
        })?;
        let rows = filled_rows(&table)?;
        let columns = columns(&table, options)?;
        let places: Vec<usize> = columns.iter().map(|column| column.at).collect();
        let numbers = Numbers::of(cells(&rows, &places), delimiter(text))?;
        let mut report = common::report("grafana", None);
        let mut point = Point {
            requests_per_s: f64::NAN,
            ..Point::default()
        };
        let mut problems = Vec::new();
        let mut averaged = Vec::new();
        for column in &columns {
            let series = read_series(&rows, column, numbers);
            match series.and_then(|series| series.figure(column).map(|figure| (series, figure))) {
                Ok((series, figure)) => {
                    column.field.set(&mut report, &mut point, figure);
                    averaged.extend(series.hides_a_percentile(column).then_some(column.header));
                }
                Err(problem) => problems.push(problem.at(column.path())),
            }
        }
        Problems::none_in(problems)?;
        // Traffic comes when it comes: what was served is what was offered.
        point.request_rate = point.request_rate.or(Some(point.requests_per_s));
        point.duration_s = duration_s(&rows);
        report.measured_on = rows
            .first()
            .and_then(|(_, row)| row.first())
            .and_then(|stamp| common::day_of(stamp));
        report.workload.arrivals = Some(Arrivals::Open);
        report.points = vec![point];
        report.warnings.extend(percentiles_averaged(&averaged));
        Ok(vec![report])
    }
}

/// The panel's own text: the export for Excel names its separator first.
fn panel(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if first.trim_matches(['"', '\r', ' ']).starts_with("sep=") => rest,
        _ => text,
    }
}

/// A column that the user named.
struct Column<'a> {
    name: &'a str,
    field: Field,
    /// How many of the unit in its name make a second.
    per_second: Option<f64>,
    header: &'a str,
    at: usize,
}

impl Column<'_> {
    fn path(&self) -> String {
        format!("--column {}", self.name)
    }
}

fn columns<'a>(table: &Table, options: &'a Options) -> Result<Vec<Column<'a>>, Problems> {
    let series = table.headers.get(1..).unwrap_or_default().join(", ");
    if options.columns.is_empty() {
        return Err(Problem::new(
            "which series is which figure cannot be told from a panel",
            "无法从面板判断各序列的含义",
        )
        .found(&series)
        .remedy(
            "name them: --column requests_per_s=SERIES --column ttft_p99=SERIES",
            "请指明：--column requests_per_s=序列名 --column ttft_p99=序列名",
        )
        .into());
    }
    let mut columns: Vec<Column> = Vec::new();
    let mut problems = Vec::new();
    for (name, header) in &options.columns {
        let known = known_field(name);
        match (known, table.column(header)) {
            (None, _) => problems.push(
                Problem::new("this is not a field of a panel", "不是面板可用的字段名")
                    .at(format!("--column {name}"))
                    .remedy(
                        "one of requests_per_s, output_tokens_per_s, concurrency, ttft_p99, e2e_p50_ms, …",
                        "可用：requests_per_s、output_tokens_per_s、concurrency、ttft_p99、e2e_p50_ms 等",
                    ),
            ),
            (_, None) => problems.push(
                Problem::new("the panel has no such series", "面板中没有该序列")
                    .at(format!("--column {name}"))
                    .found(header)
                    .remedy(
                        format!("its series are {series}"),
                        format!("面板的序列为：{series}"),
                    ),
            ),
            (Some((field, per_second)), Some(at)) => columns.push(Column {
                name,
                field,
                per_second,
                header,
                at,
            }),
        }
    }
    if problems.is_empty() && !columns.iter().any(|c| c.field == Field::Figure(RATE)) {
        problems.push(
            Problem::new(
                "requests a second are not among the columns",
                "所给列中没有每秒请求数",
            )
            .remedy(
                "add --column requests_per_s=SERIES",
                "请加上 --column requests_per_s=序列名",
            ),
        );
    }
    Problems::none_in(problems)?;
    Ok(columns)
}

/// A field that a panel's mean can be, and the unit that its name gives.
fn known_field(name: &str) -> Option<(Field, Option<f64>)> {
    let (field, unit) = Field::named(name)?;
    if matches!(field, Field::Figure("completed" | "failed" | "duration_s")) {
        return None;
    }
    let per_second = match unit {
        Some(unit) => Some(units::per_second(unit)?),
        None => None,
    };
    Some((field, per_second))
}

/// What a cell's figure is of.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    /// Nothing that the cell says.
    Unsaid,
    /// Per second.
    Rate,
    /// Seconds.
    Time,
}

/// A figure in seconds, per second or as it is; `None` for a unit that is not known.
fn in_our_unit(figure: f64, unit: &str) -> Option<(f64, Of)> {
    if unit.is_empty() {
        return Some((figure, Of::Unsaid));
    }
    if let Some(per_second) = units::per_second(unit) {
        return Some((figure / per_second, Of::Time));
    }
    let (scale, unit) = match unit.split_once(' ').unwrap_or((unit, "")) {
        ("K" | "k", unit) => (1e3, unit),
        ("M" | "Mil", unit) => (1e6, unit),
        ("B" | "Bil", unit) => (1e9, unit),
        _ => (1.0, unit),
    };
    let per = match unit.rsplit_once('/').map(|(_, per)| per) {
        _ if unit.is_empty() => return Some((figure * scale, Of::Unsaid)),
        Some("s" | "sec") => 1.0,
        Some("m" | "min") => 60.0,
        Some("h") => 3600.0,
        _ if matches!(unit, "rps" | "reqps" | "ops" | "cps" | "tps") => 1.0,
        _ => return None,
    };
    Some((figure * scale / per, Of::Rate))
}

/// A series' figures over the rows; a row without one is a gap, which is not zero.
struct Readings {
    values: Vec<f64>,
    of: Of,
}

fn read_series(
    rows: &[(usize, &[String])],
    column: &Column<'_>,
    numbers: Numbers,
) -> Result<Readings, Problem> {
    let header = column.header;
    let mut readings = Readings {
        values: Vec::new(),
        of: Of::Unsaid,
    };
    for (line, row) in rows {
        let text = row.get(column.at).map_or("", String::as_str);
        if is_gap(text) {
            continue;
        }
        let wrong = |en: &str, zh: &str| {
            Problem::new(
                format!("line {line}, {header}: {en}"),
                format!("第 {line} 行 {header}：{zh}"),
            )
            .found(text)
            .remedy("export the panel with raw values", "请以原始数值导出面板")
        };
        let (figure, unit) = numbers
            .split(text)
            .ok_or_else(|| wrong("is not a number", "不是数字"))?;
        let (figure, of) =
            in_our_unit(figure, unit).ok_or_else(|| wrong("its unit is not known", "单位未知"))?;
        if readings.values.iter().all(|value| *value == 0.0) {
            readings.of = of;
        } else if readings.of != of && figure != 0.0 {
            return Err(wrong(
                "has another unit than the rows before",
                "与之前各行的单位不同",
            ));
        }
        readings.values.push(figure);
    }
    if readings.values.is_empty() {
        return Err(Problem::new(
            format!("{header}: the series is empty"),
            format!("{header}：序列为空"),
        )
        .remedy(
            "export a time in which the server served",
            "请导出服务运行的时间段",
        ));
    }
    Ok(readings)
}

fn is_gap(text: &str) -> bool {
    matches!(
        text,
        "" | "-" | "N/A" | "n/a" | "NaN" | "nan" | "null" | "undefined" | "No data"
    )
}

impl Readings {
    /// The mean of the rows, or their largest for a largest; latencies in seconds.
    fn figure(&self, column: &Column<'_>) -> Result<f64, Problem> {
        let mean = match column.field {
            Field::Latency(_, Quantile::Max) => {
                self.values.iter().copied().fold(f64::MIN, f64::max)
            }
            _ => self.values.iter().sum::<f64>() / self.values.len() as f64,
        };
        let is_rate = matches!(column.field, Field::Figure(name) if name.ends_with("_per_s") || name == "request_rate");
        match (column.field, self.of, column.per_second) {
            (Field::Latency(..), Of::Unsaid, Some(per_second)) => Ok(mean / per_second),
            (Field::Latency(..), Of::Time, None) => Ok(mean),
            (Field::Latency(..), Of::Time, Some(_)) => Err(Problem::new(
                "the cells name their unit of time, and so does the field",
                "单元格与字段名都注明了时间单位",
            )
            .remedy(
                "leave it out of the field: ttft_p99",
                "请从字段名中去掉单位：ttft_p99",
            )),
            (Field::Latency(..), Of::Unsaid, None) => {
                Err(
                    Problem::new("the unit of time is not known", "时间单位未知").remedy(
                        "name it in the field where the cells do not: ttft_p99_ms",
                        "若单元格中没有单位，请写在字段名中：ttft_p99_ms",
                    ),
                )
            }
            (Field::Figure(_), Of::Rate, _) if is_rate => Ok(mean),
            (Field::Figure(_), Of::Unsaid, _) => Ok(mean),
            _ => Err(Problem::new(
                format!(
                    "{}: the series is in another unit than the field",
                    column.header
                ),
                format!("{}：序列的单位与字段不符", column.header),
            )
            .remedy("name another series", "请指明另一个序列")),
        }
    }

    /// Whether a percentile of the whole time is hidden behind those of its parts.
    fn hides_a_percentile(&self, column: &Column<'_>) -> bool {
        let whole = matches!(
            column.field,
            Field::Figure(_) | Field::Latency(_, Quantile::Mean | Quantile::Max)
        );
        !whole && self.values.len() > 1
    }
}

fn percentiles_averaged(headers: &[&str]) -> Option<Notice> {
    let headers = headers.join(", ");
    (!headers.is_empty()).then(|| {
        Notice::new(
            "percentiles-averaged",
            format!("The mean of a percentile over the rows is not the percentile of all requests: {headers}."),
            format!("各时段百分位数的平均值并非全部请求的百分位数：{headers}。"),
        )
    })
}

/// From the first row's time to the last's, where they can be read: milliseconds since 1970, or a
/// day and a time.
fn duration_s(rows: &[(usize, &[String])]) -> Option<f64> {
    let time = |row: Option<&(usize, &[String])>| {
        let stamp = row?.1.first()?;
        match stamp.parse::<f64>() {
            Ok(milliseconds) => Some(milliseconds / 1000.0),
            Err(_) => {
                // The zone does not matter to a difference.
                let stamp = match stamp.ends_with('Z') {
                    true => Cow::Borrowed(stamp.as_str()),
                    false => Cow::Owned(format!("{stamp}Z")),
                };
                day::timestamp_s(&stamp)
            }
        }
    };
    let seconds = time(rows.last())? - time(rows.first())?;
    (seconds > 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests;
