//! Prefill and decode work apart, from two or more reports of one system with other lengths.
//!
//! With n requests in service a request of `in` and `out` tokens stays
//!
//! ```text
//! R(n; in, out) = in · p(n) + out · d(n)        p, d ≥ 0, seconds a token
//! ```
//!
//! p and d come from the reports' own R(n) = n ÷ X(n) at every measured n that lies in the range
//! of all of them, by non-negative least squares of the relative errors. Two lengths that are
//! independent give them exactly; more leave a residual, and each report can be predicted without
//! itself. Nothing is extrapolated in n.
//!
//! Latencies follow the report nearest in length: e2e by R's ratio, TTFT by the input's, as in
//! [`super::length`]; TPOT and ITL so that e2e stays TTFT + out × TPOT.

use crate::{
    number::significant,
    report::{Metric, Quantile, Report, curve::Curve},
    text::Notice,
};

/// Two ratios of output to input nearer than this share cannot tell prefill from decode: a
/// measurement's own noise would be magnified more than fivefold.
const APART: f64 = 0.2;

/// A report's lengths and curve.
#[derive(Clone, Debug)]
struct Measured {
    id: String,
    input: f64,
    output: f64,
    curve: Curve,
}

/// Seconds a token with n requests in service.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PerToken {
    n: f64,
    prefill_s: f64,
    decode_s: f64,
}

impl PerToken {
    fn residence_s(&self, input: f64, output: f64) -> f64 {
        input * self.prefill_s + output * self.decode_s
    }
}

/// How far the model is from the measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitError {
    /// The largest relative error of R at a measured load; 0 to rounding with two reports.
    pub residual: f64,
    /// The largest when each report is predicted from the others alone; `None` where the others
    /// cannot tell prefill from decode.
    pub left_out: Option<f64>,
}

/// Prefill and decode work by the number in service.
#[derive(Clone, Debug)]
pub struct Fit {
    reports: Vec<Measured>,
    /// By n, strictly increasing; never empty.
    tokens: Vec<PerToken>,
    error: FitError,
}

/// Whether two reports are of one system: accelerator, their number, engine, model and precision.
#[must_use]
pub fn same_system(a: &Report, b: &Report) -> bool {
    let of = |report: &Report| {
        let (system, model) = (&report.system, &report.model);
        (
            system.accelerator.clone(),
            system.accelerators,
            system.engine.clone(),
            model.name.clone(),
            model.precision.clone(),
        )
    };
    of(a) == of(b)
}

/// Fits the model to reports of one system. Those that state no lengths, or have no curve, are
/// left aside.
///
/// # Errors
/// Fewer than two reports left, reports of other systems, lengths that are not independent, no
/// load that all were measured around.
pub fn fit(reports: &[&Report]) -> Result<Fit, Notice> {
    if reports.windows(2).any(|two| !same_system(two[0], two[1])) {
        return Err(notices::other_systems());
    }
    let measured: Vec<Measured> = reports
        .iter()
        .filter_map(|report| measured(report))
        .collect();
    if measured.len() < 2 {
        return Err(notices::too_few());
    }
    if !independent(&measured.iter().collect::<Vec<_>>()) {
        return Err(notices::collinear(&measured));
    }
    let loads = common_loads(&measured);
    if loads.is_empty() {
        return Err(notices::no_common_load(&measured));
    }
    let all: Vec<&Measured> = measured.iter().collect();
    let tokens: Vec<PerToken> = loads.iter().map(|n| per_token(&all, *n)).collect();
    let residual = all
        .iter()
        .map(|report| largest_error(report, &tokens))
        .fold(0.0, f64::max);
    let left_out = (0..all.len()).map(|out| {
        let mut others = all.clone();
        let report = others.remove(out);
        independent(&others).then(|| {
            let tokens: Vec<PerToken> = loads.iter().map(|n| per_token(&others, *n)).collect();
            largest_error(report, &tokens)
        })
    });
    let error = FitError {
        residual,
        left_out: left_out.flatten().reduce(f64::max),
    };
    Ok(Fit {
        reports: measured,
        tokens,
        error,
    })
}

impl Fit {
    /// The curve of requests of other lengths, how far the model is from the measurements, and
    /// what to know.
    #[must_use]
    pub fn curve(&self, input: f64, output: f64) -> (Curve, FitError, Vec<Notice>) {
        let distance = |report: &Measured| {
            let ratio = |a: f64, b: f64| (a.max(1.0) / b.max(1.0)).ln().abs();
            ratio(input, report.input) + ratio(output, report.output)
        };
        let nearest = self
            .reports
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let nodes = self
            .tokens
            .iter()
            .map(|at| (at.n, at.residence_s(input, output)))
            .collect::<Vec<_>>();
        // `fit` has made sure of two reports.
        let base = nearest.unwrap_or(&self.reports[0]);
        let curve = base.curve.with_residence(&nodes, |n, residence_s, metric| {
            base.factor(n, residence_s, metric, (input, output))
        });
        let mut notices = vec![notices::told(self)];
        notices.extend(self.outside(input, output));
        (curve, self.error, notices)
    }

    /// Lengths beyond all that were measured.
    fn outside(&self, input: f64, output: f64) -> Option<Notice> {
        let beyond = |wanted: f64, of: fn(&Measured) -> f64| {
            let lengths = self.reports.iter().map(of);
            let (low, high) = lengths.fold((f64::INFINITY, 0.0_f64), |(low, high), length| {
                (low.min(length), high.max(length))
            });
            let slack = super::length::SAME_WITHIN;
            wanted < low * (1.0 - slack) || wanted > high * (1.0 + slack)
        };
        (beyond(input, |m| m.input) || beyond(output, |m| m.output)).then(|| {
            Notice::new(
                "lengths-outside",
                "Your lengths are outside those measured; the work a token is taken to stay the same there.",
                "您的长度超出所测范围；假定每 token 的工作量不变。",
            )
        })
    }
}

impl Measured {
    fn lengths(&self) -> String {
        format!(
            "{} / {}",
            significant(self.input, 6),
            significant(self.output, 6)
        )
    }

    /// By how much a latency of this report changes for other lengths, n requests in service.
    fn factor(
        &self,
        n: f64,
        residence_s: f64,
        metric: Metric,
        (input, output): (f64, f64),
    ) -> Option<f64> {
        let before = self.curve.residence_at(n);
        let longer = if self.input > 0.0 {
            input / self.input
        } else {
            1.0
        };
        let factor = match metric {
            Metric::E2e => residence_s / before,
            Metric::Ttft => longer,
            Metric::Tpot | Metric::Itl => {
                let first = self
                    .curve
                    .latency_at(Metric::Ttft, Quantile::Mean, n)
                    .unwrap_or(0.0);
                let now = (residence_s - first * longer) / output;
                now / ((before - first) / self.output)
            }
        };
        (factor.is_finite() && factor > 0.0).then_some(factor)
    }
}

fn measured(report: &Report) -> Option<Measured> {
    let (input, output) = (
        report.workload.input_tokens?,
        report.workload.output_tokens?,
    );
    let (curve, _) = Curve::of(report).ok()?;
    Some(Measured {
        id: report.id.clone(),
        input,
        output,
        curve,
    })
}

/// Whether any two lengths differ enough in their ratio of output to input. A ratio does not
/// depend on how much dearer a token of output is.
fn independent(reports: &[&Measured]) -> bool {
    reports.iter().enumerate().any(|(i, a)| {
        reports[i + 1..].iter().any(|b| {
            let (x, y) = (a.input * b.output, b.input * a.output);
            (x - y).abs() >= APART * x.max(y) && x.max(y) > 0.0
        })
    })
}

/// Every measured n within the range of all.
fn common_loads(reports: &[Measured]) -> Vec<f64> {
    let ranges = reports.iter().map(|report| report.curve.range());
    let (low, high) = ranges.fold((0.0_f64, f64::INFINITY), |(low, high), (l, h)| {
        (low.max(l), high.min(h))
    });
    let mut loads: Vec<f64> = reports
        .iter()
        .flat_map(|report| report.curve.measured())
        .filter(|n| (low..=high).contains(n))
        .collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup_by(|a, b| (*a - *b).abs() <= 1e-9 * b.abs());
    loads
}

/// p(n) and d(n) by least squares of the relative errors, neither below 0.
///
/// Lawson and Hanson's method for two unknowns: the free solution where it is not negative, else
/// the better of the two edges.
fn per_token(reports: &[&Measured], n: f64) -> PerToken {
    // Each row divided by its R: a·p + b·d = 1.
    let rows: Vec<(f64, f64)> = reports
        .iter()
        .map(|report| {
            let residence_s = report.curve.residence_at(n);
            (report.input / residence_s, report.output / residence_s)
        })
        .collect();
    let sum = |of: fn(&(f64, f64)) -> f64| rows.iter().map(of).sum::<f64>();
    let (aa, bb, ab) = (
        sum(|(a, _)| a * a),
        sum(|(_, b)| b * b),
        sum(|(a, b)| a * b),
    );
    let (a, b) = (sum(|(a, _)| *a), sum(|(_, b)| *b));
    // By Lagrange's identity the determinant is this sum of squares, without its cancellation.
    let determinant: f64 = rows
        .iter()
        .enumerate()
        .flat_map(|(i, x)| rows[i + 1..].iter().map(move |y| x.0 * y.1 - y.0 * x.1))
        .map(|minor| minor * minor)
        .sum();
    let free = (
        (a * bb - b * ab) / determinant,
        (b * aa - a * ab) / determinant,
    );
    let (prefill_s, decode_s) = if free.0 >= 0.0 && free.1 >= 0.0 {
        free
    } else {
        let error = |(p, d): (f64, f64)| -> f64 {
            let off = rows.iter().map(|(a, b)| a * p + b * d - 1.0);
            off.map(|e| e * e).sum()
        };
        let edge = |sum: f64, square: f64| if square > 0.0 { sum / square } else { 0.0 };
        let (only_prefill, only_decode) = ((edge(a, aa), 0.0), (0.0, edge(b, bb)));
        if error(only_prefill) < error(only_decode) {
            only_prefill
        } else {
            only_decode
        }
    };
    PerToken {
        n,
        prefill_s,
        decode_s,
    }
}

fn largest_error(report: &Measured, tokens: &[PerToken]) -> f64 {
    let error = |at: &PerToken| {
        let predicted = at.residence_s(report.input, report.output);
        (predicted / report.curve.residence_at(at.n) - 1.0).abs()
    };
    tokens.iter().map(error).fold(0.0, f64::max)
}

mod notices;
#[cfg(test)]
mod tests;
