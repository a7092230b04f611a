//! What a simulation counts.

use super::{
    Outcome, Server, Setup,
    outcome::{Interval, Intervals},
    replica::{DRAWN, Job},
    statistics::{Meter, half_width},
};
use crate::report::{Metric, Slo};

/// A share of events with its interval: the batches', and no narrower than Wilson's for as many
/// independent requests, for batches without one event tell nothing of how rare it is.
fn wilson(events: u64, requests: u64, batches: Option<f64>) -> Interval {
    /// The normal distribution's 99.5th percentile.
    const Z: f64 = 2.575_829;
    let count = (requests as f64).max(1.0);
    let value = events as f64 / count;
    let over = 1.0 + Z * Z / count;
    let middle = (value + Z * Z / (2.0 * count)) / over;
    let half = Z * (value * (1.0 - value) / count + (Z / (2.0 * count)).powi(2)).sqrt() / over;
    let wide = Interval::new(value, batches);
    Interval {
        value,
        low: wide.low.map(|low| low.min(middle - half).max(0.0)),
        high: wide.high.map(|high| high.max(middle + half).min(1.0)),
    }
}

/// What is counted over all runs.
pub(super) struct Counts<'a> {
    pub(super) slo: &'a Slo,
    pub(super) wait: Meter,
    pub(super) e2e: Meter,
    pub(super) drawn: [Option<Meter>; 3],
    pub(super) requests: u64,
    pub(super) batch: Batch,
    /// A batch's share that waited, share that was good, and rate.
    pub(super) rows: Vec<[f64; 3]>,
    pub(super) waited: u64,
    pub(super) good: u64,
    pub(super) simulated_s: f64,
    pub(super) counted_s: f64,
    pub(super) ready_s: f64,
    pub(super) most_ready: u32,
    pub(super) longest_queue: u64,
    pub(super) up_s: f64,
    pub(super) busy_s: f64,
    pub(super) starts: u64,
    pub(super) stays_s: Vec<f64>,
    pub(super) completed: u64,
    pub(super) events: u64,
}

#[derive(Default)]
pub(super) struct Batch {
    pub(super) requests: u64,
    pub(super) waited: u64,
    pub(super) good: u64,
    pub(super) since_s: f64,
}

impl<'a> Counts<'a> {
    pub(super) fn new(server: &Server, setup: &Setup<'a>) -> Self {
        let has = |i: usize| server.spread(i, 1).map(|_| Meter::new());
        Self {
            slo: setup.slo,
            wait: Meter::new(),
            e2e: Meter::new(),
            drawn: [has(0), has(1), has(2)],
            requests: 0,
            batch: Batch::default(),
            rows: Vec::new(),
            waited: 0,
            good: 0,
            simulated_s: 0.0,
            counted_s: 0.0,
            ready_s: 0.0,
            most_ready: 0,
            longest_queue: 0,
            up_s: 0.0,
            busy_s: 0.0,
            starts: 0,
            stays_s: Vec::new(),
            completed: 0,
            events: 0,
        }
    }

    #[inline]
    pub(super) fn count(&mut self, job: &Job, now_s: f64) {
        let latency_s = now_s - job.arrived_s;
        self.wait.add(job.wait_s);
        self.e2e.add(latency_s);
        for (meter, seconds) in self.drawn.iter_mut().zip(job.drawn_s) {
            if let Some(meter) = meter {
                meter.add(seconds);
            }
        }
        self.requests += 1;
        self.batch.requests += 1;
        self.batch.waited += u64::from(job.wait_s > 0.0);
        let good = self.slo.0.iter().all(|target| {
            let seconds = match target.metric {
                Metric::E2e => latency_s,
                metric => {
                    let i = DRAWN.iter().position(|drawn| *drawn == metric);
                    i.map_or(f64::INFINITY, |i| job.drawn_s[i])
                }
            };
            seconds <= target.at_most_s
        });
        self.batch.good += u64::from(good);
    }

    pub(super) fn end_batch(&mut self, now_s: f64) {
        let batch = std::mem::take(&mut self.batch);
        self.batch.since_s = now_s;
        let count = batch.requests as f64;
        let seconds = now_s - batch.since_s;
        self.counted_s += seconds;
        if batch.requests == 0 {
            return;
        }
        self.waited += batch.waited;
        self.good += batch.good;
        self.rows.push([
            batch.waited as f64 / count,
            batch.good as f64 / count,
            count / seconds,
        ]);
        self.wait.end_batch();
        self.e2e.end_batch();
        self.drawn.iter_mut().flatten().for_each(Meter::end_batch);
    }

    pub(super) fn outcome(self, server: &Server) -> Outcome {
        let interval = |i: usize, value: f64| {
            Interval::new(value, half_width(self.rows.iter().map(|row| row[i])))
        };
        let share = |i: usize, events: u64| {
            let batches = half_width(self.rows.iter().map(|row| row[i]));
            wilson(events, self.requests, batches)
        };
        let of = |meter: &Option<Meter>| meter.as_ref().and_then(Intervals::of);
        Outcome {
            requests: self.requests,
            completed_per_s: interval(2, self.requests as f64 / self.counted_s.max(1e-300)),
            probability_of_waiting: share(0, self.waited),
            wait_s: Intervals::of(&self.wait),
            latency_s: Intervals::of(&self.e2e),
            ttft_s: of(&self.drawn[0]),
            tpot_s: of(&self.drawn[1]),
            itl_s: of(&self.drawn[2]),
            goodput: share(1, self.good),
            mean_replicas: self.ready_s / self.simulated_s.max(1e-300),
            most_replicas: self.most_ready,
            utilization: self.completed as f64
                / (self.ready_s * server.largest_rate_per_s()).max(1e-300),
            longest_queue: self.longest_queue,
            simulated_s: self.simulated_s,
            up_s: self.up_s,
            busy_s: self.busy_s,
            starts: self.starts,
            stays_s: self.stays_s,
            events: self.events,
        }
    }
}
