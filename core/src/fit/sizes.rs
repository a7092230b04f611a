//! The sizes of cache and weights, and the lines that say how they come about.

use super::{
    Input, Line, Model, OVERHEAD_GIB, OVERHEAD_SOURCE, Precision, Question, weights_bytes,
};
use crate::{
    accelerator::{GIB, MemorySource},
    text::Bilingual,
};

/// What a model's KV cache takes.
#[derive(Clone, Copy, Debug)]
pub struct KvCache {
    full_layers: f64,
    windowed_layers: f64,
    window: u64,
    kv_heads: u32,
    head_dim: f64,
    latent_dim: Option<f64>,
    bytes: f64,
}

impl KvCache {
    /// The cache of a model in a format; one that no cache is kept in counts as 16 bits.
    #[must_use]
    pub fn of(model: &Model, precision: Precision) -> Self {
        Self {
            full_layers: f64::from(model.full_layers()),
            windowed_layers: f64::from(model.layers - model.full_layers()),
            window: model.window.unwrap_or(u64::MAX),
            kv_heads: model.kv_heads,
            head_dim: f64::from(model.head_dim),
            latent_dim: model.latent_dim.map(f64::from),
            bytes: precision.cache_bytes().unwrap_or(2.0),
        }
    }

    /// Bytes of one token in one layer on each of `accelerators`.
    fn layer_bytes(&self, accelerators: u32) -> f64 {
        match self.latent_dim {
            // One latent serves every head, so each accelerator has the whole of it.
            Some(latent) => latent * self.bytes,
            None => {
                let heads = self.kv_heads.div_ceil(accelerators.max(1));
                2.0 * f64::from(heads) * self.head_dim * self.bytes
            }
        }
    }

    /// Bytes of a further token on each of `accelerators`, while no window is full.
    #[must_use]
    pub fn token_bytes(&self, accelerators: u32) -> f64 {
        (self.full_layers + self.windowed_layers) * self.layer_bytes(accelerators)
    }

    /// Bytes of a request of so many tokens on each of `accelerators`.
    #[must_use]
    pub fn sequence_bytes(&self, accelerators: u32, tokens: u64) -> f64 {
        let kept = tokens.min(self.window) as f64;
        let layers = self.full_layers * tokens as f64 + self.windowed_layers * kept;
        layers * self.layer_bytes(accelerators)
    }
}

fn input(name: &str, value: f64) -> Input {
    Input {
        name: name.to_owned(),
        value,
    }
}

/// How each size comes about, of `count` accelerators together.
pub(super) fn lines(asked: &Question, count: u32, kv_bytes: Option<f64>) -> Vec<Line> {
    let model = asked.model;
    let source = model.source();
    let (weights, kept) = weights_bytes(model, asked.precision);
    let each = asked.precision.weight_bytes();
    let mut lines = vec![Line {
        key: "weights".to_owned(),
        name: Bilingual::new("weights", "权重"),
        formula: "parameters × bytes_per_parameter".to_owned(),
        inputs: vec![
            input("parameters", model.parameters),
            input("bytes_per_parameter", each),
        ],
        bytes: weights,
        source: format!("{source}; {}", asked.precision.source()),
    }];
    if kept > 0.0 {
        lines.push(Line {
            key: "kept-16-bit".to_owned(),
            name: Bilingual::new("kept in 16 bits", "保留为 16 位"),
            formula: "kept_parameters × (2 − bytes_per_parameter)".to_owned(),
            inputs: vec![
                input("kept_parameters", model.kept_16_bit),
                input("bytes_per_parameter", each),
            ],
            bytes: kept,
            source: format!(
                "{source}; quantised checkpoints leave the embedding and the output head as they are"
            ),
        });
    }
    lines.push(Line {
        key: "overhead".to_owned(),
        name: Bilingual::new("activations and the rest", "激活值及其他"),
        formula: "accelerators × overhead".to_owned(),
        inputs: vec![
            input("accelerators", f64::from(count)),
            input(
                "overhead",
                asked.overhead_bytes.unwrap_or(OVERHEAD_GIB * GIB),
            ),
        ],
        bytes: asked.overhead_bytes.unwrap_or(OVERHEAD_GIB * GIB) * f64::from(count),
        source: if asked.overhead_bytes.is_some() {
            "stated".to_owned()
        } else {
            OVERHEAD_SOURCE.to_owned()
        },
    });
    if let (Some(context), Some(bytes)) = (asked.context, kv_bytes) {
        lines.push(cache_line(asked, context, count, bytes));
    }
    lines.push(Line {
        key: "usable".to_owned(),
        name: Bilingual::new("memory an engine takes", "引擎可用显存"),
        formula: "accelerators × memory × utilisation".to_owned(),
        inputs: vec![
            input("accelerators", f64::from(count)),
            input("memory", asked.memory_bytes),
            input("utilisation", asked.utilization),
        ],
        bytes: f64::from(count) * asked.memory_bytes * asked.utilization,
        source: match asked.memory_source {
            Some(MemorySource::Driver) => "the total that nvidia-smi reports".to_owned(),
            Some(MemorySource::DataSheet) => "the data sheet's GB, taken as 10⁹ bytes".to_owned(),
            None => "stated".to_owned(),
        },
    });
    lines
}

fn cache_line(asked: &Question, context: u64, count: u32, bytes: f64) -> Line {
    let model = asked.model;
    let width = asked.kv_precision.cache_bytes().unwrap_or(2.0);
    let mut inputs = vec![
        input("concurrency", asked.concurrency as f64),
        input("context", context as f64),
        input("accelerators", f64::from(count)),
        input("bytes", width),
    ];
    let tokens = match (model.window, model.windowed_layers) {
        (Some(window), Some(layers)) => {
            inputs.push(input("full_layers", f64::from(model.full_layers())));
            inputs.push(input("windowed_layers", f64::from(layers)));
            inputs.push(input("window", window as f64));
            "(full_layers × context + windowed_layers × min(context, window))"
        }
        _ => {
            inputs.push(input("layers", f64::from(model.layers)));
            "layers × context"
        }
    };
    let per_layer = if let Some(latent) = model.latent_dim {
        inputs.push(input("latent_dim", f64::from(latent)));
        "latent_dim × bytes × accelerators"
    } else {
        inputs.push(input("kv_heads", f64::from(model.kv_heads)));
        inputs.push(input("head_dim", f64::from(model.head_dim)));
        "2 × ⌈kv_heads ÷ accelerators⌉ × head_dim × bytes × accelerators"
    };
    Line {
        key: "kv-cache".to_owned(),
        name: Bilingual::new("KV cache", "KV 缓存"),
        formula: format!("concurrency × {tokens} × {per_layer}"),
        inputs,
        bytes,
        source: model.source(),
    }
}
