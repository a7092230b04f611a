//! Joining the files of one sweep into one report.

use serde_json::Value;

use super::{Point, Report};
use crate::text::Notice;

/// Lengths drawn at random differ a little from run to run of one workload.
const SAME_LENGTH_WITHIN: f64 = 0.05;

/// Joins reports of the same system, model and workload, points ordered by load; unlike ones stay
/// apart, in the order given. Points that are the same to the last digit are kept once, and
/// counted in a warning.
#[must_use]
pub fn merge(reports: Vec<Report>) -> Vec<Report> {
    let mut merged: Vec<Report> = Vec::new();
    for report in reports {
        match merged
            .iter_mut()
            .find(|into| difference(into, &report).is_none())
        {
            Some(into) => join(into, report),
            None => merged.push(report),
        }
    }
    for report in &mut merged {
        report
            .points
            .sort_by(|a, b| load_of(a).total_cmp(&load_of(b)));
    }
    rename_twins(&mut merged);
    merged
}

/// What keeps two reports from being one sweep: the path of the first field that differs, and its
/// value in each.
#[must_use]
pub fn difference(a: &Report, b: &Report) -> Option<(String, String, String)> {
    let (mut one, mut other) = (a.clone(), b.clone());
    for (length, like) in [
        (&mut other.workload.input_tokens, one.workload.input_tokens),
        (
            &mut other.workload.output_tokens,
            one.workload.output_tokens,
        ),
    ] {
        if let (Some(x), Some(y)) = (*length, like)
            && (x - y).abs() <= SAME_LENGTH_WITHIN * x.max(y)
        {
            *length = like;
        }
    }
    for report in [&mut one, &mut other] {
        // What may differ from run to run of one sweep.
        report.id.clear();
        report.measured_on = None;
        report.attribution = None;
        report.points.clear();
        report.stated.clear();
        report.warnings.clear();
    }
    let value = |report: &Report| serde_json::to_value(report).unwrap_or_default();
    first_difference("", &value(&one), &value(&other))
}

fn first_difference(path: &str, a: &Value, b: &Value) -> Option<(String, String, String)> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => a.iter().find_map(|(key, value)| {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            first_difference(&path, value, b.get(key).unwrap_or(&Value::Null))
        }),
        (a, b) if a == b => None,
        (a, b) => Some((path.to_owned(), a.to_string(), b.to_string())),
    }
}

fn join(into: &mut Report, from: Report) {
    let weight = |report: &Report| -> f64 {
        let requests = report
            .points
            .iter()
            .map(|p| p.completed.unwrap_or(1) as f64);
        requests.sum::<f64>().max(1.0)
    };
    let (a, b) = (weight(into), weight(&from));
    let mean = |x: Option<f64>, y: Option<f64>| match (x, y) {
        (Some(x), Some(y)) if x == y => Some(x),
        (Some(x), Some(y)) => Some((x * a + y * b) / (a + b)),
        (x, y) => x.or(y),
    };
    into.workload.input_tokens = mean(into.workload.input_tokens, from.workload.input_tokens);
    into.workload.output_tokens = mean(into.workload.output_tokens, from.workload.output_tokens);
    into.measured_on = into.measured_on.max(from.measured_on);
    let mut twice = 0;
    for point in from.points {
        if into.points.contains(&point) {
            twice += 1;
        } else {
            into.points.push(point);
        }
    }
    for notice in from.warnings {
        if !into.warnings.contains(&notice) {
            into.warnings.push(notice);
        }
    }
    if twice > 0 {
        into.warnings.push(Notice::new(
            "same-run-twice",
            format!("{twice} run(s) were given twice and count once."),
            format!("有 {twice} 次运行被重复给出，只计一次。"),
        ));
    }
}

fn load_of(point: &Point) -> f64 {
    point
        .request_rate
        .or(point.concurrency)
        .unwrap_or(f64::INFINITY)
}

/// Numbers the ids of reports that would otherwise share one.
fn rename_twins(reports: &mut [Report]) {
    for i in 1..reports.len() {
        let base = reports[i].id.clone();
        let mut n = 1;
        while reports[..i]
            .iter()
            .any(|earlier| earlier.id == reports[i].id)
        {
            n += 1;
            reports[i].id = format!("{base}-{n}");
        }
    }
}
