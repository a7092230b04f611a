//! `inferplan simulate` as a process: the fleet it recommends, and what it says of those that fail.

use std::{fmt::Write as _, fs, path::Path};

use inferplan_tests::{Run, example_report, run};
use serde_json::Value;

fn simulate(report: &str, more: &[&str]) -> Run {
    let mut args = vec!["simulate", "--report", report, "--json"];
    args.extend(more);
    run(&args)
}

/// Twenty minutes of requests at about 5 a second, by minutes that differ by half, with lengths that
/// differ tenfold: a chat service's kind of trace.
fn trace(folder: &Path) -> String {
    let mut text = String::from("TIMESTAMP,ContextTokens,GeneratedTokens\n");
    // A linear congruential generator will do for a fixture.
    let mut state = 12_345_u64;
    let mut share = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut at_s = 0.0_f64;
    while at_s < 1200.0 {
        let minute = (at_s / 60.0) as u32;
        let rate = 5.0 + 2.5 * f64::from(minute * 7 % 5) / 2.0 - 2.5;
        at_s += -(1.0 - share()).ln() / rate;
        let (input, output) = (
            200.0 + 3800.0 * share() * share(),
            20.0 + 600.0 * share() * share(),
        );
        let (minutes, seconds) = ((at_s / 60.0) as u32, at_s % 60.0);
        writeln!(
            text,
            "2026-03-02 10:{minutes:02}:{seconds:010.7},{input:.0},{output:.0}"
        )
        .unwrap();
    }
    let path = folder.join("trace.csv");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn the_recommended_fleet_meets_its_targets_and_one_fewer_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let (report, trace) = (example_report(), trace(folder.path()));
    let peak = ["--requests-per-day", "1000000", "--peak-to-mean", "3.2"];
    let scenarios: [(&[&str], &[&str]); 10] = [
        (&peak, &["ttft_p99=2"]),
        (&peak, &["ttft_p99=2", "itl_p50=0.05"]),
        (&["--requests-per-day", "1000000"], &["ttft_p95=1.5"]),
        (&["--rate", "37.04", "--cv", "3.5"], &["ttft_p99=2"]),
        (&["--rate", "10", "--bursts", "3:0.1:20"], &["ttft_p99=2.2"]),
        (
            &["--rate", "12", "--dispatch", "least-outstanding"],
            &["tpot_p99=0.014"],
        ),
        (&["--rate", "12", "--dispatch", "random"], &["e2e_p99=120"]),
        (
            &[
                "--rate",
                "12",
                "--dispatch",
                "power-of-two",
                "--work",
                "cv:2",
            ],
            &["ttft_p99=2.3"],
        ),
        (
            &["--requests-per-day", "1000000", "--trace", &trace],
            &["ttft_p99=1.5"],
        ),
        (
            &[
                "--requests-per-day",
                "1000000",
                "--peak-to-mean",
                "3.2",
                "--trace",
                &trace,
            ],
            &["ttft_p99=1", "e2e_p99=8"],
        ),
    ];
    for (load, targets) in scenarios {
        let mut args = vec!["--requests", "40000", "--runs", "3", "--slo"];
        args.extend(targets);
        args.extend(load);
        let found = simulate(&report, &args).json();
        assert_eq!(found["schema"], "inferplan.simulation/1");
        assert_eq!(found["meets_slo"], true, "{load:?}");
        let replicas = found["replicas"].as_u64().unwrap();
        assert!(replicas > 1, "{load:?}: a fleet of one proves nothing");
        let at = |count: u64| {
            let count = count.to_string();
            let mut args = args.clone();
            args.extend(["--replicas", &count]);
            simulate(&report, &args)
        };
        // Common random numbers: the same fleet gives the same figures to the last digit.
        let again = at(replicas);
        assert_eq!(again.code, 0, "{load:?}");
        assert_eq!(again.json()["outcome"], found["outcome"]);
        let fewer = at(replicas - 1);
        assert_eq!(fewer.code, 1, "{load:?} on {replicas}");
        let missed = &fewer.json()["missed"];
        assert!(!missed.as_array().unwrap().is_empty());
        assert_eq!(&found["one_fewer"]["missed"], missed);
    }
}

/// Up to six requests a second, with its first token within 0.3 s.
fn server(folder: &Path) -> String {
    let points: Vec<Value> = [(1.0, 0.5), (16.0, 4.0), (48.0, 6.0)]
        .iter()
        .map(|(n, rate)| {
            serde_json::json!({ "concurrency": n, "requests_per_s": rate,
                "ttft_s": { "p50": 0.1, "p99": 0.3 } })
        })
        .collect();
    let document = serde_json::json!({
        "schema": "inferplan.report/1", "id": "made", "tool": { "name": "made" },
        "system": { "accelerator": "L40S", "accelerators": 1 }, "model": { "name": "m" },
        "workload": {}, "points": points,
    });
    let path = folder.join("server.json");
    fs::write(&path, document.to_string()).unwrap();
    path.display().to_string()
}

#[test]
fn an_autoscaled_fleet_that_fails_says_what_would_do() {
    let folder = tempfile::tempdir().unwrap();
    let report = server(folder.path());
    for load in [
        &[
            "--stages",
            "15,2,10,15,5,2",
            "--over",
            "900",
            "--autoscale",
            "1:4",
        ][..],
        &["--swing", "1:24:900", "--autoscale", "1:8"],
    ] {
        let mut args = vec!["--slo", "ttft_p99=3", "--target", "24", "--start-up", "100"];
        args.extend(load);
        let failing = simulate(&report, &args);
        assert_eq!(failing.code, 1, "{load:?}");
        let failing = failing.json();
        assert_eq!(failing["missed"], serde_json::json!(["ttft_p99"]));
        let p99 = failing["outcome"]["ttft_s"]["p99"]["value"]
            .as_f64()
            .unwrap();
        assert!(p99 > 30.0, "{p99}");
        let remedies = failing["remedies"].as_array().unwrap();
        let kind = |kind: &str| remedies.iter().find(|remedy| remedy["kind"] == kind);
        let base = kind("larger-base").unwrap()["least"].as_u64().unwrap();
        let fixed = kind("fixed").unwrap()["replicas"].as_u64().unwrap();
        assert!(base > 1 && base <= fixed, "{base} {fixed}");
        // What it says would do does.
        let most = load.last().unwrap().split(':').nth(1).unwrap();
        let range = format!("{base}:{}", most.parse::<u64>().unwrap().max(base));
        let mut larger = args.clone();
        *larger.last_mut().unwrap() = &range;
        assert_eq!(simulate(&report, &larger).code, 0, "{range}");
        let schedule = kind("schedule").unwrap();
        let steps: Vec<String> = schedule["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| format!("{}:{}", step[0], step[1]))
            .collect();
        let (steps, lead) = (steps.join(","), schedule["lead_s"].to_string());
        let scheduled = [
            &[
                "--slo",
                "ttft_p99=3",
                "--start-up",
                "100",
                "--schedule",
                &steps,
                "--lead",
                &lead,
            ],
            &load[..load.len() - 2],
        ]
        .concat();
        assert_eq!(simulate(&report, &scheduled).code, 0, "{steps}");
    }
}

#[test]
fn what_no_fleet_meets_and_what_is_no_question() {
    let folder = tempfile::tempdir().unwrap();
    let report = server(folder.path());
    let lone = simulate(&report, &["--rate", "5", "--slo", "ttft_p99=0.2"]);
    assert_eq!(lone.code, 1);
    assert_eq!(lone.json()["reasons"][0]["code"], "target-missed");
    let unjudged = simulate(&report, &["--rate", "5", "--slo", "tpot_p99=0.2"]);
    assert_eq!(
        unjudged.json()["reasons"][0]["code"],
        "target-cannot-be-judged"
    );
    for (bad, part) in [
        (
            &["--rate", "5", "--bursts", "4:0.5:5"][..],
            "more than all requests",
        ),
        (
            &["--rate", "5", "--replicas", "2", "--serverless", "3"],
            "cannot be used with",
        ),
        (&["--rate", "5", "--autoscale", "1:4"], "--target"),
        (&["--stages", "1,2"], "--over"),
        (&["--rate", "5", "--work", "cv:99"], "at most 20"),
        (&["--slo", "ttft_p99=2"], "required"),
        (
            &["--rate", "5", "--schedule", "5:1", "--start-up", "9"],
            "from 0",
        ),
        (&["--rate", "5", "--work", "lengths"], "--work"),
        (&["--rate", "5", "--trace", "absent.csv"], "absent.csv"),
    ] {
        let refused = simulate(&report, bad);
        assert_eq!(refused.code, 2, "{bad:?}");
        assert!(refused.stderr.contains(part), "{bad:?}: {}", refused.stderr);
    }
}

#[test]
fn a_container_that_starts_and_goes() {
    let folder = tempfile::tempdir().unwrap();
    let report = server(folder.path());
    let found = simulate(
        &report,
        &[
            "--rate",
            "0.01",
            "--serverless",
            "2",
            "--start-up",
            "20",
            "--idle-timeout",
            "60",
        ],
    )
    .json();
    assert_eq!(found["fleet"], "serverless");
    let outcome = &found["outcome"];
    // Asked for 20 s before ready, so up for longer than ready; busy for 2 s a request.
    let of = |key: &str| outcome[key].as_f64().unwrap();
    let busy = of("busy_s") / of("simulated_s");
    // ρ = 0.02, less what requests share while a queue empties after a start; ±5%.
    assert!((busy / 0.02 - 1.0).abs() < 0.05, "{busy}");
    assert!(of("up_s") > of("mean_replicas") * of("simulated_s"));
}
