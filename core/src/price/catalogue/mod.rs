//! Price catalogues of other projects, and clouds' answers to price inquiries, as tables.
//!
//! Each row keeps where it came from; a row that does not fit is listed with the reason.

mod alibaba;
mod answer;
mod genai_prices;
mod gpuhunt;
mod huawei;
mod litellm;
mod rows;
mod skypilot;
mod tokens;

use std::collections::HashMap;

use serde::Serialize;

use super::{Confidence, Offer, Overlay, Price, PriceTable, Version, table::Provider};
use crate::{
    Date, Decimal,
    accelerator::Accelerator,
    document::SchemaTag,
    money::Currency,
    problem::{Problem, Problems},
    text::{Bilingual, Notice},
};

/// What the user says of a catalogue that its file does not.
#[derive(Clone, Debug)]
pub struct Request {
    /// The table's name.
    pub name: Option<String>,
    /// The day the prices are of, where the file does not say it.
    pub observed_on: Date,
    /// The region asked for.
    pub region: Option<String>,
    /// The instance type or flavour asked for.
    pub instance_type: Option<String>,
    /// The accelerator of the instance.
    pub accelerator: Option<Accelerator>,
    /// Accelerators of the instance.
    pub accelerators: Option<u32>,
    /// The unit asked for.
    pub unit: Option<Unit>,
    /// How many of it.
    pub periods: u32,
}

/// The unit of time a price was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// An hour.
    Hour,
    /// Months.
    Month,
    /// Years.
    Year,
}

/// What a catalogue holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// Its tables, one a seller.
    pub tables: Vec<PriceTable>,
    /// The account's own prices beside the list's.
    pub own: Overlay,
    /// Rows that do not fit.
    pub left_out: Vec<LeftOut>,
    /// What to know of it.
    pub notices: Vec<Notice>,
}

/// A row that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Which: a line's number, or a name.
    pub row: String,
    /// Why.
    #[serde(flatten)]
    pub why: Notice,
}

/// One kind of catalogue.
trait Format: Sync {
    /// Its name, for `--format`.
    fn name(&self) -> &'static str;
    /// Whether a text looks like one.
    fn recognises(&self, text: &str) -> bool;
    /// Reads one.
    fn read(&self, text: &str, file: &str, request: &Request) -> Result<Catalogue, Problems>;
}

const FORMATS: [&dyn Format; 6] = [
    &skypilot::SkyPilot,
    &gpuhunt::Gpuhunt,
    &litellm::LiteLlm,
    &genai_prices::GenaiPrices,
    &alibaba::DescribePrice,
    &huawei::PriceInquiry,
];

/// The names that [`read`] takes as a format.
#[must_use]
pub fn format_names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name()).collect()
}

/// Whether a text looks like a catalogue known here.
#[must_use]
pub fn recognises(text: &str) -> bool {
    FORMATS.iter().any(|format| format.recognises(text))
}

/// Reads a catalogue; its kind is told by what it holds unless `format` names it.
///
/// # Errors
/// Text of no kind known here, and what makes a whole file unreadable.
pub fn read(
    text: &str,
    file: &str,
    format: Option<&str>,
    request: &Request,
) -> Result<Catalogue, Problems> {
    let chosen = match format {
        Some(name) => FORMATS.iter().find(|format| format.name() == name),
        None => FORMATS.iter().find(|format| format.recognises(text)),
    };
    let Some(format) = chosen else {
        let start: String = text.chars().take(80).collect();
        return Err(
            Problem::new("this is no catalogue known here", "这不是已支持的价格目录")
                .in_file(file)
                .found(start)
                .remedy(
                    format!("known: {}", format_names().join(", ")),
                    format!("已支持：{}", format_names().join("、")),
                )
                .into(),
        );
    };
    let catalogue = format
        .read(text, file, request)
        .map_err(|problems| problems.in_file(file))?;
    if catalogue.tables.iter().all(|table| table.offers.is_empty()) {
        let why = catalogue.left_out.first().map(|left| left.why.clone());
        let mut problem =
            Problem::new("no row of it is a price", "其中没有任何可用的价格").in_file(file);
        if let Some(why) = why {
            problem = problem.remedy(
                format!("the first was left out since: {}", why.en),
                format!("第一行被略去的原因：{}", why.zh),
            );
        }
        return Err(problem.into());
    }
    Ok(catalogue)
}

impl Request {
    /// Nothing stated but the day.
    #[must_use]
    pub fn of_day(observed_on: Date) -> Self {
        Self {
            name: None,
            observed_on,
            region: None,
            instance_type: None,
            accelerator: None,
            accelerators: None,
            unit: None,
            periods: 1,
        }
    }
}

impl Catalogue {
    /// As prices of one's own.
    #[must_use]
    pub fn into_overlay(self) -> Overlay {
        let mut overlay = self.own;
        overlay.tables.extend(self.tables);
        overlay
    }

    /// Everything of another after everything in it; tables of one seller become one.
    pub fn join(&mut self, other: Self) {
        for table in other.tables {
            let same = |known: &&mut PriceTable| known.provider.id == table.provider.id;
            match self.tables.iter_mut().find(same) {
                Some(known) => *known = joined(known.clone(), table),
                None => self.tables.push(table),
            }
        }
        self.own.extend(other.own);
        self.left_out.extend(other.left_out);
        self.notices.extend(other.notices);
    }

    fn leave_out(&mut self, row: impl Into<String>, why: Notice) {
        self.left_out.push(LeftOut {
            row: row.into(),
            why,
        });
    }
}

/// A seller's table with what was read of it anew: offers stay, and what is read of one that is
/// known becomes a version more, or takes the place of that day's.
#[must_use]
pub fn joined(mut known: PriceTable, new: PriceTable) -> PriceTable {
    let at: HashMap<String, usize> = known
        .offers
        .iter()
        .enumerate()
        .map(|(at, offer)| (offer.id.clone(), at))
        .collect();
    known.released_on = known.released_on.max(new.released_on);
    for offer in new.offers {
        let Some(at) = at.get(&offer.id) else {
            known.offers.push(offer);
            continue;
        };
        let mut versions = std::mem::take(&mut known.offers[*at].versions);
        versions.retain(|version| {
            let same_day = |other: &Version| other.in_force_from() == version.in_force_from();
            !offer.versions.iter().any(same_day)
        });
        versions.extend(offer.versions.iter().cloned());
        known.offers[*at] = Offer { versions, ..offer };
    }
    known
}

/// A table without offers.
fn table(id: String, name: Bilingual, released_on: Date) -> PriceTable {
    PriceTable {
        editor_schema: None,
        schema: SchemaTag::of::<PriceTable>(),
        provider: Provider { id, name },
        released_on,
        offers: Vec::new(),
        components: Vec::new(),
        subscriptions: Vec::new(),
        tax: None,
        origin: super::Origin::Catalogue,
        sha256: String::new(),
    }
}

/// A version of a catalogue's row.
fn version(price: Price, currency: Currency, day: Date, source: &str) -> Version {
    Version {
        price,
        currency,
        effective_from: None,
        effective_until: None,
        observed_on: Some(day),
        cancelled_on: None,
        source: source.to_owned(),
        confidence: Confidence::Catalogue,
        note: None,
    }
}

/// A name in kebab case, for ids: other characters become one dash.
fn kebab(name: &str) -> String {
    let mut id = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if c == '.' {
            // A version's point stays: `qwen2.5` and `qwen25` are two models.
            id.push('.');
        } else if !id.ends_with('-') && !id.is_empty() {
            id.push('-');
        }
    }
    id.trim_end_matches(['-', '.']).to_owned()
}

/// A figure as a decimal, exactly as it is written: `0.79`, `5.e-7`, `8e-06`.
fn decimal(figure: &str) -> Option<Decimal> {
    let figure = figure.trim();
    let parse = |text: &str| {
        text.parse::<Decimal>()
            .or_else(|_| Decimal::from_scientific(text))
            .ok()
    };
    // YAML's emitters write `5.e-7`.
    parse(figure).or_else(|| parse(&figure.replace(".e", ".0e").replace(".E", ".0E")))
}

/// A JSON number or string as a decimal, exactly as it is written.
fn json_decimal(value: &serde_json::Value) -> Option<Decimal> {
    match value {
        serde_json::Value::Number(number) => decimal(&number.to_string()),
        serde_json::Value::String(text) => decimal(text),
        _ => None,
    }
}

/// The prices of a catalogue are above 0 and no slip of a unit.
fn doubtful(amount: Decimal) -> Option<Notice> {
    if amount.is_sign_negative() {
        return Some(Notice::new(
            "negative",
            "The price is below 0.",
            "价格小于 0。",
        ));
    }
    if amount.is_zero() {
        return Some(Notice::new(
            "zero",
            "The price is 0: not known, or free of charge; neither is a price to plan on.",
            "价格为 0：未知或免费，均不能用于规划。",
        ));
    }
    (amount > Decimal::from(1_000_000)).then(|| {
        Notice::new(
            "implausible",
            "The price is above a million an hour.",
            "价格超过每小时一百万。",
        )
    })
}

#[cfg(test)]
mod tests;
