//! How long a catalogue of 100,000 rows takes to import, to load again, and to compare.
//!
//! `cargo xtask bench prices` runs it; nothing here is asserted.

use std::{hint::black_box, time::Instant};

use inferplan_core::{
    Decimal, decide,
    price::{
        PriceBook,
        catalogue::{self, Request},
        file,
    },
    report::Report,
    scenario::Scenario,
};

const ROWS: usize = 100_000;
const ACCELERATORS: [&str; 20] = [
    "H100",
    "A100-80GB",
    "L4",
    "T4",
    "A10G",
    "L40S",
    "H200",
    "V100-16GB",
    "B200",
    "RTX4090",
    "MI300X",
    "A10",
    "L40",
    "RTX A6000",
    "A40",
    "H20",
    "A30",
    "V100-32GB",
    "A100-40GB",
    "B300",
];
const REGIONS: [&str; 5] = [
    "us-east-1",
    "eu-west-1",
    "cn-north-1",
    "ap-northeast-1",
    "sa-east-1",
];

/// Machines of every accelerator, size and region, each with a price of its own.
fn catalogue_text() -> String {
    let mut text =
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
            .to_owned();
    for i in 0..ROWS {
        let cards = 1 << (i % 4);
        let accelerator = ACCELERATORS[i / 4 % ACCELERATORS.len()];
        let region = REGIONS[i / 80 % REGIONS.len()];
        let cents = 50 * cards + i % 997;
        text += &format!(
            "type-{i}.{cards}x,{accelerator},{cards},96,1152,{}.{:02},{region},,\n",
            cents / 100,
            cents % 100
        );
    }
    text
}

/// The median of several runs, milliseconds.
fn median_ms<T>(runs: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut seen: Vec<f64> = (0..runs)
        .map(|_| {
            let began = Instant::now();
            black_box(work());
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    seen.sort_by(f64::total_cmp);
    seen[seen.len() / 2]
}

fn main() {
    let text = catalogue_text();
    let day = "2026-11-15".parse().expect("a day");
    let request = Request {
        name: Some("bench".to_owned()),
        ..Request::of_day(day)
    };
    let read = || catalogue::read(&text, "vms.csv", None, &request).expect("it reads");
    let import = median_ms(5, read);
    let tables = read().tables;
    let offers = tables[0].offers.len();
    let kept = serde_json::to_string(&tables[0]).expect("it writes");
    let load = median_ms(5, || file::read(&kept, "kept").expect("it reads"));

    let shipped = inferplan_pricing::book().expect("the shipped tables");
    let mut all = shipped.tables().to_vec();
    all.extend(tables);
    let book = PriceBook::of(all, shipped.rates().to_vec()).expect("one book");
    let example = include_str!("../../examples/reports/qwen3-8b-h100.json");
    let mut scenario = Scenario::new(Decimal::from(86_400));
    scenario
        .reports
        .push(Report::read(example, "example").expect("the example"));
    let compared = decide::compare(&scenario, &book, day).expect("an answer");
    let compare = median_ms(20, || decide::compare(&scenario, &book, day));
    let alone = median_ms(20, || decide::compare(&scenario, &shipped, day));

    println!("{ROWS} rows, {offers} offers; medians");
    println!("import                {import:>8.1} ms");
    println!(
        "load what was kept    {load:>8.1} ms  ({:.1} MB)",
        kept.len() as f64 / 1e6
    );
    println!(
        "compare               {compare:>8.1} ms  ({} options)",
        compared.options.len()
    );
    println!("compare shipped only  {alone:>8.1} ms");
}
