//! Checks that need no rule for a tool: figures of one run that must agree.

use super::{Finding, Severity, finding};
use crate::report::{Metric, Point, Quantile, Report};

/// Start and end of a run leave fewer than n in flight for a while.
const LITTLES_LAW_WITHIN: f64 = 0.25;
/// Means of a product are not products of means.
const MEANS_WITHIN: f64 = 0.25;
/// Medians of parts are of different requests.
const MEDIANS_WITHIN: f64 = 0.5;
/// Repeats of one run on one system differ by a few percent.
const REPEATS_WITHIN: f64 = 0.05;
const TOKENS_WITHIN: f64 = 0.05;
/// Locust rounds percentiles to two digits: at most 5%.
const ORDER_WITHIN: f64 = 0.05;

/// In a closed loop, rate × mean latency is the concurrency.
pub(super) fn littles_law(report: &Report) -> Option<Finding> {
    let off = |point: &&Point| {
        let (Some(n), Some(mean)) = (point.concurrency, point.latency_s.mean) else {
            return false;
        };
        let full = point
            .completed
            .is_none_or(|completed| completed as f64 >= 2.0 * n);
        let in_service = point.requests_per_s * mean;
        point.request_rate.is_none() && full && (in_service - n).abs() > LITTLES_LAW_WITHIN * n
    };
    let point = report.points.iter().find(off)?;
    let (n, in_service) = (
        point.concurrency?,
        point.requests_per_s * point.latency_s.mean?,
    );
    Some(finding(
        Severity::Warning,
        "littles-law",
        (
            format!(
                "At concurrency {n}, rate × mean latency is {in_service:.2}: the run never held that many in flight, or a figure is wrong."
            ),
            format!(
                "并发 {n} 时，速率 × 平均延迟为 {in_service:.2}：运行中并未保持这么多请求，或有数字有误。"
            ),
        ),
        (
            "Check the units and the concurrency; run longer.",
            "请检查单位与并发数；或延长运行。",
        ),
    ))
}

/// TTFT + (output − 1) × TPOT is the latency.
pub(super) fn latency_parts(report: &Report) -> Option<Finding> {
    let output = report
        .workload
        .output_tokens
        .filter(|tokens| *tokens > 1.0)?;
    let parts = |point: &Point| {
        let known = [
            (Quantile::Mean, MEANS_WITHIN),
            (Quantile::P50, MEDIANS_WITHIN),
        ];
        known.into_iter().find_map(|(quantile, within)| {
            let ttft = point.ttft_s.get(quantile)?;
            let tpot = point.tpot_s.get(quantile).or(point.itl_s.get(quantile))?;
            let whole = point.latency_s.get(quantile)?;
            Some((ttft + (output - 1.0) * tpot, whole, within))
        })
    };
    let (sum, whole, _) = report
        .points
        .iter()
        .filter_map(parts)
        .find(|(sum, whole, within)| (sum - whole).abs() > within * whole)?;
    Some(finding(
        Severity::Warning,
        "latency-inconsistent",
        (
            format!(
                "TTFT + (output − 1) × TPOT is {sum:.3} s, but the latency is {whole:.3} s: tokens were miscounted, or a unit is wrong."
            ),
            format!(
                "TTFT +（输出 − 1）× TPOT 为 {sum:.3} 秒，而延迟为 {whole:.3} 秒：token 计数或单位有误。"
            ),
        ),
        (
            "Trust the latency and the requests per second; check the output length and the units.",
            "以延迟与每秒请求数为准；请检查输出长度与单位。",
        ),
    ))
}

/// Tokens a second are requests a second × tokens a request.
pub(super) fn tokens(report: &Report) -> Option<Finding> {
    let output = report
        .workload
        .output_tokens
        .filter(|tokens| *tokens > 0.0)?;
    let off = |point: &Point| {
        let stated = point.output_tokens_per_s?;
        let derived = point.requests_per_s * output;
        ((stated - derived).abs() > TOKENS_WITHIN * derived).then_some((stated, derived))
    };
    let (stated, derived) = report.points.iter().find_map(off)?;
    let ratio = derived / stated;
    let accelerators = f64::from(report.system.accelerators.unwrap_or(1));
    let per_gpu = accelerators > 1.0 && (ratio - accelerators).abs() < 0.1 * accelerators;
    let (en, zh) = if per_gpu {
        (
            "; the stated figure may be per accelerator",
            "；所给数字可能是单卡的",
        )
    } else {
        ("", "")
    };
    Some(finding(
        Severity::Warning,
        "tokens-inconsistent",
        (
            format!(
                "{stated:.1} output tokens/s are stated, but requests/s × output tokens is {derived:.1}{en}."
            ),
            format!(
                "所给为每秒 {stated:.1} 个输出 token，而每秒请求数 × 输出 token 为 {derived:.1}{zh}。"
            ),
        ),
        (
            "Check the output length, and whether throughput is of one accelerator or of the replica.",
            "请检查输出长度，以及吞吐是单卡还是整个副本的。",
        ),
    ))
}

/// A chunk that carries several tokens makes the gap between chunks near zero.
pub(super) fn chunked_tokens(report: &Report) -> Option<Finding> {
    let near_zero = |point: &&Point| match (point.itl_s.p50, point.tpot_s.typical()) {
        (Some(itl), Some(tpot)) => itl < 0.2 * tpot,
        _ => false,
    };
    let point = report.points.iter().find(near_zero)?;
    let (itl, tpot) = (point.itl_s.p50? * 1000.0, point.tpot_s.typical()? * 1000.0);
    Some(finding(
        Severity::Warning,
        "itl-near-zero",
        (
            format!(
                "The median ITL is {itl:.3} ms where a token takes {tpot:.3} ms: chunks carried several tokens, so ITL says little."
            ),
            format!(
                "ITL 中位数为 {itl:.3} ms，而每个 token 需 {tpot:.3} ms：一个数据块含多个 token，ITL 意义不大。"
            ),
        ),
        ("Set targets on TPOT instead.", "请改用 TPOT 作为目标。"),
    ))
}

/// A token counted twice in every chunk halves ITL everywhere.
pub(super) fn doubled_tokens(report: &Report) -> Option<Finding> {
    let halved = |point: &Point| {
        let ratio = point.itl_s.mean? / point.tpot_s.mean?;
        Some((0.45..0.55).contains(&ratio))
    };
    let seen: Vec<bool> = report.points.iter().filter_map(halved).collect();
    (!seen.is_empty() && seen.iter().all(|halved| *halved)).then(|| {
        finding(
            Severity::Warning,
            "itl-halved",
            (
                "ITL is half of TPOT throughout: a token seems counted twice in every chunk.",
                "ITL 始终是 TPOT 的一半：每个数据块似乎多计了一个 token。",
            ),
            (
                "Use TPOT for the decoding speed.",
                "请以 TPOT 衡量解码速度。",
            ),
        )
    })
}

/// p50 ≤ p90 ≤ p95 ≤ p99 ≤ max, within a tool's rounding.
pub(super) fn order(report: &Report) -> Option<Finding> {
    let percentiles = [
        Quantile::P50,
        Quantile::P90,
        Quantile::P95,
        Quantile::P99,
        Quantile::Max,
    ];
    for point in &report.points {
        for metric in Metric::ALL {
            let known: Vec<(Quantile, f64)> = percentiles
                .into_iter()
                .filter_map(|q| Some((q, point.quantiles(metric).get(q)?)))
                .collect();
            let wrong = known
                .windows(2)
                .find(|pair| pair[1].1 < pair[0].1 * (1.0 - ORDER_WITHIN));
            if let Some(&[(low, a), (high, b)]) = wrong {
                let (metric, low, high) = (metric.name(), low.key(), high.key());
                return Some(finding(
                    Severity::Error,
                    "quantiles-out-of-order",
                    (
                        format!(
                            "{metric} {low} is {a} s and {high} only {b} s: percentiles cannot fall."
                        ),
                        format!(
                            "{metric} {low} 为 {a} 秒，而 {high} 只有 {b} 秒：分位数不会下降。"
                        ),
                    ),
                    (
                        "Check that columns and units were read as meant.",
                        "请检查列与单位是否读对。",
                    ),
                ));
            }
        }
    }
    None
}

/// A mean cannot lie above 99% at p99 and 1% at the maximum; nor the first token after the last.
pub(super) fn means(report: &Report) -> Option<Finding> {
    /// Without a maximum: a mean so far above p99 needs one that no run has.
    const FAR: f64 = 5.0;
    let too_high = |point: &Point| {
        Metric::ALL.into_iter().find_map(|metric| {
            let quantiles = point.quantiles(metric);
            let (mean, p99) = (quantiles.mean?, quantiles.p99?);
            let most = match quantiles.max {
                Some(max) => 0.99 * p99 + 0.01 * max,
                None => FAR * p99,
            };
            (mean > most * (1.0 + ORDER_WITHIN)).then(|| {
                let name = metric.name();
                (
                    format!("The mean {name} is {mean} s, and its p99 only {p99} s."),
                    format!("{name} 均值为 {mean} 秒，而 p99 只有 {p99} 秒。"),
                )
            })
        })
    };
    let first_after_last = |point: &Point| {
        [Quantile::Mean, Quantile::P50, Quantile::P99]
            .into_iter()
            .find_map(|quantile| {
                let ttft = point.ttft_s.get(quantile)?;
                let whole = point.latency_s.get(quantile)?;
                (ttft > whole * (1.0 + ORDER_WITHIN)).then(|| {
                    let q = quantile.key();
                    (
                        format!("TTFT {q} is {ttft} s, and the whole latency's only {whole} s."),
                        format!("TTFT {q} 为 {ttft} 秒，而整个请求的只有 {whole} 秒。"),
                    )
                })
            })
    };
    let (en, zh) = report
        .points
        .iter()
        .find_map(|point| too_high(point).or_else(|| first_after_last(point)))?;
    Some(finding(
        Severity::Error,
        "quantiles-impossible",
        (en, zh),
        (
            "Check that columns and units were read as meant.",
            "请检查列与单位是否读对。",
        ),
    ))
}

/// Runs at one load that differ more than repeats do may be of unlike systems, which their files do
/// not tell apart.
pub(super) fn repeats(report: &Report) -> Option<Finding> {
    let load = |point: &Point| (point.request_rate, point.concurrency);
    let (n, low, high) = report
        .points
        .chunk_by(|a, b| load(a) == load(b))
        .filter(|repeats| repeats[0].concurrency.is_some() || repeats[0].request_rate.is_some())
        .map(|repeats| {
            let rates = || repeats.iter().map(|point| point.requests_per_s);
            let low = rates().fold(f64::INFINITY, f64::min);
            let high = rates().fold(0.0, f64::max);
            (repeats.len(), low, high)
        })
        .find(|(_, low, high)| high - low > REPEATS_WITHIN * high)?;
    Some(finding(
        Severity::Warning,
        "repeats-differ",
        (
            format!(
                "{n} runs at one load differ from {low:.3} to {high:.3} requests/s: they may be of systems that the files do not tell apart."
            ),
            format!(
                "同一负载的 {n} 次运行从 {low:.3} 到 {high:.3} 次/秒不等：可能来自文件中无法区分的不同系统。"
            ),
        ),
        (
            "Import each system's files on their own; the plan takes their median.",
            "请将各系统的文件分别导入；规划取其中位数。",
        ),
    ))
}
