//! `cargo xtask bench demand`: how fast a trace of ten million requests is counted, and in how much
//! memory, beside Polars and DuckDB in Python on the same file in the same run.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Error,
    run::{cargo, output, run, say, target},
};

const ROWS: u64 = 10_000_000;
const ROUNDS: usize = 3;

/// The same figures, or most of them, in each tool's own words. Both read the columns they need
/// and use all cores, which is how they come.
const POLARS: &str = r#"
import sys, polars as pl
t = pl.scan_csv(sys.argv[1], try_parse_dates=True)
time = pl.col("TIMESTAMP")
def quantiles(c):
    return [pl.col(c).quantile(q, "nearest").alias(f"{c}{q}") for q in (.5, .9, .95, .99)] + [pl.col(c).mean().alias(c), pl.col(c).max().alias(c + "max")]
gaps = time.diff().dt.total_microseconds()
print(t.select(pl.len(), (gaps.std() / gaps.mean()).alias("cv"), *quantiles("ContextTokens"), *quantiles("GeneratedTokens")).collect(engine="streaming"))
for width in ("1s", "10s", "60s", "300s", "3600s"):
    print(t.group_by(time.dt.truncate(width)).len().select(pl.col("len").max(), pl.col("len").var()).collect(engine="streaming"))
print(t.group_by(time.dt.weekday().alias("day"), time.dt.hour().alias("hour")).len().collect(engine="streaming"))
"#;
const DUCKDB: &str = r#"
import sys, duckdb
db = duckdb.connect()
db.execute(f"create temp table t as select TIMESTAMP as time, ContextTokens as i, GeneratedTokens as o from read_csv('{sys.argv[1]}')")
q = "[0.5, 0.9, 0.95, 0.99]"
print(db.sql(f"select count(*), quantile_disc(i, {q}), avg(i), max(i), quantile_disc(o, {q}), avg(o), max(o) from t").fetchall())
print(db.sql("select stddev_pop(g) / avg(g) from (select epoch_us(time) - lag(epoch_us(time)) over (order by time) as g from t)").fetchall())
for width in (1, 10, 60, 300, 3600):
    print(db.sql(f"select max(n), var_samp(n) from (select count(*) as n from t group by epoch_us(time) // ({width} * 1000000))").fetchall())
print(len(db.sql("select isodow(time), hour(time), count(*) from t group by all").fetchall()))
"#;

/// Writes the trace once, then runs each reader in turn, and prints medians.
///
/// # Errors
/// A build that fails, or a file that cannot be written.
pub fn demand() -> Result<(), Error> {
    run(cargo().args(["build", "--release", "--package", "inferplan"]))?;
    let file = target().join("bench/trace.csv");
    if !file.is_file() {
        say(&format!("Writing a trace of {ROWS} requests"));
        write(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let path = file.display().to_string();
    let inferplan = target().join("release/inferplan").display().to_string();
    let python = match python() {
        Ok(python) => python.display().to_string(),
        Err(error) => {
            say(&format!("Left out: Polars and DuckDB ({error})"));
            String::new()
        }
    };
    let mut readers = vec![(
        "inferplan demand",
        vec![&*inferplan, "demand", &path, "--json"],
    )];
    if !python.is_empty() {
        readers.push(("polars", vec![&*python, "-c", POLARS, &path]));
        readers.push(("duckdb", vec![&*python, "-c", DUCKDB, &path]));
    }
    let megabytes = fs::metadata(&file)
        .map_err(|error| error.to_string())?
        .len() as f64
        / 1e6;
    println!("{ROWS} rows, {megabytes:.0} MB, medians of {ROUNDS} runs in turn");
    let mut seen = vec![Vec::new(); readers.len()];
    for _ in 0..ROUNDS {
        for ((_, words), seen) in readers.iter().zip(&mut seen) {
            // A reader that fails is said to have, below.
            seen.extend(super::measure(words));
        }
    }
    for ((name, _), mut seen) in readers.iter().zip(seen) {
        if seen.is_empty() {
            println!("{name:<18} failed");
            continue;
        }
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (seconds, _) = seen[seen.len() / 2];
        let peak = seen.iter().map(|(_, peak)| *peak).fold(0.0, f64::max);
        println!(
            "{name:<18} {seconds:>7.2} s {:>6.2} million rows/s {peak:>8.0} MB at most",
            ROWS as f64 / seconds / 1e6
        );
    }
    Ok(())
}

/// A Python that has both, in an environment of the target folder.
fn python() -> Result<PathBuf, Error> {
    let folder = target().join("tools/tables");
    let python = folder.join("bin/python");
    let works = || output(&python.to_string_lossy(), &["-c", "import polars, duckdb"]).is_some();
    if works() {
        return Ok(python);
    }
    say("Installing polars and duckdb to compare with; half a minute");
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder))?;
    run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "polars",
        "duckdb",
    ]))?;
    if works() {
        Ok(python)
    } else {
        Err("they installed but do not start".to_owned())
    }
}

/// A week and a half of requests in the layout of the Azure traces, at gaps and lengths that a
/// linear congruential generator makes: the same every time.
fn write(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("new");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&beside)?);
    writeln!(out, "TIMESTAMP,ContextTokens,GeneratedTokens")?;
    let mut state = 42_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    // Ticks of 100 ns since 2024-05-06 00:00, a Monday.
    let mut ticks = 0.0;
    for _ in 0..ROWS {
        ticks -= next().ln() * 900_000.0;
        let at = ticks as u64;
        let (seconds, fraction) = (at / 10_000_000, at % 10_000_000);
        let (day, clock) = (6 + seconds / 86_400, seconds % 86_400);
        let (input, output) = (8000.0 * next() * next(), 900.0 * next() * next());
        writeln!(
            out,
            "2024-05-{day:02} {:02}:{:02}:{:02}.{fraction:07},{},{}",
            clock / 3600,
            clock / 60 % 60,
            clock % 60,
            input as u64 + 1,
            output as u64 + 1
        )?;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(beside, path)
}
