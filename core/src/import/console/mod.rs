//! What `bench serve` of vLLM and `bench_serving` of SGLang print, pasted from a terminal.
//!
//! A block of `Name:   figure` lines between a title and a rule. Each block becomes the JSON that
//! the tool would have saved, and is read as that. What was printed before the title says how the
//! tool was called: the model, the data set, how many requests were sent.
//!
//! A unit stands in a line's name and is read there: one that is not known is refused. Figures are
//! printed to two digits behind the point. vLLM prints no rate where there was no limit, and its
//! older versions print no load at all: then how requests arrived is not known.

pub(super) mod arguments;
mod line;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::{
    Format, Options,
    content::Content,
    sglang,
    vllm_serve::{Dialect, read_run},
};
use crate::{
    problem::{Problem, Problems},
    report::Report,
    text::Notice,
};
use arguments::Arguments;

pub(super) struct Console;

const TITLE: &str = "Serving Benchmark Result";
/// Fewer `=` than this are no rule.
const RULE: usize = 20;

/// Arguments that a saved result holds too.
const SAVED_ARGUMENTS: [&str; 8] = [
    "num_prompts",
    "max_concurrency",
    "random_output_len",
    "random_range_ratio",
    "sharegpt_output_len",
    "dataset_name",
    "request_rate",
    "backend",
];

impl Format for Console {
    fn name(&self) -> &'static str {
        "console"
    }

    fn marks(&self) -> &'static str {
        "============ Serving Benchmark Result ============"
    }

    fn recognises(&self, content: &Content) -> bool {
        let text = content.text();
        text.is_some_and(|text| text.lines().any(is_title))
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        let blocks = blocks(content.text().unwrap_or_default());
        if blocks.is_empty() {
            return Err(Problem::new("there is no result block", "没有结果部分")
                .remedy(
                    format!("paste from the line `{TITLE}` on"),
                    format!("请从 `{TITLE}` 一行开始粘贴"),
                )
                .into());
        }
        let several = blocks.len() > 1;
        let (mut reports, mut problems) = (Vec::new(), Vec::new());
        for (i, block) in blocks.iter().enumerate() {
            match block.read(options) {
                Ok(report) => reports.push(report),
                Err(found) => problems.extend(found.into_iter().map(|mut problem| {
                    if several {
                        let path = problem.path.unwrap_or_default();
                        problem.path = Some(format!("block {}: {path}", i + 1));
                    }
                    problem
                })),
            }
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

fn is_title(line: &str) -> bool {
    line.split_once(TITLE)
        .is_some_and(|(before, after)| before.contains("==") && after.contains("=="))
}

/// One printed result.
struct Block<'t> {
    /// What was printed since the last one.
    before: String,
    /// The lines between its title and its rule.
    lines: Vec<&'t str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let (mut rest, mut before) = (lines.as_slice(), Vec::new());
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if !is_title(line) {
            before.push(*line);
            continue;
        }
        let ends = |line: &&str| is_rule(line) || is_title(line);
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        let (body, after) = rest.split_at(end);
        blocks.push(Block {
            before: before.join("\n"),
            lines: body.to_vec(),
        });
        (rest, before) = (after, Vec::new());
    }
    blocks
}

fn is_rule(line: &str) -> bool {
    let last = line.split_whitespace().last().unwrap_or_default();
    last.len() >= RULE && last.bytes().all(|byte| byte == b'=')
}

impl Block<'_> {
    fn read(&self, options: &Options) -> Result<Report, Problems> {
        let mut map = self.saved()?;
        for (key, value) in load_printed_before(&self.before) {
            map.entry(key).or_insert(value);
        }
        let arguments = Arguments::of(&self.before);
        let is_sglang = ["backend", "total_output_tokens_retokenized"]
            .iter()
            .any(|key| map.contains_key(*key));
        let load_is_printed = is_sglang
            || ["max_concurrency", "request_rate", "failed"]
                .iter()
                .any(|key| map.contains_key(*key))
            || arguments.text("request_rate").is_some()
            || arguments.number("max_concurrency").is_some();
        for name in SAVED_ARGUMENTS {
            if let Some(said) = arguments.text(name) {
                // A word where a number belongs is a shell's, and says nothing.
                let is_word = matches!(name, "dataset_name" | "backend");
                let value = line::value_of(said);
                if is_word || value.is_number() || said == "inf" {
                    map.entry(name).or_insert(value);
                }
            }
        }
        let content = Content::Json(Value::Object(map));
        let mut report = if is_sglang {
            sglang::read_saved(&content, options)?
        } else {
            let dialect = Dialect {
                tool: "vllm bench serve",
                latency: "e2el",
            };
            read_run(&content, &dialect, options)?
        };
        report.model.name = arguments.text("model").map(str::to_owned);
        let dataset = content.at("/dataset_name").and_then(Value::as_str);
        report.workload.dataset = dataset.map(str::to_owned);
        report.workload.warmup_requests = warmup(&self.before);
        if !load_is_printed {
            report.workload.arrivals = None;
            report.warnings.push(load_not_printed());
        }
        Ok(report)
    }

    /// The JSON that the tool would have saved.
    fn saved(&self) -> Result<Map<String, Value>, Problems> {
        let (mut map, mut problems) = (Map::new(), Vec::new());
        for line in &self.lines {
            let Some((name, figure)) = line.rsplit_once([':', '：']) else {
                continue;
            };
            let name = line::without_prefix(name);
            match line::entry(&name, figure.trim()) {
                Ok(Some((key, value))) => {
                    map.insert(key, value);
                }
                Ok(None) => {}
                Err(problem) => problems.push(problem.at(name)),
            }
        }
        Problems::none_in(problems)?;
        Ok(map)
    }
}

/// The load as vLLM prints it when it begins, which older versions do not print again.
fn load_printed_before(before: &str) -> Map<String, Value> {
    let entries = before.lines().filter_map(|line| {
        let (name, figure) = line.rsplit_once(':')?;
        line::entry(&line::without_prefix(name), figure.trim()).ok()?
    });
    entries
        .filter(|(key, _)| matches!(key.as_str(), "request_rate" | "max_concurrency"))
        .collect()
}

/// Requests sent before measuring began, as printed: a single test run, and those to warm up.
fn warmup(before: &str) -> Option<u64> {
    let mut requests = None;
    for line in before.lines() {
        let count = if line.contains("Starting initial single prompt test run") {
            Some(1)
        } else {
            ["Warming up with ", "Starting warmup with "]
                .iter()
                .find_map(|said| line.split_once(said)?.1.split(' ').next()?.parse().ok())
        };
        if let Some(count) = count {
            requests = Some(requests.unwrap_or(0_u64).saturating_add(count));
        }
    }
    requests
}

fn load_not_printed() -> Notice {
    Notice::new(
        "load-not-printed",
        "This version of the tool prints neither a concurrency nor a rate, so how requests arrived is not known: state --concurrency if it was fixed.",
        "该版本的工具既不打印并发数也不打印请求速率，无法得知请求如何到达：若并发固定，请用 --concurrency 注明。",
    )
}
