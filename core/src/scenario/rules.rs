//! What is used beside the accelerators, how many replicas run, and what an option must keep to.

use serde::{Deserialize, Serialize};

use crate::{accelerator::Accelerator, price::Residency};

/// What is used beside the accelerators, and billed apart by some providers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Beside {
    /// Physical cores of each instance; null for the least that is billed.
    pub cpu_cores: Option<f64>,
    /// GiB of memory of each instance; null for the least that is billed.
    pub memory_gib: Option<f64>,
    /// GB stored all month.
    pub storage_gb: f64,
    /// GB sent out in the month.
    pub egress_gb: f64,
}

impl Beside {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How many replicas run, beyond what the load needs, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct FleetRule {
    /// Replicas beyond those that the load needs: 1 for N + 1.
    pub spares: u32,
    /// Replicas at least, whatever the load.
    pub least: u32,
    /// Rents by the hour what each hour needs, instead of what the busiest hour needs all month.
    /// Commitments and prices by the month are paid all the same.
    pub scheduled: bool,
    /// From asking for a replica to its being ready: it is paid for that much longer, seconds.
    pub start_up_s: f64,
}

impl FleetRule {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A factor on what was measured: an estimate, with where it is from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WhatIf {
    /// Throughput times this, and latencies divided by it: 0.85, 1.8.
    pub throughput: f64,
    /// The accelerator that has it, such as `Ascend 910B`; null for the measured one itself.
    #[serde(default)]
    pub accelerator: Option<Accelerator>,
    /// Who says so.
    pub source: String,
}

/// What an option must keep to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Constraints {
    /// Where the data must be processed; null for anywhere.
    pub residency: Option<Residency>,
    /// Whether capacity may be taken back at any time.
    pub spot: bool,
    /// The longest commitment, months.
    pub commitment_months: u32,
}

impl Default for Constraints {
    fn default() -> Self {
        Self {
            residency: None,
            spot: false,
            commitment_months: 1,
        }
    }
}

impl Constraints {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
