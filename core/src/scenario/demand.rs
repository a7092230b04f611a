//! What is asked of the system.

use serde::{Deserialize, Serialize};

use super::{Growth, is_false};
use crate::{Decimal, demand::Shape, money::decimal_number};

/// What is asked of the system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Requests a day, the mean over the month of the prices' day.
    #[serde(with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub requests_per_day: Decimal,
    /// Input tokens a request; null for each report's own.
    #[serde(default)]
    pub input_tokens: Option<u64>,
    /// Output tokens a request; null for each report's own.
    #[serde(default)]
    pub output_tokens: Option<u64>,
    /// How requests are spread over the week; null for a steady load, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// The share of the input tokens that hosted services read from a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_share: f64,
    /// Whether requests may wait, so that batch prices apply.
    #[serde(default, skip_serializing_if = "is_false")]
    pub batch: bool,
    /// Requests sent, and billed, for each that succeeds: 1 without retries.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub attempts_per_success: f64,
    /// How the volume changes, and the month that is planned; a volume that stays unless given.
    #[serde(default, skip_serializing_if = "Growth::is_default")]
    pub growth: Growth,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

fn one() -> f64 {
    1.0
}

fn is_one(attempts: &f64) -> bool {
    *attempts == 1.0
}
