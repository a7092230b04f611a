//! Files and pasted text on their way into the page.

use gloo_file::{Blob, File, FileList, futures::read_as_bytes};
use inferplan_core::{
    import::{self, Imported, Loaded, Loader, Options},
    problem::{Problem, Problems},
};
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen_futures::spawn_local;
use web_sys::TextDecoder;
use yew::Callback;

use crate::state::Action;

/// Bytes read at a time: between two chunks the page repaints, and a result of any size needs no
/// more memory than what is kept of it.
const CHUNK: u64 = 4 << 20;

/// A file on its way: its text, or why it has none.
pub type Read = Result<Loaded, Problem>;

/// Recognises and reads files, all together: runs of one sweep join.
pub fn read(files: Vec<Read>) -> Result<Imported, Problems> {
    let mut loaded = Vec::new();
    let mut problems = Vec::new();
    for file in files {
        match file {
            Ok(file) => loaded.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    Problems::none_in(problems)?;
    import::read_loaded(loaded, &Options::default())
}

/// A pasted text as a file.
pub fn pasted(name: &str, text: &str) -> Read {
    let mut loader = Loader::new(name, false);
    loader.push(text.as_bytes())?;
    loader.finish(gb18030)
}

/// Loads files without blocking the page and hands them on.
pub fn load(files: web_sys::FileList, dispatch: Callback<Action>) {
    let files = FileList::from(files);
    if files.is_empty() {
        return;
    }
    let files: Vec<File> = files.to_vec();
    spawn_local(async move {
        let mut read = Vec::new();
        for file in files {
            read.push(load_one(&file).await);
        }
        dispatch.emit(Action::Import(read));
    });
}

async fn load_one(file: &File) -> Read {
    // A dropped folder's files carry their path, by which parts of one result are joined.
    let raw: &web_sys::File = file.as_ref();
    let path = Reflect::get(raw, &"webkitRelativePath".into()).ok();
    let path = path
        .and_then(|path| path.as_string())
        .filter(|path| !path.is_empty());
    let name = path.unwrap_or_else(|| file.name());
    let unreadable = || {
        Problem::new(
            "the browser could not read the file",
            "浏览器无法读取该文件",
        )
        .in_file(&name)
    };
    let mut loader = Loader::new(&name, false);
    let mut at = 0;
    while at < file.size() {
        let to = (at + CHUNK).min(file.size());
        let part = Blob::slice(file, at, to);
        let bytes = read_as_bytes(&part).await.map_err(|_| unreadable())?;
        loader.push(&bytes)?;
        at = to;
    }
    loader.finish(gb18030)
}

/// The browser's own decoder; strict, so that other text is refused.
fn gb18030(bytes: &[u8]) -> Option<String> {
    let options = web_sys::TextDecoderOptions::new();
    options.set_fatal(true);
    let decoder = TextDecoder::new_with_label_and_options("gb18030", &options).ok()?;
    let array: Object = Uint8Array::from(bytes).into();
    decoder.decode_with_buffer_source(&array).ok()
}
