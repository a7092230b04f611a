//! Counters made by hand, against figures worked out by hand.

use super::*;

/// 2026-03-02 00:00 UTC, a Monday.
const MONDAY: i64 = 1_772_409_600;

fn filled(counters: &mut Counters, shown: &[Option<f64>]) {
    for (moment, value) in shown.iter().enumerate() {
        let Some(value) = value else { continue };
        counters.requests.take("a", moment, *value);
        counters.input.take("a", moment, value * 100.0);
    }
}

fn codes(demand: &Demand) -> Vec<&str> {
    let codes = demand.warnings.iter().map(|notice| notice.code.as_str());
    codes.collect()
}

#[test]
fn a_restart_counts_from_nothing() {
    let mut counter = Counter::new(8);
    // A pod restarts: 3, 8, 15, 21, 21, then 8, 9, 13, 19.
    for (moment, value) in [3, 8, 15, 21, 21, 8, 9, 13, 19].into_iter().enumerate() {
        counter.take("pod", moment, f64::from(value));
    }
    let growth: Vec<f64> = counter.known().into_iter().flatten().collect();
    assert_eq!(growth, [5.0, 7.0, 6.0, 0.0, 8.0, 1.0, 4.0, 6.0]);
    assert_eq!((counter.restarts(), counter.series()), (1, 1));
}

#[test]
fn a_gap_is_unknown_and_not_idle() {
    let mut counters = Counters::new(MONDAY, 60, 8);
    let shown = [0, 60, 120, -1, -1, 300, 360, 420, 480];
    filled(
        &mut counters,
        &shown.map(|value| (value >= 0).then_some(f64::from(value))),
    );
    let found = counters.demand().unwrap();
    assert_eq!((found.requests, found.observed_s), (300, 300.0));
    assert_eq!(found.mean_requests_per_s, 1.0);
    assert_eq!(found.peak_to_mean.minute, Some(1.0));
    assert_eq!((found.peak_to_mean.second, found.gap_cv), (None, None));
    assert_eq!(found.input_tokens.unwrap().mean, 100.0);
    assert_eq!(
        (found.input_tokens.unwrap().p99, found.output_tokens),
        (None, None)
    );
    let gaps = &found.warnings[1];
    assert_eq!(gaps.code, "monitoring-gaps");
    assert!(
        gaps.en.contains("3 minutes") && gaps.en.contains("180 requests"),
        "{}",
        gaps.en
    );
    assert!(codes(&found).contains(&"counters-not-requests"));
}

#[test]
fn one_of_two_servers_out_of_sight_makes_the_step_unknown() {
    let mut counter = Counter::new(4);
    for moment in 0..=4 {
        counter.take("a", moment, moment as f64 * 10.0);
        if moment != 2 {
            counter.take("b", moment, moment as f64);
        }
    }
    assert_eq!(counter.known(), [Some(11.0), None, None, Some(11.0)]);
    assert_eq!(counter.unplaced(), 22.0);
    // One that began later or ended earlier leaves no hole.
    let mut counter = Counter::new(4);
    for moment in 0..=4 {
        counter.take("a", moment, moment as f64 * 10.0);
        if moment < 3 {
            counter.take("ended", moment, moment as f64);
        }
        if moment > 1 {
            counter.take("began", moment, moment as f64);
        }
    }
    assert_eq!(
        counter.known(),
        [Some(11.0), Some(11.0), Some(11.0), Some(11.0)]
    );
}

#[test]
fn a_week_of_counters_has_its_hours() {
    let steps = 7 * 24 * 12;
    let mut counters = Counters::new(MONDAY, 300, steps);
    let mut shown = 0.0;
    counters.requests.take("a", 0, shown);
    for step in 0..steps {
        // Twice as many from noon to midnight.
        shown += if step / 12 % 24 >= 12 { 200.0 } else { 100.0 };
        counters.requests.take("a", step + 1, shown);
    }
    let found = counters.demand().unwrap();
    assert_eq!(found.hourly.iter().flatten().count(), 168);
    assert!((found.hourly[13].unwrap() - 4.0 / 3.0).abs() < 1e-9);
    assert!((found.peak_to_mean.hour.unwrap() - 4.0 / 3.0).abs() < 1e-9);
    assert_eq!(
        (found.peak_to_mean.minute, found.dispersion_1min),
        (None, None)
    );
    assert_eq!(codes(&found), ["counters-not-requests"]);
    assert!(found.shape().unwrap().1.is_none());
    assert!(Counters::new(MONDAY, 300, steps).demand().is_err());
}
