//! SGLang's `bench_serving --output-file`: JSON Lines, one run a line, appended.
//!
//! The keys are vLLM's but for the latency (`mean_e2e_latency_ms`). The load is `max_concurrency`,
//! null for no cap, and `request_rate`, a bare `Infinity` for as fast as possible. `concurrency` is
//! the achieved one, the sum of latencies over the time: it is no load that was held, so it is not
//! taken as one. Nothing is lost by that: a curve places a burst by rate times mean latency, which
//! is the same figure.
//!
//! Older versions save fewer keys and spell some of them differently; newer ones add what the
//! server says of itself.

mod faults;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    Format, Options, common,
    content::Content,
    vllm_serve::{Dialect, read_run},
    vllm_throughput::offline,
};
use crate::{
    problem::Problems,
    report::{Arrivals, Report, Software},
    text::Notice,
};

pub(super) struct Sglang;

/// Requests sent at the times of a trace, in place of a rate.
const TRACE: &str = "trace";

/// Whether a run of this family is SGLang's: its keys for latency or recounted tokens.
pub(super) fn is_sglang(content: &Content) -> bool {
    let has = |key: &str| content.has(&[key]);
    (has("total_output_tokens_retokenized") || has("mean_e2e_latency_ms"))
        && (has("request_throughput") || has("output_throughput") || has("output_token_throughput"))
}

impl Format for Sglang {
    fn name(&self) -> &'static str {
        "sglang"
    }

    fn marks(&self) -> &'static str {
        "request_throughput, mean_e2e_latency_ms, total_output_tokens_retokenized"
    }

    fn recognises(&self, content: &Content) -> bool {
        is_sglang(content)
    }

    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems> {
        Ok(vec![read_saved(content, options)?])
    }
}

/// Reads one run, saved or printed.
pub(super) fn read_saved(content: &Content, options: &Options) -> Result<Report, Problems> {
    let run = as_spelled_now(content);
    let latency = if run.has(&["mean_e2el_ms"]) {
        "e2el"
    } else {
        "e2e_latency"
    };
    let dialect = Dialect {
        tool: "sglang.bench_serving",
        latency,
    };
    let mut report = read_run(&run, &dialect, options)?;
    let nothing = Value::Null;
    let saved = content.json().unwrap_or(&nothing);
    // The tool can drive other engines: `vllm`, `sglang-oai`, …
    report.system.engine = common::text(saved, "/backend").map(|backend| Software {
        name: backend.split('-').next().unwrap_or_default().to_owned(),
        version: None,
    });
    report.workload.dataset = common::text(saved, "/dataset_name");
    if saved.get("request_rate").and_then(Value::as_str) == Some(TRACE) {
        sent_as_in_a_trace(&mut report);
    }
    if let Some(server) = saved.get("server_info") {
        read_server(server, &mut report);
    }
    faults::mend(saved, &mut report, options);
    Ok(report)
}

/// The run with the keys that its tool writes now.
fn as_spelled_now(content: &Content) -> Cow<'_, Content> {
    let Some(Value::Object(map)) = content.json() else {
        return Cow::Borrowed(content);
    };
    let lacks = |key: &str| map.get(key).is_none_or(Value::is_null);
    let mut changes: Vec<(&str, Value)> = Vec::new();
    if lacks("request_throughput")
        && let Some(rate) = derived_rate(map)
    {
        changes.push(("request_throughput", json!(rate)));
    }
    if lacks("output_throughput")
        && let Some(rate) = map.get("output_token_throughput")
    {
        changes.push(("output_throughput", rate.clone()));
        changes.push(("output_token_throughput", Value::Null));
    }
    if map.get("request_rate").and_then(Value::as_str) == Some(TRACE) {
        changes.push(("request_rate", Value::Null));
    }
    if changes.is_empty() {
        return Cow::Borrowed(content);
    }
    let mut now = map.clone();
    for (key, value) in changes {
        if value.is_null() {
            now.remove(key);
        } else {
            now.insert(key.to_owned(), value);
        }
    }
    Cow::Owned(Content::Json(Value::Object(now)))
}

/// Completed requests over time, which is what the first versions leave to the reader.
fn derived_rate(map: &Map<String, Value>) -> Option<f64> {
    let figure = |key: &str| map.get(key)?.as_f64();
    let duration_s = figure("duration").filter(|seconds| *seconds > 0.0)?;
    Some(figure("completed")? / duration_s)
}

/// No rate was offered and no concurrency was held, even where one was capped.
fn sent_as_in_a_trace(report: &mut Report) {
    report.workload.arrivals = Some(Arrivals::Open);
    for point in &mut report.points {
        point.concurrency = None;
    }
    report.warnings.push(Notice::new(
        "trace-arrivals",
        "Requests were sent at the times of a trace; the rate it offers is not in the file.",
        "请求按轨迹的时间发出；文件未说明其请求速率。",
    ));
}

/// What the server said of itself when the run ended. With prefill and decode apart it is two
/// servers' answers, of which none is the replica's.
fn read_server(server: &Value, report: &mut Report) {
    let count = |key: &str| common::count(server, key);
    if let Some(tensor) = count("/tp_size") {
        let pipeline = count("/pp_size").unwrap_or(1);
        // With attention alone in parallel, its ranks are those of the tensor.
        let shares = server.get("enable_dp_attention").and_then(Value::as_bool) == Some(true);
        let data = if shares {
            1
        } else {
            count("/dp_size").unwrap_or(1)
        };
        let product = tensor as f64 * pipeline as f64 * data as f64;
        report.system.accelerators = common::accelerators(Some(product));
    }
    if let Some(engine) = report.system.engine.as_mut()
        && engine.name == "sglang"
    {
        engine.version = common::text(server, "/version");
    }
    report.model.name = common::text(server, "/model_path").or(report.model.name.take());
    report.model.revision = common::text(server, "/revision");
    report.model.precision = offline::precision(
        common::text(server, "/quantization").as_deref(),
        common::text(server, "/dtype").as_deref(),
    );
}
