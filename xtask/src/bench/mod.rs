//! Benchmarks. `cargo xtask bench import`: how fast a large detailed result imports, and in how much memory,
//! beside Python's `json.load` and `orjson` on the same file in the same run.

mod demand;
mod simulate;

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Error,
    run::{cargo, run, say, target},
};

pub use demand::demand;
pub use simulate::simulate;

const MEGABYTES: u64 = 300;
const ROUNDS: usize = 5;

/// Runs the benchmark of a catalogue of 100,000 rows.
///
/// # Errors
/// A build that fails.
pub fn prices() -> Result<(), Error> {
    run(cargo().args(["bench", "--package", "inferplan-tests", "--bench", "prices"]))
}

/// Runs the benchmark of a full question.
///
/// # Errors
/// A build that fails.
pub fn question() -> Result<(), Error> {
    run(cargo().args([
        "bench",
        "--quiet",
        "--package",
        "inferplan-tests",
        "--bench",
        "question",
    ]))
}

/// Writes the file once, then runs each reader in turn, and prints medians.
///
/// # Errors
/// A build or a reader that fails.
pub fn import() -> Result<(), Error> {
    run(cargo().args(["build", "--release", "--package", "inferplan"]))?;
    let file = target().join("bench/detailed.json");
    if !file.is_file() {
        say(&format!("Writing {MEGABYTES} MB of vLLM's --save-detailed"));
        write(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let size = fs::metadata(&file)
        .map_err(|error| error.to_string())?
        .len() as f64
        / 1e6;
    let path = file.display().to_string();
    let inferplan = target().join("release/inferplan").display().to_string();
    let load = format!("import json; json.load(open({path:?}))");
    let orjson = format!("import orjson; orjson.loads(open({path:?}, 'rb').read())");
    let readers: [(&str, Vec<&str>); 3] = [
        ("inferplan import", vec![&inferplan, "import", &path]),
        ("python json.load", vec!["python3", "-c", &load]),
        ("python orjson", vec!["python3", "-c", &orjson]),
    ];
    let mut seen: [Vec<(f64, f64)>; 3] = Default::default();
    for _ in 0..ROUNDS {
        for (reader, seen) in readers.iter().zip(&mut seen) {
            // A reader that is not installed is left out, and said so below.
            seen.extend(measure(&reader.1));
        }
    }
    println!("{size:.0} MB, medians of {ROUNDS} runs in turn");
    for ((name, _), seen) in readers.iter().zip(&mut seen) {
        if seen.is_empty() {
            println!("{name:<18} did not run (not installed?)");
            continue;
        }
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (seconds, _) = seen[seen.len() / 2];
        let peak = seen.iter().map(|(_, peak)| *peak).fold(0.0, f64::max);
        println!(
            "{name:<18} {seconds:>7.3} s {:>8.0} MB/s {peak:>8.0} MB at most",
            size / seconds
        );
    }
    Ok(())
}

/// Seconds and peak resident megabytes of a command; `None` where it fails.
fn measure(words: &[&str]) -> Option<(f64, f64)> {
    let begun = Instant::now();
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    loop {
        if let Some(now) = high_water_mb(&status) {
            peak = now;
        }
        if let Some(ended) = child.try_wait().ok()? {
            return ended
                .success()
                .then(|| (begun.elapsed().as_secs_f64(), peak));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The kernel's own high-water mark of resident memory.
fn high_water_mb(status: &str) -> Option<f64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1e3)
}

/// A detailed result of made-up figures: the shape and size of a real one.
fn write(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("new");
    let mut out = BufWriter::new(File::create(&beside)?);
    let requests = 12_000;
    write!(
        out,
        r#"{{"date": "20260301-101500", "backend": "openai-chat", "model_id": "org/model-8b", "num_prompts": {requests}, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 64, "duration": 6000.0, "completed": {requests}, "total_input_tokens": {}, "total_output_tokens": {}, "request_throughput": 2.0, "output_throughput": 2048.0, "mean_ttft_ms": 120.0, "p99_ttft_ms": 400.0, "itls": ["#,
        requests * 512,
        requests * 1024,
    )?;
    let mut written = 0_u64;
    let mut request = 0;
    while written < MEGABYTES * 1_000_000 * 9 / 10 {
        let comma = if request == 0 { "" } else { ", " };
        write!(out, "{comma}[0.0")?;
        for token in 0..1023_u32 {
            write!(
                out,
                ", 0.0{:015}",
                (u64::from(token) + request) * 7_919_000_003 % 999_999_999_999_989
            )?;
        }
        write!(out, "]")?;
        written += 1023 * 19;
        request += 1;
    }
    write!(out, r#"], "generated_texts": ["#)?;
    for i in 0..request {
        let comma = if i == 0 { "" } else { ", " };
        write!(
            out,
            "{comma}\"{}\"",
            "The answer is \\\"yes\\\" [1]. ".repeat(70)
        )?;
    }
    write!(out, "], \"mean_e2el_ms\": 32000.0}}")?;
    out.into_inner()?.sync_all()?;
    fs::rename(beside, path)
}
