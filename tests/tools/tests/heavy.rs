//! The tools that take minutes and gigabytes to install: `cargo xtask tools` does, and runs these.

use std::{fs, path::Path};

use inferplan_core::report::{Arrivals, Report};
use inferplan_tools_tests::{TOKENS, import, run, serve};

/// A tokenizer of nine words, as nothing can be fetched.
fn tokenizer(folder: &Path) -> String {
    let tokenizer = folder.join("tokenizer");
    fs::create_dir(&tokenizer).unwrap();
    let files = [
        (
            "tokenizer.json",
            r#"{"version": "1.0", "truncation": null, "padding": null, "normalizer": null,
                "added_tokens": [{"id": 0, "content": "[UNK]", "single_word": false, "lstrip": false,
                    "rstrip": false, "normalized": false, "special": true}],
                "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
                "model": {"type": "WordLevel", "unk_token": "[UNK]",
                    "vocab": {"[UNK]": 0, "a": 1, "b": 2, "the": 3, "and": 4, "to": 5, "of": 6, "in": 7, "I": 8}}}"#,
        ),
        (
            "tokenizer_config.json",
            r#"{"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", "model_max_length": 4096}"#,
        ),
        ("config.json", r#"{"model_type": "gpt2"}"#),
    ];
    for (name, text) in files {
        fs::write(tokenizer.join(name), text).unwrap();
    }
    tokenizer.display().to_string()
}

/// What all three measured: twenty requests, two in flight.
fn check(reports: &[Report]) {
    assert_eq!(reports.len(), 1);
    let report = &reports[0];
    assert_eq!(report.model.name.as_deref(), Some("m"));
    assert_eq!(report.workload.output_tokens, Some(TOKENS as f64));
    assert_eq!(report.workload.arrivals, Some(Arrivals::Closed));
    let point = &report.points[0];
    assert_eq!((point.concurrency, point.completed), (Some(2.0), Some(20)));
    // 10 ms to the first token, seven gaps of 2 ms; two at once do no more than 2 ÷ 24 ms a second.
    let mean = point.latency_s.mean.unwrap();
    assert!((0.024..0.5).contains(&mean), "{mean}");
    assert!((0.010..mean).contains(&point.ttft_s.mean.unwrap()));
    assert!(
        (4.0..84.0).contains(&point.requests_per_s),
        "{}",
        point.requests_per_s
    );
    assert!(point.latency_s.p99.is_some() && point.ttft_s.p99.is_some());
}

#[test]
fn evalscope_writes_what_imports() {
    let folder = tempfile::tempdir().unwrap();
    let url = serve() + "/v1/chat/completions";
    let args = [
        "perf",
        "--url",
        &url,
        "--model",
        "m",
        "--api",
        "openai",
        "--parallel",
        "2",
        "--number",
        "20",
        "--prompt",
        "hello",
        "--stream",
        "--outputs-dir",
        "out",
    ];
    run("evalscope", "evalscope", &args, folder.path());
    let (formats, reports) = import(&folder.path().join("out"));
    assert_eq!(formats, ["evalscope"]);
    check(&reports);
}

#[test]
fn aiperf_writes_what_imports() {
    let folder = tempfile::tempdir().unwrap();
    let (url, tokenizer) = (serve(), tokenizer(folder.path()));
    let args = [
        "profile",
        "--model",
        "m",
        "--url",
        &url,
        "--endpoint-type",
        "chat",
        "--streaming",
        "--concurrency",
        "2",
        "--request-count",
        "20",
        "--synthetic-input-tokens-mean",
        "16",
        "--output-tokens-mean",
        "8",
        "--tokenizer",
        &tokenizer,
        "--ui",
        "none",
        "--artifact-dir",
        "out",
    ];
    run("aiperf", "aiperf", &args, folder.path());
    let (formats, reports) = import(&folder.path().join("out"));
    assert_eq!(formats, ["genai-perf"]);
    check(&reports);
    let report = &reports[0];
    assert!(report.tool.name == "aiperf" && report.tool.version.is_some());
    assert!(report.measured_on.is_some());
}

#[test]
fn guidellm_writes_what_imports() {
    let folder = tempfile::tempdir().unwrap();
    let backend = format!("kind=openai_http,target={},model=m", serve());
    let tokenizer = format!("kind=huggingface_auto,model={}", tokenizer(folder.path()));
    let args = [
        "run",
        "--backend",
        &backend,
        "--profile",
        "kind=concurrent,streams=2",
        "--constraint",
        "kind=max_requests,count=20",
        "--data",
        "kind=synthetic_text,prompt_tokens=16,output_tokens=8",
        "--tokenizer",
        &tokenizer,
        "--output",
        "kind=json,path=out.json",
        "--disable-console",
    ];
    run("guidellm", "guidellm", &args, folder.path());
    let (formats, reports) = import(folder.path());
    assert_eq!(formats, ["guidellm"]);
    check(&reports);
}
