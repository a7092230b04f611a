use super::super::tests::{fixture, import, import_bytes, import_files};
use crate::{
    Date,
    lint::lint,
    report::{Arrivals, Report},
};

const STATISTICS: &str = "run_stats.csv";
const HISTORY: &str = "run_stats_history.csv";

fn text(name: &str) -> String {
    String::from_utf8(fixture("locust", name)).unwrap()
}

/// A fixture with something changed.
fn changed(name: &str, from: &str, to: &str) -> String {
    let text = text(name);
    assert!(text.contains(from), "{from} in {name}");
    text.replace(from, to)
}

fn files(files: &[(&str, String)]) -> Vec<(String, Vec<u8>)> {
    files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), text.clone().into_bytes()))
        .collect()
}

fn one(text: &str) -> Report {
    import_bytes(text.as_bytes()).unwrap().remove(0)
}

fn error(text: &str) -> String {
    import_bytes(text.as_bytes()).unwrap_err().to_string()
}

fn codes(report: &Report) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code.as_str()).collect()
}

#[test]
fn failures_are_not_served_and_milliseconds_become_seconds() {
    let report = &import("locust", STATISTICS)[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(180), Some(20)));
    // 200 requests at 10 a second are 20 s, and 180 of them were served.
    assert_eq!((point.duration_s, point.requests_per_s), (Some(20.0), 9.0));
    assert_eq!(
        (point.latency_s.mean, point.latency_s.p90),
        (Some(0.2), Some(0.39))
    );
    assert_eq!(point.concurrency, None, "the statistics do not say it");
    assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
}

/// locustio/locust#331: 99% = 600 > 100% = 596.
#[test]
fn a_rounded_percentile_above_the_maximum_is_no_fault() {
    let report = &import("locust", STATISTICS)[0];
    let latency = &report.points[0].latency_s;
    assert_eq!((latency.p99, latency.max), (Some(0.6), Some(0.596)));
    assert_eq!(
        codes(report),
        [
            "tokens-not-seen",
            "several-request-names",
            "rounded-percentiles",
            "failures-timed"
        ]
    );
    let found = lint(report, Date::constant(2026, 12, 1));
    assert!(
        !found
            .iter()
            .any(|lint| lint.code == "quantiles-out-of-order")
    );
    let names = &report.warnings[1].en;
    assert!(names.contains("POST /v1/chat/completions, GET /v1/models"));
}

/// Streamed tokens pass unseen, so no target on them can be judged.
#[test]
fn nothing_is_said_of_tokens() {
    for name in [STATISTICS, HISTORY, "run.json"] {
        let point = &import("locust", name)[0].points[0];
        assert_eq!(point.ttft_s, Default::default(), "{name}");
        assert_eq!(point.tpot_s, Default::default(), "{name}");
        assert_eq!(point.itl_s, Default::default(), "{name}");
        assert_eq!(
            (point.input_tokens_per_s, point.output_tokens_per_s),
            (None, None)
        );
    }
}

/// locustio/locust#2377 and #1197: of a window in one version, of the whole run in another.
#[test]
fn the_history_gives_totals_and_no_percentiles() {
    let report = &import("locust", HISTORY)[0];
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(180), Some(20)));
    assert_eq!((point.duration_s, point.requests_per_s), (Some(20.0), 9.0));
    let latency = &point.latency_s;
    assert_eq!((latency.mean, latency.max), (Some(0.2), Some(0.596)));
    assert_eq!((latency.p90, latency.p99), (None, None));
    // 10 a second × 0.2 s are the 2 users: they never pause.
    assert_eq!(point.concurrency, Some(2.0));
    assert!(codes(report).contains(&"history-window-unknown"));
}

#[test]
fn the_files_of_one_run_are_one_point() {
    let all = [
        STATISTICS,
        HISTORY,
        "run_failures.csv",
        "run_exceptions.csv",
    ];
    let reports = import_files(&files(&all.map(|name| (name, text(name))))).unwrap();
    assert_eq!((reports.len(), reports[0].points.len()), (1, 1));
    let point = &reports[0].points[0];
    assert_eq!(
        (point.concurrency, point.latency_s.p99),
        (Some(2.0), Some(0.6))
    );
    assert!(!codes(&reports[0]).contains(&"history-window-unknown"));
    let other = changed(
        HISTORY,
        "596,239.0\n1796110308,2,,Aggregated,10.0,1.0,300,320,340,350,390,440,540,600,600,600,600,200",
        "596,239.0\n1796110308,2,,Aggregated,10.0,1.0,300,320,340,350,390,440,540,600,600,600,600,900",
    );
    let mixed = files(&[(STATISTICS, text(STATISTICS)), (HISTORY, other)]);
    let message = import_files(&mixed).unwrap_err().to_string();
    assert!(
        message.contains("Total Request Count: the history is of another run"),
        "{message}"
    );
}

#[test]
fn users_that_pause_or_come_and_go_are_no_concurrency() {
    let with = |history: String| {
        let files = files(&[(STATISTICS, text(STATISTICS)), (HISTORY, history)]);
        import_files(&files).unwrap().remove(0)
    };
    let pausing = with(changed(HISTORY, ",2,,Aggregated", ",20,,Aggregated"));
    assert_eq!(pausing.points[0].concurrency, None);
    assert!(codes(&pausing).contains(&"users-pause"));
    let mut text = text(HISTORY);
    for users in 3..6 {
        text = text.replacen(
            "1796110308,2,,",
            &format!("1796110299,{users},,Aggregated,0,0,0,0,0,0,0,0,0,0,0,0,0,100,10,300,200.0,2,596,239.0\n1796110308,2,,"),
            1,
        );
    }
    let varied = with(text);
    assert_eq!(varied.points[0].concurrency, None);
    assert!(codes(&varied).contains(&"users-varied"));
}

/// Load tests of language models fire events, which Locust counts as requests.
#[test]
fn events_are_no_requests() {
    let events = changed(STATISTICS, "GET,/v1/models", "METRIC,time_to_first_token");
    let report = one(&events);
    let point = &report.points[0];
    assert_eq!((point.completed, point.failed), (Some(130), Some(20)));
    assert_eq!(
        (point.requests_per_s, point.latency_s.mean),
        (6.5, Some(0.26)),
        "of the only HTTP row, not of the sum"
    );
    assert!(codes(&report).contains(&"events-left-out"));
    let more = events.replace(
        ",Aggregated,",
        "POST,/v2,1,0,1,1,1,1,1,1,0,1,1,1,1,1,1,1,1,1,1,1\n,Aggregated,",
    );
    assert!(error(&more).contains("Type: the row `Aggregated` sums up"));
    let json = one(&changed("run.json", "\"GET\"", "\"METRIC\""));
    assert_eq!(json.points[0].completed, Some(59));
}

#[test]
fn json_entries_are_summed() {
    let point = &import("locust", "run.json")[0].points[0];
    assert_eq!((point.completed, point.failed), (Some(99), Some(1)));
    assert_eq!((point.duration_s, point.requests_per_s), (Some(10.0), 9.9));
    // 6000 ms of 100 requests.
    assert_eq!(point.latency_s.mean, Some(0.06));
    assert_eq!(
        (point.latency_s.p50, point.latency_s.p99),
        (Some(0.05), Some(0.15))
    );
    assert_eq!(point.latency_s.max, Some(0.15));
    let untimed = one(&changed(
        "run.json",
        "\"num_requests\": 60,",
        "\"num_requests\": 60, \"num_none_requests\": 20,",
    ));
    assert_eq!(
        untimed.points[0].latency_s.mean,
        Some(0.075),
        "6000 ms ÷ 80"
    );
}

#[test]
fn percentiles_that_were_not_reported_are_missing() {
    let report = one(&changed(STATISTICS, "99%,", "97%,"));
    let latency = &report.points[0].latency_s;
    assert_eq!((latency.p95, latency.p99), (Some(0.44), None));
    let report = one(&changed(STATISTICS, "540,600,", "540,N/A,"));
    assert_eq!(report.points[0].latency_s.p99, None);
}

#[test]
fn what_holds_no_measurement_points_to_what_does() {
    for name in ["run_failures.csv", "run_exceptions.csv"] {
        let message = error(&text(name));
        assert!(message.contains("_stats.csv"), "{message}");
    }
    let rows = "\n,Aggregated,200,20,";
    for (from, to, part) in [
        (",Aggregated,", ",Together,", "no row `Aggregated`"),
        (
            rows,
            "\n,Aggregated,200,many,",
            "Failure Count: is not a number (found many)",
        ),
        (rows, "\n,Aggregated,,20,", "Request Count: is missing"),
        (
            rows,
            "\n,Aggregated,200,300,",
            "Failure Count: more failures than requests",
        ),
        (rows, "\n,Aggregated,20,20,", "no request completed"),
        ("239.0,10.0,1.0", "239.0,nan,1.0", "Requests/s: is missing"),
        ("239.0,10.0,1.0", "239.0,0.0,1.0", "Requests/s: "),
        ("390,440", "390,soon", "95%: is not a number (found soon)"),
    ] {
        let message = error(&changed(STATISTICS, from, to));
        assert!(message.contains(part), "{part} in {message}");
    }
    for (from, to, part) in [
        ("\"num_failures\": 1,", "", "[0].num_failures: is missing"),
        (
            "3900.0",
            "\"long\"",
            "[0].total_response_time: is not a finite number",
        ),
        (
            "2100.0",
            "NaN",
            "[1].total_response_time: is not a finite number",
        ),
        ("\"90\": 18", "\"soon\": 18", "[0].response_times.soon: "),
    ] {
        let message = error(&changed("run.json", from, to));
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn runs_in_one_folder_are_told_apart_by_the_start_of_their_names() {
    let all = files(&[
        ("out/a_stats.csv", text(STATISTICS)),
        ("out/a_stats_history.csv", text(HISTORY)),
        ("out/a_failures.csv", text("run_failures.csv")),
        (
            "out/b_stats.csv",
            changed(STATISTICS, "239.0,10.0,1.0", "239.0,20.0,2.0"),
        ),
        ("out/b_failures.csv", text("run_failures.csv")),
    ]);
    let reports = import_files(&all).unwrap();
    let rates: Vec<_> = reports[0].points.iter().map(|p| p.requests_per_s).collect();
    assert_eq!((reports.len(), rates), (1, vec![9.0, 18.0]));
    assert_eq!(reports[0].points[0].concurrency, Some(2.0));
}
