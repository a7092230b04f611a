//! Faults of `bench_serving`'s counting that a run's own figures give away.

use serde_json::Value;

use super::super::{Options, common, slim};
use crate::{
    report::{Point, Quantiles, Report},
    text::Notice,
};

/// Text that was seen and counted again differs a little from what the server counts.
const LEAST_SEEN: f64 = 0.75;
/// Below this an asked length divides a total by chance.
const LEAST_TELLING: u64 = 32;
/// Outputs shorter than asked by less than this change a time per token by no more.
const SHORT_OF_ASKED: f64 = 0.95;
/// Means that follow from one another agree to this.
const AGREES_WITHIN: f64 = 0.02;

/// Mends what can be, and warns.
pub(super) fn mend(run: &Value, report: &mut Report, options: &Options) {
    let Report {
        points,
        workload,
        warnings,
        ..
    } = report;
    let [point] = points.as_mut_slice() else {
        return;
    };
    warnings.extend(tokens_not_seen(run, point));
    count_failed(run, point, options);
    let tokens = common::count(run, "/total_output_tokens");
    if let Some(notice) = empty_responses(run, point, options) {
        warnings.push(notice);
        let good = point.completed.filter(|good| *good > 0);
        workload.output_tokens = tokens
            .zip(good)
            .map(|(tokens, good)| tokens as f64 / good as f64);
    }
    warnings.extend(tpot_of_asked(run, point, workload.output_tokens));
}

/// Sent requests are one error text each, empty for a success; where the array is whole, the rest
/// of them failed.
fn count_failed(run: &Value, point: &mut Point, options: &Options) {
    if let (None, Some(errors)) = (point.failed, whole(run, "errors", options)) {
        let said = |error: &&Value| error.as_str().is_some_and(|error| !error.is_empty());
        point.failed = Some(errors.iter().filter(said).count() as u64);
    }
}

/// A per-request array, unless it was cut down.
fn whole<'v>(run: &'v Value, key: &str, options: &Options) -> Option<&'v Vec<Value>> {
    let array = run.get(key)?.as_array()?;
    let is_whole = options.per_request || array.len() < slim::KEPT;
    (is_whole && !array.is_empty()).then_some(array)
}

/// The tokens of the text that was streamed, counted again, against the tokens reported. Where no
/// text came, TTFT is 0 and the time per token holds it, so it is none either.
fn tokens_not_seen(run: &Value, point: &mut Point) -> Option<Notice> {
    let seen = common::count(run, "/total_output_tokens_retokenized")?;
    let said = common::count(run, "/total_output_tokens")?;
    if said == 0 || seen as f64 >= LEAST_SEEN * said as f64 {
        return None;
    }
    if point.ttft_s == Quantiles::default() {
        point.tpot_s = Quantiles::default();
    }
    Some(Notice::new(
        "tokens-not-seen",
        format!(
            "{said} output tokens are reported, but the text that came holds {seen}: a response that ended early may count as the length asked for, so output tokens and times per token are in doubt."
        ),
        format!(
            "报告称输出 {said} 个 token，但收到的文本只有 {seen} 个：提前结束的响应可能按请求的长度计数，输出 token 数与每 token 时间存疑。"
        ),
    ))
}

/// Responses that came back well and empty are no service: they move to the failed.
fn empty_responses(run: &Value, point: &mut Point, options: &Options) -> Option<Notice> {
    let completed = point.completed.filter(|completed| *completed > 0)?;
    let empty = counted_empty(run, completed, options).or_else(|| implied_empty(run, completed))?;
    if empty == 0 || empty >= completed {
        return None;
    }
    let good = completed - empty;
    point.completed = Some(good);
    point.failed = Some(point.failed.unwrap_or(0) + empty);
    point.requests_per_s *= good as f64 / completed as f64;
    Some(Notice::new(
        "empty-responses",
        format!(
            "{empty} of {completed} successful responses are empty; they count as failed, but the file's latencies still hold them."
        ),
        format!("{completed} 个成功响应中有 {empty} 个为空，按失败计；但文件中的延迟仍包含它们。"),
    ))
}

/// Successes without a token, where every request's output is in the file.
fn counted_empty(run: &Value, completed: u64, options: &Options) -> Option<u64> {
    let lengths = whole(run, "output_lens", options)?;
    let zeros = lengths.iter().filter(|n| n.as_u64() == Some(0)).count() as u64;
    let failed = (lengths.len() as u64).saturating_sub(completed);
    Some(zeros.saturating_sub(failed))
}

/// A total that is a whole number of asked lengths, but of fewer than succeeded.
fn implied_empty(run: &Value, completed: u64) -> Option<u64> {
    let asked = asked_output(run)?;
    let tokens = common::count(run, "/total_output_tokens")?;
    let telling = asked == 1 || asked >= LEAST_TELLING;
    (telling && tokens > 0 && tokens % asked == 0).then(|| completed.saturating_sub(tokens / asked))
}

/// The output length asked of every request, where it was one.
fn asked_output(run: &Value) -> Option<u64> {
    let count = |key: &str| common::count(run, key).filter(|n| *n > 0);
    let one_length = common::optional(run, "/random_range_ratio").is_none_or(|ratio| ratio == 1.0);
    let dataset = common::text(run, "/dataset_name").unwrap_or_default();
    if dataset.starts_with("random") {
        count("/random_output_len").filter(|_| one_length)
    } else if dataset.starts_with("sharegpt") {
        count("/sharegpt_output_len")
    } else {
        count("/fixed_output_len")
    }
}

/// TPOT that is decoding time over the length asked for, not the one produced: its mean follows
/// from the others, its percentiles do not.
fn tpot_of_asked(run: &Value, point: &mut Point, produced: Option<f64>) -> Option<Notice> {
    // Worked out from per-request figures, it is of the lengths produced.
    if !point.intervals.is_empty() {
        return None;
    }
    let asked = asked_output(run)? as f64;
    let produced = produced.filter(|n| *n > 1.0 && *n < SHORT_OF_ASKED * asked)?;
    let decoding = point.latency_s.mean? - point.ttft_s.mean?;
    let tpot = point.tpot_s.mean.filter(|tpot| *tpot > 0.0)?;
    let implied = decoding / tpot + 1.0;
    if decoding <= 0.0 || (implied - asked).abs() > AGREES_WITHIN * asked {
        return None;
    }
    point.tpot_s = Quantiles {
        mean: Some(decoding / (produced - 1.0)),
        ..Quantiles::default()
    };
    Some(Notice::new(
        "tpot-of-asked-length",
        format!(
            "TPOT was divided by the {asked} tokens asked for, but {produced:.1} were produced a request: its mean is worked out anew, its percentiles are dropped."
        ),
        format!(
            "TPOT 按请求的 {asked} 个 token 计算，而每个请求实际只产生 {produced:.1} 个：平均值已重新计算，分位数已舍去。"
        ),
    ))
}
