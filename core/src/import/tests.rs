use serde_json::Value;

use super::*;
use crate::report::Arrivals;

/// A closed-loop result in milliseconds, as vLLM writes it; figures of our own.
const MILLISECONDS: &str = r#"{
  "date": "20260301-101500", "backend": "openai-chat", "model_id": "org/model-8b",
  "num_prompts": 100, "request_rate": "inf", "burstiness": 1.0, "max_concurrency": 8,
  "duration": 50.0, "completed": 100, "total_input_tokens": 51200, "total_output_tokens": 12800,
  "request_throughput": 2.0, "output_throughput": 256.0, "total_token_throughput": 1280.0,
  "mean_ttft_ms": 120.0, "median_ttft_ms": 110.0, "p99_ttft_ms": 400.0,
  "mean_tpot_ms": 30.0, "p99_tpot_ms": 45.0, "median_itl_ms": 29.5,
  "mean_e2el_ms": 3930.0, "p99_e2el_ms": 6000.0
}"#;

fn no_gb18030(_: &[u8]) -> Option<String> {
    None
}

/// A file of `tests/fixtures/import`, in its format's folder.
pub(super) fn fixture(format: &str, name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/import");
    let path = format!("{folder}/{format}/{name}");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Imports a fixture, which its own format must recognise.
pub(super) fn import(format: &str, name: &str) -> Vec<Report> {
    let bytes = fixture(format, name);
    let imported = read_all([(name, bytes.as_slice())], &Options::default(), no_gb18030).unwrap();
    assert_eq!(imported.recognised[0].format, format);
    imported.reports
}

pub(super) fn import_with(bytes: &[u8], options: Options) -> Result<Vec<Report>, Problems> {
    Ok(read_all([("file", bytes)], &options, no_gb18030)?.reports)
}

pub(super) fn import_bytes(bytes: &[u8]) -> Result<Vec<Report>, Problems> {
    import_with(bytes, Options::default())
}

/// Imports files together, each with its folder in its name.
pub(super) fn import_files(files: &[(String, Vec<u8>)]) -> Result<Vec<Report>, Problems> {
    let named = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    Ok(read_all(named, &Options::default(), no_gb18030)?.reports)
}

/// Every fixture is recognised by its own format and by no other.
#[test]
fn no_format_takes_another_s_file() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/import");
    let mut seen = 0;
    for format in FORMATS {
        let folder = std::path::Path::new(root).join(format.name());
        for path in files_below(&folder) {
            let name = path.display().to_string();
            let mut loader = Loader::new(&name, false);
            loader.push(&std::fs::read(&path).unwrap()).unwrap();
            let contents = content::of(loader.finish(no_gb18030).unwrap()).unwrap();
            for content in &contents {
                let takers: Vec<_> = FORMATS
                    .iter()
                    .filter(|f| f.recognises(content))
                    .map(|f| f.name())
                    .collect();
                assert_eq!(takers, [format.name()], "{name}");
                seen += 1;
            }
        }
    }
    assert!(seen >= FORMATS.len() - 1, "each format has a fixture");
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn read_stated(bytes: &[u8], stated: Stated) -> Result<Vec<Report>, Problems> {
    let options = Options {
        stated,
        ..Options::default()
    };
    let imported = read_all([("run.json", bytes)], &options, no_gb18030)?;
    Ok(imported.reports)
}

fn read_text(json: &str) -> Result<Vec<Report>, Problems> {
    read_stated(json.as_bytes(), Stated::default())
}

fn read_one(json: &str) -> Report {
    read_text(json).unwrap().remove(0)
}

fn error(json: &str) -> String {
    read_text(json).unwrap_err().to_string()
}

#[test]
fn both_spellings_give_the_same_report() {
    let in_ms = read_one(MILLISECONDS);
    let mut value: Value = serde_json::from_str(MILLISECONDS).unwrap();
    let map = value.as_object_mut().unwrap();
    for key in map
        .keys()
        .filter(|key| key.ends_with("_ms"))
        .cloned()
        .collect::<Vec<_>>()
    {
        let ms = map.remove(&key).unwrap().as_f64().unwrap();
        map.insert(key.trim_end_matches("_ms").to_owned(), (ms / 1000.0).into());
    }
    assert_eq!(read_one(&value.to_string()), in_ms);
    let point = &in_ms.points[0];
    assert_eq!(point.ttft_s.p50, Some(0.11));
    assert_eq!(point.ttft_s.p99, Some(0.4));
    assert_eq!(point.itl_s.p50, Some(0.0295));
    assert_eq!(point.latency_s.mean, Some(3.93));
    assert_eq!(point.concurrency, Some(8.0));
    assert_eq!(point.request_rate, None);
    assert_eq!(point.failed, Some(0));
    assert_eq!(in_ms.workload.input_tokens, Some(512.0));
    assert_eq!(in_ms.workload.output_tokens, Some(128.0));
    assert_eq!(in_ms.workload.arrivals, Some(Arrivals::Closed));
    assert_eq!(in_ms.measured_on.unwrap().to_string(), "2026-03-01");
    assert_eq!(in_ms.warnings, []);
    assert_eq!(
        in_ms.system.accelerator, None,
        "not in the file, so not guessed"
    );
}

#[test]
fn the_words_for_no_limit_all_mean_as_fast_as_possible() {
    for word in ["\"inf\"", "Infinity", "\"Infinity\""] {
        let report = read_one(&MILLISECONDS.replace("\"inf\"", word));
        assert_eq!(report.points[0].request_rate, None, "{word}");
    }
    let burst =
        read_one(&MILLISECONDS.replace("\"max_concurrency\": 8", "\"max_concurrency\": null"));
    assert_eq!(burst.workload.arrivals, Some(Arrivals::Burst));
    let open = read_one(&MILLISECONDS.replace("\"inf\"", "2.5"));
    assert_eq!(open.points[0].request_rate, Some(2.5));
    assert_eq!(open.workload.arrivals, Some(Arrivals::Open));
}

#[test]
fn statements_fill_gaps_are_marked_and_may_not_contradict() {
    let stated = Stated {
        accelerator: Some("H200".parse().unwrap()),
        accelerators: Some(8),
        ..Stated::default()
    };
    let report = read_stated(MILLISECONDS.as_bytes(), stated)
        .unwrap()
        .remove(0);
    assert_eq!(report.stated, ["system.accelerator", "system.accelerators"]);
    assert_eq!(report.id, "model-8b-8x-h200-512-128");
    let canonical = serde_json::to_string(&report).unwrap();
    let other = Stated {
        accelerators: Some(4),
        ..Stated::default()
    };
    let message = read_stated(canonical.as_bytes(), other)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("system.accelerators") && message.contains("8 in the file, 4 stated"),
        "{message}"
    );
}

#[test]
fn lines_arrays_and_several_files_become_one_sweep() {
    let one = MILLISECONDS.replace('\n', " ");
    let two = one.replace("\"max_concurrency\": 8", "\"max_concurrency\": 16");
    let lines = format!("\u{feff}{two}\r\n{one}\n{one}\n");
    let array = format!("[{two},{one}]");
    for text in [lines, array] {
        let reports = read_stated(text.as_bytes(), Stated::default()).unwrap();
        assert_eq!(reports.len(), 1);
        let loads: Vec<_> = reports[0].points.iter().map(|p| p.concurrency).collect();
        assert_eq!(loads, [Some(8.0), Some(16.0)]);
    }
}

#[test]
fn a_rate_that_contradicts_count_and_time_is_corrected_with_a_warning() {
    let report = read_one(&MILLISECONDS.replace(
        "\"request_throughput\": 2.0",
        "\"request_throughput\": 20.0",
    ));
    assert_eq!(report.points[0].requests_per_s, 2.0);
    assert_eq!(report.warnings[0].code, "rate-inconsistent");
}

#[test]
fn a_metric_of_zeros_was_not_measured() {
    let zeros = MILLISECONDS.replace(
        "\"mean_ttft_ms\": 120.0, \"median_ttft_ms\": 110.0, \"p99_ttft_ms\": 400.0",
        "\"mean_ttft_ms\": 0.0, \"p99_ttft_ms\": 0.0",
    );
    let report = read_one(&zeros);
    assert_eq!(report.points[0].ttft_s.p99, None);
    assert_eq!(report.warnings[0].code, "metric-all-zero");
}

#[test]
fn unknown_keys_and_lost_figures_are_listed() {
    let text = MILLISECONDS
        .replace("\"p99_ttft_ms\": 400.0", "\"p99_ttft_ms\": NaN")
        .replace("\"burstiness\"", "\"p99_surprise_ms\"");
    let report = read_one(&text);
    assert_eq!(report.points[0].ttft_s.p99, None);
    let codes: Vec<_> = report.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(codes, ["not-finite", "fields-not-read"]);
    assert!(report.warnings[1].en.contains("p99_surprise_ms"));
}

#[test]
fn bad_input_says_where_and_what_would_be_right() {
    let cut = &MILLISECONDS[..200];
    for (text, parts) in [
        ("", &["run.json: ", "empty"][..]),
        ("\u{feff}  ", &["empty"]),
        ("hello", &["not a benchmark result", "found hello"]),
        ("{hello", &["line 1, column 2", "not JSON"]),
        (cut, &["stops before it is complete"]),
        ("{}", &["not a benchmark result", "vllm-serve"]),
        ("3", &["not a benchmark result"]),
        (
            r#"{"benchmarks": [], "metadata": {}}"#,
            &["not a benchmark result", "benchmarks, metadata"],
        ),
    ] {
        let message = error(text);
        for part in parts {
            assert!(message.contains(part), "{part} in {message}");
        }
    }
    for (from, to, part) in [
        (
            "\"completed\": 100",
            "\"completed\": 0",
            "no request completed",
        ),
        (
            "\"request_throughput\": 2.0",
            "\"request_throughput\": NaN",
            "request_throughput: is not a finite number",
        ),
        (
            "\"request_throughput\": 2.0",
            "\"request_throughput\": -2.0",
            "requests_per_s: is negative (found -2)",
        ),
        (
            "\"request_throughput\": 2.0",
            "\"request_throughput\": \"fast\"",
            "request_throughput: is not a number (found \"fast\")",
        ),
        (
            "\"output_throughput\": 256.0",
            "\"output_throughput\": 108608593901538.98",
            "implausibly large",
        ),
        ("\"duration\": 50.0,", "", "duration: is missing"),
        ("20260301-101500", "yesterday", "date: is not a date"),
    ] {
        let message = error(&MILLISECONDS.replace(from, to));
        assert!(
            message.starts_with("run.json: ") && message.contains(part),
            "{part} in {message}"
        );
    }
    let not_text = read_stated(b"\x80\x81\x00", Stated::default())
        .unwrap_err()
        .to_string();
    assert!(not_text.contains("no known encoding"), "{not_text}");
}
