use serde_json::{Value, json};

use super::super::tests::{import, import_bytes};
use crate::report::Report;

/// A row of one replica of 8 GPUs; 64 output tokens a second a GPU are 512, or 4 requests.
fn row() -> Value {
    json!({
        "hw": "h200", "conc": 16, "model": "org/model-8b", "framework": "vllm",
        "precision": "fp8", "spec_decoding": "none", "disagg": false, "isl": 512, "osl": 128,
        "is_multinode": false, "tp": 8, "ep": 1, "dp_attention": "false",
        "tput_per_gpu": 320.0, "output_tput_per_gpu": 64.0, "input_tput_per_gpu": 256.0,
        "mean_ttft": 0.22, "median_ttft": 0.2, "p99_ttft": 0.4, "mean_e2el": 4.0
    })
}

fn with(changes: &Value) -> Value {
    let mut row = row();
    for (key, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => row.as_object_mut().unwrap().remove(key),
            value => row
                .as_object_mut()
                .unwrap()
                .insert(key.clone(), value.clone()),
        };
    }
    row
}

fn read(rows: &[Value]) -> Vec<Report> {
    import_bytes(json!(rows).to_string().as_bytes()).unwrap()
}

fn error(rows: &[Value]) -> String {
    let read = import_bytes(json!(rows).to_string().as_bytes());
    read.unwrap_err().to_string()
}

#[test]
fn throughput_per_gpu_becomes_the_replica_s() {
    let reports = import("inferencex", "rows.json");
    assert_eq!(reports.len(), 2, "tp 8 and tp 4 are two systems");
    let report = &reports[0];
    assert_eq!(report.system.accelerators, Some(8));
    assert_eq!(
        report.system.accelerator.as_ref().unwrap().to_string(),
        "H200"
    );
    let point = &report.points[1];
    assert_eq!(
        (
            point.concurrency,
            point.output_tokens_per_s,
            point.requests_per_s
        ),
        (Some(16.0), Some(512.0), 4.0)
    );
    assert_eq!(point.input_tokens_per_s, Some(2048.0));
    assert_eq!((point.ttft_s.p50, point.ttft_s.p99), (Some(0.2), Some(0.4)));
    let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(codes, ["per-gpu-scaled", "lengths-as-asked"]);
}

/// Pipeline stages and context-parallel prefill take GPUs of their own; decode's context
/// parallelism does not.
#[test]
fn every_gpu_of_a_replica_is_counted() {
    let report = &read(&[with(&json!({"pp": 2, "pcp_size": 2, "dcp_size": 4}))])[0];
    assert_eq!(report.system.accelerators, Some(32));
    assert_eq!(report.points[0].output_tokens_per_s, Some(2048.0));
    assert_eq!(report.points[0].requests_per_s, 16.0);
}

#[test]
fn prefill_and_decode_apart_are_one_replica_of_both() {
    let apart = json!({
        "tp": null, "disagg": true, "is_multinode": true, "hw": "cluster:gb200-nv",
        "num_prefill_gpu": 4, "num_decode_gpu": 8, "prefill_num_workers": 1, "prefill_tp": 4,
        "prefill_ep": 4, "decode_num_workers": 1, "decode_tp": 8, "decode_ep": 8,
        "decode_dp_attention": "true"
    });
    let report = &read(&[with(&apart)])[0];
    let point = &report.points[0];
    assert_eq!(report.system.accelerators, Some(12));
    assert_eq!(
        report.system.accelerator.as_ref().unwrap().to_string(),
        "GB200"
    );
    // Each throughput is per GPU of its own side.
    assert_eq!(
        (point.input_tokens_per_s, point.output_tokens_per_s),
        (Some(1024.0), Some(512.0))
    );
    assert_eq!(
        report.system.engine.as_ref().unwrap().name,
        "vllm (1 prefill tp4 ep4, 1 decode tp8 ep8 dp-attention)"
    );
    let mut mixed = with(&apart);
    mixed["num_decode_gpu"] = json!(0);
    mixed["disagg"] = json!(false);
    let point = &read(&[mixed])[0].points[0];
    assert_eq!(point.output_tokens_per_s, Some(256.0), "per GPU of all 4");
}

#[test]
fn rows_of_other_settings_are_other_systems() {
    let rows = [
        row(),
        with(&json!({"spec_decoding": "mtp"})),
        with(&json!({"ep": 8})),
        with(&json!({"dp_attention": "true"})),
        with(&json!({"hw": "b200-trt"})),
        with(&json!({"isl": 1024})),
        with(&json!({"conc": 32})),
    ];
    let reports = read(&rows);
    assert_eq!(reports.len(), 6);
    assert_eq!(reports[0].points.len(), 2);
    let engine = |i: usize| reports[i].system.engine.as_ref().unwrap().name.as_str();
    assert_eq!(
        [engine(0), engine(1), engine(2), engine(3)],
        [
            "vllm",
            "vllm (speculative mtp)",
            "vllm (ep8)",
            "vllm (dp-attention)"
        ]
    );
}

#[test]
fn older_rows_have_the_sum_of_tokens_alone() {
    let old = json!({"output_tput_per_gpu": null, "input_tput_per_gpu": null});
    let point = &read(&[with(&old)])[0].points[0];
    // 320 × 8 = 2560 a second, of which 128 in 640 are output.
    assert_eq!(
        (point.output_tokens_per_s, point.requests_per_s),
        (Some(512.0), 4.0)
    );
}

#[test]
fn rows_that_are_no_point_of_one_workload_are_left_out_by_name() {
    let agents = with(&json!({"scenario_type": "agentic-coding", "isl": null, "osl": null}));
    let unlike = with(&json!({"prefill_hw": "gb200", "decode_hw": "h100"}));
    let reports = read(&[agents.clone(), row(), unlike.clone()]);
    assert_eq!(reports.len(), 1);
    let notice = reports[0].warnings.last().unwrap();
    assert_eq!(notice.code, "rows-not-read");
    assert!(notice.en.contains("2 row(s)") && notice.en.contains("0, 2"));
    let message = error(&[agents, unlike]);
    assert!(message.contains("[0].scenario_type: "), "{message}");
    assert!(message.contains("[1].prefill_hw: "), "{message}");
    assert!(message.contains("found gb200, h100"), "{message}");
}

#[test]
fn an_accelerator_by_a_runner_s_name_is_read_to_the_dash() {
    for (hw, name) in [
        ("mi355x-disagg", "MI355X"),
        ("cluster:h100-dgxc", "H100"),
        ("gb300-nv", "GB300"),
    ] {
        let report = &read(&[with(&json!({"hw": hw}))])[0];
        let accelerator = report.system.accelerator.as_ref().unwrap();
        assert!(accelerator.to_string().starts_with(name), "{accelerator}");
    }
}

#[test]
fn what_cannot_be_read_names_row_and_key() {
    for (changes, part) in [
        (json!({"osl": null}), "[1].osl: is missing"),
        (json!({"osl": 0}), "[1].osl: must be above 0 (found 0)"),
        (json!({"tp": null}), "[1].tp: is missing"),
        (
            json!({"tp": 1.5}),
            "[1].tp: is not a number of GPUs (found 1.5)",
        ),
        (
            json!({"tp": 0}),
            "[1].tp: is not a number of GPUs (found 0)",
        ),
        (
            json!({"conc": "many"}),
            "[1].conc: is not a finite number (found \"many\")",
        ),
        (json!({"disagg": true}), "[1].num_prefill_gpu: is missing"),
        (
            json!({"output_tput_per_gpu": "NaN", "isl": null}),
            "[1].output_tput_per_gpu: is not a finite number",
        ),
        (
            json!({"output_tput_per_gpu": 0.0}),
            "requests_per_s: must be above 0",
        ),
    ] {
        let message = error(&[row(), with(&changes)]);
        assert!(message.contains(part), "{part} in {message}");
    }
    // All at once.
    let message = error(&[
        with(&json!({"osl": null, "tp": null})),
        with(&json!({"conc": null})),
    ]);
    assert!(
        message.contains("[0].osl") && message.contains("[0].tp"),
        "{message}"
    );
}
