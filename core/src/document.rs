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
    let head: Head = serde_json::from_str(json).map_err(|error| not_json(&error).in_file(file))?;
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
        let text = error.inner().to_string();
        Problem::new(text.clone(), format!("无法读取：{text}"))
            .in_file(file)
            .at(path)
    })
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
