//! `cargo xtask start`: from a fresh clone to the planner.

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use crate::{
    Error, page,
    run::{cargo, on_path, root, run, say, target},
};

/// Builds the page and the command line, prints the example comparison, serves the page.
///
/// # Errors
/// Whatever fails first.
pub fn planner(args: &[&str]) -> Result<(), Error> {
    let mut serve = vec!["serve"];
    let mut open = true;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--no-open" => open = false,
            "--port" => serve.extend(["--port", args.next().ok_or("--port needs a number")?]),
            other => return Err(format!("start does not know `{other}`")),
        }
    }
    page::build(&page::default_folder())?;
    say("Building the command line; two minutes the first time, seconds after");
    run(cargo().args(["build", "--release", "--package", "inferplan"]))?;
    let inferplan = target()
        .join("release")
        .join(format!("inferplan{}", env::consts::EXE_SUFFIX));
    say("An example: Qwen3-8B on one H100, one request a second");
    run(Command::new(&inferplan).current_dir(root()).args([
        "compare",
        "--scenario",
        "examples/scenario.json",
        "--report",
        "examples/reports/qwen3-8b-h100.json",
    ]))?;
    say("Serving the page");
    let mut child = Command::new(&inferplan)
        .args(serve)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}", inferplan.display()))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            println!("{line}");
            if let Some(address) = address_in(&line).filter(|_| open) {
                show(address);
            }
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    // Ctrl-C ends both; that is how it is meant to end.
    match status.code() {
        Some(0) | None => Ok(()),
        Some(code) => Err(format!("inferplan serve ended with {code}")),
    }
}

fn address_in(line: &str) -> Option<&str> {
    let from = line.find("http://")?;
    line[from..]
        .split(|c: char| c.is_whitespace() || c == '（')
        .next()
}

/// Opens the page where there is a desktop; elsewhere the printed address has to do.
fn show(address: &str) {
    let desktop = env::var_os("DISPLAY").is_some() || env::var_os("WAYLAND_DISPLAY").is_some();
    let opener = if cfg!(target_os = "macos") {
        on_path(&["open"])
    } else {
        on_path(&["xdg-open"]).filter(|_| desktop)
    };
    if let Some(opener) = opener {
        let quiet = Command::new(opener)
            .arg(address)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // The address is on the screen either way.
        drop(quiet);
    }
}
