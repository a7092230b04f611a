//! Embeds the built page, where there is one, so that `inferplan serve` needs no other file.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
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
    let mut entries = String::new();
    for path in &files {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if name.ends_with(".br") {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        fs::read(path)?.hash(&mut hasher);
        let tag = format!("\"{:016x}\"", hasher.finish());
        let embed = |path: &Path| {
            format!(
                "include_bytes!({:?}).as_slice()",
                path.display().to_string()
            )
        };
        let small = path.with_file_name(format!("{name}.br"));
        let brotli = match small.is_file() {
            true => format!("Some({})", embed(&small)),
            false => "None".to_owned(),
        };
        entries += &format!(
            "File {{ name: {name:?}, tag: {tag:?}, bytes: {}, brotli: {brotli} }},\n",
            embed(path)
        );
    }
    let code = format!("pub const FILES: &[File] = &[\n{entries}];\n");
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join("page.rs"), code)
}
