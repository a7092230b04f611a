//! `inferplan env`: this machine as a report wants it. What it does not tell stays null.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write},
    process::{Command, Stdio},
};

use inferplan_core::{
    accelerator::Accelerator,
    document::SchemaTag,
    environment::{ENGINES, Environment, FRAMEWORKS},
};

use crate::{
    args::Env,
    failure::{Failure, Outcome},
    files,
};

/// Records and prints, or writes.
pub fn run(args: &Env) -> Result<Outcome, Failure> {
    let json = serde_json::to_string_pretty(&record())? + "\n";
    match &args.output {
        Some(path) => files::write(path, &json)?,
        None => io::stdout().lock().write_all(json.as_bytes())?,
    }
    Ok(Outcome::Done)
}

fn record() -> Environment {
    let packages = packages();
    let (accelerator, accelerators_present, driver) = nvidia().or_else(ascend).unwrap_or_default();
    Environment {
        schema: SchemaTag::of::<Environment>(),
        recorded_on: super::today(),
        accelerator,
        accelerators_present,
        driver,
        cuda: cuda(),
        cudnn: packages
            .iter()
            .find(|(name, _)| name.starts_with("nvidia-cudnn"))
            .map(|(_, version)| version.clone()),
        cpu: line_of("/proc/cpuinfo", "model name"),
        memory_gib: memory_gib(),
        container_image: ["CONTAINER_IMAGE", "IMAGE"]
            .iter()
            .find_map(|name| env::var(name).ok()),
        packages,
    }
}

/// What a program prints, or `None` where it is not there or fails.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(args)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then_some(text)
}

type Cards = (Option<Accelerator>, Option<u32>, Option<String>);

/// The accelerators by `nvidia-smi`; unlike ones in one machine are no one name.
fn nvidia() -> Option<Cards> {
    let text = output(
        "nvidia-smi",
        &["--query-gpu=name,driver_version", "--format=csv,noheader"],
    )?;
    let rows: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.split_once(", "))
        .collect();
    let (name, driver) = *rows.first()?;
    let alike = rows.iter().all(|(other, _)| *other == name);
    let accelerator = name.parse().ok().filter(|_| alike);
    Some((
        accelerator,
        u32::try_from(rows.len()).ok(),
        Some(driver.trim().to_owned()),
    ))
}

/// The accelerators by `npu-smi`: a table with a row `| 0     910B3 … |` for each.
fn ascend() -> Option<Cards> {
    let text = output("npu-smi", &["info"])?;
    let version = text
        .lines()
        .find_map(|line| line.split("Version:").nth(1))
        .and_then(|rest| rest.split_whitespace().next());
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            line.trim_start_matches(['|', ' '])
                .split_whitespace()
                .nth(1)
        })
        .filter(|word| word.to_lowercase().starts_with("910"))
        .collect();
    let first = names.first()?;
    let accelerator = format!("Ascend {first}")
        .parse()
        .ok()
        .filter(|_| names.iter().all(|name| name == first));
    Some((
        accelerator,
        u32::try_from(names.len()).ok(),
        version.map(str::to_owned),
    ))
}

fn cuda() -> Option<String> {
    let after = |text: String, mark: &str| {
        let rest = text.split(mark).nth(1)?.trim_start().to_owned();
        let version: String = rest
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        (!version.is_empty()).then_some(version)
    };
    output("nvidia-smi", &[])
        .and_then(|text| after(text, "CUDA Version:"))
        .or_else(|| output("nvcc", &["--version"]).and_then(|text| after(text, "release")))
}

/// Versions of engines and frameworks that Python would import.
fn packages() -> BTreeMap<String, String> {
    let list = output(
        "python3",
        &[
            "-m",
            "pip",
            "list",
            "--format=json",
            "--disable-pip-version-check",
        ],
    );
    let list: Option<Vec<BTreeMap<String, String>>> =
        list.and_then(|text| serde_json::from_str(&text).ok());
    let wanted = |name: &str| {
        ENGINES.contains(&name)
            || FRAMEWORKS.contains(&name)
            || name.starts_with("nvidia-cudnn")
            || name == "transformers"
            || name == "text-generation-server"
    };
    list.into_iter()
        .flatten()
        .filter_map(|package| {
            let name = package.get("name")?.to_lowercase().replace('_', "-");
            wanted(&name).then(|| Some((name.clone(), package.get("version")?.clone())))?
        })
        .collect()
}

fn memory_gib() -> Option<f64> {
    let kib: f64 = line_of("/proc/meminfo", "MemTotal")?
        .split_whitespace()
        .next()?
        .parse()
        .ok()?;
    Some((kib / 1024.0 / 1024.0 * 10.0).round() / 10.0)
}

/// The value of a `name: value` line.
fn line_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
