//! The bar at the top: name, language, currency, theme.

use inferplan_core::{money::Currency, text::Lang};
use yew::prelude::*;

use super::segments::Segments;
use crate::{
    state::{Action, Theme},
    text,
};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub lang: Lang,
    pub theme: Theme,
    pub currency: Currency,
    pub dispatch: Callback<Action>,
}

const LANGS: [Lang; 2] = [Lang::Zh, Lang::En];
const THEMES: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

#[component]
pub fn Header(props: &Props) -> Html {
    let texts = text::of(props.lang);
    let place = |on: bool| usize::from(on);
    let choose = |make: fn(usize) -> Action| props.dispatch.reform(make);
    let currencies = Currency::ALL.map(|currency| AttrValue::from(currency.code()));
    let theme = THEMES
        .iter()
        .position(|theme| *theme == props.theme)
        .unwrap_or_default();
    html! {
        <header>
            <b>{ texts.title }</b>
            <div class="choices">
                <Segments label={texts.language} choices={vec!["中文".into(), "EN".into()]}
                    on={place(props.lang == Lang::En)} choose={choose(|i| Action::Lang(LANGS[i]))} />
                <Segments label={texts.currency} choices={currencies.to_vec()}
                    on={place(props.currency == Currency::Cny)}
                    choose={choose(|i| Action::Currency(Currency::ALL[i]))} />
                <Segments label={texts.theme} on={theme}
                    choices={vec![texts.theme_system.into(), texts.theme_light.into(), texts.theme_dark.into()]}
                    choose={choose(|i| Action::Theme(THEMES[i]))} />
            </div>
        </header>
    }
}
