//! Each billing kind is one function from usage to lines.
//!
//! A line's amount is its printed quantity × its unit price, rounded half up to the minor unit; a
//! total is the sum of its rounded lines. So every bill re-adds to the last digit.

mod beside;
mod display;
mod kinds;
mod tokens;

use serde::{Deserialize, Serialize};

use super::fleet::Fleet;
use crate::{
    Date, Decimal, day,
    demand::Week,
    money::{Currency, Money, decimal_string},
    price::{Version, table::SecondsBilled},
};

pub use beside::{Around, Beside, beside, discount, tax};
pub use display::unit_text;
pub use kinds::lines;
pub use tokens::Tokens;

/// Quantities are rounded to so many places before they are multiplied.
const QUANTITY_PLACES: u32 = 6;

/// One line of a bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// What is billed: `calls`, `input-tokens`, `accelerator-time`, `cpu`, `credit`, `tax`, …
    pub item: String,
    /// How many units, a decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub quantity: Decimal,
    /// The unit: `call`, `million-tokens`, `accelerator-second`, `instance-hour`, …
    pub unit: String,
    /// The price of one unit, a decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub unit_price: Decimal,
    /// Quantity × unit price, a decimal string with the currency's places. A credit is below 0.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub amount: Decimal,
    /// The currency of both.
    pub currency: Currency,
    /// What the quantity is a product of, so that 1,460 hours read as 2 × 730.
    #[serde(default)]
    pub factors: Vec<Factor>,
    /// The day the unit price counts from, where that is known.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub price_from: Option<Date>,
    /// Where the unit price was seen.
    #[serde(default)]
    pub source: String,
}

/// One factor of a quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// How many, a decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub count: Decimal,
    /// Of what: `instance`, `accelerator`, `hour`, `second`, `request`, `token`.
    pub of: String,
}

/// What a month uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Requests billed in the month.
    pub requests: Decimal,
    /// The tokens of a request, where they are known.
    pub tokens: Option<Tokens>,
    /// Hours in the month.
    pub hours: Decimal,
    /// What was bought to serve them.
    pub fleet: Option<Fleet>,
    /// The share of the month's seconds that is billed, for prices per second.
    pub billed_share: f64,
    /// How requests are spread over the week; `None` for a steady load.
    pub week: Option<Week>,
    /// Each replica's load over its largest, for the power that owned machines draw.
    pub utilization: f64,
}

/// Why there is no bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBill {
    /// A price per token, and the lengths are not known.
    LengthsUnknown,
    /// The figures pass the range of a decimal.
    OutOfRange,
}

/// The sum of lines of one currency; `None` for several currencies, or out of range.
#[must_use]
pub fn total(lines: &[Line], currency: Currency) -> Option<Money> {
    lines.iter().try_fold(Money::zero(currency), |sum, line| {
        sum.plus(Money {
            amount: line.amount,
            currency: line.currency,
        })
    })
}

/// Whether a price per second rests on [`SecondsBilled::Up`] without a known start.
#[must_use]
pub fn start_unknown(seconds: Option<&SecondsBilled>) -> bool {
    matches!(
        seconds,
        Some(SecondsBilled::Up {
            cold_start_s: None,
            ..
        })
    )
}

fn factor(count: Decimal, of: &str) -> Factor {
    Factor {
        count,
        of: of.to_owned(),
    }
}

/// Makes lines at one version's price.
struct Bill<'a> {
    currency: Currency,
    price_from: Option<Date>,
    source: &'a str,
}

impl<'a> Bill<'a> {
    fn at<P>(version: &'a Version<P>) -> Self {
        Self {
            currency: version.currency,
            price_from: version.in_force_from(),
            source: &version.source,
        }
    }

    /// A line whose quantity is the product of `factors`, in units of `unit_size`.
    fn line(
        &self,
        item: &str,
        unit: &str,
        unit_price: Decimal,
        factors: Vec<Factor>,
        unit_size: Decimal,
    ) -> Result<Line, NoBill> {
        let product = factors.iter().try_fold(Decimal::ONE, |product, factor| {
            product.checked_mul(factor.count)
        });
        let quantity = product
            .and_then(|product| product.checked_div(unit_size))
            .ok_or(NoBill::OutOfRange)?
            .round_dp_with_strategy(
                QUANTITY_PLACES,
                rust_decimal::RoundingStrategy::MidpointAwayFromZero,
            )
            .normalize();
        let exact = quantity.checked_mul(unit_price).ok_or(NoBill::OutOfRange)?;
        Ok(Line {
            item: item.to_owned(),
            quantity,
            unit: unit.to_owned(),
            unit_price,
            amount: Money::rounded(exact, self.currency).amount,
            currency: self.currency,
            factors: factors
                .into_iter()
                .map(|f| Factor {
                    count: f.count.round_dp(QUANTITY_PLACES).normalize(),
                    ..f
                })
                .collect(),
            price_from: self.price_from,
            source: self.source.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
