//! What `bench serve` of vLLM and `bench_serving` of SGLang print, pasted from a terminal.
//!
//! A block of `Name:   figure` lines under a title. Each block becomes the JSON that the tool would
//! have saved, and is read as that.

use serde_json::{Map, Value, json};

use super::{
    Format, Options,
    content::Content,
    units,
    vllm_serve::{Dialect, read_run},
};
use crate::{
    problem::{Problem, Problems},
    report::Report,
};

pub(super) struct Console;

const TITLE: &str = "Serving Benchmark Result";

/// Printed names, in lower case, and the keys of the saved result.
const NAMES: [(&str, &str); 14] = [
    ("backend", "backend"),
    ("successful requests", "completed"),
    ("failed requests", "failed"),
    ("maximum request concurrency", "max_concurrency"),
    ("max request concurrency", "max_concurrency"),
    ("request rate configured (rps)", "request_rate"),
    ("traffic request rate", "request_rate"),
    ("benchmark duration (s)", "duration"),
    ("total input tokens", "total_input_tokens"),
    ("total generated tokens", "total_output_tokens"),
    ("request throughput (req/s)", "request_throughput"),
    ("output token throughput (tok/s)", "output_throughput"),
    ("input token throughput (tok/s)", "input_throughput"),
    ("total token throughput (tok/s)", "total_token_throughput"),
];

impl Format for Console {
    fn name(&self) -> &'static str {
        "console"
    }

    fn marks(&self) -> &'static str {
        "============ Serving Benchmark Result ============"
    }

    fn recognises(&self, content: &Content) -> bool {
        content.text().is_some_and(|text| text.contains(TITLE))
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let text = content.text().unwrap_or_default();
        let blocks: Vec<&str> = text.split(TITLE).skip(1).collect();
        if blocks.is_empty() {
            return Err(Problem::new("there is no result block", "没有结果部分")
                .remedy(
                    format!("paste from the line `{TITLE}` on"),
                    format!("请从 `{TITLE}` 一行开始粘贴"),
                )
                .into());
        }
        let mut reports = Vec::new();
        for block in blocks {
            let dialect = Dialect {
                tool: "console",
                latency: "e2el",
            };
            reports.push(read_run(&Content::Json(saved(block)), &dialect, options)?);
        }
        Ok(reports)
    }
}

/// A block as the JSON that the tool would have saved.
fn saved(block: &str) -> Value {
    let mut map = Map::new();
    for line in block.lines() {
        let Some((name, figure)) = line.rsplit_once(':') else {
            continue;
        };
        let (name, figure) = (name.trim().to_lowercase(), figure.trim());
        let key = NAMES
            .iter()
            .find(|(printed, _)| *printed == name)
            .map(|(_, key)| (*key).to_owned());
        if let Some(key) = key.or_else(|| latency_key(&name)) {
            map.insert(key, value_of(figure));
        }
    }
    Value::Object(map)
}

/// `mean ttft (ms)` → `mean_ttft_ms`; `p99 e2e latency (ms)` → `p99_e2el_ms`.
fn latency_key(name: &str) -> Option<String> {
    let (name, unit) = units::split_unit(name);
    let (statistic, metric) = name.split_once(' ')?;
    let metric = match metric {
        "e2e latency" | "e2el" => "e2el",
        "ttft" => "ttft",
        "tpot" => "tpot",
        "itl" => "itl",
        _ => return None,
    };
    match unit? {
        "ms" => Some(format!("{statistic}_{metric}_ms")),
        "s" => Some(format!("{statistic}_{metric}")),
        _ => None,
    }
}

fn value_of(figure: &str) -> Value {
    match figure.replace(',', "").parse::<f64>() {
        Ok(number) if number.is_finite() => {
            if number.fract() == 0.0 && number.abs() < 1e15 {
                json!(number as i64)
            } else {
                json!(number)
            }
        }
        // `inf`, `not set`
        _ if figure == "inf" => json!("inf"),
        _ if figure.eq_ignore_ascii_case("not set") || figure == "None" => Value::Null,
        _ => json!(figure),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};

    #[test]
    fn a_paste_of_two_blocks_with_a_log_around_is_two_points() {
        let reports = import("console", "vllm.txt");
        assert_eq!(reports.len(), 1);
        let point = &reports[0].points[0];
        assert_eq!(point.concurrency, Some(8.0));
        assert_eq!(point.requests_per_s, 2.0);
        assert_eq!(point.ttft_s.p99, Some(0.4));
        assert_eq!(point.itl_s.p50, Some(0.0295));
        assert_eq!(reports[0].workload.input_tokens, Some(512.0));
        assert_eq!(reports[0].points[1].concurrency, Some(16.0));
    }

    #[test]
    fn sglang_s_names_are_read_too() {
        let point = &import("console", "sglang.txt")[0].points[0];
        assert_eq!((point.concurrency, point.request_rate), (Some(16.0), None));
        assert_eq!(point.latency_s.p50, Some(3.8));
        assert_eq!(point.completed, Some(400));
    }

    #[test]
    fn a_block_that_is_cut_names_what_is_missing() {
        let text = b"==== Serving Benchmark Result ====\nSuccessful requests: 5\n";
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(message.contains("duration: is missing"), "{message}");
    }
}
