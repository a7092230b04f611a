//! A row of choices of which one is on.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// What is chosen, for a screen reader.
    pub label: AttrValue,
    /// The choices.
    pub choices: Vec<AttrValue>,
    /// Which is on.
    pub on: usize,
    /// Told the place of the one clicked.
    pub choose: Callback<usize>,
}

#[component]
pub fn Segments(props: &Props) -> Html {
    let button = |(i, choice): (usize, &AttrValue)| {
        let on = i == props.on;
        let choose = props.choose.clone();
        html! {
            <button type="button" class={classes!(on.then_some("on"))} aria-pressed={on.to_string()}
                onclick={move |_| choose.emit(i)}>{ choice }</button>
        }
    };
    html! {
        <span class="seg" role="group" aria-label={props.label.clone()}>
            { for props.choices.iter().enumerate().map(button) }
        </span>
    }
}
