//! How requests come.

/// An arrival process.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Random: gaps exponential.
    Poisson {
        /// Requests a second.
        rate_per_s: f64,
    },
    /// Independent gamma gaps of another coefficient of variation than the exponential's 1.
    Gamma {
        /// Requests a second.
        rate_per_s: f64,
        /// Standard deviation of the gaps over their mean.
        cv: f64,
    },
    /// Calm and bursts in turn, each of exponential length, random arrivals within: a
    /// Markov-modulated Poisson process of two states.
    Bursts {
        /// Requests a second on the whole.
        rate_per_s: f64,
        /// The rate within a burst over that.
        peak_to_mean: f64,
        /// The share of time within bursts; times the peak at most 1.
        share: f64,
        /// The mean length of a burst, seconds.
        burst_s: f64,
    },
    /// Random arrivals at one rate after another.
    Stages(Vec<Stage>),
    /// Random arrivals whose rate swings as a sine, from its low and back.
    Swing {
        /// The least rate, requests a second.
        low_per_s: f64,
        /// The greatest.
        high_per_s: f64,
        /// From low to low, seconds.
        period_s: f64,
        /// How long it goes on, seconds.
        duration_s: f64,
    },
    /// As they came, brought to a rate.
    Trace {
        /// What came.
        trace: Trace,
        /// Requests a second on the whole: each request is copied so often, the copies at random
        /// within its second, so that lulls and rushes keep their proportion.
        rate_per_s: f64,
    },
    /// So many clients, each with its next request as soon as the last is answered.
    Closed {
        /// Clients.
        clients: u32,
    },
}

/// A time at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Requests a second.
    pub rate_per_s: f64,
    /// How long, seconds.
    pub seconds: f64,
}

/// Requests as they came.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Seconds after the first, and work relative to the mean; by time.
    pub(super) requests: Vec<(f64, f64)>,
}

impl Trace {
    /// Of times in seconds, in any order, with the work of each in any unit; `None` for fewer than
    /// two requests, or all at one time, which have no rate.
    #[must_use]
    pub fn new(mut requests: Vec<(f64, f64)>) -> Option<Self> {
        requests.sort_by(|a, b| a.0.total_cmp(&b.0));
        let first = requests.first()?.0;
        let mean = requests.iter().map(|(_, work)| work).sum::<f64>() / requests.len() as f64;
        for (at_s, work) in &mut requests {
            *at_s -= first;
            *work /= mean;
        }
        let trace = Self { requests };
        (trace.span_s() > 0.0 && mean > 0.0 && mean.is_finite()).then_some(trace)
    }

    /// From the first request to the last, seconds.
    #[must_use]
    pub fn span_s(&self) -> f64 {
        self.requests.last().map_or(0.0, |(at_s, _)| *at_s)
    }

    /// Requests a second.
    #[must_use]
    pub fn rate_per_s(&self) -> f64 {
        self.requests.len() as f64 / self.span_s()
    }
}

impl Arrivals {
    /// Whether they go on for ever in the same way: then one long run tells, cut into batches.
    #[must_use]
    pub fn is_stationary(&self) -> bool {
        !matches!(
            self,
            Self::Stages(_) | Self::Swing { .. } | Self::Trace { .. }
        )
    }

    /// Requests a second on the whole; `None` for clients, whose rate is the server's.
    #[must_use]
    pub fn mean_rate_per_s(&self) -> Option<f64> {
        match self {
            Self::Poisson { rate_per_s }
            | Self::Gamma { rate_per_s, .. }
            | Self::Bursts { rate_per_s, .. }
            | Self::Trace { rate_per_s, .. } => Some(*rate_per_s),
            Self::Stages(stages) => {
                let seconds: f64 = stages.iter().map(|stage| stage.seconds).sum();
                let requests: f64 = stages.iter().map(|s| s.seconds * s.rate_per_s).sum();
                Some(requests / seconds)
            }
            Self::Swing {
                low_per_s,
                high_per_s,
                ..
            } => Some(f64::midpoint(*low_per_s, *high_per_s)),
            Self::Closed { .. } => None,
        }
    }

    /// The greatest rate that is known of, requests a second.
    #[must_use]
    pub fn peak_rate_per_s(&self) -> Option<f64> {
        match self {
            Self::Stages(stages) => Some(stages.iter().map(|s| s.rate_per_s).fold(0.0, f64::max)),
            Self::Swing { high_per_s, .. } => Some(*high_per_s),
            Self::Bursts {
                rate_per_s,
                peak_to_mean,
                ..
            } => Some(rate_per_s * peak_to_mean),
            _ => self.mean_rate_per_s(),
        }
    }
}
