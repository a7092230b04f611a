//! Any bytes as a file: the detector with every importer behind it, or one importer alone.
//!
//! `cargo fuzz run import` fuzzes them all; `INFERPLAN_FUZZ_FORMAT=locust cargo fuzz run import` one.
//! What must hold: no panic, no hang, no unbounded memory; whatever is read passes the checks, and
//! lints and compares without a fault.

#![no_main]

use std::sync::LazyLock;

use inferplan_core::{
    import::{Options, read_all},
    lint,
    report::curve::Curve,
};
use libfuzzer_sys::fuzz_target;

static OPTIONS: LazyLock<Options> = LazyLock::new(|| {
    let mut options = Options {
        format: std::env::var("INFERPLAN_FUZZ_FORMAT").ok(),
        ..Options::default()
    };
    options.stated.duration_s = Some(60.0);
    options.stated.concurrency = Some(4.0);
    options
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(imported) = read_all([("fuzz", bytes)], &OPTIONS, |_| None) else {
        return;
    };
    let today = "2026-12-01".parse().expect("a day");
    for report in &imported.reports {
        report.check().expect("what was read is within bounds");
        drop(lint::lint(report, today));
        if let Ok((curve, _)) = Curve::of(report) {
            assert!(curve.largest_rate().is_finite());
        }
    }
});
