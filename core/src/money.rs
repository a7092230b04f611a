//! Money: decimals with a currency, rounded in one place.
//!
//! A price is never a binary float. `f64` is for rates and times; [`decimal_from_f64`] is the one
//! crossing between the two, and nothing crosses back for output.

use std::{fmt, str::FromStr};

use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Serialize};

use crate::{number, text::Lang};

/// A currency that prices are quoted in.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Currency {
    /// United States dollar.
    #[default]
    Usd,
    /// Chinese yuan (renminbi).
    Cny,
}

impl Currency {
    /// Every currency, in the order shown to people.
    pub const ALL: [Self; 2] = [Self::Usd, Self::Cny];

    /// The ISO 4217 code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Usd => "USD",
            Self::Cny => "CNY",
        }
    }

    /// Decimal places of the minor unit (cent, fen).
    #[must_use]
    pub fn minor_digits(self) -> u32 {
        match self {
            Self::Usd | Self::Cny => 2,
        }
    }

    /// A figure with its sign or unit. A bare ¥ would also mean yen, so it is not used.
    #[must_use]
    pub fn label(self, figure: &str, lang: Lang) -> String {
        match (self, lang) {
            (Self::Usd, _) => format!("${figure}"),
            (Self::Cny, Lang::En) => format!("CN¥{figure}"),
            (Self::Cny, Lang::Zh) => format!("{figure} 元"),
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Currency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|currency| currency.code().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| format!("`{text}` is not a currency known here: USD or CNY"))
    }
}

/// An amount in a currency, rounded to its minor unit.
///
/// There is no addition between amounts but [`Money::plus`], which refuses two currencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Money {
    /// The amount, a decimal string with the currency's own number of places.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub amount: Decimal,
    /// Its currency.
    pub currency: Currency,
}

impl Money {
    /// Rounds `amount` half up (away from zero) to the minor unit.
    #[must_use]
    pub fn rounded(amount: Decimal, currency: Currency) -> Self {
        let digits = currency.minor_digits();
        let mut amount =
            amount.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero);
        amount.rescale(digits);
        Self { amount, currency }
    }

    /// No money.
    #[must_use]
    pub fn zero(currency: Currency) -> Self {
        Self::rounded(Decimal::ZERO, currency)
    }

    /// The sum; `None` for two currencies, or past the range of a decimal.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        if self.currency != other.currency {
            return None;
        }
        let amount = self.amount.checked_add(other.amount)?;
        Some(Self { amount, ..self })
    }

    /// For people: `$1,963.70`, `CN¥28,000.00`, `28,000.00 元`.
    #[must_use]
    pub fn display(&self, lang: Lang) -> String {
        self.currency
            .label(&number::grouped(&self.amount.to_string()), lang)
    }
}

/// A unit cost for reading, not for adding: two places from 1 up, four significant digits below.
#[must_use]
pub fn unit_cost(value: Decimal) -> Decimal {
    let half_up = RoundingStrategy::MidpointAwayFromZero;
    if value.is_zero() || value.abs() >= Decimal::ONE {
        let mut rounded = value.round_dp_with_strategy(2, half_up);
        rounded.rescale(2);
        return rounded;
    }
    let four_digits = value
        .round_sf_with_strategy(4, half_up)
        .unwrap_or(value)
        .normalize();
    let mut at_least_two_places = four_digits;
    at_least_two_places.rescale(four_digits.scale().max(2));
    at_least_two_places
}

/// A rate or a time as a decimal with `places` decimal places, rounded half up.
/// `None` where it is not finite or too large.
#[must_use]
pub fn decimal_from_f64(value: f64, places: u32) -> Option<Decimal> {
    // Through the shortest text that reads back as `value`, so that 0.1 becomes 0.1.
    let text = if value.is_finite() {
        format!("{value}")
    } else {
        return None;
    };
    let exact = Decimal::from_str(&text).ok()?;
    Some(exact.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero))
}

/// Decimals as JSON strings, so that no reader turns them into binary floats.
pub mod decimal_string {
    use std::str::FromStr;

    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the decimal as a string, keeping its places.
    ///
    /// # Errors
    /// The serializer's own.
    pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    /// Reads a decimal from a string; a bare number is refused, since it may have been rounded.
    ///
    /// # Errors
    /// Anything that is not a string holding a decimal.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let serde_json::Value::String(text) = &value else {
            return Err(D::Error::custom(format!(
                "{value} must be a decimal in quotes, such as \"0.79\""
            )));
        };
        Decimal::from_str(text)
            .map_err(|_| D::Error::custom(format!("\"{text}\" is not a decimal such as \"0.79\"")))
    }
}

/// `null` or a decimal as a JSON string.
pub mod optional_decimal {
    use rust_decimal::Decimal;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::decimal_string;

    /// Writes the decimal as a string, keeping its places.
    ///
    /// # Errors
    /// The serializer's own.
    pub fn serialize<S: Serializer>(
        value: &Option<Decimal>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => decimal_string::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads null or a decimal string.
    ///
    /// # Errors
    /// Anything else.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Decimal>, D::Error> {
        #[derive(Deserialize)]
        struct Text(#[serde(with = "decimal_string")] Decimal);
        Ok(Option::<Text>::deserialize(deserializer)?.map(|Text(value)| value))
    }
}

/// Volumes and hours: a JSON number or a decimal string in, a number out where one holds it.
pub mod decimal_number {
    use std::str::FromStr;

    use rust_decimal::{Decimal, prelude::ToPrimitive};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes a whole number as an integer, any other as a float.
    ///
    /// # Errors
    /// The serializer's own.
    pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
        match value.fract().is_zero().then(|| value.to_i64()).flatten() {
            Some(whole) => serializer.serialize_i64(whole),
            None => serializer.serialize_f64(value.to_f64().unwrap_or_default()),
        }
    }

    /// Reads a number or a decimal string.
    ///
    /// # Errors
    /// Anything else.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let text = match &value {
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::String(text) => text.clone(),
            other => return Err(D::Error::custom(format!("{other} is not a number"))),
        };
        Decimal::from_str(&text)
            .or_else(|_| Decimal::from_scientific(&text))
            .map_err(|_| D::Error::custom(format!("{text} is not a number in range")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn amounts_round_half_up_to_the_minor_unit() {
        for (exact, rounded) in [
            ("0.005", "0.01"),
            ("0.0049999", "0.00"),
            ("1963.7", "1963.70"),
            ("60000", "60000.00"),
        ] {
            let money = Money::rounded(dec(exact), Currency::Usd);
            assert_eq!(money.amount.to_string(), rounded);
        }
    }

    #[test]
    fn two_currencies_do_not_add() {
        let usd = Money::rounded(dec("1"), Currency::Usd);
        let cny = Money::rounded(dec("1"), Currency::Cny);
        assert_eq!(usd.plus(cny), None);
        assert_eq!(usd.plus(usd).unwrap().amount, dec("2.00"));
        assert_eq!(
            Money::rounded(Decimal::MAX, Currency::Usd).plus(usd),
            None,
            "out of range is no number"
        );
    }

    #[test]
    fn unit_costs_keep_four_digits_below_one() {
        for (exact, shown) in [
            ("2", "2.00"),
            ("15.625", "15.63"),
            ("0.543689", "0.5437"),
            ("0.00026547", "0.0002655"),
            ("0.5", "0.50"),
            ("0", "0.00"),
        ] {
            assert_eq!(unit_cost(dec(exact)).to_string(), shown);
        }
    }

    #[test]
    fn floats_become_the_decimal_people_wrote() {
        assert_eq!(decimal_from_f64(0.1, 6), Some(dec("0.1")));
        assert_eq!(decimal_from_f64(1e-7, 3), Some(dec("0")));
        assert_eq!(decimal_from_f64(1e30, 0), None);
        assert_eq!(decimal_from_f64(f64::NAN, 0), None);
    }

    #[test]
    fn currencies_are_never_a_bare_yen_sign() {
        let money = Money::rounded(dec("28000"), Currency::Cny);
        assert_eq!(money.display(Lang::En), "CN¥28,000.00");
        assert_eq!(money.display(Lang::Zh), "28,000.00 元");
    }

    #[test]
    fn a_price_that_is_a_bare_number_is_refused() {
        let json = r#"{"amount": 0.000694, "currency": "USD"}"#;
        let error = serde_json::from_str::<Money>(json).unwrap_err().to_string();
        assert!(error.contains("in quotes"), "{error}");
    }
}
