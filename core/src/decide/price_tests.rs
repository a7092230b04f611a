//! Prices with their terms, quotes, discounts and constraints, in whole comparisons.

use super::{
    tests::{codes, day, option, scenario},
    *,
};
use crate::price::{Overlay, Residency};

/// One H100 at 2 an hour under several terms, and a mainland month.
const TABLE: &str = r#"{
  "schema": "inferplan.prices/1",
  "provider": { "id": "t", "name": { "en": "T", "zh": "T" } },
  "released_on": "2026-01-01",
  "tax": { "rate": "0.06", "included": "unknown", "jurisdiction": "CN", "on": ["t."], "source": "s" },
  "offers": [
    { "id": "t.hour", "name": { "en": "hour", "zh": "hour" }, "region": "x", "residency": "us", "SELLS": 1,
      "versions": [ { "price": { "per": "hour", "amount": "2", "of": "accelerator" }, "currency": "USD",
        "observed_on": "2026-01-01", "source": "s", "confidence": "list" } ] },
    { "id": "t.year", "name": { "en": "year", "zh": "year" }, "region": "x", "residency": "cn-mainland", "SELLS": 1,
      "versions": [ { "price": { "per": "term", "months": 12, "amount": "12000", "of": "accelerator" }, "currency": "USD",
        "observed_on": "2026-01-01", "source": "s", "confidence": "list" } ] },
    { "id": "t.spot", "name": { "en": "spot", "zh": "spot" }, "region": "x", "SELLS": 1,
      "terms": { "spot": { "interruptions_per_hour": 0.5, "notice_s": 120, "restart_s": 1800 } },
      "versions": [ { "price": { "per": "hour", "amount": "1", "of": "accelerator" }, "currency": "USD",
        "observed_on": "2026-01-01", "source": "s", "confidence": "list" } ] } ] }"#;

fn book() -> PriceBook {
    let sells = r#""sells": { "kind": "accelerators", "accelerator": "H100 80GB SXM", "per_instance": 1, "up_to": 8 }"#;
    let table = TABLE.replace("\"SELLS\": 1", sells);
    PriceBook::read([("t.json", table.as_str())], None).unwrap()
}

fn answer(scenario: &Scenario) -> Comparison {
    compare(scenario, &book(), day()).unwrap()
}

fn monthly(comparison: &Comparison, id: &str) -> String {
    let monthly = option(comparison, id).monthly;
    monthly.map_or_else(|| "none".to_owned(), |money| money.amount.to_string())
}

fn overlay(json: &str) -> Overlay {
    serde_json::from_str(json).unwrap()
}

#[test]
fn constraints_keep_offers_out_and_say_what_would_let_them_in() {
    let mut asked = scenario(86_400);
    let comparison = answer(&asked);
    assert_eq!(monthly(&comparison, "hour"), "1460.00");
    assert_eq!(
        codes(&option(&comparison, "year").reasons),
        ["commitment-too-long"]
    );
    assert_eq!(
        codes(&option(&comparison, "spot").reasons),
        ["spot-not-allowed"]
    );

    asked.constraints.commitment_months = 12;
    asked.constraints.residency = Some(Residency::CnMainland);
    let comparison = answer(&asked);
    assert_eq!(monthly(&comparison, "year"), "1000.00");
    assert_eq!(option(&comparison, "year").commitment_months, 12);
    let hour = option(&comparison, "hour");
    assert_eq!(codes(&hour.reasons), ["residency"]);
    assert!(
        hour.reasons[0].en.contains("the United States"),
        "{:?}",
        hour.reasons
    );
    assert_eq!(
        codes(&option(&comparison, "spot").reasons),
        ["residency", "spot-not-allowed"]
    );
}

#[test]
fn spot_capacity_is_bought_for_its_interruptions() {
    // Taken back every two hours and half an hour gone: it serves 80% of the time, so a replica
    // that may take 1.7 a second carries 1.36 of 1.5.
    let mut asked = scenario(129_600);
    asked.constraints.spot = true;
    let comparison = answer(&asked);
    let spot = option(&comparison, "spot");
    assert_eq!(
        (spot.replicas, monthly(&comparison, "spot")),
        (Some(2), "1460.00".to_owned())
    );
    assert_eq!(option(&comparison, "hour").replicas, Some(1));
    assert!(codes(&spot.warnings).contains(&"spot"));
}

#[test]
fn a_tax_that_may_or_may_not_be_in_a_price_is_told_with_both_sums() {
    let comparison = answer(&scenario(86_400));
    let warnings = &option(&comparison, "hour").warnings;
    let tax = warnings.iter().find(|w| w.code == "tax-unknown").unwrap();
    assert!(
        tax.en.contains("$1,547.60") && tax.en.contains("$1,460.00"),
        "{}",
        tax.en
    );
}

#[test]
fn a_quote_comes_before_the_table_while_it_holds() {
    let quote = overlay(
        r#"{ "schema": "inferplan.overlay/1", "quotes": [ { "offer": "t.hour",
          "price": { "per": "hour", "amount": "1.5", "of": "accelerator" }, "currency": "USD",
          "effective_from": "2026-01-10", "effective_until": "2026-02-10", "source": "contract 7" } ] }"#,
    );
    let mut asked = scenario(86_400);
    asked.prices = Some(quote);
    for (as_of, month) in [
        ("2026-01-09", "1460.00"),
        ("2026-01-10", "1095.00"),
        ("2026-02-09", "1095.00"),
        ("2026-02-10", "1460.00"),
    ] {
        asked.as_of = Some(as_of.parse().unwrap());
        let comparison = answer(&asked);
        let hour = option(&comparison, "hour");
        assert_eq!(monthly(&comparison, "hour"), month, "{as_of}");
        let own = codes(&hour.warnings).contains(&"own-quote");
        assert_eq!(own, month == "1095.00", "it is shown as one's own");
    }
}

#[test]
fn discounts_are_lines_of_their_own() {
    let discounts = overlay(
        r#"{ "schema": "inferplan.overlay/1", "discounts": [
          { "on": "t", "percent": "15", "effective_from": "2026-01-01", "source": "framework" },
          { "on": "t.hour", "amount": "100", "currency": "USD", "effective_from": "2026-01-01", "source": "voucher" },
          { "on": "t.hour", "amount": "100", "currency": "CNY", "effective_from": "2026-01-01", "source": "other" } ] }"#,
    );
    let mut asked = scenario(86_400);
    asked.prices = Some(discounts);
    let comparison = answer(&asked);
    let hour = option(&comparison, "hour");
    // 1460 − 15% = 1241; − 100.
    assert_eq!(monthly(&comparison, "hour"), "1141.00");
    let amounts: Vec<_> = hour
        .lines
        .iter()
        .map(|line| line.amount.to_string())
        .collect();
    assert_eq!(amounts, ["1460.00", "-219.00", "-100.00"]);
    assert!(codes(&hour.warnings).contains(&"discount-left-out"));
}

#[test]
fn what_an_overlay_names_must_exist() {
    for (json, part) in [
        (
            r#"{ "schema": "inferplan.overlay/1", "quotes": [ { "offer": "t.none",
              "price": { "per": "hour", "amount": "1", "of": "accelerator" }, "currency": "USD",
              "effective_from": "2026-01-01", "source": "s" } ] }"#,
            "quotes[0].offer: no table has it (found t.none)",
        ),
        (
            r#"{ "schema": "inferplan.overlay/1", "quotes": [ { "offer": "t.hour",
              "price": { "per": "call", "amount": "1" }, "currency": "USD",
              "effective_from": "2026-01-01", "source": "s" } ] }"#,
            "accelerators are priced per second, hour or month",
        ),
        (
            r#"{ "schema": "inferplan.overlay/1", "discounts": [ { "on": "t", "percent": "150",
              "effective_from": "2026-01-01", "source": "s" } ] }"#,
            "discounts[0]: a discount is above 0 and at most 100 percent (found 150)",
        ),
        (
            r#"{ "schema": "inferplan.overlay/1", "discounts": [ { "on": "t", "amount": "5",
              "effective_from": "2026-01-01", "source": "s" } ] }"#,
            "an amount needs its currency",
        ),
    ] {
        let mut asked = scenario(1);
        asked.prices = Some(overlay(json));
        let message = compare(&asked, &book(), day()).unwrap_err().to_string();
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn retries_are_served_and_billed() {
    // 2% lost with one retry each: 1.02 requests for each that succeeds.
    let mut asked = scenario(86_400);
    asked.demand.attempts_per_success = 1.75;
    let comparison = answer(&asked);
    // 1.75 a second is above the 1.7 of one replica.
    assert_eq!(option(&comparison, "hour").replicas, Some(2));
}

#[test]
fn replicas_are_enough_for_the_busiest_hour() {
    // One replica may take 1.7 a second: 3.2 of the peak hour need two, and fill them at 3.2 ÷ 2 of
    // the 2 measured.
    let mut asked = scenario(86_400);
    asked.demand.shape = Some(crate::demand::Shape::Day {
        peak_to_mean: 3.2,
        peak_hour: 15,
        utc_offset_h: 0,
    });
    let comparison = answer(&asked);
    let hour = option(&comparison, "hour");
    assert_eq!(
        (hour.replicas, monthly(&comparison, "hour")),
        (Some(2), "2920.00".to_owned())
    );
    assert!((hour.utilization.unwrap() - 0.25).abs() < 1e-12);
    assert!((hour.peak_utilization.unwrap() - 0.8).abs() < 1e-9);
    let warnings = codes(&comparison.warnings);
    assert!(
        warnings.contains(&"busiest-hour") && !warnings.contains(&"steady-load"),
        "{warnings:?}"
    );
    // A flat week is the steady load, said on purpose.
    asked.demand.shape = Some(crate::demand::Shape::Flat);
    let flat = answer(&asked);
    assert_eq!(monthly(&flat, "hour"), "1460.00");
    asked.demand.shape = Some(crate::demand::Shape::Week {
        hourly: vec![1.0; 24],
        utc_offset_h: 0,
    });
    let message = compare(&asked, &book(), day()).unwrap_err().to_string();
    assert!(message.contains("demand.shape.hourly"), "{message}");
}

#[test]
fn serverless_runs_what_each_hour_needs_and_always_on_workers_all_week() {
    let table = |seconds: &str| {
        let sells = format!(
            r#""sells": {{ "kind": "accelerators", "accelerator": "H100 80GB SXM", "per_instance": 1, "up_to": 8, "seconds": {seconds} }}"#
        );
        let text = TABLE.replace("\"SELLS\": 1", &sells).replace(
            "\"per\": \"hour\", \"amount\": \"2\"",
            "\"per\": \"second\", \"amount\": \"0.001\"",
        );
        PriceBook::read([("t.json", text.as_str())], None).unwrap()
    };
    // All of the week in one hour: 168 times one request a minute is 2.8 a second, on two.
    let mut hourly = vec![0.0; 168];
    hourly[0] = 1.0;
    let mut asked = scenario(1_440);
    asked.demand.shape = Some(crate::demand::Shape::Week {
        hourly,
        utc_offset_h: 0,
    });
    let month = |seconds: &str| {
        let comparison = compare(&asked, &table(seconds), day()).unwrap();
        let hour = option(&comparison, "hour");
        assert_eq!(hour.replicas, Some(2));
        hour.monthly.unwrap().amount
    };
    assert_eq!(month(r#"{ "billed": "always" }"#).to_string(), "5256.00");
    // Busy in that hour alone: at most 2 × 730 ÷ 168 hours, 31.29 at 3.6 an hour.
    let active = month(r#"{ "billed": "active" }"#);
    assert!(
        active > Decimal::from(15) && active < Decimal::new(3129, 2),
        "{active}"
    );
}
