//! Counters from the HTTP API of a Prometheus, or of what answers as one.

use std::collections::BTreeMap;

use inferplan_core::{
    demand::{
        Demand,
        counters::{Counter, Counters, ENGINES, Engine},
    },
    problem::Problem,
};
use reqwest::Url;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{args::Monitor, fetch};

/// Prometheus gives at most 11,000 moments of a series.
const MOST_MOMENTS: usize = 10_000;
/// Values of one answer, which bound its size.
const MOST_VALUES: usize = 500_000;
/// The longest span, steps: two years of minutes.
const MOST_STEPS: i64 = 1_100_000;
const WEEK_S: i64 = 7 * 86_400;

/// One answer of the API.
#[derive(Deserialize)]
struct Answer<T> {
    status: String,
    data: Option<T>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Matrix {
    result: Vec<Series>,
}

#[derive(Deserialize)]
struct Series {
    metric: BTreeMap<String, String>,
    #[serde(default)]
    values: Vec<(f64, String)>,
}

/// The demand that counters show. `now_s` is the end unless the flags give one.
///
/// # Errors
/// A server that cannot be reached or refuses, no counter that is known here, or no request.
pub fn demand(base: &Url, asked: &Monitor, now_s: i64) -> Result<Demand, Problem> {
    let server = Server { base };
    let step_s = i64::from(asked.step);
    let to_s = asked.to.unwrap_or(now_s).div_euclid(step_s) * step_s;
    let from_s = asked.from.unwrap_or(to_s - WEEK_S).div_euclid(step_s) * step_s;
    let steps = (to_s - from_s) / step_s;
    if !(1..=MOST_STEPS).contains(&steps) {
        return Err(Problem::new(
            "the span holds no step, or too many",
            "时间范围内没有步长，或步长过多",
        )
        .at("--from, --to, --step")
        .found(format!("{steps} steps of {step_s} s"))
        .remedy(
            format!("expected 1 to {MOST_STEPS} steps"),
            format!("应为 1 到 {MOST_STEPS} 步"),
        ));
    }
    let selector = asked.selector.as_deref().unwrap_or_default();
    let span = (from_s, to_s);
    let (engine, series) = server.engine(asked.engine, selector, span)?;
    let mut counters = Counters::new(from_s, step_s, steps as usize);
    let chunk = (MOST_VALUES / series.max(1)).clamp(100, MOST_MOMENTS);
    for (metric, counter) in [
        (engine.requests, &mut counters.requests),
        (engine.input, &mut counters.input),
        (engine.output, &mut counters.output),
    ] {
        let query = Engine::query(metric, selector, step_s);
        server.fill(counter, &query, (from_s, step_s, steps as usize), chunk)?;
    }
    counters.demand().map_err(|problem| {
        let name = server.name();
        problem.in_file(&name).at(engine.requests).remedy(
            "widen --from and --to, or make --step twice the scrape interval or more",
            "请扩大 --from 与 --to 的范围，或将 --step 设为采集间隔的两倍以上",
        )
    })
}

struct Server<'a> {
    base: &'a Url,
}

impl Server<'_> {
    /// The address for messages, without a password.
    fn name(&self) -> String {
        let mut shown = self.base.clone();
        // Only addresses without a host refuse, and those were refused before.
        let _ = shown.set_password(None);
        shown.to_string()
    }

    /// The engine asked for, or the one whose counters are there, and its series.
    fn engine(
        &self,
        asked: Option<Engine>,
        selector: &str,
        (from_s, to_s): (i64, i64),
    ) -> Result<(Engine, usize), Problem> {
        let candidates: Vec<Engine> = asked.map_or_else(|| ENGINES.to_vec(), |engine| vec![engine]);
        let mut found = Vec::new();
        for engine in &candidates {
            let words = [
                ("match[]", format!("{}{selector}", engine.requests)),
                ("start", from_s.to_string()),
                ("end", to_s.to_string()),
            ];
            let series: Vec<BTreeMap<String, String>> = self.ask("series", &words)?;
            if !series.is_empty() {
                found.push((*engine, series.len()));
            }
        }
        let names = |engines: &[Engine]| {
            let names: Vec<&str> = engines.iter().map(|engine| engine.requests).collect();
            names.join(", ")
        };
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(Problem::new(
                "it has no counter of requests that is known here, in this span",
                "该时间范围内没有已知的请求计数器",
            )
            .in_file(&self.name())
            .remedy(
                format!(
                    "looked for {}: are the span and --selector right?",
                    names(&candidates)
                ),
                format!("查找了 {}：请检查时间范围与 --selector", names(&candidates)),
            )),
            several => {
                let engines: Vec<&str> = several.iter().map(|(engine, _)| engine.name).collect();
                Err(Problem::new(
                    "it has counters of several engines",
                    "其中有多种引擎的计数器",
                )
                .in_file(&self.name())
                .found(engines.join(", "))
                .remedy("say which: --engine NAME", "请指定：--engine NAME"))
            }
        }
    }

    /// Takes in a counter over the whole span, some moments at a time.
    fn fill(
        &self,
        counter: &mut Counter,
        query: &str,
        (from_s, step_s, steps): (i64, i64, usize),
        chunk: usize,
    ) -> Result<(), Problem> {
        let mut first = 0;
        while first <= steps {
            let last = (first + chunk - 1).min(steps);
            let at = |moment: usize| from_s + moment as i64 * step_s;
            let words = [
                ("query", query.to_owned()),
                ("start", at(first).to_string()),
                ("end", at(last).to_string()),
                ("step", step_s.to_string()),
            ];
            let matrix: Matrix = self.ask("query_range", &words)?;
            for series in matrix.result {
                let name = format!("{:?}", series.metric);
                for (time_s, value) in &series.values {
                    let moment = ((time_s - from_s as f64) / step_s as f64).round();
                    let value = value.parse().map_err(|_| {
                        self.unlike(format!("{name}: {value}"))
                            .remedy("expected a number", "应为数值")
                    })?;
                    counter.take(&name, moment.max(0.0) as usize, value);
                }
            }
            first = last + 1;
        }
        Ok(())
    }

    fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        words: &[(&str, String)],
    ) -> Result<T, Problem> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["api", "v1", method]);
        }
        url.query_pairs_mut().extend_pairs(words);
        let (status, body) = fetch::answer(url, &self.name())?;
        let Ok(answer) = serde_json::from_slice::<Answer<T>>(&body) else {
            let text = String::from_utf8_lossy(&body);
            return Err(self.unlike(format!("{status}: {}", text.trim())).remedy(
                "is the address that of the server itself, such as http://prometheus:9090?",
                "请检查地址是否为服务器本身，例如 http://prometheus:9090",
            ));
        };
        match answer {
            Answer {
                status,
                data: Some(data),
                ..
            } if status == "success" => Ok(data),
            Answer { error, .. } => {
                let error = error.unwrap_or_else(|| status.to_string());
                Err(Problem::new("it refused the query", "服务器拒绝了查询")
                    .in_file(&self.name())
                    .found(error)
                    .remedy("check --selector and --step", "请检查 --selector 与 --step"))
            }
        }
    }

    fn unlike(&self, found: String) -> Problem {
        Problem::new(
            "this is not an answer of a Prometheus",
            "这不是 Prometheus 的应答",
        )
        .in_file(&self.name())
        .found(found)
    }
}
