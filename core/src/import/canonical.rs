//! Our own `inferplan.report/1`.

use serde_json::Value;

use super::{Format, Options, content::Content};
use crate::{
    document,
    problem::{Problem, Problems},
    report::Report,
};

pub(super) struct Canonical;

impl Format for Canonical {
    fn name(&self) -> &'static str {
        "inferplan"
    }

    fn marks(&self) -> &'static str {
        "\"schema\": \"inferplan.report/…\""
    }

    fn recognises(&self, content: &Content) -> bool {
        let schema = content.at("/schema").and_then(Value::as_str);
        schema.is_some_and(|schema| schema.starts_with("inferplan.report/"))
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let Some(value) = content.json() else {
            return Err(Problem::new("is not JSON", "不是 JSON").into());
        };
        Ok(vec![document::from_value(value.clone())?])
    }
}
