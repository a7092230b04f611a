//! The measured reports: dropped, chosen, pasted, completed, removed.

use std::rc::Rc;

use inferplan_core::{
    Date,
    lint::{self, Lint, Severity},
    number,
    report::Report,
    text::Lang,
};
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::{
    import,
    state::{Action, State, Waiting},
    text::{self, Texts},
};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub state: Rc<State>,
    pub dispatch: Callback<Action>,
}

#[component]
pub fn Evidence(props: &Props) -> Html {
    let Props { state, dispatch } = props;
    let texts = text::of(state.lang);
    let lang = state.lang;
    let reports = &state.scenario.reports;
    html! {
        <section class="card" id="evidence">
            <h2>{ texts.evidence }</h2>
            { for reports.iter().map(|report| card(report, state.example, state.today, lang, dispatch)) }
            if reports.is_empty() && state.waiting.is_none() {
                <p class="help">{ texts.no_reports }</p>
            }
            if let Some(share) = state.importing {
                <div class="importing" role="status">
                    <label for="importing">{ texts.importing }</label>
                    <progress id="importing" max="1" value={share.to_string()} />
                    <button type="button" class="link" onclick={dispatch.reform(|_| Action::Dismiss)}>{ texts.cancel }</button>
                </div>
            }
            if let Some(waiting) = &state.waiting {
                <WaitingForm waiting={waiting.clone()} {lang} dispatch={dispatch.clone()} />
            }
            if !state.problems.is_empty() {
                <div role="alert" id="import-problems">
                <p class="problem">{ texts.nothing_imported }</p>
                <ul class="problems">
                    { for state.problems.iter().map(|problem| html! { <li>{ problem.text(lang) }</li> }) }
                </ul>
                </div>
            }
            { chooser(texts, dispatch) }
            <Paste {lang} dispatch={dispatch.clone()} />
            if !state.example {
                <button type="button" class="btn" id="load-example" onclick={dispatch.reform(|_| Action::Example)}>
                    { texts.load_example }
                </button>
            }
        </section>
    }
}

/// What makes the report less fit to plan on: how many, and each on opening.
fn lints(report: &Report, today: Date, lang: Lang) -> Html {
    let lints = lint::lint(report, today);
    if lints.is_empty() {
        return Html::default();
    }
    let texts = text::of(lang);
    let worst = lints.iter().any(|lint| lint.severity == Severity::Error);
    let item = |lint: &Lint| {
        let word = lint.severity.word(lang);
        html! {
            <li data-lint={lint.code.clone()}>
                <b>{ word }</b>{ " " }{ lint.why.get(lang) }{ " " }{ lint.remedy.get(lang) }
            </li>
        }
    };
    html! {
        <details class={classes!("lints", worst.then_some("bad"))}>
            <summary>{ format!("{} ({})", texts.notes, lints.len()) }</summary>
            <ul>{ for lints.iter().map(item) }</ul>
        </details>
    }
}

fn card(
    report: &Report,
    example: bool,
    today: Date,
    lang: Lang,
    dispatch: &Callback<Action>,
) -> Html {
    let texts = text::of(lang);
    let model = report.model.name.as_deref().unwrap_or("–");
    let mut title = vec![model.to_owned()];
    title.extend(report.model.precision.clone());
    if let Ok((accelerator, count)) = report.accelerator() {
        title.push(if count == 1 {
            accelerator.to_string()
        } else {
            format!("{count}× {accelerator}")
        });
    }
    let tokens = |n: Option<f64>| n.map_or_else(|| "?".to_owned(), |n| number::significant(n, 6));
    let workload = &report.workload;
    let mut facts = vec![match &report.tool.version {
        Some(version) => format!("{} {version}", report.tool.name),
        None => report.tool.name.clone(),
    }];
    facts.push(format!(
        "{} / {}",
        tokens(workload.input_tokens),
        tokens(workload.output_tokens)
    ));
    facts.push(format!("{} {}", report.points.len(), texts.points));
    facts.extend(report.measured_on.map(|day| day.to_string()));
    let id = report.id.clone();
    let onclick = dispatch.reform(move |_| Action::RemoveReport(id.clone()));
    html! {
        <article class="report" data-report={report.id.clone()}>
            <b>{ title.join(" · ") }</b>
            if example { <span class="tag p">{ texts.example }</span> }
            <p>{ facts.join(" · ") }</p>
            if let Some(source) = &report.attribution { <p>{ source }</p> }
            if !report.stated.is_empty() {
                <p>{ format!("{}{}{}", texts.stated, texts.colon, report.stated.join(", ")) }</p>
            }
            { lints(report, today, lang) }
            <button type="button" class="link" {onclick}>{ texts.remove }</button>
        </article>
    }
}

/// A button that opens the file dialogue; files can also be dropped anywhere.
fn chooser(texts: &'static Texts, dispatch: &Callback<Action>) -> Html {
    let dispatch = dispatch.clone();
    let onchange = Callback::from(move |event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        if let Some(files) = input.files() {
            import::files(&files, dispatch.clone());
            // The same file chosen again must be a change again.
            input.set_value("");
        }
    });
    html! {
        <label class="btn file">
            { texts.drop_or_choose }
            <input id="files" type="file" multiple=true accept=".json,.jsonl,.yaml,.yml,.csv,.txt,.log,.gz" {onchange} />
        </label>
    }
}

#[derive(Properties, PartialEq)]
struct PasteProps {
    lang: Lang,
    dispatch: Callback<Action>,
}

#[component]
fn Paste(props: &PasteProps) -> Html {
    let texts = text::of(props.lang);
    let area = use_node_ref();
    let onclick = {
        let (area, dispatch) = (area.clone(), props.dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(area) = area.cast::<HtmlTextAreaElement>() {
                import::text(texts.paste, &area.value(), dispatch.clone());
                area.set_value("");
            }
        })
    };
    html! {
        <details class="paste">
            <summary>{ texts.paste }</summary>
            <textarea ref={area} rows="5" aria-label={texts.paste_label} spellcheck="false" />
            <button type="button" class="btn" {onclick}>{ texts.import }</button>
        </details>
    }
}

#[derive(Properties, PartialEq)]
struct WaitingProps {
    waiting: Waiting,
    lang: Lang,
    dispatch: Callback<Action>,
}

/// Asks for what the file does not say.
#[component]
fn WaitingForm(props: &WaitingProps) -> Html {
    let texts = text::of(props.lang);
    let (accelerator, accelerators) = (use_node_ref(), use_node_ref());
    let onsubmit = {
        let (accelerator, accelerators) = (accelerator.clone(), accelerators.clone());
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let value = |node: &NodeRef| node.cast::<HtmlInputElement>().map(|input| input.value());
            dispatch.emit(Action::State {
                accelerator: value(&accelerator).unwrap_or_default(),
                accelerators: value(&accelerators).unwrap_or_default(),
            });
        })
    };
    let ids: Vec<&str> = props
        .waiting
        .reports
        .iter()
        .map(|report| report.id.as_str())
        .collect();
    html! {
        <form class="waiting" id="waiting" {onsubmit}>
            <p><b>{ ids.join(", ") }</b></p>
            <p>{ texts.needs_accelerator }</p>
            <label for="accelerator">{ texts.accelerator }</label>
            <input id="accelerator" ref={accelerator} type="text" placeholder="H100 80GB SXM" autocomplete="off" />
            <label for="accelerators">{ texts.accelerators }</label>
            <input id="accelerators" ref={accelerators} type="text" inputmode="numeric" placeholder="1, 8, …" autocomplete="off" />
            if let Some(problem) = &props.waiting.problem {
                <p class="problem" role="alert">{ problem.text(props.lang) }</p>
            }
            <button type="submit" class="btn primary" id="use-report">{ texts.use_it }</button>
            <button type="button" class="link" onclick={props.dispatch.reform(|_| Action::Dismiss)}>{ texts.dismiss }</button>
        </form>
    }
}
