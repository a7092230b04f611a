//! Series and their samples, from either form.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::problem::Problem;

/// One metric with one set of labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    /// Without the engine's prefix.
    pub(super) name: String,
    /// The engine whose metric it is.
    pub(super) engine: Option<&'static str>,
    pub(super) labels: BTreeMap<String, String>,
    /// Times and values, in the order of time.
    pub(super) samples: Vec<(f64, f64)>,
}

impl Series {
    /// What a counter counted: falls are restarts, after which it counted from 0. Of a snapshot, all
    /// that it shows.
    pub(super) fn increase(&self, snapshot: bool) -> f64 {
        if snapshot {
            return self.samples.last().map_or(0.0, |(_, value)| *value);
        }
        let pairs = self.samples.iter().zip(self.samples.iter().skip(1));
        let steps = pairs.map(|((_, before), (_, after))| {
            if after < before {
                *after
            } else {
                after - before
            }
        });
        steps.sum()
    }

    /// The server it is of, by the labels that tell servers apart.
    pub(super) fn server(&self) -> &str {
        let label = ["pod", "instance"]
            .into_iter()
            .find_map(|name| self.labels.get(name));
        label.map_or("", String::as_str)
    }
}

/// A value as Prometheus writes it.
pub(super) fn number(text: &str) -> Option<f64> {
    match text {
        "+Inf" | "Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        "NaN" => None,
        other => other.parse().ok(),
    }
}

/// `vllm:request_success_total` → `request_success_total`, of vllm. Some collectors turn the colon
/// into an underscore.
fn split_engine(name: &str) -> (Option<&'static str>, String) {
    let of = |engine: &&'static str| {
        let rest = name.strip_prefix(*engine)?.strip_prefix([':', '_'])?;
        Some((Some(*engine), rest.to_owned()))
    };
    ["vllm", "sglang", "tgi"]
        .iter()
        .find_map(of)
        .unwrap_or_else(|| (None, name.to_owned()))
}

/// The series of a query's answer, with or without its envelope: a range's, or an instant's, whose
/// series have one sample each.
pub(super) fn answer(value: &Value) -> Result<Vec<Series>, Problem> {
    if let Some(error) = value.get("error").and_then(Value::as_str) {
        return Err(
            Problem::new("Prometheus answered with an error", "Prometheus 返回了错误")
                .at("error")
                .found(error)
                .remedy("mend the query", "请更正查询"),
        );
    }
    let results = value
        .pointer("/data/result")
        .or(value.get("result"))
        .and_then(Value::as_array)
        .filter(|results| !results.is_empty())
        .ok_or_else(|| {
            Problem::new("the answer holds no series", "查询结果中没有序列")
                .at("data.result")
                .remedy(
                    "query the time in which the server served",
                    "请查询服务运行的时间段",
                )
        })?;
    let results = results.iter().enumerate();
    results.map(|(i, result)| series_of(i, result)).collect()
}

fn series_of(i: usize, result: &Value) -> Result<Series, Problem> {
    let metric = result.get("metric").and_then(Value::as_object);
    let mut labels: BTreeMap<String, String> = metric
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    let name = labels.remove("__name__").ok_or_else(|| {
        Problem::new("a series has no name", "序列没有名称")
            .at(format!("data.result[{i}].metric"))
            .remedy(
                "query the metric itself, not a function of it: rates are worked out here",
                "请查询指标本身，而非其函数：速率在此计算",
            )
    })?;
    let many = result.get("values").and_then(Value::as_array);
    let all = many.into_iter().flatten().chain(result.get("value"));
    let mut samples = Vec::new();
    for (j, sample) in all.enumerate() {
        let time = sample.get(0).and_then(Value::as_f64);
        let text = sample.get(1).and_then(Value::as_str);
        let wrong = || {
            Problem::new("is not a sample", "不是样本")
                .at(format!("data.result[{i}].values[{j}]"))
                .found(sample)
                .remedy("expected [time, \"value\"]", "应为 [时间, \"值\"]")
        };
        let (Some(time), Some(text)) = (time, text) else {
            return Err(wrong());
        };
        let value = number(text);
        if value.is_none() && text != "NaN" {
            return Err(wrong());
        }
        // NaN marks a gap in monitoring, which is not zero.
        let value = value.filter(|value| value.is_finite());
        samples.extend(value.map(|value| (time, value)));
    }
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (engine, name) = split_engine(&name);
    Ok(Series {
        name,
        engine,
        labels,
        samples,
    })
}

/// The series of a text exposition: one sample each, at time 0.
pub(super) fn exposition(text: &str) -> Result<Vec<Series>, Problem> {
    let mut series = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = || {
            Problem::new("is not a sample", "不是样本")
                .at(format!("line {}", i + 1))
                .found(line)
                .remedy(
                    "expected name{label=\"value\"} figure",
                    "应为 name{label=\"value\"} 数值",
                )
        };
        let (name, labels, rest) = match line.split_once('{') {
            Some((name, rest)) => {
                let (labels, rest) = labels(rest).ok_or_else(wrong)?;
                (name, labels, rest)
            }
            None => {
                let (name, rest) = line.split_once(char::is_whitespace).ok_or_else(wrong)?;
                (name, BTreeMap::new(), rest)
            }
        };
        let figure = rest.split_whitespace().next().ok_or_else(wrong)?;
        let value = number(figure);
        if value.is_none() && figure != "NaN" {
            return Err(wrong());
        }
        let (engine, name) = split_engine(name.trim());
        let value = value.filter(|value| value.is_finite());
        series.push(Series {
            name,
            engine,
            labels,
            samples: value.map(|value| (0.0, value)).into_iter().collect(),
        });
    }
    Ok(series)
}

/// `a="1",b="x\"y"} 3` → the labels and what stands after the brace.
fn labels(text: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut labels = BTreeMap::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (name, after) = rest.split_once('=')?;
        let mut value = String::new();
        let mut chars = after.strip_prefix('"')?.char_indices();
        let end = loop {
            match chars.next()? {
                (at, '"') => break at,
                (_, '\\') => match chars.next()?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                (_, other) => value.push(other),
            }
        };
        labels.insert(name.trim().to_owned(), value);
        // The opening quote, what is inside, the closing quote.
        rest = after
            .get(1 + end + 1..)?
            .trim_start()
            .trim_start_matches(',')
            .trim_start();
    }
}
