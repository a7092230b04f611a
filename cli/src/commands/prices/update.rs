//! `inferplan prices update`: newer tables, looked over, shown, then taken.

use std::io::{self, Write};

use inferplan_core::{
    Date,
    document::SchemaTag,
    lint::Severity,
    price::{
        PriceBook,
        book::sha256,
        changes::{self, ChangeKind},
        file::{self, Bundle, PriceFile},
        inspect,
    },
    problem::{Problem, Problems},
    text::Lang,
};

use super::{diff, take};
use crate::{
    args::PricesUpdate,
    failure::{Failure, Outcome},
    fetch,
    output::notes::wrapped,
    store::{self, UPDATED},
};

pub fn run(args: &PricesUpdate, lang: Lang) -> Result<Outcome, Failure> {
    let text = fetch::text(&args.from)?;
    let digest = sha256(&text);
    if let Some(wanted) = &args.sha256
        && !wanted.eq_ignore_ascii_case(&digest)
    {
        return Err(Problem::new("its checksum is another", "校验和不符")
            .in_file(&args.from)
            .found(&digest)
            .remedy(format!("expected {wanted}"), format!("应为 {wanted}"))
            .into());
    }
    let today = crate::commands::today();
    let new = bundle(&text, &args.from, today)?;
    let book = sound(&new, &args.from, today)?;
    let old = store::shipped_and_updated()?;
    let shown = difference(&old, &book, today, lang);
    let mut out = io::stdout().lock();
    match lang {
        Lang::En => writeln!(
            out,
            "{} of {}, SHA-256 {digest}",
            args.from, new.released_on
        )?,
        Lang::Zh => writeln!(out, "{}，{}，SHA-256 {digest}", args.from, new.released_on)?,
    }
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    drop(out);
    if !take::agreed(args.yes, lang)? {
        return Ok(Outcome::Failed);
    }
    let path = store::home()?.join(UPDATED);
    // What was taken before of other providers stays.
    let all = merged(new)?;
    let text = serde_json::to_string_pretty(&all)? + "\n";
    let kept = take::replace(&path, &text)?;
    let path = path.display();
    match (lang, kept) {
        (Lang::En, None) => eprintln!("taken into {path}"),
        (Lang::En, Some(old)) => eprintln!("taken into {path}; the old one is {}", old.display()),
        (Lang::Zh, None) => eprintln!("已更新到 {path}"),
        (Lang::Zh, Some(old)) => eprintln!("已更新到 {path}；旧文件为 {}", old.display()),
    }
    Ok(Outcome::Done)
}

/// What was brought, as a bundle.
fn bundle(text: &str, from: &str, today: Date) -> Result<Bundle, Problems> {
    match file::read(text, from)? {
        PriceFile::Bundle(bundle) => Ok(bundle),
        PriceFile::Table(table) => Ok(Bundle {
            editor_schema: None,
            schema: SchemaTag::of::<Bundle>(),
            released_on: table.released_on.min(today),
            tables: vec![*table],
            exchange_rates: Vec::new(),
        }),
        PriceFile::Rates(_) => Err(Problem::new("it holds exchange rates", "其中是汇率")
            .in_file(from)
            .remedy(
                "`inferplan prices update-fx` takes them",
                "请用 `inferplan prices update-fx`",
            )
            .into()),
        PriceFile::Overlay(_) => Err(Problem::new(
            "it holds prices of somebody's own",
            "其中是他人的自有价格",
        )
        .in_file(from)
        .remedy("use it with --prices FILE", "请用 --prices FILE")
        .into()),
    }
}

/// Refuses a book with an error in it: it would mislead every later answer.
fn sound(new: &Bundle, from: &str, today: Date) -> Result<PriceBook, Problems> {
    let book = PriceBook::of(new.tables.clone(), new.exchange_rates.clone())
        .map_err(|problems| problems.in_file(from))?;
    let errors = inspect::inspect(&book, today)
        .findings
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| {
            Problem::new(finding.notice.en, finding.notice.zh)
                .in_file(from)
                .at(finding.offer)
        })
        .collect();
    Problems::none_in(errors)?;
    Ok(book)
}

/// What taking it would do to today's prices, provider by provider.
fn difference(old: &PriceBook, new: &PriceBook, today: Date, lang: Lang) -> String {
    // Two books at one day are compared as one book at two days would be.
    let mut changes = changes::across(old, new, today);
    changes.retain(|change| change.kind != ChangeKind::Confirmed);
    let mut out: String = diff::changes(&changes, lang)
        .into_iter()
        .map(|line| line + "\n")
        .collect();
    let count = changes.len();
    out += &match lang {
        Lang::En => format!("{count} prices would change.\n"),
        Lang::Zh => format!("将有 {count} 个价格变动。\n"),
    };
    for table in new.tables() {
        let same =
            |known: &&inferplan_core::price::PriceTable| known.provider.id == table.provider.id;
        let older = old
            .tables()
            .iter()
            .find(same)
            .filter(|known| known.released_on > table.released_on);
        if let Some(known) = older {
            let (id, new, old) = (&table.provider.id, table.released_on, known.released_on);
            let text = match lang {
                Lang::En => format!(
                    "{id}: its table of {new} is older than the one in use, of {old}, which stays."
                ),
                Lang::Zh => {
                    format!("{id}：其表（{new}）早于当前使用的表（{old}），将保留当前的表。")
                }
            };
            out += &(wrapped(&text, "", "  ") + "\n");
        }
    }
    out
}

/// The new tables with those taken before of other providers.
fn merged(new: Bundle) -> Result<Bundle, Problems> {
    let Some(PriceFile::Bundle(old)) = store::updated()? else {
        return Ok(new);
    };
    let mut all = new;
    for table in old.tables {
        let known = all
            .tables
            .iter()
            .any(|known| known.provider.id == table.provider.id);
        if !known {
            all.tables.push(table);
        }
    }
    for rate in old.exchange_rates {
        if !all.exchange_rates.contains(&rate) {
            all.exchange_rates.push(rate);
        }
    }
    Ok(all)
}
