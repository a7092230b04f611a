//! `cargo xtask corpus FOLDER`: what fuzzing found, packed for the ordinary tests to replay.

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};

use crate::{
    Error,
    run::{root, say},
};

/// Packs a folder of inputs, such as `cargo fuzz cmin` leaves, one in hexadecimal a line.
///
/// # Errors
/// A folder that cannot be read, or a file that cannot be written.
pub fn pack(folder: &str) -> Result<(), Error> {
    let shown = |error: std::io::Error| format!("{folder}: {error}");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(shown)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(shown)?;
    files.sort();
    let mut lines = String::new();
    for file in &files {
        for byte in fs::read(file).map_err(shown)? {
            // Writing to a string cannot fail.
            let _ = write!(lines, "{byte:02x}");
        }
        lines.push('\n');
    }
    let packed = root().join("tests/fixtures/fuzz/corpus.hex.gz");
    write_whole(&packed, &lines).map_err(|error| format!("{}: {error}", packed.display()))?;
    say(&format!(
        "{} inputs are in {}",
        files.len(),
        packed.display()
    ));
    Ok(())
}

fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(text.as_bytes())?;
    let beside = path.with_extension("new");
    fs::write(&beside, gzip.finish()?)?;
    fs::rename(beside, path)
}
