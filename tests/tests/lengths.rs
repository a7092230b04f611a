//! `inferplan compare` for other lengths than were measured, from reports of two lengths.

use std::{fs, path::Path};

use inferplan_tests::{Run, run};
use serde_json::{Value, json};

/// A report of one L40S on which a request stays in · 0.1 ms + out · (8 + 0.4 n) ms.
fn report(folder: &Path, id: &str, (input, output): (f64, f64)) -> String {
    let points: Vec<Value> = [1.0, 8.0, 32.0]
        .iter()
        .map(|n| {
            json!({
                "concurrency": n, "requests_per_s": n / residence_s(*n, input, output),
                "ttft_s": { "mean": input * 0.1e-3 }, "tpot_s": { "mean": (8.0 + 0.4 * n) / 1000.0 },
            })
        })
        .collect();
    let document = json!({
        "schema": "inferplan.report/1", "id": id, "tool": { "name": "made" },
        "system": { "accelerator": "L40S", "accelerators": 1 },
        "model": { "name": "m", "precision": "bf16" },
        "workload": { "input_tokens": input, "output_tokens": output, "arrivals": "closed" },
        "points": points,
    });
    let path = folder.join(format!("{id}.json"));
    fs::write(&path, document.to_string()).unwrap();
    path.display().to_string()
}

fn residence_s(n: f64, input: f64, output: f64) -> f64 {
    (input * 0.1 + output * (8.0 + 0.4 * n)) / 1000.0
}

fn compare(reports: &[String]) -> Run {
    let mut args = vec!["compare", "--json", "--requests-per-day", "10000"];
    args.extend(["--input-tokens", "600", "--output-tokens", "300"]);
    for report in reports {
        args.extend(["--report", report]);
    }
    run(&args)
}

/// The feasible options of a report that run on the L40S, with their warnings' codes.
fn options(found: &Value, report: &str) -> Vec<(f64, Vec<String>)> {
    let all = found["options"].as_array().unwrap().iter();
    all.filter(|option| option["report"] == report && option["feasible"] == true)
        .map(|option| {
            let warnings = option["warnings"].as_array().unwrap().iter();
            let codes = warnings.map(|w| w["code"].as_str().unwrap().to_owned());
            (
                option["max_rate_per_replica"].as_f64().unwrap(),
                codes.collect(),
            )
        })
        .collect()
}

#[test]
fn two_lengths_give_a_third() {
    let folder = tempfile::tempdir().unwrap();
    let reports = [
        report(folder.path(), "long-prompts", (1000.0, 100.0)),
        report(folder.path(), "long-answers", (200.0, 800.0)),
    ];
    let found = compare(&reports).json();
    // 32 requests in service, at the ceiling of 0.85.
    let expected = 0.85 * 32.0 / residence_s(32.0, 600.0, 300.0);
    for id in ["long-prompts", "long-answers"] {
        let options = options(&found, id);
        assert!(!options.is_empty());
        for (rate, codes) in options {
            assert!(
                (rate / expected - 1.0).abs() < 1e-9,
                "{id}: {rate} {expected}"
            );
            assert!(codes.contains(&"lengths-fitted".to_owned()), "{codes:?}");
        }
    }
}

#[test]
fn one_length_scales_by_its_work_as_ever() {
    let folder = tempfile::tempdir().unwrap();
    let reports = [report(folder.path(), "one", (1000.0, 100.0))];
    let found = compare(&reports).json();
    // The work ratio at one in service: (600 · 0.1 + 300 · 8.4) ÷ (1000 · 0.1 + 100 · 8.4) = 2.7447.
    let work = 2580.0 / 940.0;
    let expected = 0.85 * 32.0 / (work * residence_s(32.0, 1000.0, 100.0));
    for (rate, codes) in options(&found, "one") {
        assert!((rate / expected - 1.0).abs() < 1e-9, "{rate} {expected}");
        assert!(codes.contains(&"lengths-estimated".to_owned()), "{codes:?}");
    }
}
