//! What something cost from some day on, and which of its versions counts on a day.

use serde::{Deserialize, Serialize};

use super::tariff::Price;
use crate::{Date, day, money::Currency, text::Notice};

/// What something cost from some day on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Version<P = Price> {
    /// The price.
    pub price: P,
    /// Its currency.
    pub currency: Currency,
    /// The day it took effect, where that is known.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub effective_from: Option<Date>,
    /// The first day on which it no longer counts, where it was announced to end.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "day::optional"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub effective_until: Option<Date>,
    /// The day it was seen.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub observed_on: Option<Date>,
    /// The day an announced price was called off: it never counts.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "day::optional"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub cancelled_on: Option<Date>,
    /// Where it was seen.
    pub source: String,
    /// How surely.
    pub confidence: Confidence,
    /// For whoever edits the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How surely a price is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// The provider's own price list or documents.
    List,
    /// An offer to one customer.
    Quote,
    /// A catalogue or data set that copies price lists.
    Catalogue,
    /// An article; not checked against a list.
    Article,
}

impl Confidence {
    /// Every degree, the surest first.
    pub const ALL: [Self; 4] = [Self::List, Self::Quote, Self::Catalogue, Self::Article];

    /// Its word in documents.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Quote => "quote",
            Self::Catalogue => "catalogue",
            Self::Article => "article",
        }
    }
}

/// The version that was in force on a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InForce<'a, P = Price> {
    /// The version.
    pub version: &'a Version<P>,
    /// Whether it has no date at all, and was taken for want of any other.
    pub undated: bool,
}

impl<P> Version<P> {
    /// The day it counts from: when it took effect, or else when it was seen.
    #[must_use]
    pub fn in_force_from(&self) -> Option<Date> {
        self.effective_from.or(self.observed_on)
    }

    /// Where it was seen and when, for people and for a bill's lines.
    #[must_use]
    pub fn seen(&self) -> String {
        match self.observed_on.or(self.effective_from) {
            Some(day) => format!("{}, {day}", self.source),
            None => self.source.clone(),
        }
    }
}

/// The version in force on a day: of those that count from it or before, the latest.
///
/// # Errors
/// Why there is none: not yet known on that day, ended, or never known.
pub fn in_force<P>(versions: &[Version<P>], as_of: Date) -> Result<InForce<'_, P>, Notice> {
    let standing = || versions.iter().filter(|v| v.cancelled_on.is_none());
    let latest = standing()
        .filter(|version| version.in_force_from().is_some_and(|from| from <= as_of))
        .max_by_key(|version| version.in_force_from());
    if let Some(version) = latest {
        if let Some(end) = version.effective_until.filter(|end| *end <= as_of) {
            return Err(ended(end));
        }
        return Ok(InForce {
            version,
            undated: false,
        });
    }
    let first = standing().filter_map(Version::in_force_from).min();
    let last = standing().last();
    if let (None, Some(end)) = (first, last.and_then(|version| version.effective_until))
        && end <= as_of
    {
        return Err(ended(end));
    }
    match (first, last) {
        (Some(first), _) => Err(Notice::new(
            "no-price-at-date",
            format!("No price is known for {as_of}; the first is from {first}."),
            format!("没有 {as_of} 的价格；最早的价格始于 {first}。"),
        )),
        (None, Some(version)) => Ok(InForce {
            version,
            undated: true,
        }),
        (None, None) => Err(Notice::new(
            "no-price",
            "No verified price is known for this offer.",
            "该报价没有可核实的价格。",
        )),
    }
}

fn ended(end: Date) -> Notice {
    Notice::new(
        "price-ended",
        format!("Its last known price ended on {end}; none is known since."),
        format!("其最后一个已知价格已于 {end} 终止，之后的价格未知。"),
    )
}
