//! `inferplan prices`: the price book, looked at, added to and kept current.

mod add;
mod check;
mod diff;
mod export;
mod history;
mod import;
mod list;
mod show;
mod take;
mod update;
mod update_fx;

use inferplan_core::{
    price::{Offer, PriceBook, PriceTable},
    problem::Problem,
    text::Lang,
};

use crate::{
    args::Prices,
    failure::{Failure, Outcome},
};

/// Runs the command asked for.
pub fn run(args: &Prices, lang: Lang) -> Result<Outcome, Failure> {
    match args {
        Prices::List(args) => list::run(args, lang),
        Prices::Show(args) => show::run(args, lang),
        Prices::History(args) => history::run(args, lang),
        Prices::Diff(args) => diff::run(args, lang),
        Prices::Check(args) => check::run(args, lang),
        Prices::Add(args) => add::run(args, lang),
        Prices::Import(args) => import::run(args, lang),
        Prices::Update(args) => update::run(args, lang),
        Prices::UpdateFx(args) => update_fx::run(args, lang),
        Prices::Export(args) => export::run(args),
    }
}

/// An offer by its id; an unknown one is told with the nearest ids there are.
fn offer<'b>(book: &'b PriceBook, id: &str) -> Result<(&'b PriceTable, &'b Offer), Problem> {
    if let Some(found) = book.listed(id) {
        return Ok(found);
    }
    let wanted = id.to_lowercase();
    let parts: Vec<&str> = wanted
        .split(['.', '-', ' '])
        .filter(|p| !p.is_empty())
        .collect();
    let shared = |other: &str| parts.iter().filter(|part| other.contains(**part)).count();
    let mut near: Vec<(usize, &str)> = book
        .offers()
        .map(|(_, offer)| (shared(&offer.id), offer.id.as_str()))
        .filter(|(shared, _)| *shared > 0)
        .collect();
    near.sort_by_key(|(shared, id)| (std::cmp::Reverse(*shared), id.len()));
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, id)| id).collect();
    let problem = Problem::new("there is no such offer", "没有这个报价").found(id);
    Err(if near.is_empty() {
        problem.remedy(
            "`inferplan prices list` shows every id",
            "`inferplan prices list` 会列出全部 id",
        )
    } else {
        problem.remedy(
            format!("near it: {}", near.join(", ")),
            format!("相近的有：{}", near.join("、")),
        )
    })
}
