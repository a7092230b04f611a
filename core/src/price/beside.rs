//! What is billed beside the accelerators or the answers: components, plans, tax.

use serde::{Deserialize, Serialize};

use super::{tariff::Step, version::Version};
use crate::{
    Decimal,
    money::{decimal_string, optional_decimal},
    text::Bilingual,
};

/// Something billed by its own meter beside what an offer sells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Stable: `modal.cpu`.
    pub id: String,
    /// For people.
    pub name: Bilingual,
    /// What is metered.
    pub meter: Meter,
    /// The offers it comes with: those whose id begins with one of these.
    pub beside: Vec<String>,
    /// The least that is billed for each instance, in units of the meter, decimal string.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "optional_decimal"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub at_least: Option<Decimal>,
    /// What a month holds free of charge, in units of the meter, decimal string.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "optional_decimal"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub free: Option<Decimal>,
    /// Its prices.
    pub versions: Vec<Version<Rate>>,
    /// For whoever edits the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a component's meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Meter {
    /// Physical cores of an instance, for each second it is billed.
    CoreSecond,
    /// GiB of memory of an instance, for each second it is billed.
    GibSecond,
    /// GB stored, for the whole month, whatever runs.
    StorageGbMonth,
    /// The same in GiB.
    StorageGibMonth,
    /// GB sent out.
    EgressGb,
    /// Requests, in millions.
    MillionRequests,
    /// The month.
    Month,
}

/// A component's price: a unit of its meter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Decimal string. "0" is free, and needs its source like any price.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub amount: Decimal,
    /// Lower prices beyond some quantities a month.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// A subscription of an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Subscription {
    /// Stable: `modal.team`.
    pub id: String,
    /// For people.
    pub name: Bilingual,
    /// Its fees and credits.
    pub versions: Vec<Version<Fee>>,
}

/// What a subscription costs and gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fee {
    /// A month, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub fee: Decimal,
    /// Compute that is free each month, used up first, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub credit: Decimal,
}

/// Value added or sales tax on a provider's prices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tax {
    /// The rate as a share, decimal string: "0.06".
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub rate: Decimal,
    /// Whether the prices contain it.
    pub included: Included,
    /// Whose tax: `CN`.
    pub jurisdiction: String,
    /// The offers it is on: those whose id begins with one of these.
    pub on: Vec<String>,
    /// Where that is said.
    pub source: String,
}

/// Whether prices contain the tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Included {
    /// They do.
    Yes,
    /// They do not.
    No,
    /// The source does not say.
    Unknown,
}

impl Tax {
    /// Whether it is on an offer.
    #[must_use]
    pub fn is_on(&self, offer: &str) -> bool {
        self.on.iter().any(|prefix| offer.starts_with(prefix))
    }
}

impl Component {
    /// Whether it is billed beside an offer.
    #[must_use]
    pub fn comes_with(&self, offer: &str) -> bool {
        self.beside.iter().any(|prefix| offer.starts_with(prefix))
    }
}
