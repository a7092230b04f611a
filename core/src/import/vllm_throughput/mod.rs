//! vLLM's `bench throughput`: offline, everything given at once. Its `--output-json`, the record for
//! PyTorch's dashboard beside it, and what it prints.
//!
//! There is no latency in it. `tokens_per_second` counts input and output together, so it becomes a
//! figure of ours only where something else tells the two apart: the output rate that newer versions
//! print, or lengths in the arguments that add up to the total.

pub(super) mod offline;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use super::{Format, Options, common, content::Content, fields::Fields};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Report},
    text::Notice,
};

pub(super) struct VllmThroughput;

/// What a dashboard's record says of the whole run.
const TOTALS: [&str; 3] = ["elapsed_time", "num_requests", "total_num_tokens"];
/// Rates are printed to two digits behind the point; below this a length from two of them is off
/// by more than half a percent.
const LEAST_EXACT_RATE: f64 = 1.0;

impl Format for VllmThroughput {
    fn name(&self) -> &'static str {
        "vllm-throughput"
    }

    fn marks(&self) -> &'static str {
        "elapsed_time, num_requests, total_num_tokens, requests_per_second"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.has(&["elapsed_time", "num_requests", "requests_per_second"])
            || offline::metric(content, &TOTALS).is_some()
            || content
                .text()
                .is_some_and(|text| text.lines().any(is_result))
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let maps = match content {
            Content::Text(text) => printed(text)?,
            Content::Json(record) if offline::metric(content, &TOTALS).is_some() => {
                // One record a metric: the first holds what there is to know.
                match dashboard(record) {
                    Some(map) => vec![map],
                    None => return Ok(Vec::new()),
                }
            }
            Content::Json(Value::Object(map)) => vec![map.clone()],
            _ => {
                return Err(Problem::new("is not a JSON object", "不是 JSON 对象").into());
            }
        };
        let is_printed = content.text().is_some();
        let (mut reports, mut problems) = (Vec::new(), Vec::new());
        for map in &maps {
            match read_run(map, is_printed) {
                Ok(report) => reports.push(report),
                Err(found) => problems.extend(found),
            }
        }
        if reports.is_empty() && problems.is_empty() {
            problems.push(
                Problem::new("there is no result line", "没有结果行").remedy(
                    "paste from the line `Throughput: … requests/s` on",
                    "请从 `Throughput: … requests/s` 一行开始粘贴",
                ),
            );
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

/// A dashboard's record of the request rate, as the tool's own result.
fn dashboard(record: &Value) -> Option<Map<String, Value>> {
    let is_rate = record.pointer("/metric/name")?.as_str()? == "requests_per_second";
    let rate = record.pointer("/metric/benchmark_values/0")?;
    let mut map = offline::flattened(record);
    map.insert("requests_per_second".to_owned(), rate.clone());
    is_rate.then_some(map)
}

fn is_result(line: &str) -> bool {
    let rates = line.trim_start().strip_prefix("Throughput:");
    rates.is_some_and(|rates| rates.contains(" requests/s"))
}

/// What was printed, each result line with the arguments before it and the totals after it.
fn printed(text: &str) -> Result<Vec<Map<String, Value>>, Problem> {
    let mut maps: Vec<Map<String, Value>> = Vec::new();
    let mut before = String::new();
    for line in text.lines().map(str::trim) {
        if is_result(line) {
            let mut map = rates(line)?;
            offline::add_arguments(&mut map, &before);
            maps.push(map);
            before.clear();
            continue;
        }
        let total = line.split_once(':').and_then(|(name, count)| {
            let key = match name {
                "Total num prompt tokens" => "total_prompt_tokens",
                "Total num output tokens" => "total_output_tokens",
                _ => return None,
            };
            Some((key, count.trim().parse::<u64>().ok()?))
        });
        match (total, maps.last_mut()) {
            (Some((key, count)), Some(map)) => {
                map.insert(key.to_owned(), json!(count));
            }
            _ => {
                before.push_str(line);
                before.push('\n');
            }
        }
    }
    Ok(maps)
}

/// `Throughput: 7.15 requests/s, 4656.00 total tokens/s, 1072.15 output tokens/s`.
fn rates(line: &str) -> Result<Map<String, Value>, Problem> {
    let mut map = Map::new();
    let figures = line.split_once(':').map_or("", |(_, figures)| figures);
    for part in figures.split(", ") {
        let (number, unit) = part.trim().split_once(' ').unwrap_or((part.trim(), ""));
        let key = match unit {
            "requests/s" => "requests_per_second",
            "tokens/s" | "total tokens/s" => "tokens_per_second",
            "output tokens/s" => "output_tokens_per_second",
            _ => {
                return Err(Problem::new("the unit is not known", "单位未知")
                    .at("Throughput")
                    .found(part.trim())
                    .remedy(
                        "expected requests/s, total tokens/s or output tokens/s",
                        "应为 requests/s、total tokens/s 或 output tokens/s",
                    ));
            }
        };
        let value = number.parse::<f64>().ok().filter(|n| n.is_finite());
        map.insert(key.to_owned(), value.map_or(json!(number), |n| json!(n)));
    }
    Ok(map)
}

fn read_run(map: &Map<String, Value>, is_printed: bool) -> Result<Report, Problems> {
    let fields = Fields::of(map);
    fields.skip(&["num_iters_warmup", "batch_size"]);
    let mut notices = Vec::new();
    // The time is not printed.
    let duration_s = if is_printed {
        None
    } else {
        Some(fields.required("elapsed_time"))
    };
    let sent = fields.count("num_prompts");
    let completed = fields.count("num_requests").or(sent);
    let stated = fields.required("requests_per_second");
    let requests_per_s = match duration_s {
        Some(duration_s) => common::rate(stated, completed, duration_s, &mut notices),
        None => stated,
    };
    let lengths = lengths(&fields, completed);
    if lengths.is_none() {
        notices.push(total_only());
    }
    let mut report = common::report("vllm bench throughput", None);
    offline::describe(&fields, &mut report);
    let (problems, more) = fields.finish();
    Problems::none_in(problems)?;
    notices.extend(more);
    report.workload.arrivals = Some(Arrivals::Burst);
    report.workload.input_tokens = lengths.map(|(input, _)| input);
    report.workload.output_tokens = lengths.map(|(_, output)| output);
    report.points = vec![Point {
        duration_s,
        completed,
        requests_per_s,
        input_tokens_per_s: lengths.map(|(input, _)| input * requests_per_s),
        output_tokens_per_s: lengths.map(|(_, output)| output * requests_per_s),
        ..Point::default()
    }];
    report.warnings = notices;
    Ok(report)
}

/// Mean input and output tokens a request, where something tells them apart.
fn lengths(fields: &Fields<'_>, completed: Option<u64>) -> Option<(f64, f64)> {
    let all = fields.figure("tokens_per_second");
    let output = fields.figure("output_tokens_per_second");
    let requests = fields.figure("requests_per_second");
    let (total_input, total_output) = (
        fields.figure("total_prompt_tokens"),
        fields.figure("total_output_tokens"),
    );
    let total = fields.figure("total_num_tokens");
    let (input_len, output_len) = (fields.figure("input_len"), fields.figure("output_len"));
    let sequences = fields.figure("n").unwrap_or(1.0);
    let count = completed
        .filter(|count| *count > 0)
        .map(|count| count as f64);
    if let (Some(input), Some(output), Some(count)) = (total_input, total_output, count) {
        return Some((input / count, output / count));
    }
    if let (Some(input), Some(output), Some(count), Some(total)) =
        (input_len, output_len, count, total)
    {
        let output = output * sequences;
        return ((input + output) * count == total).then_some((input, output));
    }
    let requests = requests.filter(|rate| *rate >= LEAST_EXACT_RATE)?;
    let (all, output) = (all?, output?);
    (all >= output).then(|| ((all - output) / requests, output / requests))
}

fn total_only() -> Notice {
    Notice::new(
        "total-is-input-and-output",
        "tokens_per_second counts input and output tokens together, so it is not taken as output.",
        "tokens_per_second 同时计入输入与输出 token，因此不作为输出吞吐。",
    )
}
