//! How many replicas there are, and which one takes a request.

/// Which replica a request goes to, among those that are ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// One after the other: what a plain load balancer does.
    #[default]
    RoundRobin,
    /// The one with the fewest requests in it.
    LeastOutstanding,
    /// Any, at random: each then sees random arrivals of its own, as the exact split has it.
    Random,
    /// The emptier one of two at random.
    PowerOfTwo,
    /// Requests wait together, and go to a replica only when it has a place.
    SharedQueue,
}

impl Dispatch {
    /// Every rule, with its key.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::RoundRobin, "round-robin"),
        (Self::LeastOutstanding, "least-outstanding"),
        (Self::Random, "random"),
        (Self::PowerOfTwo, "power-of-two"),
        (Self::SharedQueue, "shared-queue"),
    ];

    /// Its key in documents and flags.
    #[must_use]
    pub fn key(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find_map(|(rule, key)| (rule == self).then_some(key))
            .unwrap_or_default()
    }
}

/// How many replicas there are, and when.
#[derive(Clone, Debug, PartialEq)]
pub enum Scaling {
    /// Always as many.
    Fixed(u32),
    /// As many as a rule asks for, which sees the load only once it is there.
    Auto(Autoscale),
    /// As many as a plan says, from each time on, asked for a lead before.
    Scheduled {
        /// Seconds and replicas, by time, the first at 0.
        steps: Vec<(f64, u32)>,
        /// From asking to ready, seconds.
        start_s: f64,
        /// How long before a step its replicas are asked for, seconds.
        lead_s: f64,
    },
    /// Containers that start when a request finds no place, and go when idle for a while.
    Serverless {
        /// Containers at most.
        most: u32,
        /// From asking to ready, seconds.
        cold_start_s: f64,
        /// A container without requests goes after so long.
        idle_timeout_s: f64,
    },
}

/// A rule that looks at the load at intervals, as Kubernetes' horizontal pod autoscaler does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autoscale {
    /// Replicas at least; so many are there at the start.
    pub least: u32,
    /// Replicas at most.
    pub most: u32,
    /// What it looks at.
    pub measure: Measure,
    /// The target, in the measure's unit.
    pub target: f64,
    /// How the figure and the target give a number.
    pub rule: Rule,
    /// Between two looks, seconds.
    pub interval_s: f64,
    /// More are asked for once more have been wanted for so long, seconds.
    pub up_after_s: f64,
    /// Fewer are kept once fewer have been wanted for so long without a break, seconds.
    pub down_after_s: f64,
    /// From asking to ready, seconds.
    pub start_s: f64,
}

/// What an autoscaler looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Requests in service or waiting.
    Outstanding,
    /// Arrivals a second since the last look.
    Rate,
}

/// How an autoscaler gets from a figure to a number of replicas.
///
/// A total has to be divided by the target once. An average over the replicas has to be multiplied
/// by them first; dividing it again asks for far too few (KEDA's `AverageValue` on a query that
/// already averages).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// ⌈total ÷ target⌉.
    Total,
    /// ⌈replicas × average ÷ target⌉: the same number by another way.
    Average,
    /// ⌈average ÷ target⌉: divided twice, a common mistake worth seeing.
    AverageDividedAgain,
}

impl Rule {
    /// Replicas wanted for a total over `replicas`.
    pub(super) fn wanted(self, total: f64, replicas: u32, target: f64) -> f64 {
        let count = f64::from(replicas.max(1));
        let wanted = match self {
            Self::Total => total / target,
            Self::Average => count * (total / count) / target,
            Self::AverageDividedAgain => total / count / target,
        };
        // A hair above a whole number is rounding.
        (wanted - 1e-9).ceil()
    }
}

impl Scaling {
    /// Replicas at most.
    #[must_use]
    pub fn most(&self) -> u32 {
        match self {
            Self::Fixed(count) => *count,
            Self::Auto(rule) => rule.most,
            Self::Scheduled { steps, .. } => steps.iter().map(|step| step.1).max().unwrap_or(1),
            Self::Serverless { most, .. } => *most,
        }
    }

    /// Replicas there at the start.
    pub(super) fn at_first(&self) -> u32 {
        match self {
            Self::Fixed(count) => *count,
            Self::Auto(rule) => rule.least,
            Self::Scheduled { steps, .. } => steps.first().map_or(1, |step| step.1),
            Self::Serverless { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_divided_once() {
        // 4 outstanding on 3 replicas at a target of 1 each: 4; divided again 1.333: 2.
        assert_eq!(Rule::Total.wanted(4.0, 3, 1.0), 4.0);
        assert_eq!(Rule::Average.wanted(4.0, 3, 1.0), 4.0);
        assert_eq!(Rule::AverageDividedAgain.wanted(4.0, 3, 1.0), 2.0);
        assert_eq!(Rule::Total.wanted(0.0, 3, 1.0), 0.0);
    }
}
