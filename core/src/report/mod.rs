//! The canonical benchmark report, `inferplan.report/1`: what any tool's file becomes.
//!
//! What a tool's file does not say is null, never a guess. A user may state it; the field's path
//! then stands in [`Report::stated`], so that a statement is never taken for a measurement.

mod check;
pub mod curve;
pub mod llm_d;
mod merge;
pub mod quantile;
pub mod samples;
pub mod standard;

use serde::{Deserialize, Serialize};

use crate::{
    Date,
    accelerator::Accelerator,
    day,
    document::{self, Document, SchemaTag},
    problem::{Problem, Problems},
    text::Notice,
};

pub use merge::{difference, merge};
pub use quantile::{Metric, Quantile, Quantiles, Slo, Target};
pub use samples::Interval;

/// A benchmark report: one system, one model, one workload, measured at one or more loads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// `inferplan.report/1`.
    pub schema: SchemaTag,
    /// A short name, unique among the reports of a scenario.
    pub id: String,
    /// The day it was measured.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub measured_on: Option<Date>,
    /// Where the figures come from, and under which licence, where they are somebody else's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<String>,
    /// The load tool.
    pub tool: Software,
    /// What served the model.
    pub system: System,
    /// The model served.
    pub model: Model,
    /// What was asked of it.
    pub workload: Workload,
    /// What lay between the client and the server.
    #[serde(default)]
    pub network: Network,
    /// The measured loads, lightest first.
    pub points: Vec<Point>,
    /// Paths of the fields that the user stated, because the tool's file does not hold them.
    #[serde(default)]
    pub stated: Vec<String>,
    /// What the importer found wrong without refusing the file.
    #[serde(default)]
    pub warnings: Vec<Notice>,
}

/// A program and its version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Software {
    /// Its name.
    pub name: String,
    /// Its version, as it states it.
    #[serde(default)]
    pub version: Option<String>,
}

/// What served the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct System {
    /// The accelerator.
    pub accelerator: Option<Accelerator>,
    /// Accelerators of one replica: tensor × pipeline × … parallelism.
    pub accelerators: Option<u32>,
    /// The serving engine.
    pub engine: Option<Software>,
    /// CUDA's version.
    pub cuda: Option<String>,
    /// cuDNN's version.
    pub cudnn: Option<String>,
    /// The accelerator driver's version.
    pub driver: Option<String>,
    /// The framework and its version.
    pub framework: Option<String>,
    /// The host's processor.
    pub cpu: Option<String>,
    /// The host's memory, GiB.
    pub memory_gib: Option<f64>,
    /// The container image.
    pub container_image: Option<String>,
}

/// The model served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Model {
    /// Its name, as the engine was given it.
    pub name: Option<String>,
    /// Its revision.
    pub revision: Option<String>,
    /// The weights' precision: `bf16`, `fp8`, `int8`, …
    pub precision: Option<String>,
}

/// How requests arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// A fixed number in flight: the next is sent when one returns.
    Closed,
    /// At a rate, whatever is in flight.
    Open,
    /// All at once, without a limit.
    Burst,
}

/// What was asked of the system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Workload {
    /// Mean input tokens a request.
    pub input_tokens: Option<f64>,
    /// Mean output tokens a request.
    pub output_tokens: Option<f64>,
    /// How requests arrived.
    pub arrivals: Option<Arrivals>,
    /// Requests sent before measuring began.
    pub warmup_requests: Option<u64>,
    /// The data set.
    pub dataset: Option<String>,
}

/// What lay between the client and the server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Where the client stood.
    pub client_region: Option<String>,
    /// Where the server stood.
    pub server_region: Option<String>,
    /// The round trip between them that the latencies contain, seconds.
    pub rtt_s: Option<f64>,
    /// A content-delivery network in between.
    pub cdn: Option<String>,
}

/// One measured load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Requests kept in flight (closed loop), or the cap on them.
    #[serde(default)]
    pub concurrency: Option<f64>,
    /// The offered rate (open loop), requests per second.
    #[serde(default)]
    pub request_rate: Option<f64>,
    /// How long the measurement took, seconds.
    #[serde(default)]
    pub duration_s: Option<f64>,
    /// Requests that succeeded.
    #[serde(default)]
    pub completed: Option<u64>,
    /// Requests that failed; null where the tool does not say.
    #[serde(default)]
    pub failed: Option<u64>,
    /// Completed requests per second.
    pub requests_per_s: f64,
    /// Input tokens per second, of the whole replica.
    #[serde(default)]
    pub input_tokens_per_s: Option<f64>,
    /// Output tokens per second, of the whole replica.
    #[serde(default)]
    pub output_tokens_per_s: Option<f64>,
    /// End-to-end latency, seconds.
    #[serde(default)]
    pub latency_s: Quantiles,
    /// Time to first token, seconds.
    #[serde(default)]
    pub ttft_s: Quantiles,
    /// Time per output token after the first, seconds.
    #[serde(default)]
    pub tpot_s: Quantiles,
    /// Inter-token latency, seconds.
    #[serde(default)]
    pub itl_s: Quantiles,
    /// Intervals of percentiles, where they were worked out from per-request figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Interval>,
}

impl Point {
    /// The quantiles of one metric.
    #[must_use]
    pub fn quantiles(&self, metric: Metric) -> &Quantiles {
        match metric {
            Metric::Ttft => &self.ttft_s,
            Metric::Tpot => &self.tpot_s,
            Metric::Itl => &self.itl_s,
            Metric::E2e => &self.latency_s,
        }
    }

    /// The share of requests that failed; `None` where the tool does not say.
    #[must_use]
    pub fn failure_share(&self) -> Option<f64> {
        let (completed, failed) = (self.completed?, self.failed?);
        let all = completed + failed;
        (all > 0).then(|| failed as f64 / all as f64)
    }
}

impl Document for Report {
    const SCHEMA: &'static str = "inferplan.report/1";
}

impl Report {
    /// Whether it measured a model, whoever's name stands before it: `Qwen/Qwen3-8B` is `qwen3-8b`.
    #[must_use]
    pub fn is_of(&self, model: &str) -> bool {
        let short = |name: &str| name.rsplit('/').next().unwrap_or(name).to_lowercase();
        let measured = self.model.name.as_deref();
        measured.is_some_and(|measured| short(measured) == short(model))
    }

    /// Reads and checks a canonical report.
    ///
    /// # Errors
    /// Text that is not such a document, or figures out of their bounds.
    pub fn read(json: &str, file: &str) -> Result<Self, Problems> {
        let report: Self = document::read(json, file)?;
        report.check().map_err(|problems| problems.in_file(file))?;
        Ok(report)
    }

    /// The accelerator, where it is known.
    ///
    /// # Errors
    /// Says how to state it.
    pub fn accelerator(&self) -> Result<(&Accelerator, u32), Problem> {
        match (&self.system.accelerator, self.system.accelerators) {
            (Some(accelerator), Some(count)) => Ok((accelerator, count)),
            (accelerator, _) => {
                let (path, flag) = if accelerator.is_none() {
                    ("system.accelerator", "--accelerator \"H100 80GB SXM\"")
                } else {
                    ("system.accelerators", "--accelerators 1")
                };
                Err(Problem::new(
                    "the report does not say on what it was measured",
                    "报告未说明在什么加速卡上测得",
                )
                .at(path)
                .remedy(format!("state it: {flag}"), format!("请注明：{flag}")))
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
