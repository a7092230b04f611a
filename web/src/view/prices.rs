//! Prices of the user's own: stated in a form, read from a file or an address, shown, taken back.

use std::rc::Rc;

use inferplan_core::{
    Date, Decimal,
    money::Currency,
    number::{self, parse_count},
    price::{
        Overlay, PriceBook,
        changes::{self, Change, ChangeKind},
        statement::{Given, Statement},
    },
    text::Lang,
};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use crate::{
    fetch,
    state::{self, Action, Offered, PriceAction, State},
    text::{self, Texts},
};

/// Changes shown before the rest are counted.
const MOST_SHOWN: usize = 20;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub state: Rc<State>,
    pub dispatch: Callback<Action>,
}

#[component]
pub fn Prices(props: &Props) -> Html {
    let Props { state, dispatch } = props;
    let texts = text::of(state.lang);
    let lang = state.lang;
    let send = |action: fn(usize) -> PriceAction, at: usize| {
        dispatch.reform(move |_: MouseEvent| Action::Prices(action(at)))
    };
    let empty = Overlay::default();
    let own = state.scenario.prices.as_ref().unwrap_or(&empty);
    html! {
        <section class="card" id="prices">
            <h2>{ texts.prices }</h2>
            <p class="help">{ newest(texts) }</p>
            <ul class="own">
                { for own.quotes.iter().enumerate().map(|(at, quote)| entry(
                    &quote.offer,
                    quote.price.display(quote.currency, lang),
                    (quote.effective_from, quote.effective_until),
                    &quote.source,
                    texts,
                    send(PriceAction::DropQuote, at),
                )) }
                { for own.discounts.iter().enumerate().map(|(at, discount)| {
                    let what = match (discount.percent, discount.amount, discount.currency) {
                        (Some(percent), ..) => format!("−{}%", number::plain(percent)),
                        (None, Some(amount), Some(currency)) => {
                            format!("−{} / {}", currency.label(&number::plain(amount), lang), texts.month)
                        }
                        _ => String::new(),
                    };
                    entry(
                        &discount.on,
                        what,
                        (discount.effective_from, discount.effective_until),
                        &discount.source,
                        texts,
                        send(PriceAction::DropDiscount, at),
                    )
                }) }
                { for own.tables.iter().enumerate().map(|(at, table)| html! {
                    <li data-own={table.provider.id.clone()}>
                        <b>{ table.provider.name.get(lang) }</b>
                        <p>{ format!("{} · {} {}", table.released_on, table.offers.len(), texts.offers) }</p>
                        <button type="button" class="link" onclick={send(PriceAction::DropTable, at)}>{ texts.remove }</button>
                    </li>
                }) }
                if let Some(rate) = own.exchange_rates.iter().max_by_key(|rate| rate.date) {
                    <li data-own="exchange-rates">
                        <b>{ rate.label() }</b>
                        <p>{ rate.date.map(|day| day.to_string()) }{ " · " }{ &rate.source }</p>
                        <button type="button" class="link" onclick={dispatch.reform(|_| Action::Prices(PriceAction::DropRates))}>{ texts.remove }</button>
                    </li>
                }
            </ul>
            if let Some(offered) = &state.offered {
                { waiting(offered, state, texts, dispatch) }
            }
            if let Some(problem) = &state.price_problem {
                <p class="problem" role="alert" id="price-problem">{ problem.text(lang) }</p>
            }
            <Form state={state.clone()} dispatch={dispatch.clone()} />
            <FromAddress {lang} fetching={state.fetching} dispatch={dispatch.clone()} />
        </section>
    }
}

/// The newest state of the shipped tables.
fn newest(texts: &Texts) -> String {
    let newest = inferplan_pricing::book()
        .ok()
        .and_then(|book| book.tables().iter().map(|table| table.released_on).max());
    let day = newest.map(|day| day.to_string()).unwrap_or_default();
    texts.prices_help.replace("{}", &day)
}

fn entry(
    on: &str,
    what: String,
    (from, until): (Date, Option<Date>),
    source: &str,
    texts: &Texts,
    onclick: Callback<MouseEvent>,
) -> Html {
    let days = match until {
        Some(until) => format!("{from} – {until}"),
        None => format!("{from} –"),
    };
    html! {
        <li data-own={on.to_owned()}>
            <b>{ on }</b>
            <p>{ format!("{what} · {days} · {source}") }</p>
            <button type="button" class="link" {onclick}>{ texts.remove }</button>
        </li>
    }
}

/// What taking the prices that were read would do, and the two answers.
fn waiting(
    offered: &Offered,
    state: &State,
    texts: &'static Texts,
    dispatch: &Callback<Action>,
) -> Html {
    let lang = state.lang;
    let changes = state::book(state).and_then(|old| {
        let new = old.with(&offered.prices)?;
        let as_of = state.scenario.as_of.unwrap_or(state.today);
        Ok(touched(&old, &new, as_of))
    });
    let list = match &changes {
        Ok(changes) => html! {
            <>
                <p>{ texts.would_change.replace("{}", &changes.len().to_string()) }</p>
                <ul>{ for changes.iter().take(MOST_SHOWN).map(|change| html! { <li>{ change_text(change, lang) }</li> }) }</ul>
                if changes.len() > MOST_SHOWN { <p>{ "…" }</p> }
            </>
        },
        Err(problems) => html! {
            <ul class="problems" role="alert">{ for problems.iter().map(|problem| html! { <li>{ problem.text(lang) }</li> }) }</ul>
        },
    };
    html! {
        <div class="waiting" id="offered-prices">
            { list }
            { for offered.notices.iter().map(|notice| html! { <p class="help">{ notice.get(lang) }</p> }) }
            if changes.is_ok() {
                <button type="button" class="btn primary" id="take-prices"
                    onclick={dispatch.reform(|_| Action::Prices(PriceAction::Take))}>{ texts.take }</button>
            }
            <button type="button" class="link"
                onclick={dispatch.reform(|_| Action::Prices(PriceAction::Leave))}>{ texts.dismiss }</button>
        </div>
    }
}

fn touched(old: &PriceBook, new: &PriceBook, as_of: Date) -> Vec<Change> {
    let mut changes = changes::across(old, new, as_of);
    changes.retain(|change| change.kind != ChangeKind::Confirmed);
    changes
}

fn change_text(change: &Change, lang: Lang) -> String {
    let shown = |seen: &Option<changes::Seen>| {
        seen.as_ref().map_or_else(
            || "–".to_owned(),
            |seen| seen.price.display(seen.currency, lang),
        )
    };
    let (before, after) = (shown(&change.before), shown(&change.after));
    format!("{}: {before} → {after}", change.offer)
}

/// The kinds of a statement, with their words.
fn kinds(texts: &'static Texts) -> [(&'static str, &'static str); 7] {
    [
        ("hour", texts.per_hour),
        ("month", texts.per_month),
        ("second", texts.per_second),
        ("call", texts.per_call),
        ("tokens", texts.per_million_tokens),
        ("percent", texts.percent_off),
        ("off", texts.off_per_month),
    ]
}

/// States a quote or a discount.
#[component]
fn Form(props: &Props) -> Html {
    let Props { state, dispatch } = props;
    let texts = text::of(state.lang);
    let kind = use_state(|| "hour".to_owned());
    let wrong = use_state(|| None::<&'static str>);
    let (on, amount, output) = (use_node_ref(), use_node_ref(), use_node_ref());
    let (currency, from, until, source) = (
        use_node_ref(),
        use_node_ref(),
        use_node_ref(),
        use_node_ref(),
    );
    let today = state.today;
    let onsubmit = {
        let nodes = [&on, &amount, &output, &from, &until, &source].map(Clone::clone);
        let (currency, kind, wrong) = (currency.clone(), kind.clone(), wrong.clone());
        let dispatch = dispatch.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let value = |node: &NodeRef| {
                let input = node.cast::<HtmlInputElement>();
                input.map(|input| input.value()).unwrap_or_default()
            };
            let [on, amount, output, from, until, source] = nodes.each_ref().map(value);
            let chosen = currency
                .cast::<HtmlSelectElement>()
                .map(|select| select.value());
            let figure = |text: &str| parse_count(text).ok();
            let Some(given) = given(&kind, figure(&amount), figure(&output)) else {
                wrong.set(Some(texts.not_a_number));
                return;
            };
            wrong.set(None);
            let day = |text: &str| inferplan_core::day::parse(text).ok();
            dispatch.emit(Action::Prices(PriceAction::State(Statement {
                on: on.trim().to_owned(),
                given,
                currency: chosen.and_then(|code| code.parse::<Currency>().ok()),
                from: day(&from).unwrap_or(today),
                until: day(&until),
                source: source.trim().to_owned(),
            })));
        })
    };
    let onkind = {
        let kind = kind.clone();
        Callback::from(move |event: Event| {
            kind.set(event.target_unchecked_into::<HtmlSelectElement>().value());
        })
    };
    let ids = use_memo(state.scenario.prices.clone(), {
        let state = state.clone();
        move |_| ids(&state)
    });
    html! {
        <details class="paste" id="state-price">
            <summary>{ texts.state_price }</summary>
            <form class="waiting" {onsubmit}>
                <label for="price-on">{ texts.price_on }</label>
                <input id="price-on" ref={on} type="text" list="price-ids" autocomplete="off" required=true />
                <datalist id="price-ids">{ for ids.iter().map(|id| html! { <option value={id.clone()} /> }) }</datalist>
                <label for="price-kind">{ texts.price_kind }</label>
                <select id="price-kind" onchange={onkind}>
                    { for kinds(texts).map(|(value, word)| html! { <option {value} selected={*kind == value}>{ word }</option> }) }
                </select>
                <label for="price-amount">{ if *kind == "tokens" { texts.input_tokens } else { texts.amount } }</label>
                <input id="price-amount" ref={amount} type="text" inputmode="decimal" autocomplete="off" required=true />
                if *kind == "tokens" {
                    <label for="price-output">{ texts.output_tokens }</label>
                    <input id="price-output" ref={output} type="text" inputmode="decimal" autocomplete="off" required=true />
                }
                <label for="price-currency">{ texts.currency }</label>
                <select id="price-currency" ref={currency}>
                    <option value="" selected=true>{ texts.offers_own }</option>
                    { for Currency::ALL.map(|currency| html! { <option value={currency.code()}>{ currency.code() }</option> }) }
                </select>
                <label for="price-from">{ texts.holds_from }</label>
                <input id="price-from" ref={from} type="date" value={today.to_string()} />
                <label for="price-until">{ texts.holds_until }</label>
                <input id="price-until" ref={until} type="date" />
                <label for="price-source">{ texts.price_source }</label>
                <input id="price-source" ref={source} type="text" autocomplete="off" required=true />
                if let Some(wrong) = *wrong { <p class="problem" role="alert">{ wrong }</p> }
                <button type="submit" class="btn primary" id="add-price">{ texts.add }</button>
            </form>
        </details>
    }
}

fn given(kind: &str, amount: Option<Decimal>, output: Option<Decimal>) -> Option<Given> {
    let amount = amount?;
    Some(match kind {
        "month" => Given::PerMonth(amount),
        "second" => Given::PerSecond(amount),
        "call" => Given::PerCall(amount),
        "tokens" => Given::PerMillionTokens(amount, output?),
        "percent" => Given::PercentOff(amount),
        "off" => Given::OffPerMonth(amount),
        _ => Given::PerHour(amount),
    })
}

/// What a statement may be on: every offer and provider.
fn ids(state: &State) -> Vec<String> {
    let Ok(book) = state::book(state) else {
        return Vec::new();
    };
    let providers = book.tables().iter().map(|table| table.provider.id.clone());
    let offers = book.offers().map(|(_, offer)| offer.id.clone());
    // A catalogue's hundred thousand would stop the browser.
    providers.chain(offers).take(1_000).collect()
}

#[derive(Properties, PartialEq)]
struct AddressProps {
    lang: Lang,
    fetching: bool,
    dispatch: Callback<Action>,
}

/// Takes an address of a file of prices.
#[component]
fn FromAddress(props: &AddressProps) -> Html {
    let texts = text::of(props.lang);
    let address = use_node_ref();
    let onsubmit = {
        let (address, dispatch) = (address.clone(), props.dispatch.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(input) = address.cast::<HtmlInputElement>() {
                fetch::prices(input.value().trim().to_owned(), dispatch.clone());
            }
        })
    };
    html! {
        <details class="paste" id="fetch-prices">
            <summary>{ texts.prices_from_address }</summary>
            <form class="waiting" {onsubmit}>
                <label for="price-address">{ texts.address }</label>
                <input id="price-address" ref={address} type="text" inputmode="url" placeholder="https://…" autocomplete="off" required=true />
                <p class="help">{ texts.address_help }</p>
                <button type="submit" class="btn" disabled={props.fetching}>{ texts.fetch }</button>
            </form>
        </details>
    }
}
