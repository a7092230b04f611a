//! The page's parts.

mod answer;
mod charts;
mod evidence;
mod field;
mod header;
mod inputs;
mod options;
mod prices;
mod segments;

use std::rc::Rc;

use inferplan_core::{
    Date, Decimal,
    comparison::Comparison,
    decide::{self, Plan},
    price::PriceBook,
    problem::Problems,
    scenario::Scenario,
};
use web_sys::DragEvent;
use yew::prelude::*;

use crate::{
    browser,
    chart::volume::{self, Curve},
    import,
    state::{Action, State},
    text,
};

/// What the page works out from its state.
#[derive(PartialEq)]
pub struct Answer {
    /// The comparison, or what is wrong with the question.
    pub comparison: Result<Comparison, Problems>,
    /// The cost of the leading options against volume.
    pub curves: Vec<Curve>,
}

impl Answer {
    fn to(scenario: &Scenario, book: &Result<PriceBook, Problems>, today: Date) -> Self {
        let worked_out = book.as_ref().map_err(Clone::clone).and_then(|book| {
            let own = decide::own_book(scenario, book)?;
            let plan = Plan::new(scenario, own.as_ref().unwrap_or(book), today)?;
            let comparison = plan.comparison();
            let curves = volume::curves(&plan, &comparison);
            Ok((comparison, curves))
        });
        match worked_out {
            Ok((comparison, curves)) => Self {
                comparison: Ok(comparison),
                curves,
            },
            Err(problems) => Self {
                comparison: Err(problems),
                curves: Vec::new(),
            },
        }
    }
}

/// The whole page.
#[component]
pub fn App() -> Html {
    let state = use_reducer(State::new);
    let book = use_memo((), |()| inferplan_pricing::book());
    let answer = use_memo((state.scenario.clone(), state.today), {
        let book = book.clone();
        move |(scenario, today)| Answer::to(scenario, &book, *today)
    });
    use_effect_with(state.lang, |lang| browser::keep_lang(*lang));
    use_effect_with(state.theme, |theme| browser::keep_theme(*theme));
    let dispatch = {
        let dispatcher = state.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(action))
    };
    let dragging = use_state(|| false);
    let ondragover = {
        let dragging = dragging.clone();
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            dragging.set(true);
        })
    };
    let ondragleave = {
        let dragging = dragging.clone();
        Callback::from(move |_: DragEvent| dragging.set(false))
    };
    let ondrop = {
        let (dispatch, dragging) = (dispatch.clone(), dragging.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            dragging.set(false);
            if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
                import::files(&files, dispatch.clone());
            }
        })
    };
    let texts = text::of(state.lang);
    html! {
        <div class="page" {ondragover} {ondragleave} {ondrop}>
            <header::Header lang={state.lang} theme={state.theme}
                currency={state.scenario.currency} dispatch={dispatch.clone()} />
            <main>
                <answer::AnswerCard answer={answer.clone()} lang={state.lang} />
                <aside class="stack">
                    <inputs::Inputs state={Rc::new((*state).clone())} dispatch={dispatch.clone()} />
                    <evidence::Evidence state={Rc::new((*state).clone())} dispatch={dispatch.clone()} />
                    <prices::Prices state={Rc::new((*state).clone())} dispatch={dispatch.clone()} />
                </aside>
                <div class="stack">
                    <options::Options answer={answer.clone()} lang={state.lang} />
                    <charts::Charts answer={answer} lang={state.lang} theme={state.theme} />
                </div>
            </main>
            <footer>{ texts.footer }</footer>
            if *dragging { <div class="drop" aria-hidden="true">{ texts.drop_here }</div> }
        </div>
    }
}

/// A volume as typed text, for a field that opens with it.
fn plain(value: Decimal) -> String {
    inferplan_core::number::plain(value)
}
