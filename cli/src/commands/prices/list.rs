//! `inferplan prices list`: every offer with its price of a day.

use std::io::{self, Write};

use inferplan_core::{
    accelerator::Match,
    price::{InForce, Offer, PriceBook, PriceTable, Sells},
    text::{Lang, Notice},
};
use serde_json::{Value, json};

use crate::{
    args::PricesList,
    failure::{Failure, Outcome},
    output::columns,
    store,
};

/// An offer with its price of the day, or why there is none.
struct Row<'b> {
    table: &'b PriceTable,
    offer: &'b Offer,
    price: Result<InForce<'b>, Notice>,
}

pub fn run(args: &PricesList, lang: Lang) -> Result<Outcome, Failure> {
    let book = store::book(&args.on.prices)?;
    let as_of = args.on.as_of.unwrap_or_else(crate::commands::today);
    let rows: Vec<Row> = book
        .offers()
        .filter(|(table, offer)| wanted(args, table, offer))
        .map(|(table, offer)| Row {
            table,
            offer,
            price: book.in_force(offer, as_of),
        })
        .filter(|row| args.all || row.price.is_ok())
        .collect();
    let text = if args.form.json {
        let offers: Vec<Value> = rows.iter().map(Row::json).collect();
        let document = json!({ "schema": "inferplan.price-list/1", "as_of": as_of.to_string(), "offers": offers });
        serde_json::to_string_pretty(&document)? + "\n"
    } else if args.form.csv {
        csv(&rows, lang)?
    } else {
        people(&rows, &book, lang)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Done)
}

fn wanted(args: &PricesList, table: &PriceTable, offer: &Offer) -> bool {
    let provider = args
        .provider
        .as_ref()
        .is_none_or(|id| *id == table.provider.id);
    let accelerator = args.accelerator.as_ref().is_none_or(|wanted| {
        let Sells::Accelerators { accelerator, .. } = &offer.sells else {
            return false;
        };
        let sold = accelerator.as_ref();
        sold.is_some_and(|sold| sold.matches(wanted) != Match::Different)
    });
    let text = args.text.as_ref().is_none_or(|text| {
        let text = text.to_lowercase();
        let model = match &offer.sells {
            Sells::Model { model, .. } => model.to_lowercase(),
            Sells::Accelerators { .. } => String::new(),
        };
        offer.id.contains(&text) || model.contains(&text)
    });
    provider && accelerator && text
}

impl Row<'_> {
    fn json(&self) -> Value {
        let Self {
            table,
            offer,
            price,
        } = self;
        let found = price.as_ref().ok().map(|found| found.version);
        json!({
            "offer": offer.id,
            "provider": table.provider.id,
            "name": offer.name,
            "origin": table.origin.key(),
            "region": offer.region,
            "residency": offer.residency,
            "sells": offer.sells,
            "terms": offer.terms,
            "price": found.map(|version| &version.price),
            "currency": found.map(|version| version.currency),
            "price_effective_from": found.and_then(|version| version.in_force_from()).map(|day| day.to_string()),
            "source": found.map(|version| &version.source),
            "confidence": found.map(|version| version.confidence),
            "reason": price.as_ref().err(),
        })
    }

    /// The price, its day, how surely it is known; or why there is none.
    fn price_text(&self, lang: Lang) -> (String, String, String) {
        match &self.price {
            Ok(found) => {
                let version = found.version;
                let from = version.in_force_from();
                (
                    version.price.display(version.currency, lang),
                    from.map_or_else(|| "?".to_owned(), |day| day.to_string()),
                    version.confidence.word(lang).to_owned(),
                )
            }
            Err(why) => (why.code.clone(), "–".to_owned(), "–".to_owned()),
        }
    }
}

fn people(rows: &[Row], book: &PriceBook, lang: Lang) -> String {
    let header = match lang {
        Lang::En => ["Offer", "Price", "From", "Known by", "Place"],
        Lang::Zh => ["报价", "价格", "始于", "依据", "地点"],
    };
    let lines = rows
        .iter()
        .map(|row| {
            let (price, from, confidence) = row.price_text(lang);
            let place = row.offer.residency.map_or_else(
                || row.offer.region.clone(),
                |place| format!("{place} ({})", row.offer.region),
            );
            [row.offer.id.clone(), price, from, confidence, place]
        })
        .collect();
    let total = book.offers().count();
    let shown = rows.len();
    let count = match lang {
        Lang::En => {
            format!("{shown} of {total} offers; * has steps: `inferplan prices show OFFER`")
        }
        Lang::Zh => {
            format!("共 {total} 个报价，显示 {shown} 个；* 有阶梯价：`inferplan prices show OFFER`")
        }
    };
    format!("{}\n{count}\n", columns::of(header, lines))
}

fn csv(rows: &[Row], lang: Lang) -> Result<String, io::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "offer",
        "provider",
        "name",
        "per",
        "amounts",
        "currency",
        "from",
        "confidence",
        "source",
        "region",
        "residency",
        "origin",
        "reason",
    ])?;
    for row in rows {
        let found = row.price.as_ref().ok().map(|found| found.version);
        let amounts = found.map(|version| {
            let amounts = version.price.amounts();
            let amounts: Vec<String> = amounts
                .into_iter()
                .map(|(field, amount)| format!("{field}={amount}"))
                .collect();
            amounts.join(" ")
        });
        let text = |value: Option<String>| value.unwrap_or_default();
        writer.write_record([
            row.offer.id.clone(),
            row.table.provider.id.clone(),
            row.offer.name.get(lang).to_owned(),
            text(found.map(|version| version.price.kind().to_owned())),
            text(amounts),
            text(found.map(|version| version.currency.to_string())),
            text(
                found
                    .and_then(|v| v.in_force_from())
                    .map(|day| day.to_string()),
            ),
            text(found.map(|version| version.confidence.key().to_owned())),
            text(found.map(|version| version.source.clone())),
            row.offer.region.clone(),
            text(row.offer.residency.map(|place| place.to_string())),
            row.table.origin.key().to_owned(),
            text(row.price.as_ref().err().map(|why| why.code.clone())),
        ])?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    let rows = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(format!("\u{feff}{rows}"))
}
