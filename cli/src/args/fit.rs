//! Flags of `inferplan fit`.

use clap::Args as ClapArgs;
use inferplan_core::{Decimal, accelerator::Accelerator};

use super::{accelerator, ceiling, count, positive, rate, tokens};

/// A model, a precision, an accelerator.
#[derive(ClapArgs)]
pub struct Fit {
    /// Model of the catalogue, such as "Llama 3 70B" or meta-llama/Meta-Llama-3-70B-Instruct
    #[arg(long, value_name = "NAME", required_unless_present_any = ["models", "parameters"])]
    pub model: Option<String>,
    /// List the catalogue, with sources
    #[arg(long)]
    pub models: bool,
    /// Precision of the weights: bf16, fp8, int4, … [default: the format they are published in]
    #[arg(long, value_name = "P")]
    pub precision: Option<String>,
    /// Accelerator, such as "A100 80GB"
    #[arg(long, value_name = "NAME", value_parser = accelerator, required_unless_present_any = ["models", "memory_gib"])]
    pub accelerator: Option<Accelerator>,
    /// Memory of one accelerator, GiB; what its driver reports unless given
    #[arg(long, value_name = "GIB", value_parser = rate)]
    pub memory_gib: Option<f64>,
    /// Tokens of one request, input and output; the weights alone unless given
    #[arg(long, value_name = "N", value_parser = context)]
    pub context: Option<u64>,
    /// Requests of that context in service together
    #[arg(long, value_name = "N", default_value_t = 1, requires = "context", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub concurrency: u64,
    /// Precision of the KV cache
    #[arg(long, value_name = "P", default_value = "fp16")]
    pub kv_precision: String,
    /// Share of the memory that the engine takes, as vLLM's gpu_memory_utilization
    #[arg(long, value_name = "SHARE", default_value_t = inferplan_core::fit::MEMORY_UTILIZATION, value_parser = ceiling)]
    pub memory_utilization: f64,
    /// GiB of each accelerator for activations and the rest [default: 3.05, as vLLM measured]
    #[arg(long, value_name = "GIB", value_parser = positive)]
    pub overhead_gib: Option<f64>,
    /// Parameters of a model that the catalogue has not: 70.6e9, 8B
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "model", requires_all = ["layers", "kv_heads", "head_dim"])]
    pub parameters: Option<Decimal>,
    /// Its layers
    #[arg(long, value_name = "N", requires = "parameters", value_parser = dimension())]
    pub layers: Option<u32>,
    /// Its attention heads, which the accelerators have to divide
    #[arg(long, value_name = "N", requires = "parameters", value_parser = dimension())]
    pub heads: Option<u32>,
    /// Its KV heads
    #[arg(long, value_name = "N", requires = "parameters", value_parser = dimension())]
    pub kv_heads: Option<u32>,
    /// Width of its heads
    #[arg(long, value_name = "N", requires = "parameters", value_parser = dimension())]
    pub head_dim: Option<u32>,
    /// One JSON document (inferplan.fit/1)
    #[arg(long)]
    pub json: bool,
}

fn dimension() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=100_000)
}

/// Tokens from 1 to 10⁹.
fn context(text: &str) -> Result<u64, String> {
    let tokens = tokens(text)?;
    if (1..=1_000_000_000).contains(&tokens) {
        Ok(tokens)
    } else {
        Err(format!("`{text}` is not from 1 to 10^9 tokens"))
    }
}
