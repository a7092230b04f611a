//! Reading and writing files.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use inferplan_core::{
    import::{self, Imported, Loaded, Loader, Options},
    problem::{Problem, Problems},
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
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Bytes read at a time: a result of any size needs no more memory than what is kept of it.
const CHUNK: usize = 1 << 20;

/// Reads benchmark results of any known tool, files and folders, and joins the runs of each sweep.
///
/// # Errors
/// Every problem of every file.
pub fn reports(paths: &[PathBuf], options: &Options) -> Result<Imported, Problems> {
    let mut loaded = Vec::new();
    let mut problems = Vec::new();
    let mut binary = Vec::new();
    for path in paths {
        let files = if path.is_dir() {
            files_in(path)
        } else {
            Ok(vec![path.clone()])
        };
        let files = match files {
            Ok(files) => files,
            Err(error) => {
                problems.push(unreadable(path, &error));
                continue;
            }
        };
        for file in files {
            let found = file != *path;
            match load(&file, found, options.per_request) {
                Ok(Some(file)) => loaded.push(file),
                Ok(None) => binary.push(file.display().to_string()),
                Err(problem) => problems.push(problem),
            }
        }
    }
    Problems::none_in(problems)?;
    let mut imported = import::read_loaded(loaded, options)?;
    imported.passed_over.extend(binary);
    if imported.reports.is_empty() && !paths.is_empty() {
        return Err(nothing_found(paths).into());
    }
    Ok(imported)
}

/// A folder of other things is more likely a wrong path than a wish for no report.
fn nothing_found(paths: &[PathBuf]) -> Problem {
    let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    Problem::new(
        "no file in it is a result of a known tool",
        "其中没有任何已支持工具的结果",
    )
    .remedy(
        "name a file to be told why it is none, or give the folder of the results",
        "指定某个文件可得知原因，或给出结果所在的文件夹",
    )
    .in_file(&names.join(", "))
}

/// Every file below a folder, in the order of names; hidden ones are left out.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    entries.sort();
    let mut files = Vec::new();
    for entry in entries {
        let hidden = entry
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        // A link to a folder is not followed: it may lead back here.
        let kind = fs::symlink_metadata(&entry)?;
        if kind.is_dir() {
            files.extend(files_in(&entry)?);
        } else if entry.is_file() {
            files.push(entry);
        }
    }
    Ok(files)
}

/// `None` for a database or a picture that was found in a folder: tools leave those beside results.
fn load(path: &Path, found: bool, whole_arrays: bool) -> Result<Option<Loaded>, Problem> {
    let name = path.display().to_string();
    let mut loader = Loader::new(&name, whole_arrays);
    let mut source: Box<dyn Read> = if name == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(fs::File::open(path).map_err(|error| unreadable(path, &error))?)
    };
    let mut chunk = vec![0; CHUNK];
    let mut first = true;
    loop {
        match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                if found && std::mem::take(&mut first) && is_binary(&chunk[..length]) {
                    return Ok(None);
                }
                loader.push(&chunk[..length])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(path, &error)),
        }
    }
    let mut loaded = loader.finish(gb18030)?;
    loaded.found = found;
    Ok(Some(loaded))
}

/// Whether a file's start holds a zero byte, which only UTF-16 text and gzip may.
fn is_binary(start: &[u8]) -> bool {
    let may: [&[u8]; 3] = [b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b"];
    start.iter().take(8_192).any(|byte| *byte == 0) && !may.iter().any(|m| start.starts_with(m))
}

/// The browser's decoder gives the same text: both follow the WHATWG encoding standard.
fn gb18030(bytes: &[u8]) -> Option<String> {
    let text = encoding_rs::GB18030.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some(text.into_owned())
}

/// A file's text: UTF-8 with or without its mark, UTF-16, or GB18030 as spreadsheets in China save it.
///
/// # Errors
/// Bytes that are none of these.
pub fn decoded(bytes: &[u8]) -> Result<String, Problem> {
    import::text(bytes, gb18030)
}

pub fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(
        format!("cannot be read: {error}"),
        format!("无法读取：{error}"),
    )
    .in_file(&path.display().to_string())
}

/// Writes a file whole or not at all: beside it first, then renamed. A link is followed, the mode of
/// a file that is there is kept, and a pipe or a device is written to as it is.
///
/// # Errors
/// A file that cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), Problem> {
    write_whole(path, text).map_err(|error| unwritable(path, &error))
}

pub fn unwritable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(
        format!("cannot be written: {error}"),
        format!("无法写入：{error}"),
    )
    .in_file(&path.display().to_string())
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let there = fs::metadata(&target).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return fs::write(&target, text);
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    if let Some(there) = there {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
