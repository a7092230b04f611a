//! Whether the load was one that a plan can use.

use super::{Finding, Severity, finding};
use crate::report::{Arrivals, Point, Report};

/// Short of the offered rate by more than this, a system was not keeping up.
const KEEPS_UP_WITHIN: f64 = 0.05;

pub(super) fn arrivals(report: &Report) -> Option<Finding> {
    (report.workload.arrivals == Some(Arrivals::Closed)).then(|| {
        finding(
            Severity::Info,
            "no-burst",
            (
                "Requests came one for one returned: no burst, and none of the waiting that random arrivals bring.",
                "请求一进一出：没有突发，也没有随机到达带来的排队。",
            ),
            (
                "Measure also at a request rate, with random arrivals and a burst of 3.2 times the mean.",
                "请再以请求速率测量，随机到达，并含均值 3.2 倍的突发。",
            ),
        )
    })
}

pub(super) fn burst_run(report: &Report) -> Option<Finding> {
    (report.workload.arrivals == Some(Arrivals::Burst)).then(|| {
        finding(
            Severity::Warning,
            "saturated-run",
            (
                "Everything was sent at once: its latencies are of a queue, not of serving.",
                "所有请求一次发出：延迟反映的是排队，而非服务。",
            ),
            (
                "Measure at fixed concurrencies, such as --max-concurrency 1, 8, 32.",
                "请以固定并发测量，例如 --max-concurrency 1、8、32。",
            ),
        )
    })
}

pub(super) fn single_point(report: &Report) -> Option<Finding> {
    (report.points.len() == 1).then(|| {
        finding(
            Severity::Warning,
            "single-load",
            (
                "One load is no curve: how latency grows with load is not known.",
                "只有一个负载，不成曲线：不知延迟如何随负载增长。",
            ),
            ("Measure at least three loads.", "请至少测三个负载。"),
        )
    })
}

/// Whether a point did what it was offered; true of one that was offered no rate.
pub(crate) fn keeps_up(point: &Point) -> bool {
    point
        .request_rate
        .is_none_or(|offered| point.requests_per_s >= offered * (1.0 - KEEPS_UP_WITHIN))
}

pub(super) fn below_offered(report: &Report) -> Option<Finding> {
    let short = |point: &&Point| !keeps_up(point);
    let worst = report.points.iter().filter(short).min_by(|a, b| {
        let kept = |point: &Point| point.requests_per_s / point.request_rate.unwrap_or(1.0);
        kept(a).total_cmp(&kept(b))
    })?;
    let (offered, achieved) = (worst.request_rate?, worst.requests_per_s);
    Some(finding(
        Severity::Warning,
        "achieved-below-offered",
        (
            format!(
                "At {offered} requests/s offered it did {achieved:.3}: it was not keeping up, and its latencies there grow with the length of the run."
            ),
            format!("提供 {offered} 次/秒时只完成 {achieved:.3}：跟不上，该处延迟随运行时长增长。"),
        ),
        (
            "Plan on the rates it kept up with.",
            "请只按跟得上的速率规划。",
        ),
    ))
}

pub(super) fn past_the_knee(report: &Report) -> Option<Finding> {
    let last = report.points.last()?;
    let best = report
        .points
        .iter()
        .max_by(|a, b| a.requests_per_s.total_cmp(&b.requests_per_s))?;
    // A percent is within what repeats differ by.
    (report.points.len() > 1 && last.requests_per_s < best.requests_per_s * 0.99).then(|| {
        let (top, end) = (best.requests_per_s, last.requests_per_s);
        finding(
            Severity::Info,
            "past-the-knee",
            (
                format!("Throughput falls past its top: {top:.3} requests/s at best, {end:.3} at the heaviest load."),
                format!("吞吐越过顶点后下降：最高 {top:.3} 次/秒，最重负载时 {end:.3}。"),
            ),
            (
                "More load than that makes each request dearer; limit the concurrency.",
                "超过顶点的负载只会使每次请求更贵；请限制并发。",
            ),
        )
    })
}
