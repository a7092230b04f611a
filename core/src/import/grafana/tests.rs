use super::{
    super::tests::{fixture, import_bytes, import_with},
    *,
};

fn read(bytes: &[u8], columns: &[(&str, &str)]) -> Result<Vec<Report>, Problems> {
    let owned = |(field, header): &(&str, &str)| ((*field).to_owned(), (*header).to_owned());
    let options = Options {
        columns: columns.iter().map(owned).collect(),
        ..Options::default()
    };
    import_with(bytes, options)
}

fn with(columns: &[(&str, &str)]) -> Result<Vec<Report>, Problems> {
    read(&fixture("grafana", "panel.csv"), columns)
}

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

#[test]
fn named_series_are_averaged_with_their_units() {
    let report = with(&[
        ("requests_per_s", "QPS"),
        ("ttft_p99", "TTFT p99"),
        ("output_tokens_per_s", "Tokens"),
    ])
    .unwrap()
    .remove(0);
    let point = &report.points[0];
    assert_eq!((point.requests_per_s, point.request_rate), (3.0, Some(3.0)));
    // The mean of 0.2 and 0.4, which floats hold to their last digit but one.
    assert!((point.ttft_s.p99.unwrap() - 0.3).abs() < 1e-12);
    assert_eq!(point.output_tokens_per_s, Some(1200.0));
    assert_eq!(point.duration_s, Some(120.0));
    assert_eq!(report.measured_on.unwrap().to_string(), "2026-03-01");
    assert_eq!(codes(&report), ["percentiles-averaged"]);
}

/// Grafana's export for Excel: `sep=,` first, raw values, milliseconds since 1970.
#[test]
fn an_export_for_excel_is_a_panel_too() {
    let report = read(
        &fixture("grafana", "excel-raw.csv"),
        &[
            ("requests_per_s", "{pod=\"a\", job=\"llm\"}"),
            ("e2e_mean_s", "Latency"),
            ("e2e_max_ms", "Largest"),
        ],
    )
    .unwrap()
    .remove(0);
    let point = &report.points[0];
    assert_eq!(
        (point.requests_per_s, point.duration_s),
        (1234.5, Some(60.0))
    );
    assert_eq!(
        (point.latency_s.mean, point.latency_s.max),
        (Some(2.5), Some(8.0))
    );
    assert_eq!(codes(&report), [""; 0]);
}

/// Semicolons and decimal commas, rates a minute, words for thousands.
#[test]
fn a_panel_of_another_locale_reads_alike() {
    let report = read(
        &fixture("grafana", "locale.csv"),
        &[
            ("requests_per_s", "QPM"),
            ("ttft_p50", "TTFT"),
            ("output_tokens_per_s", "Tokens"),
        ],
    )
    .unwrap()
    .remove(0);
    let point = &report.points[0];
    // 90 and 150 a minute.
    assert_eq!(point.requests_per_s, 2.0);
    assert_eq!(point.ttft_s.p50, Some(0.375));
    assert_eq!(point.output_tokens_per_s, Some(1500.0));
    // Its dates could be of March or of January.
    assert_eq!((report.measured_on, point.duration_s), (None, None));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_remedy() {
    let message = import_bytes(&fixture("grafana", "panel.csv"))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("found QPS, TTFT p99, Tokens") && message.contains("--column"),
        "{message}"
    );
    let rate = ("requests_per_s", "QPS");
    for (columns, part) in [
        (&[("requests_per_s", "XYZ")][..], "its series are QPS"),
        (
            &[rate, ("e2e_p50", "QPS")],
            "--column e2e_p50: the unit of time is not known; name it in the field",
        ),
        (
            &[rate, ("ttft_p99_ms", "TTFT p99")],
            "leave it out of the field",
        ),
        (&[("ttft_p99", "TTFT p99")], "add --column requests_per_s"),
        (
            &[("requests_per_s", "TTFT p99")],
            "TTFT p99: the series is in another unit",
        ),
        (&[rate, ("failed", "QPS")], "not a field of a panel"),
        (&[rate, ("speed", "QPS")], "not a field of a panel"),
    ] {
        let message = with(columns).unwrap_err().to_string();
        assert!(message.contains(part), "{part} in {message}");
    }
    for (cells, part) in [
        ("fast", "line 2, QPS: is not a number (found fast)"),
        ("5 furlongs", "line 2, QPS: its unit is not known"),
        ("85%", "line 2, QPS: its unit is not known"),
        (
            "5 req/s\n1,300 req/m\n1,5 ms",
            "line 4, QPS: has another unit",
        ),
        ("", "QPS: the series is empty"),
        ("1,5", "line 2: has more cells than the header"),
    ] {
        let rows = cells.replace("\n1,", "\n2,");
        let message = read(format!("Time,QPS\n1,{rows}\n").as_bytes(), &[rate])
            .unwrap_err()
            .to_string();
        assert!(message.contains(part), "{part} in {message}");
    }
}
