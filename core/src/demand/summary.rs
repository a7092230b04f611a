//! The table of `section, key, value` that the SQL gives, read back to sums.

use std::collections::BTreeMap;

use crate::problem::Problem;

use super::{
    HOURS,
    counts::Window,
    document::Tokens,
    stamp::SECOND,
    totals::{GRIDS_S, Silence, Totals, WINDOWS_S},
    week,
};

/// Rows of a table, by section and key.
struct Rows(BTreeMap<(String, String), String>);

/// Reads the table as CSV.
///
/// # Errors
/// Text that is no such table, or lacks a sum.
pub fn read(text: &str) -> Result<Totals, Problem> {
    let rows = Rows::read(text)?;
    let whole = |section: &str, key: &str| rows.number(section, key).map(|value| value as u64);
    let or_none =
        |section: &str, key: &str| Ok::<_, Problem>(rows.maybe(section, key)?.unwrap_or(0.0));
    let (first_ns, last_ns) = (rows.ns("first_ns")?, rows.ns("last_ns")?);
    let span_ns = last_ns.saturating_sub(first_ns);
    let mut on_grid = [0; GRIDS_S.len()];
    for (on, grid) in on_grid.iter_mut().zip(GRIDS_S) {
        *on = or_none("grid", &grid.to_string())? as u64;
    }
    let mut windows = [None; WINDOWS_S.len()];
    for (window, width) in windows.iter_mut().zip(WINDOWS_S) {
        let width_s = width.to_string();
        *window = Some(Window {
            windows: u64::try_from(span_ns / SECOND / width).unwrap_or(0),
            most: or_none("window_most", &width_s)?,
            sum: or_none("window_sum", &width_s)?,
            squares: or_none("window_squares", &width_s)?,
        });
    }
    let mut hours = [0.0; HOURS];
    for (hour, requests) in hours.iter_mut().enumerate() {
        *requests = or_none("hour", &hour.to_string())?;
    }
    let mut exposure_s = [0.0; HOURS];
    week::expose(&mut exposure_s, first_ns, last_ns);
    let silence = match (
        rows.maybe("silence", "from_s")?,
        rows.maybe("silence", "seconds")?,
    ) {
        (Some(from_s), Some(seconds)) => Some(Silence {
            from_ns: first_ns.saturating_add((from_s as i64).saturating_mul(SECOND)),
            seconds: seconds as i64,
        }),
        _ => None,
    };
    Ok(Totals {
        requests: whole("total", "requests")?,
        first_ns,
        last_ns,
        observed_s: span_ns as f64 / SECOND as f64,
        gap_squares: rows.maybe("total", "gap_squares")?,
        on_grid,
        windows,
        hours,
        exposure_s,
        silence,
        input: rows.tokens("input")?,
        output: rows.tokens("output")?,
        skipped: whole("total", "skipped")?,
        late: 0,
        without_length: whole("total", "without_length")?,
    })
}

impl Rows {
    fn read(text: &str) -> Result<Self, Problem> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader
            .headers()
            .map_err(|error| no_table(&error.to_string()))?;
        let shown = headers.iter().collect::<Vec<_>>().join(",");
        let at = |name: &str| {
            headers
                .iter()
                .position(|header| header.trim().eq_ignore_ascii_case(name))
        };
        let (Some(section), Some(key), Some(value)) = (at("section"), at("key"), at("value"))
        else {
            return Err(no_table(&shown).at("line 1"));
        };
        let mut rows = BTreeMap::new();
        for record in reader.records() {
            let record = record.map_err(|error| no_table(&error.to_string()))?;
            let field = |at: usize| record.get(at).unwrap_or("").trim().to_owned();
            rows.insert((field(section), field(key)), field(value));
        }
        Ok(Self(rows))
    }

    fn get(&self, section: &str, key: &str) -> Option<&str> {
        let value = self.0.get(&(section.to_owned(), key.to_owned()))?;
        let empty = ["", "null", "\\N"]
            .iter()
            .any(|empty| value.eq_ignore_ascii_case(empty));
        (!empty).then_some(value.as_str())
    }

    /// A number of 0 or more.
    fn maybe(&self, section: &str, key: &str) -> Result<Option<f64>, Problem> {
        let Some(text) = self.get(section, key) else {
            return Ok(None);
        };
        let value = text.parse::<f64>().ok();
        let value = value.filter(|value| value.is_finite() && *value >= 0.0);
        value.map(Some).ok_or_else(|| {
            Problem::new("this is not a sum", "不是有效的汇总值")
                .at(format!("{section}, {key}"))
                .found(text)
                .remedy("expected a number of 0 or more", "应为不小于 0 的数")
        })
    }

    fn number(&self, section: &str, key: &str) -> Result<f64, Problem> {
        self.maybe(section, key)?
            .ok_or_else(|| missing(section, key))
    }

    /// Nanoseconds, all of whose digits count.
    fn ns(&self, key: &str) -> Result<i64, Problem> {
        let text = self
            .get("total", key)
            .ok_or_else(|| missing("total", key))?;
        text.parse().map_err(|_| {
            Problem::new(
                "this is not a time in whole nanoseconds",
                "不是以整数纳秒表示的时间",
            )
            .at(format!("total, {key}"))
            .found(text)
            .remedy(
                "save the table's numbers with all their digits",
                "请保存数字的全部位数",
            )
        })
    }

    fn tokens(&self, section: &str) -> Result<Option<Tokens>, Problem> {
        let Some(mean) = self.maybe(section, "mean")? else {
            return Ok(None);
        };
        Ok(Some(Tokens {
            mean,
            p50: self.maybe(section, "p50")?,
            p90: self.maybe(section, "p90")?,
            p95: self.maybe(section, "p95")?,
            p99: self.maybe(section, "p99")?,
            max: self.maybe(section, "max")?,
        }))
    }
}

fn no_table(found: &str) -> Problem {
    Problem::new("this is not a summary table", "不是汇总表")
        .found(found)
        .remedy(
            "run what `inferplan demand --sql` prints, and save its result as CSV with the header section,key,value",
            "请运行 `inferplan demand --sql` 打印的查询，并将结果存为带 section,key,value 表头的 CSV",
        )
}

fn missing(section: &str, key: &str) -> Problem {
    Problem::new("a sum is missing", "缺少一项汇总")
        .at(format!("{section}, {key}"))
        .remedy("save the whole result of the query", "请保存查询的完整结果")
}
