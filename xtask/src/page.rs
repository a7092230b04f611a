//! The static page: the compiled module, its JavaScript, and the files of `web/static`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use wasm_bindgen_cli_support::Bindgen;

use crate::{
    Error,
    run::{on_path, output, root, run, say},
    toolchain::{self, TARGET},
};

/// The page's own module, and the importers', which its worker loads when a file comes.
const MODULES: [&str; 2] = ["inferplan_web", "inferplan_importer"];

/// Older ones cannot read what the compiler writes.
const OLDEST_WASM_OPT: u32 = 116;

/// Where the page goes unless told otherwise, and where the command line's build looks for it.
pub fn default_folder() -> PathBuf {
    root().join("dist")
}

/// Builds the page into a folder, which then holds it whole.
///
/// # Errors
/// A build that fails, or a folder that cannot be written.
pub fn build(folder: &Path) -> Result<(), Error> {
    let toolchain = toolchain::find()?;
    say("Building the page; a minute or two the first time, seconds after");
    let (mut command, target) = toolchain.build();
    run(&mut command)?;
    let built = target.join(TARGET).join("page");
    let modules = MODULES.map(|name| built.join(format!("{name}.wasm")));
    if is_newer(folder, &modules) {
        say(&format!("The page in {} is up to date", folder.display()));
        return Ok(());
    }
    // Made beside its place and then moved there, so that no half page is ever served.
    let beside = folder.with_extension("new");
    let failed =
        |error: io::Error| format!("cannot write the page to {}: {error}", folder.display());
    remove(&beside).map_err(failed)?;
    fs::create_dir_all(&beside).map_err(failed)?;
    for (name, module) in MODULES.iter().zip(&modules) {
        Bindgen::new()
            .input_path(module)
            .web(true)
            .map_err(|error| error.to_string())?
            .typescript(false)
            .omit_default_module_path(true)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(&beside)
            .map_err(|error| format!("wasm-bindgen: {error:#}"))?;
        optimise(&beside.join(format!("{name}_bg.wasm")))?;
    }
    for file in statics().map_err(failed)? {
        let name = file.file_name().ok_or("a static file has no name")?;
        fs::copy(&file, beside.join(name)).map_err(failed)?;
    }
    compress(&beside).map_err(failed)?;
    remove(folder).map_err(failed)?;
    fs::rename(&beside, folder).map_err(failed)?;
    say(&format!("The page is in {}", folder.display()));
    Ok(())
}

/// Writes each file's brotli beside it, for servers that send what is compressed already.
fn compress(folder: &Path) -> io::Result<()> {
    say("Compressing the page; a few seconds");
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    for path in entries.iter().map(fs::DirEntry::path) {
        let bytes = fs::read(&path)?;
        let mut small = Vec::new();
        // The best quality, and a window over the whole file.
        let settings = brotli::enc::BrotliEncoderParams {
            size_hint: bytes.len(),
            ..Default::default()
        };
        brotli::BrotliCompress(&mut bytes.as_slice(), &mut small, &settings)?;
        let mut name = path.into_os_string();
        name.push(".br");
        fs::write(name, small)?;
    }
    Ok(())
}

fn statics() -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root().join("web/static"))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Whether the built page is newer than everything it is made of.
fn is_newer(folder: &Path, modules: &[PathBuf]) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let statics = statics().unwrap_or_default();
    let whole = statics.iter().all(|file| {
        file.file_name()
            .is_some_and(|name| folder.join(name).is_file())
    });
    let built = MODULES.map(|name| changed(&folder.join(format!("{name}_bg.wasm"))));
    let Some(oldest) = built.into_iter().min().flatten() else {
        return false;
    };
    whole
        && statics
            .iter()
            .chain(modules)
            .all(|part| changed(part).is_some_and(|time| time <= oldest))
}

/// Shrinks the module where a recent wasm-opt is on the path; the page works without.
fn optimise(module: &Path) -> Result<(), Error> {
    let version = output("wasm-opt", &["--version"]).and_then(|text| {
        text.split_whitespace().find_map(|word| {
            word.trim_matches(|c: char| !c.is_ascii_digit())
                .parse::<u32>()
                .ok()
        })
    });
    if on_path(&["wasm-opt"]).is_none() || version.is_none_or(|version| version < OLDEST_WASM_OPT) {
        return Ok(());
    }
    say("Shrinking the module with wasm-opt");
    run(Command::new("wasm-opt")
        .args(["-Oz", "--all-features"])
        .arg(module)
        .arg("-o")
        .arg(module))
}
