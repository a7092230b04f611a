//! All tables together, and which price was in force on a day.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::{
    ExchangeRate, ExchangeRates, InForce, Offer, PriceTable, Version, check,
    overlay::{Discount, Overlay},
    table::Origin,
};
use crate::{
    Date, document,
    money::Currency,
    problem::{Problem, Problems},
    text::Notice,
};

/// Every table and exchange rate a comparison may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceBook {
    tables: Vec<PriceTable>,
    rates: Vec<ExchangeRate>,
    quotes: Vec<(String, Version)>,
    discounts: Vec<Discount>,
}

/// A table's or a book's name for messages, and its text.
pub type Named<'a> = (&'a str, &'a str);

impl PriceBook {
    /// Reads and checks tables; each is given with the name messages call it by.
    ///
    /// # Errors
    /// Every problem of every table.
    pub fn read<'a>(
        tables: impl IntoIterator<Item = Named<'a>>,
        rates: Option<Named<'a>>,
    ) -> Result<Self, Problems> {
        let mut book = Self::default();
        let mut problems = Vec::new();
        for (file, json) in tables {
            match document::read::<PriceTable>(json, file) {
                Ok(mut table) => {
                    problems.extend(check::table(&table).into_iter().map(|p| p.in_file(file)));
                    table.sha256 = sha256(json);
                    book.tables.push(table);
                }
                Err(problem) => problems.push(problem),
            }
        }
        if let Some((file, json)) = rates {
            match ExchangeRates::read(json, file) {
                Ok(read) => book.rates = read.rates,
                Err(more) => problems.extend(more),
            }
        }
        problems.extend(book.twice());
        Problems::none_in(problems)?;
        Ok(book)
    }

    /// A book of tables already read and checked.
    ///
    /// # Errors
    /// Two offers of one id.
    pub fn of(tables: Vec<PriceTable>, rates: Vec<ExchangeRate>) -> Result<Self, Problems> {
        let book = Self {
            tables,
            rates,
            ..Self::default()
        };
        Problems::none_in(book.twice())?;
        Ok(book)
    }

    /// The same book with prices of one's own over it.
    ///
    /// # Errors
    /// Values out of their bounds; a quote or a discount on what no table has.
    pub fn with(&self, overlay: &Overlay) -> Result<Self, Problems> {
        overlay.check()?;
        let mut book = self.clone();
        for table in &overlay.tables {
            let own = PriceTable {
                origin: Origin::Own,
                ..table.clone()
            };
            let same = |known: &&mut PriceTable| known.provider.id == own.provider.id;
            match book.tables.iter_mut().find(same) {
                Some(known) => *known = own,
                None => book.tables.push(own),
            }
        }
        let mut problems = book.twice();
        for (i, quote) in overlay.quotes.iter().enumerate() {
            let at = |problem: Problem| problem.at(format!("quotes[{i}].offer"));
            match book.offer(&quote.offer) {
                Some(offer) => problems.extend(
                    check::kind(offer, &quote.price).map(|p| p.at(format!("quotes[{i}].price"))),
                ),
                None => problems.push(at(unknown_offer(&quote.offer))),
            }
            book.quotes.push((quote.offer.clone(), quote.version()));
        }
        for (i, discount) in overlay.discounts.iter().enumerate() {
            let on = &discount.on;
            let provider = book.tables.iter().any(|table| table.provider.id == *on);
            if !provider && book.offer(on).is_none() {
                problems.push(unknown_offer(on).at(format!("discounts[{i}].on")));
            }
            book.discounts.push(discount.clone());
        }
        // Latest first, so that one's own rate of a day comes before the shipped one of that day.
        book.rates.extend(overlay.exchange_rates.iter().cloned());
        Problems::none_in(problems)?;
        Ok(book)
    }

    /// Offers that share an id.
    fn twice(&self) -> Vec<Problem> {
        let mut ids = HashSet::new();
        let mut problems = Vec::new();
        for (_, offer) in self.offers() {
            if !ids.insert(offer.id.as_str()) {
                problems.push(
                    Problem::new("two offers have this id", "两个报价使用同一 id").found(&offer.id),
                );
            }
        }
        problems
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &[PriceTable] {
        &self.tables
    }

    /// The exchange rates, in no order that matters.
    #[must_use]
    pub fn rates(&self) -> &[ExchangeRate] {
        &self.rates
    }

    /// Every offer, with its table.
    pub fn offers(&self) -> impl Iterator<Item = (&PriceTable, &Offer)> {
        let of = |table| move |offer| (table, offer);
        self.tables
            .iter()
            .flat_map(move |table| table.offers.iter().map(of(table)))
    }

    /// An offer by its id.
    #[must_use]
    pub fn offer(&self, id: &str) -> Option<&Offer> {
        self.listed(id).map(|(_, offer)| offer)
    }

    /// An offer by its id, with its table.
    #[must_use]
    pub fn listed(&self, id: &str) -> Option<(&PriceTable, &Offer)> {
        self.offers().find(|(_, offer)| offer.id == id)
    }

    /// The price of an offer in force on a day: a quote while one holds, or else the table's.
    ///
    /// # Errors
    /// Why there is none.
    pub fn in_force<'a>(&'a self, offer: &'a Offer, as_of: Date) -> Result<InForce<'a>, Notice> {
        let quotes = self.quotes.iter().filter(|(id, _)| *id == offer.id);
        let holds = |version: &&Version| {
            let until = version.effective_until.is_none_or(|end| as_of < end);
            version.effective_from.is_some_and(|from| from <= as_of) && until
        };
        let quote = quotes
            .map(|(_, version)| version)
            .filter(holds)
            .max_by_key(|version| version.effective_from);
        match quote {
            Some(version) => Ok(InForce {
                version,
                undated: false,
            }),
            None => offer.in_force(as_of),
        }
    }

    /// The discounts on an offer that hold on a day.
    pub fn discounts(
        &self,
        provider: &str,
        offer: &str,
        as_of: Date,
    ) -> impl Iterator<Item = &Discount> {
        self.discounts
            .iter()
            .filter(move |discount| discount.holds(provider, offer, as_of))
    }

    /// The quotes on an offer, in the order given.
    pub fn quotes(&self, offer: &str) -> impl Iterator<Item = &Version> {
        self.quotes
            .iter()
            .filter(move |(id, _)| id == offer)
            .map(|(_, version)| version)
    }

    /// The rate between two currencies in force on a day: the latest not after it.
    #[must_use]
    pub fn rate(&self, a: Currency, b: Currency, as_of: Date) -> Option<&ExchangeRate> {
        let joining = self.rates.iter().filter(|rate| rate.joins(a, b));
        joining
            .filter(|rate| rate.date.is_some_and(|date| date <= as_of))
            .max_by_key(|rate| rate.date)
    }
}

pub(super) fn unknown_offer(id: &str) -> Problem {
    Problem::new("no table has it", "价格表中没有它")
        .found(id)
        .remedy(
            "`inferplan prices list` shows every id",
            "`inferplan prices list` 会列出全部 id",
        )
}

/// The checksum of a text, in hexadecimal.
#[must_use]
pub fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"{
      "schema": "inferplan.prices/1",
      "provider": { "id": "p", "name": { "en": "P", "zh": "P" } },
      "released_on": "2026-01-01",
      "offers": [ {
        "id": "p.a", "name": { "en": "A", "zh": "A" }, "region": "global",
        "sells": { "kind": "accelerators", "accelerator": "L40S", "per_instance": 1, "up_to": 1 },
        "versions": [
          { "price": { "per": "hour", "amount": "2", "of": "accelerator" }, "currency": "USD",
            "observed_on": "2026-01-31", "source": "s", "confidence": "list" },
          { "price": { "per": "hour", "amount": "1", "of": "accelerator" }, "currency": "USD",
            "observed_on": "2025-01-31", "source": "s", "confidence": "article" },
          { "price": { "per": "hour", "amount": "3", "of": "accelerator" }, "currency": "USD",
            "effective_from": "2026-03-01", "observed_on": "2026-02-01", "source": "s", "confidence": "list" },
          { "price": { "per": "hour", "amount": "9", "of": "accelerator" }, "currency": "USD",
            "source": "s", "confidence": "catalogue" } ] } ] }"#;

    fn read(json: &str) -> Result<PriceBook, Problems> {
        PriceBook::read([("t.json", json)], None)
    }

    fn amount_on(book: &PriceBook, day: &str) -> Result<String, String> {
        let (_, offer) = book.offers().next().unwrap();
        let in_force = offer
            .in_force(day.parse().unwrap())
            .map_err(|notice| notice.code)?;
        Ok(in_force.version.price.amounts()[0].1.to_string())
    }

    #[test]
    fn the_latest_version_in_force_is_taken() {
        let book = read(TABLE).unwrap();
        assert_eq!(
            amount_on(&book, "2025-01-30"),
            Err("no-price-at-date".into())
        );
        assert_eq!(amount_on(&book, "2025-01-31"), Ok("1".into()));
        assert_eq!(amount_on(&book, "2026-01-30"), Ok("1".into()));
        assert_eq!(
            amount_on(&book, "2026-02-28"),
            Ok("2".into()),
            "announced, not yet in force"
        );
        assert_eq!(amount_on(&book, "2026-03-01"), Ok("3".into()));
    }

    #[test]
    fn an_undated_version_is_taken_only_for_want_of_another() {
        let undated = TABLE
            .replace("\"observed_on\": \"2026-01-31\",", "")
            .replace("\"observed_on\": \"2025-01-31\",", "")
            .replace(
                "\"effective_from\": \"2026-03-01\", \"observed_on\": \"2026-02-01\",",
                "",
            );
        let book = read(&undated).unwrap();
        let (_, offer) = book.offers().next().unwrap();
        assert!(
            offer
                .in_force("2020-01-01".parse().unwrap())
                .unwrap()
                .undated
        );
    }

    #[test]
    fn a_withdrawn_offer_has_no_price() {
        let withdrawn = TABLE.replace("\"region\"", "\"withdrawn_on\": \"2026-02-01\", \"region\"");
        let book = read(&withdrawn).unwrap();
        assert_eq!(amount_on(&book, "2026-01-31"), Ok("2".into()));
        assert_eq!(amount_on(&book, "2026-02-01"), Err("withdrawn".into()));
    }

    #[test]
    fn bad_tables_name_the_field() {
        for (from, to, part) in [
            ("\"region\"", "\"regoin\"", "offers[0]"),
            ("\"amount\": \"2\"", "\"amount\": 2", "in quotes"),
            (
                "\"amount\": \"2\"",
                "\"amount\": \"-2\"",
                "offers[0].versions[0].price.amount: a price is above 0",
            ),
            ("\"id\": \"p.a\"", "\"id\": \"q.a\"", "begin with \"p.\""),
            (
                "\"per\": \"hour\"",
                "\"per\": \"second\"",
                "which are billed",
            ),
            ("\"L40S\"", "\"A100\"", "memory is not stated"),
            ("\"source\": \"s\"", "\"source\": \" \"", "needs a source"),
            ("prices/1", "prices/2", "expected \"inferplan.prices/1\""),
        ] {
            let message = read(&TABLE.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(
                message.starts_with("t.json: ") && message.contains(part),
                "{part} in {message}"
            );
        }
    }
}
