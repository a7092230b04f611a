//! What hardware cannot do.

use super::{Finding, Severity, finding};
use crate::{
    accelerator::GIB,
    fit::{self, Impossible},
    number::significant,
    report::{Point, Report},
};

/// Speculative decoding accepts a few tokens a step; more than this it does not.
const MOST_TOKENS_A_STEP: f64 = 5.0;
/// Prefill does not read faster than this on any one accelerator; a cache does.
const FAST_PREFILL: f64 = 100_000.0;

/// Every decoding step reads the active weights once: steps a second × their size cannot pass the
/// memory's bandwidth. With n in service a step yields n tokens.
pub(super) fn bandwidth(report: &Report) -> Option<Finding> {
    let (accelerator, count) = report.accelerator().ok()?;
    let bandwidth = accelerator.memory_bandwidth_bytes_per_s()? * f64::from(count);
    let weights = active_weights_bytes(report)?;
    let needed = |point: &Point| {
        let n = point.concurrency.filter(|n| *n >= 1.0)?;
        Some(point.output_tokens_per_s? / n * weights)
    };
    let most = report.points.iter().filter_map(needed).fold(0.0, f64::max);
    if most <= bandwidth {
        return None;
    }
    let times = most / bandwidth;
    let (severity, en, zh) = if times > MOST_TOKENS_A_STEP {
        (
            Severity::Error,
            "no decoding does that",
            "任何解码方式都做不到",
        )
    } else {
        (
            Severity::Warning,
            "only speculative decoding does that",
            "只有投机解码能做到",
        )
    };
    Some(finding(
        severity,
        "implausible-throughput",
        (
            format!(
                "Its tokens/s need {times:.1} times the memory bandwidth of {count}× {accelerator} for the model's weights: {en}."
            ),
            format!(
                "其每秒 token 数需要 {count}× {accelerator} 显存带宽的 {times:.1} 倍来读取权重：{zh}。"
            ),
        ),
        (
            "Check the accelerator, the precision, the concurrency, and that input tokens are not counted as output.",
            "请检查加速卡、精度、并发，以及是否把输入 token 计入输出。",
        ),
    ))
}

/// A replica holds its model's weights.
pub(super) fn memory(report: &Report) -> Option<Finding> {
    let Impossible {
        model,
        precision,
        weights_bytes,
        memory_bytes,
    } = fit::impossible(report)?;
    let (accelerator, count) = report.accelerator().ok()?;
    let gib = |bytes: f64| significant(bytes / GIB, 4);
    let (weights, memory) = (gib(weights_bytes), gib(memory_bytes));
    Some(finding(
        Severity::Warning,
        "does-not-fit",
        (
            format!(
                "The weights of {model} in {precision} take {weights} GiB, and {count}× {accelerator} have {memory} GiB."
            ),
            format!(
                "{model}（{precision}）的权重需 {weights} GiB，而 {count}× {accelerator} 只有 {memory} GiB。"
            ),
        ),
        (
            "Check the accelerators of one replica, their number, and the precision.",
            "请检查每个副本的加速卡、数量与精度。",
        ),
    ))
}

pub(super) fn cached_prompts(report: &Report) -> Option<Finding> {
    let count = f64::from(report.system.accelerators.unwrap_or(1));
    let per_card = |point: &Point| Some(point.input_tokens_per_s? / count);
    let fastest = report
        .points
        .iter()
        .filter_map(per_card)
        .fold(0.0, f64::max);
    (fastest > FAST_PREFILL).then(|| {
        finding(
            Severity::Warning,
            "cached-prompts",
            (
                format!("{fastest:.0} input tokens/s an accelerator: prompts were repeated and came from a cache."),
                format!("每卡每秒 {fastest:.0} 个输入 token：提示词重复，来自缓存。"),
            ),
            (
                "Measure with prompts that repeat as yours do.",
                "请用与您的流量重复程度相同的提示词测量。",
            ),
        )
    })
}

/// The weights read in a step, from the model's name (`…-8B`, `…-397B-A17B`) and precision.
fn active_weights_bytes(report: &Report) -> Option<f64> {
    let name = report.model.name.as_deref()?.to_lowercase();
    let billions = |word: &str| word.strip_suffix('b')?.parse::<f64>().ok();
    let words = || name.split(['-', '_', '/', ' ']);
    // Of a mixture of experts, the active part: "a17b".
    let active = words().find_map(|word| billions(word.strip_prefix('a')?));
    let parameters = active.or_else(|| words().find_map(billions))? * 1e9;
    let precision = report.model.precision.as_deref()?.to_lowercase();
    let bytes = match precision.as_str() {
        "fp32" | "float32" => 4.0,
        "bf16" | "fp16" | "bfloat16" | "float16" | "half" => 2.0,
        "fp8" | "int8" | "w8a8" => 1.0,
        "fp4" | "nvfp4" | "mxfp4" | "int4" | "w4a16" | "awq" | "gptq" => 0.5,
        _ => return None,
    };
    Some(parameters * bytes)
}
