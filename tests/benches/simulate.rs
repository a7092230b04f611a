//! How many events a second the simulator takes on one core: M/M/10 at 80%, and a fleet.
//!
//! `cargo xtask bench simulate` runs it beside SimPy and Ciw; nothing here is asserted.

use std::time::Instant;

use inferplan_core::{
    report::{Report, Slo, curve::Curve},
    simulate::{Arrivals, Dispatch, Scaling, Server, Setup, Work, run},
};

fn timed(name: &str, server: &Server, rate_per_s: f64, replicas: u32, dispatch: Dispatch) {
    let slo = Slo::default();
    let setup = Setup {
        arrivals: &Arrivals::Poisson { rate_per_s },
        work: Work::Exponential,
        dispatch,
        scaling: Scaling::Fixed(replicas),
        slo: &slo,
        requests: 4_000_000,
        runs: 1,
        seed: 1,
    };
    let began = Instant::now();
    let found = run(server, &setup, |_| true).expect("nothing stops it");
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{name:<34} {:>6.2} million events/s {:>6.2} million customers/s   mean wait {:.6} s",
        found.events as f64 / seconds / 1e6,
        found.events as f64 / 2.0 / seconds / 1e6,
        found.wait_s.map_or(0.0, |wait| wait.mean.value),
    );
}

fn main() {
    // Two points of X(n) = n are ten servers of rate 1.
    let example = include_str!("../../examples/reports/qwen3-8b-h100.json");
    let example = Report::read(example, "example").expect("the example");
    let mut ten = example.clone();
    ten.points.truncate(2);
    for (point, n) in ten.points.iter_mut().zip([1.0, 10.0]) {
        point.concurrency = Some(n);
        point.requests_per_s = n;
        point.ttft_s = Default::default();
        point.tpot_s = Default::default();
        point.itl_s = Default::default();
    }
    let server = |report: &Report| Server::of(&Curve::of(report).expect("a curve").0);
    timed(
        "inferplan, M/M/10 at 80%",
        &server(&ten),
        8.0,
        1,
        Dispatch::RoundRobin,
    );
    let measured = server(&example);
    timed(
        "30 replicas, round robin",
        &measured,
        37.04,
        30,
        Dispatch::RoundRobin,
    );
    timed(
        "30 replicas, least outstanding",
        &measured,
        37.04,
        30,
        Dispatch::LeastOutstanding,
    );
}
