//! A Prometheus for the tests, from Debian's package.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    Error,
    run::{on_path, output, run, say, target},
};

/// Where it is, set up where it is missing.
///
/// The package is unpacked and not installed: installing it would start a server on this machine
/// and at its every boot.
///
/// # Errors
/// No apt-get or dpkg, no network, or a program that does not start.
pub fn prometheus() -> Result<PathBuf, Error> {
    if let Some(system) = on_path(&["prometheus"]) {
        return Ok(system);
    }
    let folder = target().join("tools/prometheus");
    let program = folder.join("usr/bin/prometheus");
    let works = || output(&program.to_string_lossy(), &["--version"]).is_some();
    if works() {
        return Ok(program);
    }
    if on_path(&["apt-get"]).is_none() || on_path(&["dpkg-deb"]).is_none() {
        return Err("no apt-get and dpkg-deb here to bring Debian's prometheus".to_owned());
    }
    say("Bringing Prometheus for the tests, 30 MB; a few seconds");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    run(Command::new("apt-get")
        .args(["download", "-qq", "prometheus"])
        .current_dir(&folder))?;
    let files = fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let package = files
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|end| end == "deb"))
        .ok_or("apt-get brought no package")?;
    run(Command::new("dpkg-deb")
        .arg("--extract")
        .args([&package, &folder]))?;
    if works() {
        Ok(program)
    } else {
        Err("it was unpacked but does not start".to_owned())
    }
}
