//! Files of prices: a table, a whole book, prices of one's own, exchange rates.

use serde::{Deserialize, Serialize};

use super::{ExchangeRate, ExchangeRates, Overlay, PriceBook, PriceTable, book::sha256, check};
use crate::{
    Date, day,
    document::{self, Document, SchemaTag},
    problem::{Problem, Problems},
};

/// Several tables and exchange rates in one file, `inferplan.price-book/1`: what an update brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Where an editor finds the JSON Schema.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub editor_schema: Option<String>,
    /// `inferplan.price-book/1`.
    pub schema: SchemaTag,
    /// The day this state of the book was made.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub released_on: Date,
    /// The tables, one a provider.
    pub tables: Vec<PriceTable>,
    /// The exchange rates.
    #[serde(default)]
    pub exchange_rates: Vec<ExchangeRate>,
}

impl Document for Bundle {
    const SCHEMA: &'static str = "inferplan.price-book/1";
}

/// A file of prices, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub enum PriceFile {
    /// One provider's table.
    Table(Box<PriceTable>),
    /// Several tables and rates.
    Bundle(Bundle),
    /// Prices of one's own.
    Overlay(Overlay),
    /// Exchange rates.
    Rates(ExchangeRates),
}

impl PriceFile {
    /// As prices of one's own: a table takes the place of its provider's.
    #[must_use]
    pub fn into_overlay(self) -> Overlay {
        match self {
            Self::Table(table) => Overlay {
                tables: vec![*table],
                ..Overlay::default()
            },
            Self::Bundle(bundle) => Overlay {
                tables: bundle.tables,
                exchange_rates: bundle.exchange_rates,
                ..Overlay::default()
            },
            Self::Overlay(overlay) => overlay,
            Self::Rates(rates) => Overlay {
                exchange_rates: rates.rates,
                ..Overlay::default()
            },
        }
    }
}

/// The tags of the documents that hold prices.
const TAGS: [&str; 4] = [
    PriceTable::SCHEMA,
    Bundle::SCHEMA,
    Overlay::SCHEMA,
    ExchangeRates::SCHEMA,
];

/// Whether a text says that it is one of these documents.
#[must_use]
pub fn is_price_file(json: &str) -> bool {
    tag(json).is_some_and(|tag| TAGS.contains(&tag.as_str()))
}

fn tag(json: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    if let Some(tag) = document::leading_tag(json) {
        return Some(tag.to_owned());
    }
    serde_json::from_str::<Head>(json).ok()?.schema
}

/// Reads a file of prices, whichever of the four it is.
///
/// # Errors
/// Text that is none of them, and every problem of one that is.
pub fn read(json: &str, file: &str) -> Result<PriceFile, Problems> {
    match tag(json).as_deref() {
        Some(PriceTable::SCHEMA) => table(json, file).map(Box::new).map(PriceFile::Table),
        Some(Bundle::SCHEMA) => bundle(json, file).map(PriceFile::Bundle),
        Some(ExchangeRates::SCHEMA) => ExchangeRates::read(json, file).map(PriceFile::Rates),
        Some(Overlay::SCHEMA) => {
            let overlay: Overlay = document::read(json, file)?;
            overlay.check().map_err(|problems| problems.in_file(file))?;
            Ok(PriceFile::Overlay(overlay))
        }
        other => {
            // What is no JSON at all is told as that, with its line and column.
            if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(json) {
                return Err(document::not_json(&error).in_file(file).into());
            }
            Err(Problem::new("this is no file of prices", "这不是价格文件")
                .in_file(file)
                .at("schema")
                .found(other.unwrap_or("nothing"))
                .remedy(
                    format!("expected one of {}", TAGS.join(", ")),
                    format!("应为 {} 之一", TAGS.join("、")),
                )
                .into())
        }
    }
}

fn table(json: &str, file: &str) -> Result<PriceTable, Problems> {
    let mut table: PriceTable = document::read(json, file)?;
    let problems = check::table(&table);
    Problems::none_in(problems.into_iter().map(|p| p.in_file(file)).collect())?;
    table.sha256 = sha256(json);
    Ok(table)
}

fn bundle(json: &str, file: &str) -> Result<Bundle, Problems> {
    let mut bundle: Bundle = document::read(json, file)?;
    let mut problems = Vec::new();
    for (i, table) in bundle.tables.iter().enumerate() {
        problems.extend(check::table(table).into_iter().map(|problem| {
            let path = problem.path.clone().unwrap_or_default();
            problem.at(format!("tables[{i}].{path}")).in_file(file)
        }));
        let same = |other: &PriceTable| other.provider.id == table.provider.id;
        if bundle.tables[..i].iter().any(same) {
            problems.push(
                Problem::new("a provider has one table", "每个供应商只有一张表")
                    .at(format!("tables[{i}].provider.id"))
                    .found(&table.provider.id)
                    .in_file(file),
            );
        }
    }
    for (i, rate) in bundle.exchange_rates.iter().enumerate() {
        let at = format!("exchange_rates[{i}]");
        problems.extend(rate.check().err().map(|p| p.at(at.clone()).in_file(file)));
        if rate.date.is_none() {
            problems.push(
                Problem::new("a rate of a table needs its day", "汇率表中的汇率须有日期")
                    .at(at)
                    .in_file(file),
            );
        }
    }
    Problems::none_in(problems)?;
    // Ids must be unique in the whole book.
    PriceBook::of(bundle.tables.clone(), Vec::new()).map_err(|problems| problems.in_file(file))?;
    let digest = sha256(json);
    for table in &mut bundle.tables {
        table.sha256.clone_from(&digest);
    }
    Ok(bundle)
}

impl PriceBook {
    /// The book as one document.
    #[must_use]
    pub fn bundle(&self, released_on: Date) -> Bundle {
        let bare = |table: &PriceTable| PriceTable {
            editor_schema: None,
            ..table.clone()
        };
        Bundle {
            editor_schema: None,
            schema: SchemaTag::of::<Bundle>(),
            released_on,
            tables: self.tables().iter().map(bare).collect(),
            exchange_rates: self.rates().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_price_file_is_refused_with_what_would_be_one() {
        for (json, part) in [
            ("{", "cut off"),
            ("[]", "expected one of"),
            (
                "{\"schema\": \"inferplan.report/1\"}",
                "found inferplan.report/1",
            ),
            ("{\"schema\": \"inferplan.prices/1\"}", "missing field"),
            (
                r#"{"schema": "inferplan.exchange-rates/1", "rates": [
                  {"base": "USD", "quote": "CNY", "rate": "7", "source": "s"}]}"#,
                "rates[0]: a rate of a table needs its day",
            ),
        ] {
            let message = read(json, "f.json").unwrap_err().to_string();
            assert!(
                message.starts_with("f.json: ") && message.contains(part),
                "{part} in {message}"
            );
        }
    }
}
