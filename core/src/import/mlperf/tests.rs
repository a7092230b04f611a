use super::super::tests::{fixture, import, import_bytes, import_files};
use crate::report::{Arrivals, Report};

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

fn error(text: &str) -> String {
    import_bytes(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn nanoseconds_become_seconds_in_either_file() {
    let summary = &import("mlperf", "server/mlperf_log_summary.txt")[0];
    let detail = &import("mlperf", "server/mlperf_log_detail.txt")[0];
    for report in [summary, detail] {
        let point = &report.points[0];
        assert_eq!(
            (point.requests_per_s, point.request_rate),
            (49.5, Some(50.0))
        );
        assert_eq!(
            (
                point.latency_s.mean,
                point.latency_s.p99,
                point.latency_s.max
            ),
            (Some(0.005), Some(0.0085), Some(0.011))
        );
        assert_eq!(report.warnings, []);
    }
    assert_eq!(detail.tool.version.as_deref(), Some("6.0.17"));
    assert_eq!(detail.measured_on.unwrap().to_string(), "2026-03-01");
}

/// Only the detailed log counts the queries, and only the summary has the 90th percentile here.
#[test]
fn the_files_of_one_folder_are_one_result() {
    let files = ["mlperf_log_summary.txt", "mlperf_log_detail.txt"]
        .map(|name| format!("server/{name}"))
        .map(|name| (name.clone(), fixture("mlperf", &name)));
    let both = import_files(&files).unwrap();
    assert_eq!(both.len(), 1);
    assert_eq!(both[0].tool.version.as_deref(), Some("6.0.17"));
    let point = &both[0].points[0];
    assert_eq!(
        (point.completed, point.latency_s.p90),
        (Some(900), Some(0.0052))
    );
}

#[test]
fn files_of_different_runs_are_not_joined() {
    let summary = fixture("mlperf", "offline-invalid.txt");
    let detail = fixture("mlperf", "server/mlperf_log_detail.txt");
    let files = [("a".to_owned(), summary), ("b".to_owned(), detail)];
    let message = import_files(&files).unwrap_err().to_string();
    assert!(
        message.contains("of different runs (found Offline, Server)"),
        "{message}"
    );
}

#[test]
fn a_batch_s_time_is_no_latency_and_invalid_is_said() {
    let report = &import("mlperf", "offline-invalid.txt")[0];
    let point = &report.points[0];
    assert_eq!(point.requests_per_s, 122.0);
    assert_eq!((point.latency_s.p99, point.latency_s.max), (None, None));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Burst));
    assert_eq!(codes(report), ["mlperf-invalid", "offline-latency"]);
    let invalid = &report.warnings[0];
    assert!(
        invalid.en.contains("INVALID (min duration not met)"),
        "{}",
        invalid.en
    );
}

/// A batch of 1000 in 5 s, 200 a second with 100 tokens each.
#[test]
fn a_batch_counts_its_samples_and_tokens() {
    let summary = &import("mlperf", "offline/mlperf_log_summary.txt")[0];
    let detail = &import("mlperf", "offline/mlperf_log_detail.txt")[0];
    for report in [summary, detail] {
        let point = &report.points[0];
        assert_eq!(
            (point.completed, point.duration_s, point.requests_per_s),
            (Some(1000), Some(5.0), 200.0)
        );
        assert_eq!(point.output_tokens_per_s, Some(20_000.0));
        assert_eq!(report.workload.output_tokens, Some(100.0));
        assert_eq!(codes(report), ["offline-latency"]);
    }
}

/// "Performance constraints satisfied" beside INVALID, and first-token latencies of 0.
#[test]
fn first_token_latencies_of_zero_are_missing() {
    let report = &import("mlperf", "server-llm-invalid.txt")[0];
    let point = &report.points[0];
    assert_eq!(point.ttft_s.mean, None);
    assert_eq!(report.workload.output_tokens, Some(400.0)); // 40 tokens/s ÷ 0.1
    assert_eq!(codes(report), ["mlperf-invalid", "metric-all-zero"]);
}

#[test]
fn token_latencies_read_alike_in_either_file() {
    let summary = &import("mlperf", "server-llm/mlperf_log_summary.txt")[0];
    let detail = &import("mlperf", "server-llm/mlperf_log_detail.txt")[0];
    for report in [summary, detail] {
        let point = &report.points[0];
        assert_eq!(
            (point.ttft_s.mean, point.ttft_s.p99),
            (Some(0.2), Some(0.45))
        );
        // The detailed log's mean has no `_ns` in its key, and is nanoseconds all the same.
        assert_eq!(
            (point.tpot_s.mean, point.tpot_s.p99),
            (Some(0.03), Some(0.04))
        );
        assert_eq!(point.output_tokens_per_s, Some(640.0));
        assert_eq!(report.workload.output_tokens, Some(128.0));
    }
}

#[test]
fn one_stream_is_one_request() {
    let report = &import("mlperf", "single-stream.txt")[0];
    let point = &report.points[0];
    assert_eq!(
        (point.concurrency, point.requests_per_s),
        (Some(1.0), 200.0)
    );
    // Its own line: `90.0th percentile latency (ns)`.
    assert_eq!(point.latency_s.p90, Some(0.0055));
    assert_eq!(point.ttft_s.p99, Some(0.001));
    assert_eq!(point.output_tokens_per_s, Some(1990.0));
    assert_eq!(report.workload.output_tokens, Some(10.0));
}

#[test]
fn what_cannot_be_read_is_named_with_its_remedy() {
    let summary = |lines: &str| format!("MLPerf Results Summary\n{lines}\nResult is : VALID\n");
    let server = "Scenario : Server\nCompleted samples per second : 5\n";
    for (lines, part) in [
        (
            "Scenario : MultiStream".to_owned(),
            "not read (found MultiStream)",
        ),
        ("Mode : x".to_owned(), "scenario: is missing"),
        (
            "Scenario : Server".to_owned(),
            "scheduled samples per second: is missing; give the summary",
        ),
        (
            "Scenario : Offline\nSamples per second : nan".to_owned(),
            "samples per second: is not a finite number (found nan)",
        ),
        (
            "Scenario : Offline\nSamples per second : fast".to_owned(),
            "samples per second: is not a number (found fast)",
        ),
        (
            "Scenario : SingleStream\nMean latency (ns) : 0".to_owned(),
            "e2e mean: must be above 0",
        ),
        (
            format!("{server}Mean latency (ms) : 5"),
            "mean latency (ms): is not in nanoseconds (found 5)",
        ),
        (
            "Scenario : Server\nMode : AccuracyOnly".to_owned(),
            "measured accuracy, not speed",
        ),
        (
            format!("{server}Completed tokens per second: 108608593901538.98"),
            "output_tokens_per_s: is implausibly large",
        ),
    ] {
        let message = error(&summary(&lines));
        assert!(message.contains(part), "{part} in {message}");
    }
    let report = import_bytes(
        summary(&format!(
            "{server}Mean latency (ns) : inf\nMax latency (ns) : 9007199254740991"
        ))
        .as_bytes(),
    )
    .unwrap()
    .remove(0);
    assert_eq!(codes(&report), ["not-finite"]);
    assert_eq!(
        (
            report.points[0].latency_s.mean,
            report.points[0].latency_s.max
        ),
        (None, None)
    );
}

#[test]
fn a_run_without_a_verdict_is_not_valid() {
    let text =
        b"MLPerf Results Summary\nScenario : Server\nCompleted samples per second : 5\nResult is";
    let report = import_bytes(text).unwrap().remove(0);
    assert_eq!(codes(&report), ["mlperf-invalid"]);
}
