//! `inferplan prices` as a process: lists, histories, differences, quotes, catalogues.

use std::fs;

use inferplan_tests::{Run, example_report, fixture, run, run_at};
use serde_json::Value;

fn prices(args: &[&str]) -> Run {
    let mut all = vec!["prices"];
    all.extend(args);
    run(&all)
}

const SECURE: &str = "runpod.pod.h100-80gb-sxm.secure";

/// The comparison's flags: one request a second on one H100.
fn question<'a>(report: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "--report",
        report,
        "--requests-per-day",
        "86400",
        "--input-tokens",
        "2048",
        "--output-tokens",
        "2048",
    ];
    args.extend(more);
    args
}

fn option<'v>(comparison: &'v Value, offer: &str) -> &'v Value {
    let options = comparison["options"].as_array().unwrap();
    let found = options.iter().find(|option| option["offer"] == offer);
    found.unwrap_or_else(|| panic!("no {offer}"))
}

#[test]
fn the_shipped_tables_are_without_fault() {
    let check = prices(&["check", "--json", "--as-of", "2026-12-04"]);
    assert_eq!(check.code, 0, "{}", check.stdout);
    let found = check.json();
    let (all, verified, not) = (
        found["prices"].as_u64().unwrap(),
        found["verified"].as_u64().unwrap(),
        found["unverified"].as_u64().unwrap(),
    );
    assert_eq!(all, verified + not);
    assert!(verified > 50 && found["offers"].as_u64().unwrap() > 100);
    let people = prices(&["check"]).stdout;
    assert!(
        people.contains(&format!(
            "{verified} seen on the provider's own list, {not} not"
        )),
        "{people}"
    );
}

#[test]
fn every_listed_price_has_its_day_and_source() {
    let list = prices(&["list", "--json", "--as-of", "2026-11-15"]).json();
    let offers = list["offers"].as_array().unwrap();
    assert!(offers.len() > 100);
    for offer in offers {
        assert!(offer["source"].as_str().unwrap().len() > 4, "{offer}");
        assert!(offer["currency"].is_string(), "{offer}");
    }
    // An hour's price as a person reads it, and nothing that is not asked for.
    let mine = prices(&[
        "list",
        "--provider",
        "lambda",
        "--as-of",
        "2026-11-15",
        "h100",
    ])
    .stdout;
    assert!(
        mine.contains("lambda.8x-h100-sxm   $31.92 / instance-hour  2026-09-25"),
        "{mine}"
    );
    assert!(!mine.contains("runpod"), "{mine}");
    let csv = prices(&["list", "--csv", "--as-of", "2026-11-15"]).stdout;
    assert_eq!(csv.lines().count(), offers.len() + 1);
}

#[test]
fn a_price_s_history_and_what_days_of_it_cost() {
    let history = prices(&["history", SECURE, "--json"]).json();
    let amounts: Vec<&str> = history["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["price"]["amount"].as_str().unwrap())
        .collect();
    assert_eq!(amounts, ["3.29", "3.49", "3.99", "3.99"]);
    let show = |more: &[&str]| {
        let mut args = vec!["show", SECURE, "--as-of", "2026-09-30"];
        args.extend(more);
        prices(&args)
    };
    // Two for a leap year's February: 2 × 696 × 3.49.
    let span = show(&[
        "--from",
        "2024-02-01",
        "--to",
        "2024-03-01",
        "--instances",
        "2",
        "--json",
    ]);
    assert_eq!(span.json()["span"]["total"]["amount"], "4858.08");
    assert!(
        show(&[])
            .stdout
            .contains("$3.49 / accel.-hour, from 2026-09-25")
    );
    let backwards = show(&["--from", "2024-03-01", "--to", "2024-02-01"]);
    assert_eq!(backwards.code, 2);
    // The same machine by the hour and by the month: 4675.66 ÷ 9.74.
    let pair = prices(&[
        "show",
        "alibaba-cloud.ecs-gn7i-c8g1-2xlarge.monthly",
        "--json",
    ])
    .json();
    assert_eq!(pair["break_even"]["hours_per_month"], "480.05");
    let unknown = prices(&["show", "runpod.h100.secure"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains(&format!("near it: {SECURE}")),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_difference_adds_up_to_the_last_digit() {
    let report = example_report();
    let mut args = vec!["diff", "2026-09-26", "2026-11-15", "--json"];
    args.extend(question(&report, &[]));
    let difference = prices(&args).json();
    let moved = difference["changes"].as_array().unwrap();
    let secure = moved
        .iter()
        .find(|change| change["offer"] == SECURE)
        .unwrap();
    assert_eq!(secure["amounts"][0]["percent"], "14.3");
    let dec = |value: &Value| {
        value
            .as_str()
            .unwrap()
            .parse::<inferplan_core::Decimal>()
            .unwrap()
    };
    let mut seen = 0;
    for option in difference["options"].as_array().unwrap() {
        if option["before"].is_null() || option["after"].is_null() {
            continue;
        }
        seen += 1;
        let by = dec(&option["difference"]);
        assert_eq!(
            by,
            dec(&option["after"]["amount"]) - dec(&option["before"]["amount"]),
            "{option}"
        );
        assert_eq!(
            by,
            dec(&option["by_price"]) + dec(&option["by_exchange"]),
            "{option}"
        );
        let lines: inferplan_core::Decimal = option["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| dec(&line["difference"]))
            .sum();
        if option["currency"] == "USD" {
            assert_eq!(lines, by, "{option}");
        }
    }
    assert!(seen > 10);
    // 730 hours of 3.99 − 3.49.
    let text = prices(&{
        let mut args = vec!["diff", "2026-09-26", "2026-11-15"];
        args.extend(question(&report, &[]));
        args
    });
    assert!(
        text.stdout
            .contains("accelerator-time 730 × $3.49 → $3.99  +365"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains("options cost the same on both days"),
        "{}",
        text.stdout
    );
}

#[test]
fn quotes_and_discounts_are_kept_apart_and_shown_as_one_s_own() {
    let home = tempfile::tempdir().unwrap();
    let at_home = |args: &[&str]| run_at(home.path(), args);
    let added = at_home(&[
        "prices",
        "add",
        SECURE,
        "--per-hour",
        "3",
        "--from",
        "2026-11-01",
        "--until",
        "2026-12-01",
        "--source",
        "offer 17",
    ]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let added = at_home(&[
        "prices",
        "add",
        "runpod",
        "--percent-off",
        "10",
        "--from",
        "2026-11-01",
        "--source",
        "framework",
    ]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let report = example_report();
    let compare = |more: &[&str]| {
        let mut args = vec!["compare", "--json"];
        args.extend(question(&report, more));
        at_home(&args).json()
    };
    let own = compare(&["--as-of", "2026-11-15"]);
    let secure = option(&own, SECURE);
    // 730 × 3 = 2190, less a tenth.
    assert_eq!(secure["monthly"]["amount"], "1971.00");
    assert_eq!(secure["price_confidence"], "quote");
    let codes: Vec<&str> = secure["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    assert!(
        codes.contains(&"own-quote") && codes.contains(&"own-discount"),
        "{codes:?}"
    );
    // After it ends the list's price counts, with the discount; without what is kept, neither.
    let later = compare(&["--as-of", "2026-12-02"]);
    assert_eq!(option(&later, SECURE)["monthly"]["amount"], "2621.43");
    let shipped = compare(&["--as-of", "2026-11-15", "--shipped-only"]);
    assert_eq!(option(&shipped, SECURE)["monthly"]["amount"], "2912.70");
    // A slip is refused, and nothing of it is kept.
    let before = fs::read_to_string(home.path().join("own-prices.json")).unwrap();
    for (args, part) in [
        (
            vec![
                "prices",
                "add",
                "runpodd",
                "--percent-off",
                "10",
                "--source",
                "s",
            ],
            "no such offer",
        ),
        (
            vec!["prices", "add", SECURE, "--per-call", "1", "--source", "s"],
            "priced per second, hour or month",
        ),
        (
            vec![
                "prices",
                "add",
                "runpod",
                "--percent-off",
                "110",
                "--source",
                "s",
            ],
            "at most 100 percent",
        ),
        (
            vec!["prices", "add", SECURE, "--per-hour", "0", "--source", "s"],
            "above 0",
        ),
    ] {
        let refused = at_home(&args);
        assert_eq!(refused.code, 2, "{args:?}");
        assert!(
            refused.stderr.contains(part),
            "{part} in {}",
            refused.stderr
        );
    }
    assert_eq!(
        fs::read_to_string(home.path().join("own-prices.json")).unwrap(),
        before
    );
}

#[test]
fn machines_of_one_s_own_stand_beside_the_rented_ones() {
    let (report, own) = (example_report(), fixture("prices/own.json"));
    let mut args = vec![
        "compare",
        "--json",
        "--prices",
        &own,
        "--as-of",
        "2026-11-15",
    ];
    args.extend(question(&report, &[]));
    let comparison = run(&args).json();
    let server = option(&comparison, "own.h100-server");
    let lines: Vec<String> = server["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            format!(
                "{} {}",
                line["item"].as_str().unwrap(),
                line["amount"].as_str().unwrap()
            )
        })
        .collect();
    // Utilisation 1 ÷ 1.9126312; 2 + 8 × 0.522840 = 6.182720 kW; × 1.3 × 730 × 0.12 = 704.09.
    assert_eq!(
        lines,
        [
            "depreciation 7500.00",
            "energy 704.09",
            "rack 1500.00",
            "staff 2000.00"
        ]
    );
    assert_eq!(server["monthly"]["amount"], "11704.09");
    // 31.92 × 730 less a tenth.
    let lambda = option(&comparison, "lambda.8x-h100-sxm");
    assert_eq!(lambda["monthly"]["amount"], "20971.44");
    // What must stay in the mainland stays there.
    let mut args = vec![
        "compare",
        "--json",
        "--prices",
        &own,
        "--residency",
        "cn-mainland",
    ];
    args.extend(question(&report, &[]));
    let mainland = run(&args).json();
    for option in mainland["options"].as_array().unwrap() {
        if option["feasible"] == true && option["report"].is_string() {
            assert_eq!(option["offer"], "own.h100-server");
        }
    }
}

#[test]
fn modal_is_billed_with_its_cpu_memory_and_credit() {
    let report = example_report();
    let mut args = vec![
        "compare",
        "--json",
        "--as-of",
        "2026-11-15",
        "--memory-gib",
        "64",
        "--cpu-cores",
        "4",
    ];
    args.extend(question(&report, &[]));
    let starter = run(&args).json();
    args.extend(["--subscription", "modal.team"]);
    let team = run(&args).json();
    let month = |comparison: &Value| {
        let amount = &option(comparison, "modal.h100-80gb-sxm")["monthly"]["amount"];
        amount
            .as_str()
            .unwrap()
            .parse::<inferplan_core::Decimal>()
            .unwrap()
    };
    // 250 of fee for 70 more of credit.
    assert_eq!(
        month(&team) - month(&starter),
        inferplan_core::Decimal::from(180)
    );
    let items: Vec<&str> = option(&starter, "modal.h100-80gb-sxm")["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["item"].as_str().unwrap())
        .collect();
    assert_eq!(items, ["accelerator-time", "cpu", "memory", "credit"]);
}

const CATALOGUE: &str = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n\
    cpu,,,4,16,0.2,us-east-1,,\n\
    h100-one,H100,1,8,64,1.5,us-east-1,,1.1\n\
    h100-one,H100,1,8,64,1.6,eu-central-1,,\n";

#[test]
fn a_catalogue_is_kept_and_compared_with_its_provenance() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("vms.csv");
    fs::write(&file, CATALOGUE).unwrap();
    let file = file.display().to_string();
    let at_home = |args: &[&str]| run_at(home.path(), args);
    let import = at_home(&[
        "prices",
        "import",
        &file,
        "--name",
        "somecloud",
        "--observed-on",
        "2026-11-01",
    ]);
    assert_eq!(import.code, 0, "{}", import.stderr);
    assert!(
        import
            .stdout
            .contains("3 offers, 0 quotes of your own; 1 rows left out"),
        "{}",
        import.stdout
    );
    assert!(
        import.stderr.contains("left out 1 [no-accelerator]"),
        "{}",
        import.stderr
    );
    let report = example_report();
    let mut args = vec!["compare", "--json", "--as-of", "2026-11-15"];
    args.extend(question(&report, &[]));
    let comparison = at_home(&args).json();
    let found = option(&comparison, "skypilot.somecloud.h100-one.us-east-1");
    assert_eq!(found["monthly"]["amount"], "1095.00");
    assert_eq!(found["price_confidence"], "catalogue");
    let tables = comparison["tables"].as_array().unwrap();
    let table = tables
        .iter()
        .find(|table| table["provider"] == "skypilot.somecloud")
        .unwrap();
    assert_eq!(table["origin"], "catalogue");
    assert_eq!(table["sha256"].as_str().unwrap().len(), 64);
    // A later catalogue is a version more.
    fs::write(&file, CATALOGUE.replace("1.5", "1.8")).unwrap();
    at_home(&[
        "prices",
        "import",
        &file,
        "--name",
        "somecloud",
        "--observed-on",
        "2026-11-20",
    ]);
    let history = at_home(&[
        "prices",
        "history",
        "skypilot.somecloud.h100-one.us-east-1",
        "--json",
    ])
    .json();
    assert_eq!(history["versions"].as_array().unwrap().len(), 2);
    // Written to a file it serves --prices, and nothing is kept.
    let out = home.path().join("table.json").display().to_string();
    let written = run(&["prices", "import", &file, "--name", "other", "-o", &out]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    assert_eq!(prices(&["check", &out]).code, 0);
    assert_eq!(prices(&["import", &fixture("prices/own.json")]).code, 2);
}

#[test]
fn a_kept_file_that_is_spoilt_is_named_and_can_be_left_out() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("own-prices.json"), "{ \"schema\": ").unwrap();
    let spoilt = run_at(home.path(), &["prices", "list"]);
    assert_eq!(spoilt.code, 2);
    assert!(
        spoilt.stderr.contains("own-prices.json") && spoilt.stderr.contains("--shipped-only"),
        "{}",
        spoilt.stderr
    );
    assert_eq!(
        run_at(home.path(), &["prices", "list", "--shipped-only"]).code,
        0
    );
}
