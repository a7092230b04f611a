//! Reading and writing files.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use inferplan_core::{
    import,
    import::Stated,
    problem::{Problem, Problems},
    report::Report,
};

/// A file's name for messages and its bytes. `-` is standard input.
///
/// # Errors
/// A file that cannot be read.
pub fn read(path: &Path) -> Result<(String, Vec<u8>), Problem> {
    let name = path.display().to_string();
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    match bytes {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => Err(Problem::new(
            format!("cannot be read: {error}"),
            format!("无法读取：{error}"),
        )
        .in_file(&name)),
    }
}

/// Reads benchmark results of any known tool and joins the runs of each sweep.
///
/// # Errors
/// Every problem of every file.
pub fn reports(paths: &[PathBuf], stated: &Stated) -> Result<Vec<Report>, Problems> {
    let mut contents = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        match read(path) {
            Ok(content) => contents.push(content),
            Err(problem) => problems.push(problem),
        }
    }
    Problems::none_in(problems)?;
    let named = contents
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    import::read_all(named, stated)
}

/// Writes a file whole or not at all: beside it first, then renamed.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), Problem> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)
    });
    written.map(drop).map_err(|error| {
        Problem::new(
            format!("cannot be written: {error}"),
            format!("无法写入：{error}"),
        )
        .in_file(&path.display().to_string())
    })
}
