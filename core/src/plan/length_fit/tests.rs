use super::*;
use crate::report::tests::sweep;

/// Milliseconds a token of input and of output: p(n) = 0.01 (1 + n), d(n) = 5 + 0.5 n.
fn residence_s(n: f64, input: f64, output: f64) -> f64 {
    (input * 0.01 * (1.0 + n) + output * (5.0 + 0.5 * n)) / 1000.0
}

fn report(id: &str, lengths: (f64, f64), loads: &[f64], noise: f64) -> Report {
    let points: Vec<(f64, f64)> = loads
        .iter()
        .map(|n| {
            (
                *n,
                n / (residence_s(*n, lengths.0, lengths.1) * (1.0 + noise)),
            )
        })
        .collect();
    let mut report = sweep(&points);
    report.id = id.to_owned();
    report.workload.input_tokens = Some(lengths.0);
    report.workload.output_tokens = Some(lengths.1);
    for (point, n) in report.points.iter_mut().zip(loads) {
        let e2e = residence_s(*n, lengths.0, lengths.1);
        let ttft = lengths.0 * 0.01 * (1.0 + n) / 1000.0;
        point.latency_s.mean = Some(e2e);
        point.latency_s.p99 = Some(2.0 * e2e);
        point.ttft_s.mean = Some(ttft);
        point.tpot_s.mean = Some((e2e - ttft) / lengths.1);
    }
    report
}

const LOADS: [f64; 4] = [1.0, 4.0, 16.0, 64.0];

#[test]
fn two_lengths_give_prefill_and_decode_exactly() {
    let a = report("a", (1000.0, 100.0), &LOADS, 0.0);
    // Other loads: R is linear in n, so interpolation is exact too.
    let b = report("b", (200.0, 800.0), &[2.0, 8.0, 32.0], 0.0);
    let fitted = fit(&[&a, &b]).unwrap();
    let loads: Vec<f64> = fitted.tokens.iter().map(|at| at.n).collect();
    assert_eq!(
        loads,
        [2.0, 4.0, 8.0, 16.0, 32.0],
        "within both ranges alone"
    );
    for at in &fitted.tokens {
        assert!((at.prefill_s - 0.01e-3 * (1.0 + at.n)).abs() < 1e-12);
        assert!((at.decode_s - 1e-3 * (5.0 + 0.5 * at.n)).abs() < 1e-12);
    }
    let (curve, error, notices) = fitted.curve(500.0, 300.0);
    assert_eq!(curve.range(), (2.0, 32.0));
    for n in [2.0, 5.0, 16.0, 32.0] {
        let expected = n / residence_s(n, 500.0, 300.0);
        assert!((curve.rate_at(n) / expected - 1.0).abs() < 1e-9, "{n}");
    }
    assert!(error.residual < 1e-9 && error.left_out.is_none());
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].code, "lengths-fitted");
    assert!(
        notices[0].en.contains("error is not known"),
        "{}",
        notices[0].en
    );
}

#[test]
fn latencies_stay_consistent() {
    let a = report("a", (1000.0, 100.0), &LOADS, 0.0);
    let b = report("b", (200.0, 800.0), &LOADS, 0.0);
    let (curve, ..) = fit(&[&a, &b]).unwrap().curve(500.0, 300.0);
    let n = 16.0;
    let mean = |metric| curve.latency_at(metric, Quantile::Mean, n).unwrap();
    let expected = residence_s(n, 500.0, 300.0);
    assert!((mean(Metric::E2e) - expected).abs() < 1e-9);
    assert!((mean(Metric::Ttft) - 500.0 * 0.01e-3 * 17.0).abs() < 1e-9);
    let whole = mean(Metric::Ttft) + 300.0 * mean(Metric::Tpot);
    assert!((whole - expected).abs() < 1e-9, "TTFT + out × TPOT is e2e");
    let p99 = curve.latency_at(Metric::E2e, Quantile::P99, n).unwrap();
    assert!((p99 - 2.0 * expected).abs() < 1e-9);
    assert_eq!(curve.latency_at(Metric::Ttft, Quantile::P99, n), None);
}

#[test]
fn lengths_in_one_ratio_are_refused() {
    let a = report("a", (1000.0, 100.0), &LOADS, 0.0);
    for lengths in [(2000.0, 200.0), (1000.0, 110.0), (1000.0, 100.0)] {
        let b = report("b", lengths, &LOADS, 0.0);
        let refused = fit(&[&a, &b]).unwrap_err();
        assert_eq!(refused.code, "lengths-collinear");
        assert!(refused.en.contains("a (1,000 / 100)"), "{}", refused.en);
    }
}

#[test]
fn noise_shows_its_error() {
    let a = report("a", (1000.0, 100.0), &LOADS, 0.03);
    let b = report("b", (200.0, 800.0), &LOADS, -0.03);
    let c = report("c", (600.0, 400.0), &LOADS, 0.0);
    let (_, error, notices) = fit(&[&a, &b, &c]).unwrap().curve(500.0, 300.0);
    assert!((0.001..0.03).contains(&error.residual), "{error:?}");
    let left_out = error.left_out.unwrap();
    assert!(left_out > error.residual && left_out < 0.3, "{error:?}");
    let shown = significant(left_out * 100.0, 2);
    assert!(
        notices[0].en.contains(&format!("{shown}%")),
        "{}",
        notices[0].en
    );
    assert!(
        notices[0].zh.contains(&format!("{shown}%")),
        "{}",
        notices[0].zh
    );
}

#[test]
fn work_is_never_negative() {
    // The longer request is the faster: a free solution would have prefill below 0.
    let a = report("a", (1000.0, 100.0), &LOADS, -0.9);
    let b = report("b", (200.0, 100.0), &LOADS, 0.0);
    let fitted = fit(&[&a, &b]).unwrap();
    for at in &fitted.tokens {
        assert!(at.prefill_s >= 0.0 && at.decode_s >= 0.0, "{at:?}");
    }
    let (_, error, notices) = fitted.curve(500.0, 100.0);
    assert!(error.residual > 0.1, "{error:?}");
    assert!(!notices[0].en.contains("exactly"), "{}", notices[0].en);
}

#[test]
fn what_cannot_be_fitted_says_why() {
    let a = report("a", (1000.0, 100.0), &[1.0, 2.0], 0.0);
    let apart = report("b", (200.0, 800.0), &[4.0, 8.0], 0.0);
    assert_eq!(
        fit(&[&a, &apart]).unwrap_err().code,
        "lengths-no-common-load"
    );
    assert_eq!(fit(&[&a]).unwrap_err().code, "lengths-too-few");
    let mut other = report("b", (200.0, 800.0), &[1.0, 2.0], 0.0);
    other.system.accelerators = Some(2);
    assert_eq!(
        fit(&[&a, &other]).unwrap_err().code,
        "lengths-other-systems"
    );
    other.system.accelerators = Some(1);
    other.workload.input_tokens = None;
    assert_eq!(fit(&[&a, &other]).unwrap_err().code, "lengths-too-few");
}

#[test]
fn lengths_beyond_the_measured_say_so() {
    let a = report("a", (1000.0, 100.0), &LOADS, 0.0);
    let b = report("b", (200.0, 800.0), &LOADS, 0.0);
    let (.., notices) = fit(&[&a, &b]).unwrap().curve(4000.0, 300.0);
    assert_eq!(notices[1].code, "lengths-outside");
}
