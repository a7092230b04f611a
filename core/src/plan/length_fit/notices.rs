//! What to know of a fit, or why there is none.

use super::{Fit, Measured};
use crate::{number::significant, text::Notice};

pub(super) fn told(fit: &Fit) -> Notice {
    let lengths: Vec<String> = fit.reports.iter().map(Measured::lengths).collect();
    let count = lengths.len();
    let (low, high) = (fit.tokens[0].n, fit.tokens[fit.tokens.len() - 1].n);
    let (low, high) = (significant(low, 4), significant(high, 4));
    let percent = |share: f64| format!("{}%", significant(share * 100.0, 2));
    let residual = percent(fit.error.residual);
    let (error_en, error_zh) = match (fit.error.left_out, count) {
        (Some(left_out), _) => {
            let left_out = percent(left_out);
            (
                format!(
                    "It is within {residual} of them, and within {left_out} of each when predicted without it."
                ),
                format!("与各报告相差至多 {residual}；去掉任一报告再预测它，相差至多 {left_out}。"),
            )
        }
        (None, _) if fit.error.residual > 1e-6 => (
            format!("It is within {residual} of them; how well it predicts others is not known."),
            format!("与各报告相差至多 {residual}；对其他长度的误差未知。"),
        ),
        (None, _) => (
            "Two lengths give it exactly, so its error is not known: a third would tell."
                .to_owned(),
            "两种长度恰好确定该模型，误差未知；请再测第三种长度。".to_owned(),
        ),
    };
    Notice::new(
        "lengths-fitted",
        format!(
            "Estimated from {count} reports of this system, of {} tokens in / out: work of prefill and decode apart, for {low} to {high} requests in service. {error_en}",
            lengths.join(", ")
        ),
        format!(
            "由同一系统的 {count} 份报告（输入/输出 {} token）估算：分别拟合预填充与解码的工作量，并发 {low} 至 {high}。{error_zh}",
            lengths.join("、")
        ),
    )
}

fn names(reports: &[Measured]) -> String {
    let names: Vec<String> = reports
        .iter()
        .map(|report| format!("{} ({})", report.id, report.lengths()))
        .collect();
    names.join(", ")
}

pub(super) fn other_systems() -> Notice {
    Notice::new(
        "lengths-other-systems",
        "Prefill and decode can be told apart only by reports of one system: accelerator, their number, engine, model and precision.",
        "只有同一系统（加速卡、卡数、引擎、模型、精度）的报告才能区分预填充与解码。",
    )
}

pub(super) fn too_few() -> Notice {
    Notice::new(
        "lengths-too-few",
        "Telling prefill from decode takes two reports that state their lengths and have a usable point.",
        "区分预填充与解码需要两份写明长度且有可用测量点的报告。",
    )
}

pub(super) fn collinear(reports: &[Measured]) -> Notice {
    let names = names(reports);
    Notice::new(
        "lengths-collinear",
        format!(
            "{names}: output over input is nearly the same in all, so prefill cannot be told from decode; measure one with a ratio at least a fifth apart."
        ),
        format!(
            "{names}：输出与输入之比几乎相同，无法区分预填充与解码；请另测一种比值至少相差五分之一的长度。"
        ),
    )
}

pub(super) fn no_common_load(reports: &[Measured]) -> Notice {
    let names = names(reports);
    Notice::new(
        "lengths-no-common-load",
        format!(
            "{names}: no number of requests in service lies in the range of all, so prefill cannot be told from decode; measure the same loads."
        ),
        format!("{names}：没有共同的并发范围，无法区分预填充与解码；请测相同的负载。"),
    )
}
