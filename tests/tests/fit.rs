//! `inferplan fit` as a process, against figures worked out by hand.

use inferplan_tests::{Run, run};
use serde_json::{Value, json};

fn fit(more: &[&str]) -> Run {
    let mut args = vec!["fit", "--json"];
    args.extend(more);
    run(&args)
}

fn llama(precision: &str, more: &[&str]) -> Value {
    let mut args = vec![
        "--model",
        "Llama 3 70B",
        "--accelerator",
        "A100 80GB",
        "--precision",
        precision,
    ];
    args.extend(more);
    fit(&args).json()
}

fn codes(list: &Value) -> Vec<&str> {
    let notices = list.as_array().unwrap();
    notices
        .iter()
        .filter_map(|notice| notice["code"].as_str())
        .collect()
}

#[test]
fn llama_3_70b_on_cards_of_80_gb() {
    let half = llama("fp16", &[]);
    assert_eq!(half["schema"], "inferplan.fit/1");
    assert_eq!(half["weights_bytes"], 141_107_412_992.0);
    assert_eq!(half["accelerators"], 2);
    assert_eq!(half["memory_gib"], 80.0);
    assert_eq!(half["kv_bytes_per_token"], 327_680.0);
    assert_eq!(half["kv_bytes"], Value::Null);
    // (80 × 0.9 − 3.05 − 65.70826) GiB a card at 163,840 bytes a token.
    assert_eq!(half["kv_tokens_free"], 21_245);
    let eight = llama("int8", &[]);
    assert_eq!(eight["weights_bytes"], 70_553_706_496.0);
    assert_eq!(eight["accelerators"], 1);
    assert_eq!(eight["kv_tokens_free"], 4_209);
    // What one card then serves, and what it does not.
    let short = llama("int8", &["--context", "2048", "--concurrency", "2"]);
    assert_eq!(short["accelerators"], 1);
    assert_eq!(short["max_concurrency_at_context"], 2);
    let long = llama("int8", &["--context", "8192", "--concurrency", "1"]);
    assert_eq!(long["accelerators"], 2);
    // 16 requests of 8192 tokens: 40 GiB of cache.
    let many = llama("fp16", &["--context", "8k", "--concurrency", "16"]);
    assert_eq!(many["kv_bytes"], 16.0 * 8_000.0 * 327_680.0);
    assert_eq!(many["accelerators"], 4);
}

#[test]
fn every_size_says_how_it_comes_about() {
    let found = llama("int8", &["--context", "1024"]);
    let lines = found["lines"].as_array().unwrap();
    let weights = &lines[0];
    assert_eq!(weights["formula"], "parameters × bytes_per_parameter");
    assert_eq!(
        weights["inputs"][0],
        json!({ "name": "parameters", "value": 70_553_706_496.0 })
    );
    for line in lines {
        assert!(!line["source"].as_str().unwrap().is_empty(), "{line}");
    }
    // The lines add up to what the room is reckoned from.
    let bytes = |key: &str| {
        let line = lines.iter().find(|line| line["key"] == key);
        line.map_or(0.0, |line| line["bytes"].as_f64().unwrap())
    };
    let room = bytes("usable") - bytes("weights") - bytes("kept-16-bit") - bytes("overhead");
    let tried = found["tried"][0]["kv_room_bytes_each"].as_f64().unwrap();
    assert!((room - tried).abs() < 1.0, "{room} {tried}");
}

#[test]
fn a_model_by_its_numbers() {
    let numbers = [
        "--parameters",
        "70.6e9",
        "--layers",
        "80",
        "--kv-heads",
        "8",
        "--head-dim",
        "128",
        "--accelerator",
        "A100 80GB",
        "--precision",
        "fp16",
    ];
    let found = fit(&numbers).json();
    assert_eq!(found["weights_bytes"], 141.2e9);
    assert_eq!(found["accelerators"], 2);
    assert_eq!(codes(&found["warnings"]), ["heads-not-stated"]);
    let bare = fit(&["--parameters", "8B", "--accelerator", "L40S"]);
    assert_eq!(bare.code, 2);
    assert!(bare.stderr.contains("--layers"), "{}", bare.stderr);
}

#[test]
fn the_flags_change_the_answer() {
    // Weights of 131.4 GiB in one card of 141 GB: at 0.9 no, at 0.98 without overhead yes.
    let on_h200 = |more: &[&str]| {
        let mut args = vec!["--model", "llama-3-70b", "--accelerator", "H200"];
        args.extend(more);
        fit(&args).json()["accelerators"].clone()
    };
    assert_eq!(on_h200(&[]), 2);
    assert_eq!(
        on_h200(&["--memory-utilization", "0.98", "--overhead-gib", "1"]),
        1
    );
    // An 8-bit cache holds twice the tokens.
    let half = llama("fp16", &["--kv-precision", "fp8"]);
    assert_eq!(half["kv_tokens_free"], 42_490);
    // A card the list does not have, by its memory.
    let own = fit(&["--model", "Qwen3 8B", "--memory-gib", "32"]).json();
    assert_eq!(
        (&own["accelerators"], &own["accelerator"]),
        (&json!(1), &json!("32 GiB"))
    );
}

#[test]
fn what_fits_no_count_fails_and_says_why() {
    let none = fit(&[
        "--model",
        "Qwen2.5 7B",
        "--accelerator",
        "L4",
        "--context",
        "131072",
        "--concurrency",
        "64",
    ]);
    assert_eq!(none.code, 1);
    let none = none.json();
    assert_eq!(
        (&none["fits"], &none["accelerators"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(codes(&none["reasons"]), ["kv-cache-does-not-fit"]);
}

#[test]
fn unknown_names_are_told_with_near_ones() {
    let asked = |model: &str, precision: &str, accelerator: &str| {
        let args = [
            "fit",
            "--model",
            model,
            "--precision",
            precision,
            "--accelerator",
            accelerator,
        ];
        let found = run(&args);
        assert_eq!(found.code, 2, "{}", found.stdout);
        found.stderr
    };
    for (message, parts) in [
        (
            asked("Lama 3 70B", "fp16", "H100"),
            ["Lama 3 70B", "Llama 3 70B"],
        ),
        (asked("Llama 3 70B", "fp15", "H100"), ["fp15", "bf16"]),
        (asked("Llama 3 70B", "fp16", "H101"), ["H101", "H100"]),
        (
            asked("Llama 3 70B", "fp16", "Ascend 910B4"),
            ["910B4", "--memory-gib"],
        ),
    ] {
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
}

#[test]
fn people_read_it_in_both_languages_and_see_the_catalogue() {
    let args = [
        "fit",
        "--model",
        "Llama 3 70B",
        "--precision",
        "fp16",
        "--accelerator",
        "A100 80GB",
    ];
    let english = run(&args).stdout;
    assert!(
        english.starts_with(
            "Llama 3 70B in fp16 fits 2 × A100 80GB, with room for 21,245 tokens of KV cache."
        ),
        "{english}"
    );
    let chinese = run(&[&["--lang", "zh"], &args[..]].concat()).stdout;
    assert!(
        chinese.starts_with(
            "Llama 3 70B（fp16）可放进 2 × A100 80GB，KV 缓存可容纳 21,245 个 token。"
        ),
        "{chinese}"
    );
    assert!(
        english
            .lines()
            .chain(chinese.lines())
            .all(|line| line.chars().count() <= 120)
    );
    let listed = run(&["fit", "--models"]).stdout;
    assert!(
        listed.contains("Llama 3 70B: 70.55B parameters, 80 layers, GQA 8 × 128"),
        "{listed}"
    );
    assert!(
        listed.contains("https://huggingface.co/deepseek-ai/DeepSeek-V3"),
        "{listed}"
    );
    let models = fit(&["--models"]).json();
    assert!(models["models"].as_array().unwrap().len() >= 35);
}
