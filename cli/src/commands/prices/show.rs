//! `inferplan prices show`: one offer, its price, terms and source, and what some days of it cost.

use std::io::{self, Write};

use inferplan_core::{
    Date, number,
    price::{Offer, PriceBook, PriceTable, Version, display::figure, span, version::in_force},
    problem::Problem,
    text::Lang,
};
use serde_json::json;

use crate::{
    args::PricesShow,
    failure::{Failure, Outcome},
    store,
};

/// The same machine under a price per hour and one per month.
pub(super) struct Pair<'b> {
    hourly: &'b Offer,
    monthly: &'b Offer,
    hours: inferplan_core::Decimal,
}

impl Pair<'_> {
    /// `from 480.05 hours a month … is cheaper than …`.
    pub(super) fn text(&self, lang: Lang) -> String {
        let (hours, hourly, monthly) =
            (number::plain(self.hours), &self.hourly.id, &self.monthly.id);
        match lang {
            Lang::En => format!("from {hours} hours a month {monthly} is cheaper than {hourly}"),
            Lang::Zh => format!("每月超过 {hours} 小时，{monthly} 比 {hourly} 便宜"),
        }
    }
}

pub fn run(args: &PricesShow, lang: Lang) -> Result<Outcome, Failure> {
    let book = store::book(&args.on.prices)?;
    let as_of = args.on.as_of.unwrap_or_else(crate::commands::today);
    let (table, offer) = super::offer(&book, &args.offer)?;
    let current = book.in_force(offer, as_of);
    let span = match (args.from, args.to, &current) {
        (Some(from), Some(to), Ok(found)) => {
            if to <= from {
                return Err(Problem::new(
                    "the time ends before it begins",
                    "结束日期不晚于开始日期",
                )
                .at("--to")
                .found(to)
                .into());
            }
            let version = found.version;
            let span = offer.span(&version.price, version.currency, (from, to), args.instances);
            Some(span.ok_or_else(|| {
                Problem::new(
                    "its price is of use and not of time, so days alone have no cost",
                    "该价格按用量计费，仅凭天数无法计算",
                )
                .found(&offer.id)
                .remedy(
                    "`inferplan compare` prices requests",
                    "请用 `inferplan compare` 按请求量计算",
                )
            })?)
        }
        _ => None,
    };
    let pair = current
        .as_ref()
        .ok()
        .and_then(|found| pair(&book, table, offer, found.version, as_of));
    let text = if args.json {
        let document = json!({
            "schema": "inferplan.price-offer/1",
            "as_of": as_of.to_string(),
            "provider": table.provider,
            "origin": table.origin.key(),
            "sha256": table.sha256,
            "offer": offer,
            "in_force": current.as_ref().ok().map(|found| found.version),
            "reason": current.as_ref().err(),
            "quotes": book.quotes(&offer.id).collect::<Vec<_>>(),
            "components": table.components.iter().filter(|c| c.comes_with(&offer.id)).collect::<Vec<_>>(),
            "subscriptions": table.subscriptions,
            "tax": table.tax,
            "break_even": pair.as_ref().map(|pair| json!({
                "hourly": pair.hourly.id, "monthly": pair.monthly.id, "hours_per_month": pair.hours.to_string(),
            })),
            "span": span.as_ref().map(|span| json!({ "total": span.total, "sum": span.sum.en, "warnings": span.notices })),
        });
        serde_json::to_string_pretty(&document)? + "\n"
    } else {
        let mut out = vec![format!(
            "{} {}",
            table.provider.name.get(lang),
            offer.name.get(lang)
        )];
        out.push(format!("  {}", offer.id));
        match &current {
            Ok(found) => out.extend(version_lines(found.version, lang)),
            Err(why) => out.push(format!("  {}", why.get(lang))),
        }
        out.extend(around(table, offer, as_of, lang));
        out.extend(pair.iter().map(|pair| format!("  {}", pair.text(lang))));
        if let Some(span) = &span {
            out.push(format!("  {}", span.sum.get(lang)));
            out.extend(
                span.notices
                    .iter()
                    .map(|notice| format!("  {}", notice.get(lang))),
            );
        }
        out.join("\n") + "\n"
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}

/// A version's price, steps, day and source.
pub(super) fn version_lines(version: &Version, lang: Lang) -> Vec<String> {
    let price = version.price.display(version.currency, lang);
    let from = version
        .in_force_from()
        .map_or_else(|| "?".to_owned(), |day| day.to_string());
    let (confidence, source) = (version.confidence.word(lang), &version.source);
    let mut lines = vec![match lang {
        Lang::En => format!("  {price}, from {from} ({confidence}: {source})"),
        Lang::Zh => format!("  {price}，自 {from}（{confidence}：{source}）"),
    }];
    let steps = version.price.steps(version.currency, lang);
    lines.extend(steps.into_iter().map(|step| format!("    {step}")));
    lines.extend(version.note.iter().map(|note| format!("    {note}")));
    lines
}

/// Terms, place, components, subscriptions, tax, notes.
fn around(table: &PriceTable, offer: &Offer, as_of: Date, lang: Lang) -> Vec<String> {
    let mut lines: Vec<String> = offer
        .terms_text(lang)
        .into_iter()
        .map(|term| format!("  {term}"))
        .collect();
    let place = offer.residency.map(|place| {
        format!(
            "{} · {}",
            place.name().get(lang),
            place.network().name(lang)
        )
    });
    let region = &offer.region;
    lines.push(match (&place, lang) {
        (Some(place), Lang::En) => format!("  place: {place} ({region})"),
        (Some(place), Lang::Zh) => format!("  地点：{place}（{region}）"),
        (None, Lang::En) => format!("  place: not stated ({region})"),
        (None, Lang::Zh) => format!("  地点：未说明（{region}）"),
    });
    for component in table.components.iter().filter(|c| c.comes_with(&offer.id)) {
        if let Ok(found) = in_force(&component.versions, as_of) {
            let version = found.version;
            let amount = version.currency.label(&figure(version.price.amount), lang);
            let meter = component.meter.text(lang);
            let (name, seen) = (component.name.get(lang), version.seen());
            lines.push(match lang {
                Lang::En => format!("  beside it, {name}: {amount} / {meter} ({seen})"),
                Lang::Zh => format!("  另计 {name}：{amount} / {meter}（{seen}）"),
            });
        }
    }
    for subscription in &table.subscriptions {
        if let Ok(found) = in_force(&subscription.versions, as_of) {
            let version = found.version;
            let label = |amount| version.currency.label(&figure(amount), lang);
            let (fee, credit) = (label(version.price.fee), label(version.price.credit));
            let (id, name) = (&subscription.id, subscription.name.get(lang));
            lines.push(match lang {
                Lang::En => {
                    format!("  plan {name} ({id}): {fee} a month, {credit} of compute free")
                }
                Lang::Zh => format!("  套餐 {name}（{id}）：每月 {fee}，含 {credit} 计算额度"),
            });
        }
    }
    for what in &offer.not_counted {
        lines.push(match lang {
            Lang::En => format!("  not counted: {}", what.en),
            Lang::Zh => format!("  未计入：{}", what.zh),
        });
    }
    lines.extend(offer.note.iter().map(|note| format!("  {note}")));
    lines
}

/// The offer's machine under the other way of paying for it, and where the two meet.
pub(super) fn pair<'b>(
    book: &PriceBook,
    table: &'b PriceTable,
    offer: &'b Offer,
    version: &Version,
    as_of: Date,
) -> Option<Pair<'b>> {
    use inferplan_core::price::Price;
    let sku = offer.sku.as_ref()?;
    let monthly = |price: &Price| match price {
        Price::Month { amount, .. } => Some(*amount),
        _ => None,
    };
    table
        .offers
        .iter()
        .filter(|other| other.id != offer.id && other.sku.as_ref() == Some(sku))
        .filter(|other| other.region == offer.region && other.terms.spot == offer.terms.spot)
        .find_map(|other| {
            let its = book.in_force(other, as_of).ok()?.version;
            if its.currency != version.currency {
                return None;
            }
            let (own, its) = (&version.price, &its.price);
            let (hourly, monthly, hours) = match (own.per_hour(), monthly(its)) {
                (Some(hour), Some(month)) => (offer, other, span::break_even_hours(hour, month)?),
                _ => {
                    let (hour, month) = (its.per_hour()?, monthly(own)?);
                    (other, offer, span::break_even_hours(hour, month)?)
                }
            };
            Some(Pair {
                hourly,
                monthly,
                hours,
            })
        })
}
