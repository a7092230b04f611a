//! `inferplan prices import`: a catalogue, or a cloud's answer, as a table.

use std::{collections::BTreeMap, io, io::Write};

use inferplan_core::{
    document::SchemaTag,
    price::{
        Overlay, PriceBook, PriceTable,
        catalogue::{self, Catalogue, Request, Unit},
        file::Bundle,
    },
    text::{Lang, Notice},
};

use super::take;
use crate::{
    args::PricesImport,
    failure::{Failure, Outcome},
    files,
    output::notes,
    store::{self, CATALOGUES},
};

pub fn run(args: &PricesImport, lang: Lang) -> Result<Outcome, Failure> {
    let mut all = Catalogue::default();
    for path in &args.files {
        let (name, bytes) = files::read(path)?;
        let text = files::decoded(&bytes).map_err(|problem| problem.in_file(&name))?;
        let request = request(args);
        let read = catalogue::read(&text, &name, args.format.as_deref(), &request)?;
        all.join(read);
    }
    for notice in &all.notices {
        eprintln!("{}", notes::warning(notice, lang));
    }
    left_out(&all, args.all, lang);
    if let Some(path) = &args.output {
        files::write(path, &document(&all)?)?;
    } else {
        keep(&all, lang)?;
    }
    let offers: usize = all.tables.iter().map(|table| table.offers.len()).sum();
    let (quotes, left) = (all.own.quotes.len(), all.left_out.len());
    let line = match lang {
        Lang::En => format!("{offers} offers, {quotes} quotes of your own; {left} rows left out"),
        Lang::Zh => format!("{offers} 个报价，{quotes} 个自有报价；略去 {left} 行"),
    };
    writeln!(io::stdout().lock(), "{line}")?;
    Ok(Outcome::Done)
}

fn request(args: &PricesImport) -> Request {
    Request {
        name: args.name.clone(),
        observed_on: args.observed_on.unwrap_or_else(crate::commands::today),
        region: args.region.clone(),
        instance_type: args.instance_type.clone(),
        accelerator: args.accelerator.clone(),
        accelerators: args.accelerators,
        unit: args.unit.as_deref().map(|unit| match unit {
            "month" => Unit::Month,
            "year" => Unit::Year,
            _ => Unit::Hour,
        }),
        periods: args.periods,
    }
}

/// Rows that do not fit: by reason with how many, or each.
fn left_out(all: &Catalogue, every: bool, lang: Lang) {
    if every {
        for left in &all.left_out {
            eprintln!("{}: {}", left.row, left.why.get(lang));
        }
        return;
    }
    let mut by_reason: BTreeMap<&str, (usize, &Notice, &str)> = BTreeMap::new();
    for left in &all.left_out {
        let entry = by_reason
            .entry(&left.why.code)
            .or_insert((0, &left.why, &left.row));
        entry.0 += 1;
    }
    for (code, (count, why, first)) in by_reason {
        match lang {
            Lang::En => eprintln!("left out {count} [{code}]: {} (first: {first})", why.en),
            Lang::Zh => eprintln!("略去 {count} 行 [{code}]：{}（首个：{first}）", why.zh),
        }
    }
}

/// One document of all that was read.
fn document(all: &Catalogue) -> Result<String, Failure> {
    let text = match (all.tables.as_slice(), all.own.is_empty()) {
        ([one], true) => serde_json::to_string_pretty(one)?,
        (several, true) => serde_json::to_string_pretty(&bundle(several))?,
        _ => serde_json::to_string_pretty(&Overlay {
            tables: all.tables.clone(),
            ..all.own.clone()
        })?,
    };
    Ok(text + "\n")
}

fn bundle(tables: &[PriceTable]) -> Bundle {
    let newest = tables.iter().map(|table| table.released_on).max();
    Bundle {
        editor_schema: None,
        schema: SchemaTag::of::<Bundle>(),
        released_on: newest.unwrap_or_else(crate::commands::today),
        tables: tables.to_vec(),
        exchange_rates: Vec::new(),
    }
}

/// Where the hourly and the monthly price of one machine meet, for an answer's few machines.
fn meet(table: &PriceTable, lang: Lang) -> Result<(), Failure> {
    const FEW: usize = 50;
    if table.offers.len() > FEW {
        return Ok(());
    }
    let today = crate::commands::today();
    let book = PriceBook::of(vec![table.clone()], Vec::new())?;
    for offer in &table.offers {
        let Ok(found) = offer.in_force(today) else {
            continue;
        };
        let hourly = found.version.price.per_hour().is_some();
        let pair = super::show::pair(&book, table, offer, found.version, today);
        if let Some(pair) = pair.filter(|_| hourly) {
            writeln!(io::stdout().lock(), "{}", pair.text(lang))?;
        }
    }
    Ok(())
}

/// Keeps each table among the catalogues, and the account's own prices among one's own.
fn keep(all: &Catalogue, lang: Lang) -> Result<(), Failure> {
    let folder = store::home()?.join(CATALOGUES);
    for table in &all.tables {
        let mut table = table.clone();
        let path = folder.join(format!("{}.json", table.provider.id));
        // An answer holds one machine: what was kept of others stays, with its history.
        if let Some(known) = store::kept_table(&path)? {
            table = catalogue::joined(known, table);
        }
        // Compact: a catalogue has a hundred thousand rows.
        take::replace(&path, &serde_json::to_string(&table)?)?;
        meet(&table, lang)?;
        match lang {
            Lang::En => eprintln!("kept in {}", path.display()),
            Lang::Zh => eprintln!("已保存到 {}", path.display()),
        }
    }
    if !all.own.is_empty() {
        let (path, mut own) = store::own()?;
        own.quotes.retain(|known| {
            let same = |new: &inferplan_core::price::Quote| {
                new.offer == known.offer && new.effective_from == known.effective_from
            };
            !all.own.quotes.iter().any(same)
        });
        own.extend(all.own.clone());
        take::replace(&path, &(serde_json::to_string_pretty(&own)? + "\n"))?;
    }
    Ok(())
}
