//! What prices did between two days.

use serde::{Deserialize, Serialize};

use super::{Confidence, InForce, Offer, Price, PriceBook, PriceTable, Version};
use crate::{
    Date, Decimal, day,
    money::{Currency, decimal_string, optional_decimal},
    text::{Bilingual, Notice},
};

/// What one offer's price did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The offer's id.
    pub offer: String,
    /// Provider and offer, for people.
    pub name: Bilingual,
    /// What it did.
    pub kind: ChangeKind,
    /// The price on the first day.
    pub before: Option<Seen>,
    /// The price on the second day.
    pub after: Option<Seen>,
    /// Each amount that moved, where both prices are of one kind and currency.
    pub amounts: Vec<AmountChange>,
    /// Why there is no price on the second day, or was none on the first.
    pub reason: Option<Notice>,
}

/// What a price did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Its amounts moved.
    Moved,
    /// It is of another kind, currency or basis.
    Recast,
    /// It is known on the second day only.
    Appeared,
    /// It is known on the first day only.
    Gone,
    /// It was seen again, unchanged.
    Confirmed,
}

/// A price as it stood on a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seen {
    /// The price.
    pub price: Price,
    /// Its currency.
    pub currency: Currency,
    /// The day it counts from.
    #[serde(with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub from: Option<Date>,
    /// Where it was seen.
    pub source: String,
    /// How surely.
    pub confidence: Confidence,
}

/// One amount that moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AmountChange {
    /// The price's field: `amount`, `input`, `output`, …
    pub field: String,
    /// On the first day, a decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub before: Decimal,
    /// On the second day, a decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub after: Decimal,
    /// By how many percent, to a tenth, a decimal string; null from 0.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub percent: Option<Decimal>,
}

impl Seen {
    fn of(version: &Version) -> Self {
        Self {
            price: version.price.clone(),
            currency: version.currency,
            from: version.in_force_from(),
            source: version.source.clone(),
            confidence: version.confidence,
        }
    }
}

/// By how many percent an amount moved, to a tenth; `None` from 0.
#[must_use]
pub fn percent(before: Decimal, after: Decimal) -> Option<Decimal> {
    let share = after.checked_sub(before)?.checked_div(before)?;
    let half_up = rust_decimal::RoundingStrategy::MidpointAwayFromZero;
    let percent = share.checked_mul(Decimal::ONE_HUNDRED)?;
    Some(percent.round_dp_with_strategy(1, half_up).normalize())
}

/// What each offer's price did between two days, in the order of the tables; prices that no version
/// touched are left out.
#[must_use]
pub fn between(book: &PriceBook, from: Date, to: Date) -> Vec<Change> {
    let change = |(table, offer): (&PriceTable, &Offer)| {
        let (before, after) = (book.in_force(offer, from), book.in_force(offer, to));
        change(table, offer, before, after)
    };
    book.offers().filter_map(change).collect()
}

/// What another book makes of each offer's price on a day: those of providers it has.
#[must_use]
pub fn across(old: &PriceBook, new: &PriceBook, as_of: Date) -> Vec<Change> {
    let unknown = || {
        Notice::new(
            "no-offer",
            "The table has no such offer.",
            "价格表中没有该报价。",
        )
    };
    let mut changes = Vec::new();
    for (table, offer) in new.offers() {
        let before = match old.offer(&offer.id) {
            Some(known) => old.in_force(known, as_of),
            None => Err(unknown()),
        };
        changes.extend(change(table, offer, before, new.in_force(offer, as_of)));
    }
    for (table, offer) in old.offers() {
        let same = |other: &&PriceTable| other.provider.id == table.provider.id;
        if new.tables().iter().any(|other| same(&other)) && new.offer(&offer.id).is_none() {
            changes.extend(change(
                table,
                offer,
                old.in_force(offer, as_of),
                Err(unknown()),
            ));
        }
    }
    changes
}

fn change(
    table: &PriceTable,
    offer: &Offer,
    before: Result<InForce<'_>, Notice>,
    after: Result<InForce<'_>, Notice>,
) -> Option<Change> {
    let seen = |found: &Result<InForce<'_>, Notice>| {
        let version = found.as_ref().ok().map(|found| found.version);
        version.map(Seen::of)
    };
    let (first, second) = (seen(&before), seen(&after));
    let reason = before.err().or(after.err());
    let mut amounts = Vec::new();
    let kind = match (&first, &second) {
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Appeared,
        (Some(_), None) => ChangeKind::Gone,
        (Some(a), Some(b)) if a == b => return None,
        (Some(a), Some(b)) if a.price == b.price && a.currency == b.currency => {
            ChangeKind::Confirmed
        }
        (Some(a), Some(b)) => {
            amounts = moved(a, b);
            if amounts.is_empty() {
                ChangeKind::Recast
            } else {
                ChangeKind::Moved
            }
        }
    };
    let (provider, offer_name) = (&table.provider.name, &offer.name);
    Some(Change {
        offer: offer.id.clone(),
        name: Bilingual::new(
            format!("{} {}", provider.en, offer_name.en),
            format!("{} {}", provider.zh, offer_name.zh),
        ),
        kind,
        before: first,
        after: second,
        amounts,
        reason,
    })
}

/// The amounts that moved between two prices of one shape; none where their shapes differ.
fn moved(a: &Seen, b: &Seen) -> Vec<AmountChange> {
    let (first, second) = (a.price.amounts(), b.price.amounts());
    let alike = a.currency == b.currency
        && a.price.kind() == b.price.kind()
        && a.price.basis() == b.price.basis()
        && first.len() == second.len();
    if !alike {
        return Vec::new();
    }
    let pairs = first.into_iter().zip(second);
    pairs
        .filter(|((_, before), (_, after))| before != after)
        .map(|((field, before), (_, after))| AmountChange {
            field: field.to_owned(),
            before,
            after,
            percent: percent(before, after),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn percents_are_of_the_first_amount() {
        assert_eq!(percent(dec("3.49"), dec("3.99")), Some(dec("14.3")));
        assert_eq!(percent(dec("2472.81"), dec("1923.92")), Some(dec("-22.2")));
        assert_eq!(percent(dec("0"), dec("1")), None);
    }
}
