//! The shapes that MindIE and AISBench give one result: JSON, tables, tables on their side, and
//! what they print in boxes. All become rows of latencies and named totals.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{content::Content, units};
use crate::{problem::Problem, report::Metric};

/// One row of a table of latencies.
pub(super) struct Latency {
    pub(super) name: String,
    stage: Option<String>,
    /// The name of each statistic, and its cell.
    pub(super) cells: Vec<(String, String)>,
}

/// One total of the run.
pub(super) struct Total {
    pub(super) name: String,
    stage: Option<String>,
    pub(super) text: String,
}

/// What a content holds.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) latencies: Vec<Latency>,
    pub(super) totals: Vec<Total>,
}

/// What MindIE names its rows when it writes them without names, in its order.
const UNNAMED: [&str; 8] = ["average", "max", "min", "P75", "P90", "SLO_P90", "P99", "N"];
/// The whole of the run, where stages of it are apart.
const WHOLE: &str = "total";

impl Shape {
    /// The shape of a content; empty for one that is no such result.
    pub(super) fn of(content: &Content) -> Self {
        let mut shape = Self::default();
        if content.has(&["Benchmark Duration", "Request Throughput"]) {
            shape.read_json(content);
        } else if let Some(text) = content.text() {
            for grid in printed(text) {
                shape.read_grid(&grid);
            }
            if shape.latencies.is_empty()
                && shape.totals.is_empty()
                && let Some(table) = content.table()
            {
                let grid: Vec<_> = [table.headers].into_iter().chain(table.rows).collect();
                shape.read_grid(&grid);
            }
        }
        shape
    }

    /// Takes in another part of the same run.
    pub(super) fn join(&mut self, other: Self) {
        self.latencies.extend(other.latencies);
        self.totals.extend(other.totals);
    }

    /// Keeps one stage: the whole run, or the only one there is. Its name, where it has one.
    pub(super) fn keep_one_stage(&mut self) -> Result<Option<String>, Problem> {
        let latencies = self.latencies.iter().filter_map(|row| row.stage.clone());
        let totals = self.totals.iter().filter_map(|total| total.stage.clone());
        let mut stages: BTreeSet<String> = latencies.chain(totals).collect();
        let stage = match stages.take(WHOLE) {
            Some(whole) => whole,
            None if stages.len() < 2 => match stages.pop_first() {
                Some(only) => only,
                None => return Ok(None),
            },
            None => {
                let found: Vec<_> = stages.into_iter().collect();
                return Err(Problem::new(
                    "the result is of several stages, and of none that is the whole",
                    "结果分为多个阶段，但没有整体阶段",
                )
                .at("Stage")
                .found(found.join(", "))
                .remedy("keep the rows of one stage", "请只保留一个阶段的行"));
            }
        };
        let is_kept = |of: &Option<String>| of.as_ref().is_none_or(|of| *of == stage);
        self.latencies.retain(|row| is_kept(&row.stage));
        self.totals.retain(|total| is_kept(&total.stage));
        Ok(Some(stage))
    }

    /// `{ "Total Requests": { "total": 8 } }`, or the values at once.
    fn read_json(&mut self, content: &Content) {
        let text_of = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let fields = content.json().and_then(Value::as_object);
        for (name, value) in fields.into_iter().flatten() {
            let mut add = |stage: Option<&String>, value: &Value| {
                self.totals.push(Total {
                    name: name.clone(),
                    stage: stage.cloned(),
                    text: text_of(value),
                });
            };
            match value {
                Value::Object(stages) => stages.iter().for_each(|(stage, v)| add(Some(stage), v)),
                value => add(None, value),
            }
        }
    }

    /// A header and rows, upright or on its side.
    fn read_grid(&mut self, grid: &[Vec<String>]) {
        let Some((header, rows)) = grid.split_first() else {
            return;
        };
        let has = |names: &[&str]| names.iter().all(|name| header.iter().any(|h| h == name));
        if has(&["FirstTokenTime", "GenerateTime"]) {
            return self.read_sideways(header, rows);
        }
        if has(&["TimeElapsed", "Throughput"]) {
            let cells = rows
                .first()
                .into_iter()
                .flat_map(|row| header.iter().zip(row));
            self.totals.extend(cells.map(|(name, text)| Total {
                name: name.clone(),
                stage: None,
                text: text.clone(),
            }));
            return;
        }
        let Some(first) = header.first() else { return };
        let stage = header.iter().position(|h| h == "Stage" || h == "阶段");
        let stage_of = |row: &[String]| row.get(stage?).cloned();
        let has_statistics = header.iter().any(|h| statistic(h).is_some());
        match first.as_str() {
            "Performance Parameters" | "Metric" | "性能参数" | "指标" if has_statistics => {
                let latencies = rows.iter().map(|row| Latency {
                    name: row.first().cloned().unwrap_or_default(),
                    stage: stage_of(row),
                    cells: header
                        .iter()
                        .cloned()
                        .zip(row.iter().cloned())
                        .skip(1)
                        .collect(),
                });
                let latencies: Vec<_> = latencies.collect();
                if latencies.iter().any(|row| metric(&row.name).is_some()) {
                    self.latencies.extend(latencies);
                }
            }
            "Common Metric" | "公共指标" | "通用指标" => {
                self.totals.extend(rows.iter().map(|row| Total {
                    name: row.first().cloned().unwrap_or_default(),
                    stage: stage_of(row),
                    text: row.last().cloned().unwrap_or_default(),
                }));
            }
            _ => {}
        }
    }

    /// A column a metric. The rows have no names unless an index was written.
    fn read_sideways(&mut self, header: &[String], rows: &[Vec<String>]) {
        let named = header.first().is_some_and(|name| name.is_empty());
        let unnamed: Vec<&str> = match rows.len() {
            8 => UNNAMED.to_vec(),
            // Before the quantile of means per request was added.
            7 => UNNAMED
                .into_iter()
                .filter(|name| *name != "SLO_P90")
                .collect(),
            _ => Vec::new(),
        };
        for (column, name) in header.iter().enumerate().skip(usize::from(named)) {
            let cell = |(i, row): (usize, &Vec<String>)| {
                let statistic = match named {
                    true => row.first()?.clone(),
                    false => (*unnamed.get(i)?).to_owned(),
                };
                Some((statistic, row.get(column)?.clone()))
            };
            self.latencies.push(Latency {
                name: name.clone(),
                stage: None,
                cells: rows.iter().enumerate().filter_map(cell).collect(),
            });
        }
    }
}

/// Tables printed in boxes, of whatever lines: each begins where a header does.
fn printed(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut grids: Vec<Vec<Vec<String>>> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let edge = ['│', '|'].into_iter().find(|edge| line.starts_with(*edge));
        let Some(edge) = edge else { continue };
        let inside = line.trim_start_matches(edge).trim_end_matches(edge);
        let row: Vec<String> = inside.split(edge).map(|c| c.trim().to_owned()).collect();
        let is_header = row.first().is_some_and(|first| {
            matches!(
                first.as_str(),
                "Performance Parameters" | "Metric" | "Common Metric"
            )
        });
        match grids.last_mut() {
            _ if is_header => grids.push(vec![row]),
            Some(grid) => grid.push(row),
            None => {}
        }
    }
    grids
}

/// Rows of latencies, without spaces and in lower case.
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

/// The metric of a row, by its name without the unit.
pub(super) fn metric(name: &str) -> Option<Metric> {
    let name = plain(name);
    METRICS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, metric)| *metric)
}

/// The statistic of a column, by its name without the unit.
pub(super) fn statistic(header: &str) -> Option<crate::report::Quantile> {
    units::quantile(units::split_unit(header).0)
}

/// A name as it is compared: without a unit and spaces, in lower case.
pub(super) fn plain(name: &str) -> String {
    units::split_unit(name).0.to_lowercase().replace(' ', "")
}
