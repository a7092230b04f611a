//! Each billing kind is one function from usage to lines.
//!
//! A line's amount is its printed quantity × its unit price, rounded half up to the minor unit; a
//! total is the sum of its rounded lines. So every bill re-adds to the last digit.

use serde::{Deserialize, Serialize};

use super::fleet::Fleet;
use crate::{
    Decimal,
    money::{Currency, Money, decimal_from_f64, decimal_string},
    number,
    price::{Basis, Price, table::SecondsBilled},
    text::Lang,
};

/// Quantities are rounded to so many places before they are multiplied.
const QUANTITY_PLACES: u32 = 6;

/// One line of a bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// What is billed: `calls`, `input-tokens`, `accelerator-time`, …
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
    /// Quantity × unit price, a decimal string with the currency's places.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub amount: Decimal,
    /// The currency of both.
    pub currency: Currency,
    /// What the quantity is a product of, so that 1,460 hours read as 2 × 730.
    #[serde(default)]
    pub factors: Vec<Factor>,
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Requests in the month.
    pub requests: Decimal,
    /// Input and output tokens a request, where they are known.
    pub tokens: Option<(u64, u64)>,
    /// Hours in the month.
    pub hours: Decimal,
    /// What was bought to serve them.
    pub fleet: Option<Fleet>,
    /// The share of the month's seconds that is billed, for prices per second.
    pub billed_share: f64,
}

/// Why there is no bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBill {
    /// A price per token, and the lengths are not known.
    LengthsUnknown,
    /// The figures pass the range of a decimal.
    OutOfRange,
}

/// The lines of a month's bill.
///
/// # Errors
/// See [`NoBill`].
pub fn lines(price: &Price, currency: Currency, usage: &Usage) -> Result<Vec<Line>, NoBill> {
    let fleet = usage.fleet.unwrap_or(Fleet {
        replicas: 0,
        instances: 0,
        per_instance: 0,
    });
    let units = |of: Basis| match of {
        Basis::Accelerator => (fleet.accelerators(), "accelerator"),
        Basis::Instance => (fleet.instances, "instance"),
    };
    let bill = Bill { currency };
    match *price {
        Price::Call { amount } => {
            let factors = vec![factor(usage.requests, "request")];
            Ok(vec![bill.line(
                "calls",
                "call",
                amount,
                factors,
                Decimal::ONE,
            )?])
        }
        Price::MillionTokens { input, output } => {
            let (inputs, outputs) = usage.tokens.ok_or(NoBill::LengthsUnknown)?;
            let million = Decimal::from(1_000_000);
            let tokens = |item, count: u64, amount| {
                let factors = vec![
                    factor(usage.requests, "request"),
                    factor(count.into(), "token"),
                ];
                bill.line(item, "million-tokens", amount, factors, million)
            };
            Ok(vec![
                tokens("input-tokens", inputs, input)?,
                tokens("output-tokens", outputs, output)?,
            ])
        }
        Price::Second { amount, of } => {
            let (count, unit) = units(of);
            let seconds = number::to_f64(usage.hours) * 3600.0 * usage.billed_share;
            // Whole seconds, but for so few that many replicas' roundings would add up.
            let places = if seconds < 100_000.0 { 3 } else { 0 };
            let seconds = decimal_from_f64(seconds, places).ok_or(NoBill::OutOfRange)?;
            let factors = vec![factor(count.into(), unit), factor(seconds, "second")];
            let unit = format!("{unit}-second");
            Ok(vec![bill.line(
                "accelerator-time",
                &unit,
                amount,
                factors,
                Decimal::ONE,
            )?])
        }
        Price::Hour { amount, of } => {
            let (count, unit) = units(of);
            let factors = vec![factor(count.into(), unit), factor(usage.hours, "hour")];
            let unit = format!("{unit}-hour");
            Ok(vec![bill.line(
                "accelerator-time",
                &unit,
                amount,
                factors,
                Decimal::ONE,
            )?])
        }
        Price::Month { amount, of } => {
            let (count, unit) = units(of);
            let factors = vec![factor(count.into(), unit), factor(Decimal::ONE, "month")];
            let unit = format!("{unit}-month");
            Ok(vec![bill.line(
                "accelerator-time",
                &unit,
                amount,
                factors,
                Decimal::ONE,
            )?])
        }
    }
}

/// The sum of lines of one currency.
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

struct Bill {
    currency: Currency,
}

impl Bill {
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
        })
    }
}

impl Line {
    /// For people: `2 instances × 730 hours × $2.69 = $3,927.40`.
    #[must_use]
    pub fn display(&self, lang: Lang) -> String {
        let factors: Vec<String> = self
            .factors
            .iter()
            .map(|factor| {
                format!(
                    "{} {}",
                    number::plain(factor.count),
                    unit_name(&factor.of, factor.count, lang)
                )
            })
            .collect();
        let price = self.currency.label(&number::plain(self.unit_price), lang);
        let per = match (self.unit.as_str(), lang) {
            ("million-tokens", Lang::En) => " a million",
            ("million-tokens", Lang::Zh) => "／百万",
            _ => "",
        };
        let amount = Money {
            amount: self.amount,
            currency: self.currency,
        }
        .display(lang);
        format!("{} × {price}{per} = {amount}", factors.join(" × "))
    }
}

/// A line's unit for people, in short: `accelerator-hour` → `accel.-hour`, `卡·小时`.
#[must_use]
pub fn unit_text(unit: &str, lang: Lang) -> String {
    match (unit, lang) {
        ("million-tokens", Lang::En) => "1M tokens".to_owned(),
        ("million-tokens", Lang::Zh) => "百万 token".to_owned(),
        (_, Lang::En) => unit.replace("accelerator", "accel."),
        (_, Lang::Zh) => {
            let part = |part: &str| match part {
                "accelerator" => "卡",
                "instance" => "台",
                "hour" => "小时",
                "second" => "秒",
                "month" => "月",
                "call" => "次",
                _ => "",
            };
            unit.split('-').map(part).collect::<Vec<_>>().join("·")
        }
    }
}

fn unit_name(unit: &str, count: Decimal, lang: Lang) -> String {
    match lang {
        Lang::En if count == Decimal::ONE => unit.to_owned(),
        Lang::En => format!("{unit}s"),
        Lang::Zh => match unit {
            "instance" => "台实例",
            "accelerator" => "张卡",
            "hour" => "小时",
            "second" => "秒",
            "month" => "个月",
            "request" => "次请求",
            "token" => "token",
            other => other,
        }
        .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn usage(requests: &str, instances: u64, per_instance: u32) -> Usage {
        Usage {
            requests: dec(requests),
            tokens: Some((2048, 2048)),
            hours: dec("730"),
            fleet: Some(Fleet {
                replicas: instances,
                instances,
                per_instance,
            }),
            billed_share: 1.0,
        }
    }

    fn total_of(price: Price, currency: Currency, usage: &Usage) -> String {
        let lines = lines(&price, currency, usage).unwrap();
        for line in &lines {
            let exact = line.quantity * line.unit_price;
            assert_eq!(
                Money::rounded(exact, currency).amount,
                line.amount,
                "it re-adds"
            );
        }
        total(&lines, currency).unwrap().amount.to_string()
    }

    #[test]
    fn each_kind_to_the_cent() {
        let usd = Currency::Usd;
        let call = Price::Call {
            amount: dec("0.002"),
        };
        assert_eq!(total_of(call, usd, &usage("30000000", 0, 0)), "60000.00");
        assert_eq!(total_of(call, usd, &usage("3000000", 0, 0)), "6000.00");
        assert_eq!(total_of(call, usd, &usage("0", 0, 0)), "0.00");
        let hour = |amount, of| Price::Hour {
            amount: dec(amount),
            of,
        };
        assert_eq!(
            total_of(hour("2.69", Basis::Accelerator), usd, &usage("1", 1, 1)),
            "1963.70"
        );
        assert_eq!(
            total_of(hour("31.92", Basis::Instance), usd, &usage("1", 2, 8)),
            "46603.20"
        );
        assert_eq!(
            total_of(hour("3.99", Basis::Accelerator), usd, &usage("1", 2, 8)),
            "46603.20"
        );
        let month = Price::Month {
            amount: dec("28000"),
            of: Basis::Instance,
        };
        assert_eq!(
            total_of(month, Currency::Cny, &usage("1", 1, 1)),
            "28000.00"
        );
        // 2 628 000 s × 0.001097 = 2 882.916.
        let second = Price::Second {
            amount: dec("0.001097"),
            of: Basis::Accelerator,
        };
        assert_eq!(total_of(second, usd, &usage("1", 1, 1)), "2882.92");
        // 2 628 000 requests × 2048 = 5 382.144 million tokens, each way × 0.20.
        let tokens = Price::MillionTokens {
            input: dec("0.2"),
            output: dec("0.2"),
        };
        assert_eq!(total_of(tokens, usd, &usage("2628000", 0, 0)), "2152.86");
    }

    #[test]
    fn tiny_prices_are_not_rounded_call_by_call() {
        let call = Price::Call {
            amount: dec("0.0000004"),
        };
        assert_eq!(
            total_of(call, Currency::Usd, &usage("1000000", 0, 0)),
            "0.40"
        );
    }

    #[test]
    fn a_bill_out_of_range_is_an_error_and_not_a_panic() {
        let call = Price::Call {
            amount: dec("10000000"),
        };
        let huge = Usage {
            requests: Decimal::MAX,
            ..usage("1", 0, 0)
        };
        assert_eq!(lines(&call, Currency::Usd, &huge), Err(NoBill::OutOfRange));
        let tokens = Price::MillionTokens {
            input: dec("1"),
            output: dec("1"),
        };
        let unknown = Usage {
            tokens: None,
            ..usage("1", 0, 0)
        };
        assert_eq!(
            lines(&tokens, Currency::Usd, &unknown),
            Err(NoBill::LengthsUnknown)
        );
    }

    #[test]
    fn a_line_reads_as_a_sum_people_can_check() {
        let hour = Price::Hour {
            amount: dec("2.69"),
            of: Basis::Instance,
        };
        let line = &lines(&hour, Currency::Usd, &usage("1", 2, 1)).unwrap()[0];
        assert_eq!(
            line.display(Lang::En),
            "2 instances × 730 hours × $2.69 = $3,927.40"
        );
        assert_eq!(
            line.display(Lang::Zh),
            "2 台实例 × 730 小时 × $2.69 = $3,927.40"
        );
    }
}
