//! Our own fields, by the names that users map columns to.

use super::super::units;
use crate::report::{Metric, Point, Quantile, Report};

/// The completed requests a second: nothing works without it.
pub(in super::super) const RATE: &str = "requests_per_s";

/// The fields that are no latencies.
pub(super) const FIGURES: [&str; 10] = [
    "concurrency",
    "request_rate",
    "duration_s",
    "completed",
    "failed",
    RATE,
    "input_tokens_per_s",
    "output_tokens_per_s",
    "input_tokens",
    "output_tokens",
];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Field {
    Figure(&'static str),
    Latency(Metric, Quantile),
}

impl Field {
    /// A field by its name, and the unit of time at the end of a latency's: `ttft_p99_ms`.
    pub(in super::super) fn named(name: &str) -> Option<(Self, Option<&str>)> {
        if let Some(figure) = FIGURES.into_iter().find(|figure| *figure == name) {
            return Some((Self::Figure(figure), None));
        }
        let mut parts = name.splitn(3, '_');
        let (metric, quantile) = (parts.next()?, parts.next()?);
        let metric = Metric::ALL
            .into_iter()
            .find(|known| known.key() == metric)?;
        let quantile = Quantile::ALL
            .into_iter()
            .find(|known| known.key() == quantile)?;
        Some((Self::Latency(metric, quantile), parts.next()))
    }

    /// As [`Self::named`], with how many of the unit make a second, for cells without units.
    pub(super) fn with_unit(name: &str) -> Option<(Self, f64)> {
        match Self::named(name)? {
            (field @ Self::Figure(_), _) => Some((field, 1.0)),
            (field, unit) => Some((field, units::per_second(unit?)?)),
        }
    }

    /// Whether it counts requests, so that it is whole.
    pub(super) fn is_count(self) -> bool {
        matches!(self, Self::Figure("completed" | "failed"))
    }

    /// Puts a figure into a report of one point, latencies in seconds.
    pub(in super::super) fn set(self, report: &mut Report, point: &mut Point, figure: f64) {
        match self {
            Self::Figure("concurrency") => point.concurrency = Some(figure),
            Self::Figure("request_rate") => point.request_rate = Some(figure),
            Self::Figure("duration_s") => point.duration_s = Some(figure),
            Self::Figure("completed") => point.completed = Some(figure as u64),
            Self::Figure("failed") => point.failed = Some(figure as u64),
            Self::Figure("input_tokens_per_s") => point.input_tokens_per_s = Some(figure),
            Self::Figure("output_tokens_per_s") => point.output_tokens_per_s = Some(figure),
            Self::Figure("input_tokens") => report.workload.input_tokens = Some(figure),
            Self::Figure("output_tokens") => report.workload.output_tokens = Some(figure),
            Self::Figure(_) => point.requests_per_s = figure,
            Self::Latency(metric, quantile) => {
                let quantiles = match metric {
                    Metric::Ttft => &mut point.ttft_s,
                    Metric::Tpot => &mut point.tpot_s,
                    Metric::Itl => &mut point.itl_s,
                    Metric::E2e => &mut point.latency_s,
                };
                quantiles.set(quantile, Some(figure));
            }
        }
    }
}
