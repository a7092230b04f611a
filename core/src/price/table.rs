//! One provider's price table, `inferplan.prices/1`: data edited by hand, checked by its schema.
//!
//! An offer is one thing that can be bought. Its versions say what it cost, from when, seen when,
//! where, and how surely. A new price is a new version; none is ever overwritten.

use serde::{Deserialize, Serialize};

use crate::{
    Date, Decimal,
    accelerator::Accelerator,
    day,
    document::{Document, SchemaTag},
    money::{Currency, decimal_string},
    text::Bilingual,
};

/// A provider's table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    /// Where an editor finds the JSON Schema.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub editor_schema: Option<String>,
    /// `inferplan.prices/1`.
    pub schema: SchemaTag,
    /// Who sells.
    pub provider: Provider,
    /// The day this state of the table was made.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub released_on: Date,
    /// What is sold.
    pub offers: Vec<Offer>,
}

impl Document for PriceTable {
    const SCHEMA: &'static str = "inferplan.prices/1";
}

/// A provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Stable, in kebab case; every offer's id begins with it.
    pub id: String,
    /// For people.
    pub name: Bilingual,
}

/// One thing that can be bought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Stable: `runpod.pod.h100-80gb-sxm.community`.
    pub id: String,
    /// For people, without the provider's name.
    pub name: Bilingual,
    /// The provider's region code, or `global`.
    pub region: String,
    /// What one gets.
    pub sells: Sells,
    /// The day from which it is no longer sold.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "day::optional"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub withdrawn_on: Option<Date>,
    /// What the bill leaves out, each named for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<Bilingual>,
    /// Its prices, in no order that matters. May be empty: the offer exists, its price is not known.
    pub versions: Vec<Version>,
    /// For whoever edits the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What an offer sells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Sells {
    /// Answers of a hosted model: a price, no capacity question.
    Model {
        /// The model.
        model: String,
    },
    /// Accelerators to run a model on.
    Accelerators {
        /// Which; null where the source names none.
        accelerator: Option<Accelerator>,
        /// Accelerators in the smallest instance.
        per_instance: u32,
        /// Accelerators in the largest instance sold at the same price each; `per_instance` where
        /// the size is fixed.
        up_to: u32,
        /// How seconds are counted, for a price per second.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<SecondsBilled>,
    },
}

/// Which seconds of an instance are billed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "billed", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SecondsBilled {
    /// Those with a request in service.
    Active,
    /// From the start of an instance to its end: start-up, service and idling; none after that.
    Up {
        /// An instance without requests goes after so long.
        idle_timeout_s: f64,
        /// How long an instance takes to start, billed; null where that is not known.
        cold_start_s: Option<f64>,
        /// Each instance's time is rounded up to a multiple of this.
        increment_s: f64,
    },
    /// All seconds of the month.
    Always,
}

/// What an offer cost from some day on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// The price.
    pub price: Price,
    /// Its currency.
    pub currency: Currency,
    /// The day it took effect, where that is known.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub effective_from: Option<Date>,
    /// The day it was seen.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub observed_on: Option<Date>,
    /// Where it was seen.
    pub source: String,
    /// How surely.
    pub confidence: Confidence,
    /// For whoever edits the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Version {
    /// The day it counts from: when it took effect, or else when it was seen.
    #[must_use]
    pub fn in_force_from(&self) -> Option<Date> {
        self.effective_from.or(self.observed_on)
    }
}

/// How surely a price is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// The provider's own price list or documents.
    List,
    /// A catalogue or data set that copies price lists.
    Catalogue,
    /// An article; not checked against a list.
    Article,
    /// An offer to one customer.
    Quote,
}

/// Whether a price is for one accelerator or for the whole instance. Never left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// For each accelerator.
    Accelerator,
    /// For the instance with all its accelerators.
    Instance,
}

/// A price, by what it is per.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "per", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Price {
    /// A call, whatever its length.
    Call {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
    },
    /// A million tokens.
    MillionTokens {
        /// For input tokens, decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        input: Decimal,
        /// For output tokens, decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        output: Decimal,
    },
    /// A second.
    Second {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Of what.
        of: Basis,
    },
    /// An hour.
    Hour {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Of what.
        of: Basis,
    },
    /// A month, whatever its hours.
    Month {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Of what.
        of: Basis,
    },
}

impl Price {
    /// Every amount in it.
    pub(super) fn amounts(&self) -> impl Iterator<Item = Decimal> {
        let (first, second) = match *self {
            Self::Call { amount }
            | Self::Second { amount, .. }
            | Self::Hour { amount, .. }
            | Self::Month { amount, .. } => (amount, None),
            Self::MillionTokens { input, output } => (input, Some(output)),
        };
        std::iter::once(first).chain(second)
    }

    /// Whether it is a price of accelerators, not of answers.
    pub(super) fn is_for_accelerators(&self) -> bool {
        !matches!(self, Self::Call { .. } | Self::MillionTokens { .. })
    }
}
