//! One counter of all servers, turned into growth of each step.

use std::collections::BTreeMap;

/// A counter of any number of servers, taken in chunk by chunk in the order of time.
#[derive(Clone, Debug)]
pub struct Counter {
    growth: Vec<Step>,
    /// The last figure of each series: its step, and what it showed.
    last: BTreeMap<String, (usize, f64)>,
    unplaced: f64,
    restarts: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Step {
    sum: f64,
    seen: bool,
    /// A server that was there before and after has no figure.
    hole: bool,
}

impl Counter {
    pub(super) fn new(steps: usize) -> Self {
        Self {
            growth: vec![Step::default(); steps],
            last: BTreeMap::new(),
            unplaced: 0.0,
            restarts: 0,
        }
    }

    /// What a series shows at a moment: 0 is the start of the first step, `n` the end of the nth.
    /// Moments of one series come in order.
    pub fn take(&mut self, series: &str, moment: usize, value: f64) {
        if !value.is_finite() || moment > self.growth.len() {
            return;
        }
        let Some(last) = self.last.get_mut(series) else {
            // What it counted before it was first seen is of no known time.
            self.last.insert(series.to_owned(), (moment, value));
            return;
        };
        let (before, shown) = std::mem::replace(last, (moment, value));
        if moment <= before {
            return;
        }
        let grown = if value < shown {
            self.restarts += 1;
            value
        } else {
            value - shown
        };
        if moment == before + 1 {
            let step = &mut self.growth[before];
            step.sum += grown;
            step.seen = true;
        } else {
            self.unplaced += grown;
            for step in &mut self.growth[before..moment] {
                step.hole = true;
            }
        }
    }

    /// The growth of each step; `None` where it is not known.
    #[must_use]
    pub fn known(&self) -> Vec<Option<f64>> {
        let known = |step: &Step| (step.seen && !step.hole).then_some(step.sum);
        self.growth.iter().map(known).collect()
    }

    /// The growth over stretches in which a server has no figures.
    #[must_use]
    pub fn unplaced(&self) -> f64 {
        let within = |step: &&Step| step.seen && step.hole;
        let others: f64 = self.growth.iter().filter(within).map(|step| step.sum).sum();
        self.unplaced + others
    }

    /// How often a series fell.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Series seen.
    #[must_use]
    pub fn series(&self) -> usize {
        self.last.len()
    }
}
