//! `inferplan prices add`: a quote or a discount of one's own.

use std::path::PathBuf;

use inferplan_core::{
    Date, document,
    money::Currency,
    price::{
        Basis, Discount, Offer, Overlay, Price, PriceBook, Quote,
        file::{self, PriceFile},
    },
    problem::Problem,
    text::Lang,
};

use crate::{
    args::{PricesAdd, PricesAddAmount},
    failure::{Failure, Outcome},
    files, store,
};

pub fn run(args: &PricesAdd, lang: Lang) -> Result<Outcome, Failure> {
    let book = store::book(&args.prices)?;
    let (path, mut own) = target(args)?;
    let from = args.from.unwrap_or_else(crate::commands::today);
    if args.amount.percent_off.is_some() || args.amount.off_per_month.is_some() {
        own.discounts.push(discount(args, &book, from)?);
    } else {
        let (_, offer) = super::offer(&book, &args.on)?;
        own.quotes.push(quote(args, offer, from)?);
    }
    // Only what was just added can be at fault; the whole is checked all the same.
    book.with(&own)?;
    let text = serde_json::to_string_pretty(&own)? + "\n";
    store::keep(&path, &text)?;
    let path = path.display();
    match lang {
        Lang::En => eprintln!(
            "added to {path}; `inferplan prices show {}` shows it",
            args.on
        ),
        Lang::Zh => eprintln!(
            "已加入 {path}；可用 `inferplan prices show {}` 查看",
            args.on
        ),
    }
    Ok(Outcome::Done)
}

/// The file to add to, and what it holds.
fn target(args: &PricesAdd) -> Result<(PathBuf, Overlay), Failure> {
    let Some(path) = &args.output else {
        return Ok(store::own()?);
    };
    if !path.exists() {
        return Ok((path.clone(), Overlay::default()));
    }
    let (name, bytes) = files::read(path)?;
    let text = document::utf8(&bytes).map_err(|problem| problem.in_file(&name))?;
    match file::read(text, &name)? {
        PriceFile::Overlay(overlay) => Ok((path.clone(), overlay)),
        _ => Err(
            Problem::new("it holds no prices of one's own", "其中不是自有价格")
                .in_file(&name)
                .into(),
        ),
    }
}

fn quote(args: &PricesAdd, offer: &Offer, from: Date) -> Result<Quote, Problem> {
    let known = offer.versions.last();
    // A quote is for what the list price is for, an accelerator or the instance.
    let of = known
        .and_then(|version| version.price.basis())
        .unwrap_or(Basis::Instance);
    let PricesAddAmount {
        per_hour,
        per_second,
        per_month,
        per_call,
        per_million_input,
        ..
    } = args.amount;
    let price = if let Some(amount) = per_hour {
        Price::Hour { amount, of }
    } else if let Some(amount) = per_second {
        Price::Second { amount, of }
    } else if let Some(amount) = per_month {
        Price::Month { amount, of }
    } else if let Some(amount) = per_call {
        Price::Call {
            amount,
            steps: Vec::new(),
        }
    } else if let Some((input, output)) = per_million_input.zip(args.per_million_output) {
        Price::MillionTokens {
            input,
            output,
            cached_input: None,
            batch: None,
            long: None,
            off_peak: None,
        }
    } else {
        return Err(Problem::new("no amount is given", "未给出金额"));
    };
    Ok(Quote {
        offer: offer.id.clone(),
        price,
        currency: currency(args, offer.versions.last().map(|version| version.currency))?,
        effective_from: from,
        effective_until: args.until,
        source: args.source.clone(),
    })
}

fn discount(args: &PricesAdd, book: &PriceBook, from: Date) -> Result<Discount, Problem> {
    let offers = || {
        book.offers()
            .filter(|(table, offer)| table.provider.id == args.on || offer.id == args.on)
    };
    if offers().next().is_none() {
        // The message names what is near.
        super::offer(book, &args.on)?;
    }
    let amount = args.amount.off_per_month;
    let known = offers()
        .filter_map(|(_, offer)| offer.versions.last())
        .map(|version| version.currency)
        .next();
    let currency = amount.map(|_| currency(args, known)).transpose()?;
    Ok(Discount {
        on: args.on.clone(),
        percent: args.amount.percent_off,
        amount,
        currency,
        effective_from: from,
        effective_until: args.until,
        source: args.source.clone(),
    })
}

fn currency(args: &PricesAdd, known: Option<Currency>) -> Result<Currency, Problem> {
    args.currency.or(known).ok_or_else(|| {
        Problem::new(
            "the currency is not known: the offer has no price yet",
            "货币未知：该报价尚无价格",
        )
        .at("--currency")
        .remedy("give USD or CNY", "请给出 USD 或 CNY")
    })
}
