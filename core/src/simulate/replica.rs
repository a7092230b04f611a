//! One replica: processor sharing by its operating curve.

use std::{
    cmp::Ordering,
    collections::{BinaryHeap, VecDeque},
};

use crate::{
    plan::mixture::Spread,
    report::{Metric, curve::Curve},
};

/// What every replica of a fleet is: how fast with n in service, and how many that may be.
#[derive(Clone, Debug)]
pub struct Server {
    /// X(n) ÷ n at index n: the work each of n requests receives a second.
    speeds: Vec<f64>,
    /// The largest X(n).
    largest_rate_per_s: f64,
    /// TTFT, TPOT and ITL with n in service at index n − 1; empty where the report lacks them.
    spreads: [Vec<Spread>; 3],
}

/// The metrics that are drawn from what was measured.
pub(super) const DRAWN: [Metric; 3] = [Metric::Ttft, Metric::Tpot, Metric::Itl];

impl Server {
    /// The server of a curve; the largest measured concurrency, rounded down, is its limit.
    #[must_use]
    pub fn of(curve: &Curve) -> Self {
        let (_, largest) = curve.range();
        let limit = (largest.floor() as usize).max(1);
        let mut speeds = vec![0.0];
        speeds.extend((1..=limit).map(|n| curve.rate_at(n as f64) / n as f64));
        let spreads = DRAWN.map(|metric| {
            let all: Option<Vec<Spread>> = (1..=limit)
                .map(|n| Spread::at_load(curve, metric, n as f64))
                .collect();
            all.unwrap_or_default()
        });
        Self {
            speeds,
            largest_rate_per_s: curve.largest_rate(),
            spreads,
        }
    }

    /// Requests in service at most.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.speeds.len() - 1
    }

    /// The largest measured throughput, requests a second.
    #[must_use]
    pub fn largest_rate_per_s(&self) -> f64 {
        self.largest_rate_per_s
    }

    /// What was measured of one of [`DRAWN`] with n in service.
    pub(super) fn spread(&self, drawn: usize, n: usize) -> Option<&Spread> {
        self.spreads[drawn].get(n - 1)
    }
}

/// A request on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) arrived_s: f64,
    pub(super) work: f64,
    /// Set when it enters service.
    pub(super) wait_s: f64,
    pub(super) drawn_s: [f64; 3],
}

/// A place in service, by the work given to each since the replica was last empty.
#[derive(Clone, Copy)]
struct Place {
    finish: f64,
    slot: u32,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Place {}
impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Place {
    /// The earliest finish is the greatest, for a heap that gives the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.finish.total_cmp(&self.finish)
    }
}

/// Whether a replica takes requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    Off,
    /// Asked for, not yet ready.
    Starting,
    Ready,
    /// Finishes what it has and goes.
    Draining,
}

pub(super) struct Replica {
    places: BinaryHeap<Place>,
    slots: Vec<Job>,
    free: Vec<u32>,
    pub(super) waiting: VecDeque<Job>,
    /// Work given to each in service since the replica was last empty.
    given: f64,
    at_s: f64,
    pub(super) state: State,
    /// When it was asked for.
    pub(super) asked_s: f64,
    /// Seconds with a request in service.
    pub(super) busy_s: f64,
    /// Tells an idle time-out that requests came in between.
    pub(super) epoch: u32,
}

impl Replica {
    pub(super) fn new() -> Self {
        Self {
            places: BinaryHeap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            given: 0.0,
            at_s: 0.0,
            state: State::Off,
            asked_s: 0.0,
            busy_s: 0.0,
            epoch: 0,
        }
    }

    pub(super) fn in_service(&self) -> usize {
        self.places.len()
    }

    pub(super) fn outstanding(&self) -> usize {
        self.places.len() + self.waiting.len()
    }

    fn advance(&mut self, now_s: f64, server: &Server) {
        let n = self.places.len();
        if n > 0 {
            let passed_s = now_s - self.at_s;
            self.given += passed_s * server.speeds[n];
            self.busy_s += passed_s;
        } else {
            self.given = 0.0;
        }
        self.at_s = now_s;
    }

    /// Takes a request into service; the caller has made sure of a place.
    pub(super) fn enter(&mut self, job: Job, now_s: f64, server: &Server) {
        self.advance(now_s, server);
        let finish = self.given + job.work;
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = job;
                slot
            }
            None => {
                self.slots.push(job);
                self.slots.len() as u32 - 1
            }
        };
        self.places.push(Place { finish, slot });
    }

    /// Gives back the request that finishes now.
    pub(super) fn leave(&mut self, now_s: f64, server: &Server) -> Option<Job> {
        self.advance(now_s, server);
        let place = self.places.pop()?;
        // Exactly its finish, so that rounding does not add up over a long busy period.
        self.given = place.finish;
        self.free.push(place.slot);
        Some(self.slots[place.slot as usize])
    }

    /// When the next request finishes if none comes.
    pub(super) fn next_departure_s(&self, server: &Server) -> f64 {
        match self.places.peek() {
            None => f64::INFINITY,
            Some(place) => {
                let left = (place.finish - self.given).max(0.0);
                self.at_s + left / server.speeds[self.places.len()]
            }
        }
    }
}
