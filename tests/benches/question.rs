//! How long a full question takes: every shipped offer, two reports, 168 hours, three targets.
//!
//! `cargo xtask bench question` runs it; nothing here is asserted.

use std::{hint::black_box, time::Instant};

use inferplan_core::{Decimal, decide, demand::Shape, report::Report, scenario::Scenario};

const RUNS: usize = 500;

fn main() {
    let book = inferplan_pricing::book().expect("the shipped tables");
    let day = "2026-12-01".parse().expect("a day");
    let example = include_str!("../../examples/reports/qwen3-8b-h100.json");
    let mut scenario = Scenario::new(Decimal::from(1_000_000));
    let one = Report::read(example, "example").expect("the example");
    let mut two = one.clone();
    two.id += "-l40s";
    two.system.accelerator = Some("L40S".parse().expect("an accelerator"));
    scenario.reports = vec![one, two];
    scenario.slo_s.0 = ["ttft_p99=2", "itl_p50=0.05", "e2e_p99=60"]
        .map(|target| target.parse().expect("a target"))
        .to_vec();
    // A week as one would measure it: no two hours alike.
    scenario.demand.shape = Some(Shape::Week {
        hourly: (0..168_u32)
            .map(|h| f64::from(h * 7919 % 101 + 20))
            .collect(),
        utc_offset_h: 8,
    });
    let mut seen: Vec<f64> = (0..RUNS)
        .map(|_| {
            let began = Instant::now();
            black_box(decide::compare(&scenario, &book, day).expect("an answer"));
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    seen.sort_by(f64::total_cmp);
    let options = decide::compare(&scenario, &book, day)
        .expect("an answer")
        .options;
    println!(
        "{} options, 2 reports, 168 hours, 3 targets: median {:.2} ms, 95th percentile {:.2} ms",
        options.len(),
        seen[RUNS / 2],
        seen[RUNS * 95 / 100]
    );
}
