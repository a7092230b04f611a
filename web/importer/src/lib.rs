//! The importers as a module of their own, run by the page's worker.
//!
//! The page loads without them and never waits for a file to be read: the worker pushes a file's
//! bytes in chunks, and hands back what they became as one JSON text.

use inferplan_core::{
    Date,
    import::{self, Loaded, Loader, Options},
    price::{
        Overlay,
        catalogue::{self, Request},
        file, reference,
    },
    problem::{Problem, Problems},
    text::Notice,
};
use js_sys::{Object, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{TextDecoder, TextDecoderOptions};

/// A file of prices is kept whole to this size; results above it are read in pieces as they come.
const MOST_PRICE_BYTES: usize = 64 << 20;

/// Files on their way to reports and prices.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    current: Option<Loader>,
    /// The bytes of the current file, while it may still be one of prices.
    whole: Option<Vec<u8>>,
    name: String,
    prices: Overlay,
    notices: Vec<Notice>,
    loaded: Vec<Loaded>,
    problems: Vec<Problem>,
}

/// What the page receives. Reports are texts, so that it reads them as strictly as any document.
#[derive(Serialize)]
struct Outcome {
    reports: Vec<String>,
    /// Prices as an overlay's text; null where no file held any.
    prices: Option<String>,
    /// What to know of them.
    notices: Vec<Notice>,
    problems: Vec<Problem>,
}

#[wasm_bindgen]
impl Session {
    /// No files yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a file.
    pub fn begin(&mut self, name: &str) {
        self.current = Some(Loader::new(name, false));
        self.whole = Some(Vec::new());
        self.name = name.to_owned();
    }

    /// Takes the next bytes of it.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(whole) = &mut self.whole {
            if whole.len() + bytes.len() > MOST_PRICE_BYTES {
                self.whole = None;
            } else {
                whole.extend_from_slice(bytes);
            }
        }
        if let Some(loader) = &mut self.current
            && let Err(problem) = loader.push(bytes)
        {
            self.problems.push(problem);
            self.current = None;
        }
    }

    /// Ends it.
    pub fn end(&mut self) {
        if let Some(read) = self
            .whole
            .take()
            .and_then(|bytes| prices(&bytes, &self.name))
        {
            self.current = None;
            match read {
                Ok((overlay, notices)) => {
                    self.prices.extend(overlay);
                    self.notices.extend(notices);
                }
                Err(problems) => self.problems.extend(problems),
            }
            return;
        }
        match self.current.take().map(|loader| loader.finish(gb18030)) {
            Some(Ok(file)) => self.loaded.push(file),
            Some(Err(problem)) => self.problems.push(problem),
            None => {}
        }
    }

    /// Recognises and reads all files together: runs of one sweep join. A JSON text of reports and
    /// problems.
    #[must_use]
    pub fn read(self) -> String {
        let prices = (!self.prices.is_empty()).then(|| serde_json::to_string(&self.prices));
        let prices = prices.and_then(Result::ok);
        let outcome = Problems::none_in(self.problems)
            .and_then(|()| import::read_loaded(self.loaded, &Options::default()))
            .and_then(|imported| {
                let texts = imported.reports.iter().map(|report| {
                    let text = serde_json::to_string(report);
                    text.map_err(|error| Problem::new(error.to_string(), error.to_string()).into())
                });
                texts.collect::<Result<Vec<String>, Problems>>()
            });
        let outcome = match outcome {
            Ok(reports) => Outcome {
                reports,
                prices,
                notices: self.notices,
                problems: Vec::new(),
            },
            Err(problems) => Outcome {
                reports: Vec::new(),
                prices: None,
                notices: Vec::new(),
                problems: problems.into_iter().collect(),
            },
        };
        serde_json::to_string(&outcome).unwrap_or_default()
    }
}

/// The prices of a file, whichever kind it is; `None` for one that holds none.
fn prices(bytes: &[u8], name: &str) -> Option<Result<(Overlay, Vec<Notice>), Problems>> {
    let text = import::text(bytes, gb18030).ok()?;
    if file::is_price_file(&text) {
        let read = file::read(&text, name);
        return Some(read.map(|file| (file.into_overlay(), Vec::new())));
    }
    if let Some(rates) = reference::read(&text) {
        let overlay = |exchange_rates| Overlay {
            exchange_rates,
            ..Overlay::default()
        };
        let rates = rates.map_err(|problem| problem.in_file(name).into());
        return Some(rates.map(|rates| (overlay(rates), Vec::new())));
    }
    if !catalogue::recognises(&text) {
        return None;
    }
    let read = catalogue::read(&text, name, None, &Request::of_day(today()));
    Some(read.map(|read| {
        let mut notices = read.notices.clone();
        let left = read.left_out.len();
        if left > 0 {
            notices.push(Notice::new(
                "rows-left-out",
                format!("{name}: {left} rows do not fit; `inferplan prices import --all` lists each with its reason."),
                format!("{name}：{left} 行不适用；`inferplan prices import --all` 会逐行说明原因。"),
            ));
        }
        (read.into_overlay(), notices)
    }))
}

fn today() -> Date {
    let now = js_sys::Date::new_0();
    // A browser's date is within the calendar's range; the fallback is never seen.
    Date::new(
        i16::try_from(now.get_full_year()).unwrap_or(1970),
        i8::try_from(now.get_month() + 1).unwrap_or(1),
        i8::try_from(now.get_date()).unwrap_or(1),
    )
    .unwrap_or_default()
}

/// The browser's own decoder; strict, so that other text is refused.
fn gb18030(bytes: &[u8]) -> Option<String> {
    let options = TextDecoderOptions::new();
    options.set_fatal(true);
    let decoder = TextDecoder::new_with_label_and_options("gb18030", &options).ok()?;
    let array: Object = Uint8Array::from(bytes).into();
    decoder.decode_with_buffer_source(&array).ok()
}
