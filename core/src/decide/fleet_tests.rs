//! Spares, schedules, and factors on what was measured.

use super::tests::{codes, day, option, scenario};
use crate::{
    comparison::{Comparison, Standing},
    demand::Shape,
    price::PriceBook,
    scenario::{Scenario, WhatIf},
};

/// The H100 of the reports and another accelerator, an hour each; and the H100 by the month.
fn book() -> PriceBook {
    let offer = |id: &str, accelerator: &str, per: &str| {
        format!(
            r#"{{ "id": "t.{id}", "name": {{ "en": "{id}", "zh": "{id}" }}, "region": "x",
              "sells": {{ "kind": "accelerators", "accelerator": "{accelerator}", "per_instance": 1, "up_to": 8 }},
              "versions": [ {{ "price": {{ "per": "{per}", "amount": "2", "of": "accelerator" }}, "currency": "USD",
                "observed_on": "2026-01-01", "source": "s", "confidence": "list" }} ] }}"#
        )
    };
    let table = format!(
        r#"{{ "schema": "inferplan.prices/1", "provider": {{ "id": "t", "name": {{ "en": "T", "zh": "T" }} }},
          "released_on": "2026-01-01", "offers": [ {}, {}, {} ] }}"#,
        offer("sxm", "H100 80GB SXM", "hour"),
        offer("ascend", "Ascend 910B", "hour"),
        offer("monthly", "H100 80GB SXM", "month"),
    );
    PriceBook::read([("t.json", table.as_str())], None).unwrap()
}

fn answer(scenario: &Scenario) -> Comparison {
    super::compare(scenario, &book(), day()).unwrap()
}

fn what_if(throughput: f64, accelerator: Option<&str>) -> WhatIf {
    WhatIf {
        throughput,
        accelerator: accelerator.map(|name| name.parse().unwrap()),
        source: "an article".into(),
    }
}

#[test]
fn a_factor_is_an_estimate_with_its_source() {
    let mut asked = scenario(1_000_000);
    asked.slo_s.0.clear();
    let measured = answer(&asked);
    let limit = |c: &Comparison, id: &str| option(c, id).max_rate_per_replica;
    let base = limit(&measured, "sxm").unwrap();
    assert_eq!(codes(&option(&measured, "ascend").reasons), ["no-report"]);

    asked.what_ifs = vec![what_if(0.85, Some("Ascend 910B"))];
    let found = answer(&asked);
    assert_eq!(limit(&found, "sxm"), Some(base), "what was measured stays");
    let ascend = option(&found, "ascend");
    assert!((ascend.max_rate_per_replica.unwrap() / base - 0.85).abs() < 1e-9);
    assert_eq!(ascend.standing, Some(Standing::Estimate));
    assert!(
        ascend
            .warnings
            .iter()
            .any(|w| w.code == "what-if" && w.en.contains("an article"))
    );

    asked.what_ifs = vec![what_if(1.8, None)];
    let found = answer(&asked);
    let faster = option(&found, "sxm");
    assert!((faster.max_rate_per_replica.unwrap() / base - 1.8).abs() < 1e-9);
    assert_eq!(faster.standing, Some(Standing::Estimate));
    asked.measured_only = true;
    assert!(!option(&answer(&asked), "sxm").feasible);

    asked.what_ifs = vec![what_if(0.0, None)];
    asked.what_ifs[0].source.clear();
    let refused = super::compare(&asked, &book(), day())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("what_ifs[0].throughput"), "{refused}");
    assert!(refused.contains("what_ifs[0].source"), "{refused}");
}

#[test]
fn spares_and_a_least_number_are_bought() {
    let mut asked = scenario(1_000_000);
    let needed = option(&answer(&asked), "sxm").replicas.unwrap();
    asked.fleet.spares = 2;
    let found = answer(&asked);
    let with = option(&found, "sxm");
    assert_eq!(with.replicas, Some(needed + 2));
    assert!(codes(&with.warnings).contains(&"spares"));
    asked.fleet.least = 1000;
    assert_eq!(option(&answer(&asked), "sxm").replicas, Some(1000));
}

#[test]
fn a_schedule_rents_each_hour_s_replicas_and_the_start_up_before() {
    let mut asked = scenario(86_400);
    asked.slo_s.0.clear();
    let limit = option(&answer(&asked), "sxm").max_rate_per_replica.unwrap();
    // Half of the week's hours need one replica, the other half three.
    let hourly: Vec<f64> = (0..168)
        .map(|h| if h % 2 == 0 { 0.5 } else { 1.5 })
        .collect();
    asked.demand.shape = Some(Shape::Week {
        hourly,
        utc_offset_h: 0,
    });
    let per_day = limit * 1.9 * 86_400.0;
    asked.demand.requests_per_day = crate::money::decimal_from_f64(per_day, 0).unwrap();
    let monthly = |asked: &Scenario, id: &str| {
        option(&answer(asked), id)
            .monthly
            .unwrap()
            .amount
            .to_string()
    };
    // 3 × 730 × 2.
    assert_eq!(monthly(&asked, "sxm"), "4380.00");
    asked.fleet.scheduled = true;
    // (1 + 3) ÷ 2 × 730 × 2; the share is kept to a thousandth of an hour of each of three.
    assert_eq!(monthly(&asked, "sxm"), "2920.00");
    // Two more are asked for 6 minutes ahead of every other hour: 2 × 0.1 ÷ 2 an hour more.
    asked.fleet.start_up_s = 360.0;
    assert_eq!(monthly(&asked, "sxm"), "3066.00");
    // A month is paid whole.
    assert_eq!(monthly(&asked, "monthly"), "6.00");
    asked.demand.shape = None;
    asked.fleet.scheduled = true;
    let found = answer(&asked);
    let steady = option(&found, "sxm");
    assert!(
        !codes(&steady.warnings).contains(&"scheduled"),
        "nothing to schedule"
    );
}
