//! What two days' prices make of one scenario, line by line.

use serde::{Deserialize, Serialize};

use super::{Plan, own_book};
use crate::{
    Date, Decimal,
    comparison::Choice,
    day,
    document::{Document, SchemaTag},
    money::{Currency, Money, decimal_string, optional_decimal},
    plan::bill::Line,
    price::{
        ExchangeRate, PriceBook,
        changes::{self, Change},
    },
    problem::Problems,
    scenario::Scenario,
    text::{Bilingual, Notice},
};

/// What prices did between two days, `inferplan.price-diff/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// `inferplan.price-diff/1`.
    pub schema: SchemaTag,
    /// The first day.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub from: Date,
    /// The second day.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub to: Date,
    /// Each offer whose price a version touched.
    pub changes: Vec<Change>,
    /// How much each option of a scenario moves; empty without one.
    pub options: Vec<Moved>,
    /// The exchange rates used on the first day.
    pub rates_before: Vec<ExchangeRate>,
    /// The exchange rates used on the second day.
    pub rates_after: Vec<ExchangeRate>,
}

impl Document for Difference {
    const SCHEMA: &'static str = "inferplan.price-diff/1";
}

/// How much an option's month moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moved {
    /// The offer's id.
    pub offer: String,
    /// The report's id.
    pub report: Option<String>,
    /// Provider and offer, for people.
    pub name: Bilingual,
    /// The month on the first day, in the comparison's currency; null where it was not feasible.
    pub before: Option<Money>,
    /// The month on the second day.
    pub after: Option<Money>,
    /// The difference between them: the next two, to the last digit.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub difference: Option<Decimal>,
    /// What prices and quantities make of it, at the first day's exchange rate.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub by_price: Option<Decimal>,
    /// What the exchange rate makes of it.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub by_exchange: Option<Decimal>,
    /// The offer's own currency, in which its lines are.
    pub currency: Option<Currency>,
    /// Each line's difference, in the offer's own currency; they add up to that of the month in it.
    pub lines: Vec<LineMoved>,
    /// Why it is out on one of the days.
    pub reasons: Vec<Notice>,
}

/// How much a line of a bill moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineMoved {
    /// What is billed.
    pub item: String,
    /// Its unit.
    pub unit: String,
    /// The unit price on the first day; null where there was no such line.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub unit_price_before: Option<Decimal>,
    /// The unit price on the second day.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub unit_price_after: Option<Decimal>,
    /// The quantity on the first day.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub quantity_before: Option<Decimal>,
    /// The quantity on the second day.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub quantity_after: Option<Decimal>,
    /// The second amount less the first.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub difference: Decimal,
}

/// What prices did between two days, and what that makes of a scenario where one is given.
///
/// # Errors
/// Every value of the scenario that is out of its bounds.
pub fn difference(
    scenario: Option<&Scenario>,
    book: &PriceBook,
    from: Date,
    to: Date,
) -> Result<Difference, Problems> {
    let own = scenario.map_or(Ok(None), |scenario| own_book(scenario, book))?;
    let book = own.as_ref().unwrap_or(book);
    let mut found = Difference {
        schema: SchemaTag::of::<Difference>(),
        from,
        to,
        changes: changes::between(book, from, to),
        options: Vec::new(),
        rates_before: Vec::new(),
        rates_after: Vec::new(),
    };
    let Some(scenario) = scenario else {
        return Ok(found);
    };
    let on = |day: Date| Scenario {
        as_of: Some(day),
        ..scenario.clone()
    };
    let (first, second) = (on(from), on(to));
    let (before, after) = (
        Plan::new(&first, book, from)?,
        Plan::new(&second, book, to)?,
    );
    // The second day's seasons are not a change of price: one volume for both.
    let volume = before.volume();
    let (old, new) = (before.options_at(volume), after.options_at(volume));
    found.rates_before = before.rates_used(&old);
    found.rates_after = after.rates_used(&new);
    // Both plans pair the same offers with the same reports, in one order.
    found.options = old
        .iter()
        .zip(&new)
        .filter(|(old, new)| old.feasible || new.feasible)
        .map(|(old, new)| moved(old, new, &before))
        .collect();
    Ok(found)
}

fn moved(old: &Choice, new: &Choice, before: &Plan) -> Moved {
    let feasible = |choice: &Choice| choice.monthly.filter(|_| choice.feasible);
    let (first, second) = (feasible(old), feasible(new));
    // The second day's bill at the first day's rate parts the two causes.
    let at_old_rate = new.native.filter(|_| new.feasible).and_then(|native| {
        let wanted = before.scenario.currency;
        if native.currency == wanted {
            return Some(native.amount);
        }
        let rate = before.rate_from(native.currency)?;
        let amount = rate.convert(native.amount, native.currency, wanted)?;
        Some(Money::rounded(amount, wanted).amount)
    });
    let both = first.zip(second);
    let lines = if both.is_some() {
        lines_moved(&old.lines, &new.lines)
    } else {
        Vec::new()
    };
    Moved {
        offer: old.offer.clone(),
        report: old.report.clone(),
        name: old.name.clone(),
        before: first,
        after: second,
        difference: both.map(|(first, second)| second.amount - first.amount),
        by_price: both.and_then(|(first, _)| Some(at_old_rate? - first.amount)),
        by_exchange: both.and_then(|(_, second)| Some(second.amount - at_old_rate?)),
        currency: new.native.or(old.native).map(|native| native.currency),
        lines,
        reasons: old.reasons.iter().chain(&new.reasons).cloned().collect(),
    }
}

/// Lines of one item and unit, paired in their order; those without a pair stand alone.
fn lines_moved(old: &[Line], new: &[Line]) -> Vec<LineMoved> {
    let mut left: Vec<Option<&Line>> = new.iter().map(Some).collect();
    let mut pairs: Vec<(Option<&Line>, Option<&Line>)> = Vec::new();
    for line in old {
        let same = |other: &Option<&Line>| {
            other.is_some_and(|other| (&other.item, &other.unit) == (&line.item, &line.unit))
        };
        let at = left.iter().position(same);
        pairs.push((Some(line), at.and_then(|at| left[at].take())));
    }
    pairs.extend(left.into_iter().flatten().map(|line| (None, Some(line))));
    pairs
        .into_iter()
        .filter_map(|(old, new)| {
            let line = old.or(new)?;
            let amount = |line: Option<&Line>| line.map_or(Decimal::ZERO, |line| line.amount);
            Some(LineMoved {
                item: line.item.clone(),
                unit: line.unit.clone(),
                unit_price_before: old.map(|line| line.unit_price),
                unit_price_after: new.map(|line| line.unit_price),
                quantity_before: old.map(|line| line.quantity),
                quantity_after: new.map(|line| line.quantity),
                difference: amount(new) - amount(old),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::tests::scenario;

    /// A dollar offer that rises, a yuan offer that stays while its currency does not.
    const TABLE: &str = r#"{
      "schema": "inferplan.prices/1",
      "provider": { "id": "t", "name": { "en": "T", "zh": "T" } },
      "released_on": "2026-01-01",
      "offers": [
        { "id": "t.usd", "name": { "en": "usd", "zh": "usd" }, "region": "x", "SELLS": 1,
          "versions": [ { "price": { "per": "hour", "amount": "2", "of": "accelerator" }, "currency": "USD",
            "observed_on": "2026-01-01", "source": "s", "confidence": "list" },
            { "price": { "per": "hour", "amount": "3", "of": "accelerator" }, "currency": "USD",
            "observed_on": "2026-02-01", "source": "s", "confidence": "list" } ] },
        { "id": "t.cny", "name": { "en": "cny", "zh": "cny" }, "region": "x", "SELLS": 1,
          "versions": [ { "price": { "per": "hour", "amount": "0.156", "of": "accelerator" }, "currency": "CNY",
            "observed_on": "2026-01-01", "source": "s", "confidence": "list" } ] } ] }"#;

    const RATES: &str = r#"{ "schema": "inferplan.exchange-rates/1", "rates": [
      { "base": "CNY", "quote": "USD", "rate": "0.140", "date": "2026-01-01", "source": "test" },
      { "base": "CNY", "quote": "USD", "rate": "0.141", "date": "2026-02-01", "source": "test" } ] }"#;

    #[test]
    fn the_difference_adds_up_line_by_line_and_cause_by_cause() {
        let sells = r#""sells": { "kind": "accelerators", "accelerator": "H100 80GB SXM", "per_instance": 1, "up_to": 8 }"#;
        let table = TABLE.replace("\"SELLS\": 1", sells);
        let book = PriceBook::read([("t.json", table.as_str())], Some(("rates", RATES))).unwrap();
        let asked = scenario(86_400);
        let day = |text: &str| day::parse(text).unwrap();
        let found = difference(Some(&asked), &book, day("2026-01-15"), day("2026-02-15")).unwrap();
        assert_eq!(found.changes.len(), 1, "no exchange rate is a price");
        assert_eq!(found.changes[0].amounts[0].percent, Some(Decimal::from(50)));
        for option in &found.options {
            let sum: Decimal = option.lines.iter().map(|line| line.difference).sum();
            let native = option.by_price.unwrap();
            assert_eq!(
                option.difference.unwrap(),
                native + option.by_exchange.unwrap(),
                "{}",
                option.offer
            );
            if option.offer == "t.usd" {
                assert_eq!(sum.to_string(), "730.00");
                assert_eq!(sum, native);
                assert_eq!(option.by_exchange, Some(Decimal::ZERO));
            } else {
                // 113.88 CNY: 15.94 at 0.140, 16.06 at 0.141; its price did not move.
                assert_eq!(sum, Decimal::ZERO);
                assert_eq!(option.before.unwrap().amount.to_string(), "15.94");
                assert_eq!(option.after.unwrap().amount.to_string(), "16.06");
                assert_eq!(option.by_price, Some(Decimal::ZERO));
                assert_eq!(option.by_exchange.unwrap().to_string(), "0.12");
            }
        }
    }
}
