//! `inferplan demand` as a process: every format of the same trace gives the same document, and what
//! cannot be read says where and what would be right.

use std::{fs, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};
use inferplan_tests::{Run, fixture, run};
use serde_json::{Value, json};

fn demand(args: &[&str]) -> Run {
    let mut all = vec!["demand"];
    all.extend(args);
    run(&all)
}

fn trace() -> String {
    fixture("demand/trace.csv")
}

/// The rows of the fixture: time, input, output.
fn rows() -> Vec<[String; 3]> {
    let text = fs::read_to_string(trace()).unwrap();
    let row = |line: &str| {
        let mut cells = line.split(',').map(str::to_owned);
        [(); 3].map(|()| cells.next().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

fn written(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn every_format_gives_the_same_document() {
    let folder = tempfile::tempdir().unwrap();
    let expected = demand(&["--json", &trace()]).json();
    assert_eq!(expected["schema"], "inferplan.demand/1");
    assert_eq!(expected["requests"], 400);
    let same = |path: &str, more: &[&str]| {
        let mut args = vec!["--json", path];
        args.extend(more);
        assert_eq!(demand(&args).json(), expected, "{path}");
    };
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&fs::read(trace()).unwrap()).unwrap();
    same(
        &written(folder.path(), "a.csv.gz", gzip.finish().unwrap()),
        &[],
    );
    for kind in ["snappy", "zstd", "gzip"] {
        same(
            &fixture(&format!("demand/{kind}.parquet")),
            &["--time-zone", "UTC"],
        );
    }
    let number = |text: &str| text.parse::<u64>().map_or(Value::Null, Value::from);
    let lines: Vec<String> = rows()
        .iter()
        .map(|[time, input, output]| {
            json!({ "meta": { "created_at": time }, "usage": {
                "prompt_tokens": number(input), "completion_tokens": number(output), "details": [1, {}] } })
            .to_string()
        })
        .collect();
    same(&written(folder.path(), "a.jsonl", lines.join("\n")), &[]);
    let table = |separator: &str, header: &str, time: &dyn Fn(&str) -> String| {
        let lines = rows()
            .into_iter()
            .map(|[at, input, output]| [time(&at), input, output].join(separator));
        let all: Vec<String> = [header.to_owned()].into_iter().chain(lines).collect();
        all.join("\n")
    };
    let named = ["--column", "time=开始", "input=in", "output=out"];
    // Eight hours ahead, by a clock without a zone.
    let beijing = |at: &str| at.replace("T08:", " 16:").trim_end_matches('Z').to_owned();
    let text = table(";", "开始;in;out", &beijing);
    let zone = ["--time-zone", "Asia/Shanghai"];
    same(
        &written(folder.path(), "a.txt", text),
        &[&named[..], &zone].concat(),
    );
    // Microseconds of the day.
    let midnight = 1_772_409_600_000_000_u64;
    let us = |at: &str| {
        let part = |from: usize, to: usize| at[from..to].parse::<u64>().unwrap();
        let seconds = part(11, 13) * 3600 + part(14, 16) * 60 + part(17, 19);
        (midnight + seconds * 1_000_000 + part(20, 26)).to_string()
    };
    let text = table("\t", "ts\tprompt_len\toutput_len", &us);
    same(
        &written(folder.path(), "a.tsv", text),
        &["--time-unit", "us"],
    );
}

#[test]
fn bad_rows_say_where_they_are_and_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let head = "time,input_tokens,output_tokens\n2026-03-02T08:00:00Z,1,1\n";
    for (row, place) in [
        (
            "yesterday,1,1",
            "line 3, time: this is not a time (found yesterday)",
        ),
        (
            "2026-02-30T08:00:00Z,1,1",
            "line 3, time: this is not a time",
        ),
        (
            "2026-03-02T08:00:09Z,-1,1",
            "line 3, input_tokens: this is not a number of tokens (found -1)",
        ),
        (
            "2026-03-02T08:00:09Z,1,1.5",
            "line 3, output_tokens: this is not a number of tokens",
        ),
        (
            "2026-03-02T08:00:09Z,1",
            "line 3: the row is too short (found 2 columns)",
        ),
    ] {
        let text = format!("{head}{row}\n2026-03-02T08:00:10.5Z,1,1\n");
        let file = written(folder.path(), "bad.csv", text);
        let refused = demand(&[&file]);
        assert_eq!(refused.code, 2, "{row}");
        assert!(refused.stderr.contains(place), "{}", refused.stderr);
        let left = demand(&["--json", "--skip-bad-rows", &file]).json();
        assert_eq!(left["requests"], 2, "{row}");
        assert_eq!(left["warnings"][0]["code"], "rows-skipped");
    }
    for (name, text, says) in [
        ("empty.csv", "", "the file is empty"),
        ("none.csv", "time\n", "no request is in it"),
        ("other.csv", "a,b\n1,2\n", "--column time=HEADER"),
        ("small.csv", "time\n1\n2\n", "--time-unit"),
        ("array.json", "[{\"time\": 1}]", "jq -c"),
        (
            "cut.jsonl",
            "{\"time\": 1772438400}\n{\"time\": 17",
            "line 2",
        ),
        (
            "PAR1.parquet",
            "PAR1 and nothing more",
            "this Parquet cannot be read",
        ),
    ] {
        let refused = demand(&[&written(folder.path(), name, text)]);
        assert_eq!(refused.code, 2, "{name}");
        assert!(refused.stderr.contains(says), "{name}: {}", refused.stderr);
    }
}

#[test]
fn what_was_assumed_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let codes = |text: &str| -> Vec<String> {
        let found = demand(&["--json", &written(folder.path(), "a.csv", text)]).json();
        let warnings = found["warnings"].as_array().unwrap();
        warnings
            .iter()
            .map(|w| w["code"].as_str().unwrap().to_owned())
            .collect()
    };
    let local = codes("time\n2026-03-02 08:00:00\n2026-03-02 08:00:01.5\n");
    assert!(local.contains(&"zone-assumed".to_owned()), "{local:?}");
    assert!(
        local.contains(&"input-lengths-unknown".to_owned()),
        "{local:?}"
    );
    let unit = codes("time\n1772438400123\n1772438400999\n");
    assert!(unit.contains(&"unit-by-magnitude".to_owned()), "{unit:?}");
}

#[test]
fn a_week_gives_the_shape_of_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    // Every hour of a week as many requests as its number, and one more.
    let monday = 1_772_409_600_u64;
    let mut text = String::from("time\n");
    for hour in 0..168 {
        for i in 0..=hour {
            text += &format!("{}.5\n", monday + hour * 3600 + i * 3600 / (hour + 1));
        }
    }
    text += &format!("{}\n", monday + 168 * 3600);
    let file = written(folder.path(), "week.csv", text);
    let shape = demand(&["--shape", &file]).json();
    assert_eq!(shape["kind"], "week");
    let hourly = shape["hourly"].as_array().unwrap();
    // 168 of a mean of 84.5; the first hour begins half a second late and has the last row too.
    let last = hourly[167].as_f64().unwrap();
    assert!((last - 168.0 / 84.5).abs() < 1e-3, "{last}");
    let out = folder.path().join("demand.json").display().to_string();
    let people = demand(&[&file, "-o", &out]);
    assert!(
        people.stdout.contains("busiest: Sun 23:00 UTC, 1.99 times"),
        "{}",
        people.stdout
    );
    let document: Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(document["requests"], 14_197);
    // Eleven minutes are no week.
    assert_eq!(demand(&["--shape", &trace()]).code, 2);
}

#[test]
fn a_summary_says_what_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    for engine in ["duckdb", "clickhouse", "spark", "bigquery"] {
        let query = demand(&["--sql", engine, "--table", "prod.requests"]);
        assert!(query.stdout.contains("prod.requests"), "{}", query.stderr);
    }
    for (text, says) in [
        ("a,b\n1,2\n", "this is not a summary table"),
        ("section,key,value\n", "total, first_ns: a sum is missing"),
        (
            "section,key,value\ntotal,first_ns,1.7e18\n",
            "with all their digits",
        ),
    ] {
        let refused = demand(&["--summary", &written(folder.path(), "s.csv", text)]);
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
    }
    assert_eq!(demand(&["--sql", "duckdb"]).code, 2);
    assert_eq!(
        demand(&["--sql", "duckdb", "--table", "t", &trace()]).code,
        2
    );
}
