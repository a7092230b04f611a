//! A figure that is typed or slid.

use inferplan_core::Decimal;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Positions of a slider.
const STEPS: f64 = 1000.0;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub id: AttrValue,
    pub label: AttrValue,
    /// The value as text, when nobody types.
    pub shown: AttrValue,
    /// A reading beside the label, such as `100 万`.
    #[prop_or_default]
    pub aside: AttrValue,
    /// Where the slider stands, 0 to 1, if there is one.
    #[prop_or_default]
    pub at: Option<f64>,
    /// Told where the slider was moved, 0 to 1.
    #[prop_or_default]
    pub slide: Callback<f64>,
    /// Reads what was typed and commits it; the message to show if it cannot.
    pub commit: Callback<String, Result<(), String>>,
}

#[component]
pub fn Field(props: &Props) -> Html {
    // What is being typed stays as typed, right or wrong, until the field is left.
    let typed = use_state(|| None::<String>);
    let problem = use_state(|| None::<String>);
    let oninput = {
        let (typed, problem, commit) = (typed.clone(), problem.clone(), props.commit.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            problem.set(commit.emit(text.clone()).err());
            typed.set(Some(text));
        })
    };
    let onblur = {
        let (typed, problem) = (typed.clone(), problem.clone());
        Callback::from(move |_: FocusEvent| {
            if problem.is_none() {
                typed.set(None);
            }
        })
    };
    let onslide = {
        let (typed, problem, slide) = (typed.clone(), problem.clone(), props.slide.clone());
        Callback::from(move |event: InputEvent| {
            let position = event
                .target_unchecked_into::<HtmlInputElement>()
                .value_as_number();
            typed.set(None);
            problem.set(None);
            slide.emit(position / STEPS);
        })
    };
    let value = typed
        .as_ref()
        .map_or_else(|| props.shown.clone(), |text| text.clone().into());
    let message_id = format!("{}-problem", props.id);
    let invalid = problem.is_some();
    html! {
        <div class="field">
            <label for={props.id.clone()}>{ props.label.clone() }</label>
            <input id={props.id.clone()} type="text" inputmode="decimal" autocomplete="off" {value}
                {oninput} {onblur} aria-invalid={invalid.then_some("true")}
                aria-describedby={invalid.then(|| message_id.clone())} />
            if !props.aside.is_empty() { <span class="aside">{ props.aside.clone() }</span> }
            if let Some(at) = props.at {
                <input type="range" id={format!("{}-slider", props.id)} min="0" max={STEPS.to_string()}
                    value={(at * STEPS).round().to_string()} oninput={onslide} aria-label={props.label.clone()} />
            }
            if let Some(problem) = &*problem {
                <p class="problem" id={message_id} role="alert">{ problem }</p>
            }
        </div>
    }
}

/// A slider whose steps are equal ratios.
#[derive(Clone, Copy)]
pub struct Ratio {
    pub least: f64,
    pub greatest: f64,
}

impl Ratio {
    /// Where a value stands, 0 to 1.
    pub fn place(self, value: f64) -> f64 {
        let span = (self.greatest / self.least).ln();
        ((value.max(self.least) / self.least).ln() / span).clamp(0.0, 1.0)
    }

    /// The value at a place, rounded to two significant digits.
    pub fn value(self, place: f64) -> Decimal {
        let exact = self.least * (self.greatest / self.least).powf(place);
        let rounded = inferplan_core::money::decimal_from_f64(exact, 0).unwrap_or(Decimal::ONE);
        rounded.round_sf(2).unwrap_or(rounded)
    }
}
