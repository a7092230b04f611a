use super::super::tests::{import, import_bytes};
use crate::report::Report;

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

#[test]
fn total_tokens_are_not_output_tokens() {
    for name in ["result.json", "printed-old.txt"] {
        let report = &import("vllm-throughput", name)[0];
        let point = &report.points[0];
        assert_eq!(point.requests_per_s, 20.0);
        assert_eq!(
            (point.input_tokens_per_s, point.output_tokens_per_s),
            (None, None)
        );
        assert_eq!((point.concurrency, point.request_rate), (None, None));
        assert_eq!(point.latency_s.mean, None);
        assert_eq!(codes(report), ["total-is-input-and-output"], "{name}");
    }
    let point = &import("vllm-throughput", "result.json")[0].points[0];
    assert_eq!(
        (point.completed, point.duration_s),
        (Some(1000), Some(50.0))
    );
}

/// 1000 requests of 512 in and 128 out, in 50 s.
#[test]
fn the_dashboard_s_record_tells_input_and_output_apart() {
    let reports = import("vllm-throughput", "result.pytorch.json");
    assert_eq!((reports.len(), reports[0].points.len()), (1, 1));
    let (report, point) = (&reports[0], &reports[0].points[0]);
    assert_eq!((point.requests_per_s, point.completed), (20.0, Some(1000)));
    assert_eq!(point.input_tokens_per_s, Some(10240.0));
    assert_eq!(point.output_tokens_per_s, Some(2560.0));
    assert_eq!(report.workload.output_tokens, Some(128.0));
    assert_eq!(report.system.accelerators, Some(8));
    assert_eq!(report.model.precision.as_deref(), Some("fp8"));
    assert_eq!(report.system.engine.as_ref().unwrap().name, "vllm");
    assert_eq!(codes(report), [""; 0]);
}

#[test]
fn the_dashboard_s_lengths_are_not_taken_where_they_do_not_add_up() {
    let bytes = super::super::tests::fixture("vllm-throughput", "result.pytorch.json");
    let text = String::from_utf8(bytes).unwrap();
    let report = &import_bytes(text.replace("640000", "500000").as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].output_tokens_per_s, None);
    assert_eq!(report.workload.input_tokens, None);
    assert_eq!(codes(report), ["total-is-input-and-output"]);
}

#[test]
fn the_printed_line_is_read_with_its_arguments_and_totals() {
    let report = &import("vllm-throughput", "printed.txt")[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.duration_s), (Some(1000), None));
    assert_eq!(point.output_tokens_per_s, Some(2560.0));
    assert_eq!(point.input_tokens_per_s, Some(10240.0));
    assert_eq!(report.workload.input_tokens, Some(512.0));
    assert_eq!(report.model.name.as_deref(), Some("org/model-8b"));
    assert_eq!(codes(report), [""; 0]);
    // Without the totals and the arguments, the rates themselves give the lengths.
    let line = b"Throughput: 20.00 requests/s, 12800.00 total tokens/s, 2560.00 output tokens/s\n";
    let report = &import_bytes(line).unwrap()[0];
    assert_eq!(report.workload.output_tokens, Some(128.0));
    // But not where two digits behind the point are too few.
    let line = b"Throughput: 0.03 requests/s, 19.20 total tokens/s, 3.84 output tokens/s\n";
    assert_eq!(import_bytes(line).unwrap()[0].workload.output_tokens, None);
}

#[test]
fn malformed_results_name_the_field() {
    let result = r#"{"elapsed_time": 50.0, "num_requests": 1000, "total_num_tokens": 640000,
        "requests_per_second": 20.0, "tokens_per_second": 12800.0}"#;
    for (from, to, part) in [
        ("50.0", "null", "elapsed_time: is missing"),
        ("50.0", "\"long\"", "elapsed_time: is not a number"),
        ("20.0", "NaN", "requests_per_second: is not a finite number"),
        ("20.0", "-1.0", "requests_per_s: is negative"),
        ("1000", "0", "no request completed"),
        ("1000", "-3", "num_requests: is not a count"),
        ("640000", "\"many\"", "total_num_tokens: is not a number"),
    ] {
        let text = result.replacen(from, to, 1);
        let message = import_bytes(text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(part), "{part} in {message}");
    }
    let printed = import_bytes(b"Throughput: 20.00 requests/s, 5.00 pages/s\n");
    let message = printed.unwrap_err().to_string();
    assert!(
        message.contains("Throughput: the unit is not known (found 5.00 pages/s)"),
        "{message}"
    );
    let report = &import_bytes(result.replace("20.0", "200.0").as_bytes()).unwrap()[0];
    assert_eq!(report.points[0].requests_per_s, 20.0);
    assert_eq!(codes(report)[0], "rate-inconsistent");
}
