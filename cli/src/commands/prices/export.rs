//! `inferplan prices export`: all tables and exchange rates as one document.

use std::io::{self, Write};

use crate::{
    args::PricesExport,
    failure::{Failure, Outcome},
    files, store,
};

pub fn run(args: &PricesExport) -> Result<Outcome, Failure> {
    let book = store::book(&args.prices)?;
    let newest = book.tables().iter().map(|table| table.released_on).max();
    let bundle = book.bundle(newest.unwrap_or_else(crate::commands::today));
    let text = serde_json::to_string_pretty(&bundle)? + "\n";
    match &args.output {
        Some(path) => files::write(path, &text)?,
        None => io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(Outcome::Done)
}
