//! All tables together, and which price was in force on a day.

use std::collections::HashSet;

use super::{
    ExchangeRate, ExchangeRates, Offer, PriceTable, Sells, Version,
    table::{Basis, Price},
};
use crate::{
    Date, Decimal, document,
    money::Currency,
    problem::{Problem, Problems},
    text::Notice,
};

/// Every table and exchange rate a comparison may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceBook {
    tables: Vec<PriceTable>,
    rates: Vec<ExchangeRate>,
}

/// The version of an offer that was in force on a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InForce<'a> {
    /// The version.
    pub version: &'a Version,
    /// Whether it has no date at all, and was taken for want of any other.
    pub undated: bool,
}

impl PriceBook {
    /// Reads and checks tables; each is given with the name messages call it by.
    ///
    /// # Errors
    /// Every problem of every table.
    pub fn read<'a>(
        tables: impl IntoIterator<Item = (&'a str, &'a str)>,
        rates: Option<(&str, &str)>,
    ) -> Result<Self, Problems> {
        let mut book = Self::default();
        let mut problems = Vec::new();
        for (file, json) in tables {
            match document::read::<PriceTable>(json, file) {
                Ok(table) => {
                    problems.extend(check_table(&table).into_iter().map(|p| p.in_file(file)));
                    book.tables.push(table);
                }
                Err(problem) => problems.push(problem),
            }
        }
        if let Some((file, json)) = rates {
            match document::read::<ExchangeRates>(json, file) {
                Ok(read) => {
                    for (i, rate) in read.rates.iter().enumerate() {
                        let place = |p: Problem| p.at(format!("rates[{i}]")).in_file(file);
                        problems.extend(rate.check().err().map(place));
                    }
                    book.rates = read.rates;
                }
                Err(problem) => problems.push(problem),
            }
        }
        let mut ids = HashSet::new();
        for (_, offer) in book.offers() {
            if !ids.insert(offer.id.clone()) {
                problems.push(
                    Problem::new("two offers have this id", "两个报价使用同一 id").found(&offer.id),
                );
            }
        }
        Problems::none_in(problems)?;
        Ok(book)
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &[PriceTable] {
        &self.tables
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
        self.offers()
            .map(|(_, offer)| offer)
            .find(|offer| offer.id == id)
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

impl Offer {
    /// The version in force on a day.
    ///
    /// # Errors
    /// Why there is none: withdrawn, not yet known on that day, or never known.
    pub fn in_force(&self, as_of: Date) -> Result<InForce<'_>, Notice> {
        if let Some(day) = self.withdrawn_on.filter(|day| *day <= as_of) {
            return Err(Notice::new(
                "withdrawn",
                format!("No longer sold since {day}."),
                format!("自 {day} 起不再出售。"),
            ));
        }
        let dated = |version: &&Version| version.in_force_from().is_some();
        let latest = self
            .versions
            .iter()
            .filter(dated)
            .filter(|version| version.in_force_from() <= Some(as_of))
            .max_by_key(|version| version.in_force_from());
        if let Some(version) = latest {
            return Ok(InForce {
                version,
                undated: false,
            });
        }
        let first = self
            .versions
            .iter()
            .filter_map(Version::in_force_from)
            .min();
        match (first, self.versions.last()) {
            (Some(first), _) => Err(Notice::new(
                "no-price-at-date",
                format!("No price is known for {as_of}; the first is from {first}."),
                format!("没有 {as_of} 的价格；最早的价格始于 {first}。"),
            )),
            (None, Some(version)) => Ok(InForce {
                version,
                undated: true,
            }),
            (None, None) => Err(Notice::new(
                "no-price",
                "No verified price is known for this offer.",
                "该报价没有可核实的价格。",
            )),
        }
    }
}

/// What is wrong with a table beyond its form.
fn check_table(table: &PriceTable) -> Vec<Problem> {
    let mut found = Vec::new();
    let prefix = format!("{}.", table.provider.id);
    for (i, offer) in table.offers.iter().enumerate() {
        let at = |field: &str| format!("offers[{i}].{field}");
        if !offer.id.starts_with(&prefix) {
            found.push(
                Problem::new(
                    "an offer's id begins with its provider's",
                    "报价 id 须以供应商 id 开头",
                )
                .at(at("id"))
                .found(&offer.id)
                .remedy(
                    format!("begin with \"{prefix}\""),
                    format!("应以 \"{prefix}\" 开头"),
                ),
            );
        }
        if let Sells::Accelerators {
            per_instance,
            up_to,
            ..
        } = offer.sells
            && (per_instance == 0 || up_to < per_instance)
        {
            found.push(
                Problem::new(
                    "an instance has at least one accelerator, and up_to is no less",
                    "实例至少有一张卡，且 up_to 不小于它",
                )
                .at(at("sells"))
                .found(format!("{per_instance}, up to {up_to}")),
            );
        }
        for (j, version) in offer.versions.iter().enumerate() {
            let at = |field: &str| format!("offers[{i}].versions[{j}].{field}");
            for amount in version.price.amounts() {
                if amount <= Decimal::ZERO || amount > Decimal::from(10_000_000) {
                    found.push(
                        Problem::new(
                            "a price is above 0 and below ten million",
                            "价格应大于 0 且小于一千万",
                        )
                        .at(at("price"))
                        .found(amount)
                        .remedy("leave out a price that is not known", "未知的价格请勿填写"),
                    );
                }
            }
            if version.source.trim().is_empty() {
                found.push(Problem::new("a price needs a source", "价格须有出处").at(at("source")));
            }
            found.extend(check_kind(offer, version).map(|problem| problem.at(at("price"))));
        }
    }
    found
}

/// A price of answers needs a model, one of accelerators needs accelerators; a second needs to
/// know which seconds; a price for a whole instance needs its size to be fixed.
fn check_kind(offer: &Offer, version: &Version) -> Option<Problem> {
    let wrong = |en: &str, zh: &str| Some(Problem::new(en, zh).found(&offer.id));
    match (&offer.sells, version.price) {
        (Sells::Model { .. }, price) if price.is_for_accelerators() => wrong(
            "a model is priced per call or token",
            "模型按次或按 token 计价",
        ),
        (Sells::Accelerators { .. }, price) if !price.is_for_accelerators() => wrong(
            "accelerators are priced per second, hour or month",
            "加速卡按秒、小时或月计价",
        ),
        (Sells::Accelerators { seconds: None, .. }, Price::Second { .. }) => wrong(
            "a price per second needs `seconds`: which are billed",
            "按秒计价须用 `seconds` 说明计费的时间",
        ),
        (
            Sells::Accelerators {
                per_instance,
                up_to,
                ..
            },
            Price::Second {
                of: Basis::Instance,
                ..
            }
            | Price::Hour {
                of: Basis::Instance,
                ..
            }
            | Price::Month {
                of: Basis::Instance,
                ..
            },
        ) if per_instance != up_to => wrong(
            "a price for the instance needs one size",
            "按实例计价须为固定规格",
        ),
        _ => None,
    }
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
        Ok(in_force.version.price.amounts().next().unwrap().to_string())
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
                "offers[0].versions[0].price: a price is above 0",
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
