//! The charts, each with its numbers as a table beside it.

use std::rc::Rc;

use gloo_events::EventListener;
use inferplan_core::{comparison::Choice, money::Money, number, text::Lang};
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::Answer;
use crate::{
    browser,
    chart::{self, Painter, bars::Bars, volume::Volume},
    state::Theme,
    text,
};

/// Options drawn as bars.
const MOST_BARS: usize = 12;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub answer: Rc<Answer>,
    pub lang: Lang,
    pub theme: Theme,
}

#[component]
pub fn Charts(props: &Props) -> Html {
    let Ok(comparison) = &props.answer.comparison else {
        return Html::default();
    };
    let (lang, texts) = (props.lang, text::of(props.lang));
    let shown: Vec<&Choice> = comparison.of_the_model().take(MOST_BARS).collect();
    if shown.is_empty() {
        return html! { <section class="card"><p class="help">{ texts.nothing_feasible }</p></section> };
    }
    let bars = Bars::of(&shown, comparison.best(), lang);
    let volume = Volume::of(&props.answer.curves, comparison, lang);
    let bar_rows = shown.iter().map(|option| {
        let month = option.monthly.map(|money| money.display(lang));
        html! { <tr><th scope="row">{ option.name.get(lang) }</th><td>{ month }</td></tr> }
    });
    html! {
        <div class="charts">
            <section class="card">
                <h2>{ texts.cost_by_option }</h2>
                <Canvas id="chart-options" label={texts.cost_by_option} painter={Painter::Bars(bars)} theme={props.theme} />
                <details><summary>{ texts.numbers }</summary>
                    <table><tbody>{ for bar_rows }</tbody></table>
                </details>
            </section>
            <section class="card">
                <h2>{ texts.cost_by_volume }</h2>
                <Canvas id="chart-volume" label={texts.cost_by_volume} painter={Painter::Volume(volume)} theme={props.theme} />
                <details><summary>{ texts.numbers }</summary>{ volume_table(props) }</details>
            </section>
        </div>
    }
}

/// The curves at every tenth of their volumes: enough to read, few enough to scroll.
fn volume_table(props: &Props) -> Html {
    let (lang, texts) = (props.lang, text::of(props.lang));
    let (Ok(comparison), Some(first)) = (&props.answer.comparison, props.answer.curves.first())
    else {
        return Html::default();
    };
    let currency = comparison.currency;
    let heads = props
        .answer
        .curves
        .iter()
        .map(|curve| html! { <th scope="col">{ curve.name.get(lang) }</th> });
    let rows = (0..first.points.len()).step_by(10).map(|i| {
        let cells = props.answer.curves.iter().map(|curve| {
            let cost = curve.points[i]
                .1
                .map(|amount| Money::rounded(amount, currency).display(lang));
            html! { <td>{ cost.unwrap_or_else(|| "–".to_owned()) }</td> }
        });
        html! { <tr><th scope="row">{ number::plain(first.points[i].0) }</th>{ for cells }</tr> }
    });
    html! {
        <div class="scroll"><table>
            <thead><tr><th scope="col">{ texts.volume_axis }</th>{ for heads }</tr></thead>
            <tbody>{ for rows }</tbody>
        </table></div>
    }
}

#[derive(Properties, PartialEq)]
struct CanvasProps {
    id: AttrValue,
    label: AttrValue,
    painter: Painter,
    theme: Theme,
}

/// A canvas repainted when its content, its width or the theme changes.
#[component]
fn Canvas(props: &CanvasProps) -> Html {
    let canvas = use_node_ref();
    let repaints = use_state(|| 0_u32);
    {
        let repaints = repaints.clone();
        use_effect_with(*repaints, move |&count| {
            let repaint = move || repaints.set(count.wrapping_add(1));
            let repaint: Rc<dyn Fn()> = Rc::new(repaint);
            // The width, the zoom or the screen, and the system's theme.
            let queries = [
                format!("(resolution: {}dppx)", browser::pixel_ratio()),
                "(prefers-color-scheme: dark)".to_owned(),
            ];
            let on = |target: &web_sys::EventTarget, event: &'static str| {
                let repaint = repaint.clone();
                EventListener::new(target, event, move |_| repaint())
            };
            let window = gloo_utils::window();
            let mut listeners = vec![on(&window, "resize")];
            for query in queries {
                let query = window.match_media(&query).ok().flatten();
                listeners.extend(query.map(|query| on(&query, "change")));
            }
            move || drop(listeners)
        });
    }
    {
        let canvas = canvas.clone();
        let deps = (props.painter.clone(), props.theme, *repaints);
        use_effect_with(deps, move |(painter, _, _)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                chart::paint(&canvas, painter);
            }
        });
    }
    html! { <canvas ref={canvas} id={props.id.clone()} role="img" aria-label={props.label.clone()}></canvas> }
}
