use super::*;
use crate::{
    comparison::Standing,
    report::{Arrivals, Target, tests::sweep},
    text::Lang,
};

const RATES: &str = r#"{ "schema": "inferplan.exchange-rates/1", "rates": [
  { "base": "USD", "quote": "CNY", "rate": "7", "date": "2026-01-01", "source": "test" } ] }"#;

/// Offers of every kind, on round figures.
pub(super) fn book() -> PriceBook {
    let offer = |id: &str, sells: &str, price: &str, currency: &str| {
        format!(
            r#"{{ "id": "t.{id}", "name": {{ "en": "{id}", "zh": "{id}" }}, "region": "global", "sells": {sells},
              "versions": [ {{ "price": {price}, "currency": "{currency}", "observed_on": "2026-01-01",
                "source": "s", "confidence": "list" }} ] }}"#
        )
    };
    let cards = |name: &str, one: u32, most: u32| {
        format!(
            r#"{{ "kind": "accelerators", "accelerator": {name}, "per_instance": {one}, "up_to": {most} }}"#
        )
    };
    let hour = r#"{ "per": "hour", "amount": "2", "of": "accelerator" }"#;
    let offers = [
        offer(
            "call",
            r#"{ "kind": "model", "model": "m" }"#,
            r#"{ "per": "call", "amount": "0.002" }"#,
            "USD",
        ),
        offer(
            "tokens",
            r#"{ "kind": "model", "model": "m" }"#,
            r#"{ "per": "million-tokens", "input": "1", "output": "2" }"#,
            "USD",
        ),
        offer("sxm", &cards("\"H100 80GB SXM\"", 1, 8), hour, "USD"),
        offer("pcie", &cards("\"H100 80GB PCIe\"", 1, 8), hour, "USD"),
        offer("unsaid", &cards("\"H100 80GB\"", 1, 8), hour, "USD"),
        offer("unnamed", &cards("null", 1, 1), hour, "USD"),
        offer("eight", &cards("\"H100 80GB SXM\"", 8, 8), hour, "USD"),
        offer(
            "month",
            &cards("\"H100 80GB SXM\"", 1, 1),
            r#"{ "per": "month", "amount": "7000", "of": "instance" }"#,
            "CNY",
        ),
    ];
    let table = format!(
        r#"{{ "schema": "inferplan.prices/1", "provider": {{ "id": "t", "name": {{ "en": "T", "zh": "T" }} }},
          "released_on": "2026-01-01", "offers": [ {} ] }}"#,
        offers.join(",")
    );
    PriceBook::read([("test", table.as_str())], Some(("rates", RATES))).unwrap()
}

pub(super) fn scenario(requests_per_day: u64) -> Scenario {
    let mut report = sweep(&[(1.0, 1.0), (4.0, 2.0)]);
    for point in &mut report.points {
        point.ttft_s.p99 = Some(0.1 * point.concurrency.unwrap());
    }
    let mut scenario = Scenario::new(requests_per_day.into());
    scenario.reports.push(report);
    scenario
}

pub(super) fn day() -> Date {
    "2026-01-15".parse().unwrap()
}

fn answer(scenario: &Scenario) -> Comparison {
    compare(scenario, &book(), day()).unwrap()
}

pub(super) fn option<'c>(comparison: &'c Comparison, id: &str) -> &'c Choice {
    let id = format!("t.{id}");
    comparison.options.iter().find(|o| o.offer == id).unwrap()
}

fn monthly(comparison: &Comparison, id: &str) -> String {
    option(comparison, id).monthly.unwrap().amount.to_string()
}

pub(super) fn codes(notices: &[Notice]) -> Vec<&str> {
    notices.iter().map(|notice| notice.code.as_str()).collect()
}

#[test]
fn every_offer_is_listed_with_its_cost_or_every_reason() {
    // 86 400 a day is 1 a second; a replica may take 0.85 × 2 = 1.7.
    let comparison = answer(&scenario(86_400));
    assert_eq!(comparison.options.len(), 8);
    assert_eq!(monthly(&comparison, "call"), "5256.00"); // 2 628 000 × 0.002
    // 2628 M input × 1 + 262.8 M output × 2
    assert_eq!(monthly(&comparison, "tokens"), "3153.60");
    assert_eq!(monthly(&comparison, "sxm"), "1460.00");
    assert_eq!(monthly(&comparison, "eight"), "11680.00");
    assert_eq!(monthly(&comparison, "month"), "1000.00");
    assert_eq!(
        option(&comparison, "month")
            .native
            .unwrap()
            .amount
            .to_string(),
        "7000.00"
    );
    assert_eq!(codes(&option(&comparison, "pcie").reasons), ["no-report"]);
    assert_eq!(
        codes(&option(&comparison, "unnamed").reasons),
        ["accelerator-not-named"]
    );
    assert_eq!(
        codes(&option(&comparison, "unsaid").warnings),
        ["form-unstated"]
    );
    assert_eq!(
        codes(&option(&comparison, "eight").warnings),
        ["spare-accelerators"]
    );
    assert_eq!(codes(&option(&comparison, "month").warnings), ["converted"]);
    assert_eq!(comparison.exchange_rates.len(), 1);
    let order: Vec<_> = comparison
        .options
        .iter()
        .map(|o| o.offer.as_str())
        .collect();
    assert_eq!(
        order,
        [
            "t.month",
            "t.sxm",
            "t.unsaid",
            "t.tokens",
            "t.call",
            "t.eight",
            "t.pcie",
            "t.unnamed"
        ]
    );
    let best = option(&comparison, "month");
    assert_eq!((best.replicas, best.accelerators), (Some(1), Some(1)));
    assert_eq!(best.utilization, Some(0.5));
    assert_eq!(best.bound_by.as_deref(), Some("utilization_ceiling"));
    assert_eq!(best.per_1k_requests.unwrap().to_string(), "0.3805");
    assert_eq!(best.per_1m_output_tokens.unwrap().to_string(), "3.81");
    assert_eq!(option(&comparison, "call").standing, Some(Standing::Priced));
    assert_eq!(best.standing, Some(Standing::Measured));
}

#[test]
fn bills_re_add_from_their_lines() {
    for volume in [1, 999, 86_400, 12_345_678] {
        for option in answer(&scenario(volume)).feasible() {
            let sum: Decimal = option.lines.iter().map(|line| line.amount).sum();
            assert_eq!(sum, option.native.unwrap().amount, "{}", option.offer);
            for line in &option.lines {
                let exact = line.quantity * line.unit_price;
                let rounded = crate::money::Money::rounded(exact, line.currency);
                assert_eq!(rounded.amount, line.amount, "{}", option.offer);
            }
        }
    }
}

#[test]
fn targets_cost_accelerators_and_never_save_them() {
    let free = answer(&scenario(864_000));
    let mut tight = scenario(864_000);
    tight
        .slo_s
        .0
        .push("ttft_p99=0.4".parse::<Target>().unwrap());
    let tight = answer(&tight);
    // 10 a second: 6 replicas at 1.7. Four in service keep the target, and whoever waits does not:
    // P(four or more) is 1% at 0.515 a second (X = 1, 3/2, 9/5, 2), so 20.
    assert_eq!(option(&free, "sxm").replicas, Some(6));
    assert_eq!(option(&tight, "sxm").replicas, Some(20));
    assert_eq!(option(&tight, "sxm").bound_by.as_deref(), Some("ttft_p99"));
    assert!(codes(&option(&tight, "call").warnings).contains(&"targets-not-judged"));
    assert!(!codes(&tight.warnings).contains(&"closed-loop-latency"));
}

#[test]
fn a_missed_or_unjudged_target_makes_an_option_infeasible() {
    for (target, code) in [
        ("ttft_p99=0.01", "target-missed"),
        ("itl_p50=1", "target-cannot-be-judged"),
    ] {
        let mut scenario = scenario(86_400);
        scenario.slo_s.0.push(target.parse().unwrap());
        let comparison = answer(&scenario);
        let sxm = option(&comparison, "sxm");
        assert!(!sxm.feasible);
        assert_eq!(codes(&sxm.reasons), [code]);
        assert_eq!(sxm.monthly, None);
    }
}

#[test]
fn other_lengths_are_estimates_and_can_be_left_out() {
    let mut scenario = scenario(86_400);
    for point in &mut scenario.reports[0].points {
        point.tpot_s.mean = Some(0.01);
    }
    scenario.demand.output_tokens = Some(200);
    // Work: TTFT 0.1 s + 200 × 0.01 s over 0.1 + 100 × 0.01 = 2.1 / 1.1.
    let comparison = answer(&scenario);
    let sxm = option(&comparison, "sxm");
    assert_eq!(sxm.standing, Some(Standing::Estimate));
    assert_eq!(codes(&sxm.warnings), ["lengths-estimated"]);
    assert!((sxm.max_rate_per_replica.unwrap() - 1.7 * 1.1 / 2.1).abs() < 1e-9);
    scenario.measured_only = true;
    assert_eq!(
        codes(&option(&answer(&scenario), "sxm").reasons),
        ["not-measured"]
    );
}

#[test]
fn no_requests_cost_the_floor_and_nothing_divides_by_them() {
    let comparison = answer(&scenario(0));
    assert_eq!(monthly(&comparison, "call"), "0.00");
    assert_eq!(monthly(&comparison, "sxm"), "1460.00");
    assert_eq!(option(&comparison, "sxm").per_1k_requests, None);
    assert_eq!(codes(&comparison.warnings)[0], "no-requests");
}

#[test]
fn a_trillion_requests_a_day_are_still_arithmetic() {
    let comparison = answer(&scenario(1_000_000_000_000));
    assert_eq!(codes(&comparison.warnings)[0], "volume-large");
    // 10^12 ÷ 86 400 ÷ 1.7 = 6 808 278.87, so 6 808 279 replicas at 1460 each.
    assert_eq!(option(&comparison, "sxm").replicas, Some(6_808_279));
    assert_eq!(monthly(&comparison, "sxm"), "9940087340.00");
    let too_many = Scenario::new(Decimal::from(10_000_000_000_000_u64));
    assert!(compare(&too_many, &book(), day()).is_err());
}

#[test]
fn without_an_exchange_rate_there_is_no_figure() {
    let mut scenario = scenario(86_400);
    scenario.as_of = Some("2026-01-01".parse().unwrap());
    assert!(option(&answer(&scenario), "month").feasible);
    let table = book().tables().to_vec();
    let json = serde_json::to_string(&table[0]).unwrap();
    let without_rates = PriceBook::read([("t", json.as_str())], None).unwrap();
    let comparison = compare(&scenario, &without_rates, day()).unwrap();
    assert_eq!(
        codes(&option(&comparison, "month").reasons),
        ["no-exchange-rate"]
    );
    scenario.exchange_rates.push("CNY/USD=0.2".parse().unwrap());
    let comparison = compare(&scenario, &without_rates, day()).unwrap();
    assert_eq!(monthly(&comparison, "month"), "1400.00");
}

#[test]
fn a_report_without_an_accelerator_is_refused_with_the_remedy() {
    let mut scenario = scenario(1);
    scenario.reports[0].system.accelerator = None;
    let message = compare(&scenario, &book(), day()).unwrap_err().to_string();
    assert!(message.contains("--accelerator"), "{message}");
}

#[test]
fn an_unfit_report_is_a_reason_unless_it_is_accepted() {
    let mut scenario = scenario(86_400);
    let invalid = Notice::new("mlperf-invalid", "INVALID", "INVALID");
    scenario.reports[0].warnings.push(invalid);
    let comparison = answer(&scenario);
    assert_eq!(codes(&option(&comparison, "sxm").reasons), ["report-unfit"]);
    assert!(codes(&comparison.warnings).contains(&"mlperf-invalid"));
    scenario.accept_unfit = true;
    assert!(option(&answer(&scenario), "sxm").feasible);
}

#[test]
fn costs_at_volumes_agree_with_the_comparison() {
    let scenario = scenario(86_400);
    let book = book();
    let plan = Plan::new(&scenario, &book, day()).unwrap();
    let comparison = plan.comparison();
    for choice in &comparison.options {
        let costs = plan.costs(choice, &[86_400.into()]);
        assert_eq!(costs[0], choice.monthly.map(|money| money.amount));
    }
}

#[test]
fn the_answer_is_one_sentence_in_either_language() {
    let text = |lang| -> String {
        let comparison = answer(&scenario(86_400));
        comparison
            .answer(lang)
            .into_iter()
            .map(|phrase| phrase.text)
            .collect()
    };
    assert_eq!(
        text(Lang::En),
        "At 86,400 requests a day, T month is cheapest: $1,000.00 a month on 1 accelerator. Next is T sxm at $1,460.00."
    );
    assert_eq!(
        text(Lang::Zh),
        "每天 86,400（8.64 万）次请求，T month 最省：每月 $1,000.00，1 张卡。其次是 T sxm，$1,460.00。"
    );
}

#[test]
fn the_answer_names_the_measured_model_and_what_another_would_cost() {
    let mut scenario = scenario(1_000);
    scenario.reports[0].model.name = Some("org/other".into());
    let comparison = answer(&scenario);
    let text: String = comparison
        .answer(Lang::En)
        .into_iter()
        .map(|p| p.text)
        .collect();
    assert_eq!(
        text,
        "At 1,000 requests a day, T month is cheapest: $1,000.00 a month on 1 accelerator. T tokens would be $36.50, with another model than was measured."
    );
}

#[test]
fn a_comparison_reads_back_as_itself() {
    let comparison = answer(&scenario(86_400));
    let json = serde_json::to_string(&comparison).unwrap();
    let read: Comparison = crate::document::read(&json, "c").unwrap();
    assert_eq!(read, comparison);
}

#[test]
fn another_model_is_never_called_the_cheapest_without_saying_that_the_measured_one_is_out() {
    let mut scenario = scenario(86_400);
    scenario.reports[0].model.name = Some("org/Large".to_owned());
    scenario.slo_s = Slo(vec!["ttft_p99=0.05".parse::<Target>().unwrap()]);
    let comparison = answer(&scenario);
    let text = |lang| -> String {
        let phrases = comparison.answer(lang).into_iter();
        phrases.map(|phrase| phrase.text).collect()
    };
    assert_eq!(
        text(Lang::En),
        "At 86,400 requests a day, no option for the measured model is feasible. No measured load \
         meets TTFT p99 ≤ 0.05 s with the other targets: at best 0.1000 s was measured. Of other \
         models, T tokens is cheapest: $3,153.60 a month. Next is T call at $5,256.00."
    );
    assert!(text(Lang::Zh).contains("实测的模型没有可行的方案"));
}

#[test]
fn a_report_of_an_accelerator_that_nobody_sells_is_told() {
    let mut scenario = scenario(86_400);
    scenario.reports[0].system.accelerator = Some("foo".parse().unwrap());
    let comparison = answer(&scenario);
    assert!(codes(&comparison.warnings).contains(&"no-offer"));
    assert!(comparison.own_warnings().any(|w| w.en.contains("foo")));
}

#[test]
fn a_peak_that_changes_nothing_says_so() {
    let peak = |volume| -> String {
        let comparison = answer(&scenario(volume));
        let found = comparison.warnings.iter().find(|w| w.code == "steady-load");
        found.unwrap().en.clone()
    };
    // 1.7 a second is what a replica takes: 0.1 × 3.2 fits one, 1 × 3.2 needs two.
    assert!(
        peak(8_640).contains("would still fit T month with 1 replica."),
        "{}",
        peak(8_640)
    );
    assert!(
        peak(86_400).contains("would need 2 replicas instead of 1"),
        "{}",
        peak(86_400)
    );
}

#[test]
fn a_rate_out_of_all_proportion_is_a_reason_and_no_fleet() {
    let mut scenario = scenario(1000);
    scenario.utilization_ceiling = 1e-300;
    let comparison = answer(&scenario);
    let sxm = option(&comparison, "sxm");
    assert_eq!(codes(&sxm.reasons), ["too-many-replicas"]);
    assert_eq!((sxm.accelerators, sxm.monthly), (None, None));
}

#[test]
fn hosted_offers_are_not_priced_at_one_of_several_reports_lengths() {
    let mut scenario = scenario(86_400);
    let mut other = scenario.reports[0].clone();
    other.id = "other".to_owned();
    other.workload.output_tokens = Some(9_000.0);
    scenario.reports.push(other);
    let comparison = answer(&scenario);
    assert_eq!(
        codes(&option(&comparison, "tokens").reasons),
        ["lengths-unknown"]
    );
    scenario.reports.reverse();
    assert_eq!(
        codes(&option(&answer(&scenario), "tokens").reasons),
        ["lengths-unknown"]
    );
}

#[test]
fn a_rate_that_was_not_kept_up_with_makes_an_estimate() {
    let mut scenario = scenario(86_400);
    scenario.reports[0].workload.arrivals = Some(Arrivals::Open);
    for point in &mut scenario.reports[0].points {
        point.latency_s.mean = Some(point.concurrency.unwrap() / point.requests_per_s);
        point.request_rate = Some(point.requests_per_s);
        point.concurrency = None;
    }
    let standing = |scenario: &Scenario| option(&answer(scenario), "sxm").standing;
    assert_eq!(standing(&scenario), Some(Standing::Measured));
    scenario.reports[0].points[1].request_rate = Some(50.0);
    assert_eq!(standing(&scenario), Some(Standing::Estimate));
    let comparison = answer(&scenario);
    let sxm = option(&comparison, "sxm");
    assert!(codes(&sxm.warnings).contains(&"offered-not-kept-up"));
    // Under a cap the waiting is at the client: a closed loop, whatever the file calls it. A largest
    // value has no place in random arrivals, so that is what it is judged by.
    scenario.slo_s = Slo(vec!["ttft_max=1".parse::<Target>().unwrap()]);
    for point in &mut scenario.reports[0].points {
        point.concurrency = Some(4.0);
        point.ttft_s.max = point.ttft_s.p99;
    }
    let comparison = answer(&scenario);
    assert!(codes(&comparison.warnings).contains(&"closed-loop-latency"));
}
