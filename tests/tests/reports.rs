//! Importing, judging and publishing measurements, by the command line as a process.

use std::{fs, io::Write, path::Path};

use inferplan_tests::{example_report, fixture, root, run};
use serde_json::Value;

fn imported(args: &[&str]) -> Value {
    let mut all = vec!["import"];
    all.extend(args);
    let result = run(&all);
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.json()
}

#[test]
fn a_folder_of_a_dozen_tools_files_imports_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("tests/fixtures/import");
    for (name, file) in [
        ("sglang", "two-runs.jsonl"),
        ("locust", "run_stats.csv"),
        ("mlperf", "single-stream.txt"),
        ("inference-perf", "stage.yaml"),
    ] {
        fs::copy(source.join(name).join(file), folder.path().join(file)).unwrap();
    }
    fs::write(folder.path().join("notes.md"), "Serving was fine.").unwrap();
    fs::write(folder.path().join(".hidden"), "no").unwrap();
    let database = b"SQLite format 3\0\x10\0\x01\x01\0@  \xff\xfe";
    fs::write(folder.path().join("run.db"), database).unwrap();
    let path = folder.path().display().to_string();
    let result = run(&["import", &path]);
    assert_eq!(result.code, 0, "{}", result.stderr);
    assert_eq!(result.json().as_array().unwrap().len(), 4);
    assert!(
        result
            .stderr
            .contains("notes.md: not a result of a known tool, passed over"),
        "{}",
        result.stderr
    );
    assert!(
        result.stderr.contains("run.db: not a result"),
        "{}",
        result.stderr
    );
    assert!(
        result
            .stderr
            .contains("two-runs.jsonl: sglang (request_throughput,"),
        "{}",
        result.stderr
    );
    assert!(
        result.stderr.contains("is kept apart from"),
        "{}",
        result.stderr
    );
}

#[test]
fn a_folder_without_a_result_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.md"), "Serving was fine.").unwrap();
    let result = run(&["import", &folder.path().display().to_string()]);
    assert_eq!((result.code, result.stdout.as_str()), (2, ""));
    assert!(
        result
            .stderr
            .contains("no file in it is a result of a known tool"),
        "{}",
        result.stderr
    );
}

#[test]
fn a_spreadsheet_saved_in_china_imports_by_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("结果.csv");
    // GB18030: 并发,每秒请求,首字P99 / 8,2.5,400
    let (header, _, _) = encoding_rs::GB18030.encode("并发,每秒请求,首字P99\r\n8,2.5,400\r\n");
    fs::write(&path, &header).unwrap();
    let path = path.display().to_string();
    let report = imported(&[
        &path,
        "--format",
        "table",
        "--column",
        "requests_per_s=每秒请求",
        "--column",
        "concurrency=并发",
        "--column",
        "ttft_p99_ms=首字P99",
    ]);
    assert_eq!(report["points"][0]["requests_per_s"], 2.5);
    assert_eq!(report["points"][0]["ttft_s"]["p99"], 0.4);
}

#[test]
fn a_gzip_file_and_standard_input_are_read_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json.gz");
    let text = fs::read(fixture("vllm-serve/seconds-conc4.json")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(
        fs::File::create(&path).unwrap(),
        flate2::Compression::fast(),
    );
    gzip.write_all(&text).unwrap();
    gzip.finish().unwrap();
    let packed = imported(&[&path.display().to_string()]);
    assert_eq!(
        packed,
        imported(&[&fixture("vllm-serve/seconds-conc4.json")])
    );
}

#[test]
fn a_format_can_be_forced_and_an_unknown_one_is_refused() {
    let file = fixture("vllm-serve/seconds-conc4.json");
    let forced = run(&["import", &file, "--format", "locust"]);
    assert_eq!(forced.code, 2, "{}", forced.stdout);
    let unknown = run(&["import", &file, "--format", "ab"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("vllm-serve"), "{}", unknown.stderr);
}

#[test]
fn lint_fails_on_errors_and_the_comparison_carries_the_warnings() {
    let example = example_report();
    let result = run(&["lint", &example]);
    assert_eq!(result.code, 0, "{}", result.stdout);
    assert!(
        result.stdout.contains("warning[warmup-unknown]"),
        "{}",
        result.stdout
    );
    let invalid = root()
        .join("tests/fixtures/import/mlperf/offline-invalid.txt")
        .display()
        .to_string();
    let result = run(&["lint", &invalid, "--json"]);
    assert_eq!(result.code, 1);
    let lints = result.json();
    assert_eq!(lints["schema"], "inferplan.lint/1");
    assert_eq!(lints["lints"][0]["severity"], "error");
    let comparison = run(&[
        "compare",
        "--report",
        &example,
        "--requests-per-day",
        "1000",
        "--json",
    ])
    .json();
    let warnings = comparison["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|warning| warning["code"] == "too-few-requests"),
        "{warnings:?}"
    );
}

#[test]
fn the_standard_report_names_what_is_missing_and_prices_its_tokens() {
    let example = example_report();
    let args = [
        "report",
        &example,
        "--offer",
        "runpod.pod.h100-80gb-sxm.community",
        "--as-of",
        "2026-11-15",
    ];
    let markdown = run(&args).stdout;
    // 2.69 ÷ (2814.682 × 3600) × 10⁶ = 0.26547.
    let forty = markdown
        .lines()
        .find(|line| line.starts_with("| 40 |"))
        .unwrap();
    assert!(forty.ends_with("| 0.2655 |"), "{forty}");
    assert!(
        markdown.contains("**Missing:** Processor and memory"),
        "{markdown}"
    );
    let chinese = run(&[&["--lang", "zh"], &args[..]].concat()).stdout;
    assert!(chinese.contains("**缺少：** 处理器与内存"), "{chinese}");
    let json = run(&["report", &example, "--json"]).json();
    assert_eq!(json["schema"], "inferplan.standard-report/1");
    let exported = run(&["report", &example, "--llm-d"]);
    assert_eq!(exported.json().as_array().unwrap().len(), 10);
    assert_eq!(run(&["report", &example, "--offer", "no.such"]).code, 2);
}

#[test]
fn a_recorded_machine_fills_what_a_file_does_not_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("env.json").display().to_string();
    let recorded = run(&["env", "-o", &path]);
    assert_eq!(
        (recorded.code, recorded.stdout.as_str()),
        (0, ""),
        "{}",
        recorded.stderr
    );
    let mut environment: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(environment["schema"], "inferplan.environment/1");
    environment["driver"] = "580.1".into();
    environment["accelerator"] = "NVIDIA L40S".into();
    environment["packages"] = serde_json::json!({ "vllm": "0.30.0" });
    fs::write(&path, environment.to_string()).unwrap();
    let report = imported(&[&fixture("vllm-serve/seconds-conc4.json"), "--env", &path]);
    assert_eq!(report["system"]["accelerator"], "L40S");
    assert_eq!(report["system"]["driver"], "580.1");
    assert_eq!(report["system"]["engine"]["version"], "0.30.0");
    let stated = report["stated"].as_array().unwrap();
    assert!(stated.contains(&"system.driver".into()), "{stated:?}");
}

#[cfg(unix)]
#[test]
fn an_output_that_is_there_keeps_its_mode_and_what_it_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/import/locust/run_stats.csv");
    let write = |to: &Path| {
        let result = run(&[
            "import",
            &source.display().to_string(),
            "-o",
            &to.display().to_string(),
        ]);
        assert_eq!(result.code, 0, "{}", result.stderr);
    };
    let (file, link) = (
        folder.path().join("r.json"),
        folder.path().join("link.json"),
    );
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    write(&link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("inferplan.report/1"), "{text}");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    // A new file is for whoever the umask lets read it.
    let new = folder.path().join("new.json");
    fs::write(folder.path().join("plain"), "").unwrap();
    write(&new);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&new), mode(&folder.path().join("plain")));
    // A device stays one.
    write(Path::new("/dev/null"));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}
