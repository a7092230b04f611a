//! Files and pasted text on their way into the page.

use gloo_file::{File, FileList, futures::read_as_bytes};
use inferplan_core::{
    import::{self, Stated},
    problem::Problems,
    report::Report,
};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::state::Action;

/// Reads the files the user chose or dropped, all together: runs of one sweep join.
pub fn read(files: &[(String, Vec<u8>)], stated: &Stated) -> Result<Vec<Report>, Problems> {
    let named = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    import::read_all(named, stated)
}

/// Loads files without blocking the page and hands them on.
pub fn load(files: web_sys::FileList, dispatch: Callback<Action>) {
    let files = FileList::from(files);
    if files.is_empty() {
        return;
    }
    let files: Vec<File> = files.to_vec();
    spawn_local(async move {
        let mut contents = Vec::new();
        for file in files {
            // A file that cannot be read imports as an empty one, and says so.
            let bytes = read_as_bytes(&file).await.unwrap_or_default();
            contents.push((file.name(), bytes));
        }
        dispatch.emit(Action::Import(contents));
    });
}
