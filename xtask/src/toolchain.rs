//! A compiler that can build for wasm32, found or made.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Error, apt,
    run::{cargo, on_path, output, root, run, say},
};

pub const TARGET: &str = "wasm32-unknown-unknown";
/// Debian's compiler with the sources of the standard library; newer than Debian's `rustc`.
const DEBIAN: &[&str] = &["rustc-web", "cargo-web", "rust-web-src"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
/// Set to `debian` to build as on a machine without the target's standard library.
const FORCE: &str = "INFERPLAN_WASM_TOOLCHAIN";

/// How to build for wasm32.
pub enum Toolchain {
    /// The compiler in use has the target.
    Own,
    /// Debian's compiler builds the standard library itself, with this linker.
    Debian {
        /// `rust-lld` or `wasm-ld`.
        linker: PathBuf,
    },
}

/// Looks for the target's standard library: installed, by rustup, or built with Debian's compiler.
///
/// # Errors
/// None of them can be had; says what to install.
pub fn find() -> Result<Toolchain, Error> {
    let forced = env::var(FORCE).is_ok_and(|value| value == "debian");
    if !forced {
        if installed() {
            return Ok(Toolchain::Own);
        }
        if on_path(&["rustup"]).is_some() {
            say(&format!("Adding {TARGET} with rustup; some seconds"));
            let added = run(Command::new("rustup")
                .current_dir(root())
                .args(["target", "add", TARGET]));
            if added.is_ok() && installed() {
                return Ok(Toolchain::Own);
            }
            say("rustup could not add it");
        }
    }
    debian().map_err(|error| {
        format!(
            "the page needs the standard library of {TARGET}, and it could not be had ({error}).\n\
             Install it with `rustup target add {TARGET}`, or on Debian with `apt-get install {}`.",
            DEBIAN.join(" ")
        )
    })
}

impl Toolchain {
    /// The command that builds the page, and the target folder it builds into.
    pub fn build(&self) -> (Command, PathBuf) {
        let words = [
            "build",
            "--package",
            "inferplan-web",
            "--package",
            "inferplan-importer",
            "--profile",
            "page",
            "--target",
            TARGET,
        ];
        match self {
            Self::Own => {
                let target = root().join("target");
                let mut command = cargo();
                command.args(words).arg("--target-dir").arg(&target);
                (command, target)
            }
            Self::Debian { linker } => {
                let target = root().join("target/debian");
                let mut command = Command::new(DEBIAN_CARGO);
                // What `cargo run` and rustup have set is for the other compiler.
                for name in [
                    "RUSTC",
                    "RUSTDOC",
                    "RUSTFLAGS",
                    "RUSTUP_TOOLCHAIN",
                    "RUSTC_WRAPPER",
                    "CARGO",
                ] {
                    command.env_remove(name);
                }
                command
                    .current_dir(root())
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("RUSTC", DEBIAN_RUSTC)
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                    .args(words)
                    .arg("-Zbuild-std=std,panic_abort")
                    .arg("--target-dir")
                    .arg(&target);
                (command, target)
            }
        }
    }
}

fn installed() -> bool {
    let folder = output("rustc", &["--print", "target-libdir", "--target", TARGET]);
    folder.is_some_and(|folder| Path::new(&folder).is_dir())
}

fn debian() -> Result<Toolchain, Error> {
    let has_sources = || {
        let sysroot = output(DEBIAN_RUSTC, &["--print", "sysroot"])?;
        let sources = Path::new(&sysroot).join("lib/rustlib/src/rust/library/std");
        sources.exists().then_some(())
    };
    if has_sources().is_none() || !Path::new(DEBIAN_CARGO).is_file() {
        apt::install(DEBIAN, "a compiler that can build for the browser")?;
    }
    let linker = linker().ok_or("neither rust-lld nor wasm-ld is here; install `lld`")?;
    say(
        "Building the browser's standard library with Debian's compiler; two minutes the first time",
    );
    Ok(Toolchain::Debian { linker })
}

/// rustup's own linker beside its compiler, or LLVM's.
fn linker() -> Option<PathBuf> {
    let sysroot = output("rustc", &["--print", "sysroot"])?;
    let host = output("rustc", &["-vV"])?;
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))?
        .to_owned();
    let beside = Path::new(&sysroot)
        .join("lib/rustlib")
        .join(host)
        .join("bin/rust-lld");
    if beside.is_file() {
        return Some(beside);
    }
    on_path(&["wasm-ld", "rust-lld"])
}
