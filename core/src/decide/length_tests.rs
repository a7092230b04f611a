//! Other lengths than were measured, from one report and from several.

use super::tests::{codes, day, option, scenario};
use crate::{
    comparison::{Choice, Comparison, Standing},
    report::Report,
    scenario::Scenario,
};

const OFFER: &str = "sxm";

fn answer(scenario: &Scenario) -> Comparison {
    super::compare(scenario, &super::tests::book(), day()).unwrap()
}

/// A report of the scenario's system whose R(n) is in · 0.1 ms + out · (8 + 0.4 n) ms.
fn report(base: &Report, id: &str, (input, output): (f64, f64)) -> Report {
    let mut report = base.clone();
    report.id = id.to_owned();
    report.workload.input_tokens = Some(input);
    report.workload.output_tokens = Some(output);
    report.points.truncate(2);
    for (point, n) in report.points.iter_mut().zip([1.0, 11.0]) {
        point.concurrency = Some(n);
        point.requests_per_s = n / residence_s(n, input, output);
    }
    report
}

fn residence_s(n: f64, input: f64, output: f64) -> f64 {
    (input * 0.1 + output * (8.0 + 0.4 * n)) / 1000.0
}

fn asked(lengths: &[(f64, f64)]) -> Scenario {
    let mut scenario = scenario(10_000);
    scenario.slo_s.0.clear();
    scenario.accept_unfit = true;
    let base = scenario.reports[0].clone();
    scenario.reports = lengths
        .iter()
        .enumerate()
        .map(|(i, lengths)| report(&base, &format!("r{i}"), *lengths))
        .collect();
    scenario.demand.input_tokens = Some(600);
    scenario.demand.output_tokens = Some(300);
    scenario
}

fn of<'c>(comparison: &'c Comparison, report: &str) -> &'c Choice {
    comparison
        .options
        .iter()
        .find(|choice| choice.offer == "t.sxm" && choice.report.as_deref() == Some(report))
        .unwrap()
}

#[test]
fn two_reports_of_other_lengths_are_fitted() {
    let found = answer(&asked(&[(1000.0, 100.0), (200.0, 800.0)]));
    for id in ["r0", "r1"] {
        let choice = of(&found, id);
        assert_eq!(choice.standing, Some(Standing::Estimate));
        let codes = codes(&choice.warnings);
        assert!(codes.contains(&"lengths-fitted"), "{codes:?}");
        assert!(!codes.contains(&"lengths-estimated"), "{codes:?}");
        // X(11) for 600 / 300 at the utilisation ceiling.
        let ceiling = asked(&[]).utilization_ceiling;
        let expected = ceiling * 11.0 / residence_s(11.0, 600.0, 300.0);
        let rate = choice.max_rate_per_replica.unwrap();
        assert!((rate / expected - 1.0).abs() < 1e-6, "{rate} {expected}");
    }
}

#[test]
fn one_report_is_estimated_as_before() {
    let mut scenario = asked(&[(1000.0, 100.0)]);
    scenario.reports[0].points[0].ttft_s.mean = Some(0.1);
    scenario.reports[0].points[0].tpot_s.mean = Some(0.0084);
    let found = answer(&scenario);
    let warnings = codes(&option(&found, OFFER).warnings);
    assert!(warnings.contains(&"lengths-estimated"), "{warnings:?}");
    assert!(!warnings.contains(&"lengths-fitted"), "{warnings:?}");
}

#[test]
fn a_measured_length_stays_measured() {
    let found = answer(&asked(&[(600.0, 300.0), (200.0, 800.0)]));
    assert_eq!(of(&found, "r0").standing, Some(Standing::Measured));
    assert!(codes(&of(&found, "r1").warnings).contains(&"lengths-fitted"));
}

#[test]
fn collinear_lengths_fall_back_and_say_why() {
    let mut scenario = asked(&[(1000.0, 100.0), (2000.0, 200.0)]);
    for report in &mut scenario.reports {
        report.points[0].ttft_s.mean = Some(0.1);
        report.points[0].tpot_s.mean = Some(0.0084);
    }
    let found = answer(&scenario);
    let codes = codes(&of(&found, "r0").warnings);
    assert!(codes.contains(&"lengths-collinear"), "{codes:?}");
    assert!(codes.contains(&"lengths-estimated"), "{codes:?}");
}

#[test]
fn reports_of_another_system_are_left_aside() {
    let mut scenario = asked(&[(1000.0, 100.0), (200.0, 800.0)]);
    scenario.reports[1].model.precision = Some("fp8".to_owned());
    scenario.reports[0].points[0].ttft_s.mean = Some(0.1);
    scenario.reports[0].points[0].tpot_s.mean = Some(0.0084);
    let found = answer(&scenario);
    assert!(codes(&of(&found, "r0").warnings).contains(&"lengths-estimated"));
}
