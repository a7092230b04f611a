//! The simulation against what is known exactly.

use super::*;
use crate::{
    plan::server::{Stationary, death_rates},
    report::{Metric, Quantile, curve::Curve, tests::sweep},
};

fn server(points: &[(f64, f64)]) -> Server {
    Server::of(&Curve::of(&sweep(points)).unwrap().0)
}

fn simulate(server: &Server, arrivals: &Arrivals, work: Work, scaling: Scaling) -> Outcome {
    let slo = Slo::default();
    let setup = Setup {
        arrivals,
        work,
        dispatch: Dispatch::SharedQueue,
        scaling,
        slo: &slo,
        requests: 400_000,
        runs: 10,
        seed: 1,
    };
    run(server, &setup, |_| true).unwrap()
}

/// c servers of rate 1.
fn servers(count: f64) -> Server {
    server(&[(1.0, 1.0), (count.max(1.5), count.max(1.5))])
}

fn wait(outcome: &Outcome) -> Intervals {
    outcome.wait_s.unwrap()
}

#[test]
fn erlang_s_servers_wait_and_leave_as_in_closed_form() {
    for (count, rate) in [(1.0, 0.5), (2.0, 1.5), (5.0, 4.0), (10.0, 8.0)] {
        let one = if count == 1.0 {
            server(&[(1.0, 1.0)])
        } else {
            servers(count)
        };
        let arrivals = Arrivals::Poisson { rate_per_s: rate };
        let found = simulate(&one, &arrivals, Work::Exponential, Scaling::Fixed(1));
        let rates: Vec<f64> = (1..=count as u32).map(f64::from).collect();
        let waits = Stationary::of(&rates, rate)
            .unwrap()
            .probability_of_waiting();
        assert!(
            found.probability_of_waiting.holds(waits),
            "{count}: {found:#?}"
        );
        // The wait is exponential of rate c − λ where there is one; then comes the service of mean 1.
        let theta = count - rate;
        assert!(
            wait(&found).mean.holds(waits / theta),
            "{count}: {found:#?}"
        );
        let beyond = |t: f64| {
            let after = if (theta - 1.0).abs() < 1e-9 {
                (1.0 + t) * (-t).exp()
            } else {
                (theta * (-t).exp() - (-theta * t).exp()) / (theta - 1.0)
            };
            (1.0 - waits) * (-t).exp() + waits * after
        };
        let latency = found.latency_s.unwrap();
        for (interval, share) in [(latency.p50, 0.5), (latency.p95, 0.05), (latency.p99, 0.01)] {
            // The ends of the interval lie on either side of the share.
            let (low, high) = (interval.low.unwrap(), interval.high.unwrap());
            assert!(
                beyond(low) >= share && beyond(high) <= share,
                "{count} {share}: {found:#?}"
            );
        }
        assert!(
            (found.utilization / (rate / count) - 1.0).abs() < 0.01,
            "{}",
            found.utilization
        );
    }
}

#[test]
fn fixed_work_is_m_d_c() {
    // Mean wait, P(W > 0) and the wait's p99 in service times.
    for (count, load, mean, waits, p99) in [
        (1.0, 0.8, 2.0, 0.8, 10.355_887),
        (5.0, 0.8, 0.289_060_01, 0.533_615_06, 1.937_439),
        (10.0, 0.8, 0.109_827_79, 0.384_717_39, 0.917_408),
    ] {
        let one = if count == 1.0 {
            server(&[(1.0, 1.0)])
        } else {
            servers(count)
        };
        let arrivals = Arrivals::Poisson {
            rate_per_s: load * count,
        };
        let found = simulate(&one, &arrivals, Work::Fixed, Scaling::Fixed(1));
        assert!(wait(&found).mean.holds(mean), "{count}: {found:#?}");
        assert!(
            found.probability_of_waiting.holds(waits),
            "{count}: {found:#?}"
        );
        assert!(wait(&found).p99.holds(p99), "{count}: {found:#?}");
    }
}

#[test]
fn one_server_of_any_work_is_pollaczek_and_khinchine_s() {
    let one = server(&[(1.0, 1.0)]);
    for (load, cv) in [(0.5, 2.0), (0.7, 0.5), (0.8, 1.0)] {
        let arrivals = Arrivals::Poisson { rate_per_s: load };
        let found = simulate(&one, &arrivals, Work::LogNormal { cv }, Scaling::Fixed(1));
        let mean = load * (1.0 + cv * cv) / 2.0 / (1.0 - load);
        assert!(
            wait(&found).mean.holds(mean),
            "{cv}: {:#?} {mean}",
            found.wait_s
        );
    }
}

#[test]
fn twenty_random_curves_lie_in_their_intervals() {
    let mut random = random::Random::new(42, 0);
    let (mut checks, mut outside) = (0, Vec::new());
    for seed in 0..20 {
        // Residence time rises from R(1) to R(N); TTFT rises with it.
        let limit = 2 + random.below(12);
        let (first, slope) = (0.2 + random.share(), 0.3 * random.share());
        let at = |n: f64| (n, n / (first + slope * (n - 1.0)));
        let middle = (1.0 + limit as f64) / 2.0;
        let mut report = sweep(&[at(1.0), at(middle), at(limit as f64)]);
        for point in &mut report.points {
            let n = point.concurrency.unwrap();
            point.ttft_s.p50 = Some(0.05 * n);
            point.ttft_s.p90 = Some(0.08 * n);
            point.ttft_s.p99 = Some(0.15 * n);
        }
        let curve = Curve::of(&report).unwrap().0;
        // Near enough to full that waits are no rarity, which intervals by batches need.
        let load = 0.6 + 0.3 * random.share();
        let rate_per_s = load * curve.rate_at(limit as f64);
        let state = Stationary::of(&death_rates(&curve, 1).unwrap(), rate_per_s).unwrap();
        let ttft = state.latency(&curve, Metric::Ttft, 1).unwrap();
        let slo = Slo::default();
        let setup = Setup {
            arrivals: &Arrivals::Poisson { rate_per_s },
            work: Work::Exponential,
            dispatch: Dispatch::RoundRobin,
            scaling: Scaling::Fixed(1),
            slo: &slo,
            requests: 150_000,
            runs: 1,
            seed,
        };
        let found = run(&Server::of(&curve), &setup, |_| true).unwrap();
        let mut check = |name: &str, interval: Interval, exact: f64| {
            checks += 1;
            // A histogram's bucket is a thousandth wide: the exact value may lie that much off.
            let (low, high) = (interval.low.unwrap(), interval.high.unwrap());
            if exact < low * 0.9995 || exact > high * 1.0005 {
                outside.push(format!("{seed} {name}: {exact} not in {interval:?}"));
            }
        };
        check(
            "waits",
            found.probability_of_waiting,
            state.probability_of_waiting(),
        );
        check(
            "mean",
            found.latency_s.unwrap().mean,
            state.mean_latency_s(),
        );
        check("rate", found.completed_per_s, rate_per_s);
        for (quantile, share) in [(Quantile::P95, 0.95), (Quantile::P99, 0.99)] {
            check(
                quantile.key(),
                found.ttft_s.unwrap().get(quantile),
                ttft.quantile(share),
            );
        }
    }
    assert_eq!(checks, 100);
    // Of 100 intervals of 99% one misses; more than four do in 0.3% of experiments.
    assert!(outside.len() <= 4, "{outside:#?}");
}

#[test]
fn a_saturating_server_s_latencies() {
    let at = |n: f64| (n, 12.0 * n / (n + 8.0));
    let one = server(&[at(1.0), at(16.0), at(64.0)]);
    for (rate, mean, p50, p95, p99) in [
        (2.0, 0.9, 0.62, 2.71, 4.17),
        (4.0, 1.125, 0.77, 3.41, 5.29),
        (8.0, 2.25, 1.49, 6.90, 10.99),
    ] {
        let arrivals = Arrivals::Poisson { rate_per_s: rate };
        let latency = simulate(&one, &arrivals, Work::Exponential, Scaling::Fixed(1))
            .latency_s
            .unwrap();
        assert!(latency.mean.holds(mean), "{latency:?}");
        // The table is itself a simulation, good to about 1%; ours adds as much.
        for (value, table) in [(latency.p50, p50), (latency.p95, p95), (latency.p99, p99)] {
            assert!(
                (value.value / table - 1.0).abs() < 0.025,
                "{rate}: {value:?} {table}"
            );
        }
        // Under processor sharing the mean does not hang on how work is spread.
        let fixed = simulate(&one, &arrivals, Work::Fixed, Scaling::Fixed(1))
            .latency_s
            .unwrap();
        assert!(fixed.mean.holds(mean), "{fixed:?}");
    }
}

#[test]
fn clients_that_never_pause_get_the_measured_points_back() {
    let points = [(1.0, 1.0), (4.0, 3.2), (16.0, 5.5)];
    let one = server(&points);
    for (n, rate) in points {
        let arrivals = Arrivals::Closed { clients: n as u32 };
        let found = simulate(&one, &arrivals, Work::Exponential, Scaling::Fixed(1));
        assert!(
            found.completed_per_s.holds(rate),
            "{n}: {:?}",
            found.completed_per_s
        );
        assert!(found.latency_s.unwrap().mean.holds(n / rate), "{n}");
    }
}

#[test]
fn a_random_split_is_the_exact_split_and_other_rules_wait_less() {
    let curve = Curve::of(&sweep(&[(1.0, 1.0), (4.0, 4.0)])).unwrap().0;
    let four = Server::of(&curve);
    let slo = Slo::default();
    let arrivals = Arrivals::Poisson { rate_per_s: 13.0 };
    let at = |dispatch| {
        let setup = Setup {
            arrivals: &arrivals,
            work: Work::Exponential,
            dispatch,
            scaling: Scaling::Fixed(4),
            slo: &slo,
            requests: 300_000,
            runs: 1,
            seed: 3,
        };
        run(&four, &setup, |_| true).unwrap()
    };
    let random = at(Dispatch::Random);
    let split = Stationary::of(&death_rates(&curve, 1).unwrap(), 3.25).unwrap();
    assert!(random.latency_s.unwrap().mean.holds(split.mean_latency_s()));
    assert!(
        random
            .probability_of_waiting
            .holds(split.probability_of_waiting())
    );
    let shared = at(Dispatch::SharedQueue);
    let joint = Stationary::of(&death_rates(&curve, 4).unwrap(), 13.0).unwrap();
    assert!(shared.latency_s.unwrap().mean.holds(joint.mean_latency_s()));
    let mean = |outcome: &Outcome| wait(outcome).mean.value;
    let order = [
        mean(&shared),
        mean(&at(Dispatch::LeastOutstanding)),
        mean(&at(Dispatch::PowerOfTwo)),
        mean(&at(Dispatch::RoundRobin)),
        mean(&random),
    ];
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn one_container_s_bill_is_the_closed_form_s() {
    use crate::{plan::uptime, price::table::SecondsBilled};
    let curve = Curve::of(&sweep(&[(1.0, 0.5), (4.0, 1.5)])).unwrap().0;
    let arrivals = Arrivals::Poisson { rate_per_s: 0.004 };
    let found = simulate(
        &Server::of(&curve),
        &arrivals,
        Work::Fixed,
        Scaling::Serverless {
            most: 1,
            cold_start_s: 10.0,
            idle_timeout_s: 60.0,
        },
    );
    let billed = SecondsBilled::Up {
        idle_timeout_s: 60.0,
        cold_start_s: Some(10.0),
        increment_s: 1.0,
        minimum_s: 0.0,
    };
    let exact = uptime::billed_share(&billed, &uptime::Chain::of(&curve), 0.004);
    let share = found.billed_s(None, 1.0, 0.0) / found.simulated_s;
    // The closed form leaves out what a start adds to a busy period: under 1% at λ × start of 4%;
    // 400,000 requests leave less than that of noise.
    assert!((share / exact - 1.0).abs() < 0.01, "{share} {exact}");
    // A request after 60 s of silence waits for the start: e^(−0.004 × 60) of them, about.
    let cold = (-0.004_f64 * 60.0).exp();
    let waits = found.probability_of_waiting.value;
    assert!((waits / cold - 1.0).abs() < 0.06, "{waits} {cold}");
}

#[test]
fn equal_seeds_are_equal_and_a_stop_stops() {
    let one = servers(3.0);
    let arrivals = Arrivals::Poisson { rate_per_s: 2.0 };
    let at = || simulate(&one, &arrivals, Work::Exponential, Scaling::Fixed(1));
    assert_eq!(at(), at());
    let slo = Slo::default();
    let setup = Setup {
        arrivals: &arrivals,
        work: Work::Exponential,
        dispatch: Dispatch::RoundRobin,
        scaling: Scaling::Fixed(1),
        slo: &slo,
        requests: 1_000_000,
        runs: 1,
        seed: 1,
    };
    let mut told = Vec::new();
    let stopped = run(&one, &setup, |share| {
        told.push(share);
        told.len() < 3
    });
    assert_eq!(stopped, Err(Cancelled));
    assert!(told.len() == 3 && told.is_sorted());
}

/// Up to six requests a second a replica, a TTFT of 0.3 s at most.
fn model_server() -> Server {
    let mut report = sweep(&[(1.0, 0.5), (16.0, 4.0), (48.0, 6.0)]);
    for point in &mut report.points {
        point.ttft_s.p50 = Some(0.1);
        point.ttft_s.p99 = Some(0.3);
    }
    Server::of(&Curve::of(&report).unwrap().0)
}

fn autoscaled(least: u32, most: u32) -> Scaling {
    Scaling::Auto(Autoscale {
        least,
        most,
        measure: fleet::Measure::Outstanding,
        target: 24.0,
        rule: Rule::Total,
        interval_s: 15.0,
        up_after_s: 0.0,
        down_after_s: 300.0,
        start_s: 100.0,
    })
}

#[test]
fn an_autoscaled_fleet_waits_while_replicas_start() {
    let one = model_server();
    let slo = Slo("ttft_p99=3"
        .split(' ')
        .map(|t| t.parse().unwrap())
        .collect());
    let stages = [15.0, 2.0, 10.0, 15.0, 5.0, 2.0];
    let stages = stages.map(|rate_per_s| arrivals::Stage {
        rate_per_s,
        seconds: 150.0,
    });
    let staged = Arrivals::Stages(stages.to_vec());
    let swing = Arrivals::Swing {
        low_per_s: 1.0,
        high_per_s: 24.0,
        period_s: 900.0,
        duration_s: 3600.0,
    };
    for (arrivals, most, fixed) in [(&staged, 4, 4), (&swing, 8, 6)] {
        let setup = |scaling| Setup {
            arrivals,
            work: Work::Exponential,
            dispatch: Dispatch::LeastOutstanding,
            scaling,
            slo: &slo,
            requests: 0,
            runs: 10,
            seed: 5,
        };
        let failing = run(&one, &setup(autoscaled(1, most)), |_| true).unwrap();
        assert_eq!(failing.missed(&slo).len(), 1, "{failing:#?}");
        assert!(failing.ttft_s.unwrap().p99.value > 30.0, "{failing:#?}");
        assert!(failing.goodput.value < 0.9 && failing.starts > 10);
        assert!(failing.mean_replicas > 1.0 && failing.most_replicas <= most);
        // As many all the time do, by far.
        let steady = run(&one, &setup(Scaling::Fixed(fixed)), |_| true).unwrap();
        assert!(steady.missed(&slo).is_empty(), "{steady:#?}");
        // So does the same scaler from a larger base: the smallest is found.
        let base = |least| autoscaled(least, most);
        let found = search::fewest(&one, &setup(base(1)), (1, most), base, |_, _| true);
        let found = found.unwrap().unwrap();
        assert!(
            found.replicas > 1 && found.replicas <= fixed,
            "{}",
            found.replicas
        );
        assert!(found.outcome.missed(&slo).is_empty());
        assert!(!found.one_fewer.unwrap().missed(&slo).is_empty());
    }
}

#[test]
fn a_schedule_with_its_lead_is_ready_in_time() {
    let one = model_server();
    let slo = Slo("ttft_p99=3"
        .split(' ')
        .map(|t| t.parse().unwrap())
        .collect());
    let stage = |rate_per_s| arrivals::Stage {
        rate_per_s,
        seconds: 600.0,
    };
    let arrivals = Arrivals::Stages(vec![stage(2.0), stage(15.0), stage(2.0)]);
    let at = |lead_s| {
        let setup = Setup {
            arrivals: &arrivals,
            work: Work::Exponential,
            dispatch: Dispatch::LeastOutstanding,
            scaling: Scaling::Scheduled {
                steps: vec![(0.0, 1), (600.0, 4), (1200.0, 1)],
                start_s: 100.0,
                lead_s,
            },
            slo: &slo,
            requests: 0,
            runs: 10,
            seed: 5,
        };
        run(&one, &setup, |_| true).unwrap()
    };
    assert!(!at(0.0).missed(&slo).is_empty());
    let led = at(120.0);
    assert!(led.missed(&slo).is_empty(), "{led:#?}");
    assert!(led.mean_replicas < 2.3, "{}", led.mean_replicas);
}
