//! JSON Schemas of the documents, generated from the types.

use schemars::{Schema, schema_for};

use crate::{
    comparison::Comparison,
    environment::Environment,
    price::{ExchangeRates, PriceTable},
    report::Report,
    scenario::Scenario,
};

/// Every schema with its file name.
#[must_use]
pub fn all() -> Vec<(&'static str, Schema)> {
    vec![
        ("report.schema.json", schema_for!(Report)),
        ("scenario.schema.json", schema_for!(Scenario)),
        ("environment.schema.json", schema_for!(Environment)),
        ("comparison.schema.json", schema_for!(Comparison)),
        ("prices.schema.json", schema_for!(PriceTable)),
        ("exchange-rates.schema.json", schema_for!(ExchangeRates)),
    ]
}
