//! What is billed beside what the offer sells: components, a subscription, tax.

use super::{Bill, Line, NoBill, Usage, factor, kinds, total, unit_text};
use crate::{
    Date, Decimal,
    money::{Currency, Money},
    plan::fleet::Fleet,
    price::{
        Component, Discount, Fee, Included, Meter, PriceTable, Subscription, Tax, Version,
        tariff::Step,
        version::{self, in_force},
    },
    text::Lang,
};

/// How much is used of what is metered beside the accelerators.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Around {
    /// Physical cores of each instance, where stated.
    pub cpu_cores: Option<Decimal>,
    /// GiB of memory of each instance, where stated.
    pub memory_gib: Option<Decimal>,
    /// GB stored all month.
    pub storage_gb: Decimal,
    /// GB sent out in the month.
    pub egress_gb: Decimal,
}

/// What came of a provider's components and subscription.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside<'a> {
    /// Their lines.
    pub lines: Vec<Line>,
    /// Components that are billed at their least, since the scenario states no quantity.
    pub at_least: Vec<&'a Component>,
    /// Components that could not be counted: no quantity is known, no price on the day, or another
    /// currency.
    pub left_out: Vec<&'a Component>,
    /// The subscription taken for want of a choice.
    pub assumed: Option<&'a Subscription>,
}

/// Bills what comes with an offer: `own` are the lines of what it sells.
///
/// # Errors
/// See [`NoBill`].
pub fn beside<'a>(
    table: &'a PriceTable,
    offer: &str,
    own: &[Line],
    usage: &Usage,
    around: &Around,
    subscriptions: &[String],
    as_of: Date,
) -> Result<Beside<'a>, NoBill> {
    let mut found = Beside::default();
    let Some(currency) = own.first().map(|line| line.currency) else {
        return Ok(found);
    };
    for component in table.components.iter().filter(|c| c.comes_with(offer)) {
        let priced = in_force(&component.versions, as_of)
            .ok()
            .filter(|found| found.version.currency == currency);
        let Some(priced) = priced else {
            found.left_out.push(component);
            continue;
        };
        match quantity(component, usage, around) {
            Quantity::None => {}
            Quantity::Unknown => found.left_out.push(component),
            Quantity::Known(factors, least) => {
                if least {
                    found.at_least.push(component);
                }
                let version = priced.version;
                found.lines.extend(metered(component, version, factors)?);
            }
        }
    }
    subscribe(table, own, subscriptions, as_of, currency, &mut found)?;
    Ok(found)
}

enum Quantity {
    /// Nothing of it is used.
    None,
    /// It is used, and how much is not known.
    Unknown,
    /// Its factors, and whether they are the least that is billed.
    Known(Vec<super::Factor>, bool),
}

fn quantity(component: &Component, usage: &Usage, around: &Around) -> Quantity {
    let up = |each: Option<Decimal>, unit: &str| {
        let Some(Fleet { instances, .. }) = usage.fleet else {
            return Quantity::None;
        };
        let least = component.at_least.unwrap_or_default();
        let (each, is_least) = match (each, component.at_least) {
            (Some(each), _) => (each.max(least), false),
            (None, Some(least)) => (least, true),
            (None, None) => return Quantity::Unknown,
        };
        let Ok(seconds) = kinds::seconds(usage.hours, usage.billed_share) else {
            return Quantity::Unknown;
        };
        let factors = vec![
            factor(instances.into(), "instance"),
            factor(seconds, "second"),
            factor(each, unit),
        ];
        Quantity::Known(factors, is_least)
    };
    let stored = |amount: Decimal, unit: &str| match amount.is_zero() {
        true => Quantity::None,
        false => Quantity::Known(vec![factor(amount, unit)], false),
    };
    match component.meter {
        Meter::CoreSecond => up(around.cpu_cores, "core"),
        Meter::GibSecond => up(around.memory_gib, "gib"),
        Meter::StorageGbMonth => stored(around.storage_gb, "gb"),
        Meter::StorageGibMonth => {
            let gib = Decimal::from(1_u64 << 30) / Decimal::from(1_000_000_000);
            stored(around.storage_gb / gib, "gib")
        }
        Meter::EgressGb => stored(around.egress_gb, "gb"),
        Meter::MillionRequests => stored(
            usage.requests / Decimal::from(1_000_000),
            "million-requests",
        ),
        Meter::Month => Quantity::Known(vec![factor(Decimal::ONE, "month")], false),
    }
}

/// The lines of a component: what a month holds free is taken off, steps are billed apart.
fn metered(
    component: &Component,
    version: &Version<crate::price::Rate>,
    factors: Vec<super::Factor>,
) -> Result<Vec<Line>, NoBill> {
    let bill = Bill::at(version);
    let (item, unit) = component.meter.item_and_unit();
    let rate = &version.price;
    let free = component.free.unwrap_or_default();
    if free.is_zero() && rate.steps.is_empty() {
        return Ok(vec![bill.line(
            item,
            unit,
            rate.amount,
            factors,
            Decimal::ONE,
        )?]);
    }
    let product = factors
        .iter()
        .try_fold(Decimal::ONE, |product, f| product.checked_mul(f.count))
        .ok_or(NoBill::OutOfRange)?;
    let steps: Vec<Step> = rate.steps.clone();
    let mut lines = Vec::new();
    let mut left_free = free;
    for (quantity, amount) in kinds::graduated(product, rate.amount, &steps) {
        let waived = quantity.min(left_free);
        left_free -= waived;
        let billed = quantity - waived;
        if !billed.is_zero() {
            let factors = vec![factor(billed, component.meter.counted())];
            lines.push(bill.line(item, unit, amount, factors, Decimal::ONE)?);
        }
    }
    Ok(lines)
}

/// The fee of the subscription, and its credit, which is used up first and never exceeds what it is
/// used for.
fn subscribe<'a>(
    table: &'a PriceTable,
    own: &[Line],
    chosen: &[String],
    as_of: Date,
    currency: Currency,
    found: &mut Beside<'a>,
) -> Result<(), NoBill> {
    let named = table
        .subscriptions
        .iter()
        .find(|subscription| chosen.contains(&subscription.id));
    let Some(subscription) = named.or_else(|| table.subscriptions.first()) else {
        return Ok(());
    };
    let priced: Option<version::InForce<'_, Fee>> = in_force(&subscription.versions, as_of)
        .ok()
        .filter(|found| found.version.currency == currency);
    let Some(priced) = priced else {
        return Ok(());
    };
    if named.is_none() && table.subscriptions.len() > 1 {
        found.assumed = Some(subscription);
    }
    let bill = Bill::at(priced.version);
    let Fee { fee, credit } = priced.version.price;
    let a_month = || vec![factor(Decimal::ONE, "month")];
    let is_compute =
        |line: &&Line| ["accelerator-time", "cpu", "memory"].contains(&line.item.as_str());
    let mut compute = own.iter().chain(&found.lines).filter(is_compute);
    let used = compute
        .try_fold(Decimal::ZERO, |sum, line| sum.checked_add(line.amount))
        .ok_or(NoBill::OutOfRange)?;
    let credit = credit.min(used);
    if !credit.is_zero() {
        found
            .lines
            .push(bill.line("credit", "month", -credit, a_month(), Decimal::ONE)?);
    }
    if !fee.is_zero() {
        found
            .lines
            .push(bill.line("subscription", "month", fee, a_month(), Decimal::ONE)?);
    }
    Ok(())
}

/// A discount of one's own on what an offer sells, as a line below 0; `None` where its currency is
/// another.
///
/// # Errors
/// See [`NoBill`].
pub fn discount(
    discount: &Discount,
    lines: &[Line],
    currency: Currency,
) -> Result<Option<Line>, NoBill> {
    let sum = total(lines, currency).ok_or(NoBill::OutOfRange)?.amount;
    let bill = Bill {
        currency,
        price_from: Some(discount.effective_from),
        source: &discount.source,
    };
    let line = match (discount.percent, discount.amount) {
        (Some(percent), _) => {
            let share = percent / Decimal::ONE_HUNDRED;
            let factors = vec![factor(share, "share")];
            bill.line("discount", "of-the-sum", -sum, factors, Decimal::ONE)?
        }
        (None, Some(amount)) if discount.currency == Some(currency) => {
            let factors = vec![factor(Decimal::ONE, "month")];
            let off = -amount.min(sum);
            bill.line("discount", "month", off, factors, Decimal::ONE)?
        }
        _ => return Ok(None),
    };
    Ok(Some(line))
}

/// The tax on lines whose prices do not contain it; `None` where they do, or where that is unknown.
///
/// # Errors
/// See [`NoBill`].
pub fn tax(tax: &Tax, lines: &[Line], currency: Currency) -> Result<Option<Line>, NoBill> {
    if tax.included != Included::No {
        return Ok(None);
    }
    let Money { amount, .. } = total(lines, currency).ok_or(NoBill::OutOfRange)?;
    let bill = Bill {
        currency,
        price_from: None,
        source: &tax.source,
    };
    let factors = vec![factor(tax.rate, "share")];
    bill.line("tax", "of-the-sum", amount, factors, Decimal::ONE)
        .map(Some)
}

impl Meter {
    /// The line's item and its unit.
    fn item_and_unit(self) -> (&'static str, &'static str) {
        match self {
            Self::CoreSecond => ("cpu", "core-second"),
            Self::GibSecond => ("memory", "gib-second"),
            Self::StorageGbMonth => ("storage", "gb-month"),
            Self::StorageGibMonth => ("storage", "gib-month"),
            Self::EgressGb => ("egress", "gb"),
            Self::MillionRequests => ("requests", "million-requests"),
            Self::Month => ("fixed", "month"),
        }
    }

    /// Its unit for people.
    #[must_use]
    pub fn text(self, lang: Lang) -> String {
        unit_text(self.item_and_unit().1, lang)
    }

    /// What a quantity left after a free part is counted in.
    fn counted(self) -> &'static str {
        match self {
            Self::CoreSecond => "core-second",
            Self::GibSecond => "gib-second",
            Self::StorageGbMonth | Self::EgressGb => "gb",
            Self::StorageGibMonth => "gib",
            Self::MillionRequests => "million-requests",
            Self::Month => "month",
        }
    }
}
