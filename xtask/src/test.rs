//! `cargo xtask test`: every test there is.

use crate::{
    Error, browser, monitor, page,
    run::{cargo, output, run, say},
    tools,
};

/// Sets up, checks form, and runs the tests: units, what load tools write, then the command
/// line as a process, golden files and the page in a browser.
///
/// # Errors
/// Whatever fails first.
pub fn all() -> Result<(), Error> {
    let browser = browser::find()?;
    page::build(&page::default_folder())?;
    if output("cargo", &["fmt", "--version"]).is_some() {
        say("Form: rustfmt");
        run(cargo().args(["fmt", "--all", "--check"]))?;
    }
    if output("cargo", &["clippy", "--version"]).is_some() {
        say("Lints: clippy; a minute or two the first time");
        run(cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--quiet",
            "--",
            "--deny",
            "warnings",
        ]))?;
    }
    say("Unit tests");
    run(cargo().args([
        "test",
        "--workspace",
        "--all-features",
        "--exclude",
        "inferplan-web",
        "--exclude",
        "inferplan-importer",
        "--exclude",
        "inferplan-tests",
        "--exclude",
        "inferplan-tools-tests",
    ]))?;
    tools::light()?;
    say("End to end: golden files, the command line, the page in Chromium");
    run(cargo().args(["build", "--package", "inferplan"]))?;
    let mut tests = cargo();
    tests
        .args(["test", "--package", "inferplan-tests", "--tests"])
        .env("CHROMIUM", browser.chromium)
        .env("CHROMEDRIVER", browser.driver);
    match monitor::prometheus() {
        Ok(prometheus) => {
            tests.env("INFERPLAN_PROMETHEUS", prometheus);
        }
        Err(error) => say(&format!(
            "Left out: the test against a real Prometheus ({error})"
        )),
    }
    run(&mut tests)
}
