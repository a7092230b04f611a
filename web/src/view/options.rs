//! The table of options, each with its bill and what to know of it; what is out, and why.

use std::rc::Rc;

use inferplan_core::{
    comparison::{Choice, Comparison, Standing},
    number,
    price::{Confidence, display::figure},
    text::Lang,
};
use yew::prelude::*;

use super::Answer;
use crate::text::{self, Texts};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub answer: Rc<Answer>,
    pub lang: Lang,
}

#[component]
pub fn Options(props: &Props) -> Html {
    let Ok(comparison) = &props.answer.comparison else {
        return Html::default();
    };
    let (lang, texts) = (props.lang, text::of(props.lang));
    let dearest = comparison
        .of_the_model()
        .last()
        .or_else(|| comparison.feasible().last())
        .and_then(|option| option.monthly);
    let most = dearest.map_or(0.0, |money| number::to_f64(money.amount));
    let best = comparison.best();
    let row = |option: &Choice| {
        let key = format!(
            "{}/{}",
            option.offer,
            option.report.as_deref().unwrap_or_default()
        );
        let share = option.monthly.map_or(0.0, |money| {
            (number::to_f64(money.amount) / most.max(0.01)).min(1.0)
        });
        html! { <Row {key} option={option.clone()} best={Some(option) == best} {share} {lang} /> }
    };
    let others: Vec<Html> = comparison.of_other_models().map(row).collect();
    html! {
        <section class="card" id="options">
            <h2>{ texts.options }</h2>
            if comparison.of_the_model().next().is_some() {
                { table(comparison.of_the_model().map(row).collect(), texts) }
            }
            if !others.is_empty() {
                <details class="out" id="other-models">
                    <summary>{ format!("{} ({})", texts.other_models, others.len()) }</summary>
                    { table(others, texts) }
                </details>
            }
            { out(comparison, lang, texts) }
        </section>
    }
}

fn table(rows: Vec<Html>, texts: &Texts) -> Html {
    html! {
        <div class="scroll">
        <table>
            <thead><tr>
                <th scope="col">{ texts.option }</th>
                <th scope="col" class="cost">{ texts.month }</th>
                <th scope="col" class="h">{ texts.cards }</th>
                <th scope="col" class="h">{ texts.utilization }</th>
                <th scope="col" class="h">{ texts.per_million }</th>
                <th scope="col">{ texts.basis }</th>
            </tr></thead>
            <tbody>{ for rows }</tbody>
        </table>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    option: Choice,
    best: bool,
    /// Its cost as a share of the dearest's.
    share: f64,
    lang: Lang,
}

#[component]
fn Row(props: &RowProps) -> Html {
    let RowProps {
        option,
        best,
        share,
        lang,
    } = props;
    let texts = text::of(*lang);
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let dash = || "–".to_owned();
    let month = option
        .monthly
        .map_or_else(dash, |money| money.display(*lang));
    let cards = option
        .accelerators
        .map_or_else(dash, |n| number::grouped(&n.to_string()));
    let utilization = option
        .utilization
        .map_or_else(dash, |share| format!("{:.0}%", share * 100.0));
    let unit_cost = |cost: Option<inferplan_core::Decimal>| match (cost, option.monthly) {
        (Some(cost), Some(money)) => money
            .currency
            .label(&number::grouped(&cost.to_string()), *lang),
        _ => dash(),
    };
    let amount = option.monthly.map(|money| money.amount.to_string());
    // A width of a bar in a style attribute would be inline style; an SVG needs none.
    let bar = format!("{:.1}", (share * 100.0).max(0.5));
    let name = option.name.get(*lang).to_owned();
    html! {
        <>
            <tr class={classes!(best.then_some("best"))} data-offer={option.offer.clone()} data-monthly={amount}>
                <td>
                    <button type="button" class="o" onclick={toggle} aria-expanded={open.to_string()}
                        aria-label={format!("{} {name}", texts.details)}>{ name.clone() }</button>
                    <span class="s">{ subtitle(option, *lang) }</span>
                </td>
                <td class="cost">
                    { month }
                    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width={bar} height="6" rx="1" /></svg>
                </td>
                <td class="h">{ cards }</td>
                <td class="h">{ utilization }</td>
                <td class="h">{ unit_cost(option.per_1m_output_tokens) }</td>
                <td>{ standing(option, texts) }</td>
            </tr>
            if *open {
                <tr class="details"><td colspan="6">
                    { bill(option, *lang, texts) }
                    <p>{ format!("{}{}{}", texts.per_thousand, texts.colon, unit_cost(option.per_1k_requests)) }</p>
                    { capacity(option, texts) }
                    { price(option, texts) }
                    <ul>{ for option.warnings.iter().map(|notice| html! { <li data-code={notice.code.clone()}>{ notice.get(*lang) }</li> }) }</ul>
                </td></tr>
            }
        </>
    }
}

/// How it is billed, and by which report, in short.
fn subtitle(option: &Choice, lang: Lang) -> String {
    let mut parts = Vec::new();
    if let Some(line) = option.lines.first() {
        let price = line.currency.label(&figure(line.unit_price), lang);
        parts.push(format!(
            "{price} / {}",
            inferplan_core::plan::bill::unit_text(&line.unit, lang)
        ));
    }
    parts.extend(option.report.clone());
    parts.join(" · ")
}

fn standing(option: &Choice, texts: &Texts) -> Html {
    let (class, word, help) = match option.standing {
        Some(Standing::Measured) => ("tag", texts.measured, texts.measured_help),
        Some(Standing::Estimate) => ("tag e", texts.estimate, texts.estimate_help),
        Some(Standing::Priced) if option.serves_another_model() => {
            ("tag e", texts.other_model, texts.other_model_help)
        }
        Some(Standing::Priced) => ("tag p", texts.priced, texts.priced_help),
        None => return html! { "–" },
    };
    html! { <span {class} title={help.to_owned()}>{ word }</span> }
}

fn bill(option: &Choice, lang: Lang, texts: &Texts) -> Html {
    html! {
        <p>{ format!("{}{}", texts.bill, texts.colon) }
            { for option.lines.iter().map(|line| html! { <span class="line">{ line.display(lang) }</span> }) }
        </p>
    }
}

fn capacity(option: &Choice, texts: &Texts) -> Html {
    let Some(rate) = option.max_rate_per_replica else {
        return Html::default();
    };
    let rate = texts
        .exact_rate
        .replace("{}", &number::significant(rate, 4));
    let bound = match option.bound_by.as_deref() {
        Some("utilization_ceiling") => texts.bound_by_ceiling.to_owned(),
        Some(target) => format!("{} {target}", texts.bound_by),
        None => String::new(),
    };
    html! { <p>{ format!("{rate}{}{bound}", texts.semicolon) }</p> }
}

fn price(option: &Choice, texts: &Texts) -> Html {
    let mut parts: Vec<String> = option
        .price_effective_from
        .map(|day| day.to_string())
        .into_iter()
        .collect();
    parts.extend(option.price_source.clone());
    if option.price_confidence == Some(Confidence::Article) {
        parts.push(texts.article.to_owned());
    }
    html! { <p>{ format!("{}{}{}", texts.price_from, texts.colon, parts.join(" · ")) }</p> }
}

fn out(comparison: &Comparison, lang: Lang, texts: &Texts) -> Html {
    let out: Vec<&Choice> = comparison
        .options
        .iter()
        .filter(|option| !option.feasible)
        .collect();
    if out.is_empty() {
        return Html::default();
    }
    let item = |option: &&Choice| {
        let reasons = option
            .reasons
            .iter()
            .map(|reason| html! { <span class="why">{ reason.get(lang) }{ " " }</span> });
        html! { <li data-out={option.offer.clone()}><b>{ option.name.get(lang) }</b>{ " " }{ for reasons }</li> }
    };
    html! {
        <details class="out">
            <summary>{ format!("{} ({})", texts.out, out.len()) }</summary>
            <ul>{ for out.iter().map(item) }</ul>
        </details>
    }
}
