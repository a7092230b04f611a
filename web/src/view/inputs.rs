//! The question: volume, lengths, targets, month.

use std::rc::Rc;

use inferplan_core::{
    Date, Decimal,
    number::{self, parse_count},
    report::{Metric, Quantile},
    text::Lang,
};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::{
    field::{Field, Ratio},
    plain,
};
use crate::{
    state::{Action, State, TARGETS},
    text::{self, Texts},
};

const VOLUMES: Ratio = Ratio {
    least: 100.0,
    greatest: 1e8,
};
const TOKENS: Ratio = Ratio {
    least: 1.0,
    greatest: 131_072.0,
};
const MONTHS: [u32; 5] = [672, 696, 720, 730, 744];

#[derive(Properties, PartialEq)]
pub struct Props {
    pub state: Rc<State>,
    pub dispatch: Callback<Action>,
}

#[component]
pub fn Inputs(props: &Props) -> Html {
    let Props { state, dispatch } = props;
    let texts = text::of(state.lang);
    let demand = &state.scenario.demand;
    html! {
        <>
            <section class="card">
                <h2>{ texts.load }</h2>
                { volume(demand.requests_per_day, state.lang, dispatch) }
                { tokens("input-tokens", texts.input_tokens, demand.input_tokens, Action::InputTokens, texts, dispatch) }
                { tokens("output-tokens", texts.output_tokens, demand.output_tokens, Action::OutputTokens, texts, dispatch) }
                { peak(state, texts, dispatch) }
                <p class="help">{ texts.peak_help }</p>
                { growth(state, texts, dispatch) }
                { months_ahead(state, texts, dispatch) }
            </section>
            <section class="card">
                <h2>{ texts.targets }</h2>
                { target(state, TARGETS[0], texts.ttft_p99, texts, dispatch) }
                { target(state, TARGETS[1], texts.itl_p50, texts, dispatch) }
                <p class="help">{ texts.target_help }</p>
                if state.targets_cleared {
                    <p class="help" id="targets-cleared" role="status">{ texts.targets_cleared }</p>
                }
            </section>
            <section class="card">
                <h2>{ texts.month_and_prices }</h2>
                { hours(state.scenario.hours_per_month, texts, dispatch) }
                { day(state.scenario.as_of.unwrap_or(state.today), texts, dispatch) }
            </section>
        </>
    }
}

fn volume(value: Decimal, lang: Lang, dispatch: &Callback<Action>) -> Html {
    let texts = text::of(lang);
    let per_s = number::significant(number::to_f64(value) / 86_400.0, 3);
    let per_s = format!("{per_s} {}", texts.requests_per_s);
    let aside = match (lang, number::chinese_units(value)) {
        (Lang::Zh, Some(reading)) => format!("{reading} · {per_s}"),
        _ => per_s,
    };
    let commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |text: String| {
            let value = parse_count(&text).map_err(|_| texts.not_a_number.to_owned())?;
            dispatch.emit(Action::RequestsPerDay(value));
            Ok(())
        })
    };
    html! {
        <Field id="requests-per-day" label={texts.requests_per_day} shown={plain(value)} {aside}
            at={VOLUMES.place(number::to_f64(value))} {commit}
            slide={dispatch.reform(|place| Action::RequestsPerDay(VOLUMES.value(place)))} />
    }
}

fn tokens(
    id: &'static str,
    label: &'static str,
    value: Option<u64>,
    action: fn(u64) -> Action,
    texts: &'static Texts,
    dispatch: &Callback<Action>,
) -> Html {
    let value = value.unwrap_or_default();
    let commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |text: String| {
            let whole = parse_count(&text)
                .ok()
                .filter(|count| count.fract().is_zero());
            let tokens = whole.and_then(|count| u64::try_from(count).ok());
            dispatch.emit(action(tokens.ok_or_else(|| texts.not_a_number.to_owned())?));
            Ok(())
        })
    };
    let slide = dispatch.reform(move |place| {
        let count = TOKENS.value(place);
        action(u64::try_from(count).unwrap_or(1))
    });
    html! {
        <Field {id} {label} shown={plain(value.into())} at={TOKENS.place(value as f64)} {commit} {slide} />
    }
}

/// The busiest hour over the mean hour; empty where the shape of the load is not known.
fn peak(state: &State, texts: &'static Texts, dispatch: &Callback<Action>) -> Html {
    let shape = state.scenario.demand.shape.as_ref();
    let shown = shape.map_or_else(String::new, |shape| {
        number::significant(shape.week().peak_to_mean(), 4)
    });
    let commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |text: String| {
            let peak = if text.trim().is_empty() {
                None
            } else {
                let value = parse_count(&text).ok().map(number::to_f64);
                let value = value.filter(|peak| (1.0..=20.0).contains(peak));
                Some(value.ok_or_else(|| texts.not_a_peak.to_owned())?)
            };
            dispatch.emit(Action::PeakToMean(peak));
            Ok(())
        })
    };
    html! { <Field id="peak-to-mean" label={texts.peak_to_mean} {shown} {commit} /> }
}

/// What each month adds, as a share.
fn growth(state: &State, texts: &'static Texts, dispatch: &Callback<Action>) -> Html {
    let share = state.scenario.demand.growth.per_month;
    let shown = if share.is_zero() {
        String::new()
    } else {
        format!("{}%", plain(share * Decimal::ONE_HUNDRED))
    };
    let commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |text: String| {
            let share = if text.trim().is_empty() {
                Decimal::ZERO
            } else {
                let value = number::parse_share(&text).ok();
                let within = Decimal::new(-9, 1)..=Decimal::TEN;
                let value = value.filter(|share| within.contains(share));
                value.ok_or_else(|| texts.not_a_share.to_owned())?
            };
            dispatch.emit(Action::Growth(share));
            Ok(())
        })
    };
    html! { <Field id="growth" label={texts.growth} {shown} {commit} /> }
}

fn months_ahead(state: &State, texts: &'static Texts, dispatch: &Callback<Action>) -> Html {
    let months = state.scenario.demand.growth.months_ahead;
    let commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |text: String| {
            let months = text.trim().parse().ok().filter(|months| *months <= 120);
            let months = months.ok_or_else(|| texts.not_months.to_owned())?;
            dispatch.emit(Action::MonthsAhead(months));
            Ok(())
        })
    };
    html! { <Field id="months-ahead" label={texts.months_ahead} shown={months.to_string()} {commit} /> }
}

fn target(
    state: &State,
    (metric, quantile): (Metric, Quantile),
    label: &'static str,
    texts: &'static Texts,
    dispatch: &Callback<Action>,
) -> Html {
    let seconds = state.target(metric, quantile);
    let shown = seconds
        .map(|seconds| seconds.to_string())
        .unwrap_or_default();
    let commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |text: String| {
            let seconds = if text.trim().is_empty() {
                None
            } else {
                let value = parse_count(&text)
                    .ok()
                    .map(number::to_f64)
                    .filter(|s| *s > 0.0);
                Some(value.ok_or_else(|| texts.not_a_number.to_owned())?)
            };
            dispatch.emit(Action::Target(metric, quantile, seconds));
            Ok(())
        })
    };
    let id = format!("{}-{}", metric.key(), quantile.key());
    html! { <Field {id} {label} {shown} {commit} /> }
}

fn hours(value: Decimal, texts: &'static Texts, dispatch: &Callback<Action>) -> Html {
    let onchange = dispatch.reform(|event: Event| {
        let chosen = event.target_unchecked_into::<HtmlSelectElement>().value();
        Action::HoursPerMonth(chosen.parse().unwrap_or_else(|_| Decimal::from(730)))
    });
    let option = |hours: u32| {
        let selected = Decimal::from(hours) == value;
        html! { <option value={hours.to_string()} {selected}>{ hours }</option> }
    };
    html! {
        <div class="field">
            <label for="hours-per-month">{ texts.hours_per_month }</label>
            <select id="hours-per-month" {onchange}>{ for MONTHS.map(option) }</select>
        </div>
    }
}

fn day(value: Date, texts: &'static Texts, dispatch: &Callback<Action>) -> Html {
    let dispatch = dispatch.clone();
    let onchange = Callback::from(move |event: Event| {
        // A date field yields a whole date, or nothing while it is incomplete.
        let chosen = event.target_unchecked_into::<HtmlInputElement>().value();
        if let Ok(day) = inferplan_core::day::parse(&chosen) {
            dispatch.emit(Action::AsOf(day));
        }
    });
    html! {
        <div class="field">
            <label for="as-of">{ texts.prices_as_of }</label>
            <input id="as-of" type="date" value={value.to_string()} {onchange} />
        </div>
    }
}
