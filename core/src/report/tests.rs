//! Reports for tests.

use super::*;

/// A closed-loop sweep of (concurrency, requests/s) on one H100, 1000 tokens in and 100 out.
pub(crate) fn sweep(points: &[(f64, f64)]) -> Report {
    Report {
        schema: SchemaTag::of::<Report>(),
        id: "test".into(),
        measured_on: None,
        attribution: None,
        tool: Software {
            name: "test".into(),
            version: None,
        },
        system: System {
            accelerator: Some("H100 80GB SXM".parse().unwrap()),
            accelerators: Some(1),
            ..System::default()
        },
        model: Model::default(),
        workload: Workload {
            input_tokens: Some(1000.0),
            output_tokens: Some(100.0),
            arrivals: Some(Arrivals::Closed),
            ..Workload::default()
        },
        network: Network::default(),
        points: points
            .iter()
            .map(|&(concurrency, requests_per_s)| Point {
                concurrency: Some(concurrency),
                requests_per_s,
                ..Point::default()
            })
            .collect(),
        stated: Vec::new(),
        warnings: Vec::new(),
    }
}

#[test]
fn a_canonical_report_reads_back_as_itself() {
    let report = sweep(&[(1.0, 1.0), (4.0, 3.0)]);
    let json = serde_json::to_string_pretty(&report).unwrap();
    assert_eq!(Report::read(&json, "x").unwrap(), report);
}

#[test]
fn bad_figures_are_all_named_at_once() {
    let mut report = sweep(&[(1.0, -1.0), (0.0, 1.0), (2.0, 2.0)]);
    report.points[2].output_tokens_per_s = Some(108_608_593_901_538.98);
    report.points[2].ttft_s.p99 = Some(f64::NAN);
    report.points[2].completed = Some(0);
    let problems = report.check().unwrap_err().to_string();
    for part in [
        "points[0].requests_per_s: is negative (found -1)",
        "points[1].concurrency: must be above 0 (found 0)",
        "points[2].output_tokens_per_s: is implausibly large",
        "points[2].ttft_s.p99: is not a finite number",
        "points[2].completed: no request completed",
    ] {
        assert!(problems.contains(part), "{part} in {problems}");
    }
}

#[test]
fn an_unknown_field_is_named_with_its_path() {
    let json = serde_json::to_string(&sweep(&[(1.0, 1.0)])).unwrap();
    let json = json.replace("\"requests_per_s\"", "\"requests_per_minute\"");
    let message = Report::read(&json, "r.json").unwrap_err().to_string();
    assert!(message.starts_with("r.json: points[0]"), "{message}");
    assert!(message.contains("requests_per_minute"), "{message}");
}

#[test]
fn one_sweep_merges_and_unlike_runs_stay_apart() {
    let a = sweep(&[(8.0, 2.0)]);
    let b = sweep(&[(1.0, 1.0)]);
    let mut other_length = sweep(&[(1.0, 1.0)]);
    other_length.workload.output_tokens = Some(200.0);
    let merged = merge(vec![a.clone(), b.clone(), other_length.clone(), b.clone()]);
    assert_eq!(merged.len(), 2);
    let loads: Vec<_> = merged[0].points.iter().map(|p| p.concurrency).collect();
    assert_eq!(loads, [Some(1.0), Some(8.0)]);
    assert_eq!(merged[0].warnings[0].code, "same-run-twice");
    assert_eq!(merged[1].id, "test-2");
    let (path, ..) = merge::difference(&a, &other_length).unwrap();
    assert_eq!(path, "workload.output_tokens");
}
