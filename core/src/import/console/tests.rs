use super::super::tests::{fixture, import, import_bytes};
use crate::report::{Arrivals, Quantiles, Report};

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

fn text(name: &str) -> String {
    String::from_utf8(fixture("console", name)).unwrap()
}

fn error(text: &str) -> String {
    import_bytes(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_paste_of_two_blocks_with_a_log_around_is_two_points() {
    let reports = import("console", "vllm.txt");
    assert_eq!(reports.len(), 1);
    let point = &reports[0].points[0];
    assert_eq!(point.concurrency, Some(8.0));
    assert_eq!(point.requests_per_s, 2.0);
    assert_eq!(point.ttft_s.p99, Some(0.4));
    assert_eq!(point.itl_s.p50, Some(0.0295));
    assert_eq!(reports[0].workload.input_tokens, Some(512.0));
    assert_eq!(reports[0].workload.arrivals, Some(Arrivals::Closed));
    assert_eq!(reports[0].points[1].concurrency, Some(16.0));
    assert_eq!(codes(&reports[0]), [""; 0]);
}

#[test]
fn sglang_s_names_are_read_too() {
    let report = &import("console", "sglang.txt")[0];
    let point = &report.points[0];
    assert_eq!((point.concurrency, point.request_rate), (Some(16.0), None));
    assert_eq!(point.latency_s.p50, Some(3.8));
    assert_eq!(point.completed, Some(400));
    assert_eq!(report.tool.name, "sglang.bench_serving");
    assert_eq!(report.system.engine.as_ref().unwrap().name, "sglang");
    assert_eq!(codes(report), [""; 0]);
}

/// A logger's prefix on every line, a progress bar before the title, the call before it all.
#[test]
fn what_was_printed_before_says_how_the_tool_was_called() {
    let report = &import("console", "vllm-run.txt")[0];
    let point = &report.points[0];
    assert_eq!(
        (point.request_rate, point.concurrency),
        (Some(2.0), Some(32.0))
    );
    assert_eq!((point.completed, point.failed), (Some(100), Some(10)));
    assert_eq!(point.output_tokens_per_s, Some(256.0));
    assert_eq!(point.latency_s.mean, Some(3.93));
    assert_eq!(point.latency_s.p90, Some(5.0));
    assert_eq!(report.model.name.as_deref(), Some("org/model-8b"));
    assert_eq!(report.workload.dataset.as_deref(), Some("random"));
    assert_eq!(report.workload.warmup_requests, Some(6));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Open));
    // A percentile without a place in a report is listed, and no other line is.
    assert_eq!(codes(report), ["fields-not-read"]);
    assert!(
        report.warnings[0].en.contains("p99.9_ttft."),
        "{:?}",
        report.warnings
    );
}

/// 27648 generated tokens are 27 of the 1024 asked of each of 30 requests.
#[test]
fn sglang_s_empty_responses_are_told_from_the_call() {
    let report = &import("console", "sglang-run.txt")[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(27), Some(3)));
    assert!((point.requests_per_s - 0.9).abs() < 1e-12);
    assert_eq!(report.workload.output_tokens, Some(1024.0));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Burst));
    assert_eq!(report.workload.warmup_requests, Some(1));
    assert_eq!(report.model.name.as_deref(), Some("org/model-8b"));
    assert_eq!((point.concurrency, point.request_rate), (None, None));
    assert_eq!(point.itl_s.max, Some(0.09));
    assert_eq!(codes(report), ["empty-responses"]);
}

/// The last words of a printed name are not that name.
#[test]
fn a_longer_name_is_not_the_shorter_one_at_its_end() {
    let paste = text("vllm.txt").replace(
        "Total Token throughput (tok/s): ",
        "P99 Output token throughput (tok/s): ",
    );
    let report = &import_bytes(paste.as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].output_tokens_per_s, Some(256.0));
    assert_eq!(codes(report), ["fields-not-read"]);
}

/// Requests that were sent and are not among the successful ones failed.
#[test]
fn requests_that_did_not_return_are_counted_from_the_call() {
    let paste = text("vllm-run.txt").replace("Failed requests:", "Peak concurrent requests:");
    let point = &import_bytes(paste.as_bytes()).unwrap()[0].points[0];
    assert_eq!(point.failed, Some(10));
}

#[test]
fn tools_in_one_paste_stay_apart_and_units_are_read() {
    let reports = import("console", "both.txt");
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[0].points[0].requests_per_s, 2.0); // 120 a minute
    assert_eq!(reports[0].points[0].ttft_s.mean, Some(0.12));
    assert_eq!(reports[1].points[0].completed, Some(1000));
    assert_eq!(reports[1].points[0].ttft_s.mean, Some(0.1));
    assert_eq!(reports[1].points[0].output_tokens_per_s, Some(512.0));
}

#[test]
fn a_load_that_was_not_printed_is_not_known() {
    let report = &import("console", "vllm-old.txt")[0];
    let point = &report.points[0];
    assert_eq!((point.concurrency, point.request_rate), (None, None));
    assert_eq!(point.failed, None);
    assert_eq!(report.workload.arrivals, None);
    assert_eq!(codes(report), ["load-not-printed"]);
    // Newer versions print a limit where there was one; the command says it too.
    let newer = text("vllm-old.txt").replace("Benchmark", "Failed requests: 0\nBenchmark");
    let newer = newer.replace("Failed requests: 0\nBenchmark Result", "Benchmark Result");
    let report = &import_bytes(newer.as_bytes()).unwrap()[0];
    assert_eq!(report.workload.arrivals, Some(Arrivals::Burst));
    let begun = "Traffic request rate: inf\nMaximum request concurrency: None\n";
    let report = &import_bytes(format!("{begun}{}", text("vllm-old.txt")).as_bytes()).unwrap()[0];
    assert_eq!(report.workload.arrivals, Some(Arrivals::Burst));
    let begun = "Traffic request rate: inf\nMaximum request concurrency: 4\n";
    let report = &import_bytes(format!("{begun}{}", text("vllm-old.txt")).as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].concurrency, Some(4.0));
    let called = format!("$ bench --max-concurrency 8\n{}", text("vllm-old.txt"));
    let report = &import_bytes(called.as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].concurrency, Some(8.0));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
}

#[test]
fn a_run_pasted_twice_counts_once() {
    let once = text("vllm-old.txt");
    let reports = import_bytes(format!("{once}\n{once}").as_bytes()).unwrap();
    assert_eq!((reports.len(), reports[0].points.len()), (1, 1));
    assert!(codes(&reports[0]).contains(&"same-run-twice"));
}

#[test]
fn metrics_of_zeros_and_words_for_none_are_missing() {
    let paste = text("sglang.txt")
        .replace("220.00", "0.00")
        .replace("200.00 ", "0.00 ")
        .replace("400.00 ", "nan ")
        .replace("51180", "0");
    let report = &import_bytes(paste.as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].ttft_s, Quantiles::default());
    assert_eq!(report.points[0].latency_s.p50, Some(3.8));
    let mut seen = codes(report);
    seen.sort_unstable();
    assert_eq!(seen, ["metric-all-zero", "not-finite", "tokens-not-seen"]);
}

#[test]
fn malformed_blocks_name_the_line() {
    let cut = "==== Serving Benchmark Result ====\nSuccessful requests: 5\n";
    assert!(error(cut).contains("duration: is missing"));
    let whole = text("vllm-old.txt");
    for (from, to, part) in [
        (
            "Mean TTFT (ms)",
            "Mean TTFT (ticks)",
            "Mean TTFT (ticks): the unit is not known (found ticks)",
        ),
        (
            "Mean TTFT (ms)",
            "Mean TTFT",
            "Mean TTFT: the unit is not known",
        ),
        (
            "throughput (req/s)",
            "throughput (req/lunch)",
            "the unit is not known (found req/lunch)",
        ),
        (
            "50.00",
            "long",
            "duration: is not a number (found \"long\")",
        ),
        (
            "50.00",
            "1,50",
            "duration: is not a number (found \"1,50\")",
        ),
        ("50.00", "nan", "duration: is not a finite number"),
        ("    100", "    0", "no request completed"),
        ("120.00", "-120.00", "ttft_s.mean: is negative"),
    ] {
        let message = error(&whole.replacen(from, to, 1));
        assert!(message.contains(part), "{part} in {message}");
    }
    let second = format!("{whole}{}", whole.replace("50.00", "x"));
    assert!(error(&second).contains("block 2: duration: is not a number"));
}
