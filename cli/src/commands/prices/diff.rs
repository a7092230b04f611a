//! `inferplan prices diff`: what prices did between two days, and what that makes of a scenario.

use std::io::{self, Write};

use inferplan_core::{
    Decimal,
    decide::difference::{self, Difference, LineMoved, Moved},
    money::{Currency, Money},
    number,
    price::changes::{Change, ChangeKind, Seen},
    text::Lang,
};

use crate::{
    args::PricesDiff,
    failure::{Failure, Outcome},
    question, store,
};

pub fn run(args: &PricesDiff, lang: Lang) -> Result<Outcome, Failure> {
    let book = store::book(&args.question.prices)?;
    let asked = args.question.scenario.is_some() || args.question.requests_per_day.is_some();
    let scenario = asked
        .then(|| question::scenario(&args.question, lang))
        .transpose()?;
    let mut found = difference::difference(scenario.as_ref(), &book, args.first, args.second)?;
    if !args.all {
        found
            .changes
            .retain(|change| change.kind != ChangeKind::Confirmed);
    }
    let text = if args.json {
        serde_json::to_string_pretty(&found)? + "\n"
    } else {
        people(&found, lang)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}

pub(super) fn people(found: &Difference, lang: Lang) -> String {
    let mut out = changes(&found.changes, lang);
    if out.is_empty() {
        out.push(match lang {
            Lang::En => format!("No price moved between {} and {}.", found.from, found.to),
            Lang::Zh => format!("{} 到 {} 之间没有价格变动。", found.from, found.to),
        });
    }
    let moves = |option: &&Moved| option.difference.is_none_or(|by| !by.is_zero());
    for option in found.options.iter().filter(moves) {
        out.push(String::new());
        out.extend(self::option(option, lang));
    }
    let still = found.options.iter().filter(|option| !moves(option)).count();
    if still > 0 {
        out.push(String::new());
        out.push(match lang {
            Lang::En => format!("{still} options cost the same on both days."),
            Lang::Zh => format!("{still} 个方案两日费用相同。"),
        });
    }
    if found.rates_before != found.rates_after {
        out.push(String::new());
        for (day, rates) in [
            (found.from, &found.rates_before),
            (found.to, &found.rates_after),
        ] {
            for rate in rates {
                let (label, source) = (rate.label(), &rate.source);
                let of = rate.date.map(|day| day.to_string()).unwrap_or_default();
                out.push(match lang {
                    Lang::En => format!("On {day}: {label} of {of} ({source})"),
                    Lang::Zh => format!("{day}：{label}，{of}（{source}）"),
                });
            }
        }
    }
    out.join("\n") + "\n"
}

/// A line for each price that a version touched.
pub(super) fn changes(changes: &[Change], lang: Lang) -> Vec<String> {
    let line = |change: &Change| {
        let shown = |seen: &Option<Seen>| {
            seen.as_ref().map_or_else(
                || "–".to_owned(),
                |seen| seen.price.display(seen.currency, lang),
            )
        };
        let (before, after) = (shown(&change.before), shown(&change.after));
        let word = match (change.kind, lang) {
            (ChangeKind::Moved, _) => {
                let percents: Vec<String> = change
                    .amounts
                    .iter()
                    .filter_map(|amount| amount.percent)
                    .map(signed)
                    .collect();
                format!("{}%", percents.join("%, "))
            }
            (ChangeKind::Recast, Lang::En) => "of another kind".to_owned(),
            (ChangeKind::Recast, Lang::Zh) => "计价方式改变".to_owned(),
            (ChangeKind::Appeared, Lang::En) => "new".to_owned(),
            (ChangeKind::Appeared, Lang::Zh) => "新增".to_owned(),
            (ChangeKind::Gone, Lang::En) => "gone".to_owned(),
            (ChangeKind::Gone, Lang::Zh) => "已无".to_owned(),
            (ChangeKind::Confirmed, Lang::En) => "seen again".to_owned(),
            (ChangeKind::Confirmed, Lang::Zh) => "再次确认".to_owned(),
        };
        format!("{}: {before} → {after}  {word}", change.offer)
    };
    changes.iter().map(line).collect()
}

fn signed(figure: Decimal) -> String {
    let sign = if figure.is_sign_positive() { "+" } else { "" };
    format!("{sign}{}", number::plain(figure))
}

/// An option's month on both days, its lines, and its causes.
fn option(option: &Moved, lang: Lang) -> Vec<String> {
    let month = |money: Option<Money>| {
        money.map_or_else(
            || match lang {
                Lang::En => "not feasible".to_owned(),
                Lang::Zh => "不可行".to_owned(),
            },
            |money| money.display(lang),
        )
    };
    let mut name = option.offer.clone();
    if let Some(report) = &option.report {
        name += &format!(" · {report}");
    }
    let (before, after) = (month(option.before), month(option.after));
    let mut lines = vec![format!("{name}: {before} → {after}")];
    if let Some(difference) = option.difference {
        lines[0] += &format!("  {}", signed(difference));
    }
    let currency = option.currency;
    for line in option
        .lines
        .iter()
        .filter(|line| !line.difference.is_zero())
    {
        lines.push(format!("  {}", line_text(line, currency, lang)));
    }
    if let (Some(price), Some(exchange)) = (option.by_price, option.by_exchange)
        && !exchange.is_zero()
    {
        let (price, exchange) = (signed(price), signed(exchange));
        lines.push(match lang {
            Lang::En => format!("  by prices {price}, by the exchange rate {exchange}"),
            Lang::Zh => format!("  因价格 {price}，因汇率 {exchange}"),
        });
    }
    if option.before.is_none() || option.after.is_none() {
        lines.extend(
            option
                .reasons
                .iter()
                .map(|why| format!("  {}", why.get(lang))),
        );
    }
    lines
}

fn line_text(line: &LineMoved, currency: Option<Currency>, lang: Lang) -> String {
    let label = |amount: Option<Decimal>| {
        amount.map_or_else(
            || "–".to_owned(),
            |amount| match currency {
                Some(currency) => currency.label(&number::plain(amount), lang),
                None => number::plain(amount),
            },
        )
    };
    let quantity = |n: Option<Decimal>| n.map_or_else(|| "–".to_owned(), number::plain);
    let (from, to) = (label(line.unit_price_before), label(line.unit_price_after));
    let (few, many) = (
        quantity(line.quantity_before),
        quantity(line.quantity_after),
    );
    let quantity = if few == many {
        few
    } else {
        format!("{few} → {many}")
    };
    let price = if from == to {
        from
    } else {
        format!("{from} → {to}")
    };
    format!(
        "{} {quantity} × {price}  {}",
        line.item,
        signed(line.difference)
    )
}
