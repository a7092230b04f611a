//! Requests of other lengths than were measured.
//!
//! Within [`SAME_WITHIN`] of the report's own lengths its figures hold as they are. Otherwise the
//! work of a request is estimated from one report as (in′·a + out′·b) ÷ (in·a + out·b), with a the
//! report's TTFT per input token and b its TPOT, both at its lightest load. TTFT itself scales
//! with the input. This ignores that prefill and decode share a batch differently at load, so what
//! comes of it is an estimate. Two or more reports of other lengths do without that:
//! [`super::length_fit`].

use crate::{
    number::significant,
    report::{Metric, Report},
    text::Notice,
};

/// Lengths this near to the measured ones count as the same.
pub const SAME_WITHIN: f64 = 0.10;

/// How a wanted request compares with a measured one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// The same lengths.
    Measured,
    /// The report does not state its lengths, so they are taken as the wanted ones.
    Unstated,
    /// Other lengths.
    Estimated {
        /// Times the measured work.
        work: f64,
        /// Times the measured TTFT.
        first_token: f64,
    },
    /// Other lengths, from several reports of the system: [`super::length_fit`].
    Fitted,
}

/// Compares wanted lengths with a report's; `None` wants the report's own.
///
/// # Errors
/// Why other lengths cannot be estimated from this report.
pub fn compare(report: &Report, input: Option<u64>, output: Option<u64>) -> Result<Work, Notice> {
    let measured = (report.workload.input_tokens, report.workload.output_tokens);
    let wanted = (input.map(|n| n as f64), output.map(|n| n as f64));
    let same = |wanted: Option<f64>, measured: Option<f64>| match (wanted, measured) {
        (Some(wanted), Some(measured)) => (wanted - measured).abs() <= SAME_WITHIN * measured,
        _ => true,
    };
    if same(wanted.0, measured.0) && same(wanted.1, measured.1) {
        let unstated = (wanted.0.is_some() && measured.0.is_none())
            || (wanted.1.is_some() && measured.1.is_none());
        return Ok(if unstated {
            Work::Unstated
        } else {
            Work::Measured
        });
    }
    // One that is stated differs; without the other there is nothing to scale by.
    let (Some(input), Some(output)) = measured else {
        return Err(cannot_estimate(report));
    };
    let (Some(ttft), Some(tpot)) = lightest(report) else {
        return Err(cannot_estimate(report));
    };
    let per_input = if input > 0.0 { ttft / input } else { 0.0 };
    let work_of = |i: f64, o: f64| i * per_input + o * tpot;
    let (new_input, new_output) = (wanted.0.unwrap_or(input), wanted.1.unwrap_or(output));
    let work = work_of(new_input, new_output) / work_of(input, output);
    if !(work.is_finite() && work > 0.0) {
        return Err(cannot_estimate(report));
    }
    let first_token = if input > 0.0 { new_input / input } else { 1.0 };
    Ok(Work::Estimated { work, first_token })
}

/// Whether two reports state the same lengths, as far as they state them.
#[must_use]
pub fn alike(a: &Report, b: &Report) -> bool {
    let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= SAME_WITHIN * a.max(b),
        _ => true,
    };
    let (a, b) = (&a.workload, &b.workload);
    same(a.input_tokens, b.input_tokens) && same(a.output_tokens, b.output_tokens)
}

/// Seconds of work of an input and of an output token at the lightest load: what a request's work is
/// estimated by, relative to another's. `None` where the report lacks them.
#[must_use]
pub fn seconds_per_token(report: &Report) -> Option<(f64, f64)> {
    let input = report
        .workload
        .input_tokens
        .filter(|tokens| *tokens > 0.0)?;
    let (ttft, tpot) = lightest(report);
    Some((ttft? / input, tpot?))
}

/// Typical TTFT and TPOT (or ITL in its place) at the lightest load.
fn lightest(report: &Report) -> (Option<f64>, Option<f64>) {
    let load =
        |p: &&crate::report::Point| p.concurrency.or(p.request_rate).unwrap_or(f64::INFINITY);
    let Some(point) = report
        .points
        .iter()
        .min_by(|a, b| load(a).total_cmp(&load(b)))
    else {
        return (None, None);
    };
    let typical = |metric| point.quantiles(metric).typical();
    (
        typical(Metric::Ttft),
        typical(Metric::Tpot).or_else(|| typical(Metric::Itl)),
    )
}

/// Says that other lengths were estimated, as so many times the measured work.
#[must_use]
pub fn estimated(report: &Report, work: f64) -> Notice {
    let tokens = |n: Option<f64>| n.map_or_else(|| "?".to_owned(), |n| significant(n, 6));
    let measured = format!(
        "{} / {}",
        tokens(report.workload.input_tokens),
        tokens(report.workload.output_tokens)
    );
    let work = significant(work, 4);
    Notice::new(
        "lengths-estimated",
        format!(
            "Measured with {measured} tokens in / out; yours are estimated as {work} times that work, from TTFT and TPOT at the lightest load."
        ),
        format!(
            "以输入/输出 {measured} token 测得；按最轻负载的 TTFT 与 TPOT 估算，您的请求为其 {work} 倍工作量。"
        ),
    )
}

fn cannot_estimate(report: &Report) -> Notice {
    let id = &report.id;
    Notice::new(
        "lengths-differ",
        format!(
            "{id} was measured with other lengths, and without the TTFT and TPOT that an estimate for yours needs; measure your lengths."
        ),
        format!("{id} 以其他长度测得，且缺少估算所需的 TTFT 和 TPOT；请按您的长度重测。"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sweep;

    /// 1000 tokens in at 0.2 ms each, 100 out at 8 ms each: 0.2 s + 0.8 s of work.
    fn report() -> Report {
        let mut report = sweep(&[(1.0, 1.0), (4.0, 2.0)]);
        report.points[0].ttft_s.mean = Some(0.2);
        report.points[0].tpot_s.mean = Some(0.008);
        report
    }

    #[test]
    fn lengths_within_ten_percent_are_the_measured_ones() {
        assert_eq!(compare(&report(), Some(1100), Some(90)), Ok(Work::Measured));
        assert_eq!(compare(&report(), None, None), Ok(Work::Measured));
    }

    #[test]
    fn other_lengths_scale_by_work() {
        // Twice the output: 0.2 + 1.6 = 1.8 times the work, the same first token.
        let Ok(Work::Estimated { work, first_token }) = compare(&report(), None, Some(200)) else {
            panic!("an estimate");
        };
        assert!((work - 1.8).abs() < 1e-12);
        assert_eq!(first_token, 1.0);
        let Ok(Work::Estimated { work, first_token }) = compare(&report(), Some(500), None) else {
            panic!("an estimate");
        };
        assert!((work - 0.9).abs() < 1e-12);
        assert_eq!(first_token, 0.5);
    }

    #[test]
    fn what_cannot_be_estimated_says_so() {
        let mut bare = report();
        bare.points[0].tpot_s.mean = None;
        assert_eq!(
            compare(&bare, None, Some(200)).unwrap_err().code,
            "lengths-differ"
        );
        bare.workload.output_tokens = None;
        assert_eq!(compare(&bare, None, Some(200)), Ok(Work::Unstated));
        // The input is stated and is another: the whole cannot be taken as unstated.
        assert_eq!(
            compare(&bare, Some(9), Some(200)).unwrap_err().code,
            "lengths-differ"
        );
    }
}
