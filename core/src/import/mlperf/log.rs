//! What a summary or a detailed log says, under one set of names for both.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::units;
use crate::problem::Problem;

/// How a line of the detailed log begins.
pub(super) const LINE: &str = ":::MLLOG ";

/// What stands for nothing measured: the largest safe integer and the largest float.
const SENTINELS: [f64; 2] = [9_007_199_254_740_991.0, f64::MAX];

/// The summary's lines that are read, in lower case.
const LINES: [&str; 14] = [
    "scenario",
    "mode",
    "result is",
    "samples per second",
    "tokens per second",
    "scheduled samples per second",
    "completed samples per second",
    "completed tokens per second",
    "qps w/ loadgen overhead",
    "tps w/ loadgen overhead",
    "target_qps",
    "samples_per_query",
    "tokens per second (inferred)",
    "completed tokens per second (inferred)",
];

/// The detailed log's keys that are read, and the summary's words for them.
const KEYS: [(&str, &str); 17] = [
    ("loadgen_version", "version"),
    ("test_datetime", "date"),
    ("effective_scenario", "scenario"),
    ("effective_test_mode", "mode"),
    ("effective_target_qps", "target_qps"),
    ("effective_samples_per_query", "samples_per_query"),
    ("result_validity", "result is"),
    ("result_query_count", "queries"),
    ("result_samples_per_second", "samples per second"),
    ("result_tokens_per_second", "tokens per second"),
    ("result_inferred_tokens_per_second", "tokens per second"),
    (
        "result_scheduled_samples_per_sec",
        "scheduled samples per second",
    ),
    (
        "result_completed_samples_per_sec",
        "completed samples per second",
    ),
    (
        "result_completed_tokens_per_second",
        "completed tokens per second",
    ),
    (
        "result_inferred_completed_tokens_per_second",
        "completed tokens per second",
    ),
    (
        "result_qps_with_loadgen_overhead",
        "qps w/ loadgen overhead",
    ),
    (
        "result_token_throughput_with_loadgen_overhead",
        "tps w/ loadgen overhead",
    ),
];

/// The rules of the test, as the detailed log names them, and the summary's words for them.
const RULES: [(&str, &str); 4] = [
    ("result_perf_constraints_met", "performance constraints"),
    ("result_min_duration_met", "min duration"),
    ("result_min_queries_met", "min queries"),
    ("early_stopping_met", "early stopping"),
];

/// Names and values. Latencies stand as `e2e p99`, in nanoseconds.
#[derive(Default)]
pub(super) struct Log {
    values: BTreeMap<String, String>,
    /// The rules of the test that the run broke.
    pub(super) broken: Vec<&'static str>,
}

impl Log {
    /// Reads a summary.
    pub(super) fn of_summary(text: &str) -> Result<Self, Problem> {
        let mut log = Self::default();
        for line in text.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let (name, value) = (name.trim().to_lowercase(), value.trim());
            if let Some(rule) = name.strip_suffix(" satisfied") {
                let known = RULES.into_iter().find(|(_, words)| *words == rule);
                let broken = known.filter(|_| value.eq_ignore_ascii_case("no"));
                log.broken.extend(broken.map(|(_, words)| words));
            } else if LINES.contains(&name.as_str()) {
                log.set(name.trim_end_matches(" (inferred)"), value);
            } else if let Some((latency, unit)) = latency_line(&name) {
                if unit != "ns" {
                    let problem = Problem::new("is not in nanoseconds", "单位不是纳秒");
                    return Err(problem.at(name).found(value).remedy(
                        "LoadGen writes (ns): give the file as it wrote it",
                        "LoadGen 写出的单位为 (ns)：请给出其原始文件",
                    ));
                }
                log.set(&latency, value);
            }
        }
        Ok(log)
    }

    /// Reads a detailed log.
    pub(super) fn of_detail(text: &str) -> Self {
        let mut log = Self::default();
        let entries = text.lines().filter_map(|line| line.strip_prefix(LINE));
        for entry in entries.filter_map(|json| serde_json::from_str::<Value>(json).ok()) {
            let (Some(key), Some(value)) =
                (entry.get("key").and_then(Value::as_str), entry.get("value"))
            else {
                continue;
            };
            if let Some((_, words)) = RULES.into_iter().find(|(name, _)| *name == key) {
                log.broken
                    .extend((value == &Value::Bool(false)).then_some(words));
                continue;
            }
            let known = KEYS.into_iter().find(|(name, _)| *name == key);
            let name = known.map(|(_, words)| words.to_owned());
            if let Some(name) = name.or_else(|| latency_key(key)) {
                match value {
                    Value::String(text) => log.set(&name, text),
                    value => log.set(&name, &value.to_string()),
                }
            }
        }
        log
    }

    /// One run's two files: the detailed log has every figure to its last digit, the summary some
    /// that older versions log nowhere else.
    ///
    /// # Errors
    /// Files of two runs.
    pub(super) fn joined(summary: Self, detail: Self) -> Result<Self, Problem> {
        for name in ["scenario", "e2e mean"] {
            if let (Some(one), Some(other)) = (summary.values.get(name), detail.values.get(name))
                && one != other
            {
                return Err(Problem::new(
                    "the summary and the detailed log are of different runs",
                    "摘要与详细日志不属于同一次运行",
                )
                .at(name)
                .found(format!("{one}, {other}"))
                .remedy(
                    "give one run's folder at a time",
                    "请一次给出一次运行的目录",
                ));
            }
        }
        let mut values = summary.values;
        values.extend(detail.values);
        let broken = match detail.broken.is_empty() {
            true => summary.broken,
            false => detail.broken,
        };
        Ok(Self { values, broken })
    }

    /// Keeps the first value of a name: the summary repeats some of its figures.
    fn set(&mut self, name: &str, value: &str) {
        self.values
            .entry(name.to_owned())
            .or_insert_with(|| value.to_owned());
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A figure; one that is not finite is missing.
    pub(super) fn figure(&self, name: &str) -> Result<Option<f64>, Problem> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        match text.parse::<f64>() {
            Ok(figure) => {
                Ok(Some(figure).filter(|n| n.is_finite() && !SENTINELS.contains(&n.abs())))
            }
            Err(_) => Err(Problem::new("is not a number", "不是数字")
                .at(name)
                .found(text)
                .remedy(
                    "give the file as LoadGen wrote it",
                    "请给出 LoadGen 的原始文件",
                )),
        }
    }

    /// A figure that nothing works without.
    pub(super) fn needed(&self, name: &str) -> Result<f64, Problem> {
        self.figure(name)?.ok_or_else(|| {
            let problem = match self.text(name) {
                None => Problem::new("is missing", "缺失"),
                Some(text) => Problem::new("is not a finite number", "不是有限的数").found(text),
            };
            problem.at(name).remedy(
                "give the summary or the detailed log of a finished performance run",
                "请给出一次完整性能测试的摘要或详细日志",
            )
        })
    }

    /// The names of the figures that are not finite.
    pub(super) fn not_finite(&self) -> Vec<&str> {
        let is_not = |text: &String| text.parse::<f64>().is_ok_and(|n| !n.is_finite());
        let found = self.values.iter().filter(|(_, text)| is_not(text));
        found.map(|(name, _)| name.as_str()).collect()
    }
}

/// `99.00 percentile first token latency (ns)` → `ttft p99` and `ns`.
fn latency_line(name: &str) -> Option<(String, &str)> {
    let (name, unit) = units::split_unit(name);
    let mut words = name.split_whitespace();
    let statistic = words.next()?;
    // SingleStream's own line puts the word further back: `99th first token percentile latency`.
    let rest: Vec<&str> = words.filter(|word| *word != "percentile").collect();
    let metric = match rest.join(" ").as_str() {
        "latency" => "e2e",
        "first token latency" => "ttft",
        "time to output token" | "time per output token" => "tpot",
        _ => return None,
    };
    let quantile = units::quantile(statistic)?;
    Some((
        format!("{metric} {}", quantile.key()),
        unit.unwrap_or_default(),
    ))
}

/// `result_99.00_percentile_latency_ns`, `result_first_token_mean_latency_ns`, and
/// `result_time_to_output_token_mean`, which are nanoseconds too → `e2e p99`, ….
fn latency_key(key: &str) -> Option<String> {
    let name = key.strip_prefix("result_")?;
    let per_token = ["time_per_output_token_", "time_to_output_token_"];
    let (metric, name) = if let Some(rest) = name.strip_prefix("first_token_") {
        ("ttft", rest.strip_suffix("_latency_ns")?)
    } else if let Some(rest) = per_token
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
    {
        ("tpot", rest.trim_end_matches("_ns"))
    } else {
        ("e2e", name.strip_suffix("_latency_ns")?)
    };
    let statistic = name.strip_suffix("_percentile").unwrap_or(name);
    Some(format!("{metric} {}", units::quantile(statistic)?.key()))
}
