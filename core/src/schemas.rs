//! JSON Schemas of the documents, generated from the types.

use schemars::{Schema, schema_for};

use crate::{
    comparison::Comparison,
    decide::difference::Difference,
    demand::Demand,
    environment::Environment,
    fit::Fit,
    plan::question::Capacity,
    price::{ExchangeRates, Overlay, PriceTable, file::Bundle},
    report::Report,
    scenario::Scenario,
    simulate::answer::Simulation,
};

/// Every schema with its file name.
#[must_use]
pub fn all() -> Vec<(&'static str, Schema)> {
    vec![
        ("report.schema.json", schema_for!(Report)),
        ("scenario.schema.json", schema_for!(Scenario)),
        ("environment.schema.json", schema_for!(Environment)),
        ("comparison.schema.json", schema_for!(Comparison)),
        ("capacity.schema.json", schema_for!(Capacity)),
        ("simulation.schema.json", schema_for!(Simulation)),
        ("demand.schema.json", schema_for!(Demand)),
        ("fit.schema.json", schema_for!(Fit)),
        ("prices.schema.json", schema_for!(PriceTable)),
        ("price-book.schema.json", schema_for!(Bundle)),
        ("overlay.schema.json", schema_for!(Overlay)),
        ("price-diff.schema.json", schema_for!(Difference)),
        ("exchange-rates.schema.json", schema_for!(ExchangeRates)),
    ]
}
