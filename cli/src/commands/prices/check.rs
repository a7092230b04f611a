//! `inferplan prices check`: what is doubtful in the tables.

use std::io::{self, Write};

use inferplan_core::{
    lint::Severity,
    price::{
        PriceBook,
        file::PriceFile,
        inspect::{self, Finding, Inspection},
    },
    text::Lang,
};
use serde_json::json;

use crate::{
    args::PricesCheck,
    failure::{Failure, Outcome},
    output::notes::wrapped,
    store,
};

pub fn run(args: &PricesCheck, lang: Lang) -> Result<Outcome, Failure> {
    let book = book(args)?;
    let as_of = args.on.as_of.unwrap_or_else(crate::commands::today);
    let found = inspect::inspect(&book, as_of);
    let text = if args.json {
        let mut document = json!(found);
        document["schema"] = json!("inferplan.price-check/1");
        document["as_of"] = json!(as_of.to_string());
        serde_json::to_string_pretty(&document)? + "\n"
    } else {
        people(&found, lang)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    let worst = found.worst();
    let bad = if args.strict {
        worst.is_some_and(|worst| worst <= Severity::Warning)
    } else {
        worst == Some(Severity::Error)
    };
    Ok(if bad { Outcome::Failed } else { Outcome::Done })
}

/// The files named, or the book in use.
fn book(args: &PricesCheck) -> Result<PriceBook, Failure> {
    if args.files.is_empty() {
        return Ok(store::book(&args.on.prices)?);
    }
    let (mut tables, mut rates) = (Vec::new(), Vec::new());
    let mut own = Vec::new();
    for path in &args.files {
        match store::read(path)? {
            PriceFile::Table(table) => tables.push(*table),
            PriceFile::Bundle(bundle) => {
                tables.extend(bundle.tables);
                rates.extend(bundle.exchange_rates);
            }
            PriceFile::Rates(more) => rates.extend(more.rates),
            PriceFile::Overlay(overlay) => own.push(overlay),
        }
    }
    // One's own prices may be of offers that only the tables in use have.
    let mut book = if tables.is_empty() && !own.is_empty() {
        store::book(&args.on.prices)?
    } else {
        PriceBook::of(tables, rates)?
    };
    for overlay in own {
        book = book.with(&overlay)?;
    }
    Ok(book)
}

/// More findings of one kind than this are told in one paragraph.
const MOST_EACH: usize = 5;

/// One finding whole, and whose the others are.
fn several(alike: &[&Finding], lang: Lang) -> String {
    let Some(first) = alike.first() else {
        return String::new();
    };
    let (word, notice, count) = (first.severity.word(lang), &first.notice, alike.len());
    let offers: Vec<&str> = alike.iter().map(|finding| finding.offer.as_str()).collect();
    let offers = offers.join(", ");
    match lang {
        Lang::En => format!(
            "{word}[{}]: {count} offers. Of the first: {} All: {offers}",
            notice.code, notice.en
        ),
        Lang::Zh => format!(
            "{word}[{}]：{count} 个报价。第一个：{}全部：{offers}",
            notice.code, notice.zh
        ),
    }
}

fn people(found: &Inspection, lang: Lang) -> String {
    let mut out = String::new();
    let mut told: Vec<&str> = Vec::new();
    for finding in &found.findings {
        let code = finding.notice.code.as_str();
        let alike: Vec<&Finding> = found
            .findings
            .iter()
            .filter(|other| other.notice.code == code && other.severity == finding.severity)
            .collect();
        if alike.len() > MOST_EACH {
            if !told.contains(&code) {
                told.push(code);
                out += &(wrapped(&several(&alike, lang), "", "  ") + "\n");
            }
            continue;
        }
        let (word, notice) = (finding.severity.word(lang), &finding.notice);
        let text = match lang {
            Lang::En => format!("{word}[{}]: {}: {}", notice.code, finding.offer, notice.en),
            Lang::Zh => format!("{word}[{}]：{}：{}", notice.code, finding.offer, notice.zh),
        };
        out += &(wrapped(&text, "", "  ") + "\n");
    }
    let by: Vec<String> = found
        .by_confidence
        .iter()
        .map(|(key, count)| format!("{count} {key}"))
        .collect();
    let (prices, offers) = (found.prices, found.offers);
    let (verified, unverified) = (found.verified, found.unverified);
    let by = by.join(", ");
    let count = |severity| {
        found
            .findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    out += &match lang {
        Lang::En => format!(
            "{prices} prices of {offers} offers: {verified} seen on the provider's own list, {unverified} not ({by}).\n{errors} errors, {warnings} warnings.\n"
        ),
        Lang::Zh => format!(
            "{offers} 个报价的 {prices} 个价格：{verified} 个见于供应商价目表，{unverified} 个未核实（{by}）。\n{errors} 个错误，{warnings} 个警告。\n"
        ),
    };
    out
}
