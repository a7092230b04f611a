//! Each test runs the current release of a tool, installed into a virtual environment, and imports
//! what it wrote. `cargo xtask test` sets the environment up; see there.

use std::fs;

use inferplan_core::{
    demand::{
        Accumulator,
        sql::{self, Dialect, Table},
        stamp::{self, Stamp},
        summary,
    },
    report::Arrivals,
};
use inferplan_tools_tests::{import, run, serve};

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
    run("light", "locust", &args, folder.path());
    let (formats, reports) = import(folder.path());
    assert_eq!((formats, reports.len()), (vec!["locust".to_owned()], 1));
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
    // Users that never pause are the requests in flight.
    assert_eq!(point.concurrency, Some(4.0));
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
    run("light", "python", &["run.py"], folder.path());
    let (formats, reports) = import(folder.path());
    assert_eq!(formats, ["mlperf"]);
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

#[test]
fn duckdb_sums_to_the_document_of_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/demand/trace.csv");
    let mut rows = Accumulator::default();
    for line in fs::read_to_string(trace).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let Some(Stamp::Instant(ns)) = stamp::parse(cells[0].as_bytes()) else {
            panic!("{line}");
        };
        let (input, output) = (cells[1].parse().ok(), cells[2].parse().ok());
        rows.add(ns, input, output).unwrap();
        if output.is_none() {
            rows.lacks_length();
        }
    }
    let table = Table {
        name: "trace",
        time: "started_at",
        input: Some("prompt_tokens"),
        output: Some("completion_tokens"),
    };
    fs::write(
        folder.path().join("query.sql"),
        sql::query(Dialect::DuckDb, &table),
    )
    .unwrap();
    fs::write(
        folder.path().join("sums.py"),
        "import duckdb, sys\n\
         duckdb.execute('create table trace as select * from read_csv(?)', [sys.argv[1]])\n\
         query = open('query.sql').read().strip().rstrip(';')\n\
         duckdb.sql(query).write_csv('sums.csv', header=True)\n",
    )
    .unwrap();
    run("light", "python", &["sums.py", trace], folder.path());
    let sums = fs::read_to_string(folder.path().join("sums.csv")).unwrap();
    let mut found = summary::read(&sums).unwrap().demand(Vec::new()).unwrap();
    let expected = rows.demand(Vec::new()).unwrap();
    // The squares are added in another order.
    let (a, b) = (found.gap_cv.unwrap(), expected.gap_cv.unwrap());
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    found.gap_cv = expected.gap_cv;
    assert_eq!(found, expected);
}
