//! Exchange rates: a dated table like any price.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{
    Date, Decimal, day,
    document::{self, Document, SchemaTag},
    money::{Currency, decimal_string},
    problem::{Problem, Problems},
};

/// A table of exchange rates, `inferplan.exchange-rates/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExchangeRates {
    /// Where an editor finds the JSON Schema.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub editor_schema: Option<String>,
    /// `inferplan.exchange-rates/1`.
    pub schema: SchemaTag,
    /// The rates.
    pub rates: Vec<ExchangeRate>,
}

impl Document for ExchangeRates {
    const SCHEMA: &'static str = "inferplan.exchange-rates/1";
}

impl ExchangeRates {
    /// Reads and checks a table.
    ///
    /// # Errors
    /// Text that is no such document, or rates out of bounds or without a day.
    pub fn read(json: &str, file: &str) -> Result<Self, Problems> {
        let table: Self = document::read(json, file)?;
        let mut found = Vec::new();
        for (i, rate) in table.rates.iter().enumerate() {
            let place = |p: Problem| p.at(format!("rates[{i}]")).in_file(file);
            found.extend(rate.check().err().map(place));
            if rate.date.is_none() {
                found.push(place(
                    Problem::new("a rate of a table needs its day", "汇率表中的汇率须有日期")
                        .found(rate.label()),
                ));
            }
        }
        Problems::none_in(found)?;
        Ok(table)
    }
}

/// What one unit of a currency was worth in another on a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExchangeRate {
    /// The currency priced.
    pub base: Currency,
    /// The currency it is priced in.
    pub quote: Currency,
    /// Units of `quote` for one unit of `base`, a decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub rate: Decimal,
    /// The day of the rate; null for one the user states without a day.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub date: Option<Date>,
    /// Where it comes from.
    pub source: String,
}

impl ExchangeRate {
    /// `amount` of `from` in `to`, unrounded; `None` where the rate is of other currencies or the
    /// result is out of range.
    #[must_use]
    pub fn convert(&self, amount: Decimal, from: Currency, to: Currency) -> Option<Decimal> {
        if (self.base, self.quote) == (from, to) {
            amount.checked_mul(self.rate)
        } else if (self.quote, self.base) == (from, to) {
            amount.checked_div(self.rate)
        } else {
            None
        }
    }

    /// Whether it joins the two currencies, in either direction.
    #[must_use]
    pub fn joins(&self, a: Currency, b: Currency) -> bool {
        (self.base, self.quote) == (a, b) || (self.base, self.quote) == (b, a)
    }

    /// `1 USD = 7.17 CNY`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("1 {} = {} {}", self.base, self.rate.normalize(), self.quote)
    }
}

impl FromStr for ExchangeRate {
    type Err = Problem;

    /// Reads `USD/CNY=7.17`: one US dollar is 7.17 yuan.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let bad = || {
            Problem::new("this is not an exchange rate", "这不是汇率")
                .found(text)
                .remedy(
                    "write USD/CNY=7.17 for 7.17 yuan to the dollar",
                    "例如 USD/CNY=7.17 表示 1 美元兑 7.17 元",
                )
        };
        let (pair, rate) = text.split_once('=').ok_or_else(bad)?;
        let (base, quote) = pair.split_once('/').ok_or_else(bad)?;
        let rate = Decimal::from_str(rate.trim()).map_err(|_| bad())?;
        let parsed = Self {
            base: base.parse().map_err(|_| bad())?,
            quote: quote.parse().map_err(|_| bad())?,
            rate,
            date: None,
            source: "stated".to_owned(),
        };
        parsed.check().map_err(|problem| problem.found(text))?;
        Ok(parsed)
    }
}

impl ExchangeRate {
    /// # Errors
    /// A rate that is not positive, absurd, or of a currency to itself.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.base == self.quote {
            return Err(Problem::new(
                "a rate joins two currencies",
                "汇率须联系两种货币",
            ));
        }
        let (least, greatest) = (Decimal::new(1, 4), Decimal::from(10_000));
        if self.rate < least || self.rate > greatest {
            return Err(
                Problem::new("the exchange rate is out of range", "汇率超出合理范围")
                    .found(self.rate)
                    .remedy("expected 0.0001 to 10000", "应在 0.0001 到 10000 之间"),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_gives_the_same_fen() {
        let rate: ExchangeRate = "USD/CNY=7.17".parse().unwrap();
        for fen in [1_i64, 99, 2_800_000, 123_456_789] {
            let cny = Decimal::new(fen, 2);
            let usd = rate.convert(cny, Currency::Cny, Currency::Usd).unwrap();
            let back = rate.convert(usd, Currency::Usd, Currency::Cny).unwrap();
            assert_eq!(back.round_dp(2), cny);
        }
    }

    #[test]
    fn bad_rates_are_refused() {
        for text in [
            "7.17",
            "USD/CNY",
            "USD/EUR=1",
            "USD/CNY=0",
            "USD/CNY=-7",
            "USD/USD=1",
            "USD/CNY=1e9",
        ] {
            assert!(text.parse::<ExchangeRate>().is_err(), "{text}");
        }
    }
}
