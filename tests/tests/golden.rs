//! Whole outputs held against golden files, and the shipped data against its schemas.
//!
//! A golden case says its purpose and pins its date. Review a change with `cargo insta review`, or
//! run with `INSTA_UPDATE=always` and read the difference.

use inferplan_tests::{example_report, root, run};

/// The command line's output, which must succeed.
fn output(args: &[&str]) -> String {
    let result = run(args);
    assert_eq!(result.code, 0, "{}", result.stderr);
    result.stdout
}

/// Purpose: the main job in one look, in the widths and words people see.
#[test]
fn the_example_as_a_table() {
    let report = example_report();
    for lang in ["en", "zh"] {
        let args = [
            "--lang",
            lang,
            "compare",
            "--scenario",
            "examples/scenario.json",
            "--report",
            &report,
            "--as-of",
            "2026-11-15",
        ];
        let table = output(&args);
        let widest = table.lines().map(columns).max().unwrap();
        assert!(widest <= 80, "{lang}: {widest} columns");
        insta::assert_snapshot!(format!("example-table-{lang}"), table);
    }
}

/// Purpose: every figure and warning of the example, as programs read it.
#[test]
fn the_example_as_json() {
    let report = example_report();
    let args = [
        "compare",
        "--scenario",
        "examples/scenario.json",
        "--report",
        &report,
        "--as-of",
        "2026-11-15",
        "--json",
    ];
    let mut comparison: serde_json::Value = serde_json::from_str(&output(&args)).unwrap();
    let options = comparison["options"].as_array_mut().unwrap();
    options.retain(|option| option["feasible"] == true);
    insta::assert_snapshot!(
        "example-json",
        serde_json::to_string_pretty(&comparison).unwrap()
    );
}

/// Purpose: the 2025 article's question, priced in yuan, with an estimate for other lengths.
#[test]
fn other_lengths_in_yuan() {
    let report = example_report();
    let args = [
        "--lang",
        "zh",
        "compare",
        "--report",
        &report,
        "--requests-per-day",
        "1000000",
        "--input-tokens",
        "512",
        "--output-tokens",
        "128",
        "--currency",
        "CNY",
        "--exchange-rate",
        "USD/CNY=7.17",
        "--as-of",
        "2026-11-15",
        "--slo",
        "ttft_p99=2",
    ];
    insta::assert_snapshot!("other-lengths-yuan", output(&args));
}

/// Purpose: why each offer of 2025 is out when nothing was measured.
#[test]
fn the_article_without_measurements() {
    let args = [
        "compare",
        "--scenario",
        "examples/article-2025.json",
        "--all",
    ];
    insta::assert_snapshot!("article-all", output(&args));
}

#[test]
fn the_schemas_are_those_of_the_types() {
    for (name, schema) in inferplan_core::schemas::all() {
        let written = std::fs::read_to_string(root().join("schema").join(name)).unwrap();
        let current = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        assert!(
            written == current,
            "schema/{name} is not current: run `cargo xtask schema`"
        );
    }
}

/// The page must stay quick to load over a slow line: everything it loads at first, compressed.
#[test]
fn the_page_is_small() {
    const MOST_BYTES: u64 = 500_000;
    let first = [
        "index.html",
        "boot.js",
        "style.css",
        "icon.svg",
        "inferplan_web.js",
        "inferplan_web_bg.wasm",
    ];
    let sizes = first.map(|name| {
        let path = root().join("dist").join(format!("{name}.br"));
        let found = std::fs::metadata(&path).map(|meta| meta.len());
        found.unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask web`", path.display()))
    });
    let size: u64 = sizes.iter().sum();
    assert!(
        size <= MOST_BYTES,
        "{size} bytes, at most {MOST_BYTES}: {sizes:?}"
    );
}

/// Columns on a terminal: Chinese characters and full-width signs take two.
fn columns(line: &str) -> usize {
    let wide = |c: char| matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}');
    line.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}
