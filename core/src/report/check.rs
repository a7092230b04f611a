//! The bounds of every figure in a report: one table, all faults together.

use super::{Metric, Quantile, Report};
use crate::problem::{Problem, Problems};

/// What a figure may be.
struct Bound {
    least: f64,
    /// Whether `least` itself is allowed.
    or_equal: bool,
    greatest: f64,
}

const fn above(least: f64, greatest: f64) -> Bound {
    Bound {
        least,
        or_equal: false,
        greatest,
    }
}

const fn from(least: f64, greatest: f64) -> Bound {
    Bound {
        least,
        or_equal: true,
        greatest,
    }
}

const CONCURRENCY: Bound = above(0.0, 1e6);
const RATE: Bound = above(0.0, 1e6);
/// Ten years.
const DURATION_S: Bound = above(0.0, 3.2e8);
/// Twelve days: past any time-out a client has.
const LATENCY_S: Bound = from(0.0, 1e6);
const TOKENS: Bound = from(0.0, 1e8);
/// Some hundred times the fastest published figure.
const TOKENS_PER_S_AN_ACCELERATOR: f64 = 1e7;

impl Report {
    /// Checks every figure against its bounds.
    ///
    /// # Errors
    /// All that are out of theirs.
    pub fn check(&self) -> Result<(), Problems> {
        let mut found = Vec::new();
        let accelerators = self.system.accelerators.unwrap_or(1);
        if accelerators == 0 || accelerators > 1024 {
            found.push(
                Problem::new(
                    "a replica has 1 to 1024 accelerators",
                    "每个副本有 1 到 1024 张加速卡",
                )
                .at("system.accelerators")
                .found(accelerators),
            );
        }
        let lengths = [
            ("workload.input_tokens", self.workload.input_tokens),
            ("workload.output_tokens", self.workload.output_tokens),
        ];
        for (path, tokens) in lengths {
            check(&mut found, path.to_owned(), tokens, &TOKENS);
        }
        check(
            &mut found,
            "network.rtt_s".into(),
            self.network.rtt_s,
            &LATENCY_S,
        );
        if self.points.is_empty() {
            found.push(
                Problem::new("the report holds no measured point", "报告中没有测量点").at("points"),
            );
        }
        let tokens_per_s = from(
            0.0,
            TOKENS_PER_S_AN_ACCELERATOR * f64::from(accelerators.max(1)),
        );
        for (i, point) in self.points.iter().enumerate() {
            let at = |field: &str| format!("points[{i}].{field}");
            check(
                &mut found,
                at("concurrency"),
                point.concurrency,
                &CONCURRENCY,
            );
            check(&mut found, at("request_rate"), point.request_rate, &RATE);
            check(&mut found, at("duration_s"), point.duration_s, &DURATION_S);
            check(
                &mut found,
                at("requests_per_s"),
                Some(point.requests_per_s),
                &RATE,
            );
            check(
                &mut found,
                at("input_tokens_per_s"),
                point.input_tokens_per_s,
                &tokens_per_s,
            );
            check(
                &mut found,
                at("output_tokens_per_s"),
                point.output_tokens_per_s,
                &tokens_per_s,
            );
            if point.completed == Some(0) {
                found.push(
                    Problem::new(
                        "no request completed, so nothing was measured",
                        "没有完成任何请求，无测量结果",
                    )
                    .at(at("completed"))
                    .found(0)
                    .remedy(
                        "leave this run out, or run it again",
                        "请去掉这次运行，或重新测量",
                    ),
                );
            }
            for metric in Metric::ALL {
                let field = match metric {
                    Metric::E2e => "latency_s".to_owned(),
                    other => format!("{}_s", other.key()),
                };
                for quantile in Quantile::ALL {
                    let value = point.quantiles(metric).get(quantile);
                    let path = at(&format!("{field}.{}", quantile.key()));
                    check(&mut found, path, value, &LATENCY_S);
                }
            }
        }
        Problems::none_in(found)
    }
}

fn check(found: &mut Vec<Problem>, path: String, value: Option<f64>, bound: &Bound) {
    let Some(value) = value else { return };
    let low = value < bound.least || (value == bound.least && !bound.or_equal);
    if value.is_finite() && !low && value <= bound.greatest {
        return;
    }
    let (en, zh) = if !value.is_finite() {
        ("is not a finite number", "不是有限的数")
    } else if value < 0.0 {
        ("is negative", "为负数")
    } else if low {
        ("must be above 0", "必须大于 0")
    } else {
        ("is implausibly large", "大得不合情理")
    };
    let (least, greatest) = (bound.least, bound.greatest);
    let from = if bound.or_equal { "from" } else { "above" };
    found.push(Problem::new(en, zh).at(path).found(value).remedy(
        format!("expected {from} {least} to {greatest:e}"),
        format!("应在 {least} 到 {greatest:e} 之间"),
    ));
}
