//! What is doubtful in a price book that reads without fault: `inferplan prices check`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Basis, Confidence, Offer, PriceBook, Sells, Version, changes::percent};
use crate::{Date, Decimal, day, lint::Severity, money::Currency, number, text::Notice};

/// A price that is shown as current is to have been seen within so many days.
const STALE_AFTER_DAYS: i64 = 90;
/// A price so many times its neighbours' median, or below it by as much, is an outlier.
const OUTLIER: i64 = 6;
/// A move by more percent than this needs a source of its own.
const JUMP_PERCENT: i64 = 30;

/// One doubt about one offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The offer's id, or a component's or subscription's.
    pub offer: String,
    /// How bad it is.
    pub severity: Severity,
    /// What it is, with a stable code.
    #[serde(flatten)]
    pub notice: Notice,
}

/// What a book holds and what is doubtful in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inspection {
    /// Offers.
    pub offers: usize,
    /// Prices: versions of offers, components and subscriptions.
    pub prices: usize,
    /// Of these, seen on the provider's own list.
    pub verified: usize,
    /// Of these, copied from a catalogue, an article or a quote.
    pub unverified: usize,
    /// Prices by confidence.
    pub by_confidence: BTreeMap<String, usize>,
    /// The doubts, by table.
    pub findings: Vec<Finding>,
}

/// Looks over a book on a day.
#[must_use]
pub fn inspect(book: &PriceBook, as_of: Date) -> Inspection {
    let mut found = Inspection::default();
    for (_, offer) in book.offers() {
        found.offers += 1;
        found.offer(offer, as_of);
    }
    for table in book.tables() {
        for component in &table.components {
            found.versions(&component.id, &component.versions, as_of);
        }
        for subscription in &table.subscriptions {
            found.versions(&subscription.id, &subscription.versions, as_of);
        }
        found.terms(&table.offers, as_of);
    }
    found.outliers(book, as_of);
    found
}

impl Inspection {
    /// The gravest severity among the findings.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).min()
    }

    fn say(&mut self, offer: &str, severity: Severity, notice: Notice) {
        self.findings.push(Finding {
            offer: offer.to_owned(),
            severity,
            notice,
        });
    }

    fn offer(&mut self, offer: &Offer, as_of: Date) {
        self.versions(&offer.id, &offer.versions, as_of);
        let mut dated: Vec<&Version> = offer
            .versions
            .iter()
            .filter(|version| version.in_force_from().is_some() && version.cancelled_on.is_none())
            .collect();
        dated.sort_by_key(|version| version.in_force_from());
        for pair in dated.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            self.pair(&offer.id, a, b);
        }
        let current = offer.in_force(as_of);
        if offer.versions.is_empty() {
            self.say(
                &offer.id,
                Severity::Info,
                Notice::new(
                    "no-price",
                    "No verified price is known.",
                    "没有可核实的价格。",
                ),
            );
        }
        let Ok(current) = current else {
            return;
        };
        let seen = current
            .version
            .observed_on
            .or(current.version.effective_from);
        if let Some(seen) = seen.filter(|seen| day::between(*seen, as_of) > STALE_AFTER_DAYS) {
            let days = day::between(seen, as_of);
            self.say(
                &offer.id,
                Severity::Warning,
                Notice::new(
                    "stale",
                    format!("The price in force was last seen on {seen}, {days} days ago."),
                    format!("现行价格最后见于 {seen}，距今 {days} 天。"),
                ),
            );
        }
    }

    fn versions<P>(&mut self, id: &str, versions: &[Version<P>], as_of: Date) {
        for version in versions {
            self.prices += 1;
            if version.confidence == Confidence::List {
                self.verified += 1;
            } else {
                self.unverified += 1;
            }
            let key = version.confidence.key().to_owned();
            *self.by_confidence.entry(key).or_default() += 1;
            if version.in_force_from().is_none() && version.effective_until.is_none() {
                self.say(
                    id,
                    Severity::Error,
                    Notice::new(
                        "no-date",
                        format!("A price of {} has no date at all.", version.source),
                        format!("来自 {} 的价格没有任何日期。", version.source),
                    ),
                );
            }
            if version.observed_on.is_some_and(|seen| seen > as_of) {
                self.say(
                    id,
                    Severity::Error,
                    Notice::new(
                        "seen-in-the-future",
                        "A price was seen after the day of this check.",
                        "价格的观察日期晚于检查日期。",
                    ),
                );
            }
            if version.source.trim().len() < 4 {
                self.say(
                    id,
                    Severity::Error,
                    Notice::new("no-source", "A price has no source.", "价格没有出处。"),
                );
            }
        }
    }

    /// Two versions that follow each other.
    fn pair(&mut self, id: &str, a: &Version, b: &Version) {
        let (Some(first), Some(second)) = (a.in_force_from(), b.in_force_from()) else {
            return;
        };
        let differ = (&a.price, a.currency) != (&b.price, b.currency);
        if first == second && differ {
            self.say(
                id,
                Severity::Error,
                Notice::new(
                    "overlap",
                    format!(
                        "Two prices count from {first}: {} and {}.",
                        a.source, b.source
                    ),
                    format!("两个价格都始于 {first}：{} 与 {}。", a.source, b.source),
                ),
            );
        }
        match a.effective_until {
            Some(end) if end > second => self.say(
                id,
                Severity::Error,
                Notice::new(
                    "overlap",
                    format!("A price that holds until {end} is followed by one from {second}."),
                    format!("价格有效至 {end}，而下一价格始于 {second}。"),
                ),
            ),
            Some(end) if end < second => self.say(
                id,
                Severity::Warning,
                Notice::new(
                    "gap",
                    format!("No price is known from {end} to {second}."),
                    format!("{end} 至 {second} 之间没有价格。"),
                ),
            ),
            _ => {}
        }
        let (before, after) = (a.price.amounts(), b.price.amounts());
        let one_shape = a.price.kind() == b.price.kind() && a.currency == b.currency;
        let jump = before
            .iter()
            .zip(&after)
            .filter_map(|(before, after)| percent(before.1, after.1))
            .find(|percent| percent.abs() > Decimal::from(JUMP_PERCENT));
        if let Some(jump) = jump.filter(|_| one_shape && a.source == b.source && first != second) {
            self.say(
                id,
                Severity::Warning,
                Notice::new(
                    "jump",
                    format!("It moved by {jump}% between {first} and {second}, on one source."),
                    format!("{first} 到 {second} 变动 {jump}%，出处相同。"),
                ),
            );
        }
    }

    /// Offers of one machine under several terms.
    fn terms(&mut self, offers: &[Offer], as_of: Date) {
        let price = |offer: &Offer| {
            let found = offer.in_force(as_of).ok()?.version;
            Some((found.price.clone(), found.currency))
        };
        for offer in offers {
            let Some(sku) = &offer.sku else { continue };
            let Some((own, currency)) = price(offer) else {
                continue;
            };
            for other in offers {
                if other.sku.as_ref() != Some(sku) || other.region != offer.region {
                    continue;
                }
                let Some((its, same)) = price(other) else {
                    continue;
                };
                if same != currency {
                    continue;
                }
                if let (Some(hourly), super::Price::Month { amount, .. }) = (own.per_hour(), &its)
                    && let Some(hours) = amount.checked_div(hourly)
                    && !(Decimal::from(100)..=Decimal::from(800)).contains(&hours)
                {
                    let hours = number::plain(hours.round_dp(1));
                    self.say(
                        &other.id,
                        Severity::Warning,
                        Notice::new(
                            "month-hours",
                            format!("Its month is worth {hours} hours of {}: is one of them another unit?", offer.id),
                            format!("其月价相当于 {} 的 {hours} 小时：单位是否有误？", offer.id),
                        ),
                    );
                }
                if let (Some(on_demand), Some(spot)) = (own.per_hour(), its.per_hour())
                    && offer.terms.spot.is_none()
                    && other.terms.spot.is_some()
                    && spot >= on_demand
                {
                    self.say(
                        &other.id,
                        Severity::Info,
                        Notice::new(
                            "spot-no-cheaper",
                            "Its spot price is no lower than the same machine's on demand.",
                            "竞价价格不低于同一机型的按需价格。",
                        ),
                    );
                }
            }
        }
    }

    /// Prices far from those of the same accelerator.
    fn outliers(&mut self, book: &PriceBook, as_of: Date) {
        let mut by_class: BTreeMap<(String, Currency), Vec<(String, Decimal)>> = BTreeMap::new();
        for (_, offer) in book.offers() {
            if let Some((accelerator, currency, hourly)) = hourly_each(offer, as_of) {
                let key = (accelerator, currency);
                by_class
                    .entry(key)
                    .or_default()
                    .push((offer.id.clone(), hourly));
            }
        }
        for ((accelerator, currency), mut prices) in by_class {
            // Below three, no price is its own neighbours' outlier.
            if prices.len() < 3 {
                continue;
            }
            prices.sort_by_key(|price| price.1);
            let median = prices[prices.len() / 2].1;
            let far = Decimal::from(OUTLIER);
            for (offer, price) in &prices {
                if *price > median * far || *price * far < median {
                    let (shown, middle) = (
                        number::plain(price.round_dp(4)),
                        number::plain(median.round_dp(4)),
                    );
                    self.say(
                        offer,
                        Severity::Warning,
                        Notice::new(
                            "outlier",
                            format!("{shown} {currency} for an hour of one {accelerator}, whose median here is {middle}."),
                            format!("{accelerator} 每卡每小时 {shown} {currency}，而此处中位数为 {middle}。"),
                        ),
                    );
                }
            }
        }
    }
}

/// The price of an hour of one accelerator, with its class and currency.
fn hourly_each(offer: &Offer, as_of: Date) -> Option<(String, Currency, Decimal)> {
    let Sells::Accelerators {
        accelerator: Some(accelerator),
        per_instance,
        ..
    } = &offer.sells
    else {
        return None;
    };
    let version = offer.in_force(as_of).ok()?.version;
    let hourly = version.price.per_hour()?;
    let each = match version.price.basis()? {
        Basis::Accelerator => hourly,
        Basis::Instance => hourly.checked_div(Decimal::from(*per_instance))?,
    };
    Some((accelerator.class().to_owned(), version.currency, each))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(versions: &str, more: &str) -> Vec<String> {
        let offer = |id: &str, versions: &str, more: &str| {
            format!(
                r#"{{ "id": "p.{id}", "name": {{ "en": "A", "zh": "A" }}, "region": "x", {more}
              "sells": {{ "kind": "accelerators", "accelerator": "L40S", "per_instance": 1, "up_to": 1 }},
              "versions": [ {versions} ] }}"#
            )
        };
        let plain = hourly("1", "2026-01-01", "s-one");
        let offers = [
            offer("a", versions, more),
            offer("b", &plain, r#""sku": "k","#),
            offer("c", &plain, ""),
            offer("d", &plain, ""),
        ];
        let table = format!(
            r#"{{ "schema": "inferplan.prices/1", "provider": {{ "id": "p", "name": {{ "en": "P", "zh": "P" }} }},
              "released_on": "2026-01-01", "offers": [ {} ] }}"#,
            offers.join(",")
        );
        let book = PriceBook::read([("t", table.as_str())], None).unwrap();
        let found = inspect(&book, "2026-02-01".parse().unwrap());
        found
            .findings
            .iter()
            .filter(|finding| finding.offer == "p.a")
            .map(|finding| finding.notice.code.clone())
            .collect()
    }

    fn hourly(amount: &str, day: &str, source: &str) -> String {
        format!(
            r#"{{ "price": {{ "per": "hour", "amount": "{amount}", "of": "accelerator" }}, "currency": "USD",
              "observed_on": "{day}", "source": "{source}", "confidence": "list" }}"#
        )
    }

    #[test]
    fn each_doubt_has_its_code() {
        let jan = |amount| hourly(amount, "2026-01-01", "s-one");
        assert!(codes(&jan("1"), "").is_empty());
        assert_eq!(codes("", ""), ["no-price"]);
        assert_eq!(codes(&hourly("1", "2025-10-01", "s-one"), ""), ["stale"]);
        assert_eq!(
            codes(&format!("{},{}", jan("1"), jan("2")), ""),
            ["overlap"]
        );
        let until = jan("1").replace("\"source\"", "\"effective_until\": \"UNTIL\", \"source\"");
        let feb = hourly("1.1", "2026-01-20", "s-one");
        let pair = |end: &str| format!("{},{feb}", until.replace("UNTIL", end));
        assert_eq!(codes(&pair("2026-01-25"), ""), ["overlap"]);
        assert_eq!(codes(&pair("2026-01-10"), ""), ["gap"]);
        assert!(codes(&pair("2026-01-20"), "").is_empty());
        let dearer = |source| format!("{},{}", jan("1"), hourly("1.5", "2026-01-20", source));
        assert_eq!(codes(&dearer("s-one"), ""), ["jump"]);
        assert!(codes(&dearer("s-two"), "").is_empty());
        // A bid floor in place of a price; a node's price in place of a card's.
        assert_eq!(codes(&jan("0.01"), ""), ["outlier"]);
        assert_eq!(codes(&jan("8"), ""), ["outlier"]);
        let undated = jan("1").replace("\"observed_on\": \"2026-01-01\",", "");
        assert_eq!(codes(&undated, ""), ["no-date"]);
        assert_eq!(
            codes(&hourly("1", "2026-03-01", "s-one"), ""),
            ["seen-in-the-future"]
        );
        // A month divided by 730 once too often.
        let month = jan("1").replace("hour", "month");
        assert_eq!(codes(&month, r#""sku": "k","#), ["month-hours"]);
        let spot = r#""sku": "k", "terms": { "spot": { "interruptions_per_hour": null, "notice_s": null, "restart_s": null } },"#;
        assert_eq!(codes(&jan("1"), spot), ["spot-no-cheaper"]);
    }
}
