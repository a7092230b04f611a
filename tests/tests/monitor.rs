//! `inferplan demand --prometheus` against a real Prometheus that scrapes a small exporter.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use inferplan_tests::{root, run};

/// Requests a second that the exporter counts.
const RATE: f64 = 20.0;
/// A Prometheus takes five seconds before its first scrape.
const RESTART_S: f64 = 8.5;
const SILENT_S: std::ops::Range<f64> = 11.0..14.5;
const END_S: u64 = 19;

/// Where `cargo xtask test` puts it, or the system's; `None` where there is none.
fn prometheus() -> Option<PathBuf> {
    let ours = root().join("target/tools/prometheus/usr/bin/prometheus");
    let named = env::var_os("INFERPLAN_PROMETHEUS").map(PathBuf::from);
    let path = env::var_os("PATH")?;
    let system = env::split_paths(&path).map(|folder| folder.join("prometheus"));
    let mut places = named.into_iter().chain([ours]).chain(system);
    places.find(|place| place.is_file())
}

struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Counters as vLLM writes them: begun anew at one moment, and not to be had for a while.
fn exporter(begun: Instant) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A scrape that broke off is of no matter.
            let _ = scraped(stream, begun.elapsed().as_secs_f64());
        }
    });
    address
}

fn scraped(mut stream: TcpStream, at: f64) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let since = if at < RESTART_S {
        at + 100.0
    } else {
        at - RESTART_S
    };
    let requests = (since * RATE).floor();
    let body = format!(
        "vllm:request_success_total{{finished_reason=\"stop\"}} {requests}\n\
         vllm:request_success_total{{finished_reason=\"length\"}} 0\n\
         vllm:prompt_tokens_total {}\nvllm:generation_tokens_total {}\n",
        requests * 100.0,
        requests * 10.0,
    );
    let status = if SILENT_S.contains(&at) {
        "503 Service Unavailable"
    } else {
        "200 OK"
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn a_prometheus_s_counters_give_the_demand() {
    let Some(prometheus) = prometheus() else {
        eprintln!("left out: no Prometheus here; `cargo xtask test` sets one up");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let target = exporter(begun);
    let config = folder.path().join("prometheus.yml");
    fs::write(
        &config,
        format!(
            "global: {{scrape_interval: 400ms, scrape_timeout: 400ms}}\n\
             scrape_configs: [{{job_name: vllm, static_configs: [{{targets: ['{target}']}}]}}]\n"
        ),
    )
    .unwrap();
    let address = format!("127.0.0.1:{}", free_port());
    let server = Command::new(prometheus)
        .arg(format!("--config.file={}", config.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            folder.path().join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _server = Ended(server);
    thread::sleep(Duration::from_secs(END_S).saturating_sub(begun.elapsed()));
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let time = |seconds: u64| {
        let ns = i64::try_from(seconds).unwrap() * 1_000_000_000;
        inferplan_core::demand::stamp::text(ns)
    };
    let (url, from, to) = (format!("http://{address}"), time(now - END_S), time(now));
    let asked = |more: &[&str]| {
        let mut args = vec!["demand", "--prometheus", &url, "--from", &from, "--to", &to];
        args.extend(["--step", "1", "--json"]);
        args.extend(more);
        run(&args)
    };
    let result = asked(&["--selector", "{job=\"vllm\"}"]);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let found = result.json();
    assert_eq!(found["schema"], "inferplan.demand/1");
    let rate = found["mean_requests_per_s"].as_f64().unwrap();
    // Only the step of the restart has less.
    assert!(rate > 0.75 * RATE && rate < 1.05 * RATE, "{rate}");
    let (span, observed) = (found["span_s"].as_f64(), found["observed_s"].as_f64());
    let unknown = span.unwrap() - observed.unwrap();
    assert!((3.0..=6.0).contains(&unknown), "{unknown} s unknown");
    assert_eq!(found["input_tokens"]["mean"], 100.0);
    assert_eq!(found["output_tokens"]["mean"], 10.0);
    let codes: Vec<&str> = found["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    for code in [
        "counters-not-requests",
        "monitoring-gaps",
        "counters-restarted",
    ] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    // What is not there, and what the server refuses.
    let none = asked(&["--engine", "tgi"]);
    assert_eq!(none.code, 2);
    assert!(
        none.stderr.contains("tgi_request_success"),
        "{}",
        none.stderr
    );
    let refused = asked(&["--selector", "{job=}"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("it refused the query"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_is_no_prometheus_is_said_to_be_none() {
    let closed = format!("http://127.0.0.1:{}", free_port());
    let result = run(&["demand", "--prometheus", &closed]);
    assert_eq!(result.code, 2);
    assert!(
        result.stderr.contains("could not be reached"),
        "{}",
        result.stderr
    );
    let other = format!("http://{}", exporter(Instant::now()));
    let result = run(&["demand", "--prometheus", &other]);
    assert_eq!(result.code, 2);
    assert!(
        result.stderr.contains("not an answer of a Prometheus"),
        "{}",
        result.stderr
    );
    for wrong in [["--prometheus", "prometheus:9090"], ["--step", "60"]] {
        assert_eq!(run(&[&["demand"][..], &wrong[..]].concat()).code, 2);
    }
}
