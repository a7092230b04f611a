//! vLLM's `bench latency`: one batch, run again and again. Its `--output-json`, the record for
//! PyTorch's dashboard beside it, and what it prints. Seconds.
//!
//! Every time is that of a whole batch, whose requests start and end together. Without the batch's
//! size it says nothing of a rate. The tool's own file does not hold it, the other two may; else
//! the user states it as the concurrency.

use serde_json::{Map, Value, json};

use super::{
    Format, Options, common, content::Content, fields::Fields, units, vllm_throughput::offline,
};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Quantiles, Report},
    text::Notice,
};

pub(super) struct VllmLatency;

/// What a dashboard's record says of the whole run.
const TOTALS: [&str; 2] = ["avg_latency", "percentiles"];
const AVERAGE: &str = "Avg latency:";
const PERCENTILE: &str = "% percentile latency";

impl Format for VllmLatency {
    fn name(&self) -> &'static str {
        "vllm-latency"
    }

    fn marks(&self) -> &'static str {
        "avg_latency, latencies, percentiles"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.has(&["avg_latency", "latencies", "percentiles"])
            || offline::metric(content, &TOTALS) == Some("latency")
            || content.text().is_some_and(|text| {
                let starts = |line: &str| line.trim_start().starts_with(AVERAGE);
                text.lines().any(starts) && text.contains(PERCENTILE)
            })
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let maps = match content {
            Content::Text(text) => printed(text)?,
            Content::Json(record) if offline::metric(content, &TOTALS).is_some() => {
                vec![offline::flattened(record)]
            }
            Content::Json(Value::Object(map)) => vec![map.clone()],
            _ => {
                return Err(Problem::new("is not a JSON object", "不是 JSON 对象").into());
            }
        };
        let (mut reports, mut problems) = (Vec::new(), Vec::new());
        for map in &maps {
            match read_run(map, options) {
                Ok(report) => reports.push(report),
                Err(found) => problems.extend(found),
            }
        }
        if reports.is_empty() && problems.is_empty() {
            problems.push(Problem::new("there is no result", "没有结果").remedy(
                "paste from the line `Avg latency: … seconds` on",
                "请从 `Avg latency: … seconds` 一行开始粘贴",
            ));
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

/// What was printed, each run with the arguments before it.
fn printed(text: &str) -> Result<Vec<Map<String, Value>>, Problem> {
    let mut maps: Vec<Map<String, Value>> = Vec::new();
    let mut before = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(figure) = line.strip_prefix(AVERAGE) {
            let mut map = Map::from_iter([
                ("avg_latency".to_owned(), seconds("Avg latency", figure)?),
                ("percentiles".to_owned(), json!({})),
            ]);
            offline::add_arguments(&mut map, &before);
            maps.push(map);
            before.clear();
        } else if let Some((percent, figure)) = percentile(line)
            && let Some(Value::Object(percentiles)) =
                maps.last_mut().and_then(|map| map.get_mut("percentiles"))
        {
            percentiles.insert(percent.to_owned(), seconds(line, figure)?);
        } else {
            before.push_str(line);
            before.push('\n');
        }
    }
    Ok(maps)
}

/// `99% percentile latency: 2.6 seconds` → `99` and ` 2.6 seconds`.
fn percentile(line: &str) -> Option<(&str, &str)> {
    let (name, figure) = line.split_once(':')?;
    Some((name.strip_suffix(PERCENTILE)?, figure))
}

/// `2.6 seconds`, by the unit that is there.
fn seconds(place: &str, figure: &str) -> Result<Value, Problem> {
    let (number, unit) = figure.trim().split_once(' ').unwrap_or((figure.trim(), ""));
    let per_second = units::per_second(unit).ok_or_else(|| {
        Problem::new("the unit is not known", "单位未知")
            .at(place)
            .found(figure.trim())
            .remedy("expected seconds", "应为 seconds（秒）")
    })?;
    Ok(match number.parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number / per_second),
        _ => json!(number),
    })
}

fn read_run(map: &Map<String, Value>, options: &Options) -> Result<Report, Problems> {
    let fields = Fields::of(map);
    fields.skip(&["latencies", "std_latency", "percentiles", "num_prompts"]);
    let mean = fields.required("avg_latency");
    if mean <= 0.0 {
        fields.problem(
            Problem::new("must be above 0", "必须大于 0")
                .at("avg_latency")
                .found(mean)
                .remedy(
                    "the seconds that a batch took on average",
                    "应为一批请求的平均耗时（秒）",
                ),
        );
    }
    let batch = fields
        .figure("batch_size")
        .or(options.stated.concurrency)
        .unwrap_or_else(|| {
            fields.problem(
                Problem::new("the file does not hold the batch size", "文件未说明批大小")
                    .at("batch_size")
                    .remedy("state it: --concurrency N", "请注明：--concurrency N"),
            );
            f64::NAN
        });
    let latency_s = statistics(map, mean, &fields);
    let input = fields.figure("input_len");
    // Several sequences a prompt are all of a request's output.
    let sequences = fields.figure("n").unwrap_or(1.0);
    let output = fields.figure("output_len").map(|tokens| tokens * sequences);
    let warmup = fields.count("num_iters_warmup");
    let mut report = common::report("vllm bench latency", None);
    offline::describe(&fields, &mut report);
    let (problems, notices) = fields.finish();
    Problems::none_in(problems)?;
    let requests_per_s = batch / mean;
    report.workload.arrivals = Some(Arrivals::Closed);
    report.workload.input_tokens = input;
    report.workload.output_tokens = output;
    report.workload.warmup_requests = warmup.map(|batches| (batches as f64 * batch) as u64);
    report.points = vec![Point {
        concurrency: Some(batch),
        requests_per_s,
        input_tokens_per_s: input.map(|tokens| tokens * requests_per_s),
        output_tokens_per_s: output.map(|tokens| tokens * requests_per_s),
        latency_s,
        ..Point::default()
    }];
    report.warnings = notices;
    report.warnings.push(of_batches(batch));
    Ok(report)
}

/// The mean and the percentiles, whose keys are percents as texts: `"50"`, `"99"`.
fn statistics(map: &Map<String, Value>, mean: f64, fields: &Fields<'_>) -> Quantiles {
    let mut quantiles = Quantiles {
        mean: Some(mean),
        ..Quantiles::default()
    };
    let percentiles = map.get("percentiles").and_then(Value::as_object);
    for (name, value) in percentiles.into_iter().flatten() {
        let Some(quantile) = units::quantile(name).filter(|q| *q != Quantile::Mean) else {
            continue;
        };
        match value {
            Value::Number(number) => quantiles.set(quantile, number.as_f64()),
            // What is not finite was not measured.
            Value::Null => {}
            Value::String(word) if matches!(word.as_str(), "NaN" | "nan" | "Infinity" | "inf") => {}
            other => fields.problem(
                Problem::new("is not a number", "不是数字")
                    .at(format!("percentiles.{name}"))
                    .found(other)
                    .remedy("expected seconds", "应为秒数"),
            ),
        }
    }
    quantiles
}

fn of_batches(batch: f64) -> Notice {
    Notice::new(
        "batch-latency",
        format!(
            "Every time is that of a whole batch of {batch} requests that start and end together, and the percentiles are of batches; requests that arrive one by one wait for each other."
        ),
        format!(
            "所有时间都是 {batch} 个请求同时开始、同时结束的整批耗时，分位数也按批统计；陆续到达的请求会互相等待。"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{fixture, import, import_bytes, import_with},
        *,
    };

    fn stated(batch: f64) -> Options {
        let mut options = Options::default();
        options.stated.concurrency = Some(batch);
        options
    }

    fn error(text: &str) -> String {
        let problems = import_with(text.as_bytes(), stated(8.0)).unwrap_err();
        problems.to_string()
    }

    #[test]
    fn a_batch_s_time_becomes_a_rate_only_with_its_size() {
        let bytes = fixture("vllm-latency", "result.json");
        let message = import_bytes(&bytes).unwrap_err().to_string();
        assert!(
            message.contains("batch_size") && message.contains("--concurrency"),
            "{message}"
        );
        let report = import_with(&bytes, stated(8.0)).unwrap().remove(0);
        let point = &report.points[0];
        assert_eq!(point.requests_per_s, 4.0); // 8 in 2 s
        assert_eq!(point.concurrency, Some(8.0));
        assert_eq!(
            (point.latency_s.mean, point.latency_s.p50),
            (Some(2.0), Some(1.9))
        );
        assert_eq!(
            (point.latency_s.p90, point.latency_s.p99),
            (Some(2.3), Some(2.6))
        );
        // A time to the first token is not in it, nor are the lengths.
        assert_eq!(point.ttft_s, Quantiles::default());
        assert_eq!(point.output_tokens_per_s, None);
        assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
        let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
        assert_eq!(codes, ["batch-latency"]);
    }

    /// 16 prompts of 1024 in and 2 × 64 out, in 4 s.
    #[test]
    fn the_dashboard_s_record_holds_the_batch_and_the_lengths() {
        let report = import("vllm-latency", "result.pytorch.json").remove(0);
        let point = &report.points[0];
        assert_eq!((point.concurrency, point.requests_per_s), (Some(16.0), 4.0));
        assert_eq!(point.input_tokens_per_s, Some(4096.0));
        assert_eq!(point.output_tokens_per_s, Some(512.0));
        assert_eq!(point.latency_s.p99, Some(4.4));
        assert_eq!(report.workload.input_tokens, Some(1024.0));
        assert_eq!(report.workload.output_tokens, Some(128.0));
        assert_eq!(report.workload.warmup_requests, Some(160));
        assert_eq!(report.model.name.as_deref(), Some("org/model-8b"));
        assert_eq!(report.model.precision.as_deref(), Some("bf16"));
        assert_eq!(report.system.accelerators, Some(2));
        assert_eq!(report.system.engine.unwrap().name, "vllm");
    }

    #[test]
    fn what_is_printed_is_read_with_the_arguments_before_it() {
        let reports = import("vllm-latency", "printed.txt");
        assert_eq!(reports.len(), 1);
        let points = &reports[0].points;
        assert_eq!(points[0].concurrency, Some(8.0));
        assert_eq!(
            (points[0].requests_per_s, points[1].requests_per_s),
            (4.0, 6.4)
        );
        assert_eq!(points[1].concurrency, Some(16.0));
        assert_eq!(points[1].latency_s.p90, Some(2.75));
        assert_eq!(reports[0].workload.output_tokens, Some(128.0));
    }

    #[test]
    fn malformed_results_name_the_field() {
        let result = r#"{"avg_latency": 2.0, "latencies": [2.0], "percentiles": {"99": 2.6}}"#;
        for (from, to, part) in [
            ("2.0,", "NaN,", "avg_latency: is not a finite number"),
            ("2.0,", "\"2 s\",", "avg_latency: is not a number"),
            ("2.0,", "0.0,", "avg_latency: must be above 0"),
            ("2.6", "\"slow\"", "percentiles.99: is not a number"),
            ("2.6", "-2.6", "latency_s.p99: is negative"),
        ] {
            let message = error(&result.replacen(from, to, 1));
            assert!(message.contains(part), "{part} in {message}");
        }
        let lost = import_with(result.replace("2.6", "NaN").as_bytes(), stated(8.0)).unwrap();
        assert_eq!(lost[0].points[0].latency_s.p99, None);
        let text = "Avg latency: 2000 fortnights\n99% percentile latency: 3 fortnights\n";
        assert!(error(text).contains("Avg latency: the unit is not known (found 2000 fortnights)"));
    }
}
