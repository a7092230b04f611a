//! Replicate predictions, one or many. Seconds.
//!
//! `predict_time` is the model's time, queueing is `started_at` − `created_at`. Many predictions give
//! exact quantiles; the time from creation to completion is what a caller sees. How many instances
//! served them is not in the file.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    day,
    problem::{Problem, Problems},
    report::{Arrivals, Metric, Point, Quantiles, Report, samples},
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
        // One that failed early has no time of its own, so any may show it.
        predictions(content).iter().any(|prediction| {
            prediction.pointer("/metrics/predict_time").is_some()
                && prediction.get("created_at").is_some()
        })
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let mut runs: Vec<Run> = Vec::new();
        let mut problems = Vec::new();
        let predictions = predictions(content);
        for (i, prediction) in predictions.iter().enumerate() {
            let run = run_of(&mut runs, prediction);
            match common::text(prediction, "/status").as_deref() {
                Some("failed" | "canceled" | "aborted") => run.failed += 1,
                Some("starting" | "processing") => {}
                _ => match read_prediction(prediction) {
                    Ok(served) => run.served.push(served),
                    Err(problem) => {
                        let path = problem.path.clone().unwrap_or_default();
                        problems.push(problem.at(format!("[{i}].{path}")));
                    }
                },
            }
        }
        if runs.iter().all(|run| run.served.is_empty()) && problems.is_empty() {
            problems.push(
                Problem::new("no prediction has succeeded", "没有成功的预测")
                    .found(predictions.len())
                    .remedy(
                        "give predictions whose status is succeeded",
                        "请给出状态为 succeeded 的预测",
                    ),
            );
        }
        Problems::none_in(problems)?;
        let measured = runs.into_iter().filter(|run| !run.served.is_empty());
        Ok(measured.map(Run::report).collect())
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

/// The predictions of one version of one model.
struct Run {
    model: Option<String>,
    version: Option<String>,
    first_day: Option<crate::Date>,
    served: Vec<Served>,
    failed: u64,
}

/// The run that a prediction is of: an account's list mixes models.
fn run_of<'a>(runs: &'a mut Vec<Run>, prediction: &Value) -> &'a mut Run {
    let model = common::text(prediction, "/model");
    // Official models do not show theirs.
    let version = common::text(prediction, "/version").filter(|version| version != "hidden");
    let known = runs
        .iter()
        .position(|run| run.model == model && run.version == version);
    let at = known.unwrap_or_else(|| {
        let stamp = common::text(prediction, "/created_at");
        runs.push(Run {
            model,
            version,
            first_day: stamp.and_then(|stamp| common::day_of(&stamp)),
            served: Vec::new(),
            failed: 0,
        });
        runs.len() - 1
    });
    &mut runs[at]
}

/// When a prediction was asked for, begun and done, how long the model took, and its tokens.
struct Served {
    created_s: f64,
    started_s: f64,
    completed_s: f64,
    predict_s: f64,
    input_tokens: Option<f64>,
    output_tokens: Option<f64>,
}

fn read_prediction(prediction: &Value) -> Result<Served, Problem> {
    let stamp = |key: &str| -> Result<f64, Problem> {
        let remedy = "2026-03-01T10:15:00Z";
        let (en, zh) = (format!("expected {remedy}"), format!("应为 {remedy}"));
        let text = common::text(prediction, &format!("/{key}"))
            .ok_or_else(|| Problem::new("is missing", "缺失").at(key).remedy(&en, &zh))?;
        day::timestamp_s(&text).ok_or_else(|| {
            Problem::new("is not a time stamp", "不是时间戳")
                .at(key)
                .found(&text)
                .remedy(&en, &zh)
        })
    };
    let served = Served {
        created_s: stamp("created_at")?,
        started_s: stamp("started_at")?,
        completed_s: stamp("completed_at")?,
        predict_s: common::required(prediction, "/metrics/predict_time")?,
        input_tokens: common::optional(prediction, "/metrics/input_token_count"),
        output_tokens: common::optional(prediction, "/metrics/output_token_count"),
    };
    if served.predict_s <= 0.0 {
        return Err(Problem::new("must be above 0", "必须大于 0")
            .at("metrics.predict_time")
            .found(served.predict_s)
            .remedy("leave this prediction out", "请去掉这一条预测"));
    }
    if served.started_s < served.created_s || served.completed_s < served.started_s {
        return Err(
            Problem::new("the time stamps run backwards", "时间戳次序颠倒")
                .at("completed_at")
                .remedy(
                    "expected created_at, started_at and completed_at in that order",
                    "应依次为 created_at、started_at、completed_at",
                ),
        );
    }
    Ok(served)
}

impl Run {
    fn report(self) -> Report {
        let mut report = common::report("replicate", None);
        report.workload.input_tokens = self.mean(|served| served.input_tokens);
        report.workload.output_tokens = self.mean(|served| served.output_tokens);
        report.workload.arrivals = Some(match self.served.as_slice() {
            [_] => Arrivals::Closed,
            _ => Arrivals::Open,
        });
        report.points = vec![self.point()];
        report.warnings = self.notices();
        report.measured_on = self.first_day;
        report.model.name = self.model;
        report.model.revision = self.version;
        report
    }

    /// The mean of a figure that every prediction has.
    fn mean(&self, figure: impl Fn(&Served) -> Option<f64>) -> Option<f64> {
        let sum: Option<f64> = self.served.iter().map(figure).sum();
        Some(sum? / self.served.len() as f64)
    }

    /// One prediction is one request at a time, for as long as the model took. Many come when they
    /// come: what was served is what was offered.
    fn point(&self) -> Point {
        let count = self.served.len() as u64;
        let first = self.served.iter().map(|served| served.created_s);
        let last = self.served.iter().map(|served| served.completed_s);
        let duration_s = last.fold(f64::MIN, f64::max) - first.fold(f64::MAX, f64::min);
        let of = |tokens: Option<f64>, rate: f64| tokens.map(|tokens| tokens * rate);
        let mut point = Point {
            duration_s: Some(duration_s),
            completed: Some(count),
            failed: Some(self.failed),
            ..Point::default()
        };
        let latency = |served: &Served| served.completed_s - served.created_s;
        match self.served.as_slice() {
            [only] => {
                point.concurrency = Some(1.0);
                point.requests_per_s = 1.0 / only.predict_s;
                // One figure is a mean and a largest, and no percentile.
                point.latency_s = Quantiles {
                    mean: Some(latency(only)),
                    max: Some(latency(only)),
                    ..Quantiles::default()
                };
            }
            many => {
                point.requests_per_s = count as f64 / duration_s;
                point.request_rate = Some(point.requests_per_s);
                let latencies = many.iter().map(latency).collect();
                (point.latency_s, point.intervals) = samples::of(Metric::E2e.key(), latencies);
            }
        }
        let rate = point.requests_per_s;
        point.input_tokens_per_s = of(self.mean(|served| served.input_tokens), rate);
        point.output_tokens_per_s = of(self.mean(|served| served.output_tokens), rate);
        point
    }

    fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        let waits = self.served.iter().map(|s| s.started_s - s.created_s);
        let queued = waits.fold(0.0, f64::max);
        if queued > 0.0 {
            notices.push(Notice::new(
                "queueing-included",
                format!("Latencies run from creation to completion; the longest wait before a start was {queued:.3} s."),
                format!("延迟从创建计到完成；启动前最长等待 {queued:.3} 秒。"),
            ));
        }
        let at_once = self.most_at_once();
        if at_once > 1 {
            notices.push(Notice::new(
                "instances-unknown",
                format!("Up to {at_once} predictions ran at once; the file does not say on how many instances, and the rate is of all of them."),
                format!("最多有 {at_once} 个预测同时运行；文件未说明由几个实例处理，速率为其总和。"),
            ));
        }
        notices
    }

    /// The most predictions that ran at one time.
    fn most_at_once(&self) -> i64 {
        let starts = self.served.iter().map(|served| (served.started_s, 1));
        let ends = self.served.iter().map(|served| (served.completed_s, -1));
        let mut events: Vec<(f64, i64)> = starts.chain(ends).collect();
        // An end before a start at the same time.
        events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut now, mut most) = (0, 0);
        for (_, change) in events {
            now += change;
            most = most.max(now);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{import, import_bytes},
        *,
    };

    fn codes(report: &Report) -> Vec<&str> {
        report.warnings.iter().map(|w| w.code.as_str()).collect()
    }

    #[test]
    fn many_predictions_give_exact_quantiles() {
        let report = &import("replicate", "list.json")[0];
        let point = &report.points[0];
        // Four in 10 s, latencies 2, 3, 4 and 5 s; one failed.
        assert_eq!((point.completed, point.failed), (Some(4), Some(1)));
        assert_eq!((point.requests_per_s, point.duration_s), (0.4, Some(10.0)));
        assert_eq!(
            (
                point.latency_s.mean,
                point.latency_s.p50,
                point.latency_s.max
            ),
            (Some(3.5), Some(3.5), Some(5.0))
        );
        assert_eq!(point.intervals.len(), 4);
        assert_eq!(report.model.name.as_deref(), Some("meta/model-8b"));
        assert_eq!(report.workload.arrivals, Some(Arrivals::Open));
        // The first two overlap.
        assert_eq!(codes(report), ["queueing-included", "instances-unknown"]);
    }

    #[test]
    fn one_prediction_is_one_request_at_a_time_and_no_percentile() {
        let point = &import("replicate", "one.json")[0].points[0];
        assert_eq!((point.concurrency, point.requests_per_s), (Some(1.0), 0.5));
        // A second of queueing and two of work.
        assert_eq!(
            (
                point.latency_s.mean,
                point.latency_s.max,
                point.latency_s.p99
            ),
            (Some(3.0), Some(3.0), None)
        );
    }

    /// A page of the API's list: two models, the first prediction failed before it ran.
    #[test]
    fn each_model_is_its_own_report() {
        let reports = import("replicate", "page.json");
        let names: Vec<_> = reports.iter().map(|r| r.model.name.as_deref()).collect();
        assert_eq!(names, [Some("meta/model-8b"), Some("other/model-1b")]);
        let large = &reports[0];
        assert_eq!(large.model.revision, None);
        assert_eq!(reports[1].model.revision.as_deref(), Some("5c7d5dc6"));
        // Two in 4 s: 100 and 300 tokens in, 40 and 60 out.
        let point = &large.points[0];
        assert_eq!((point.completed, point.failed), (Some(2), Some(1)));
        assert_eq!(
            (large.workload.input_tokens, large.workload.output_tokens),
            (Some(200.0), Some(50.0))
        );
        assert_eq!(
            (point.input_tokens_per_s, point.output_tokens_per_s),
            (Some(100.0), Some(25.0))
        );
        assert_eq!(codes(large), [""; 0]);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_remedy() {
        let good = r#"{"status": "succeeded", "created_at": "2026-03-01T10:15:00Z", "started_at": "2026-03-01T10:15:00Z", "completed_at": "2026-03-01T10:15:02Z", "metrics": {"predict_time": 2.0}}"#;
        assert!(import_bytes(good.as_bytes()).is_ok());
        for (from, to, part) in [
            (
                "2026-03-01T10:15:00Z\", \"started",
                "yesterday\", \"started",
                "[0].created_at: is not a time stamp (found yesterday); expected 2026-03-01T10:15:00Z",
            ),
            (
                "\"completed_at\": \"2026-03-01T10:15:02Z\"",
                "\"completed_at\": null",
                "[0].completed_at: is missing",
            ),
            ("10:15:02Z", "10:14:00Z", "the time stamps run backwards"),
            (
                ": 2.0",
                ": NaN",
                "[0].metrics.predict_time: is not a finite number",
            ),
            (
                ": 2.0",
                ": 0",
                "[0].metrics.predict_time: must be above 0 (found 0)",
            ),
            ("succeeded", "failed", "no prediction has succeeded"),
        ] {
            let message = import_bytes(good.replacen(from, to, 1).as_bytes())
                .unwrap_err()
                .to_string();
            assert!(message.contains(part), "{part} in {message}");
        }
    }
}
