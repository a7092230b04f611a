//! Grafana panels exported as CSV: a time column and series columns.
//!
//! What a panel shows is its author's choice, so the user says which column is which; a column's mean
//! over the rows is its figure. Units stand in the cells (`12.5 ms`, `1.2 K`).

use super::{Format, Options, common, content::Content, table::Table, units};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Metric, Point, Quantile, Report},
};

pub(super) struct Grafana;

impl Format for Grafana {
    fn name(&self) -> &'static str {
        "grafana"
    }

    fn marks(&self) -> &'static str {
        "a first column Time, then series"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.table().is_some_and(|table| {
            matches!(
                table.headers.first().map(String::as_str),
                Some("Time" | "时间")
            ) && table.headers.len() > 1
        })
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let table = content
            .table()
            .ok_or_else(|| Problem::new("this is not a table", "这不是表格"))?;
        let series = table
            .headers
            .iter()
            .skip(1)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
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
        let mut report = common::report("grafana", None);
        let mut point = Point {
            requests_per_s: f64::NAN,
            ..Point::default()
        };
        let mut problems = Vec::new();
        for (field, header) in &options.columns {
            let mean = match table.column(header) {
                Some(column) => mean(&table, column, header),
                None => Err(
                    Problem::new("the panel has no such series", "面板中没有该序列")
                        .found(header)
                        .remedy(
                            format!("its series are {series}"),
                            format!("面板的序列为：{series}"),
                        ),
                ),
            };
            let set = mean.and_then(|mean| set(&mut point, field, mean));
            problems.extend(
                set.err()
                    .map(|problem| problem.at(format!("--column {field}"))),
            );
        }
        if point.requests_per_s.is_nan() && problems.is_empty() {
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
        // Traffic comes when it comes: what was served is what was offered.
        point.request_rate = Some(point.requests_per_s);
        report.workload.arrivals = Some(Arrivals::Open);
        report.points = vec![point];
        Ok(vec![report])
    }
}

/// A figure and what it is per: seconds for times, else 1.
fn cell(text: &str) -> Option<(f64, bool)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-')))
        .unwrap_or(text.len());
    let (figure, unit) = (
        text[..end].replace(',', "").parse::<f64>().ok()?,
        text[end..].trim(),
    );
    if let Some(per_second) = units::per_second(unit).filter(|_| !unit.is_empty()) {
        return Some((figure / per_second, true));
    }
    let scale = match unit.split_whitespace().next().unwrap_or_default() {
        "K" | "k" => 1e3,
        "M" | "Mil" => 1e6,
        _ => 1.0,
    };
    Some((figure * scale, false))
}

fn mean(table: &Table, column: usize, header: &str) -> Result<(f64, bool), Problem> {
    let (mut sum, mut count, mut timed) = (0.0, 0.0, false);
    for (i, row) in table.rows.iter().enumerate() {
        let Some(text) = table.cell(row, column) else {
            continue;
        };
        let (figure, is_time) = cell(text).ok_or_else(|| {
            Problem::new(
                format!("line {}, {header}: is not a number", i + 2),
                format!("第 {} 行 {header}：不是数字", i + 2),
            )
            .found(text)
            .remedy("export the panel with raw values", "请以原始数值导出面板")
        })?;
        sum += figure;
        count += 1.0;
        timed |= is_time;
    }
    if count == 0.0 {
        return Err(Problem::new(
            format!("{header}: the series is empty"),
            format!("{header}：序列为空"),
        ));
    }
    Ok((sum / count, timed))
}

fn set(point: &mut Point, field: &str, (mean, timed): (f64, bool)) -> Result<(), Problem> {
    match field {
        "requests_per_s" => point.requests_per_s = mean,
        "output_tokens_per_s" => point.output_tokens_per_s = Some(mean),
        "input_tokens_per_s" => point.input_tokens_per_s = Some(mean),
        "concurrency" => point.concurrency = Some(mean),
        other => {
            let mut parts = other.split('_');
            let metric = Metric::ALL
                .into_iter()
                .find(|metric| Some(metric.key()) == parts.clone().next());
            let quantile = parts
                .nth(1)
                .and_then(|name| Quantile::ALL.into_iter().find(|q| q.key() == name));
            let unit = parts.next().map(units::per_second);
            let (Some(metric), Some(quantile)) = (metric, quantile) else {
                return Err(Problem::new("this is not a field of ours", "不是可用的字段名").remedy(
                    "one of requests_per_s, output_tokens_per_s, concurrency, ttft_p99, e2e_p50_ms, …",
                    "可用：requests_per_s、output_tokens_per_s、concurrency、ttft_p99、e2e_p50_ms 等",
                ));
            };
            let seconds = match (unit, timed) {
                (Some(Some(per_second)), false) => mean / per_second,
                (None, true) => mean,
                _ => {
                    return Err(
                        Problem::new("the unit of time is not known", "时间单位未知").remedy(
                            "name it in the field where the cells do not: ttft_p99_ms",
                            "若单元格中没有单位，请写在字段名中：ttft_p99_ms",
                        ),
                    );
                }
            };
            match metric {
                Metric::Ttft => point.ttft_s.set(quantile, Some(seconds)),
                Metric::Tpot => point.tpot_s.set(quantile, Some(seconds)),
                Metric::Itl => point.itl_s.set(quantile, Some(seconds)),
                Metric::E2e => point.latency_s.set(quantile, Some(seconds)),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{fixture, import_bytes, import_with},
        *,
    };

    fn with(columns: &[(&str, &str)]) -> Result<Vec<Report>, Problems> {
        let columns = columns
            .iter()
            .map(|(field, header)| ((*field).to_owned(), (*header).to_owned()))
            .collect();
        import_with(
            &fixture("grafana", "panel.csv"),
            Options {
                columns,
                ..Options::default()
            },
        )
    }

    #[test]
    fn named_series_are_averaged_with_their_units() {
        let point = &with(&[
            ("requests_per_s", "QPS"),
            ("ttft_p99", "TTFT p99"),
            ("output_tokens_per_s", "Tokens"),
        ])
        .unwrap()[0]
            .points[0];
        assert_eq!(point.requests_per_s, 3.0);
        // The mean of 0.2 and 0.4, which floats hold to their last digit but one.
        assert!((point.ttft_s.p99.unwrap() - 0.3).abs() < 1e-12);
        assert_eq!(point.output_tokens_per_s, Some(1200.0));
    }

    #[test]
    fn a_panel_without_names_says_what_to_name() {
        let message = import_bytes(&fixture("grafana", "panel.csv"))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("found QPS, TTFT p99, Tokens") && message.contains("--column"),
            "{message}"
        );
        assert!(
            with(&[("requests_per_s", "XYZ")])
                .unwrap_err()
                .to_string()
                .contains("its series are QPS")
        );
        assert!(
            with(&[("requests_per_s", "QPS"), ("e2e_p50", "QPS")])
                .unwrap_err()
                .to_string()
                .contains("ttft_p99_ms")
        );
        assert!(
            with(&[("ttft_p99", "TTFT p99")])
                .unwrap_err()
                .to_string()
                .contains("requests_per_s")
        );
    }
}
