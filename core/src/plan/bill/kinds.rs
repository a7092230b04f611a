//! The price of what an offer sells: calls, tokens, seconds, hours, months, terms, machines owned.

use super::{Bill, Factor, Line, NoBill, Usage, factor, tokens};
use crate::{
    Decimal,
    money::decimal_from_f64,
    number,
    plan::fleet::Fleet,
    price::{
        Basis, Price, Version,
        tariff::{Owned, Step},
    },
};

const NOTHING: Fleet = Fleet {
    replicas: 0,
    instances: 0,
    per_instance: 0,
};

/// The lines of a month's bill for what the offer sells.
///
/// # Errors
/// See [`NoBill`].
pub fn lines(version: &Version, usage: &Usage) -> Result<Vec<Line>, NoBill> {
    let fleet = usage.fleet.unwrap_or(NOTHING);
    let bill = Bill::at(version);
    let time = |amount: Decimal, of: Basis, factors: Vec<Factor>, per: &str| {
        let (count, unit) = match of {
            Basis::Accelerator => (fleet.accelerators(), "accelerator"),
            Basis::Instance => (fleet.instances, "instance"),
        };
        let factors = std::iter::once(factor(count.into(), unit))
            .chain(factors)
            .collect();
        let unit = format!("{unit}-{per}");
        let line = bill.line("accelerator-time", &unit, amount, factors, Decimal::ONE)?;
        Ok(vec![line])
    };
    let a_month = || vec![factor(Decimal::ONE, "month")];
    match &version.price {
        Price::Call { amount, steps } => {
            let parts = graduated(usage.requests, *amount, steps);
            let line = |(quantity, amount): (Decimal, Decimal)| {
                let factors = vec![factor(quantity, "request")];
                bill.line("calls", "call", amount, factors, Decimal::ONE)
            };
            parts.into_iter().map(line).collect()
        }
        Price::MillionTokens { .. } => tokens::lines(&bill, &version.price, usage),
        Price::Second { amount, of } => {
            let seconds = seconds(usage.hours, usage.billed_share)?;
            time(*amount, *of, vec![factor(seconds, "second")], "second")
        }
        Price::Hour { amount, of } => {
            // Hours by a schedule are a mean over the fleet, so they need not be whole.
            let hours = if usage.billed_share < 1.0 {
                let hours = number::to_f64(usage.hours) * usage.billed_share;
                decimal_from_f64(hours, 3).ok_or(NoBill::OutOfRange)?
            } else {
                usage.hours
            };
            time(*amount, *of, vec![factor(hours, "hour")], "hour")
        }
        Price::Month { amount, of } => time(*amount, *of, a_month(), "month"),
        Price::Term { months, amount, of } => {
            let monthly = amount
                .checked_div(Decimal::from(*months))
                .ok_or(NoBill::OutOfRange)?
                .round_dp(super::QUANTITY_PLACES);
            time(monthly, *of, a_month(), "month")
        }
        Price::Owned(owned) => self::owned(&bill, owned, fleet.instances, usage),
    }
}

/// The billed seconds of one instance in a month.
///
/// # Errors
/// Out of a decimal's range.
pub(super) fn seconds(hours: Decimal, billed_share: f64) -> Result<Decimal, NoBill> {
    let seconds = number::to_f64(hours) * 3600.0 * billed_share;
    // Whole seconds, but for so few that many replicas' roundings would add up.
    let places = if seconds < 100_000.0 { 3 } else { 0 };
    decimal_from_f64(seconds, places).ok_or(NoBill::OutOfRange)
}

/// A quantity by the steps of its price: what is within a step is billed at that step's price.
/// A quantity of exactly a step's bound is still below it.
pub(super) fn graduated(
    quantity: Decimal,
    amount: Decimal,
    steps: &[Step],
) -> Vec<(Decimal, Decimal)> {
    let mut parts = Vec::new();
    let mut from = Decimal::ZERO;
    let mut price = amount;
    for step in steps {
        if quantity <= step.above {
            break;
        }
        parts.push((step.above - from, price));
        (from, price) = (step.above, step.amount);
    }
    parts.push((quantity - from, price));
    parts
}

/// Depreciation in equal parts, power, rack and staff.
fn owned(bill: &Bill, owned: &Owned, instances: u64, usage: &Usage) -> Result<Vec<Line>, NoBill> {
    let places = super::QUANTITY_PLACES;
    let written_off = owned
        .purchase
        .checked_sub(owned.residual)
        .and_then(|loss| loss.checked_div(Decimal::from(owned.life_months)))
        .ok_or(NoBill::OutOfRange)?
        .round_dp(places);
    let (idle, loaded) = (f64::from(owned.idle_w), f64::from(owned.loaded_w));
    // Power rises with load from its idle draw: the usual first approximation (Fan, Weber and
    // Barroso, 2007).
    let kilowatts = (idle + (loaded - idle) * usage.utilization.clamp(0.0, 1.0)) / 1000.0;
    let kilowatts = decimal_from_f64(kilowatts, places).ok_or(NoBill::OutOfRange)?;
    let count = || factor(instances.into(), "instance");
    let monthly = |item: &str, amount: Decimal| {
        let factors = vec![count(), factor(Decimal::ONE, "month")];
        bill.line(item, "instance-month", amount, factors, Decimal::ONE)
    };
    let energy = vec![
        count(),
        factor(usage.hours, "hour"),
        factor(kilowatts, "kilowatt"),
        factor(owned.pue, "pue"),
    ];
    Ok(vec![
        monthly("depreciation", written_off)?,
        bill.line(
            "energy",
            "kilowatt-hour",
            owned.per_kwh,
            energy,
            Decimal::ONE,
        )?,
        monthly("rack", owned.rack_per_month)?,
        monthly("staff", owned.staff_per_month)?,
    ])
}
