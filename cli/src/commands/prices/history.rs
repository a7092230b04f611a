//! `inferplan prices history`: every version of an offer's price.

use std::io::{self, Write};

use inferplan_core::{
    price::{Version, changes::percent},
    text::Lang,
};
use serde_json::json;

use super::show::version_lines;
use crate::{
    args::PricesHistory,
    failure::{Failure, Outcome},
    store,
};

pub fn run(args: &PricesHistory, lang: Lang) -> Result<Outcome, Failure> {
    let book = store::book(&args.prices)?;
    let (table, offer) = super::offer(&book, &args.offer)?;
    let mut versions: Vec<&Version> = offer.versions.iter().collect();
    // Those without a date stand first: they are older than any that has one.
    versions.sort_by_key(|version| version.in_force_from());
    let quotes: Vec<&Version> = book.quotes(&offer.id).collect();
    let text = if args.json {
        let document = json!({
            "schema": "inferplan.price-history/1",
            "offer": offer.id,
            "provider": table.provider.id,
            "withdrawn_on": offer.withdrawn_on.map(|day| day.to_string()),
            "versions": versions,
            "quotes": quotes,
        });
        serde_json::to_string_pretty(&document)? + "\n"
    } else {
        let (provider, name) = (table.provider.name.get(lang), offer.name.get(lang));
        let mut out = vec![format!("{provider} {name}"), format!("  {}", offer.id)];
        let mut last: Option<&Version> = None;
        for version in &versions {
            let mut lines = version_lines(version, lang);
            if let Some(change) = last.and_then(|last| moved(last, version)) {
                lines[0] += &format!("  {change}");
            }
            out.extend(lines);
            last = Some(version);
        }
        if versions.is_empty() {
            out.push(match lang {
                Lang::En => "  no verified price is known".to_owned(),
                Lang::Zh => "  没有可核实的价格".to_owned(),
            });
        }
        for quote in quotes {
            out.extend(version_lines(quote, lang));
        }
        out.extend(offer.withdrawn_on.map(|day| match lang {
            Lang::En => format!("  no longer sold since {day}"),
            Lang::Zh => format!("  自 {day} 起不再出售"),
        }));
        out.join("\n") + "\n"
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}

/// `+14.3%` for prices of one shape whose first amount moved.
fn moved(a: &Version, b: &Version) -> Option<String> {
    if a.price.kind() != b.price.kind() || a.currency != b.currency {
        return None;
    }
    let (before, after) = (a.price.amounts(), b.price.amounts());
    let percent = percent(before.first()?.1, after.first()?.1)?;
    (!percent.is_zero()).then(|| {
        let sign = if percent.is_sign_positive() { "+" } else { "" };
        format!("{sign}{percent}%")
    })
}
