use super::{
    super::tests::{fixture, import, import_bytes, import_with},
    *,
};

fn counted_for(bytes: &[u8], seconds: f64) -> Result<Vec<Report>, Problems> {
    let mut options = Options::default();
    options.stated.duration_s = Some(seconds);
    import_with(bytes, options)
}

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} {b}");
}

#[test]
fn counters_become_rates_with_resets_and_old_names() {
    let report = &import("prometheus", "range.json")[0];
    let point = &report.points[0];
    // 3, 8, 15, 21, 21 is 18; 8, 9, 13, 19, 19 is 11; a reset inside a series: 10, 12, 1, 4 is
    // 2 + 1 + 3 = 6. 35 by servers seen for 40, 40 and 30 s.
    assert_eq!((point.completed, point.duration_s), (Some(35), Some(40.0)));
    near(point.requests_per_s, 35.0 / 110.0);
    assert_eq!(point.request_rate, Some(point.requests_per_s));
    near(point.output_tokens_per_s.unwrap(), 350.0 / 110.0);
    near(report.workload.output_tokens.unwrap(), 10.0);
    assert_eq!(report.model.name.as_deref(), Some("model-8b"));
    assert_eq!(report.system.engine.as_ref().unwrap().name, "vllm");
    assert_eq!(
        codes(report),
        ["samples-may-be-counted", "averaged-over-replicas"]
    );
}

/// A pod takes another's place: 18 in 40 s, then 11 in 40 s, which is one server's 29 in 80 s, not
/// 19 − 3 = 16, nor half of it. Two parts of the one server ran 8 requests together.
#[test]
fn a_pod_that_takes_another_s_place_is_one_server() {
    let report = &import("prometheus", "restart.json")[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.duration_s), (Some(29), Some(90.0)));
    near(point.requests_per_s, 29.0 / 80.0);
    assert_eq!(point.concurrency, Some(8.0));
    assert_eq!(
        codes(report),
        [
            "samples-may-be-counted",
            "averaged-over-replicas",
            "counted-from-first-sample"
        ]
    );
}

/// SGLang's names, old and new of one figure at once, another exporter's series beside them, and
/// requests that were aborted.
#[test]
fn sglang_s_names_are_known_and_aborted_requests_are_counted_apart() {
    let report = &import("prometheus", "sglang.json")[0];
    let point = &report.points[0];
    // 120 in 60 s, and 10 that were aborted, which are counted apart.
    assert_eq!((point.completed, point.failed), (Some(120), Some(10)));
    assert_eq!(point.requests_per_s, 2.0);
    assert_eq!(point.concurrency, Some(6.0));
    assert_eq!(point.output_tokens_per_s, Some(300.0));
    // 80 of the increase within 0.5 s and all within 1 s: p90 is half way between.
    assert_eq!(point.ttft_s.p90, Some(0.75));
    assert_eq!(report.system.engine.as_ref().unwrap().name, "sglang");
    assert_eq!(codes(report), ["interpolated-percentiles"]);
}

/// Each of two models on one server has its own counters; `request_params_n_count` counts each
/// request once, though two samples of each were drawn.
#[test]
fn each_model_is_its_own_report() {
    let reports = counted_for(&fixture("prometheus", "two-models.txt"), 100.0).unwrap();
    let found: Vec<_> = reports
        .iter()
        .map(|report| {
            (
                report.model.name.as_deref().unwrap(),
                report.points[0].completed,
                report.points[0].failed,
            )
        })
        .collect();
    assert_eq!(
        found,
        [("large", Some(200), None), ("small", Some(990), Some(10))]
    );
    assert_eq!(codes(&reports[0]), [""; 0]);
    // Two pods at 40% are at 40%, so shares are no counters.
    assert_eq!(reports[0].points[0].concurrency, None);
}

#[test]
fn tgi_s_time_per_token_has_the_first_token_in_it() {
    let report = &counted_for(&fixture("prometheus", "tgi.txt"), 50.0).unwrap()[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(100), Some(4)));
    assert_eq!(
        (point.latency_s.mean, point.tpot_s.mean),
        (Some(2.0), Some(0.02))
    );
    assert_eq!(
        (report.workload.input_tokens, report.workload.output_tokens),
        (Some(500.0), Some(100.0))
    );
    assert_eq!(
        codes(report),
        ["tpot-includes-first-token", "interpolated-percentiles"]
    );
}

#[test]
fn a_quantile_is_interpolated_and_one_past_the_buckets_is_not_known() {
    let report = counted_for(&fixture("prometheus", "exposition.txt"), 500.0)
        .unwrap()
        .remove(0);
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
    assert_eq!(
        codes(&report),
        [
            "samples-may-be-counted",
            "quantile-beyond-buckets",
            "interpolated-percentiles"
        ]
    );
    let beyond = &report.warnings[1];
    assert!(beyond.en.contains("p99 is above 60 s"), "{}", beyond.en);
}

#[test]
fn servers_of_unlike_buckets_add_up_where_they_agree() {
    let text = "a_bucket{pod=\"1\",le=\"1\"} 5\na_bucket{pod=\"1\",le=\"2\"} 10\na_bucket{pod=\"1\",le=\"+Inf\"} 10\n\
                a_bucket{pod=\"2\",le=\"2\"} 0\na_bucket{pod=\"2\",le=\"4\"} 10\na_bucket{pod=\"2\",le=\"+Inf\"} 10\n";
    let series = exposition(text).unwrap();
    let (quantiles, beyond) = Histogram::of(series.iter(), true).quantiles();
    assert_eq!(quantiles.p50, Some(2.0));
    assert_eq!(beyond[0], (Quantile::P90, 2.0));
}

#[test]
fn what_cannot_be_read_is_named_with_its_remedy() {
    let message = import_bytes(&fixture("prometheus", "exposition.txt"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("--duration SECONDS"), "{message}");
    let matrix = |result: &str| {
        let text = format!(
            r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{result}]}}}}"#
        );
        import_bytes(text.as_bytes()).unwrap_err().to_string()
    };
    let named = r#"{"metric": {"__name__": "vllm:request_success_total"}, "values": "#;
    for (result, part) in [
        (String::new(), "the answer holds no series"),
        (
            r#"{"metric": {}, "values": [[1, "2"]]}"#.to_owned(),
            "data.result[0].metric: a series has no name; query the metric itself",
        ),
        (
            r#"{"metric": {"__name__": "up"}, "values": [[1, "1"], [2, "1"]]}"#.to_owned(),
            "no metric counts requests (found up)",
        ),
        (
            format!(r#"{named}[[1, "fast"]]}}"#),
            "data.result[0].values[0]: is not a sample",
        ),
        (
            format!("{named}[[1, 2]]}}"),
            "data.result[0].values[0]: is not a sample",
        ),
        (
            format!(r#"{named}[[1, "2"]]}}"#),
            "one reading of counters has no time in it",
        ),
        (
            format!(r#"{named}[[1, "2"], [11, "NaN"], [21, "2"]]}}"#),
            "no request completed",
        ),
    ] {
        let message = matrix(&result);
        assert!(message.contains(part), "{part} in {message}");
    }
    let error = br#"{"status": "error", "error": "parse error", "data": {"resultType": "matrix"}}"#;
    assert!(
        import_bytes(error)
            .unwrap_err()
            .to_string()
            .contains("answered with an error (found parse error)")
    );
    let broken = b"# TYPE vllm:x counter\nvllm:x{a=1} 2\n";
    assert!(
        counted_for(broken, 1.0)
            .unwrap_err()
            .to_string()
            .contains("line 2: is not a sample")
    );
}

/// An instant query is one reading.
#[test]
fn an_instant_answer_is_one_reading() {
    let text = br#"{"data": {"resultType": "vector", "result": [{"metric": {"__name__": "vllm_request_success_total"}, "value": [1, "50"]}]}}"#;
    let report = counted_for(text, 10.0).unwrap().remove(0);
    assert_eq!(report.points[0].requests_per_s, 5.0);
    assert!(import_bytes(text).is_err());
}

#[test]
fn labels_hold_escapes() {
    let series = exposition("x{a=\"1\",b=\"q\\\"{}\"} 3 1700\ny NaN\n").unwrap();
    assert_eq!(series[0].labels["b"], "q\"{}");
    assert_eq!((series[0].samples[0].1, series[1].samples.len()), (3.0, 0));
}
