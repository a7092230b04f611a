//! Files and pasted text on their way into the page: a worker reads them, with the importers in a
//! module of its own.

use std::cell::RefCell;

use inferplan_core::{
    document,
    price::Overlay,
    problem::{Problem, Problems},
    report::Report,
    text::Notice,
};
use js_sys::{Array, Object, Reflect};
use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::{JsValue, prelude::Closure};
use web_sys::{Blob, FileList, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use crate::state::Action;

const WORKER: &str = "importer.js";

/// What some files held.
#[derive(Default)]
pub struct Imported {
    /// Their reports.
    pub reports: Vec<Report>,
    /// Their prices.
    pub prices: Option<Overlay>,
    /// What to know of the prices.
    pub notices: Vec<Notice>,
}

/// What came of some files.
pub type Outcome = Result<Imported, Problems>;

thread_local! {
    /// The worker at work, kept so that it can be stopped.
    static AT_WORK: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// What the worker hands back.
#[derive(Deserialize)]
struct Read {
    reports: Vec<String>,
    prices: Option<String>,
    notices: Vec<Notice>,
    problems: Vec<Problem>,
}

/// Reads the files the user chose or dropped, all together.
pub fn files(files: &FileList, dispatch: Callback<Action>) {
    let list = Array::new();
    for file in (0..files.length()).filter_map(|i| files.get(i)) {
        // A dropped folder's files carry their path, by which parts of one result are joined.
        let path = Reflect::get(&file, &"webkitRelativePath".into()).ok();
        let path = path
            .and_then(|path| path.as_string())
            .filter(|path| !path.is_empty());
        list.push(&entry(&path.unwrap_or_else(|| file.name()), &file));
    }
    if list.length() > 0 {
        start(&list, dispatch);
    }
}

/// Reads a text: pasted, or brought from an address.
pub fn text(name: &str, text: &str, dispatch: Callback<Action>) {
    let parts = Array::of1(&JsValue::from_str(text));
    match Blob::new_with_str_sequence(&parts) {
        Ok(blob) => start(&Array::of1(&entry(name, &blob)), dispatch),
        Err(error) => dispatch.emit(Action::Imported(Err(failure(&format!("{error:?}"))))),
    }
}

/// Stops the worker, whatever it has read by now.
pub fn cancel() {
    if let Some(worker) = AT_WORK.take() {
        worker.terminate();
    }
}

/// `{ name, file }`, as the worker wants it.
fn entry(name: &str, file: &JsValue) -> JsValue {
    let entry = Object::new();
    // Setting a property of a plain object cannot fail.
    let _ = Reflect::set(&entry, &"name".into(), &name.into());
    let _ = Reflect::set(&entry, &"file".into(), file);
    entry.into()
}

fn start(files: &Array, dispatch: Callback<Action>) {
    cancel();
    if let Err(error) = post(files, dispatch.clone()) {
        dispatch.emit(Action::Imported(Err(failure(&format!("{error:?}")))));
    }
}

/// Starts a worker and gives it the files. The page goes on; messages become actions.
fn post(files: &Array, dispatch: Callback<Action>) -> Result<(), JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(WORKER, &options)?;
    dispatch.emit(Action::Importing(0.0));
    let on_message = {
        let dispatch = dispatch.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let part =
                |key: &str| Reflect::get(&event.data(), &key.into()).unwrap_or(JsValue::NULL);
            if let Some(share) = part("progress").as_f64() {
                dispatch.emit(Action::Importing(share));
            } else if let Some(outcome) = part("outcome").as_string() {
                cancel();
                dispatch.emit(Action::Imported(parse(&outcome)));
            } else {
                cancel();
                let error = part("failure").as_string().unwrap_or_default();
                dispatch.emit(Action::Imported(Err(failure(&error))));
            }
        })
    };
    let on_error = Closure::<dyn FnMut(JsValue)>::new(move |_: JsValue| {
        cancel();
        dispatch.emit(Action::Imported(Err(failure("the worker did not start"))));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    // They live as long as the worker may call them; a few hundred bytes an import.
    on_message.forget();
    on_error.forget();
    let message = Object::new();
    Reflect::set(&message, &"files".into(), files)?;
    worker.post_message(&message)?;
    AT_WORK.set(Some(worker));
    Ok(())
}

fn parse(outcome: &str) -> Outcome {
    let read: Read = serde_json::from_str(outcome).map_err(|error| failure(&error.to_string()))?;
    Problems::none_in(read.problems)?;
    let reports = read.reports.iter().map(|text| Report::read(text, ""));
    // The worker has checked it; reading it as one kind of document keeps the page small.
    let prices = read.prices.map(|text| document::read::<Overlay>(&text, ""));
    Ok(Imported {
        reports: reports.collect::<Result<_, _>>()?,
        prices: prices.transpose()?,
        notices: read.notices,
    })
}

fn failure(error: &str) -> Problems {
    Problem::new(
        format!("the files could not be read: {error}"),
        format!("无法读取文件：{error}"),
    )
    .into()
}
