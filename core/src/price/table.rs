//! One provider's price table, `inferplan.prices/1`: data edited by hand, checked by its schema.
//!
//! An offer is one thing that can be bought. Its versions say what it cost, from when, seen when,
//! where, and how surely. A new price is a new version; none is ever overwritten.

use serde::{Deserialize, Serialize};

use super::{
    beside::{Component, Subscription, Tax},
    place::Residency,
    version::{self, InForce, Version},
};
use crate::{
    Date,
    accelerator::Accelerator,
    day,
    document::{Document, SchemaTag},
    text::{Bilingual, Notice},
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
    /// What is billed by its own meter beside that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<Component>,
    /// Subscriptions of an account; the first is taken where a scenario names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subscriptions: Vec<Subscription>,
    /// Tax on the prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<Tax>,
    /// How the table came here.
    #[serde(skip)]
    pub origin: Origin,
    /// The checksum of its text; empty where it has none.
    #[serde(skip)]
    pub sha256: String,
}

/// How a table came here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// With the program.
    #[default]
    Shipped,
    /// By an update, in the shipped one's place.
    Updated,
    /// From a catalogue that the user imported.
    Catalogue,
    /// By the user.
    Own,
}

impl Origin {
    /// Its word in documents.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::Updated => "updated",
            Self::Catalogue => "catalogue",
            Self::Own => "own",
        }
    }
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
    /// Where the data is processed, where the provider says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residency: Option<Residency>,
    /// The provider's name of the product: offers of one region with the same are one machine under
    /// different terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// What one gets.
    pub sells: Sells,
    /// What a price per hour binds the buyer to, and how time is counted.
    #[serde(default, skip_serializing_if = "Terms::is_default")]
    pub terms: Terms,
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
        /// What a call yields.
        #[serde(default, skip_serializing_if = "Yields::is_default")]
        yields: Yields,
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

/// What a call of a hosted model yields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Yields {
    /// Text.
    #[default]
    Text,
    /// One image.
    Image,
}

impl Yields {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
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
        /// The least that is billed for each time an instance is up.
        #[serde(default, skip_serializing_if = "is_zero")]
        minimum_s: f64,
    },
    /// All seconds of the month.
    Always,
}

fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// The terms of an offer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Terms {
    /// Months the buyer is bound to, paid whether used or not; 0 for none.
    #[serde(skip_serializing_if = "is_none")]
    pub commitment_months: u32,
    /// How much of a commitment is paid in advance, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepaid: Option<Prepaid>,
    /// Rented time is rounded up to a multiple of this many seconds, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_s: Option<u32>,
    /// The least that is billed for each time an instance is rented, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_s: Option<u32>,
    /// How a part of a month is billed, for prices per month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_month: Option<PartMonth>,
    /// Capacity that may be taken back at any time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spot: Option<Spot>,
}

fn is_none(months: &u32) -> bool {
    *months == 0
}

impl Terms {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How much of a commitment is paid in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Prepaid {
    /// Nothing.
    None,
    /// A part.
    Part,
    /// All of it.
    All,
}

/// How a part of a month is billed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PartMonth {
    /// As a whole month.
    Whole,
    /// By its days over the days of that calendar month.
    Calendar,
}

/// Capacity that may be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// How often an instance is taken back, each hour it runs; null where that is not known.
    pub interruptions_per_hour: Option<f64>,
    /// Warning before that, seconds; null where that is not known.
    pub notice_s: Option<f64>,
    /// How long a replacement takes to serve, seconds; null where that is not known.
    pub restart_s: Option<f64>,
}

impl Spot {
    /// The share of time an instance serves: up, then gone for a restart.
    #[must_use]
    pub fn availability(&self) -> Option<f64> {
        let lost_s_per_hour = self.interruptions_per_hour? * self.restart_s?;
        Some(1.0 / (1.0 + lost_s_per_hour / 3600.0))
    }
}

impl Offer {
    /// The version in force on a day.
    ///
    /// # Errors
    /// Why there is none: withdrawn, not yet known on that day, ended, or never known.
    pub fn in_force(&self, as_of: Date) -> Result<InForce<'_>, Notice> {
        if let Some(day) = self.withdrawn_on.filter(|day| *day <= as_of) {
            return Err(Notice::new(
                "withdrawn",
                format!("No longer sold since {day}."),
                format!("自 {day} 起不再出售。"),
            ));
        }
        version::in_force(&self.versions, as_of)
    }

    /// Months the buyer is bound to at the least, by its terms or by what its price is per.
    #[must_use]
    pub fn binds_months(&self, price: &super::Price) -> u32 {
        self.terms.commitment_months.max(price.binds_months())
    }
}
