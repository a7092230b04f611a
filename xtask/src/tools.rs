//! Tests against current releases of load tools, in a Python environment of the target folder.

use std::{path::PathBuf, process::Command};

use crate::{
    Error, apt,
    run::{cargo, on_path, output, run, say, target},
};

/// Those that install in seconds; the heavier ones are left to whoever wants them.
const PACKAGES: [&str; 2] = ["locust", "mlcommons_loadgen"];

/// Installs the tools, and runs the tests of what they write.
///
/// Where the tools cannot be installed (no network, no Python) this says so and goes on: no test
/// of the planner itself needs them.
///
/// # Errors
/// A test that fails.
pub fn test() -> Result<(), Error> {
    let folder = match installed() {
        Ok(folder) => folder,
        Err(error) => {
            say(&format!(
                "Left out: the tests against current load tools ({error})"
            ));
            return Ok(());
        }
    };
    say("What current releases of load tools write");
    run(cargo()
        .args(["test", "--package", "inferplan-tools-tests", "--tests"])
        .env("INFERPLAN_TOOLS", folder))
}

fn installed() -> Result<PathBuf, Error> {
    let folder = target().join("tools");
    let python = folder.join("bin/python");
    // A half-made environment is told by what it cannot import.
    if works(&python) {
        return Ok(folder);
    }
    say(&format!(
        "Installing {} for the tests; about half a minute",
        PACKAGES.join(", ")
    ));
    if on_path(&["python3"]).is_none() || output("python3", &["-c", "import ensurepip"]).is_none() {
        apt::install(
            &["python3", "python3-venv"],
            "Python for the load tools of the tests",
        )?;
    }
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder))?;
    run(Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(PACKAGES))?;
    if works(&python) {
        Ok(folder)
    } else {
        Err("they installed but do not start".to_owned())
    }
}

fn works(python: &std::path::Path) -> bool {
    output(
        &python.to_string_lossy(),
        &["-c", "import locust, mlperf_loadgen"],
    )
    .is_some()
}
