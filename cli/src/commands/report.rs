//! `inferplan report`: the standard report, for people and programs.

use std::io::{self, Write};

use inferplan_core::{
    Date,
    price::Sells,
    problem::Problem,
    report::{
        llm_d,
        standard::{self, Hourly},
    },
    text::Lang,
};

use crate::{
    args::{PriceArgs, Report},
    failure::{Failure, Outcome},
    files,
    output::notes,
    store,
};

/// Prints each report; JSON as one object, or an array of several.
pub fn run(args: &Report, lang: Lang) -> Result<Outcome, Failure> {
    let imported = files::reports(&args.files, &args.read.options())?;
    notes::passed_over(&imported.passed_over, lang);
    let as_of = args.as_of.unwrap_or_else(super::today);
    let hourly = args
        .offer
        .as_deref()
        .map(|offer| hourly(offer, as_of, &args.prices, lang))
        .transpose()?;
    let reports = &imported.reports;
    let text = if args.form.json {
        json(
            reports
                .iter()
                .map(|report| standard::document(report, hourly.as_ref())),
        )?
    } else if args.form.llm_d {
        json(reports.iter().flat_map(llm_d::documents))?
    } else {
        let texts: Vec<_> = reports
            .iter()
            .map(|report| standard::markdown(report, hourly.as_ref(), lang))
            .collect();
        texts.join("\n")
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}

fn json<T: serde::Serialize>(documents: impl Iterator<Item = T>) -> Result<String, Failure> {
    let documents: Vec<T> = documents.collect();
    let text = match documents.as_slice() {
        [one] => serde_json::to_string_pretty(one)?,
        several => serde_json::to_string_pretty(several)?,
    };
    Ok(text + "\n")
}

/// An offer's price of a day, as one of an accelerator-hour.
fn hourly(id: &str, as_of: Date, prices: &PriceArgs, lang: Lang) -> Result<Hourly, Failure> {
    let book = store::book(prices)?;
    let wrong = |en: &str, zh: &str| Problem::new(en, zh).at("--offer").found(id);
    let offer = book
        .offer(id)
        .ok_or_else(|| wrong("there is no such offer", "没有这个报价"))?;
    let in_force = offer
        .in_force(as_of)
        .map_err(|notice| wrong(&notice.en, &notice.zh))?;
    let per_instance = match offer.sells {
        Sells::Accelerators { per_instance, .. } => per_instance,
        Sells::Model { .. } => 1,
    };
    let version = in_force.version;
    Hourly::of(
        offer.name.get(lang),
        &version.price,
        version.currency,
        per_instance,
    )
    .ok_or_else(|| {
        wrong("the offer is not priced by time", "该报价不按时间计价")
            .remedy(
                "give one that is hourly or per second",
                "请给出按小时或按秒的报价",
            )
            .into()
    })
}
