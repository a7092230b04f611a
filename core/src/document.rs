//! Reading our own JSON documents strictly: an unknown field, a wrong type or a wrong schema tag
//! is an error that names the field's path.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::problem::Problem;

/// A document with a `schema` tag.
pub trait Document: DeserializeOwned {
    /// The tag: kind and version, such as `inferplan.scenario/1`.
    const SCHEMA: &'static str;
}

/// The `schema` field of a document, checked when it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct SchemaTag(String);

impl SchemaTag {
    /// The tag of document type `D`.
    #[must_use]
    pub fn of<D: Document>() -> Self {
        Self(D::SCHEMA.to_owned())
    }
}

/// Reads a document. `file` is what messages call it.
///
/// # Errors
/// Text that is not JSON (with line and column), another document's tag, an unknown or missing
/// field, a value of the wrong kind.
pub fn read<D: Document>(json: &str, file: &str) -> Result<D, Problem> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<serde_json::Value>,
    }
    let expected = D::SCHEMA;
    // A document that begins with its tag need not be gone through for it.
    let head: Result<Head, _> = match leading_tag(json) {
        Some(tag) if tag == expected => Ok(Head {
            schema: Some(tag.into()),
        }),
        _ => serde_json::from_str(json),
    };
    let head = head.map_err(|error| not_json(&error).in_file(file))?;
    match head.schema {
        Some(serde_json::Value::String(tag)) if tag == expected => {}
        other => {
            let found = other.map_or_else(|| "nothing".to_owned(), |value| value.to_string());
            return Err(
                Problem::new("this is another kind of document", "文档类型不符")
                    .in_file(file)
                    .at("schema")
                    .found(found)
                    .remedy(
                        format!("expected \"{expected}\""),
                        format!("应为 \"{expected}\""),
                    ),
            );
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        if error.inner().is_syntax() || error.inner().is_eof() {
            return not_json(error.inner()).in_file(file);
        }
        let text = error.inner().to_string();
        Problem::new(text.clone(), format!("无法读取：{text}"))
            .in_file(file)
            .at(path)
    })
}

/// The tag of a document that begins with it, as ours are written; `None` for any other.
pub(crate) fn leading_tag(json: &str) -> Option<&str> {
    let string = |text: &'_ str| -> Option<usize> {
        let end = text.strip_prefix('"')?.find(['"', '\\'])?;
        let closed = text.as_bytes()[1..].get(end) == Some(&b'"');
        closed.then_some(end)
    };
    let mut rest = json.trim_start().strip_prefix('{')?;
    // `$schema`, for editors, may stand before it.
    for _ in 0..2 {
        rest = rest.trim_start();
        let key = string(rest)?;
        let name = &rest[1..=key];
        let value = rest[key + 2..].trim_start().strip_prefix(':')?.trim_start();
        let end = string(value)?;
        if name == "schema" {
            return Some(&value[1..=end]);
        }
        rest = value[end + 2..].trim_start().strip_prefix(',')?;
    }
    None
}

/// The fault of a text that does not parse as JSON.
pub(crate) fn not_json(error: &serde_json::Error) -> Problem {
    let (en, zh) = if error.is_eof() {
        (
            "the JSON stops before it is complete: the file may have been cut off".to_owned(),
            "JSON 不完整：文件可能被截断".to_owned(),
        )
    } else {
        (
            format!("this is not JSON ({error})"),
            format!("不是合法的 JSON（{error}）"),
        )
    };
    Problem::new(en, zh).at(format!("line {}, column {}", error.line(), error.column()))
}

/// Reads a document from a JSON value already parsed, its tag checked by the caller's choice of
/// type. Problems name no file.
///
/// # Errors
/// As [`read`].
pub(crate) fn from_value<D: Document>(value: serde_json::Value) -> Result<D, Problem> {
    read(&value.to_string(), "").map_err(|mut problem| {
        problem.file = None;
        problem
    })
}

/// A document's bytes as text, without a byte order mark.
///
/// # Errors
/// Bytes that are not UTF-8, and where.
pub fn utf8(bytes: &[u8]) -> Result<&str, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        Problem::new("the file is not UTF-8 text", "文件不是 UTF-8 文本")
            .at(format!("byte {}", error.valid_up_to()))
            .remedy("save it as UTF-8", "请存为 UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_tag_is_found_and_nothing_else_taken_for_one() {
        for (json, tag) in [
            (r#"{"schema":"a/1","x":1}"#, Some("a/1")),
            (
                "\n { \"$schema\" : \"../x\" , \"schema\" : \"a/1\" }",
                Some("a/1"),
            ),
            (r#"{"name":"é","schema":"a/1"}"#, Some("a/1")),
            (r#"{"schema":1}"#, None),
            (r#"{"x":1,"schema":"a/1"}"#, None),
            (r#"{"a":"\"","schema":"a/1"}"#, None),
            (r#"{"schema""#, None),
            (r#"{"schema":"é"#, None),
            ("", None),
        ] {
            assert_eq!(leading_tag(json), tag, "{json}");
        }
    }
}
