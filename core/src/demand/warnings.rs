//! What to know before using the figures of a trace.

use crate::{number::significant, text::Notice};

use super::{
    HOURS,
    counts::Window,
    stamp::{self, SECOND},
    totals::{Silence, Totals, WINDOWS_S, shows},
};

/// A silence shorter than this is told by no monitor.
const SHORT_S: i64 = 10;
/// How many silences as long a trace as this may have before one is believed.
const IMPROBABLE: f64 = 1e-6;

pub(super) fn all(totals: &Totals, grid: Option<i64>) -> Vec<Notice> {
    let mut found = Vec::new();
    if let Some(grid) = grid {
        let hidden: Vec<String> = WINDOWS_S
            .iter()
            .filter(|width| !shows(Some(grid), **width))
            .map(|width| format!("{width} s"))
            .collect();
        let (en, zh) = (hidden.join(", "), hidden.join("、"));
        found.push(Notice::new(
            "times-on-grid",
            format!("The times lie on a grid of {grid} s: the variation of gaps and the peaks of {en} would come from the grid, and are left out."),
            format!("时间戳落在 {grid} 秒的网格上：间隔变异系数以及 {zh} 峰值会是网格造成的假象，已省略。"),
        ));
    }
    if totals.late > 0 {
        let late = totals.late;
        found.push(Notice::new(
            "times-out-of-order",
            format!("{late} rows are earlier than the row before: the variation of gaps is left out. Sort the trace by time to have it."),
            format!("有 {late} 行早于前一行：已省略间隔变异系数。按时间排序后即可得到。"),
        ));
    }
    if let Some(silence) = totals
        .silence
        .filter(|silence| improbable(totals, *silence))
    {
        let from = stamp::text(silence.from_ns - silence.from_ns.rem_euclid(SECOND));
        let seconds = silence.seconds;
        found.push(Notice::new(
            "silence-improbable",
            format!("No request for {seconds} s from {from}, which chance hardly gives at this rate: monitoring may have failed, and the mean is then too low."),
            format!("自 {from} 起 {seconds} 秒没有请求，以此速率几乎不可能：监控可能中断，平均值因而偏低。"),
        ));
    }
    if totals.skipped > 0 {
        let skipped = totals.skipped;
        found.push(Notice::new(
            "rows-skipped",
            format!(
                "{skipped} rows were left out: their time or a length is missing or cannot be read."
            ),
            format!("已跳过 {skipped} 行：时间或长度缺失或无法读取。"),
        ));
    }
    if totals.without_length > 0 {
        let without = totals.without_length;
        found.push(Notice::new(
            "lengths-missing",
            format!("{without} requests lack a length; the lengths are of the others."),
            format!("{without} 个请求缺少长度；长度统计仅包含其余请求。"),
        ));
    }
    found
}

/// What is missing of the week.
pub(super) fn hours(totals: &Totals, hourly: &[Option<f64>]) -> Vec<Notice> {
    if !totals.is_dated() {
        return vec![Notice::new(
            "times-relative",
            "The times count from the trace's start, not from 1970: which hours of the week they are is not known.",
            "时间从数据起点而非 1970 年计起：无法得知属于一周的哪些小时。",
        )];
    }
    let mut found = Vec::new();
    let span_s = (totals.last_ns - totals.first_ns) as f64 / SECOND as f64;
    // A week's export may lack the last seconds before its end.
    if span_s < 0.99 * HOURS as f64 * 3600.0 {
        let (en, zh) = span(span_s);
        found.push(Notice::new(
            "span-under-week",
            format!(
                "The trace is of {en}, not a week: its mean and peaks are those of that time only."
            ),
            format!("数据只有 {zh}，不足一周：平均值和峰值只代表这段时间。"),
        ));
    }
    let unseen = hourly.iter().filter(|weight| weight.is_none()).count();
    if unseen > 0 {
        found.push(Notice::new(
            "hours-unseen",
            format!("{unseen} of the week's 168 hours were not seen, or for less than 5 minutes."),
            format!("一周 168 小时中有 {unseen} 小时没有数据或不足 5 分钟。"),
        ));
    }
    found
}

fn span(seconds: f64) -> (String, String) {
    let (figure, en, zh) = if seconds < 7200.0 {
        (seconds / 60.0, "minutes", "分钟")
    } else if seconds < 172_800.0 {
        (seconds / 3600.0, "hours", "小时")
    } else {
        (seconds / 86_400.0, "days", "天")
    };
    let figure = significant(figure, 2);
    (format!("{figure} {en}"), format!("{figure} {zh}"))
}

/// Whether as long a silence is out of reach of arrivals as uneven as these: the chance of it falls
/// as e^(−rate × length ÷ dispersion). The dispersion of hours, where known, allows for quiet nights.
fn improbable(totals: &Totals, silence: Silence) -> bool {
    let uneven = |at: usize| totals.windows[at].as_ref().and_then(Window::dispersion);
    let dispersion = [uneven(2), uneven(4)]
        .into_iter()
        .flatten()
        .fold(1.0, f64::max);
    let rate = totals.requests as f64 / totals.observed_s;
    let expected = totals.requests as f64 * (-rate * silence.seconds as f64 / dispersion).exp();
    silence.seconds >= SHORT_S && expected < IMPROBABLE
}
