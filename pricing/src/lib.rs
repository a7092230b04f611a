//! The shipped price tables and exchange rates: the data files of `tables/`, embedded.
//!
//! One file a provider, edited by hand, checked by `schema/prices.schema.json`. See
//! `pricing/README.md` for how to add a price.

use inferplan_core::{price::PriceBook, problem::Problems};

macro_rules! tables {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../tables/", $name)))),+]
    };
}

/// Every shipped table: its file name and its text.
pub const TABLES: &[(&str, &str)] = tables![
    "replicate.json",
    "modal.json",
    "runpod.json",
    "alibaba-cloud.json",
    "huawei-cloud.json",
    "lambda.json",
    "nebius.json",
    "gcp.json",
    "aws.json",
    "aws-china.json",
    "azure.json",
    "coreweave.json",
    "hyperstack.json",
    "fireworks.json",
    "deepinfra.json",
    "together.json",
    "groq.json",
    "novita.json",
    "deepseek.json",
    "siliconflow.json",
    "tencent-cloud.json",
];

/// The shipped exchange rates: their file name and their text.
pub const EXCHANGE_RATES: (&str, &str) = (
    "exchange-rates.json",
    include_str!("../exchange-rates.json"),
);

/// The shipped tables and exchange rates, read and checked.
///
/// # Errors
/// Every problem of a table; the tests see to it that there is none.
pub fn book() -> Result<PriceBook, Problems> {
    PriceBook::read(TABLES.iter().copied(), Some(EXCHANGE_RATES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use inferplan_core::{Date, price::Confidence};

    #[test]
    fn every_table_file_is_embedded_and_clean() {
        let book = book().unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tables");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut embedded: Vec<String> = TABLES.iter().map(|(name, _)| (*name).into()).collect();
        files.sort();
        embedded.sort();
        assert_eq!(files, embedded);
        for (name, table) in embedded.iter().zip({
            let mut ids: Vec<_> = book.tables().iter().map(|t| &t.provider.id).collect();
            // As the file names sort, with their ending.
            ids.sort_by_key(|id| format!("{id}.json"));
            ids
        }) {
            assert_eq!(
                name,
                &format!("{table}.json"),
                "a file is named after its provider"
            );
        }
    }

    /// A row without a source or a day is refused: there is nothing to check it by.
    #[test]
    fn every_price_has_a_source_and_a_day() {
        let book = book().unwrap();
        let mut prices = 0;
        let mut check = |id: &str, source: &str, days: [Option<Date>; 2], released_on: Date| {
            prices += 1;
            assert!(source.trim().len() > 5, "{id}: no source");
            // A price whose first day nobody noted has the day until which it held.
            let day = days[0].or(days[1]);
            assert!(day.is_some(), "{id}: no day ({source})");
            assert!(day <= Some(released_on), "{id}: seen after its table");
        };
        for table in book.tables() {
            let released = table.released_on;
            for offer in &table.offers {
                for v in &offer.versions {
                    let days = [v.in_force_from(), v.effective_until];
                    check(&offer.id, &v.source, days, released);
                    if v.source.contains("2025 article") {
                        assert_eq!(v.confidence, Confidence::Article, "{}", offer.id);
                    }
                }
            }
            for component in &table.components {
                for v in &component.versions {
                    let days = [v.in_force_from(), v.effective_until];
                    check(&component.id, &v.source, days, released);
                }
            }
            for subscription in &table.subscriptions {
                for v in &subscription.versions {
                    let days = [v.in_force_from(), v.effective_until];
                    check(&subscription.id, &v.source, days, released);
                }
            }
        }
        assert!(prices > 150);
        for rate in book.rates() {
            assert!(
                rate.date.is_some() && rate.source.len() > 5,
                "{}",
                rate.label()
            );
        }
    }

    #[test]
    fn the_article_s_prices_are_the_first_versions_of_their_offers() {
        let book = book().unwrap();
        let day = "2025-01-31".parse().unwrap();
        let articles = book.offers().filter(|(_, offer)| {
            let first = offer
                .versions
                .iter()
                .filter(|v| v.in_force_from().is_some())
                .min_by_key(|v| v.in_force_from());
            first.is_some_and(|v| {
                v.in_force_from() == Some(day) && v.confidence == Confidence::Article
            })
        });
        let ids: Vec<_> = articles.map(|(_, offer)| offer.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "replicate.llama-3-8b.per-call",
                "modal.gpu",
                "runpod.pod.a100-80gb-pcie.community",
                "alibaba-cloud.pai-eas.a100-80gb.monthly",
                "huawei-cloud.a100-80gb.hourly",
            ]
        );
    }
}
