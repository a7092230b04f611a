//! The operating curve: a replica as a load-dependent server.
//!
//! With n requests in service it completes X(n) requests a second (the flow-equivalent server of
//! Chandy, Herzog and Woo; Lazowska et al., *Quantitative System Performance*, ch. 8). Between
//! measured concurrencies the *residence time* R(n) = n ÷ X(n) is interpolated, linearly in n:
//! by Little's law it is nearly affine in the batch size, which the throughput is not. Nothing is
//! extrapolated: beyond the largest measured n, X stays as measured there; below the smallest,
//! R does.

use serde::Serialize;

use super::{Metric, Point, Quantile, Quantiles, Report};
use crate::text::Notice;

/// Runs with more failures than this measured something other than serving.
const MOST_FAILED: f64 = 0.05;

/// A replica's measured behaviour against the number of requests in service.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// By n, strictly increasing; never empty.
    nodes: Vec<Node>,
}

/// A measurement predicted from its neighbours alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Requests in service.
    pub concurrency: f64,
    /// Its measured throughput, requests a second.
    pub measured: f64,
    /// The throughput predicted without it.
    pub predicted: f64,
    /// Predicted over measured, less 1.
    pub error: f64,
}

/// The median of the errors' sizes; `None` without any.
#[must_use]
pub fn median_error(predictions: &[Prediction]) -> Option<f64> {
    let mut errors: Vec<f64> = predictions.iter().map(|p| p.error.abs()).collect();
    errors.sort_by(f64::total_cmp);
    let middle = errors.len() / 2;
    match errors.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(errors[middle]),
        _ => Some(f64::midpoint(errors[middle - 1], errors[middle])),
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    n: f64,
    residence_s: f64,
    latency: [Quantiles; Metric::ALL.len()],
}

impl Curve {
    /// The curve of a report, with warnings about what it could not use.
    ///
    /// A closed-loop point stands at its concurrency; an open-loop one at its rate times its mean
    /// latency (Little's law). Repeats at one load give their medians.
    ///
    /// # Errors
    /// A report without one usable point, and why.
    pub fn of(report: &Report) -> Result<(Self, Vec<Notice>), Notice> {
        let mut notices = Vec::new();
        let mut placed: Vec<(f64, &Point)> = Vec::new();
        for point in &report.points {
            if point
                .failure_share()
                .is_some_and(|share| share > MOST_FAILED)
            {
                notices.push(overloaded(report, point));
                continue;
            }
            match in_service(point) {
                Some(n) => placed.push((n, point)),
                None => notices.push(not_placed(report, point)),
            }
        }
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let nodes: Vec<Node> = placed
            .chunk_by(|a, b| same_load(a.0, b.0))
            .map(node_of)
            .collect();
        match nodes.len() {
            0 => Err(notices
                .into_iter()
                .next()
                .unwrap_or_else(|| no_point(report))),
            1 => {
                notices.push(single_point(report));
                Ok((Self { nodes }, notices))
            }
            _ => Ok((Self { nodes }, notices)),
        }
    }

    /// The smallest and the largest measured concurrency.
    #[must_use]
    pub fn range(&self) -> (f64, f64) {
        (self.nodes[0].n, self.nodes[self.nodes.len() - 1].n)
    }

    /// X(n): completions a second with n requests in service, n > 0.
    #[must_use]
    pub fn rate_at(&self, n: f64) -> f64 {
        let (_, largest) = self.range();
        let n = n.min(largest);
        n / self.residence_at(n)
    }

    /// R(n) = n ÷ X(n), seconds: as measured at the nearest end outside the measured range.
    #[must_use]
    pub fn residence_at(&self, n: f64) -> f64 {
        let (a, b, t) = self.around(n);
        a.residence_s + (b.residence_s - a.residence_s) * t
    }

    /// A latency statistic with n requests in service, seconds; `None` where either neighbouring
    /// measurement lacks it.
    #[must_use]
    pub fn latency_at(&self, metric: Metric, quantile: Quantile, n: f64) -> Option<f64> {
        let (a, b, t) = self.around(n);
        let of = |node: &Node| node.latency[metric as usize].get(quantile);
        let (low, high) = (of(a), of(b));
        if t == 0.0 {
            return low;
        }
        Some(low? + (high? - low?) * t)
    }

    /// Whether any measurement holds the statistic.
    #[must_use]
    pub fn has(&self, metric: Metric, quantile: Quantile) -> bool {
        let of = |node: &Node| node.latency[metric as usize].get(quantile);
        self.nodes.iter().any(|node| of(node).is_some())
    }

    /// The largest measured throughput, requests a second: what utilisation is a share of.
    #[must_use]
    pub fn largest_rate(&self) -> f64 {
        let rates = self.nodes.iter().map(|node| node.n / node.residence_s);
        rates.fold(0.0, f64::max)
    }

    /// Every measured concurrency, in increasing order.
    pub fn measured(&self) -> impl Iterator<Item = f64> {
        self.nodes.iter().map(|node| node.n)
    }

    /// Every concurrency worth judging: the measured ones and the whole numbers between them.
    pub fn concurrencies(&self) -> impl Iterator<Item = f64> {
        let (low, high) = self.range();
        let mut all: Vec<f64> = self.nodes.iter().map(|node| node.n).collect();
        all.extend((low.ceil() as u64..=high as u64).map(|n| n as f64));
        all.sort_by(f64::total_cmp);
        all.dedup();
        all.into_iter()
    }

    /// Leaves each inner measurement out in turn and predicts it from its neighbours: how far the
    /// curve can be trusted between its points.
    #[must_use]
    pub fn leave_one_out(&self) -> Vec<Prediction> {
        let predict = |three: &[Node]| {
            let [a, left_out, b] = three else { return None };
            let t = (left_out.n - a.n) / (b.n - a.n);
            let residence_s = a.residence_s + (b.residence_s - a.residence_s) * t;
            let (measured, predicted) =
                (left_out.n / left_out.residence_s, left_out.n / residence_s);
            Some(Prediction {
                concurrency: left_out.n,
                measured,
                predicted,
                error: predicted / measured - 1.0,
            })
        };
        self.nodes.windows(3).filter_map(predict).collect()
    }

    /// The curve of a request with `work` times the work and `first_token` times the TTFT.
    #[must_use]
    pub fn scaled(&self, work: f64, first_token: f64) -> Self {
        let mut nodes = self.nodes.clone();
        for node in &mut nodes {
            node.residence_s *= work;
            for (metric, factor) in [(Metric::E2e, work), (Metric::Ttft, first_token)] {
                let quantiles = &mut node.latency[metric as usize];
                for q in Quantile::ALL {
                    quantiles.set(q, quantiles.get(q).map(|seconds| seconds * factor));
                }
            }
        }
        Self { nodes }
    }

    /// The curve with other residence times at other n, given as (n, R) in increasing order, never
    /// none. Each latency there is this curve's own times a factor of n, R and metric; without one
    /// it is left out.
    pub(crate) fn with_residence(
        &self,
        at: &[(f64, f64)],
        factor: impl Fn(f64, f64, Metric) -> Option<f64>,
    ) -> Self {
        let node = |&(n, residence_s): &(f64, f64)| {
            let mut latency = [Quantiles::default(); Metric::ALL.len()];
            for metric in Metric::ALL {
                let times = factor(n, residence_s, metric);
                for q in Quantile::ALL {
                    let seconds = self.latency_at(metric, q, n);
                    let scaled = seconds.zip(times).map(|(seconds, times)| seconds * times);
                    latency[metric as usize].set(q, scaled);
                }
            }
            Node {
                n,
                residence_s,
                latency,
            }
        };
        Self {
            nodes: at.iter().map(node).collect(),
        }
    }

    /// The curve of a replica that does everything so many times as fast.
    #[must_use]
    pub fn sped_up(&self, factor: f64) -> Self {
        let mut nodes = self.nodes.clone();
        for node in &mut nodes {
            node.residence_s /= factor;
            for quantiles in &mut node.latency {
                for q in Quantile::ALL {
                    quantiles.set(q, quantiles.get(q).map(|seconds| seconds / factor));
                }
            }
        }
        Self { nodes }
    }

    /// The measurements on either side of n, and how far between them it lies, 0 to 1.
    fn around(&self, n: f64) -> (&Node, &Node, f64) {
        let after = self.nodes.partition_point(|node| node.n <= n);
        let last = self.nodes.len() - 1;
        if after == 0 {
            return (&self.nodes[0], &self.nodes[0], 0.0);
        }
        if after > last {
            return (&self.nodes[last], &self.nodes[last], 0.0);
        }
        let (a, b) = (&self.nodes[after - 1], &self.nodes[after]);
        (a, b, (n - a.n) / (b.n - a.n))
    }
}

/// Requests in service at a point: its concurrency, or rate × mean latency (Little's law).
fn in_service(point: &Point) -> Option<f64> {
    let n = match (point.request_rate, point.concurrency) {
        (None, Some(concurrency)) => concurrency,
        _ => point.requests_per_s * point.latency_s.mean?,
    };
    (n.is_finite() && n > 0.0).then_some(n)
}

fn same_load(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.max(b)
}

/// One node from the repeats at one load: the median of each figure.
fn node_of(repeats: &[(f64, &Point)]) -> Node {
    let median = |values: Vec<f64>| -> Option<f64> {
        let mut values = values;
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        match values.len() {
            0 => None,
            odd if odd % 2 == 1 => Some(values[middle]),
            _ => Some(f64::midpoint(values[middle - 1], values[middle])),
        }
    };
    let n = repeats[0].0;
    let rate = median(repeats.iter().map(|(_, p)| p.requests_per_s).collect());
    let mut latency = [Quantiles::default(); Metric::ALL.len()];
    for metric in Metric::ALL {
        for quantile in Quantile::ALL {
            let values = repeats
                .iter()
                .filter_map(|(_, p)| p.quantiles(metric).get(quantile));
            latency[metric as usize].set(quantile, median(values.collect()));
        }
    }
    Node {
        n,
        // A report's check has made sure of a positive rate.
        residence_s: n / rate.unwrap_or(f64::MIN_POSITIVE),
        latency,
    }
}

fn overloaded(report: &Report, point: &Point) -> Notice {
    let percent = point.failure_share().unwrap_or_default() * 100.0;
    Notice::new(
        "point-overloaded",
        format!(
            "{}: a point where {percent:.1}% of requests failed is left out.",
            report.id
        ),
        format!(
            "{}：有一个测量点 {percent:.1}% 的请求失败，未采用。",
            report.id
        ),
    )
}

fn not_placed(report: &Report, point: &Point) -> Notice {
    let rate = point.requests_per_s;
    Notice::new(
        "point-not-placed",
        format!(
            "{}: the point at {rate:.3} requests/s has neither a concurrency nor a mean latency, so the requests in service are unknown and it is left out; run it at a fixed concurrency.",
            report.id
        ),
        format!(
            "{}：{rate:.3} 次/秒 的测量点既没有并发数，也没有平均延迟，无法得知同时处理的请求数，未采用；请以固定并发重测。",
            report.id
        ),
    )
}

fn no_point(report: &Report) -> Notice {
    Notice::new(
        "report-has-no-usable-point",
        format!("{}: the report has no usable point.", report.id),
        format!("{}：报告没有可用的测量点。", report.id),
    )
}

fn single_point(report: &Report) -> Notice {
    Notice::new(
        "single-point",
        format!(
            "{}: one usable point is no curve; the replica is planned as if it always ran at that point. Measure at least three loads.",
            report.id
        ),
        format!(
            "{}：只有一个可用测量点，不成曲线；按该点的速度规划。请至少测三个负载。",
            report.id
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sweep;

    #[test]
    fn residence_time_is_linear_between_points_and_flat_outside() {
        // X(1) = 1, X(3) = 1.5: R goes from 1 s to 2 s, so R(2) = 1.5 s and X(2) = 1.3333.
        let (curve, notices) = Curve::of(&sweep(&[(1.0, 1.0), (3.0, 1.5)])).unwrap();
        assert!(notices.is_empty());
        assert!((curve.rate_at(2.0) - 2.0 / 1.5).abs() < 1e-12);
        assert_eq!(curve.rate_at(30.0), 1.5, "nothing is extrapolated");
        assert_eq!(curve.rate_at(0.5), 0.5, "below the smallest, R stays");
    }

    #[test]
    fn the_top_of_a_curve_that_falls_is_its_maximum() {
        let (curve, _) = Curve::of(&sweep(&[(1.0, 1.0), (5.0, 3.0), (20.0, 2.5)])).unwrap();
        assert_eq!(curve.largest_rate(), 3.0);
    }

    #[test]
    fn repeats_give_their_median() {
        let report = sweep(&[(1.0, 1.0), (4.0, 2.0), (4.0, 5.0), (4.0, 3.0)]);
        let (curve, _) = Curve::of(&report).unwrap();
        assert_eq!(curve.rate_at(4.0), 3.0);
    }

    #[test]
    fn an_open_loop_point_stands_where_littles_law_puts_it() {
        let mut report = sweep(&[(1.0, 1.0)]);
        report.points[0].concurrency = None;
        report.points[0].request_rate = Some(1.0);
        let unplaced = Curve::of(&report).unwrap_err();
        assert_eq!(unplaced.code, "point-not-placed");
        report.points[0].latency_s.mean = Some(2.5);
        let (curve, notices) = Curve::of(&report).unwrap();
        assert_eq!(curve.range(), (2.5, 2.5));
        assert_eq!(notices[0].code, "single-point");
    }

    #[test]
    fn a_run_of_failures_is_no_capacity() {
        let mut report = sweep(&[(1.0, 1.0), (8.0, 9.67)]);
        report.points[1].completed = Some(1648);
        report.points[1].failed = Some(1352);
        let (curve, notices) = Curve::of(&report).unwrap();
        assert_eq!(curve.largest_rate(), 1.0);
        assert_eq!(notices[0].code, "point-overloaded");
        assert!(notices[0].en.contains("45.1%"), "{}", notices[0].en);
    }
}
