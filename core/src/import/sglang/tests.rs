use super::super::{
    Loader, Options, read_loaded,
    tests::{fixture, import, import_bytes},
};
use crate::report::{Arrivals, Quantiles, Report, curve::Curve};

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

fn run(name: &str) -> String {
    String::from_utf8(fixture("sglang", name)).unwrap()
}

#[test]
fn a_run_reads_with_its_units_and_its_load() {
    let reports = import("sglang", "two-runs.jsonl");
    let report = &reports[0];
    assert_eq!((reports.len(), report.points.len()), (1, 2));
    let point = &report.points[1];
    assert_eq!(point.concurrency, Some(16.0));
    assert_eq!(point.requests_per_s, 4.0);
    assert_eq!(point.latency_s.mean, Some(4.0));
    assert_eq!(point.latency_s.p99, Some(6.5));
    assert_eq!(point.ttft_s.p50, Some(0.2));
    assert_eq!(point.itl_s.p95, Some(0.035));
    assert_eq!(report.system.engine.as_ref().unwrap().name, "sglang");
    assert_eq!(report.workload.dataset.as_deref(), Some("random"));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
    assert_eq!(report.warnings, []);
}

/// No text tokens were seen: TTFT and ITL are 0 while a request takes seconds, and the time per
/// token is that of the whole request.
#[test]
fn metrics_of_zeros_are_missing_and_infinity_is_no_limit() {
    let report = &import("sglang", "infinity-and-zeros.jsonl")[0];
    let point = &report.points[0];
    assert_eq!((point.request_rate, point.concurrency), (None, Some(16.0)));
    assert_eq!((point.ttft_s.p99, point.itl_s.mean), (None, None));
    assert_eq!(point.tpot_s, Quantiles::default());
    assert_eq!(point.latency_s.mean, Some(4.0));
    assert_eq!(point.output_tokens_per_s, Some(512.0));
    assert_eq!(
        codes(report),
        ["metric-all-zero", "metric-all-zero", "tokens-not-seen"]
    );
}

/// 600 of 1000 succeeded: not a capacity.
#[test]
fn a_run_that_lost_requests_is_left_out_of_the_curve() {
    let report = &import("sglang", "lost-requests.jsonl")[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(600), Some(400)));
    assert_eq!(Curve::of(report).unwrap_err().code, "point-overloaded");
    // The achieved concurrency of a burst is no load that was held.
    assert_eq!((point.concurrency, point.request_rate), (None, None));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Burst));
}

#[test]
fn a_run_given_twice_counts_once() {
    let once = run("two-runs.jsonl");
    let reports = import_bytes(format!("{once}\n{once}").as_bytes()).unwrap();
    assert_eq!(reports[0].points.len(), 2);
    let warning = &reports[0].warnings[0];
    assert_eq!(warning.code, "same-run-twice");
}

#[test]
fn the_first_versions_spellings_and_missing_rate_are_read() {
    let report = &import("sglang", "first-version.jsonl")[0];
    let point = &report.points[0];
    assert_eq!(point.requests_per_s, 4.0); // 400 in 100 s
    assert_eq!(point.output_tokens_per_s, Some(512.0));
    assert_eq!(point.input_tokens_per_s, Some(2048.0));
    assert_eq!(point.request_rate, Some(4.0));
    assert_eq!(point.latency_s.p50, Some(3.8));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Open));
    assert_eq!(codes(report), [""; 0]);
    // The family's other spelling of the latency.
    let other = run("two-runs.jsonl").replace("e2e_latency_ms", "e2el_ms");
    let report = &import_bytes(other.as_bytes()).unwrap()[0];
    assert_eq!(report.points[1].latency_s.p99, Some(6.5));
    assert_eq!(codes(report), [""; 0]);
}

#[test]
fn what_the_server_says_of_itself_is_taken() {
    let report = &import("sglang", "server-info.jsonl")[0];
    let engine = report.system.engine.as_ref().unwrap();
    assert_eq!(engine.version.as_deref(), Some("0.5.4"));
    assert_eq!(report.system.accelerators, Some(8)); // 4 × 2 copies
    assert_eq!(report.model.name.as_deref(), Some("org/model-8b"));
    assert_eq!(report.model.precision.as_deref(), Some("bf16"));
    let point = &report.points[0];
    assert_eq!(point.latency_s.p90, Some(5.0));
    assert_eq!(
        (point.ttft_s.p95, point.itl_s.max),
        (Some(0.35), Some(0.09))
    );
    assert_eq!(codes(report), [""; 0]);
    let shared = run("server-info.jsonl").replace(
        "\"enable_dp_attention\": false",
        "\"enable_dp_attention\": true",
    );
    let report = &import_bytes(shared.as_bytes()).unwrap()[0];
    assert_eq!(report.system.accelerators, Some(4));
}

#[test]
fn a_trace_s_arrivals_are_open_and_of_no_one_load() {
    let report = &import("sglang", "trace.jsonl")[0];
    let point = &report.points[0];
    assert_eq!((point.concurrency, point.request_rate), (None, None));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Open));
    assert_eq!(codes(report), ["trace-arrivals"]);
}

/// 30 answered well, but 27648 tokens are 27 times the 1024 asked for.
#[test]
fn empty_responses_count_as_failed() {
    let report = &import("sglang", "empty-responses.jsonl")[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(27), Some(3)));
    assert!((point.requests_per_s - 0.9).abs() < 1e-12);
    assert_eq!(point.output_tokens_per_s, Some(921.6));
    assert_eq!(report.workload.input_tokens, Some(512.0));
    assert_eq!(report.workload.output_tokens, Some(1024.0));
    assert_eq!(codes(report), ["empty-responses"]);
    assert!(report.warnings[0].en.starts_with("3 of 30 "));
    // Lengths that vary say nothing by their sum.
    let varied = run("empty-responses.jsonl")
        .replace("\"random_range_ratio\": 1.0", "\"random_range_ratio\": 0.5");
    let report = &import_bytes(varied.as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].completed, Some(30));
}

/// Of four requests one failed and one came back empty.
#[test]
fn details_count_failed_and_empty_responses() {
    let report = &import("sglang", "details.jsonl")[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(2), Some(2)));
    assert_eq!(point.requests_per_s, 1.0); // 2 in 2 s
    assert_eq!(report.workload.output_tokens, Some(4.0));
}

/// Whole arrays longer than what is kept by default, read whole when asked for.
#[test]
fn arrays_that_were_cut_down_are_not_counted() {
    let mut value: serde_json::Value =
        serde_json::from_str(&run("details.jsonl").replace("Infinity", "\"inf\"")).unwrap();
    for (key, each, last) in [("errors", "", "Timeout"), ("generated_texts", "a", "")] {
        let mut all = vec![serde_json::json!(each); 99];
        all.push(last.into());
        value[key] = all.into();
    }
    for (key, each, last) in [
        ("output_lens", 4, 0),
        ("input_lens", 10, 10),
        ("ttfts", 1, 0),
    ] {
        let mut all = vec![serde_json::json!(each); 99];
        all.push(last.into());
        value[key] = all.into();
    }
    value["itls"] = vec![serde_json::json!([1.0, 1.0, 1.0]); 100].into();
    value["completed"] = 99.into();
    value["total_output_tokens"] = 396.into();
    value["request_throughput"] = 49.5.into();
    let bytes = value.to_string().into_bytes();
    let read = |per_request: bool| {
        let mut loader = Loader::new("f", per_request);
        loader.push(&bytes).unwrap();
        let options = Options {
            per_request,
            ..Options::default()
        };
        let loaded = loader.finish(|_| None).unwrap();
        read_loaded(vec![loaded], &options)
            .unwrap()
            .reports
            .remove(0)
    };
    assert_eq!(read(false).points[0].failed, None);
    let whole = read(true);
    assert_eq!(whole.points[0].failed, Some(1));
    assert_eq!(whole.points[0].completed, Some(99));
    assert_eq!(whole.points[0].ttft_s.p50, Some(1.0));
}

/// Decoding took 5.12 s: over the 513 asked for that is 10 ms, over the 257 produced 20 ms.
#[test]
fn a_time_per_token_of_the_asked_length_is_worked_out_anew() {
    let report = &import("sglang", "tpot-of-asked-length.jsonl")[0];
    let tpot = report.points[0].tpot_s;
    assert!((tpot.mean.unwrap() - 0.02).abs() < 1e-12);
    assert_eq!((tpot.p50, tpot.p99), (None, None));
    assert_eq!(report.workload.output_tokens, Some(257.0));
    assert_eq!(codes(report), ["tpot-of-asked-length"]);
    // One that is of the produced length stays.
    let right = run("tpot-of-asked-length.jsonl")
        .replace("\"mean_tpot_ms\": 10.0", "\"mean_tpot_ms\": 20.0");
    let report = &import_bytes(right.as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].tpot_s.p99, Some(0.012));
    assert_eq!(codes(report), [""; 0]);
}

#[test]
fn text_that_holds_fewer_tokens_than_counted_is_doubted() {
    let few = run("two-runs.jsonl").replace("51180", "20000");
    let report = &import_bytes(few.as_bytes()).unwrap()[0];
    assert_eq!(codes(report), ["tokens-not-seen"]);
    // The first token was seen, so the figures stay.
    assert_eq!(report.points[1].tpot_s.p99, Some(0.034));
}

#[test]
fn malformed_runs_name_the_field() {
    let one = run("two-runs.jsonl");
    let one = one.lines().next().unwrap();
    for (from, to, part) in [
        ("\"duration\": 320.0, ", "", "duration: is missing"),
        ("320.0", "\"long\"", "duration: is not a number"),
        (
            "\"request_throughput\": 1.25",
            "\"request_throughput\": NaN",
            "request_throughput: is not a finite number",
        ),
        (
            "\"completed\": 400",
            "\"completed\": 0",
            "no request completed",
        ),
        (
            "\"completed\": 400",
            "\"completed\": -1",
            "completed: is not a count",
        ),
        (
            "\"request_rate\": Infinity",
            "\"request_rate\": \"fast\"",
            "request_rate: is not a number",
        ),
    ] {
        let message = import_bytes(one.replacen(from, to, 1).as_bytes())
            .unwrap_err()
            .to_string();
        assert!(message.contains(part), "{part} in {message}");
    }
    let lines = format!("{one}\n{}", one.replace("320.0", "null"));
    let message = import_bytes(lines.as_bytes()).unwrap_err().to_string();
    assert!(
        message.contains("result 2: duration: is missing"),
        "{message}"
    );
}
