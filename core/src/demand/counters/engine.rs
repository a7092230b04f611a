//! What engines call their counters.

/// An engine's counters. Histograms count in their `_count` and add up in their `_sum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// `vllm`, for `--engine` and messages.
    pub name: &'static str,
    /// Requests served.
    pub requests: &'static str,
    /// Input tokens of all requests.
    pub input: &'static str,
    /// Output tokens of all requests.
    pub output: &'static str,
}

/// Every engine known.
pub const ENGINES: [Engine; 3] = [
    Engine {
        name: "vllm",
        requests: "vllm:request_success_total",
        input: "vllm:prompt_tokens_total",
        output: "vllm:generation_tokens_total",
    },
    Engine {
        name: "sglang",
        requests: "sglang:num_requests_total",
        input: "sglang:prompt_tokens_total",
        output: "sglang:generation_tokens_total",
    },
    Engine {
        name: "tgi",
        requests: "tgi_request_success",
        input: "tgi_request_input_length_sum",
        output: "tgi_request_generated_tokens_sum",
    },
];

impl Engine {
    /// The query for a counter as it stands at each step: nothing where the step brought no scrape,
    /// though Prometheus would repeat the last figure for five minutes.
    #[must_use]
    pub fn query(metric: &str, selector: &str, step_s: i64) -> String {
        format!("{metric}{selector} and present_over_time({metric}{selector}[{step_s}s])")
    }
}
