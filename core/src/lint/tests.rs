use super::*;
use crate::report::{Arrivals, Point, Quantiles, Software, tests::sweep};

fn today() -> Date {
    "2026-12-01".parse().unwrap()
}

/// A report that nothing is wrong with.
fn fit() -> Report {
    let mut report = sweep(&[(1.0, 1.0), (4.0, 3.0), (16.0, 6.0)]);
    report.measured_on = Some("2026-11-01".parse().unwrap());
    report.system.engine = Some(Software {
        name: "vllm".into(),
        version: Some("0.30.0".into()),
    });
    report.model.name = Some("org/model-8B".into());
    report.model.precision = Some("bf16".into());
    report.workload.warmup_requests = Some(100);
    report.workload.arrivals = Some(Arrivals::Open);
    report.workload.input_tokens = Some(1000.5);
    report.workload.output_tokens = Some(100.0);
    report.network.rtt_s = Some(0.0);
    for point in &mut report.points {
        let n = point.concurrency.unwrap();
        let e2e = n / point.requests_per_s;
        point.completed = Some(1000);
        point.failed = Some(0);
        point.output_tokens_per_s = Some(point.requests_per_s * 100.0);
        point.latency_s.mean = Some(e2e);
        point.ttft_s.mean = Some(e2e * 0.1);
        point.ttft_s.p50 = Some(e2e * 0.1);
        point.ttft_s.p99 = Some(e2e * 0.15);
        point.tpot_s.mean = Some(e2e * 0.9 / 99.0);
        point.itl_s.p50 = point.tpot_s.mean;
    }
    report
}

fn codes(report: &Report) -> Vec<String> {
    lint(report, today())
        .into_iter()
        .map(|lint| lint.code)
        .collect()
}

#[test]
fn a_fit_report_has_no_lints() {
    assert_eq!(codes(&fit()), Vec::<String>::new());
}

/// Each change to the fit report brings its one lint, with its severity, and no other.
#[test]
fn every_fault_has_its_lint() {
    type Fault = fn(&mut Report);
    let faults: &[(&str, Severity, Fault)] = &[
        ("accelerator-unknown", Severity::Error, |r| {
            r.system.accelerators = None
        }),
        ("warmup-unknown", Severity::Warning, |r| {
            r.workload.warmup_requests = None
        }),
        ("warmup-short", Severity::Warning, |r| {
            r.workload.warmup_requests = Some(99)
        }),
        ("versions-unknown", Severity::Warning, |r| {
            r.system.engine = None
        }),
        ("precision-unknown", Severity::Warning, |r| {
            r.model.precision = None
        }),
        ("network-unknown", Severity::Info, |r| {
            r.network.rtt_s = None
        }),
        ("client-latency", Severity::Warning, |r| {
            r.network.rtt_s = Some(0.25)
        }),
        ("fixed-lengths", Severity::Info, |r| {
            r.workload.input_tokens = Some(1000.0)
        }),
        ("lengths-unknown", Severity::Warning, |r| {
            r.workload.output_tokens = None;
        }),
        ("old-measurement", Severity::Warning, |r| {
            r.measured_on = Some("2025-11-01".parse().unwrap())
        }),
        ("old-engine", Severity::Warning, |r| {
            r.system.engine.as_mut().unwrap().version = Some("0.5.3.post1".into());
        }),
        ("no-burst", Severity::Info, |r| {
            r.workload.arrivals = Some(Arrivals::Closed)
        }),
        ("saturated-run", Severity::Warning, |r| {
            r.workload.arrivals = Some(Arrivals::Burst)
        }),
        ("single-load", Severity::Warning, |r| r.points.truncate(1)),
        ("achieved-below-offered", Severity::Warning, |r| {
            r.points[2].request_rate = Some(7.0)
        }),
        ("failed-requests", Severity::Warning, |r| {
            r.points[1].failed = Some(3)
        }),
        ("failed-requests", Severity::Error, |r| {
            r.points[1].failed = Some(300)
        }),
        ("too-few-requests", Severity::Warning, |r| {
            r.points[0].completed = Some(99)
        }),
        ("start-burst", Severity::Info, |r| {
            r.points[2].ttft_s.p99 = Some(1.0)
        }),
        ("littles-law", Severity::Warning, |r| {
            r.points[1].concurrency = Some(5.5);
        }),
        ("latency-inconsistent", Severity::Warning, |r| {
            for point in &mut r.points {
                point.tpot_s.mean = point.tpot_s.mean.map(|seconds| seconds * 2.0);
                point.itl_s.p50 = point.tpot_s.mean;
            }
        }),
        ("tokens-inconsistent", Severity::Warning, |r| {
            r.points[1].output_tokens_per_s = Some(150.0)
        }),
        ("itl-near-zero", Severity::Warning, |r| {
            r.points[1].itl_s.p50 = Some(1e-5)
        }),
        ("itl-halved", Severity::Warning, |r| {
            for point in &mut r.points {
                point.itl_s.mean = point.tpot_s.mean.map(|seconds| seconds / 2.0);
            }
        }),
        ("quantiles-impossible", Severity::Error, |r| {
            let mean = r.points[0].ttft_s.typical();
            r.points[0].ttft_s = Quantiles {
                mean,
                p99: mean.map(|seconds| seconds / 100.0),
                ..Quantiles::default()
            };
        }),
        ("quantiles-impossible", Severity::Error, |r| {
            r.points[0].latency_s.p99 = Some(2.0);
            r.points[0].ttft_s.p99 = Some(200.0);
        }),
        ("quantiles-out-of-order", Severity::Error, |r| {
            r.points[2].ttft_s.p95 = Some(9.0)
        }),
        ("cached-prompts", Severity::Warning, |r| {
            r.points[2].input_tokens_per_s = Some(816_773.0)
        }),
        ("mlperf-invalid", Severity::Error, |r| {
            r.warnings
                .push(Notice::new("mlperf-invalid", "INVALID", "INVALID"))
        }),
    ];
    for (code, severity, fault) in faults {
        let mut report = fit();
        fault(&mut report);
        let found = lint(&report, today());
        let seen: Vec<_> = found
            .iter()
            .map(|lint| (lint.code.as_str(), lint.severity))
            .collect();
        assert_eq!(seen, [(*code, *severity)], "{code}");
        assert!(!found[0].why.zh.is_empty());
    }
}

#[test]
fn repeats_that_differ_too_much_may_be_of_two_systems() {
    let mut report = fit();
    let mut again = report.points[1].clone();
    again.requests_per_s *= 0.99;
    report.points.insert(2, again);
    assert!(!codes(&report).contains(&"repeats-differ".to_owned()));
    report.points[2].requests_per_s *= 0.9;
    assert!(codes(&report).contains(&"repeats-differ".to_owned()));
}

#[test]
fn a_run_that_turns_over_too_few_times_is_short() {
    let mut report = fit();
    report.points[2].completed = Some(79);
    let found = codes(&report);
    assert!(found.contains(&"short-run".to_owned()), "{found:?}");
}

#[test]
fn more_than_the_memory_can_read_is_implausible() {
    // One request at a time: 8e9 × 2 bytes × 142 tokens/s = 2.3 TB/s of an H100's 3.35.
    let with = |tokens_per_s: f64| {
        let mut report = fit();
        report.points = vec![Point {
            output_tokens_per_s: Some(tokens_per_s),
            requests_per_s: tokens_per_s / 100.0,
            ..report.points[0].clone()
        }];
        let found = lint(&report, today());
        found
            .into_iter()
            .find(|lint| lint.code == "implausible-throughput")
            .map(|lint| lint.severity)
    };
    assert_eq!(with(142.0), None);
    assert_eq!(with(400.0), Some(Severity::Warning));
    assert_eq!(with(2000.0), Some(Severity::Error));
}

#[test]
fn unlike_reports_are_named() {
    let mut other = fit();
    other.id = "other".into();
    assert_eq!(lint_together(&[fit(), other.clone()]), []);
    other.workload.output_tokens = Some(500.0);
    let lints = lint_together(&[fit(), other]);
    assert_eq!(lints[0].code, "unlike-reports");
    assert!(
        lints[0].why.en.contains("workload.output_tokens"),
        "{}",
        lints[0].why.en
    );
}

#[test]
fn a_replica_that_cannot_hold_the_weights_is_told() {
    let told = |precision: &str, accelerators: u32| {
        let mut report = fit();
        report.model.name = Some("meta-llama/Llama-3.1-70B-Instruct".into());
        report.model.precision = Some(precision.into());
        report.system.accelerators = Some(accelerators);
        codes(&report).contains(&"does-not-fit".to_owned())
    };
    // 131 GiB in H100s of 80 GB; 68 GiB in 8 bits.
    assert!(told("bf16", 1));
    assert!(!told("bf16", 2));
    assert!(!told("fp8", 1));
}
