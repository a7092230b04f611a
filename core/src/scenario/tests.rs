use super::*;

#[test]
fn a_short_scenario_reads_with_its_defaults() {
    let json = r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": 1e6}}"#;
    let scenario = Scenario::read(json, "s.json").unwrap();
    assert_eq!(scenario, Scenario::new(Decimal::from(1_000_000)));
    let month = scenario.requests_per_month(Decimal::from(1_000_000));
    assert_eq!(month.unwrap().round_dp(3).to_string(), "30416666.667");
    let written = serde_json::to_string(&scenario).unwrap();
    assert_eq!(Scenario::read(&written, "s").unwrap(), scenario);
}

#[test]
fn values_out_of_bounds_are_all_named() {
    let json = r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": 1e13,
        "input_tokens": 1000000000}, "hours_per_month": 0, "utilization_ceiling": 1.5}"#;
    let message = Scenario::read(json, "s.json").unwrap_err().to_string();
    for part in [
        "s.json: demand.requests_per_day: the volume is out of range (found 10,000,000,000,000)",
        "demand.input_tokens",
        "hours_per_month",
        "utilization_ceiling: the utilisation ceiling is out of range (found 1.5)",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
    for (json, part) in [
        (
            r#"{"schema": "inferplan.scenario/1", "demand": {"requests_a_day": 1}}"#,
            "demand",
        ),
        (
            r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": "many"}}"#,
            "demand.requests_per_day",
        ),
        (
            r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": 1}, "slo_s": {"ttft_p98": 1}}"#,
            "slo_s",
        ),
        (r#"{"demand": {"requests_per_day": 1}}"#, "schema"),
        (r#"{"schema": "inferplan.scenario/1", "#, "cut off"),
    ] {
        let message = Scenario::read(json, "s.json").unwrap_err().to_string();
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn what_is_stated_twice_is_refused() {
    let read = |more: &str| {
        let json = format!(
            r#"{{"schema": "inferplan.scenario/1", "demand": {{"requests_per_day": 1}}, {more}}}"#
        );
        Scenario::read(&json, "s.json").unwrap_err().to_string()
    };
    let targets = read(r#""slo_s": {"ttft_p99": 0.5, "ttft_p99": 2}"#);
    assert!(
        targets.contains("slo_s.ttft_p99: the target is given twice"),
        "{targets}"
    );
    let rate = |base: &str, quote: &str| {
        format!(
            r#"{{"base": "{base}", "quote": "{quote}", "rate": "7", "date": "2026-01-01", "source": "s"}}"#
        )
    };
    let rates = read(&format!(
        r#""exchange_rates": [{}, {}]"#,
        rate("USD", "CNY"),
        rate("CNY", "USD")
    ));
    assert!(rates.contains("exchange_rates[1]"), "{rates}");
}
