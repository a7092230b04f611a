//! The question, `inferplan.scenario/1`: a volume, its lengths, targets, a date, and the evidence.

mod check;
mod demand;
mod growth;
mod rules;

use serde::{Deserialize, Serialize};

use crate::{
    Date, Decimal, day,
    document::{self, Document, SchemaTag},
    money::{Currency, decimal_number},
    price::{ExchangeRate, Overlay},
    problem::Problems,
    report::{Report, Slo},
};

pub use demand::Demand;
pub use growth::{Growth, month_after};
pub use rules::{Beside, Constraints, FleetRule, WhatIf};

/// A scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// `inferplan.scenario/1`.
    pub schema: SchemaTag,
    /// The day whose prices and exchange rates count; null for the day it is asked.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub as_of: Option<Date>,
    /// Hours in the month that is billed.
    #[serde(default = "Scenario::default_hours", with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub hours_per_month: Decimal,
    /// The currency of the answer.
    #[serde(default)]
    pub currency: Currency,
    /// What is asked of the system.
    pub demand: Demand,
    /// Latency targets, seconds.
    #[serde(default)]
    pub slo_s: Slo,
    /// The largest share of a replica's measured throughput that may be planned on.
    #[serde(default = "Scenario::default_ceiling")]
    pub utilization_ceiling: f64,
    /// Leaves out whatever rests on an estimate.
    #[serde(default)]
    pub measured_only: bool,
    /// Plans even on reports that lints call unfit, such as an INVALID MLPerf run.
    #[serde(default)]
    pub accept_unfit: bool,
    /// Exchange rates that take the place of the shipped ones.
    #[serde(default)]
    pub exchange_rates: Vec<ExchangeRate>,
    /// What is used beside the accelerators.
    #[serde(default, skip_serializing_if = "Beside::is_default")]
    pub beside: Beside,
    /// What an option must keep to.
    #[serde(default, skip_serializing_if = "Constraints::is_default")]
    pub constraints: Constraints,
    /// How many replicas run, beyond what the load needs, and when.
    #[serde(default, skip_serializing_if = "FleetRule::is_default")]
    pub fleet: FleetRule,
    /// What the reports would be with a factor that was not measured here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_ifs: Vec<WhatIf>,
    /// Subscriptions by their ids, such as `modal.team`; a provider's first where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subscriptions: Vec<String>,
    /// Adds the tax that prices leave out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub with_tax: bool,
    /// Prices of one's own, over the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Overlay>,
    /// The measurements.
    #[serde(default)]
    pub reports: Vec<Report>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Document for Scenario {
    const SCHEMA: &'static str = "inferplan.scenario/1";
}

/// Above this a volume is more likely a slip of the unit than a service.
pub(crate) const LARGE_REQUESTS_PER_DAY: u64 = 10_000_000_000;

impl Scenario {
    /// A scenario with a volume and everything else as it is by default.
    #[must_use]
    pub fn new(requests_per_day: Decimal) -> Self {
        Self {
            schema: SchemaTag::of::<Self>(),
            as_of: None,
            hours_per_month: Self::default_hours(),
            currency: Currency::default(),
            demand: Demand {
                requests_per_day,
                input_tokens: None,
                output_tokens: None,
                shape: None,
                cached_input_share: 0.0,
                batch: false,
                attempts_per_success: 1.0,
                growth: Growth::default(),
            },
            slo_s: Slo::default(),
            utilization_ceiling: Self::default_ceiling(),
            measured_only: false,
            accept_unfit: false,
            exchange_rates: Vec::new(),
            beside: Beside::default(),
            constraints: Constraints::default(),
            fleet: FleetRule::default(),
            what_ifs: Vec::new(),
            subscriptions: Vec::new(),
            with_tax: false,
            prices: None,
            reports: Vec::new(),
        }
    }

    /// A year of 365 days in twelve parts: 730 hours.
    #[must_use]
    pub fn default_hours() -> Decimal {
        Decimal::from(730)
    }

    /// 0.85.
    #[must_use]
    pub fn default_ceiling() -> f64 {
        0.85
    }

    /// Reads and checks a scenario.
    ///
    /// # Errors
    /// Text that is not such a document, or values out of their bounds.
    pub fn read(json: &str, file: &str) -> Result<Self, Problems> {
        let scenario: Self = document::read(json, file)?;
        scenario
            .check()
            .map_err(|problems| problems.in_file(file))?;
        Ok(scenario)
    }

    /// Requests in the billed month: a day's × hours ÷ 24. `None` out of a decimal's range.
    #[must_use]
    pub fn requests_per_month(&self, requests_per_day: Decimal) -> Option<Decimal> {
        requests_per_day
            .checked_mul(self.hours_per_month)?
            .checked_div(Decimal::from(24))
    }
}

#[cfg(test)]
mod tests;
