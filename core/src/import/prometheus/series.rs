//! Series and their samples, from either form.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::problem::Problem;

/// One metric with one set of labels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    /// Without the engine's prefix.
    pub(super) name: String,
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
        let steps = self.samples.windows(2).map(|pair| {
            let (before, after) = (pair[0].1, pair[1].1);
            if after < before {
                after
            } else {
                after - before
            }
        });
        steps.sum()
    }

    /// The mean of a gauge's samples.
    pub(super) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.samples.iter().map(|(_, value)| value).sum();
        (!self.samples.is_empty()).then(|| sum / self.samples.len() as f64)
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

/// `vllm:request_success_total` → `request_success_total`.
fn bare(name: &str) -> String {
    let name = name.replace(':', "_");
    let prefixes = ["vllm_", "sglang_", "tgi_"];
    let bare = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    bare.unwrap_or(&name).to_owned()
}

/// The series of a range query's answer, with or without its envelope.
pub(super) fn matrix(value: &Value) -> Result<Vec<Series>, Problem> {
    if let Some(error) = value.get("error").and_then(Value::as_str) {
        return Err(
            Problem::new("Prometheus answered with an error", "Prometheus 返回了错误")
                .at("error")
                .found(error),
        );
    }
    let results = value
        .pointer("/data/result")
        .or(value.get("result"))
        .and_then(Value::as_array);
    let mut series = Vec::new();
    for (i, result) in results.into_iter().flatten().enumerate() {
        let mut labels = BTreeMap::new();
        for (name, value) in result
            .get("metric")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            labels.insert(name.clone(), value.as_str().unwrap_or_default().to_owned());
        }
        let name = labels.remove("__name__").ok_or_else(|| {
            Problem::new("a series has no name", "序列没有名称")
                .at(format!("data.result[{i}].metric"))
                .remedy(
                    "query the metric itself, not a function of it: rates are worked out here",
                    "请查询指标本身，而非其函数：速率在此计算",
                )
        })?;
        let mut samples = Vec::new();
        for (j, sample) in result
            .get("values")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            let time = sample.get(0).and_then(Value::as_f64);
            let value = sample.get(1).and_then(Value::as_str);
            let (Some(time), Some(text)) = (time, value) else {
                return Err(Problem::new("is not a sample", "不是样本")
                    .at(format!("data.result[{i}].values[{j}]"))
                    .found(sample)
                    .remedy("expected [time, \"value\"]", "应为 [时间, \"值\"]"));
            };
            // NaN marks a gap in monitoring, which is not zero.
            samples.extend(number(text).map(|value| (time, value)));
        }
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        series.push(Series {
            name: bare(&name),
            labels,
            samples,
        });
    }
    Ok(series)
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
        series.push(Series {
            name: bare(name.trim()),
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
