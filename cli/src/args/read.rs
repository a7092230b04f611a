//! Flags that say how to read results, and what their files do not say.

use clap::Args as ClapArgs;
use inferplan_core::{
    accelerator::Accelerator,
    import::{self, Options, Stated},
};

use super::{accelerator, column, positive};

/// How to read results, and what their files do not say.
#[derive(ClapArgs)]
pub struct ReadArgs {
    /// Read every file as this tool's, whatever it looks like
    #[arg(long, value_name = "TOOL", value_parser = clap::builder::PossibleValuesParser::new(import::format_names()))]
    format: Option<String>,
    /// Work out exact quantiles and their intervals from per-request arrays (vLLM, SGLang)
    #[arg(long)]
    per_request: bool,
    /// Column of a plain table, such as requests_per_s=QPS or ttft_p99_ms=首字P99; may be repeated
    #[arg(long = "column", value_name = "FIELD=HEADER", value_parser = column)]
    columns: Vec<(String, String)>,
    /// Accelerator the reports were measured on, such as "H100 80GB SXM"
    #[arg(long, value_name = "NAME", value_parser = accelerator)]
    accelerator: Option<Accelerator>,
    /// Accelerators of one replica (tensor × pipeline parallelism)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    accelerators: Option<u32>,
    /// Precision of the weights: bf16, fp8, int8, …
    #[arg(long, value_name = "P")]
    precision: Option<String>,
    /// Serving engine, such as vllm
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Version of the serving engine
    #[arg(long, value_name = "V")]
    engine_version: Option<String>,
    /// Model, where the file does not name it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Mean input tokens a request, where the file does not say (with import)
    #[arg(long, value_name = "N", value_parser = positive)]
    measured_input_tokens: Option<f64>,
    /// Mean output tokens a request, where the file does not say
    #[arg(long, value_name = "N", value_parser = positive)]
    measured_output_tokens: Option<f64>,
    /// Requests in flight (a batch's size), where a file of one load does not say
    #[arg(long, value_name = "N", value_parser = positive)]
    concurrency: Option<f64>,
    /// Seconds that a single reading of counters counted (Prometheus exposition)
    #[arg(long, value_name = "S", value_parser = positive)]
    duration: Option<f64>,
    /// Requests sent before measuring began
    #[arg(long, value_name = "N")]
    warmup_requests: Option<u64>,
    /// Network round trip that the latencies contain, seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    rtt: Option<f64>,
    /// Where the client stood
    #[arg(long, value_name = "REGION")]
    client_region: Option<String>,
    /// Where the server stood
    #[arg(long, value_name = "REGION")]
    server_region: Option<String>,
}

impl ReadArgs {
    pub fn options(&self) -> Options {
        Options {
            stated: self.stated(),
            format: self.format.clone(),
            per_request: self.per_request,
            columns: self.columns.clone(),
        }
    }

    fn stated(&self) -> Stated {
        Stated {
            model: self.model.clone(),
            input_tokens: self.measured_input_tokens,
            output_tokens: self.measured_output_tokens,
            concurrency: self.concurrency,
            duration_s: self.duration,
            warmup_requests: self.warmup_requests,
            rtt_s: self.rtt,
            client_region: self.client_region.clone(),
            server_region: self.server_region.clone(),
            accelerator: self.accelerator.clone(),
            accelerators: self.accelerators,
            precision: self.precision.clone(),
            engine: self.engine.clone(),
            engine_version: self.engine_version.clone(),
        }
    }
}
