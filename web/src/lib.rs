//! The planner's page: one scenario in, one comparison out, computed in the browser by the same
//! core as the command line. Nothing leaves the browser.

mod browser;
mod chart;
mod fetch;
mod import;
mod state;
mod text;
mod view;

use wasm_bindgen::prelude::wasm_bindgen;

/// Starts the page; called by `boot.js` once the module is loaded.
#[wasm_bindgen]
pub fn start() {
    yew::Renderer::<view::App>::new().render();
}
