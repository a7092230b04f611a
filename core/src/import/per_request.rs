//! Per-request arrays of vLLM's `--save-detailed` and SGLang's `--output-details`: exact quantiles
//! in place of the printed ones.

use serde_json::Value;

use crate::{
    report::{Metric, Point, samples},
    text::Notice,
};

/// Replaces a point's statistics by those of its arrays, with their intervals. `ttfts` and `itls`
/// are in seconds; a request that failed has an error, or no output.
pub(super) fn apply(run: &Value, point: &mut Point, notices: &mut Vec<Notice>) {
    let array = |key: &str| run.get(key).and_then(Value::as_array);
    let (Some(ttfts), Some(itls)) = (array("ttfts"), array("itls")) else {
        notices.push(Notice::new(
            "no-per-request-figures",
            "The file holds no per-request arrays, so its printed statistics are kept: save with --save-detailed.",
            "文件中没有逐请求数据，保留其打印的统计：请用 --save-detailed 保存。",
        ));
        return;
    };
    let failed = |i: usize| {
        let error = array("errors").and_then(|errors| errors.get(i)?.as_str());
        let output = array("output_lens").and_then(|lengths| lengths.get(i)?.as_u64());
        error.is_some_and(|error| !error.is_empty()) || output == Some(0)
    };
    let (mut first, mut gaps, mut per_token, mut whole) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, (ttft, itl)) in ttfts.iter().zip(itls).enumerate() {
        let (Some(ttft), Some(itl)) = (ttft.as_f64(), itl.as_array()) else {
            continue;
        };
        if failed(i) {
            continue;
        }
        let own: Vec<f64> = itl.iter().filter_map(Value::as_f64).collect();
        let decoding: f64 = own.iter().sum();
        first.push(ttft);
        whole.push(ttft + decoding);
        let output = array("output_lens").and_then(|lengths| lengths.get(i)?.as_f64());
        if let Some(output) = output.filter(|output| *output > 1.0) {
            per_token.push(decoding / (output - 1.0));
        }
        gaps.extend(own);
    }
    point.intervals.clear();
    for (metric, values, field) in [
        (Metric::Ttft, first, &mut point.ttft_s),
        (Metric::Itl, gaps, &mut point.itl_s),
        (Metric::Tpot, per_token, &mut point.tpot_s),
        (Metric::E2e, whole, &mut point.latency_s),
    ] {
        if !values.is_empty() {
            let (quantiles, intervals) = samples::of(metric.key(), values);
            *field = quantiles;
            point.intervals.extend(intervals);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::import::{Loader, Options, read_loaded, tests::fixture};

    #[test]
    fn arrays_give_exact_quantiles_and_intervals_when_asked_for() {
        let bytes = fixture("vllm-serve", "detailed.json");
        let read = |per_request: bool| {
            let mut loader = Loader::new("f", per_request);
            loader.push(&bytes).unwrap();
            let loaded = loader.finish(|_| None).unwrap();
            let options = Options {
                per_request,
                ..Options::default()
            };
            read_loaded(vec![loaded], &options)
                .unwrap()
                .reports
                .remove(0)
                .points
                .remove(0)
        };
        let printed = read(false);
        assert_eq!(
            (printed.ttft_s.p99, printed.intervals.len()),
            (Some(0.9), 0)
        );
        let exact = read(true);
        // TTFTs 0.01 … 1.00 s in steps of 0.01, one failed and left out: the median of 99 is 0.50.
        assert_eq!(exact.ttft_s.p50, Some(0.5));
        // Each of 3 tokens after the first takes 0.1 s.
        assert!((exact.tpot_s.p99.unwrap() - 0.1).abs() < 1e-12);
        assert!((exact.latency_s.p50.unwrap() - 0.8).abs() < 1e-12);
        let p99 = exact.intervals.iter().find(|i| i.of == "ttft_p99").unwrap();
        assert_eq!(p99.samples, 99);
        assert!(p99.low_s < 0.98 && p99.high_s >= 0.98, "{p99:?}");
    }
}
