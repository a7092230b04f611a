//! Our own `inferplan.report/1`.

use serde_json::Value;

use super::Format;
use crate::{document, document::Document, problem::Problems, report::Report};

pub(super) struct Canonical;

impl Format for Canonical {
    fn name(&self) -> &'static str {
        Report::SCHEMA
    }

    fn marks(&self) -> &'static str {
        "\"schema\": \"inferplan.report/…\""
    }

    fn recognises(&self, value: &Value) -> bool {
        let schema = value.get("schema").and_then(Value::as_str);
        schema.is_some_and(|schema| schema.starts_with("inferplan.report/"))
    }

    fn read(&self, value: &Value) -> Result<Report, Problems> {
        Ok(document::from_value(value.clone())?)
    }
}
