//! Replicas that start and stop.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    engine::Engine,
    fleet::{Autoscale, Measure, Scaling},
    replica::State,
};

/// A change to come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// The autoscaler looks.
    Look,
    /// The schedule's step.
    Step(usize),
    /// A replica is ready, if it is still the start that was asked for.
    Ready(usize, u32),
    /// An idle container goes, if no request came in between.
    Idle(usize, u32),
}

/// A time as an ordered key: those of a simulation are never negative.
type At = Reverse<(u64, Change)>;

/// What changes the fleet, and when.
pub(super) struct Control {
    scaling: Scaling,
    changes: BinaryHeap<At>,
    next_s: f64,
    more_since_s: Option<f64>,
    fewer_since_s: Option<f64>,
    arrived_at_look: u64,
}

impl Control {
    pub(super) fn new(scaling: &Scaling) -> Self {
        Self {
            scaling: scaling.clone(),
            changes: BinaryHeap::new(),
            next_s: f64::INFINITY,
            more_since_s: None,
            fewer_since_s: None,
            arrived_at_look: 0,
        }
    }

    #[inline]
    pub(super) fn next_s(&self) -> f64 {
        self.next_s
    }

    #[inline]
    pub(super) fn is_serverless(&self) -> bool {
        matches!(self.scaling, Scaling::Serverless { .. })
    }

    fn add(&mut self, at_s: f64, change: Change) {
        // The bits of floats of 0 and above are in the floats' own order.
        self.changes
            .push(Reverse((at_s.max(0.0).to_bits(), change)));
        self.set_next();
    }

    fn take(&mut self) -> Option<Change> {
        let Reverse((_, change)) = self.changes.pop()?;
        self.set_next();
        Some(change)
    }

    fn set_next(&mut self) {
        self.next_s = self
            .changes
            .peek()
            .map_or(f64::INFINITY, |Reverse((bits, _))| f64::from_bits(*bits));
    }
}

impl Engine<'_, '_> {
    /// The fleet at the start.
    pub(super) fn begin(&mut self) {
        for i in 0..self.control.scaling.at_first() as usize {
            self.make_ready(i);
        }
        match &self.control.scaling {
            Scaling::Auto(rule) => {
                let interval_s = rule.interval_s;
                self.control.add(interval_s, Change::Look);
            }
            Scaling::Scheduled { steps, lead_s, .. } => {
                let at: Vec<f64> = steps
                    .windows(2)
                    .map(|pair| {
                        // More are asked for in time; those too many are kept to the end.
                        let lead_s = if pair[1].1 > pair[0].1 { *lead_s } else { 0.0 };
                        pair[1].0 - lead_s
                    })
                    .collect();
                for (i, at_s) in at.into_iter().enumerate() {
                    self.control.add(at_s, Change::Step(i + 1));
                }
            }
            Scaling::Fixed(_) | Scaling::Serverless { .. } => {}
        }
    }

    /// The next change comes about.
    pub(super) fn change(&mut self) {
        match self.control.take() {
            Some(Change::Look) => {
                if let Scaling::Auto(rule) = self.control.scaling {
                    self.look(&rule);
                    self.control.add(self.now_s + rule.interval_s, Change::Look);
                }
            }
            Some(Change::Step(step)) => self.step(step),
            Some(Change::Ready(i, epoch)) => {
                let replica = &self.replicas[i];
                if replica.state == State::Starting && replica.epoch == epoch {
                    self.make_ready(i);
                }
            }
            Some(Change::Idle(i, epoch)) => {
                let replica = &self.replicas[i];
                if replica.state == State::Ready && replica.epoch == epoch {
                    self.retire(i);
                }
            }
            None => {}
        }
    }

    /// A request waits for any replica.
    pub(super) fn queued(&mut self) {
        if let Scaling::Serverless {
            most, cold_start_s, ..
        } = self.control.scaling
        {
            let starting = self.starting();
            let to_come = starting * self.server.limit();
            let up = starting + self.ready.len();
            if self.queue.len() > to_come && up < most as usize {
                self.ask(cold_start_s);
            }
        }
    }

    /// A replica's last request has left.
    pub(super) fn emptied(&mut self, i: usize) {
        match (self.replicas[i].state, &self.control.scaling) {
            (State::Draining, _) => self.end_stay(i),
            (State::Ready, Scaling::Serverless { idle_timeout_s, .. }) => {
                let at_s = self.now_s + idle_timeout_s;
                self.control
                    .add(at_s, Change::Idle(i, self.replicas[i].epoch));
            }
            _ => {}
        }
    }

    fn starting(&self) -> usize {
        let is_starting = |state| state == State::Starting;
        self.replicas
            .iter()
            .filter(|r| is_starting(r.state))
            .count()
    }

    /// Asks for a replica; where all places drain still, the next look asks again.
    fn ask(&mut self, start_s: f64) {
        let Some(i) = self.replicas.iter().position(|r| r.state == State::Off) else {
            return;
        };
        self.note_start();
        let replica = &mut self.replicas[i];
        replica.state = State::Starting;
        replica.asked_s = self.now_s;
        replica.epoch = replica.epoch.wrapping_add(1);
        let epoch = replica.epoch;
        self.control
            .add(self.now_s + start_s, Change::Ready(i, epoch));
    }

    fn make_ready(&mut self, i: usize) {
        self.note_ready();
        if self.replicas[i].state == State::Off {
            self.replicas[i].asked_s = self.now_s;
        }
        self.replicas[i].state = State::Ready;
        self.ready.push(i);
        self.note_most_ready();
        self.renew(i);
        while self.replicas[i].in_service() < self.server.limit() {
            let Some(job) = self.queue.pop_front() else {
                break;
            };
            self.enter(i, job);
        }
        if self.replicas[i].outstanding() == 0 && self.now_s > 0.0 {
            self.emptied(i);
        }
    }

    /// Takes a replica out: it finishes what it has.
    fn retire(&mut self, i: usize) {
        self.note_ready();
        self.ready.retain(|ready| *ready != i);
        self.replicas[i].state = State::Draining;
        self.renew(i);
        if self.replicas[i].outstanding() == 0 {
            self.end_stay(i);
        }
    }

    fn step(&mut self, step: usize) {
        let Scaling::Scheduled { steps, start_s, .. } = &self.control.scaling else {
            return;
        };
        // With none at all, what still waits would wait for ever.
        let (count, start_s) = (steps[step].1.max(1), *start_s);
        self.bring_to(count as usize, start_s);
    }

    fn bring_to(&mut self, count: usize, start_s: f64) {
        let mut up = self.ready.len() + self.starting();
        while up < count {
            self.ask(start_s);
            up += 1;
        }
        while up > count {
            // Those not yet ready go first; then the emptiest.
            let starting = |r: &super::replica::Replica| r.state == State::Starting;
            if let Some(i) = self.replicas.iter().position(starting) {
                self.end_stay(i);
            } else {
                let emptiest = self.ready.iter().copied();
                let Some(i) = emptiest.min_by_key(|i| self.replicas[*i].outstanding()) else {
                    return;
                };
                self.retire(i);
            }
            up -= 1;
        }
    }

    fn look(&mut self, rule: &Autoscale) {
        let total = match rule.measure {
            Measure::Outstanding => self.in_system as f64,
            Measure::Rate => (self.arrived - self.control.arrived_at_look) as f64 / rule.interval_s,
        };
        self.control.arrived_at_look = self.arrived;
        let up = (self.ready.len() + self.starting()) as u32;
        // What waits needs somebody, whatever the rule says.
        let floor = rule.least.max(u32::from(self.in_system > 0));
        let wanted = rule
            .rule
            .wanted(total, self.ready.len() as u32, rule.target);
        let wanted = wanted.clamp(0.0, f64::from(u32::MAX)) as u32;
        let wanted = wanted.clamp(floor, rule.most.max(floor));
        let now_s = self.now_s;
        // A single look to the contrary starts the wait anew.
        if wanted > up {
            self.control.fewer_since_s = None;
            let since_s = *self.control.more_since_s.get_or_insert(now_s);
            if now_s - since_s >= rule.up_after_s {
                self.control.more_since_s = None;
                self.bring_to(wanted as usize, rule.start_s);
            }
        } else if wanted < up {
            self.control.more_since_s = None;
            let since_s = *self.control.fewer_since_s.get_or_insert(now_s);
            if now_s - since_s >= rule.down_after_s {
                self.control.fewer_since_s = None;
                self.bring_to(wanted as usize, rule.start_s);
            }
        } else {
            self.control.more_since_s = None;
            self.control.fewer_since_s = None;
        }
    }
}
