//! One printed line: a name with its unit, and a figure.

use serde_json::{Value, json};

use super::super::units;
use crate::problem::Problem;

/// Printed names without a unit, in lower case, and the keys of the saved result.
const PLAIN: [(&str, &str); 10] = [
    ("backend", "backend"),
    ("successful requests", "completed"),
    ("failed requests", "failed"),
    ("maximum request concurrency", "max_concurrency"),
    ("max request concurrency", "max_concurrency"),
    // As SGLang spelled it for a time.
    ("max reqeuest concurrency", "max_concurrency"),
    ("traffic request rate", "request_rate"),
    ("total input tokens", "total_input_tokens"),
    ("total generated tokens", "total_output_tokens"),
    (
        "total generated tokens (retokenized)",
        "total_output_tokens_retokenized",
    ),
];

/// Printed names of rates, their unit cut off.
const RATES: [(&str, &str); 4] = [
    ("request rate configured", "request_rate"),
    ("request throughput", "request_throughput"),
    ("input token throughput", "input_throughput"),
    ("output token throughput", "output_throughput"),
];

/// Printed names, their unit cut off, that a plan has no use for.
const USELESS: [&str; 15] = [
    "total token throughput",
    "total throughput",
    "peak output token throughput",
    "peak concurrent requests",
    "request goodput",
    "total input text tokens",
    "total input vision tokens",
    // The requests in flight on average: rate times mean latency.
    "concurrency",
    "accept length",
    "rtfx",
    "acceptance rate",
    "acceptance length",
    "drafts",
    "draft tokens",
    "accepted tokens",
];

/// A printed name without what a logger put before it, blanks made one.
pub(super) fn without_prefix(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let known = (0..words.len()).find(|&at| {
        let (before, rest) = words.split_at(at);
        before.last().is_none_or(|word| is_of_a_logger(word))
            && meaning(&rest.join(" ").to_lowercase()).is_some()
    });
    words
        .get(known.unwrap_or(0)..)
        .unwrap_or_default()
        .join(" ")
}

/// `10:15:00`, `pid=7)`, `[serve.py:1]`, `|`, `INFO`: no word of a printed name.
fn is_of_a_logger(word: &str) -> bool {
    word.contains([':', '=', '(', ')', '[', ']', '|', '<', '>', '/', '#'])
        || matches!(word, "DEBUG" | "INFO" | "WARNING" | "ERROR")
}

/// What a printed line is.
enum Meaning {
    Plain(&'static str),
    Time(String),
    Rate(&'static str),
    Useless,
}

/// The meaning of a printed name in lower case.
fn meaning(name: &str) -> Option<Meaning> {
    let of = |table: &[(&str, &'static str)], name: &str| {
        let found = table.iter().find(|(printed, _)| *printed == name);
        found.map(|(_, key)| *key)
    };
    let (stem, _) = units::split_unit(name);
    if let Some(key) = of(&PLAIN, name) {
        Some(Meaning::Plain(key))
    } else if let Some(key) = of(&RATES, stem) {
        Some(Meaning::Rate(key))
    } else if stem == "benchmark duration" {
        Some(Meaning::Time("duration".to_owned()))
    } else if USELESS.contains(&stem) || name.starts_with("position ") {
        Some(Meaning::Useless)
    } else {
        latency(stem).map(Meaning::Time)
    }
}

/// `mean ttft` → `mean_ttft`; `p99 e2e latency` → `p99_e2e_latency`.
fn latency(stem: &str) -> Option<String> {
    let (statistic, metric) = stem.split_once(' ')?;
    let metric = match metric {
        "ttft" | "tpot" | "itl" | "e2el" => metric,
        "e2e latency" => "e2e_latency",
        _ => return None,
    };
    Some(format!("{statistic}_{metric}"))
}

/// A line as a key and a value of the saved result, in seconds and per second. A figure without a
/// known meaning keeps its name, and so is listed as not read.
pub(super) fn entry(name: &str, figure: &str) -> Result<Option<(String, Value)>, Problem> {
    let name = name.to_lowercase();
    let value = value_of(figure);
    let (_, unit) = units::split_unit(&name);
    let scaled = |divisor: f64| match value.as_f64() {
        Some(number) => json!(number / divisor),
        None => value.clone(),
    };
    Ok(match meaning(&name) {
        Some(Meaning::Plain(key)) => Some((key.to_owned(), value)),
        Some(Meaning::Time(key)) => {
            let per_second = unit.and_then(units::per_second);
            let divisor = per_second.ok_or_else(|| unknown_unit(unit, "ms, s", "ms、s"))?;
            Some((key, scaled(divisor)))
        }
        Some(Meaning::Rate(key)) => {
            let seconds = unit.and_then(seconds_a_unit);
            let divisor =
                seconds.ok_or_else(|| unknown_unit(unit, "req/s, tok/s", "req/s、tok/s"))?;
            Some((key.to_owned(), scaled(divisor)))
        }
        Some(Meaning::Useless) => None,
        None => value.is_number().then_some((name, value)),
    })
}

/// Seconds in the unit that a rate is per: 60 for `req/min`.
fn seconds_a_unit(unit: &str) -> Option<f64> {
    match unit {
        "rps" => Some(1.0),
        _ => Some(1.0 / units::per_second(unit.rsplit_once('/')?.1)?),
    }
}

fn unknown_unit(unit: Option<&str>, en: &str, zh: &str) -> Problem {
    let problem = Problem::new("the unit is not known", "单位未知").remedy(
        format!("give it with its unit in brackets, such as {en}"),
        format!("请在括号中写明单位，例如 {zh}"),
    );
    match unit {
        Some(unit) => problem.found(unit),
        None => problem,
    }
}

pub(super) fn value_of(figure: &str) -> Value {
    match ungrouped(figure).parse::<f64>() {
        Ok(number) if number.is_finite() => {
            if number.fract() == 0.0 && number.abs() < 1e15 {
                json!(number as i64)
            } else {
                json!(number)
            }
        }
        _ if figure.eq_ignore_ascii_case("not set") || figure == "None" || figure.is_empty() => {
            Value::Null
        }
        // `inf`, `nan`, a word.
        _ => json!(figure),
    }
}

/// `1,234,567.5` without its commas; any other text as it is: `1,29` is no 129.
fn ungrouped(figure: &str) -> String {
    let whole = figure.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().is_some_and(|group| !group.is_empty());
    if first && groups.all(|group| group.len() == 3) {
        figure.replace(',', "")
    } else {
        figure.to_owned()
    }
}
