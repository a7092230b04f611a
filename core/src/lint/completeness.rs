//! What a report does not say.

use super::{Finding, Severity, finding};
use crate::{Date, day, report::Report};

/// The first requests can be ten times slower: kernels compile, caches fill.
const ENOUGH_WARMUP: u64 = 100;
const OLD_AFTER_DAYS: i64 = 365;

/// Engines' versions of about a year ago; older ones were markedly slower.
const OLD_ENGINES: [(&str, [u32; 2]); 4] = [
    ("vllm", [0, 11]),
    ("sglang", [0, 5]),
    ("tensorrt-llm", [1, 0]),
    ("text-generation-inference", [3, 3]),
];

pub(super) fn accelerator(report: &Report) -> Option<Finding> {
    report.accelerator().is_err().then(|| {
        finding(
            Severity::Error,
            "accelerator-unknown",
            (
                "The report does not say on what it was measured, nor so whether its throughput is of one accelerator or of a server.",
                "报告未说明在什么加速卡上测得，因而也不知吞吐是单卡的还是整机的。",
            ),
            (
                "State --accelerator and --accelerators when importing.",
                "导入时请注明 --accelerator 与 --accelerators。",
            ),
        )
    })
}

pub(super) fn warmup(report: &Report) -> Option<Finding> {
    let remedy = (
        "Send at least 100 requests before measuring, and state --warmup-requests.",
        "测量前先发送至少 100 个请求，并注明 --warmup-requests。",
    );
    match report.workload.warmup_requests {
        Some(sent) if sent >= ENOUGH_WARMUP => None,
        Some(sent) => Some(finding(
            Severity::Warning,
            "warmup-short",
            (
                format!("Only {sent} requests warmed it up; the first can be ten times slower."),
                format!("仅预热 {sent} 个请求；最初的请求可能慢十倍。"),
            ),
            remedy,
        )),
        None => Some(finding(
            Severity::Warning,
            "warmup-unknown",
            (
                "Whether it was warmed up is not stated; the first requests can be ten times slower.",
                "未说明是否预热；最初的请求可能慢十倍。",
            ),
            remedy,
        )),
    }
}

pub(super) fn versions(report: &Report) -> Option<Finding> {
    let engine = report.system.engine.as_ref();
    let known = engine.is_some_and(|engine| engine.version.is_some() && !engine.name.is_empty());
    (!known).then(|| {
        finding(
            Severity::Warning,
            "versions-unknown",
            (
                "The serving engine or its version is not stated; versions differ severalfold in speed.",
                "未说明推理引擎或其版本；不同版本的速度可相差数倍。",
            ),
            (
                "State --engine and --engine-version, or attach `inferplan env`.",
                "请注明 --engine 与 --engine-version，或附上 `inferplan env`。",
            ),
        )
    })
}

pub(super) fn precision(report: &Report) -> Option<Finding> {
    report.model.precision.is_none().then(|| {
        finding(
            Severity::Warning,
            "precision-unknown",
            ("The weights' precision is not stated.", "未说明权重精度。"),
            ("State --precision.", "请注明 --precision。"),
        )
    })
}

pub(super) fn network(report: &Report) -> Option<Finding> {
    let network = &report.network;
    let apart = match (&network.client_region, &network.server_region) {
        (Some(client), Some(server)) => client != server,
        _ => false,
    };
    let far = network.rtt_s.is_some_and(|rtt| rtt > 0.02);
    if apart || far {
        return Some(finding(
            Severity::Warning,
            "client-latency",
            (
                "The client was far from the server: its latencies contain the network's.",
                "客户端远离服务器：延迟中含有网络时间。",
            ),
            (
                "Measure from beside the server, and add the network's round trip apart.",
                "请在服务器旁测量，网络往返时间另计。",
            ),
        ));
    }
    let unknown = network.rtt_s.is_none() && network.client_region.is_none();
    unknown.then(|| {
        finding(
            Severity::Info,
            "network-unknown",
            (
                "Where the client stood is not stated, so latencies may contain a network's.",
                "未说明客户端位置，延迟中可能含有网络时间。",
            ),
            ("State --rtt or the regions.", "请注明 --rtt 或两端区域。"),
        )
    })
}

pub(super) fn lengths(report: &Report) -> Option<Finding> {
    let workload = &report.workload;
    let (Some(input), Some(output)) = (workload.input_tokens, workload.output_tokens) else {
        return Some(finding(
            Severity::Warning,
            "lengths-unknown",
            (
                "The tokens of a request are not stated: capacity cannot be scaled to yours.",
                "未说明每次请求的 token 数：无法换算到您的长度。",
            ),
            (
                "State --measured-input-tokens and --measured-output-tokens.",
                "请注明 --measured-input-tokens 与 --measured-output-tokens。",
            ),
        ));
    };
    let requests: u64 = report
        .points
        .iter()
        .filter_map(|point| point.completed)
        .sum();
    // Means of varied lengths over many requests are not whole numbers.
    (input.fract() == 0.0 && output.fract() == 0.0 && requests >= 20).then(|| {
        finding(
            Severity::Info,
            "fixed-lengths",
            (
                "Every request seems to have had the same lengths; real ones vary, and long ones hold up a batch.",
                "所有请求的长度似乎相同；真实请求长短不一，长请求会拖慢整批。",
            ),
            (
                "Measure once with lengths drawn from your own traffic.",
                "请用自己流量中的长度分布再测一次。",
            ),
        )
    })
}

pub(super) fn old(report: &Report, today: Date) -> Option<Finding> {
    let remedy = (
        "Measure again with a current version.",
        "请用当前版本重测。",
    );
    if let Some(measured) = report.measured_on
        && day::between(measured, today) > OLD_AFTER_DAYS
    {
        return Some(finding(
            Severity::Warning,
            "old-measurement",
            (
                format!(
                    "Measured on {measured}, over a year ago; engines have become faster since."
                ),
                format!("测于 {measured}，已超过一年；此后引擎已更快。"),
            ),
            remedy,
        ));
    }
    let engine = report.system.engine.as_ref()?;
    let version = version_of(engine.version.as_deref()?)?;
    let name = engine.name.to_lowercase().replace('_', "-");
    let (_, oldest) = OLD_ENGINES.iter().find(|(known, _)| name == *known)?;
    (version < *oldest).then(|| {
        let shown = engine.version.as_deref().unwrap_or_default();
        finding(
            Severity::Warning,
            "old-engine",
            (
                format!(
                    "{} {shown} is an old engine; later ones are markedly faster.",
                    engine.name
                ),
                format!("{} {shown} 是旧版引擎；较新的版本明显更快。", engine.name),
            ),
            remedy,
        )
    })
}

/// `0.30.0+cu130` → [0, 30].
fn version_of(text: &str) -> Option<[u32; 2]> {
    let mut parts = text.trim_start_matches('v').split(['.', '+', '-']);
    Some([parts.next()?.parse().ok()?, parts.next()?.parse().ok()?])
}
