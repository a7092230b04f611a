//! Running commands, and saying so.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::Error;

/// The workspace's folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo builds to.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into)
}

/// Says what is being done, and how long it may take where that is long.
pub fn say(text: &str) {
    println!("==> {text}");
}

/// The cargo that runs this.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs to the end with output shown.
///
/// # Errors
/// A command that cannot start or that fails.
pub fn run(command: &mut Command) -> Result<(), Error> {
    let shown = shown(command);
    let status = command
        .status()
        .map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{shown}` failed ({status})"))
    }
}

/// Its standard output, or `None` where it cannot start or fails.
pub fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(args)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The first of the programs that is on the path.
pub fn on_path(programs: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let found = |program: &&str| {
        folders
            .iter()
            .map(|f| f.join(program))
            .find(|p| p.is_file())
    };
    programs.iter().find_map(found)
}

fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(
        command
            .get_args()
            .map(|arg| arg.to_string_lossy().into_owned()),
    );
    words.join(" ")
}
