//! A price or a discount as a person states it, made into an entry of one's own prices.

use super::{Basis, Discount, Offer, Overlay, Price, PriceBook, Quote, book::unknown_offer};
use crate::{
    Date, Decimal,
    money::Currency,
    problem::{Problem, Problems},
};

/// What a person states of an offer or a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The offer's id, or for a discount a provider's.
    pub on: String,
    /// The price or the discount.
    pub given: Given,
    /// Its currency; the offer's own where none is stated.
    pub currency: Option<Currency>,
    /// The first day it holds.
    pub from: Date,
    /// The first day it no longer holds.
    pub until: Option<Date>,
    /// Who gave it, and how.
    pub source: String,
}

/// A price or a discount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A quote for an hour of what the offer's price is for.
    PerHour(Decimal),
    /// A quote for a second.
    PerSecond(Decimal),
    /// A quote for a month.
    PerMonth(Decimal),
    /// A quote for a call.
    PerCall(Decimal),
    /// A quote for a million input and output tokens.
    PerMillionTokens(Decimal, Decimal),
    /// A discount in percent.
    PercentOff(Decimal),
    /// A discount in money, each month.
    OffPerMonth(Decimal),
}

impl PriceBook {
    /// The statement as prices of one's own, checked against the book.
    ///
    /// # Errors
    /// An offer or provider that no table has, a price that is none for it, a currency that neither
    /// the statement nor the offer names.
    pub fn state(&self, statement: &Statement) -> Result<Overlay, Problems> {
        let Statement {
            on,
            given,
            from,
            until,
            source,
            ..
        } = statement;
        let mut overlay = Overlay::default();
        let discount = |percent, amount, currency| Discount {
            on: on.clone(),
            percent,
            amount,
            currency,
            effective_from: *from,
            effective_until: *until,
            source: source.clone(),
        };
        match *given {
            Given::PercentOff(percent) => {
                overlay.discounts.push(discount(Some(percent), None, None));
            }
            Given::OffPerMonth(amount) => {
                let currency = Some(self.currency(statement)?);
                overlay
                    .discounts
                    .push(discount(None, Some(amount), currency));
            }
            quoted => {
                let offer = self.offer(on).ok_or_else(|| unknown_offer(on))?;
                overlay.quotes.push(Quote {
                    offer: on.clone(),
                    price: price(offer, quoted),
                    currency: self.currency(statement)?,
                    effective_from: *from,
                    effective_until: *until,
                    source: source.clone(),
                });
            }
        }
        self.with(&overlay)?;
        Ok(overlay)
    }

    /// The currency stated, or that of the offer's, or of the provider's first, last price.
    fn currency(&self, statement: &Statement) -> Result<Currency, Problem> {
        let on = &statement.on;
        let mut known = self
            .offers()
            .filter(|(table, offer)| offer.id == *on || table.provider.id == *on)
            .filter_map(|(_, offer)| offer.versions.last())
            .map(|version| version.currency);
        statement.currency.or_else(|| known.next()).ok_or_else(|| {
            Problem::new(
                "the currency is not known: the offer has no price yet",
                "货币未知：该报价尚无价格",
            )
            .at("currency")
            .remedy("give USD or CNY", "请给出 USD 或 CNY")
        })
    }
}

/// A quote is for what the list price is for, an accelerator or the instance.
fn price(offer: &Offer, given: Given) -> Price {
    let of = offer
        .versions
        .last()
        .and_then(|version| version.price.basis())
        .unwrap_or(Basis::Instance);
    match given {
        Given::PerSecond(amount) => Price::Second { amount, of },
        Given::PerMonth(amount) => Price::Month { amount, of },
        Given::PerCall(amount) => Price::Call {
            amount,
            steps: Vec::new(),
        },
        Given::PerMillionTokens(input, output) => Price::MillionTokens {
            input,
            output,
            cached_input: None,
            batch: None,
            long: None,
            off_peak: None,
        },
        Given::PerHour(amount) | Given::PercentOff(amount) | Given::OffPerMonth(amount) => {
            Price::Hour { amount, of }
        }
    }
}
