//! A summary: one mean for each metric, counts and rates, under names that changed with releases.

use std::cell::RefCell;

use serde_json::{Map, Value};

use super::super::{common, fields::Fields, units};
use crate::{
    problem::{Problem, Problems},
    report::{Point, Report},
    text::Notice,
};

/// What a figure is called in any release, without its unit, in lower case.
type Names = &'static [&'static str];
const RATE: Names = &["req throughput", "request throughput", FIRST_RATE];
/// What the releases to April 2025 called their rate.
const FIRST_RATE: &str = "average qps";
const DURATION: Names = &["test duration", "time taken for tests"];
const CONCURRENCY: Names = &["concurrency", "number of concurrency"];
const OFFERED: Names = &["request rate"];
const TOTAL: Names = &["total requests"];
const SUCCESS: Names = &["success requests", "succeed requests"];
const FAILED: Names = &["failed requests"];
const STREAMED: Names = &["stream requests"];
const NOT_STREAMED: Names = &["non-stream requests"];
const LATENCY: Names = &["avg latency", "average latency"];
const TTFT: Names = &["avg ttft", "ttft", "average time to first token"];
const TPOT: Names = &["avg tpot", "tpot", "average time per output token"];
const ITL: Names = &["avg itl", "itl", "average inter-token latency"];
const INPUT: Names = &["avg input tokens", "average input tokens per request"];
const OUTPUT: Names = &["avg output tokens", "average output tokens per request"];
const OUTPUT_RATE: Names = &["output throughput", "output token throughput"];
const TOTAL_RATE: Names = &["total throughput", "total token throughput"];
const CACHED: Names = &["kv cache hit rate"];
/// Names with a known meaning that a plan has no use for. The input throughput is by the time to
/// the first token, not by the run's.
const USELESS: Names = &[
    "input throughput",
    "input token throughput",
    "throughput",
    "avg turns/request",
    "first-turn ttft",
    "avg first-turn ttft",
    "subsequent-turn ttft",
    "avg subsequent-turn ttft",
    "decoded tok/iter",
    "avg decoded tok/iter",
    "spec. accept rate",
    "average package latency",
    "average package per request",
];

/// Whether an object has a summary's rate, and one of its times.
pub(super) fn is_summary(map: &Map<String, Value>) -> bool {
    let has = |names: Names| map.keys().any(|key| is_one_of(names, key));
    has(RATE) && (has(DURATION) || has(LATENCY) || has(TTFT))
}

fn is_one_of(names: Names, key: &str) -> bool {
    let (name, _) = units::split_unit(key);
    names.contains(&name.to_lowercase().as_str())
}

/// A summary being read.
pub(super) struct Summary<'a> {
    fields: Fields<'a>,
    keys: Vec<&'a str>,
    problems: RefCell<Vec<Problem>>,
}

/// A figure with its key and the unit in it.
type Figure<'a> = (&'a str, Option<&'a str>, f64);

impl<'a> Summary<'a> {
    pub(super) fn of(map: &'a Map<String, Value>) -> Self {
        let fields = Fields::of(map);
        let keys: Vec<&str> = map.keys().map(String::as_str).collect();
        for key in &keys {
            if is_one_of(USELESS, key) {
                fields.skip(&[key]);
            }
        }
        Self {
            fields,
            keys,
            problems: RefCell::default(),
        }
    }

    /// The summary as a point; the lengths go to the report.
    pub(super) fn point(&self, open_loop: Option<bool>, report: &mut Report) -> Point {
        let failed = self.count(FAILED);
        let total = self.count(TOTAL);
        let completed = self.count(SUCCESS).or_else(|| total?.checked_sub(failed?));
        let duration_s = self.time_s(DURATION);
        let request_rate = self.rate(OFFERED, "req/s").filter(|rate| *rate > 0.0);
        let cap = self.plain(CONCURRENCY).filter(|n| *n > 0.0);
        let output = self.rate(OUTPUT_RATE, "tok/s");
        let both = self.rate(TOTAL_RATE, "tok/s");
        let mut point = Point {
            // In an open loop it is a label, and beside a rate only the arguments tell which.
            concurrency: match (open_loop, request_rate) {
                (Some(true), _) | (None, Some(_)) => None,
                (Some(false), _) | (None, None) => cap,
            },
            request_rate,
            duration_s,
            completed,
            failed,
            requests_per_s: self.requests_per_s(completed, duration_s, &mut report.warnings),
            input_tokens_per_s: both
                .zip(output)
                .map(|(both, output)| both - output)
                .filter(|input| *input >= 0.0),
            output_tokens_per_s: output,
            ..Point::default()
        };
        point.latency_s.mean = self.time_s(LATENCY);
        point.ttft_s.mean = self.time_s(TTFT);
        point.tpot_s.mean = self.time_s(TPOT);
        point.itl_s.mean = self.time_s(ITL);
        if self.key(&[FIRST_RATE]).is_some() && point.tpot_s.mean.take().is_some() {
            report.warnings.push(Notice::new(
                "tpot-defined-otherwise",
                "This release may give the run's time divided by all output tokens as time per output token: TPOT is not known.",
                "该版本给出的“每输出 token 时间”可能是总时间除以全部输出 token 数：TPOT 未知。",
            ));
        }
        if let Some(share) = self.plain(CACHED).filter(|share| *share > 0.0) {
            report.warnings.push(Notice::new(
                "prompts-cached",
                format!("{share}% of the prompt tokens came from the prefix cache: new prompts wait longer for their first token."),
                format!("{share}% 的提示 token 来自前缀缓存：新提示的首 token 会更慢。"),
            ));
        }
        report.workload.input_tokens = self.plain(INPUT);
        report.workload.output_tokens = self.plain(OUTPUT);
        point
    }

    /// Whether responses were streamed, where the summary says it.
    pub(super) fn streamed(&self) -> Option<bool> {
        let (streamed, not) = (self.count(STREAMED)?, self.count(NOT_STREAMED)?);
        (streamed + not > 0).then_some(streamed > 0)
    }

    /// Keeps a problem of another part, to be said with those of the summary.
    pub(super) fn keep(&self, read: Result<(), Problem>) {
        self.problems.borrow_mut().extend(read.err());
    }

    /// Every problem met; warnings go to the report.
    pub(super) fn finish(self, report: &mut Report) -> Result<(), Problems> {
        let (mut problems, notices) = self.fields.finish();
        problems.extend(self.problems.into_inner());
        Problems::none_in(problems)?;
        report.warnings.extend(notices);
        Ok(())
    }

    fn key(&self, names: Names) -> Option<&'a str> {
        self.keys.iter().copied().find(|key| is_one_of(names, key))
    }

    /// A figure under any of its names; −1 stands for none.
    fn figure(&self, names: Names) -> Option<Figure<'a>> {
        let key = self.key(names)?;
        let figure = self.fields.figure(key).filter(|figure| *figure >= 0.0)?;
        Some((key, units::split_unit(key).1, figure))
    }

    fn plain(&self, names: Names) -> Option<f64> {
        self.figure(names).map(|(_, _, figure)| figure)
    }

    fn count(&self, names: Names) -> Option<u64> {
        self.fields.count(self.key(names)?)
    }

    fn time_s(&self, names: Names) -> Option<f64> {
        let (key, unit, figure) = self.figure(names)?;
        in_seconds(key, unit, figure)
            .map_err(|problem| self.keep(Err(problem)))
            .ok()
    }

    /// A rate, which must be in the unit that every release has written.
    fn rate(&self, names: Names, unit: &str) -> Option<f64> {
        let (key, stated, figure) = self.figure(names)?;
        self.must_be(key, stated, unit);
        Some(figure)
    }

    fn must_be(&self, key: &str, stated: Option<&str>, unit: &str) {
        if stated.is_some_and(|stated| stated != unit) {
            self.keep(Err(Problem::new(
                "the key names no unit that is known for a rate",
                "键中没有已知的速率单位",
            )
            .at(key)
            .remedy(format!("expected ({unit})"), format!("应为 ({unit})"))));
        }
    }

    /// The rate of completed requests, which nothing works without.
    fn requests_per_s(
        &self,
        completed: Option<u64>,
        duration_s: Option<f64>,
        notices: &mut Vec<Notice>,
    ) -> f64 {
        let key = self.key(RATE).unwrap_or("Req Throughput (req/s)");
        let stated = self.fields.required(key);
        self.must_be(key, units::split_unit(key).1, "req/s");
        // Where nothing completed that is said instead.
        if stated <= 0.0 && completed != Some(0) {
            self.keep(Err(Problem::new("must be above 0", "必须大于 0")
                .at(key)
                .found(stated)
                .remedy(
                    "leave this run out, or run it again",
                    "请去掉这次运行，或重新测量",
                )));
        }
        common::rate(stated, completed, duration_s.unwrap_or(0.0), notices)
    }
}

/// A time in seconds, by the unit in its key.
pub(super) fn in_seconds(key: &str, unit: Option<&str>, figure: f64) -> Result<f64, Problem> {
    let per_second = match unit {
        // As the first releases spelt it.
        Some("senconds") => Some(1.0),
        unit => unit.and_then(units::per_second),
    };
    let per_second = per_second.ok_or_else(|| {
        Problem::new(
            "the key names no unit of time that is known",
            "键中没有已知的时间单位",
        )
        .at(key)
        .found(figure)
        .remedy("expected (s) or (ms)", "应为 (s) 或 (ms)")
    })?;
    Ok(figure / per_second)
}
