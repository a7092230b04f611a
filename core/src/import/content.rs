//! What a file holds: JSON values or a text.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Loaded, strict::Strict, table::Table};
use crate::{document, problem::Problem};

/// One thing to recognise.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// A JSON value, or a YAML document as one.
    Json(Value),
    /// Any other text: a table, a console log, metrics.
    Text(String),
    /// The parts of a result that spans several files.
    Parts(BTreeMap<&'static str, Content>),
}

impl Content {
    /// The JSON value.
    pub(super) fn json(&self) -> Option<&Value> {
        match self {
            Self::Json(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is a JSON object with every one of the keys.
    pub(super) fn has(&self, keys: &[&str]) -> bool {
        let object = self.json().and_then(Value::as_object);
        object.is_some_and(|object| keys.iter().all(|key| object.contains_key(*key)))
    }

    /// A value inside a JSON object, by a path of keys and indices: `/benchmarks/0/metrics`.
    pub(super) fn at(&self, pointer: &str) -> Option<&Value> {
        self.json()?.pointer(pointer)
    }

    /// The text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text as a table with a header, where it is one.
    pub(super) fn table(&self) -> Option<Table> {
        Table::parse(self.text()?)
    }

    /// A part of a result that spans files.
    pub(super) fn parts(&self) -> Option<&BTreeMap<&'static str, Content>> {
        match self {
            Self::Parts(parts) => Some(parts),
            _ => None,
        }
    }

    /// What a person sees of it at a glance, for messages.
    pub(super) fn glance(&self) -> String {
        match self {
            Self::Json(Value::Object(fields)) if fields.is_empty() => "an empty object".to_owned(),
            Self::Json(Value::Object(fields)) => {
                let keys: Vec<&str> = fields.keys().take(6).map(String::as_str).collect();
                keys.join(", ")
            }
            Self::Json(other) => other.to_string(),
            Self::Text(text) => text
                .lines()
                .find(|line| !line.trim().is_empty())
                .unwrap_or_default()
                .to_owned(),
            Self::Parts(parts) => parts.keys().copied().collect::<Vec<_>>().join(", "),
        }
    }
}

/// Keys by which the items of an array are recognised together, not one by one.
const ARRAYS_OF_ROWS: [&[&str]; 4] = [
    // Locust's --json: one entry a request name.
    &["num_requests", "response_times"],
    // Replicate: one prediction a request.
    &["metrics", "created_at", "started_at"],
    // EvalScope's percentile rows.
    &["Percentiles"],
    // InferenceX: one row a measured point.
    &["tput_per_gpu", "conc"],
];

/// What a file holds, one content for each result in it.
///
/// # Errors
/// JSON that does not parse, a file without content.
pub(super) fn of(file: Loaded) -> Result<Vec<Content>, Problem> {
    if file.text.trim().is_empty() {
        return Err(Problem::new("the file is empty", "文件为空").remedy(
            "give a benchmark result, such as vLLM's --save-result JSON",
            "请给出测试结果，例如 vLLM --save-result 写出的 JSON",
        ));
    }
    if file.is_json {
        return json(&file.text);
    }
    Ok(match yaml(&file.text) {
        Some(value) => vec![Content::Json(value)],
        None => vec![Content::Text(file.text)],
    })
}

/// JSON values one after the other or one a line; arrays taken apart, but for tables of rows.
fn json(text: &str) -> Result<Vec<Content>, Problem> {
    let mut contents = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Strict>() {
        let Strict(value) = value.map_err(|error| unreadable(&error))?;
        match value {
            Value::Array(items) if !is_rows(&items) => {
                contents.extend(items.into_iter().map(Content::Json));
            }
            value => contents.push(Content::Json(value)),
        }
    }
    // Predictions one a line are one measurement too.
    let values: Vec<Value> = contents
        .iter()
        .filter_map(|content| content.json().cloned())
        .collect();
    if values.len() > 1 && is_rows(&values) {
        return Ok(vec![Content::Json(Value::Array(values))]);
    }
    if contents.is_empty() {
        return Err(Problem::new("the JSON holds nothing", "JSON 中没有内容"));
    }
    Ok(contents)
}

fn unreadable(error: &serde_json::Error) -> Problem {
    if !error.is_data() {
        return document::not_json(error);
    }
    Problem::new(error.to_string(), format!("同一键出现两次：{error}"))
        .remedy("keep the one that was measured", "请保留实际测得的那个")
}

fn is_rows(items: &[Value]) -> bool {
    let first = items.first().and_then(Value::as_object);
    first.is_some_and(|first| {
        let has_all = |keys: &&[&str]| keys.iter().all(|key| first.contains_key(*key));
        ARRAYS_OF_ROWS.iter().any(has_all)
    })
}

/// A YAML document that is a mapping of some depth. A console log of `Name: 1.0` lines would parse
/// as one too, and a table's header; neither has a mapping inside.
fn yaml(text: &str) -> Option<Value> {
    let first = text
        .lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with(['#', '%']))?;
    let opens = first.trim_end() == "---"
        || first
            .split_once(':')
            .is_some_and(|(key, _)| !key.contains([' ', ',', '=']));
    let nests = text
        .lines()
        .any(|line| line.starts_with(' ') && line.contains(':'));
    if !opens || !nests {
        return None;
    }
    let documents = <saphyr::Yaml as saphyr::LoadableYamlNode>::load_from_str(text).ok()?;
    let value = json_of(documents.first()?)?;
    value.is_object().then_some(value)
}

/// A YAML node as JSON; `None` for what JSON cannot hold.
fn json_of(node: &saphyr::Yaml) -> Option<Value> {
    use saphyr::{Scalar, Yaml};
    Some(match node {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => (*value).into(),
        Yaml::Value(Scalar::Integer(value)) => (*value).into(),
        Yaml::Value(Scalar::FloatingPoint(value)) => match serde_json::Number::from_f64(**value) {
            Some(number) => Value::Number(number),
            None if value.is_nan() => "NaN".into(),
            None => "Infinity".into(),
        },
        Yaml::Value(Scalar::String(text)) => text.as_ref().into(),
        Yaml::Sequence(items) => Value::Array(items.iter().map(json_of).collect::<Option<_>>()?),
        Yaml::Mapping(fields) => {
            let pair = |(key, value): (&Yaml, &Yaml)| {
                let key = match key {
                    Yaml::Value(Scalar::String(text)) => text.to_string(),
                    Yaml::Value(Scalar::Integer(number)) => number.to_string(),
                    _ => return None,
                };
                Some((key, json_of(value)?))
            };
            Value::Object(fields.iter().map(pair).collect::<Option<_>>()?)
        }
        Yaml::Tagged(_, inner) => json_of(inner)?,
        _ => return None,
    })
}
