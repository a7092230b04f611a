//! Tests against current releases of load tools, in Python environments of the target folder.

use std::{path::PathBuf, process::Command};

use crate::{
    Error, apt,
    run::{cargo, on_path, output, run, say, target},
};

/// What is installed together.
struct Environment {
    name: &'static str,
    packages: &'static [&'static str],
    /// Imports by which a whole environment is told from a half-made one.
    works: &'static str,
    takes: &'static str,
}

/// Those that install in seconds, for every run of the tests.
const LIGHT: Environment = Environment {
    name: "light",
    packages: &["locust", "mlcommons_loadgen", "duckdb"],
    works: "import locust, mlperf_loadgen, duckdb",
    takes: "about half a minute",
};

/// Those that take minutes and gigabytes, for who asks for them.
const HEAVY: [Environment; 3] = [
    Environment {
        name: "evalscope",
        packages: &["evalscope[perf]"],
        works: "import evalscope.perf",
        takes: "a minute or two, 1.2 GB",
    },
    Environment {
        name: "aiperf",
        packages: &["aiperf"],
        works: "import aiperf",
        takes: "a minute or two, 1.2 GB",
    },
    Environment {
        name: "guidellm",
        packages: &["guidellm"],
        works: "import guidellm",
        takes: "about three minutes, 6 GB",
    },
];

/// Installs the light tools, and runs the tests of what they write.
///
/// Where they cannot be installed (no network, no Python) this says so and goes on: no test of the
/// planner itself needs them.
///
/// # Errors
/// A test that fails.
pub fn light() -> Result<(), Error> {
    if let Err(error) = install(&LIGHT) {
        say(&format!(
            "Left out: the tests against current load tools ({error})"
        ));
        return Ok(());
    }
    say("What current releases of load tools write");
    test("tools")
}

/// Installs all of them, and runs all these tests.
///
/// # Errors
/// A tool that cannot be installed, or a test that fails.
pub fn all() -> Result<(), Error> {
    for environment in [&LIGHT].into_iter().chain(&HEAVY) {
        install(environment)?;
    }
    test("tools")?;
    test("heavy")
}

fn test(name: &str) -> Result<(), Error> {
    run(cargo()
        .args(["test", "--package", "inferplan-tools-tests", "--test", name])
        .env("INFERPLAN_TOOLS", folder()))
}

fn folder() -> PathBuf {
    target().join("tools")
}

fn install(environment: &Environment) -> Result<(), Error> {
    let folder = folder().join(environment.name);
    let python = folder.join("bin/python");
    let works = || output(&python.to_string_lossy(), &["-c", environment.works]).is_some();
    if works() {
        return Ok(());
    }
    say(&format!(
        "Installing {} for the tests; {}",
        environment.packages.join(", "),
        environment.takes
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
        .args(["-m", "pip", "install", "--quiet"])
        .arg("--disable-pip-version-check")
        .args(environment.packages))?;
    if works() {
        Ok(())
    } else {
        Err("they installed but do not start".to_owned())
    }
}
