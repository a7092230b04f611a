//! Traces made by hand, against figures worked out by hand.

use super::{Accumulator, Demand, Shape, stamp::SECOND};

/// 2026-03-02 00:00 UTC, a Monday.
const MONDAY: i64 = 1_772_409_600 * SECOND;

fn demand(times: impl IntoIterator<Item = i64>) -> Demand {
    let mut trace = Accumulator::default();
    for ns in times {
        trace.add(ns, Some(100), Some(10)).unwrap();
    }
    trace.demand(Vec::new()).unwrap()
}

fn codes(demand: &Demand) -> Vec<&str> {
    demand
        .warnings
        .iter()
        .map(|notice| notice.code.as_str())
        .collect()
}

/// Times at random, the same every run: gaps by inversion of a linear congruential generator.
fn random(from: i64, seconds: f64, rate: f64) -> Vec<i64> {
    let mut state: u64 = 42;
    let mut at = 0.0;
    let mut times = Vec::new();
    loop {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let uniform = ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        at -= uniform.ln() / rate;
        if at > seconds {
            return times;
        }
        times.push(from + (at * 1e9) as i64);
    }
}

#[test]
fn random_arrivals_have_the_figures_of_a_poisson_process() {
    let found = demand(random(MONDAY, 30.0 * 86_400.0, 10.0 / 60.0));
    let near = |value: Option<f64>, expected: f64, by: f64| {
        let value = value.unwrap();
        assert!((value - expected).abs() < by, "{value} is not {expected}");
    };
    near(found.gap_cv, 1.0, 0.01);
    near(found.dispersion_1min, 1.0, 0.03);
    // The median largest minute of 30 days at ten a minute is 2.6 times the mean; this is one draw.
    near(found.peak_to_mean.minute, 2.6, 0.4);
    assert!(codes(&found).is_empty(), "{:?}", found.warnings);
    let (shape, notice) = found.shape().unwrap();
    assert!(notice.is_none());
    assert!((shape.week().peak_to_mean() - 1.0).abs() < 0.2);
}

#[test]
fn regular_arrivals_a_little_apart_have_no_variation() {
    let found = demand((0..1000).map(|i| MONDAY + i * 250_000_001));
    assert!(found.gap_cv.unwrap() < 1e-6);
    assert_eq!(found.input_tokens.unwrap().p99, Some(100.0));
    assert_eq!(found.peak_to_mean.hour, None);
    // Four a second.
    assert!((found.mean_requests_per_s - 4.004).abs() < 0.001);
}

#[test]
fn coarse_stamps_hide_what_the_grid_would_make() {
    for grid in [1, 3, 60] {
        let found = demand(
            random(MONDAY, 7200.0, 3.0)
                .into_iter()
                .map(|ns| ns - ns % (grid * SECOND)),
        );
        assert_eq!(
            (found.gap_cv, found.peak_to_mean.second),
            (None, None),
            "{grid}"
        );
        assert_eq!(
            found.peak_to_mean.ten_seconds.is_some(),
            grid == 1,
            "{grid}"
        );
        assert!(found.peak_to_mean.minute.is_some() && found.dispersion_1min.is_some());
        assert_eq!(codes(&found)[0], "times-on-grid");
    }
}

#[test]
fn rows_out_of_order_give_the_same_but_for_the_gaps() {
    let times = random(MONDAY, 7200.0, 3.0);
    let sorted = demand(times.clone());
    let mut mixed = times;
    mixed.swap(100, 5000);
    let found = demand(mixed);
    assert_eq!(found.gap_cv, None);
    assert!(codes(&found).contains(&"times-out-of-order"));
    assert_eq!(found.peak_to_mean, sorted.peak_to_mean);
    assert_eq!((found.from, found.to), (sorted.from, sorted.to));
}

#[test]
fn a_hole_is_told_from_a_quiet_time() {
    let mut times = random(MONDAY, 3600.0, 5.0);
    assert!(!codes(&demand(times.clone())).contains(&"silence-improbable"));
    times.retain(|ns| !(1000..1300).contains(&((ns - MONDAY) / SECOND)));
    let found = demand(times);
    let warning = found
        .warnings
        .iter()
        .find(|notice| notice.code == "silence-improbable")
        .unwrap();
    assert!(warning.en.contains("2026-03-02T00:16:"), "{}", warning.en);
}

#[test]
fn hours_never_seen_are_null_and_a_day_gives_a_shape() {
    let hour = demand(random(MONDAY + 100 * SECOND, 3000.0, 1.0));
    assert_eq!(
        hour.hourly.iter().flatten().copied().collect::<Vec<_>>(),
        [1.0]
    );
    assert!(hour.hourly[0].is_some());
    assert!(hour.shape().is_err());
    // Twice the rate from noon on.
    let mut times = random(MONDAY, 43_200.0, 1.0);
    times.extend(random(MONDAY + 43_200 * SECOND, 43_200.0, 2.0));
    let day = demand(times);
    assert_eq!(day.hourly.iter().flatten().count(), 24);
    assert_eq!(codes(&day), ["span-under-week", "hours-unseen"]);
    let (shape, notice) = day.shape().unwrap();
    assert_eq!(notice.unwrap().code, "hours-filled");
    let Shape::Week { hourly, .. } = shape else {
        panic!("a week");
    };
    assert!((hourly[150] / hourly[144 + 3] - 1.0).abs() < 0.2);
    assert!((hourly[144 + 15] / hourly[144 + 3] - 2.0).abs() < 0.2);
}

#[test]
fn what_holds_no_rate_is_refused() {
    assert!(Accumulator::default().demand(Vec::new()).is_err());
    let mut trace = Accumulator::default();
    trace.add(MONDAY, None, None).unwrap();
    assert!(trace.demand(Vec::new()).is_err());
    // Two years of hours, each with one request.
    let far = (0..30_000).try_for_each(|hour| trace.add(MONDAY + hour * 3600 * SECOND, None, None));
    assert!(far.is_err());
}

#[test]
fn times_from_zero_have_no_week() {
    let found = demand(random(0, 100_000.0, 0.1));
    assert!(found.hourly.iter().all(Option::is_none));
    assert!(codes(&found).contains(&"times-relative"));
}
