//! Debian's package manager, where there is one.

use std::process::Command;

use crate::{
    Error,
    run::{on_path, output, run, say},
};

/// Installs packages, as root or through sudo.
///
/// # Errors
/// No apt-get, no right to use it, or a package that cannot be had.
pub fn install(packages: &[&str], why: &str) -> Result<(), Error> {
    let list = packages.join(" ");
    if on_path(&["apt-get"]).is_none() {
        return Err(format!(
            "{why}: there is no apt-get here to install {list} with"
        ));
    }
    say(&format!("Installing {list} ({why}); a minute or two"));
    let root = output("id", &["-u"]).is_some_and(|id| id == "0");
    if !root && on_path(&["sudo"]).is_none() {
        return Err(format!(
            "{why}: run as root, or with sudo: apt-get install {list}"
        ));
    }
    let apt = |words: &[&str]| {
        let mut command = if root {
            Command::new("apt-get")
        } else {
            Command::new("sudo")
        };
        if !root {
            command.args(["--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
        }
        command.env("DEBIAN_FRONTEND", "noninteractive").args(words);
        run(&mut command)
    };
    apt(&["update", "-qq"])?;
    let mut words = vec!["install", "-y", "-qq", "--no-install-recommends"];
    words.extend(packages);
    apt(&words)
}
