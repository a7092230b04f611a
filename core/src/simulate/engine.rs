//! The event loop.

use std::collections::VecDeque;

use super::{
    Outcome, Server, Setup,
    arrivals::Arrivals,
    control::Control,
    counts::{Batch, Counts},
    fleet::{Dispatch, Scaling},
    random::Random,
    replica::{DRAWN, Job, Replica, State},
    source::Source,
    tree::Tree,
};
use crate::report::Metric;

/// A long run is cut into so many batches: enough for the t distribution to be near normal, each
/// long against the time the server takes to forget.
const BATCHES: u64 = 30;
/// The share of a long run that is left out, while an empty system fills.
const WARM_UP: f64 = 0.1;
/// Events between two reports of progress: under a millisecond or so.
const REPORT_EVERY: u64 = 8192;

/// A simulation was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Simulates; `progress` is told the share done, and stops it by returning false.
///
/// # Errors
/// [`Cancelled`], when it is stopped.
pub fn run(
    server: &Server,
    setup: &Setup,
    mut progress: impl FnMut(f64) -> bool,
) -> Result<Outcome, Cancelled> {
    let mut counts = Counts::new(server, setup);
    if setup.arrivals.is_stationary() {
        Engine::new(server, setup, setup.seed, &mut counts).go(&mut progress)?;
    } else {
        let runs = setup.runs.max(1);
        for i in 0..runs {
            let seed = setup.seed.wrapping_add(u64::from(i) << 32);
            let mut within = |share: f64| progress((f64::from(i) + share) / f64::from(runs));
            Engine::new(server, setup, seed, &mut counts).go(&mut within)?;
        }
    }
    Ok(counts.outcome(server))
}

/// One run.
pub(super) struct Engine<'a, 'c> {
    pub(super) server: &'a Server,
    dispatch: Dispatch,
    source: Source<'a>,
    random: Random,
    pub(super) replicas: Vec<Replica>,
    departures: Tree,
    /// Requests in each replica that takes more; infinite for others.
    pub(super) loads: Tree,
    /// Those that take requests, the longest ready first.
    pub(super) ready: Vec<usize>,
    turn: usize,
    /// Requests that no replica has yet.
    pub(super) queue: VecDeque<Job>,
    pub(super) in_system: u64,
    pub(super) arrived: u64,
    pub(super) control: Control,
    pub(super) now_s: f64,
    ready_since_s: f64,
    clients: Option<u32>,
    /// Requests to see, the warm-up included; those of arrivals with an end are all seen.
    wanted: u64,
    warm_up: u64,
    measure_from_s: f64,
    batch_of: u64,
    counts: &'c mut Counts<'a>,
}

impl<'a, 'c> Engine<'a, 'c> {
    fn new(server: &'a Server, setup: &Setup<'a>, seed: u64, counts: &'c mut Counts<'a>) -> Self {
        // Those that drain stand beside those that take over.
        let most = match &setup.scaling {
            Scaling::Fixed(count) => *count as usize,
            other => other.most() as usize * 2,
        };
        let most = most.max(1);
        let (wanted, warm_up) = if setup.arrivals.is_stationary() {
            let wanted = setup.requests.max(10 * BATCHES);
            (wanted, (wanted as f64 * WARM_UP) as u64)
        } else {
            (u64::MAX, 0)
        };
        Self {
            server,
            dispatch: setup.dispatch,
            source: Source::new(setup.arrivals, setup.work, seed),
            random: Random::new(seed, 3),
            replicas: (0..most).map(|_| Replica::new()).collect(),
            departures: Tree::new(most),
            loads: Tree::new(most),
            ready: Vec::new(),
            turn: 0,
            queue: VecDeque::new(),
            in_system: 0,
            arrived: 0,
            control: Control::new(&setup.scaling),
            now_s: 0.0,
            ready_since_s: 0.0,
            clients: match setup.arrivals {
                Arrivals::Closed { clients } => Some(*clients),
                _ => None,
            },
            wanted,
            warm_up,
            measure_from_s: 0.0,
            batch_of: (wanted - warm_up) / BATCHES,
            counts,
        }
    }

    fn go(&mut self, progress: &mut impl FnMut(f64) -> bool) -> Result<(), Cancelled> {
        self.counts.batch = Batch::default();
        self.begin();
        let mut next = self.source.next();
        for _ in 0..self.clients.unwrap_or(0) {
            let work = self.source.work();
            self.arrive(work);
        }
        let mut left_of_report = REPORT_EVERY;
        let mut completed = 0;
        loop {
            let (departure_s, replica) = self.departures.first();
            let arrival_s = next.map_or(f64::INFINITY, |(at_s, _)| at_s);
            let control_s = self.control.next_s();
            if departure_s <= arrival_s && departure_s <= control_s {
                if departure_s.is_infinite() {
                    break;
                }
                self.now_s = departure_s;
                self.depart(replica);
                completed += 1;
                if self.is_stationary() && self.counts.rows.len() as u64 >= BATCHES {
                    break;
                }
            } else if arrival_s <= control_s {
                self.now_s = arrival_s;
                if let Some((_, work)) = next {
                    self.arrive(work);
                }
                next = self.source.next();
            } else {
                // Nothing more can come of the fleet's changes.
                if next.is_none() && self.in_system == 0 && self.clients.is_none() {
                    break;
                }
                self.now_s = control_s;
                self.change();
            }
            self.counts.events += 1;
            left_of_report -= 1;
            if left_of_report == 0 {
                left_of_report = REPORT_EVERY;
                if !progress(self.share_done(completed)) {
                    return Err(Cancelled);
                }
            }
        }
        self.finish(completed);
        Ok(())
    }

    fn share_done(&self, completed: u64) -> f64 {
        if self.is_stationary() {
            (completed as f64 / self.wanted as f64).min(1.0)
        } else {
            self.source.share_done()
        }
    }

    /// Whether it is one long run, which its batches end.
    fn is_stationary(&self) -> bool {
        self.wanted < u64::MAX
    }

    fn finish(&mut self, completed: u64) {
        let now_s = self.now_s;
        self.counts.end_batch(now_s);
        self.note_ready();
        for i in 0..self.replicas.len() {
            if self.replicas[i].state != State::Off {
                self.end_stay(i);
            }
            self.counts.busy_s += self.replicas[i].busy_s;
        }
        self.counts.simulated_s += now_s;
        self.counts.completed += completed;
    }

    /// A request comes now.
    #[inline]
    fn arrive(&mut self, work: f64) {
        let job = Job {
            arrived_s: self.now_s,
            work,
            wait_s: 0.0,
            drawn_s: [0.0; 3],
        };
        self.arrived += 1;
        if self.arrived == self.warm_up {
            self.measure_from_s = self.now_s;
            self.counts.batch.since_s = self.now_s;
        }
        self.in_system += 1;
        match self.choose() {
            Some(i) if self.replicas[i].in_service() < self.server.limit() => self.enter(i, job),
            Some(i) => {
                self.replicas[i].waiting.push_back(job);
                self.note_queue(self.replicas[i].waiting.len());
                self.renew(i);
            }
            None => {
                self.queue.push_back(job);
                self.note_queue(self.queue.len());
                self.queued();
            }
        }
    }

    /// The replica that takes the next request; `None` where it is to wait for any.
    #[inline]
    fn choose(&mut self) -> Option<usize> {
        let limit = self.server.limit();
        if self.control.is_serverless() {
            // The longest ready one with a place, so that the others can fall idle and go.
            let has_place = |i: &&usize| self.replicas[**i].in_service() < limit;
            return self.ready.iter().find(has_place).copied();
        }
        let count = self.ready.len();
        match (count, self.dispatch) {
            (0, _) => None,
            (_, Dispatch::SharedQueue) => {
                let (load, i) = self.loads.first();
                (load < limit as f64).then_some(i)
            }
            (1, _) => Some(self.ready[0]),
            (_, Dispatch::RoundRobin) => {
                self.turn = (self.turn + 1) % count;
                Some(self.ready[self.turn])
            }
            (_, Dispatch::LeastOutstanding) => Some(self.loads.first().1),
            (_, Dispatch::Random) => Some(self.ready[self.random.below(count)]),
            (_, Dispatch::PowerOfTwo) => {
                let a = self.random.below(count);
                // Another than the first.
                let b = (a + 1 + self.random.below(count - 1)) % count;
                let (a, b) = (self.ready[a], self.ready[b]);
                let fewer = self.replicas[b].outstanding() < self.replicas[a].outstanding();
                Some(if fewer { b } else { a })
            }
        }
    }

    /// A request enters service now.
    #[inline]
    pub(super) fn enter(&mut self, i: usize, mut job: Job) {
        job.wait_s = self.now_s - job.arrived_s;
        let n = self.replicas[i].in_service() + 1;
        for (drawn, seconds) in job.drawn_s.iter_mut().enumerate() {
            if let Some(spread) = self.server.spread(drawn, n) {
                *seconds = spread.at(self.random.share());
                if DRAWN[drawn] == Metric::Ttft {
                    *seconds += job.wait_s;
                }
            }
        }
        self.replicas[i].epoch = self.replicas[i].epoch.wrapping_add(1);
        self.replicas[i].enter(job, self.now_s, self.server);
        self.renew(i);
    }

    fn depart(&mut self, i: usize) {
        let Some(job) = self.replicas[i].leave(self.now_s, self.server) else {
            return;
        };
        self.in_system -= 1;
        if job.arrived_s >= self.measure_from_s && self.arrived >= self.warm_up {
            self.counts.count(&job, self.now_s);
            if self.counts.batch.requests == self.batch_of {
                self.counts.end_batch(self.now_s);
            }
        }
        if let Some(waiting) = self.replicas[i].waiting.pop_front() {
            self.enter(i, waiting);
        } else if self.replicas[i].state == State::Ready
            && let Some(waiting) = self.queue.pop_front()
        {
            self.enter(i, waiting);
        } else {
            self.renew(i);
        }
        if self.replicas[i].outstanding() == 0 {
            self.emptied(i);
        }
        if self.clients.is_some() {
            let work = self.source.work();
            self.arrive(work);
        }
    }

    /// Brings a replica's keys up to date.
    #[inline]
    pub(super) fn renew(&mut self, i: usize) {
        let replica = &self.replicas[i];
        self.departures
            .set(i, replica.next_departure_s(self.server));
        let load = match replica.state {
            State::Ready => replica.outstanding() as f64,
            _ => f64::INFINITY,
        };
        self.loads.set(i, load);
    }

    fn note_queue(&mut self, waiting: usize) {
        self.counts.longest_queue = self.counts.longest_queue.max(waiting as u64);
    }

    /// Adds up the seconds that replicas were ready, before their number changes.
    pub(super) fn note_ready(&mut self) {
        let passed_s = self.now_s - self.ready_since_s;
        self.counts.ready_s += passed_s * self.ready.len() as f64;
        self.ready_since_s = self.now_s;
    }

    pub(super) fn note_most_ready(&mut self) {
        self.counts.most_ready = self.counts.most_ready.max(self.ready.len() as u32);
    }

    pub(super) fn note_start(&mut self) {
        self.counts.starts += 1;
    }

    /// A replica goes now.
    pub(super) fn end_stay(&mut self, i: usize) {
        let stay_s = self.now_s - self.replicas[i].asked_s;
        self.replicas[i].state = State::Off;
        self.counts.up_s += stay_s;
        self.counts.stays_s.push(stay_s);
    }
}
