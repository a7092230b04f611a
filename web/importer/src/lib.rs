//! The importers as a module of their own, run by the page's worker.
//!
//! The page loads without them and never waits for a file to be read: the worker pushes a file's
//! bytes in chunks, and hands back what they became as one JSON text.

use inferplan_core::{
    import::{self, Loaded, Loader, Options},
    problem::{Problem, Problems},
};
use js_sys::{Object, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{TextDecoder, TextDecoderOptions};

/// Files on their way to reports.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    current: Option<Loader>,
    loaded: Vec<Loaded>,
    problems: Vec<Problem>,
}

/// What the page receives. Reports are texts, so that it reads them as strictly as any document.
#[derive(Serialize)]
struct Outcome {
    reports: Vec<String>,
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
    }

    /// Takes the next bytes of it.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(loader) = &mut self.current
            && let Err(problem) = loader.push(bytes)
        {
            self.problems.push(problem);
            self.current = None;
        }
    }

    /// Ends it.
    pub fn end(&mut self) {
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
                problems: Vec::new(),
            },
            Err(problems) => Outcome {
                reports: Vec::new(),
                problems: problems.into_iter().collect(),
            },
        };
        serde_json::to_string(&outcome).unwrap_or_default()
    }
}

/// The browser's own decoder; strict, so that other text is refused.
fn gb18030(bytes: &[u8]) -> Option<String> {
    let options = TextDecoderOptions::new();
    options.set_fatal(true);
    let decoder = TextDecoder::new_with_label_and_options("gb18030", &options).ok()?;
    let array: Object = Uint8Array::from(bytes).into();
    decoder.decode_with_buffer_source(&array).ok()
}
