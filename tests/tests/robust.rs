//! Files that are no results, or no longer: what fuzzing found, and every fixture cut short.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use inferplan_core::{
    import::{Options, format_names, read_all},
    lint,
    report::curve::Curve,
};

/// The least that holds of any bytes: an error, or reports that pass their checks.
fn read(bytes: &[u8], format: Option<&str>) {
    let mut options = Options {
        format: format.map(str::to_owned),
        ..Options::default()
    };
    options.stated.duration_s = Some(60.0);
    options.stated.concurrency = Some(4.0);
    match read_all([("input", bytes)], &options, |_| None) {
        Ok(imported) => {
            let today = "2026-12-01".parse().unwrap();
            for report in &imported.reports {
                report.check().expect("what was read is within bounds");
                drop(lint::lint(report, today));
                if let Ok((curve, _)) = Curve::of(report) {
                    assert!(curve.largest_rate().is_finite());
                }
            }
        }
        Err(problems) => {
            for problem in &problems.into_iter().collect::<Vec<_>>() {
                assert!(problem.to_string().contains("input"), "{problem}");
            }
        }
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

#[test]
fn what_fuzzing_found_is_read_or_refused() {
    let packed = fs::read(fixtures().join("fuzz/corpus.hex.gz")).unwrap();
    let mut lines = String::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_string(&mut lines)
        .unwrap();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let inputs: Vec<Vec<u8>> = lines
        .lines()
        .map(|line| line.as_bytes().chunks(2).map(byte).collect())
        .collect();
    assert!(inputs.len() > 1000, "{} inputs", inputs.len());
    for input in &inputs {
        read(input, None);
        for format in format_names() {
            read(input, Some(format));
        }
    }
}

#[test]
fn every_fixture_cut_short_anywhere_is_read_or_refused() {
    let mut files = Vec::new();
    below(&fixtures().join("import"), &mut files);
    assert!(files.len() > 80, "{} files", files.len());
    for file in files {
        let bytes = fs::read(&file).unwrap();
        // Every length of a small file, sixty-four of a large one.
        let step = (bytes.len() / 64).max(1);
        for length in (0..=bytes.len()).step_by(step) {
            read(&bytes[..length], None);
        }
    }
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, files);
        } else {
            files.push(path);
        }
    }
}
