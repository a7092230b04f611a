//! Whether a model fits an accelerator's memory, and on how many.
//!
//! A replica of t accelerators (tensor parallelism t) has to hold, on each of them:
//!
//! ```text
//! weights ÷ t + overhead + KV cache ≤ memory × utilisation
//! weights  = parameters × bytes of the precision, and what stays in 16 bits
//! KV cache = concurrency × Σ over layers of 2 × KV heads × head size × bytes × tokens kept
//! ```
//!
//! KV heads are split over the accelerators and repeated where there are fewer of them than
//! accelerators; a latent (multi-head latent attention) is repeated on each. A layer with a sliding
//! window keeps no more tokens than the window.

pub mod catalogue;
mod notices;
pub mod precision;
mod sizes;

use serde::{Deserialize, Serialize};

use crate::{
    accelerator::{GIB, MemorySource},
    document::{Document, SchemaTag},
    text::{Bilingual, Notice},
};
pub use catalogue::Model;
pub use notices::{Impossible, impossible};
pub use precision::Precision;
pub use sizes::KvCache;

/// The share of a device's memory that an engine takes: vLLM's `gpu_memory_utilization`.
pub const MEMORY_UTILIZATION: f64 = 0.9;

/// What an accelerator holds besides weights and cache, GiB.
pub const OVERHEAD_GIB: f64 = 3.05;

/// Where [`OVERHEAD_GIB`] comes from.
pub const OVERHEAD_SOURCE: &str = "vLLM's memory profile of Llama 3 8B on an 80 GB card: 1.26 GiB of activations and 1.79 GiB outside PyTorch (github.com/vllm-project/vllm/pull/10511); other logs say from 1.6 GiB";

/// Where [`MEMORY_UTILIZATION`] comes from.
pub const UTILIZATION_SOURCE: &str = "vLLM's default gpu_memory_utilization";

/// Accelerators of one server, as most are sold.
const SERVER: u32 = 8;

/// The most accelerators asked about where the attention heads are not known.
const MOST_WITHOUT_HEADS: u32 = 64;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The model.
    pub model: &'a Model,
    /// The weights' format.
    pub precision: Precision,
    /// The cache's format.
    pub kv_precision: Precision,
    /// The accelerator's name, for the answer.
    pub accelerator: String,
    /// Memory of one accelerator, bytes.
    pub memory_bytes: f64,
    /// Where that comes from; `None` where it was stated.
    pub memory_source: Option<MemorySource>,
    /// The share of it that an engine takes, above 0 and at most 1.
    pub utilization: f64,
    /// Bytes of each accelerator that are neither weights nor cache; `None` takes
    /// [`OVERHEAD_GIB`].
    pub overhead_bytes: Option<f64>,
    /// Tokens of one request, input and output; `None` asks for the weights alone.
    pub context: Option<u64>,
    /// Requests in service together.
    pub concurrency: u64,
}

/// The answer, `inferplan.fit/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// `inferplan.fit/1`.
    pub schema: SchemaTag,
    /// The model, by the catalogue's name.
    pub model: String,
    /// The weights' format.
    pub precision: Precision,
    /// The cache's format.
    pub kv_precision: Precision,
    /// The accelerator.
    pub accelerator: String,
    /// Memory of one accelerator, GiB.
    pub memory_gib: f64,
    /// Whether it fits some number of accelerators.
    pub fits: bool,
    /// The fewest accelerators that hold it; null where none of the counts does.
    pub accelerators: Option<u32>,
    /// Tokens of one request, as asked.
    pub context: Option<u64>,
    /// Requests in service together, as asked.
    pub concurrency: u64,
    /// Parameters × bytes of the precision.
    pub weights_bytes: f64,
    /// What it adds that a quantised checkpoint keeps some parameters in 16 bits.
    pub kept_16_bit_bytes: f64,
    /// Bytes of cache that a further token takes while no window is full, without repeats.
    pub kv_bytes_per_token: f64,
    /// The cache asked for, on all accelerators with repeats; null without a context.
    pub kv_bytes: Option<f64>,
    /// What all accelerators hold besides weights and cache.
    pub overhead_bytes: f64,
    /// Tokens of cache that there is room for beside the weights, windows not counted.
    pub kv_tokens_free: Option<u64>,
    /// The most requests of the asked context together; null without one.
    pub max_concurrency_at_context: Option<u64>,
    /// Every count that was tried, fewest first.
    pub tried: Vec<Tried>,
    /// How each size comes about.
    pub lines: Vec<Line>,
    /// What to know about it.
    pub warnings: Vec<Notice>,
    /// Why it does not fit, where it does not.
    pub reasons: Vec<Notice>,
}

impl Document for Fit {
    const SCHEMA: &'static str = "inferplan.fit/1";
}

/// One number of accelerators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// Accelerators: the degree of tensor parallelism.
    pub accelerators: u32,
    /// Whether weights, overhead and the asked cache fit each of them.
    pub fits: bool,
    /// Weights on each, bytes.
    pub weights_bytes_each: f64,
    /// What is left for the cache on each, bytes; below 0 where the weights do not fit.
    pub kv_room_bytes_each: f64,
    /// Tokens of cache that there is room for, windows not counted.
    pub kv_tokens: u64,
    /// The most requests of the asked context together; null without one.
    pub max_concurrency: Option<u64>,
}

/// How one size comes about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// What it is, for programs: `weights`.
    pub key: String,
    /// What it is.
    pub name: Bilingual,
    /// In the names of the inputs.
    pub formula: String,
    /// The formula's inputs.
    pub inputs: Vec<Input>,
    /// Bytes.
    pub bytes: f64,
    /// Where the inputs come from.
    pub source: String,
}

/// An input of a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its name in the formula.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// Weights in all, bytes: every parameter in `precision` but those kept in 16 bits.
///
/// The first part is parameters × bytes of the precision, the second what the kept ones add.
#[must_use]
pub fn weights_bytes(model: &Model, precision: Precision) -> (f64, f64) {
    let each = precision.weight_bytes();
    let kept = if precision.is_quantised() {
        model.kept_16_bit * (2.0 - each)
    } else {
        0.0
    };
    (model.parameters * each, kept)
}

/// Finds the fewest accelerators that hold what is asked.
#[must_use]
pub fn answer(asked: &Question) -> Fit {
    let model = asked.model;
    let (weights, kept) = weights_bytes(model, asked.precision);
    let overhead = asked.overhead_bytes.unwrap_or(OVERHEAD_GIB * GIB);
    let usable = asked.memory_bytes * asked.utilization - overhead;
    let cache = KvCache::of(model, asked.kv_precision);
    let tried: Vec<Tried> = counts(model)
        .map(|accelerators| {
            let each = (weights + kept) / f64::from(accelerators);
            let room = usable - each;
            let sequence = asked
                .context
                .map(|context| cache.sequence_bytes(accelerators, context));
            let tokens = whole(room / cache.token_bytes(accelerators));
            let most = sequence.map(|bytes| whole(room / bytes));
            Tried {
                accelerators,
                fits: tokens > 0 && most.is_none_or(|most| most >= asked.concurrency),
                weights_bytes_each: each,
                kv_room_bytes_each: room,
                kv_tokens: tokens,
                max_concurrency: most,
            }
        })
        .collect();
    let found = tried.iter().find(|tried| tried.fits);
    // Where nothing fits, sizes are those of the largest count.
    let shown = found.or(tried.last());
    let count = shown.map_or(1, |tried| tried.accelerators);
    let kv_bytes = asked.context.map(|context| {
        let each = cache.sequence_bytes(count, context) * asked.concurrency as f64;
        each * f64::from(count)
    });
    let mut fit = Fit {
        schema: SchemaTag::of::<Fit>(),
        model: model.name.clone(),
        precision: asked.precision,
        kv_precision: asked.kv_precision,
        accelerator: asked.accelerator.clone(),
        memory_gib: asked.memory_bytes / GIB,
        fits: found.is_some(),
        accelerators: found.map(|tried| tried.accelerators),
        context: asked.context,
        concurrency: asked.concurrency,
        weights_bytes: weights,
        kept_16_bit_bytes: kept,
        kv_bytes_per_token: cache.token_bytes(1),
        kv_bytes,
        overhead_bytes: overhead * f64::from(count),
        kv_tokens_free: found.map(|tried| tried.kv_tokens),
        max_concurrency_at_context: found.and_then(|tried| tried.max_concurrency),
        lines: sizes::lines(asked, count, kv_bytes),
        warnings: Vec::new(),
        reasons: Vec::new(),
        tried,
    };
    fit.warnings = notices::warnings(asked, &fit);
    if !fit.fits {
        fit.reasons.push(notices::does_not_fit(asked, &fit, usable));
    }
    fit
}

/// The degrees of tensor parallelism worth trying: powers of two that divide the attention heads.
fn counts(model: &Model) -> impl Iterator<Item = u32> {
    let heads = model.heads.unwrap_or(MOST_WITHOUT_HEADS);
    (0..u32::BITS)
        .map(|power| 1_u32 << power)
        .take_while(move |count| *count <= heads && heads.is_multiple_of(*count))
}

/// The whole part of a count, 0 where it is below.
fn whole(count: f64) -> u64 {
    // A cast saturates, and NaN is 0.
    count.floor() as u64
}

#[cfg(test)]
mod tests;
