use super::super::tests::{fixture, import, import_bytes, import_files};
use crate::{
    import::{Loader, Options, read_loaded},
    lint::lint,
    report::{Arrivals, Report},
};

const FILES: [&str; 3] = [
    "benchmark_summary.json",
    "benchmark_percentile.json",
    "benchmark_args.json",
];

fn folder(name: &str) -> Vec<(String, Vec<u8>)> {
    FILES
        .map(|file| {
            (
                format!("out/{name}/{file}"),
                fixture("evalscope", &format!("{name}/{file}")),
            )
        })
        .into()
}

/// The folder of a fixture with one file changed.
fn changed(name: &str, file: &str, from: &str, to: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = folder(name);
    for (path, bytes) in &mut files {
        if path.ends_with(file) {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(from), "{from} in {path}");
            *bytes = text.replace(from, to).into_bytes();
        }
    }
    files
}

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

fn error(text: &str) -> String {
    import_bytes(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn the_files_of_each_folder_are_one_load() {
    let files = [folder("new-4"), folder("new-16")].concat();
    let reports = import_files(&files).unwrap();
    assert_eq!(reports.len(), 1);
    let report = &reports[0];
    let loads: Vec<_> = report.points.iter().map(|p| p.concurrency).collect();
    assert_eq!(loads, [Some(4.0), Some(16.0)]);
    let point = &report.points[1];
    // 100 requests in 25 s.
    assert_eq!((point.request_rate, point.requests_per_s), (None, 4.0));
    assert_eq!(
        (point.ttft_s.mean, point.ttft_s.p99),
        (Some(0.2), Some(0.4))
    );
    assert_eq!(
        (point.latency_s.mean, point.latency_s.p95),
        (Some(4.0), Some(5.5))
    );
    assert_eq!((point.completed, point.failed), (Some(100), Some(2)));
    // 2560 of both kinds, less 512 of output.
    assert_eq!(point.input_tokens_per_s, Some(2048.0));
    assert_eq!(point.output_tokens_per_s, Some(512.0));
    assert_eq!(report.model.name.as_deref(), Some("model-8b"));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
    assert_eq!(report.workload.warmup_requests, Some(10));
    assert_eq!(report.measured_on.unwrap().to_string(), "2026-03-01");
    assert_eq!(report.warnings, []);
}

/// Seconds under other names, and columns of percentiles.
#[test]
fn an_old_summary_is_in_seconds() {
    let reports = import_files(&folder("old-8")).unwrap();
    let point = &reports[0].points[0];
    assert_eq!(
        (point.concurrency, point.ttft_s.mean),
        (Some(8.0), Some(0.12))
    );
    assert_eq!(
        (point.tpot_s.mean, point.latency_s.p99),
        (Some(0.03), Some(6.0))
    );
    assert_eq!(point.duration_s, Some(50.0));
    let alone = &import("evalscope", "old-8/benchmark_summary.json")[0];
    assert_eq!(alone.points[0].latency_s.p99, None);
}

/// From April to July 2026 the means had the percentiles' names.
#[test]
fn a_summary_between_old_and_new_reads_alike() {
    let new = import("evalscope", "new-4/benchmark_summary.json").remove(0);
    let text = String::from_utf8(fixture("evalscope", "new-4/benchmark_summary.json")).unwrap();
    let between = ["TTFT", "TPOT", "ITL"].iter().fold(text, |text, metric| {
        text.replace(&format!("Avg {metric}"), metric)
    });
    assert_eq!(import_bytes(between.as_bytes()).unwrap()[0], new);
    assert_eq!(new.points[0].ttft_s.mean, Some(0.1));
}

#[test]
fn the_first_releases_read_without_their_time_per_token() {
    let report = &import("evalscope", "first-2.json")[0];
    let point = &report.points[0];
    assert_eq!((point.requests_per_s, point.duration_s), (0.5, Some(40.0)));
    assert_eq!(
        (point.ttft_s.mean, point.tpot_s.mean),
        (Some(0.09), None),
        "0.02 is 40 s ÷ 2000 tokens, of all requests together"
    );
    assert_eq!(codes(report), ["tpot-defined-otherwise"]);
}

#[test]
fn a_rate_is_an_open_loop_and_a_concurrency_beside_it_only_a_cap() {
    let rate = "\"Request Rate (req/s)\": 1.5";
    let summary = |to| changed("new-4", FILES[0], "\"Request Rate (req/s)\": -1.0", to);
    let capped = import_files(&summary(rate)).unwrap().remove(0);
    assert_eq!(
        (capped.points[0].request_rate, capped.points[0].concurrency),
        (Some(1.5), Some(4.0))
    );
    assert_eq!(capped.workload.arrivals, Some(Arrivals::Open));
    // In an open loop nothing holds requests back, whatever `parallel` says.
    let mut open = summary(rate);
    let arguments = String::from_utf8(open[2].1.clone()).unwrap();
    open[2].1 = arguments
        .replace("\"rate\": -1.0", "\"rate\": 1.5, \"open_loop\": true")
        .into_bytes();
    let open = import_files(&open).unwrap().remove(0);
    assert_eq!(open.points[0].concurrency, None);
    // Without the arguments it cannot be told.
    let alone = import_files(&summary(rate)[..1]).unwrap().remove(0);
    assert_eq!(alone.points[0].concurrency, None);
    let all_at_once = changed(
        "new-4",
        FILES[2],
        "\"rate\": -1.0",
        "\"rate\": -1.0, \"open_loop\": true",
    );
    let all_at_once = import_files(&all_at_once).unwrap().remove(0);
    assert_eq!(all_at_once.workload.arrivals, Some(Arrivals::Burst));
}

#[test]
fn without_streaming_the_latency_is_no_ttft() {
    let not_streamed = changed(
        "new-4",
        FILES[0],
        "\"Failed Requests\": 2,",
        "\"Failed Requests\": 2, \"Stream Requests\": 0, \"Non-Stream Requests\": 100,",
    );
    let older = changed("new-4", FILES[2], "\"stream\": true", "\"stream\": false");
    for files in [not_streamed, older] {
        let report = import_files(&files).unwrap().remove(0);
        let point = &report.points[0];
        assert_eq!((point.ttft_s.mean, point.ttft_s.p99), (None, None));
        assert_eq!(point.latency_s.p99, Some(6.0));
        assert_eq!(codes(&report), ["not-streamed"]);
    }
}

#[test]
fn a_share_of_warm_up_requests_is_counted_out() {
    let files = changed(
        "new-4",
        FILES[2],
        "\"warmup_num\": 10",
        "\"warmup_num\": 0.05",
    );
    let report = import_files(&files).unwrap().remove(0);
    assert_eq!(report.workload.warmup_requests, Some(5), "0.05 × 102");
}

#[test]
fn what_was_not_measured_is_missing_and_what_is_not_known_is_listed() {
    let text = r#"{"Test Duration (s)": 50.0, "Concurrency": 8, "Success Requests": 100,
        "Req Throughput (req/s)": 2.0, "Avg Latency (s)": 4.0, "Avg TTFT (ms)": -1000.0,
        "Avg ITL (ms)": NaN, "KV Cache Hit Rate (%)": 40.5, "Avg Surprise (ms)": 1.0}"#;
    let report = import_bytes(text.as_bytes()).unwrap().remove(0);
    let point = &report.points[0];
    assert_eq!((point.ttft_s.mean, point.itl_s.mean), (None, None));
    assert_eq!((point.failed, point.latency_s.mean), (None, Some(4.0)));
    assert_eq!(
        codes(&report),
        ["prompts-cached", "not-finite", "fields-not-read"]
    );
    assert!(report.warnings[2].en.contains("Avg Surprise (ms)"));
}

#[test]
fn what_cannot_be_read_names_the_key() {
    for (text, parts) in [
        (
            r#"{"Req Throughput (req/s)": 1.0, "Avg TTFT (ticks)": 3.0}"#,
            &["Avg TTFT (ticks): ", "expected (s) or (ms)"][..],
        ),
        (
            r#"{"Req Throughput (req/min)": 60.0, "Avg Latency (s)": 3.0}"#,
            &["Req Throughput (req/min): ", "expected (req/s)"],
        ),
        (
            r#"{"Req Throughput (req/s)": NaN, "Avg Latency (s)": 3.0}"#,
            &["Req Throughput (req/s): is not a finite number"],
        ),
        (
            r#"{"Req Throughput (req/s)": "fast", "Avg Latency (s)": "slow"}"#,
            &[
                "Req Throughput (req/s): is not a number (found \"fast\")",
                "Avg Latency (s): is not a number (found \"slow\")",
            ],
        ),
        (
            r#"{"Req Throughput (req/s)": -1, "Avg Latency (s)": -1}"#,
            &["Req Throughput (req/s): must be above 0 (found -1)"],
        ),
        (
            r#"{"Req Throughput (req/s)": -1, "Avg Latency (s)": -1, "Success Requests": 0}"#,
            &["no request completed"],
        ),
        (
            r#"{"Req Throughput (req/s)": 1, "Avg Latency (s)": 1, "Success Requests": 1.5}"#,
            &["Success Requests: is not a count (found 1.5)"],
        ),
        (
            r#"[{"Percentiles": "50%", "TTFT (ms)": 1.0}]"#,
            &["benchmark_summary.json"],
        ),
    ] {
        let message = error(text);
        for part in parts {
            assert!(message.contains(part), "{part} in {message}");
        }
    }
    let strange = changed("new-4", FILES[1], "TTFT (ms)", "TTFT (ticks)");
    let message = import_files(&strange).unwrap_err().to_string();
    assert!(message.contains("TTFT (ticks)"), "{message}");
}

#[test]
fn runs_whose_folders_are_not_named_are_not_mixed() {
    let two = [folder("new-4"), folder("new-16")].concat();
    let mixed: Vec<_> = two
        .into_iter()
        .map(|(name, bytes)| (name.rsplit('/').next().unwrap().to_owned(), bytes))
        .collect();
    let message = import_files(&mixed).unwrap_err().to_string();
    assert!(message.contains("one run's folder"), "{message}");
}

/// modelscope/evalscope#1641: the p99 of 100 requests is that of the 16 sent together at the start.
#[test]
fn a_tail_of_the_first_requests_is_told() {
    let files = changed(
        "new-16",
        FILES[1],
        "\"TTFT (ms)\": 400.0",
        "\"TTFT (ms)\": 900.0",
    );
    let report = import_files(&files).unwrap().remove(0);
    let today = report.measured_on.unwrap();
    let found = lint(&report, today);
    assert!(found.iter().any(|lint| lint.code == "start-burst"));
}

#[test]
fn the_overview_points_to_the_loads_and_is_passed_over_beside_them() {
    let overview = "╭───╮\n│ Performance Test Summary Report │\n╰───╯\n";
    let message = error(overview);
    assert!(message.contains("benchmark_summary.json"), "{message}");
    let mut files = folder("new-4");
    files.push(("out/performance_summary.txt".into(), overview.into()));
    let loaded = files.iter().map(|(name, bytes)| {
        let mut loader = Loader::new(name, false);
        loader.push(bytes).unwrap();
        let mut loaded = loader.finish(|_| None).unwrap();
        loaded.found = true;
        loaded
    });
    let imported = read_loaded(loaded.collect(), &Options::default()).unwrap();
    assert_eq!(imported.reports.len(), 1);
    assert_eq!(imported.passed_over, ["out/performance_summary.txt"]);
}
