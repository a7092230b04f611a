//! From any tool's file to the canonical report.
//!
//! A format is recognised by what a file holds, never by its name. Each tool is one file here,
//! behind [`Format`].

mod canonical;
mod json;
mod lenient;
mod stated;
mod vllm_serve;

use serde_json::Value;

use crate::{
    document,
    problem::{Problem, Problems},
    report::{self, Report},
};

pub use stated::Stated;

/// One tool's result file.
trait Format {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// What such a file holds that no other does, for messages.
    fn marks(&self) -> &'static str;

    /// Whether a JSON value is such a result.
    fn recognises(&self, value: &Value) -> bool;

    /// Reads it. Problems name the field; the caller adds the file.
    fn read(&self, value: &Value) -> Result<Report, Problems>;
}

const FORMATS: &[&dyn Format] = &[&canonical::Canonical, &vllm_serve::VllmServe];

/// Reads one file of one or several results, unmerged, and puts in what the user states.
///
/// A file may hold one JSON value, an array of them, or one a line.
///
/// # Errors
/// Text that is not JSON, a tool that is not known, figures missing or out of bounds, a statement
/// that contradicts the file.
pub fn read(bytes: &[u8], file: &str, stated: &Stated) -> Result<Vec<Report>, Problems> {
    let in_file = |problem: Problem| Problems::from(problem.in_file(file));
    let values = values_of(bytes).map_err(in_file)?;
    let several = values.len() > 1;
    let mut reports = Vec::new();
    let mut problems = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let read_one = || -> Result<Report, Problems> {
            let mut report = recognise(value)?.read(value)?;
            stated.apply(&mut report)?;
            report.check()?;
            Ok(report)
        };
        match read_one() {
            Ok(report) => reports.push(report),
            Err(found) => problems.extend(found.into_iter().map(|mut problem| {
                if several {
                    let path = problem.path.unwrap_or_default();
                    problem.path = Some(format!("result {}: {path}", i + 1));
                }
                problem.in_file(file)
            })),
        }
    }
    Problems::none_in(problems)?;
    Ok(reports)
}

/// Reads several files and joins the runs of each sweep.
///
/// # Errors
/// Every problem of every file.
pub fn read_all<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    stated: &Stated,
) -> Result<Vec<Report>, Problems> {
    let mut reports = Vec::new();
    let mut problems = Vec::new();
    for (file, bytes) in files {
        match read(bytes, file, stated) {
            Ok(read) => reports.extend(read),
            Err(found) => problems.extend(found),
        }
    }
    Problems::none_in(problems)?;
    Ok(report::merge(reports))
}

/// The results in a file: its JSON values, arrays taken apart.
fn values_of(bytes: &[u8]) -> Result<Vec<Value>, Problem> {
    let text = document::utf8(bytes)?;
    if text.trim().is_empty() {
        return Err(Problem::new("the file is empty", "文件为空").remedy(
            "give a benchmark result, such as vLLM's --save-result JSON",
            "请给出测试结果，例如 vLLM --save-result 写出的 JSON",
        ));
    }
    let text = lenient::quote_non_finite(text);
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
        match value.map_err(|error| document::not_json(&error))? {
            Value::Array(items) => values.extend(items),
            value => values.push(value),
        }
    }
    Ok(values)
}

fn recognise(value: &Value) -> Result<&'static dyn Format, Problem> {
    let found = FORMATS.iter().find(|format| format.recognises(value));
    found.copied().ok_or_else(|| {
        let looked_for: Vec<String> = FORMATS
            .iter()
            .map(|format| format!("{} ({})", format.name(), format.marks()))
            .collect();
        let looked_for = looked_for.join(", ");
        let holds = match value {
            Value::Object(fields) if !fields.is_empty() => {
                let keys: Vec<&str> = fields.keys().take(6).map(String::as_str).collect();
                keys.join(", ")
            }
            Value::Object(_) => "an empty object".to_owned(),
            other => other.to_string(),
        };
        Problem::new(
            "this is not a benchmark result of a tool known here",
            "这不是已支持工具的测试结果",
        )
        .found(holds)
        .remedy(
            format!("looked for: {looked_for}"),
            format!("可识别：{looked_for}"),
        )
    })
}

/// A short name for a report, from what it says: `qwen3-8b-h100-80gb-sxm-bf16-2048-2048`.
fn id_of(report: &Report) -> String {
    let model = report.model.name.as_deref().unwrap_or("model");
    let mut parts = vec![model.rsplit('/').next().unwrap_or(model).to_owned()];
    if let Some(accelerator) = &report.system.accelerator {
        let count = report.system.accelerators.unwrap_or(1);
        parts.push(match count {
            1 => accelerator.to_string(),
            n => format!("{n}x {accelerator}"),
        });
    }
    parts.extend(report.model.precision.clone());
    for tokens in [report.workload.input_tokens, report.workload.output_tokens] {
        parts.extend(tokens.map(|n| format!("{n:.0}")));
    }
    let slug: String = parts
        .join("-")
        .to_lowercase()
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        })
        .collect();
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests;
