//! Every billing kind, to the cent, against sums worked out by hand.

use super::*;
use crate::price::{Basis, Included};
use crate::{
    plan::{fleet::Fleet, uptime},
    price::{
        Confidence, Price, PriceBook, PriceTable, Tax,
        tariff::{LongMode, LongRequests, LongStep, OffPeak, Owned, PeakHours, Step},
    },
    report::{curve::Curve, tests::sweep},
    text::Lang,
};

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn version(price: Price, currency: Currency) -> Version {
    Version {
        price,
        currency,
        effective_from: None,
        effective_until: None,
        observed_on: Some("2026-07-01".parse().unwrap()),
        cancelled_on: None,
        source: "test".to_owned(),
        confidence: Confidence::List,
        note: None,
    }
}

fn usage(requests: &str, instances: u64, per_instance: u32) -> Usage {
    Usage {
        requests: dec(requests),
        tokens: Some(tokens(2048, 2048)),
        hours: dec("730"),
        fleet: Some(Fleet {
            replicas: instances,
            instances,
            per_instance,
        }),
        billed_share: 1.0,
        week: None,
        utilization: 0.5,
    }
}

fn tokens(input: u64, output: u64) -> Tokens {
    Tokens {
        input: input.into(),
        output: output.into(),
        cached_share: Decimal::ZERO,
        batch: false,
    }
}

fn lines_of(price: Price, currency: Currency, usage: &Usage) -> Vec<Line> {
    let lines = lines(&version(price, currency), usage).unwrap();
    re_add(&lines);
    lines
}

/// Every line is its quantity × its unit price, rounded half up.
fn re_add(lines: &[Line]) {
    for line in lines {
        let exact = line.quantity * line.unit_price;
        assert_eq!(
            Money::rounded(exact, line.currency).amount,
            line.amount,
            "{line:?}"
        );
    }
}

fn total_of(price: Price, currency: Currency, usage: &Usage) -> String {
    let lines = lines_of(price, currency, usage);
    total(&lines, currency).unwrap().amount.to_string()
}

fn usd(price: Price, usage: &Usage) -> String {
    total_of(price, Currency::Usd, usage)
}

fn call(amount: &str) -> Price {
    Price::Call {
        amount: dec(amount),
        steps: Vec::new(),
    }
}

fn hour(amount: &str, of: Basis) -> Price {
    Price::Hour {
        amount: dec(amount),
        of,
    }
}

fn second(amount: &str) -> Price {
    Price::Second {
        amount: dec(amount),
        of: Basis::Accelerator,
    }
}

fn per_token(input: &str, output: &str) -> Price {
    Price::MillionTokens {
        input: dec(input),
        output: dec(output),
        cached_input: None,
        batch: None,
        long: None,
        off_peak: None,
    }
}

#[test]
fn calls_hours_months_seconds_and_tokens() {
    assert_eq!(usd(call("0.002"), &usage("30000000", 0, 0)), "60000.00");
    assert_eq!(usd(call("0.002"), &usage("3000000", 0, 0)), "6000.00");
    assert_eq!(usd(call("0.002"), &usage("0", 0, 0)), "0.00");
    let accelerator = Basis::Accelerator;
    assert_eq!(usd(hour("2.69", accelerator), &usage("1", 1, 1)), "1963.70");
    assert_eq!(
        usd(hour("31.92", Basis::Instance), &usage("1", 2, 8)),
        "46603.20"
    );
    assert_eq!(
        usd(hour("3.99", accelerator), &usage("1", 2, 8)),
        "46603.20"
    );
    let month = Price::Month {
        amount: dec("28000"),
        of: Basis::Instance,
    };
    assert_eq!(
        total_of(month, Currency::Cny, &usage("1", 1, 1)),
        "28000.00"
    );
    // 2 628 000 s × 0.001097 = 2 882.916.
    assert_eq!(usd(second("0.001097"), &usage("1", 1, 1)), "2882.92");
    // 2 628 000 requests × 2048 = 5 382.144 million tokens, each way × 0.20.
    assert_eq!(
        usd(per_token("0.2", "0.2"), &usage("2628000", 0, 0)),
        "2152.86"
    );
}

#[test]
fn the_hours_of_a_month_at_399_an_hour() {
    for (hours, month) in [
        ("672", "2681.28"),
        ("696", "2777.04"),
        ("720", "2872.80"),
        ("730", "2912.70"),
        ("744", "2968.56"),
    ] {
        let usage = Usage {
            hours: dec(hours),
            ..usage("1", 1, 1)
        };
        assert_eq!(usd(hour("3.99", Basis::Accelerator), &usage), month);
        // A month's price is the month's, whatever its hours.
        let monthly = Price::Month {
            amount: dec("28000"),
            of: Basis::Accelerator,
        };
        assert_eq!(total_of(monthly, Currency::Cny, &usage), "28000.00");
    }
}

#[test]
fn a_term_is_billed_in_equal_months() {
    let term = |months, amount: &str| Price::Term {
        months,
        amount: dec(amount),
        of: Basis::Instance,
    };
    assert_eq!(usd(term(12, "33600"), &usage("1", 2, 1)), "5600.00");
    // 10 000 ÷ 36 = 277.777778.
    assert_eq!(usd(term(36, "10000"), &usage("1", 1, 1)), "277.78");
}

#[test]
fn tiers_of_calls_at_exactly_one_below_and_one_above() {
    let tiered = || Price::Call {
        amount: dec("0.01"),
        steps: vec![
            Step {
                above: dec("1000"),
                amount: dec("0.008"),
            },
            Step {
                above: dec("5000"),
                amount: dec("0.005"),
            },
        ],
    };
    for (calls, month) in [
        ("999", "9.99"),
        ("1000", "10.00"),
        ("1001", "10.01"), // 10.00 + 0.008, rounded line by line
        ("1250", "12.00"), // 10 + 250 × 0.008
        ("5000", "42.00"), // 10 + 4000 × 0.008
        ("5001", "42.01"),
        ("6000", "47.00"), // 42 + 1000 × 0.005
    ] {
        assert_eq!(usd(tiered(), &usage(calls, 0, 0)), month, "{calls}");
    }
    assert_eq!(
        lines_of(tiered(), Currency::Usd, &usage("5000", 0, 0)).len(),
        2
    );
    assert_eq!(
        lines_of(tiered(), Currency::Usd, &usage("5001", 0, 0)).len(),
        3
    );
}

/// The prices of a model whose long requests cost double.
fn long(mode: LongMode) -> Price {
    Price::MillionTokens {
        input: dec("3"),
        output: dec("15"),
        cached_input: None,
        batch: None,
        long: Some(Box::new(LongRequests {
            mode,
            steps: vec![LongStep {
                above_input_tokens: 200_000,
                input: dec("6"),
                output: dec("22.5"),
                cached_input: None,
            }],
        })),
        off_peak: None,
    }
}

#[test]
fn long_requests_cost_more_whole_or_in_excess() {
    let one = |input, output| Usage {
        tokens: Some(tokens(input, output)),
        ..usage("1", 0, 0)
    };
    // 300k input at 3 and 6: flat would be 0.90, in excess 1.20, whole 1.80.
    assert_eq!(usd(long(LongMode::Excess), &one(300_000, 0)), "1.20");
    assert_eq!(usd(long(LongMode::WholeRequest), &one(300_000, 0)), "1.80");
    // The bound itself is still below it.
    for (input, whole, excess) in [
        (199_999, "0.60", "0.60"),
        (200_000, "0.60", "0.60"),
        (200_001, "1.20", "0.60"),
    ] {
        assert_eq!(usd(long(LongMode::WholeRequest), &one(input, 0)), whole);
        assert_eq!(usd(long(LongMode::Excess), &one(input, 0)), excess);
    }
    // A million requests show the one token above: 0.60 × 10⁶ + 6 a million tokens.
    let million = Usage {
        requests: dec("1000000"),
        ..one(200_001, 0)
    };
    assert_eq!(usd(long(LongMode::Excess), &million), "600006.00");
    // Output at the long price too, where the whole request is long.
    assert_eq!(
        usd(long(LongMode::WholeRequest), &one(300_000, 100_000)),
        "4.05"
    );
    assert_eq!(usd(long(LongMode::Excess), &one(300_000, 100_000)), "2.70");
}

#[test]
fn cached_input_is_a_part_of_the_input_and_never_billed_twice() {
    // 262,960 of input of which 257,955 cached, 1,744 of output, all at one step's prices:
    // 5005 × 2.5 + 257 955 × 0.625 + 1744 × 15 a million = 0.199894; a thousand such requests.
    let price = Price::MillionTokens {
        input: dec("2.5"),
        output: dec("15"),
        cached_input: Some(dec("0.625")),
        batch: None,
        long: None,
        off_peak: None,
    };
    let usage = |requests: &str, input: u64, cached: u64, output: u64| Usage {
        tokens: Some(Tokens {
            cached_share: Decimal::from(cached) / Decimal::from(input),
            ..tokens(input, output)
        }),
        ..usage(requests, 0, 0)
    };
    let lines = lines_of(
        price,
        Currency::Usd,
        &usage("1000", 262_960, 257_955, 1_744),
    );
    let amounts: Vec<String> = lines.iter().map(|line| line.amount.to_string()).collect();
    assert_eq!(amounts, ["12.51", "161.22", "26.16"]);
    // Haiku-like: 17,111 of which 17,102 cached at a tenth of 1.00; a million requests 1,719.20.
    let price = Price::MillionTokens {
        input: dec("1"),
        output: dec("5"),
        cached_input: Some(dec("0.1")),
        batch: None,
        long: None,
        off_peak: None,
    };
    assert_eq!(usd(price, &usage("1000000", 17_111, 17_102, 0)), "1719.20");
}

#[test]
fn batch_and_cache_discounts_stack() {
    // A million of input, 800k cached at a tenth, 3 a million, batch half: 0.30 + 0.12.
    let price = Price::MillionTokens {
        input: dec("3"),
        output: dec("15"),
        cached_input: Some(dec("0.3")),
        batch: Some(dec("0.5")),
        long: None,
        off_peak: None,
    };
    let usage = |batch| Usage {
        tokens: Some(Tokens {
            cached_share: dec("0.8"),
            batch,
            ..tokens(1_000_000, 0)
        }),
        ..usage("1", 0, 0)
    };
    assert_eq!(usd(price.clone(), &usage(true)), "0.42");
    assert_eq!(usd(price, &usage(false)), "0.84");
}

#[test]
fn a_steady_load_pays_the_peak_for_its_share_of_the_week() {
    // 35 of 168 hours at the full price, the others at half: 0.604 of it.
    let hours = |from_h, to_h| PeakHours {
        days: vec![1, 2, 3, 4, 5],
        from_h,
        to_h,
    };
    let price = Price::MillionTokens {
        input: dec("1"),
        output: dec("2"),
        cached_input: None,
        batch: None,
        long: None,
        off_peak: Some(Box::new(OffPeak {
            factor: dec("0.5"),
            utc_offset_h: 8,
            peak: vec![hours(9, 12), hours(14, 18)],
        })),
    };
    let usage = Usage {
        tokens: Some(tokens(1_000, 0)),
        ..usage("1000000", 0, 0)
    };
    // 1000 million tokens: 208.333333 × 1 = 208.33, 791.666667 × 0.5 = 395.83.
    assert_eq!(total_of(price.clone(), Currency::Cny, &usage), "604.16");
    // All of the week's requests in one hour of the peak, Monday 9 to 10 in Beijing, pay the peak.
    let mut hourly = vec![0.0; 168];
    hourly[9] = 1.0;
    let busy = crate::demand::Shape::Week {
        hourly,
        utc_offset_h: 8,
    };
    let usage = Usage {
        week: Some(busy.week()),
        ..usage
    };
    assert_eq!(total_of(price, Currency::Cny, &usage), "1000.00");
}

#[test]
fn tiny_prices_are_not_rounded_call_by_call() {
    assert_eq!(usd(call("0.0000004"), &usage("1000000", 0, 0)), "0.40");
}

/// Modal's A100 with its CPU, memory and plans, as its list of 2026-07-01 has them.
const MODAL: &str = r#"{
  "schema": "inferplan.prices/1",
  "provider": { "id": "modal", "name": { "en": "Modal", "zh": "Modal" } },
  "released_on": "2026-07-01",
  "offers": [ { "id": "modal.a100-80gb", "name": { "en": "A", "zh": "A" }, "region": "global",
    "sells": { "kind": "accelerators", "accelerator": "A100 80GB", "per_instance": 1, "up_to": 8,
      "seconds": { "billed": "up", "idle_timeout_s": 60, "cold_start_s": 10, "increment_s": 0 } },
    "versions": [ { "price": { "per": "second", "amount": "0.000694", "of": "accelerator" },
      "currency": "USD", "observed_on": "2026-07-01", "source": "modal.com/pricing", "confidence": "list" } ] } ],
  "components": [
    { "id": "modal.cpu", "name": { "en": "CPU", "zh": "CPU" }, "meter": "core-second", "beside": ["modal."], "at_least": "0.125",
      "versions": [ { "price": { "amount": "0.0000131" }, "currency": "USD", "observed_on": "2026-07-01", "source": "modal.com/pricing", "confidence": "list" } ] },
    { "id": "modal.memory", "name": { "en": "memory", "zh": "内存" }, "meter": "gib-second", "beside": ["modal."], "at_least": "0.125",
      "versions": [ { "price": { "amount": "0.00000222" }, "currency": "USD", "observed_on": "2026-07-01", "source": "modal.com/pricing", "confidence": "list" } ] },
    { "id": "modal.volume", "name": { "en": "volume", "zh": "卷" }, "meter": "storage-gib-month", "beside": ["modal."], "free": "1024",
      "versions": [ { "price": { "amount": "0.09" }, "currency": "USD", "observed_on": "2026-07-01", "source": "modal.com/pricing", "confidence": "list" } ] } ],
  "subscriptions": [
    { "id": "modal.starter", "name": { "en": "Starter", "zh": "Starter" }, "versions": [
      { "price": { "fee": "0", "credit": "30" }, "currency": "USD", "observed_on": "2026-07-01", "source": "modal.com/pricing", "confidence": "list" } ] },
    { "id": "modal.team", "name": { "en": "Team", "zh": "Team" }, "versions": [
      { "price": { "fee": "250", "credit": "100" }, "currency": "USD", "observed_on": "2026-07-01", "source": "modal.com/pricing", "confidence": "list" } ] } ] }"#;

fn modal() -> PriceTable {
    let book = PriceBook::read([("modal.json", MODAL)], None).unwrap();
    book.tables()[0].clone()
}

/// The whole bill of Modal's A100.
fn modal_bill(usage: &Usage, around: &Around, plan: &[String]) -> (Vec<String>, String) {
    let table = modal();
    let as_of = "2026-08-01".parse().unwrap();
    let own = lines(&table.offers[0].versions[0], usage).unwrap();
    let more = beside(&table, "modal.a100-80gb", &own, usage, around, plan, as_of).unwrap();
    let all: Vec<Line> = own.into_iter().chain(more.lines).collect();
    re_add(&all);
    let sum = total(&all, Currency::Usd).unwrap().amount.to_string();
    let each = all
        .iter()
        .map(|line| format!("{} {}", line.item, line.amount))
        .collect();
    (each, sum)
}

#[test]
fn modal_bills_cpu_and_memory_beside_and_the_credit_is_used_up_first() {
    // 2 628 000 s: × 0.000694 = 1823.832; × 0.125 × 0.0000131 = 4.30335; × 1 GiB × 0.00000222 =
    // 5.83416; less 30.
    let around = Around {
        memory_gib: Some(Decimal::ONE),
        ..Around::default()
    };
    let (each, sum) = modal_bill(&usage("1", 1, 1), &around, &[]);
    assert_eq!(
        each,
        [
            "accelerator-time 1823.83",
            "cpu 4.30",
            "memory 5.83",
            "credit -30.00"
        ]
    );
    assert_eq!(sum, "1803.96");
    // On the Team plan: 250 more, 100 free.
    let (_, sum) = modal_bill(&usage("1", 1, 1), &around, &["modal.team".to_owned()]);
    assert_eq!(sum, "1983.96");
}

#[test]
fn a_credit_is_never_more_than_what_it_is_used_for() {
    // A hundredth of an hour up: 0.036 × 730 …: 26 280 s × 0.000694 = 18.24.
    let little = Usage {
        billed_share: 0.01,
        ..usage("1", 1, 1)
    };
    let (each, sum) = modal_bill(&little, &Around::default(), &[]);
    assert_eq!(
        each,
        [
            "accelerator-time 18.24",
            "cpu 0.04",
            "memory 0.01",
            "credit -18.29"
        ]
    );
    assert_eq!(sum, "0.00");
}

#[test]
fn storage_is_billed_all_month_and_its_free_part_is_free() {
    // 2000 GB are 1862.645149 GiB; 838.645149 beyond 1024 × 0.09 = 75.478.
    let around = Around {
        storage_gb: dec("2000"),
        ..Around::default()
    };
    let idle = Usage {
        billed_share: 0.0,
        ..usage("1", 1, 1)
    };
    let (each, _) = modal_bill(&idle, &around, &[]);
    assert!(each.contains(&"storage 75.48".to_owned()), "{each:?}");
    let (each, _) = modal_bill(
        &idle,
        &Around {
            storage_gb: dec("1000"),
            ..around
        },
        &[],
    );
    assert!(
        !each.iter().any(|line| line.starts_with("storage")),
        "{each:?}"
    );
}

#[test]
fn storage_does_not_shrink_with_the_hours_that_run() {
    // 2.00 an hour for 180 h, and 100 GB at 0.10 for the month: 370, not 362.47 or 1470.
    let table = MODAL
        .replace("\"storage-gib-month\"", "\"storage-gb-month\"")
        .replace(", \"free\": \"1024\"", "")
        .replace("\"0.09\"", "\"0.10\"")
        .replace("\"at_least\": \"0.125\",", "")
        .replace("\"credit\": \"30\"", "\"credit\": \"0\"");
    let book = PriceBook::read([("modal.json", table.as_str())], None).unwrap();
    let usage = Usage {
        hours: dec("180"),
        ..usage("1", 1, 1)
    };
    let own = lines_of(hour("2", Basis::Accelerator), Currency::Usd, &usage);
    let around = Around {
        storage_gb: dec("100"),
        ..Around::default()
    };
    let as_of = "2026-08-01".parse().unwrap();
    let more = beside(
        &book.tables()[0],
        "modal.x",
        &own,
        &usage,
        &around,
        &[],
        as_of,
    )
    .unwrap();
    assert_eq!(more.left_out.len(), 2, "no cores and no memory are known");
    let all: Vec<Line> = own.into_iter().chain(more.lines).collect();
    let sum = total(&all, Currency::Usd).unwrap().amount;
    assert_eq!(sum, dec("370.00"));
}

#[test]
fn one_l40s_held_all_month_on_replicate_and_used_alone() {
    // A deployment bills set-up, idling and service: 730 h × 3600 × 0.000975 = 2562.30. A public
    // model bills service alone: at one request of 2 s every 10 s, a fifth of that.
    assert_eq!(usd(second("0.000975"), &usage("1", 1, 1)), "2562.30");
    let curve = Curve::of(&sweep(&[(1.0, 0.5), (2.0, 0.5)])).unwrap().0;
    let active = uptime::billed_share(&SecondsBilled::Active, &uptime::Chain::of(&curve), 0.1);
    assert!((active - 0.2).abs() < 1e-12, "{active}");
    let public = Usage {
        billed_share: active,
        ..usage("1", 1, 1)
    };
    // 525 600 s × 0.000975.
    assert_eq!(usd(second("0.000975"), &public), "512.46");
}

#[test]
fn tax_is_added_only_where_the_price_leaves_it_out() {
    let month = Price::Month {
        amount: dec("28000"),
        of: Basis::Instance,
    };
    let own = lines_of(month, Currency::Cny, &usage("1", 1, 1));
    let vat = |included| Tax {
        rate: dec("0.06"),
        included,
        jurisdiction: "CN".to_owned(),
        on: vec!["t.".to_owned()],
        source: "test".to_owned(),
    };
    let line = tax(&vat(Included::No), &own, Currency::Cny)
        .unwrap()
        .unwrap();
    assert_eq!(line.amount, dec("1680.00"));
    assert_eq!(line.display(Lang::En), "tax: 6% × CN¥28,000 = CN¥1,680.00");
    for included in [Included::Yes, Included::Unknown] {
        assert_eq!(tax(&vat(included), &own, Currency::Cny).unwrap(), None);
    }
}

#[test]
fn a_machine_of_one_s_own() {
    // (300 000 − 30 000) ÷ 36 = 7500; (2 + (10 − 2) × 0.5) kW × 1.3 × 730 h × 0.12 = 683.28;
    // two of each.
    let owned = Price::Owned(Box::new(Owned {
        purchase: dec("300000"),
        residual: dec("30000"),
        life_months: 36,
        idle_w: 2_000,
        loaded_w: 10_000,
        pue: dec("1.3"),
        per_kwh: dec("0.12"),
        rack_per_month: dec("1500"),
        staff_per_month: dec("2000"),
    }));
    let lines = lines_of(owned, Currency::Usd, &usage("1", 2, 8));
    let each: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {}", line.item, line.amount))
        .collect();
    assert_eq!(
        each,
        [
            "depreciation 15000.00",
            "energy 1366.56",
            "rack 3000.00",
            "staff 4000.00"
        ]
    );
    assert_eq!(
        lines[1].display(Lang::En),
        "energy: 2 instances × 730 hours × 6 kW × PUE 1.3 × $0.12 = $1,366.56"
    );
}

#[test]
fn a_bill_out_of_range_is_an_error_and_not_a_panic() {
    let bill = |price, usage: &Usage| lines(&version(price, Currency::Usd), usage);
    let huge = Usage {
        requests: Decimal::MAX,
        ..usage("1", 0, 0)
    };
    assert_eq!(bill(call("10000000"), &huge), Err(NoBill::OutOfRange));
    assert_eq!(bill(long(LongMode::Excess), &huge), Err(NoBill::OutOfRange));
    let unknown = Usage {
        tokens: None,
        ..usage("1", 0, 0)
    };
    assert_eq!(
        bill(per_token("1", "1"), &unknown),
        Err(NoBill::LengthsUnknown)
    );
}

#[test]
fn a_line_reads_as_a_sum_people_can_check() {
    let line = &lines_of(
        hour("2.69", Basis::Instance),
        Currency::Usd,
        &usage("1", 2, 1),
    )[0];
    assert_eq!(
        line.display(Lang::En),
        "2 instances × 730 hours × $2.69 = $3,927.40"
    );
    assert_eq!(
        line.display(Lang::Zh),
        "2 台实例 × 730 小时 × $2.69 = $3,927.40"
    );
    assert_eq!(line.source, "test");
}
