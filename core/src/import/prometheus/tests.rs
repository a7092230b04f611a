use super::{
    super::tests::{fixture, import, import_bytes, import_with},
    *,
};

fn snapshot(bytes: &[u8]) -> Report {
    let mut options = Options::default();
    options.stated.duration_s = Some(500.0);
    import_with(bytes, options).unwrap().remove(0)
}

#[test]
fn counters_become_rates_with_resets_and_old_names() {
    let report = &import("prometheus", "range.json")[0];
    let point = &report.points[0];
    // One server: 3, 8, 15, 21, 21 is 18; restarted as another pod: 8, 9, 13, 19, 19 is 11; a reset
    // inside a series: 10, 12, 1, 4 is 2 + 1 + 3 = 6. 35 in 40 s over three pods.
    assert_eq!(point.completed, Some(35));
    assert!((point.requests_per_s - 35.0 / 40.0 / 3.0).abs() < 1e-12);
    assert_eq!(point.request_rate, Some(point.requests_per_s));
    assert_eq!(point.output_tokens_per_s, Some(350.0 / 40.0 / 3.0));
    // A quotient of two rates: the last digit is rounding.
    assert!((report.workload.output_tokens.unwrap() - 10.0).abs() < 1e-9);
    let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(codes, ["samples-may-be-counted", "averaged-over-replicas"]);
}

#[test]
fn a_quantile_is_interpolated_and_one_past_the_buckets_is_not_known() {
    let bytes = fixture("prometheus", "exposition.txt");
    let report = snapshot(&bytes);
    let point = &report.points[0];
    assert_eq!((point.completed, point.requests_per_s), (Some(1000), 2.0));
    // 400 of 1000 within 10 s, 800 within 30: the median is a quarter of the way from 10 to 30.
    assert_eq!(point.latency_s.p50, Some(15.0));
    assert_eq!(
        (point.latency_s.p95, point.latency_s.p99),
        (Some(60.0), None)
    );
    assert_eq!(point.latency_s.mean, Some(24.1));
    assert_eq!(point.concurrency, Some(48.2));
    let beyond = &report.warnings[0];
    assert_eq!(beyond.code, "quantile-beyond-buckets");
    assert!(beyond.en.contains("p99 is above 60 s"), "{}", beyond.en);
}

#[test]
fn a_snapshot_without_a_duration_and_a_query_of_rates_are_refused() {
    let message = import_bytes(&fixture("prometheus", "exposition.txt"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("--duration SECONDS"), "{message}");
    let rates = br#"{"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}, "values": [[1, "2"]]}]}}"#;
    assert!(
        import_bytes(rates)
            .unwrap_err()
            .to_string()
            .contains("query the metric itself")
    );
    let other = br#"{"data": {"resultType": "matrix", "result": [{"metric": {"__name__": "up"}, "values": [[1, "1"], [2, "1"]]}]}}"#;
    assert!(
        import_bytes(other)
            .unwrap_err()
            .to_string()
            .contains("no metric counts requests (found up)")
    );
    let broken = b"# TYPE vllm:x counter\nvllm:x{a=1} 2\n";
    let mut options = Options::default();
    options.stated.duration_s = Some(1.0);
    assert!(
        import_with(broken, options)
            .unwrap_err()
            .to_string()
            .contains("line 2: is not a sample")
    );
}

#[test]
fn labels_hold_escapes() {
    let series = exposition("x{a=\"1\",b=\"q\\\"{}\"} 3 1700\ny NaN\n").unwrap();
    assert_eq!(series[0].labels["b"], "q\"{}");
    assert_eq!((series[0].samples[0].1, series[1].samples.len()), (3.0, 0));
}
