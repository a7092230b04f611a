//! Replicate predictions, one or many. Seconds.
//!
//! `predict_time` is the model's time, queueing is `started_at` − `created_at`. Many predictions give
//! exact quantiles; the time from creation to completion is what a caller sees.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    day,
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Quantiles, Report},
    text::Notice,
};

pub(super) struct Replicate;

impl Format for Replicate {
    fn name(&self) -> &'static str {
        "replicate"
    }

    fn marks(&self) -> &'static str {
        "metrics.predict_time, created_at, started_at, completed_at"
    }

    fn recognises(&self, content: &Content) -> bool {
        predictions(content).first().is_some_and(|first| {
            first.pointer("/metrics/predict_time").is_some() && first.get("created_at").is_some()
        })
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let predictions = predictions(content);
        let mut problems = Vec::new();
        let mut finished = Vec::new();
        let mut failed = 0;
        for (i, prediction) in predictions.iter().enumerate() {
            match common::text(prediction, "/status").as_deref() {
                Some("failed" | "canceled" | "aborted") => failed += 1,
                Some("starting" | "processing") => {}
                _ => match read_prediction(prediction) {
                    Ok(times) => finished.push(times),
                    Err(problem) => {
                        let path = problem.path.clone().unwrap_or_default();
                        problems.push(problem.at(format!("[{i}].{path}")));
                    }
                },
            }
        }
        if finished.is_empty() && problems.is_empty() {
            problems.push(
                Problem::new("no prediction has succeeded", "没有成功的预测")
                    .found(predictions.len()),
            );
        }
        Problems::none_in(problems)?;
        let mut report = common::report("replicate", None);
        let first = predictions.first().copied().unwrap_or(&Value::Null);
        report.model.name = common::text(first, "/model");
        report.measured_on =
            common::text(first, "/created_at").and_then(|stamp| common::day_of(&stamp));
        report.points = vec![point(&finished, failed, &mut report.warnings)];
        report.workload.arrivals = Some(if finished.len() == 1 {
            Arrivals::Closed
        } else {
            Arrivals::Open
        });
        Ok(vec![report])
    }
}

fn predictions(content: &Content) -> Vec<&Value> {
    match content.json() {
        Some(Value::Array(items)) => items.iter().collect(),
        // A page of the API's list.
        Some(value) => match value.get("results").and_then(Value::as_array) {
            Some(items) => items.iter().collect(),
            None => vec![value],
        },
        None => Vec::new(),
    }
}

/// When a prediction was asked for and done, and how long the model took.
struct Times {
    created_s: f64,
    completed_s: f64,
    queued_s: f64,
    predict_s: f64,
}

fn read_prediction(prediction: &Value) -> Result<Times, Problem> {
    let stamp = |key: &str| -> Result<f64, Problem> {
        let text = common::text(prediction, &format!("/{key}"))
            .ok_or_else(|| Problem::new("is missing", "缺失").at(key))?;
        day::timestamp_s(&text).ok_or_else(|| {
            Problem::new("is not a time stamp", "不是时间戳")
                .at(key)
                .found(&text)
                .remedy("expected 2026-03-01T10:15:00Z", "应为 2026-03-01T10:15:00Z")
        })
    };
    let (created_s, started_s) = (stamp("created_at")?, stamp("started_at")?);
    Ok(Times {
        created_s,
        completed_s: stamp("completed_at")?,
        queued_s: started_s - created_s,
        predict_s: common::required(prediction, "/metrics/predict_time")?,
    })
}

fn point(finished: &[Times], failed: u64, notices: &mut Vec<Notice>) -> Point {
    let from = finished
        .iter()
        .map(|times| times.created_s)
        .fold(f64::INFINITY, f64::min);
    let to = finished
        .iter()
        .map(|times| times.completed_s)
        .fold(0.0, f64::max);
    let queued = finished
        .iter()
        .map(|times| times.queued_s)
        .fold(0.0, f64::max);
    notices.push(Notice::new(
        "queueing-included",
        format!("Latencies run from creation to completion; the longest wait before a start was {queued:.3} s."),
        format!("延迟从创建计到完成；启动前最长等待 {queued:.3} 秒。"),
    ));
    let one = finished.len() == 1;
    let rate = match finished {
        [only] => 1.0 / only.predict_s,
        _ => finished.len() as f64 / (to - from),
    };
    Point {
        concurrency: one.then_some(1.0),
        request_rate: (!one).then_some(rate),
        duration_s: Some(to - from),
        completed: Some(finished.len() as u64),
        failed: Some(failed),
        requests_per_s: rate,
        latency_s: exact(
            finished
                .iter()
                .map(|times| times.completed_s - times.created_s)
                .collect(),
        ),
        ..Point::default()
    }
}

/// The exact statistics of a sample: the smallest value with at least that share at or below it.
fn exact(mut values: Vec<f64>) -> Quantiles {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = (share * values.len() as f64).ceil().max(1.0) as usize;
        values.get(rank - 1).copied()
    };
    let mut quantiles = Quantiles::default();
    quantiles.set(
        Quantile::Mean,
        Some(values.iter().sum::<f64>() / values.len() as f64),
    );
    for (quantile, share) in [
        (Quantile::P50, 0.5),
        (Quantile::P90, 0.9),
        (Quantile::P95, 0.95),
        (Quantile::P99, 0.99),
        (Quantile::Max, 1.0),
    ] {
        quantiles.set(quantile, at(share));
    }
    quantiles
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};

    #[test]
    fn many_predictions_give_exact_quantiles() {
        let report = &import("replicate", "list.json")[0];
        let point = &report.points[0];
        // Four in 10 s, latencies 2, 3, 4 and 5 s; one failed.
        assert_eq!((point.completed, point.failed), (Some(4), Some(1)));
        assert_eq!(point.requests_per_s, 0.4);
        assert_eq!(
            (
                point.latency_s.mean,
                point.latency_s.p50,
                point.latency_s.max
            ),
            (Some(3.5), Some(3.0), Some(5.0))
        );
        assert_eq!(report.model.name.as_deref(), Some("meta/model-8b"));
    }

    #[test]
    fn one_prediction_is_one_request_at_a_time() {
        let point = &import("replicate", "one.json")[0].points[0];
        assert_eq!((point.concurrency, point.requests_per_s), (Some(1.0), 0.5));
        assert_eq!(
            point.latency_s.mean,
            Some(3.0),
            "a second of queueing and two of work"
        );
    }

    #[test]
    fn a_bad_stamp_is_named() {
        let text = br#"{"status": "succeeded", "created_at": "yesterday", "started_at": "x", "completed_at": "x", "metrics": {"predict_time": 1}}"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(
            message.contains("[0].created_at: is not a time stamp (found yesterday)"),
            "{message}"
        );
    }
}
