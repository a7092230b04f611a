use super::{
    super::tests::{fixture, import, import_bytes, import_files},
    *,
};

fn files(names: &[&str]) -> Vec<(String, Vec<u8>)> {
    names
        .iter()
        .map(|name| ((*name).to_owned(), fixture("aisbench", name)))
        .collect()
}

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

/// AISBench's two files, one of them changed.
fn changed(file: &str, from: &str, to: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = files(&["aisbench/gsm8k.csv", "aisbench/gsm8k.json"]);
    for (name, bytes) in &mut files {
        if name.ends_with(file) {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(from), "{from}");
            *bytes = text.replace(from, to).into_bytes();
        }
    }
    files
}

#[test]
fn the_unit_is_in_each_cell() {
    let report = &import_files(&files(&["aisbench/gsm8k.csv", "aisbench/gsm8k.json"])).unwrap()[0];
    let point = &report.points[0];
    assert_eq!((point.concurrency, point.requests_per_s), (Some(8.0), 2.0));
    assert_eq!(
        (point.ttft_s.mean, point.ttft_s.p99),
        (Some(0.12), Some(0.4))
    );
    assert_eq!(
        (point.latency_s.p50, point.duration_s),
        (Some(3.9), Some(50.0))
    );
    assert_eq!(
        (point.tpot_s.max, point.itl_s.p90),
        (Some(0.05), Some(0.04))
    );
    assert_eq!((point.completed, point.failed), (Some(100), Some(0)));
    assert_eq!(point.output_tokens_per_s, Some(256.0));
    assert_eq!(report.workload.output_tokens, Some(128.0));
    assert_eq!(report.warnings, []);
    // The totals alone: lengths are the tokens of all by the requests.
    let alone = &import("aisbench", "aisbench/gsm8k.json")[0];
    assert_eq!(alone.workload.input_tokens, Some(512.0));
    assert_eq!(alone.points[0].ttft_s.mean, None);
}

#[test]
fn chinese_names_read_alike() {
    let report =
        &import_files(&files(&["chinese/latencies.csv", "chinese/totals.csv"])).unwrap()[0];
    let point = &report.points[0];
    assert_eq!((point.concurrency, point.requests_per_s), (Some(8.0), 2.0));
    assert_eq!(
        (point.ttft_s.p99, point.tpot_s.mean),
        (Some(0.4), Some(0.03))
    );
    assert_eq!((point.completed, point.failed), (Some(98), Some(2)));
}

/// MindIE writes a column a metric, and rows without names: average, max, min, P75, P90, ….
#[test]
fn mindie_s_tables_on_their_side_are_read_by_the_order_of_their_rows() {
    let names = ["mindie/result_perf_1.csv", "mindie/result_common_1.csv"];
    let report = &import_files(&files(&names)).unwrap()[0];
    let point = &report.points[0];
    assert_eq!(
        (point.ttft_s.mean, point.ttft_s.max, point.ttft_s.p90),
        (Some(0.12), Some(0.45), Some(0.3))
    );
    assert_eq!((point.ttft_s.p99, point.ttft_s.p95), (Some(0.4), None));
    assert_eq!(
        (point.itl_s.p90, point.tpot_s.p90),
        (Some(0.04), None),
        "its decode time is of each token, so no TPOT"
    );
    assert_eq!(
        (point.latency_s.mean, point.latency_s.max),
        (Some(3.93), Some(6.5))
    );
    assert_eq!((point.completed, point.failed), (Some(98), Some(2)));
    assert_eq!((point.concurrency, point.requests_per_s), (Some(8.0), 2.0));
    assert_eq!(point.duration_s, Some(49.0));
    assert_eq!(
        (point.input_tokens_per_s, point.output_tokens_per_s),
        (Some(1024.0), Some(256.0))
    );
    assert_eq!(report.model.name.as_deref(), Some("model-8b"));
    assert_eq!(report.workload.dataset.as_deref(), Some("gsm8k.jsonl"));
    assert_eq!(report.workload.output_tokens, Some(128.0));
    assert_eq!(report.measured_on.unwrap().to_string(), "2026-03-01");
    assert_eq!(report.warnings, []);
}

#[test]
fn what_both_tools_print_is_a_whole_result() {
    let printed = &import("aisbench", "printed-aisbench.txt")[0];
    let written = &import_files(&files(&["aisbench/gsm8k.csv", "aisbench/gsm8k.json"])).unwrap()[0];
    assert_eq!(printed.points, written.points);
    let mindie = &import("aisbench", "printed-mindie.txt")[0].points[0];
    assert_eq!((mindie.ttft_s.p99, mindie.requests_per_s), (Some(0.4), 2.0));
    assert_eq!((mindie.completed, mindie.failed), (Some(98), Some(2)));
    assert_eq!(mindie.output_tokens_per_s, Some(256.0), "GenerateSpeed");
}

#[test]
fn a_unit_in_a_name_is_of_the_cells_without_one() {
    let text = "性能参数,平均,P99\n首token时延(ms),120,400\n端到端时延（s）,3.93,6\n";
    let latencies = ("a.csv".to_owned(), text.as_bytes().to_vec());
    let text = "公共指标,值\n请求吞吐(req/s),2.0\n测试时长（分钟）,1\n并发数,8\n";
    let totals = ("b.csv".to_owned(), text.as_bytes().to_vec());
    let report = &import_files(&[latencies, totals]).unwrap()[0];
    let point = &report.points[0];
    assert_eq!(
        (point.ttft_s.mean, point.latency_s.p99),
        (Some(0.12), Some(6.0))
    );
    assert_eq!((point.duration_s, point.completed), (Some(60.0), None));
}

#[test]
fn one_stage_of_a_run_is_read_and_named() {
    let stable = changed("json", "\"total\"", "\"stable\"");
    let stable: Vec<_> = stable
        .into_iter()
        .filter(|f| f.0.ends_with("json"))
        .collect();
    let report = import_files(&stable).unwrap().remove(0);
    assert_eq!(report.points[0].requests_per_s, 2.0);
    assert_eq!(codes(&report), ["stable-stage"]);
    let both = changed(
        "json",
        "\"total\": \"2.0 req/s\"",
        "\"stable\": \"9.0 req/s\", \"total\": \"2.0 req/s\"",
    );
    let report = import_files(&both).unwrap().remove(0);
    assert_eq!(report.points[0].requests_per_s, 2.0, "the whole run");
    let text = br#"{"Benchmark Duration": {"a": "1 s", "b": "2 s"}, "Request Throughput": {"a": "1 req/s", "b": "2 req/s"}}"#;
    let message = import_bytes(text).unwrap_err().to_string();
    assert!(
        message.contains("Stage: ") && message.contains("a, b"),
        "{message}"
    );
}

#[test]
fn what_was_not_measured_is_missing_and_what_is_not_known_is_listed() {
    let files = changed("csv", "120.0 ms", "nan ms");
    let report = import_files(&files).unwrap().remove(0);
    assert_eq!(report.points[0].ttft_s.mean, None);
    assert_eq!(report.points[0].ttft_s.p99, Some(0.4));
    assert_eq!(codes(&report), ["not-finite"]);
    assert!(report.warnings[0].en.contains("TTFT, Average"));
    let files = changed("json", "\"Concurrency\"", "\"Surprise\"");
    let report = import_files(&files).unwrap().remove(0);
    assert_eq!(codes(&report), ["fields-not-read"]);
    // Failed requests that are not said are not none.
    let files = changed("json", "\"Failed Requests\"", "\"Surprise\"");
    let mut files = files;
    let text = String::from_utf8(files[1].1.clone()).unwrap();
    files[1].1 = text.replace("Success Requests", "Surprise 2").into_bytes();
    let report = import_files(&files).unwrap().remove(0);
    assert_eq!(
        (report.points[0].completed, report.points[0].failed),
        (None, None)
    );
}

#[test]
fn what_cannot_be_read_names_the_cell() {
    for (file, from, to, part) in [
        (
            "csv",
            "400.0 ms",
            "400 ticks",
            "TTFT, P99: is not a time with a unit (found 400 ticks)",
        ),
        (
            "csv",
            "400.0 ms",
            "400",
            "expected a figure with s, ms or us",
        ),
        (
            "json",
            "\"2.0 req/s\"",
            "\"120 req/min\"",
            "Request Throughput: is not a rate with a unit (found 120 req/min)",
        ),
        (
            "json",
            "\"2.0 req/s\"",
            "2.0",
            "Request Throughput: is not a rate with a unit",
        ),
        (
            "json",
            "\"2.0 req/s\"",
            "\"nan req/s\"",
            "Request Throughput: is not a rate",
        ),
        (
            "json",
            "\"256.0 token/s\"",
            "\"256.0 token/h\"",
            "Output Token Throughput: is not a rate",
        ),
        (
            "json",
            "\"50000.0 ms\"",
            "\"soon\"",
            "Benchmark Duration: is not a time",
        ),
        (
            "json",
            "\"Success Requests\": {\n  \"total\": 100",
            "\"Success Requests\": {\n  \"total\": \"1.5\"",
            "Success Requests: is not a count (found 1.5)",
        ),
        (
            "json",
            "\"Success Requests\": {\n  \"total\": 100",
            "\"Success Requests\": {\n  \"total\": 0",
            "no request completed",
        ),
        (
            "csv",
            ",100\n",
            ",60\n",
            "N: the latencies are of another run",
        ),
    ] {
        let message = import_files(&changed(file, from, to))
            .unwrap_err()
            .to_string();
        assert!(message.contains(part), "{part} in {message}");
    }
    let message = import_bytes(&fixture("aisbench", "aisbench/gsm8k.csv"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("common metrics"), "{message}");
    let cut = "FirstTokenTime,GenerateTime\n120.0 ms,3930.0 ms\n";
    let totals = "TimeElapsed,Throughput,Returned\n49 s,2.0 req/s,98( 98.0% )\n";
    let files = [("a.csv", cut), ("b.csv", totals)].map(|(n, t)| (n.to_owned(), t.into()));
    let message = import_files(&files).unwrap_err().to_string();
    assert!(message.contains("7 or 8 rows"), "{message}");
}

#[test]
fn figures_and_units_are_told_apart() {
    let time = |text| Cell::of(text, "TTFT", &[]).unwrap().time_s().ok();
    assert_eq!(time("2750.5 ms"), Some(2.7505));
    assert_eq!(time("1,234.5 ms"), Some(1.2345));
    assert_eq!(time("1.5e3 μs"), Some(0.0015));
    assert_eq!(time("3 e"), None);
    assert!(Cell::of("/ μs", "TTFT", &[]).is_none());
    assert!(Cell::of("/home/gsm8k", "DataSource", &[]).is_some());
}

#[test]
fn runs_in_one_folder_are_told_apart_by_their_names() {
    let mut all = Vec::new();
    for (run, rate) in [("a", "2.0 req/s"), ("b", "3.0 req/s")] {
        for (name, bytes) in changed("json", "2.0 req/s", rate) {
            let ending = name.rsplit('.').next().unwrap();
            all.push((format!("performances/model/{run}.{ending}"), bytes));
        }
    }
    let text = String::from_utf8(all[3].1.clone()).unwrap();
    all[3].1 = text.replace("50000.0 ms", "33333.3 ms").into_bytes();
    let reports = import_files(&all).unwrap();
    let rates: Vec<_> = reports[0].points.iter().map(|p| p.requests_per_s).collect();
    assert_eq!(rates, [2.0, 3.0]);
    assert_eq!(reports[0].points[1].ttft_s.p99, Some(0.4));
}
