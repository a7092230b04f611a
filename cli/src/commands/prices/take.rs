//! Taking something new in an old one's place: asked for first, the old one kept.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
};

use inferplan_core::{price::book::sha256, problem::Problem, text::Lang};

use crate::{failure::Failure, files, store};

/// Whether to take it: the user's answer, or what a flag said.
pub fn agreed(yes: bool, lang: Lang) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        match lang {
            Lang::En => eprintln!("not taken: --yes takes it without asking"),
            Lang::Zh => eprintln!("未更新：加 --yes 可直接更新"),
        }
        return Ok(false);
    }
    match lang {
        Lang::En => eprint!("Take it? [y/N] "),
        Lang::Zh => eprint!("是否更新？[y/N] "),
    }
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(["y", "yes", "是"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Puts a text in a file's place; what was there stays beside it, named by its checksum.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn replace(path: &Path, text: &str) -> Result<Option<PathBuf>, Problem> {
    let old = match fs::read_to_string(path) {
        Ok(old) if old != text => Some(old),
        Ok(_) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(files::unreadable(path, &error)),
    };
    let kept = old
        .map(|old| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{stem}.{}.json.old", &sha256(&old)[..12]);
            let beside = path.with_file_name(name);
            files::write(&beside, &old).map(|()| beside)
        })
        .transpose()?;
    store::keep(path, text)?;
    Ok(kept)
}
