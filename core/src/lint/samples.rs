//! Whether there were enough requests, and enough of them succeeded.

use super::{Finding, Severity, finding};
use crate::report::{Metric, Point, Quantile, Report};

/// Runs with more failures than this measured something other than serving.
const MOST_FAILED: f64 = 0.05;

pub(super) fn failed(report: &Report) -> Option<Finding> {
    let share = |point: &Point| point.failure_share().unwrap_or(0.0);
    let worst = report.points.iter().map(share).fold(0.0, f64::max);
    let failed: u64 = report.points.iter().filter_map(|point| point.failed).sum();
    (failed > 0).then(|| {
        let percent = worst * 100.0;
        finding(
            if worst > MOST_FAILED { Severity::Error } else { Severity::Warning },
            "failed-requests",
            (
                format!("{failed} request(s) failed, up to {percent:.1}% of a run: what failed was not served, and what it freed made the rest faster."),
                format!("{failed} 个请求失败，单次运行最多 {percent:.1}%：失败的没有得到服务，腾出的资源又使其余更快。"),
            ),
            (
                "Find why, and measure again; runs with over 5% failures are left out of the plan.",
                "请查明原因后重测；失败超过 5% 的运行不用于规划。",
            ),
        )
    })
}

/// The highest percentile that has at least one request beyond it.
pub(super) fn too_few(report: &Report) -> Option<Finding> {
    let needs = |quantile| match quantile {
        Quantile::P99 => 100,
        Quantile::P95 => 20,
        Quantile::P90 => 10,
        Quantile::Mean | Quantile::P50 | Quantile::Max => 2,
    };
    let mut worst: Option<(Quantile, u64)> = None;
    for point in &report.points {
        let Some(completed) = point.completed else {
            continue;
        };
        for metric in Metric::ALL {
            for quantile in Quantile::ALL {
                let claimed = point.quantiles(metric).get(quantile).is_some();
                let few = completed < needs(quantile);
                if claimed && few && worst.is_none_or(|(_, least)| completed < least) {
                    worst = Some((quantile, completed));
                }
            }
        }
    }
    let (quantile, completed) = worst?;
    let (key, wanted) = (quantile.key(), needs(quantile));
    Some(finding(
        Severity::Warning,
        "too-few-requests",
        if completed == 1 {
            (
                "One request is one sample: its median, p99 and maximum are the same figure."
                    .to_owned(),
                "一个请求就是一个样本：中位数、p99 与最大值是同一个数。".to_owned(),
            )
        } else {
            (
                format!(
                    "A {key} is claimed from {completed} requests; it takes {wanted} for one to lie beyond it."
                ),
                format!("以 {completed} 个请求给出 {key}；至少需要 {wanted} 个才有一个落在其外。"),
            )
        },
        (
            "Send more requests at each load.",
            "请在每个负载下发送更多请求。",
        ),
    ))
}

/// Ramp-up and ramp-down weigh on a run that turns over only a few times.
pub(super) fn short_run(report: &Report) -> Option<Finding> {
    let short = report.points.iter().find(|point| {
        let (Some(completed), Some(n)) = (point.completed, point.concurrency) else {
            return false;
        };
        point.request_rate.is_none() && n > 1.0 && (completed as f64) < 5.0 * n
    })?;
    let (n, completed) = (short.concurrency?, short.completed?);
    Some(finding(
        Severity::Warning,
        "short-run",
        (
            format!(
                "At concurrency {n} only {completed} requests were sent: start and end, with fewer in flight, weigh on the mean."
            ),
            format!("并发 {n} 时只发送了 {completed} 个请求：首尾并发不足，拉低了均值。"),
        ),
        (
            "Send at least ten times the concurrency.",
            "请求数请至少为并发数的十倍。",
        ),
    ))
}

/// In a closed loop the first n requests arrive together, and make up the tail of a short run.
pub(super) fn start_burst(report: &Report) -> Option<Finding> {
    let dominated = report.points.iter().find(|point| {
        let (Some(n), Some(completed)) = (point.concurrency, point.completed) else {
            return false;
        };
        let (Some(p50), Some(p99)) = (point.ttft_s.p50, point.ttft_s.p99) else {
            return false;
        };
        point.request_rate.is_none() && n >= 4.0 && n / completed as f64 >= 0.01 && p99 > 3.0 * p50
    })?;
    let n = dominated.concurrency?;
    Some(finding(
        Severity::Info,
        "start-burst",
        (
            format!(
                "At concurrency {n} the TTFT p99 is over three times the median, and the first {n} requests, sent together, are over 1% of the run: it may be theirs alone."
            ),
            format!(
                "并发 {n} 时 TTFT p99 超过中位数三倍，而最初同时发出的 {n} 个请求占比超过 1%：该 p99 可能只来自它们。"
            ),
        ),
        (
            "Run longer, or leave the first requests out.",
            "请延长运行，或去掉最初的请求。",
        ),
    ))
}
