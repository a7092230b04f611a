//! The answer, first and in one sentence.

use std::rc::Rc;

use inferplan_core::text::Lang;
use yew::prelude::*;

use super::Answer;
use crate::text;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub answer: Rc<Answer>,
    pub lang: Lang,
}

#[component]
pub fn AnswerCard(props: &Props) -> Html {
    let texts = text::of(props.lang);
    let body = match &props.answer.comparison {
        Ok(comparison) => {
            let phrases = comparison.answer(props.lang).into_iter().map(|phrase| {
                if phrase.strong {
                    html! { <em>{ phrase.text }</em> }
                } else {
                    html! { { phrase.text } }
                }
            });
            let notes = comparison.own_warnings().map(|notice| {
                html! { <li data-code={notice.code.clone()}>{ notice.get(props.lang) }</li> }
            });
            let rates = comparison.exchange_rates.iter().map(|rate| {
                let date = rate.date.map(|date| format!(" ({date})")).unwrap_or_default();
                html! { <p class="help" data-rate={rate.label()}>{ format!("{}{}{}{date}", texts.converted, texts.colon, rate.label()) }</p> }
            });
            html! {
                <>
                    <p id="answer" aria-live="polite">{ for phrases }</p>
                    { for rates }
                    if comparison.own_warnings().next().is_some() {
                        <ul class="notes" aria-label={texts.notes}>{ for notes }</ul>
                    }
                </>
            }
        }
        Err(problems) => html! {
            <ul class="problems" role="alert">
                { for problems.iter().map(|problem| html! { <li>{ problem.text(props.lang) }</li> }) }
            </ul>
        },
    };
    html! { <section class="card answer">{ body }</section> }
}
