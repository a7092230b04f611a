//! `inferplan prices update-fx`: newer exchange rates, shown, then taken.

use std::io::{self, Write};

use inferplan_core::{
    document::SchemaTag,
    price::{
        ExchangeRate, ExchangeRates,
        file::{self, PriceFile},
        reference,
    },
    problem::{Problem, Problems},
    text::Lang,
};

use super::take;
use crate::{
    args::PricesUpdateFx,
    failure::{Failure, Outcome},
    fetch,
    store::{self, RATES},
};

pub fn run(args: &PricesUpdateFx, lang: Lang) -> Result<Outcome, Failure> {
    let text = fetch::text(&args.from)?;
    let new = rates(&text, &args.from)?;
    let path = store::home()?.join(RATES);
    let mut all = store::kept_rates()?;
    let fresh: Vec<ExchangeRate> = new.into_iter().filter(|rate| !all.contains(rate)).collect();
    let mut out = io::stdout().lock();
    // A history has thousands: the newest tell.
    for rate in fresh.iter().rev().take(5) {
        let day = rate.date.map(|day| day.to_string()).unwrap_or_default();
        writeln!(out, "{} {day} ({})", rate.label(), rate.source)?;
    }
    match lang {
        Lang::En => writeln!(out, "{} new rates", fresh.len())?,
        Lang::Zh => writeln!(out, "{} 个新汇率", fresh.len())?,
    }
    out.flush()?;
    drop(out);
    if fresh.is_empty() {
        return Ok(Outcome::Done);
    }
    if !take::agreed(args.yes, lang)? {
        return Ok(Outcome::Failed);
    }
    // A rate of a day takes the place of one of the same day and currencies.
    all.retain(|known| {
        let same =
            |new: &ExchangeRate| new.date == known.date && new.joins(known.base, known.quote);
        !fresh.iter().any(same)
    });
    all.extend(fresh);
    all.sort_by_key(|rate| rate.date);
    let document = ExchangeRates {
        editor_schema: None,
        schema: SchemaTag::of::<ExchangeRates>(),
        rates: all,
    };
    take::replace(&path, &(serde_json::to_string_pretty(&document)? + "\n"))?;
    match lang {
        Lang::En => eprintln!("taken into {}", path.display()),
        Lang::Zh => eprintln!("已更新到 {}", path.display()),
    }
    Ok(Outcome::Done)
}

/// Our own document, or the European Central Bank's.
fn rates(text: &str, from: &str) -> Result<Vec<ExchangeRate>, Problems> {
    if let Some(rates) = reference::read(text) {
        return rates.map_err(|problem| problem.in_file(from).into());
    }
    match file::read(text, from)? {
        PriceFile::Rates(rates) => Ok(rates.rates),
        PriceFile::Bundle(bundle) => Ok(bundle.exchange_rates),
        _ => Err(Problem::new("it holds no exchange rates", "其中没有汇率")
            .in_file(from)
            .into()),
    }
}
