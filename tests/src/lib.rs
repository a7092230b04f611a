//! What the end-to-end tests share: the built command line, the fixtures, a server.

use std::{
    env,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

/// The workspace's folder.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// A file of `tests/fixtures`.
#[must_use]
pub fn fixture(name: &str) -> String {
    let path = root().join("tests/fixtures").join(name);
    path.display().to_string()
}

/// The example report: a measured sweep of ten loads.
#[must_use]
pub fn example_report() -> String {
    root()
        .join("examples/reports/qwen3-8b-h100.json")
        .display()
        .to_string()
}

/// The built command line, beside the running test.
///
/// # Panics
/// Where it was not built.
#[must_use]
pub fn inferplan() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let folder = test.ancestors().nth(2).expect("target/debug/deps/test");
    let binary = folder.join(format!("inferplan{}", env::consts::EXE_SUFFIX));
    assert!(
        binary.is_file(),
        "{} is not built: run `cargo xtask test`, or `cargo build -p inferplan` first",
        binary.display()
    );
    binary
}

/// What a run of the command line gave.
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// Standard output as JSON.
    ///
    /// # Panics
    /// Where it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }
}

/// Runs the command line in the workspace's folder, in English.
///
/// # Panics
/// Where it cannot start or writes no UTF-8.
pub fn run<S: AsRef<str>>(args: &[S]) -> Run {
    // Nothing that this machine's user keeps may change a figure.
    run_at(&root().join("target/no-such-home"), args)
}

/// The same with a folder of kept prices.
///
/// # Panics
/// As [`run`].
pub fn run_at<S: AsRef<str>>(home: &Path, args: &[S]) -> Run {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(inferplan())
        .current_dir(root())
        .env("LC_ALL", "C")
        .env("INFERPLAN_HOME", home)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("inferplan starts");
    Run {
        code: status.code().unwrap_or(-1),
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// A running `inferplan serve`; ended when dropped.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub address: String,
}

impl Server {
    /// Serves the page on a free port of loopback.
    ///
    /// # Panics
    /// Where it does not start, as when the build holds no page.
    #[must_use]
    pub fn start() -> Self {
        let mut child = Command::new(inferplan())
            .args(["--lang", "en", "serve", "--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("inferplan starts");
        let stdout = child.stdout.take().expect("piped");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .expect("the address is printed; is the page built?")
            .to_owned();
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
