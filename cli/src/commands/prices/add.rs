//! `inferplan prices add`: a quote or a discount of one's own.

use std::path::PathBuf;

use inferplan_core::{
    document,
    price::{
        Overlay,
        file::{self, PriceFile},
        statement::{Given, Statement},
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
    if book.listed(&args.on).is_none()
        && !book
            .tables()
            .iter()
            .any(|table| table.provider.id == args.on)
    {
        // The message names what is near.
        super::offer(&book, &args.on)?;
    }
    own.extend(book.state(&statement(args)?)?);
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

fn statement(args: &PricesAdd) -> Result<Statement, Problem> {
    let PricesAddAmount {
        per_hour,
        per_second,
        per_month,
        per_call,
        per_million_input,
        percent_off,
        off_per_month,
    } = args.amount;
    let tokens = per_million_input.zip(args.per_million_output);
    let given = per_hour
        .map(Given::PerHour)
        .or(per_second.map(Given::PerSecond))
        .or(per_month.map(Given::PerMonth))
        .or(per_call.map(Given::PerCall))
        .or(tokens.map(|(input, output)| Given::PerMillionTokens(input, output)))
        .or(percent_off.map(Given::PercentOff))
        .or(off_per_month.map(Given::OffPerMonth));
    Ok(Statement {
        on: args.on.clone(),
        given: given.ok_or_else(|| Problem::new("no amount is given", "未给出金额"))?,
        currency: args.currency,
        from: args.from.unwrap_or_else(crate::commands::today),
        until: args.until,
        source: args.source.clone(),
    })
}
