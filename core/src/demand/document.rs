//! `inferplan.demand/1`: what a trace of requests says about the demand.

use serde::{Deserialize, Serialize};

use crate::{
    document::{Document, SchemaTag},
    text::Notice,
};

/// Demand as measured. Figures that the trace cannot give are null, with a warning that says why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// `inferplan.demand/1`.
    pub schema: SchemaTag,
    /// Requests counted.
    pub requests: u64,
    /// The first request, RFC 3339 in UTC.
    pub from: String,
    /// The last request.
    pub to: String,
    /// Seconds from the first to the last.
    pub span_s: f64,
    /// Seconds of the span that were watched: fewer where monitoring has gaps.
    pub observed_s: f64,
    /// Requests a second over the seconds watched.
    pub mean_requests_per_s: f64,
    /// 168 weights from Monday 00:00 UTC, of mean 1 over the hours that were seen; null for others.
    #[cfg_attr(feature = "schema", schemars(length(min = 168, max = 168)))]
    pub hourly: Vec<Option<f64>>,
    /// The busiest window over the mean one, by the window's width.
    pub peak_to_mean: Peaks,
    /// Standard deviation over mean of the gaps between requests; 1 for random arrivals.
    pub gap_cv: Option<f64>,
    /// Variance over mean of the requests of each minute; 1 for random arrivals.
    pub dispersion_1min: Option<f64>,
    /// Input tokens a request.
    pub input_tokens: Option<Tokens>,
    /// Output tokens a request.
    pub output_tokens: Option<Tokens>,
    /// What to know before using the figures.
    pub warnings: Vec<Notice>,
}

impl Document for Demand {
    const SCHEMA: &'static str = "inferplan.demand/1";
}

/// The busiest window over the mean one. Windows begin with the first request, and only whole ones
/// count; null where there are fewer than two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Peaks {
    /// Windows of one second.
    #[serde(rename = "1s")]
    pub second: Option<f64>,
    /// Of ten seconds.
    #[serde(rename = "10s")]
    pub ten_seconds: Option<f64>,
    /// Of a minute.
    #[serde(rename = "60s")]
    pub minute: Option<f64>,
    /// Of five minutes.
    #[serde(rename = "300s")]
    pub five_minutes: Option<f64>,
    /// Of an hour.
    #[serde(rename = "3600s")]
    pub hour: Option<f64>,
}

/// Tokens a request, over the requests whose length is known. Quantiles are nearest ranks; null
/// where only the mean is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tokens {
    /// The mean.
    pub mean: f64,
    /// Half of the requests have at most this many.
    pub p50: Option<f64>,
    /// 90% have.
    pub p90: Option<f64>,
    /// 95% have.
    pub p95: Option<f64>,
    /// 99% have.
    pub p99: Option<f64>,
    /// The longest.
    pub max: Option<f64>,
}
