//! Each test runs the current release of a tool, installed into a virtual environment, and imports
//! what it wrote. `cargo xtask test` sets the environment up; see there.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use inferplan_core::{
    import::{Options, read_all},
    report::{Arrivals, Report},
};
use inferplan_tools_tests::serve;

/// The folder of the tools' programs.
fn bin() -> PathBuf {
    let venv =
        env::var_os("INFERPLAN_TOOLS").expect("run `cargo xtask test`, which installs the tools");
    Path::new(&venv).join("bin")
}

fn run(program: &str, args: &[&str], folder: &Path) {
    let output = Command::new(bin().join(program))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the tool starts");
    assert!(
        output.status.success(),
        "{program}: {}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn import(paths: &[PathBuf]) -> (String, Vec<Report>) {
    let files: Vec<(String, Vec<u8>)> = paths
        .iter()
        .map(|path| {
            (
                path.display().to_string(),
                fs::read(path).expect("the tool wrote it"),
            )
        })
        .collect();
    let named = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let imported =
        read_all(named, &Options::default(), |_| None).unwrap_or_else(|error| panic!("{error}"));
    (imported.recognised[0].format.to_owned(), imported.reports)
}

#[test]
fn locust_writes_what_imports() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("locustfile.py"),
        "from locust import HttpUser, task\n\
         class User(HttpUser):\n    @task\n    def ask(self):\n        self.client.post('/v1/chat/completions', json={'messages': []})\n",
    )
    .unwrap();
    let args = [
        "--headless",
        "-u",
        "4",
        "-r",
        "4",
        "-t",
        "4s",
        "--host",
        &serve(),
        "--csv",
        "run",
        "--only-summary",
    ];
    run("locust", &args, folder.path());
    let (format, reports) = import(&[folder.path().join("run_stats.csv")]);
    assert_eq!(format, "locust");
    let point = &reports[0].points[0];
    assert_eq!(point.failed, Some(0));
    // 10 ms and 8 × 2 ms at the least; four users can do no more than 4 ÷ 26 ms = 154 a second.
    let mean = point.latency_s.mean.unwrap();
    assert!((0.026..0.5).contains(&mean), "{mean}");
    assert!(
        (5.0..154.0).contains(&point.requests_per_s),
        "{}",
        point.requests_per_s
    );
    let (_, history) = import(&[folder.path().join("run_stats_history.csv")]);
    assert_eq!(history[0].points[0].concurrency, Some(4.0));
}

#[test]
fn loadgen_writes_what_imports() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("run.py"),
        r"
import threading, time
import mlperf_loadgen as lg

def issue(samples):
    def work():
        time.sleep(0.005)
        lg.QuerySamplesComplete([lg.QuerySampleResponse(s.id, 0, 0) for s in samples])
    threading.Thread(target=work).start()

settings = lg.TestSettings()
settings.scenario = lg.TestScenario.Server
settings.mode = lg.TestMode.PerformanceOnly
settings.server_target_qps = 50
settings.server_target_latency_ns = 100_000_000
settings.min_duration_ms = 2000
settings.min_query_count = 100
sut = lg.ConstructSUT(issue, lambda: None)
qsl = lg.ConstructQSL(64, 64, lambda x: None, lambda x: None)
output = lg.LogOutputSettings()
output.outdir = '.'
log = lg.LogSettings()
log.log_output = output
lg.StartTestWithLogSettings(sut, qsl, settings, log)
",
    )
    .unwrap();
    run("python", &["run.py"], folder.path());
    let files =
        ["mlperf_log_summary.txt", "mlperf_log_detail.txt"].map(|name| folder.path().join(name));
    let (format, reports) = import(&files);
    assert_eq!(format, "mlperf");
    let report = &reports[0];
    assert_eq!(
        (reports.len(), report.workload.arrivals),
        (1, Some(Arrivals::Open))
    );
    let point = &report.points[0];
    assert!(
        (30.0..70.0).contains(&point.requests_per_s),
        "{}",
        point.requests_per_s
    );
    assert!(point.latency_s.mean.unwrap() >= 0.005);
    assert!(report.tool.version.is_some() && report.measured_on.is_some());
}
