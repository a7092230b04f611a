//! Embeds the built page, where there is one, so that `inferplan serve` needs no other file.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let folder = env::var_os("INFERPLAN_PAGE").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist"),
        PathBuf::from,
    );
    println!("cargo::rerun-if-env-changed=INFERPLAN_PAGE");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    if folder.join("index.html").is_file() {
        for entry in fs::read_dir(folder.canonicalize()?)? {
            let path = entry?.path();
            if path.is_file() {
                println!("cargo::rerun-if-changed={}", path.display());
                files.push(path);
            }
        }
    }
    files.sort();
    let entries: String = files
        .iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            Some(format!(
                "({name:?}, include_bytes!({:?}).as_slice()),\n",
                path.display().to_string()
            ))
        })
        .collect();
    let code = format!("pub const FILES: &[(&str, &[u8])] = &[\n{entries}];\n");
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join("page.rs"), code)
}
