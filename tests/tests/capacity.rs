//! `inferplan capacity` and `lint --accuracy` as processes, against tables and hand calculations.

use std::{fs, path::Path};

use inferplan_tests::{Run, example_report, fixture, run};
use serde_json::{Value, json};

/// A canonical report whose points are (concurrency, requests a second).
fn report(folder: &Path, points: &[(f64, f64)]) -> String {
    let points: Vec<Value> = points
        .iter()
        .map(|(n, rate)| json!({ "concurrency": n, "requests_per_s": rate }))
        .collect();
    let document = json!({
        "schema": "inferplan.report/1", "id": "made", "tool": { "name": "made" },
        "system": { "accelerator": "L40S", "accelerators": 1 }, "model": { "name": "m" },
        "workload": {}, "points": points,
    });
    let path = folder.join("report.json");
    fs::write(&path, document.to_string()).unwrap();
    path.display().to_string()
}

fn capacity(report: &str, more: &[&str]) -> Run {
    let mut args = vec!["capacity", "--report", report, "--json"];
    args.extend(more);
    run(&args)
}

fn close(value: &Value, expected: f64) {
    // Half a unit of a table's sixth digit.
    let found = value.as_f64().unwrap_or_else(|| panic!("{value}"));
    assert!((found - expected).abs() < 5e-7, "{found} is not {expected}");
}

#[test]
fn erlang_s_table() {
    let folder = tempfile::tempdir().unwrap();
    for (servers, rate, waiting, latency) in [
        (1.0, "0.5", 0.5, 2.0),
        (2.0, "1", 0.333_333, 1.333_333),
        (5.0, "4", 0.554_113, 1.554_113),
        (10.0, "8", 0.409_180, 1.204_590),
        (100.0, "90", 0.216_940, 1.021_694),
    ] {
        let file = report(folder.path(), &[(1.0, 1.0), (servers, servers)]);
        let found = capacity(&file, &["--rate", rate, "--replicas", "1"]).json();
        close(&found["probability_of_waiting"], waiting);
        close(&found["mean_latency_s"], latency);
    }
    let file = report(folder.path(), &[(1.0, 1.0), (10.0, 10.0)]);
    let found = capacity(&file, &["--rate", "8"]).json();
    assert_eq!(found["schema"], "inferplan.capacity/1");
    assert_eq!(
        (&found["replicas"], &found["utilization"]),
        (&json!(1), &json!(0.8))
    );
    close(&found["mean_in_system"], 9.636_721);
    assert_eq!(found["meets_slo"], true);
}

#[test]
fn a_server_whose_residence_time_is_affine() {
    let folder = tempfile::tempdir().unwrap();
    let at = |n: f64| (n, 12.0 * n / (n + 8.0));
    let file = report(folder.path(), &[at(1.0), at(64.0)]);
    for (rate, latency) in [("2", 0.9), ("4", 1.125), ("8", 2.25), ("9", 3.0008)] {
        let found = capacity(&file, &["--rate", rate, "--replicas", "1"]).json();
        let seconds = found["mean_latency_s"].as_f64().unwrap();
        // The table's four digits.
        assert!((seconds - latency).abs() < 5e-5, "{rate}: {seconds}");
    }
}

#[test]
fn the_example_s_replicas_under_random_arrivals() {
    let file = example_report();
    let targets = ["--slo", "ttft_p99=2", "itl_p50=0.05"];
    let asked = |rate: &str, more: &[&str]| {
        let mut args = vec!["--rate", rate];
        args.extend(targets);
        args.extend(more);
        capacity(&file, &args)
    };
    let one = asked("1", &[]).json();
    assert_eq!(
        (&one["replicas"], &one["meets_slo"]),
        (&json!(1), &json!(true))
    );
    // The closed loop allows 1.374; the crowds of random arrivals leave less.
    let most = one["max_rate_per_replica"].as_f64().unwrap();
    assert!(most > 1.0 && most < 1.374_356_2, "{most}");
    assert_eq!(one["bound_by"], "ttft_p99");
    // As many as the rate needs, and one fewer misses the target.
    let ten = asked("11.57", &[]).json();
    let replicas = ten["replicas"].as_u64().unwrap();
    assert_eq!(replicas, (11.57 / most).ceil() as u64);
    let fewer = (replicas - 1).to_string();
    assert_eq!(asked("11.57", &["--replicas", &fewer]).code, 1);
    let shared = asked("11.57", &["--shared-queue"]).json();
    assert!(shared["replicas"].as_u64().unwrap() <= replicas);
    // A target that no request meets, and one that cannot be judged.
    for (target, code) in [
        ("ttft_p99=0.05", "target-missed"),
        ("ttft_max=1", "target-cannot-be-judged"),
    ] {
        let none = capacity(&file, &["--rate", "1", "--slo", target]);
        assert_eq!(none.code, 1);
        assert_eq!(none.json()["reasons"][0]["code"], code);
    }
    let people = run(&["--lang", "zh", "capacity", "--report", &file, "--rate", "1"]);
    assert!(
        people
            .stdout
            .starts_with("1 次/秒，1 个副本：满足全部目标。"),
        "{}",
        people.stdout
    );
    for bad in ["0", "-1", "NaN", "inf", "many"] {
        assert_eq!(
            capacity(&file, &[&format!("--rate={bad}")]).code,
            2,
            "{bad}"
        );
    }
}

#[test]
fn a_sweep_predicts_its_own_points() {
    let found = run(&["lint", "--accuracy", "--json", &example_report()]).json();
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.len(), 8, "the ends have one neighbour");
    // R(1) = 14.385508 and R(16) = 20.163449: at 4 a fifth of the way, 15.541096.
    let four = &points[0];
    assert_eq!(four["concurrency"], 4.0);
    let predicted = four["predicted"].as_f64().unwrap();
    assert!((predicted - 4.0 / 15.541_096).abs() < 1e-6, "{predicted}");
    let median = found["median_error"].as_f64().unwrap();
    assert!((median - 0.0086).abs() < 5e-5, "{median}");
    let single = run(&[
        "lint",
        "--accuracy",
        &fixture("vllm-serve/seconds-conc1.json"),
    ]);
    assert!(
        single.stdout.contains("fewer than three loads"),
        "{}",
        single.stdout
    );
}
