//! Prices of one's own, `inferplan.overlay/1`: quotes, discounts, machines, exchange rates.
//!
//! They are kept apart from the shipped tables, come before them, and are shown as one's own.

use serde::{Deserialize, Serialize};

use super::{Confidence, ExchangeRate, Price, PriceTable, Version};
use crate::{
    Date, Decimal, day,
    document::{Document, SchemaTag},
    money::{Currency, optional_decimal},
    problem::{Problem, Problems},
};

/// Prices of one's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// Where an editor finds the JSON Schema.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub editor_schema: Option<String>,
    /// `inferplan.overlay/1`.
    pub schema: SchemaTag,
    /// Offers that no shipped table has: machines of one's own, a provider not listed here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<PriceTable>,
    /// Prices quoted to you for offers that the tables have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<Quote>,
    /// Discounts on what the tables say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discounts: Vec<Discount>,
    /// Exchange rates that come before the shipped ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchange_rates: Vec<ExchangeRate>,
}

impl Document for Overlay {
    const SCHEMA: &'static str = "inferplan.overlay/1";
}

impl Default for Overlay {
    fn default() -> Self {
        Self {
            editor_schema: None,
            schema: SchemaTag::of::<Self>(),
            tables: Vec::new(),
            quotes: Vec::new(),
            discounts: Vec::new(),
            exchange_rates: Vec::new(),
        }
    }
}

/// A price quoted to you. While it holds, it comes before the table's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The offer's id.
    pub offer: String,
    /// The price.
    pub price: Price,
    /// Its currency.
    pub currency: Currency,
    /// The first day it holds.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub effective_from: Date,
    /// The first day it no longer holds.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "day::optional"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub effective_until: Option<Date>,
    /// Who gave it, and how: a contract's number, an e-mail.
    pub source: String,
}

impl Quote {
    /// As a version of its offer.
    #[must_use]
    pub fn version(&self) -> Version {
        Version {
            price: self.price.clone(),
            currency: self.currency,
            effective_from: Some(self.effective_from),
            effective_until: self.effective_until,
            observed_on: None,
            cancelled_on: None,
            source: self.source.clone(),
            confidence: Confidence::Quote,
            note: None,
        }
    }
}

/// A discount, by a share or by an amount a month.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Discount {
    /// A provider's id, or an offer's.
    pub on: String,
    /// Percent off what the offer sells, decimal string: "15".
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "optional_decimal"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub percent: Option<Decimal>,
    /// Off each month, decimal string.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "optional_decimal"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub amount: Option<Decimal>,
    /// The currency of the amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// The first day it holds.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub effective_from: Date,
    /// The first day it no longer holds.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "day::optional"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub effective_until: Option<Date>,
    /// Who gave it.
    pub source: String,
}

impl Discount {
    /// Whether it is on an offer, on a day.
    #[must_use]
    pub fn holds(&self, provider: &str, offer: &str, as_of: Date) -> bool {
        let on = self.on == provider || self.on == offer;
        let until = self.effective_until.is_none_or(|end| as_of < end);
        on && self.effective_from <= as_of && until
    }
}

impl Overlay {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
            && self.quotes.is_empty()
            && self.discounts.is_empty()
            && self.exchange_rates.is_empty()
    }

    /// Everything in it after everything of another.
    pub fn extend(&mut self, other: Self) {
        self.tables.extend(other.tables);
        self.quotes.extend(other.quotes);
        self.discounts.extend(other.discounts);
        self.exchange_rates.extend(other.exchange_rates);
    }

    /// Checks every value against its bounds.
    ///
    /// # Errors
    /// All that are out of theirs.
    pub fn check(&self) -> Result<(), Problems> {
        let mut found = Vec::new();
        for (i, table) in self.tables.iter().enumerate() {
            found.extend(super::check::table(table).into_iter().map(|problem| {
                let path = problem.path.clone().unwrap_or_default();
                problem.at(format!("tables[{i}].{path}"))
            }));
        }
        for (i, quote) in self.quotes.iter().enumerate() {
            let place = |problem: Problem| {
                let path = problem.path.clone().unwrap_or_default();
                problem.at(format!("quotes[{i}].{path}"))
            };
            found.extend(
                super::check::version(&quote.version())
                    .into_iter()
                    .map(place),
            );
        }
        for (i, discount) in self.discounts.iter().enumerate() {
            found.extend(
                discount
                    .check()
                    .map(|problem| problem.at(format!("discounts[{i}]"))),
            );
        }
        for (i, rate) in self.exchange_rates.iter().enumerate() {
            let place = |problem: Problem| problem.at(format!("exchange_rates[{i}]"));
            found.extend(rate.check().err().map(place));
        }
        Problems::none_in(found)
    }
}

impl Discount {
    fn check(&self) -> Option<Problem> {
        let wrong = |en: &str, zh: &str| Some(Problem::new(en, zh).found(&self.on));
        match (self.percent, self.amount, self.currency) {
            (Some(percent), None, None) => {
                (percent <= Decimal::ZERO || percent > Decimal::ONE_HUNDRED).then(|| {
                    Problem::new(
                        "a discount is above 0 and at most 100 percent",
                        "折扣应大于 0% 且不超过 100%",
                    )
                    .found(percent)
                })
            }
            (None, Some(amount), Some(_)) => (amount <= Decimal::ZERO)
                .then(|| Problem::new("a discount is above 0", "折扣金额应大于 0").found(amount)),
            (None, Some(_), None) => wrong("an amount needs its currency", "折扣金额须注明货币"),
            _ => wrong(
                "a discount is either a percent or an amount with its currency",
                "折扣须为百分比，或带货币的金额，二者择一",
            ),
        }
        .or_else(|| {
            self.source
                .trim()
                .is_empty()
                .then(|| Problem::new("a discount needs a source", "折扣须有出处"))
        })
        .or_else(|| {
            let ends = self
                .effective_until
                .is_some_and(|end| end <= self.effective_from);
            ends.then(|| Problem::new("it ends after it begins", "终止须晚于开始"))
        })
    }
}
