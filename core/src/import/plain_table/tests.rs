use super::{
    super::tests::{fixture, import, import_with},
    *,
};

fn with(bytes: &[u8], columns: &[(&str, &str)]) -> Result<Vec<Report>, Problems> {
    let owned = |(field, header): &(&str, &str)| ((*field).to_owned(), (*header).to_owned());
    let options = Options {
        format: Some("table".into()),
        columns: columns.iter().map(owned).collect(),
        ..Options::default()
    };
    import_with(bytes, options)
}

fn error(text: &str, columns: &[(&str, &str)]) -> String {
    with(text.as_bytes(), columns).unwrap_err().to_string()
}

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

#[test]
fn our_own_headers_need_no_mapping() {
    let report = &import("table", "own-headers.csv")[0];
    assert_eq!(report.points.len(), 2);
    assert_eq!(report.points[1].concurrency, Some(16.0));
    assert_eq!(report.points[1].ttft_s.p99, Some(0.8));
    assert_eq!(report.workload.output_tokens, Some(128.0));
    assert_eq!(report.warnings, []);
}

#[test]
fn a_spreadsheet_s_columns_are_mapped_with_its_decimal_comma() {
    let report = with(
        &fixture("table-mapped", "semicolon.csv"),
        &[
            ("requests_per_s", "QPS"),
            ("concurrency", "并发数"),
            ("ttft_p99_ms", "首字P99"),
            ("completed", "请求数"),
        ],
    )
    .unwrap()
    .remove(0);
    let point = &report.points[0];
    assert_eq!(point.requests_per_s, 1.29);
    assert_eq!(point.ttft_s.p99, Some(1234.56 / 1000.0));
    assert_eq!(point.completed, Some(12_000));
}

/// `1,234` beside `0,75`, empty rows, a column that nobody named.
#[test]
fn the_whole_table_decides_on_its_decimal_mark() {
    let report = with(
        &fixture("table-mapped", "quoted-comma.csv"),
        &[("requests_per_s", "QPS"), ("concurrency", "并发")],
    )
    .unwrap()
    .remove(0);
    let rates: Vec<f64> = report.points.iter().map(|p| p.requests_per_s).collect();
    assert_eq!(rates, [0.75, 1.234]);
    assert_eq!(codes(&report), ["columns-not-read"]);
    assert!(report.warnings[0].en.contains("备注"));
}

#[test]
fn what_was_not_measured_is_missing() {
    let text = "request_rate,requests_per_s,failed,ttft_p99_ms,ttft_mean_ms,itl_p50_ms,e2e_p99_s\n\
                inf,2,-1,9007199254740991,NaN,0,inf\n";
    let report = with(text.as_bytes(), &[]).unwrap().remove(0);
    let point = &report.points[0];
    assert_eq!((point.request_rate, point.failed), (None, None));
    assert_eq!((point.ttft_s.p99, point.ttft_s.mean), (None, None));
    assert_eq!((point.itl_s.p50, point.latency_s.p99), (None, None));
    assert_eq!(codes(&report), ["metric-all-zero", "not-finite"]);
    assert!(report.warnings[1].en.contains(": ttft_mean_ms, e2e_p99_s."));
}

#[test]
fn what_cannot_be_read_names_line_and_column() {
    let own = "concurrency,requests_per_s\n";
    for (row, part) in [
        (
            "1,fast",
            "line 2, requests_per_s: is not a number (found fast); expected a number alone",
        ),
        ("1,120 ms", "line 2, requests_per_s: is not a number"),
        ("1,85%", "line 2, requests_per_s: is not a number"),
        (
            "1,0",
            "line 2, requests_per_s: there is no rate here (found 0)",
        ),
        ("1,", "line 2, requests_per_s: there is no rate here"),
        ("1,NaN", "line 2, requests_per_s: there is no rate here"),
        ("-4,2", "points[0].concurrency: is negative"),
        ("4,1,29", "line 2: has more cells than the header"),
        ("", "no rows"),
        (",", "no rows"),
    ] {
        let message = error(&format!("{own}{row}\n"), &[]);
        assert!(message.contains(part), "{part} in {message}");
    }
    for (text, columns, part) in [
        ("a,b\n1,2\n", &[][..], "--column requests_per_s=HEADER"),
        (
            "a,requests_per_s\n1,2\n",
            &[("speed", "a")],
            "METRIC_QUANTILE_UNIT",
        ),
        (
            "a,requests_per_s\n1,2\n",
            &[("ttft_p99", "a")],
            "METRIC_QUANTILE_UNIT",
        ),
        (
            "a,requests_per_s\n1,2\n",
            &[("failed", "zzz")],
            "its columns are a, requests_per_s",
        ),
        (
            "completed,requests_per_s\n1.5,2\n",
            &[],
            "line 2, completed: is not a count (found 1.5)",
        ),
        (
            "ttft_p99_ms,ttft_p99_s,requests_per_s\n1,1,2\n",
            &[],
            "two columns hold the same figure (found ttft_p99_ms, ttft_p99_s)",
        ),
        (
            "requests_per_s\tttft_p99_ms\n2\t1,234\n",
            &[],
            "nothing in the table decides",
        ),
        ("one column\n1\n", &[], "not a table"),
    ] {
        let message = error(text, columns);
        assert!(message.contains(part), "{part} in {message}");
    }
}

/// The user's word goes before a header that bears the name.
#[test]
fn a_named_column_goes_before_one_that_bears_the_name() {
    let text = "requests_per_s,QPS\n1,2\n";
    let report = with(text.as_bytes(), &[("requests_per_s", "QPS")])
        .unwrap()
        .remove(0);
    assert_eq!(report.points[0].requests_per_s, 2.0);
}
