//! InferenceX (SemiAnalysis, once InferenceMAX) rows: a JSON array, one row a measured point.
//!
//! Throughput is **per GPU**: the replica's is that times the GPUs it is per, which are
//! `tp` × `pp` × `pcp_size`, or those of prefill and decode, each with a throughput of its own.
//! Latencies are in seconds. Lengths are those asked for; requests a second are not in a row.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Quantiles, Report, Software},
    text::Notice,
};

pub(super) struct Inferencex;

impl Format for Inferencex {
    fn name(&self) -> &'static str {
        "inferencex"
    }

    fn marks(&self) -> &'static str {
        "tput_per_gpu, conc, hw, tp"
    }

    fn recognises(&self, content: &Content) -> bool {
        let has_all = |value: &Value| {
            ["tput_per_gpu", "conc", "hw"]
                .iter()
                .all(|key| value.get(key).is_some())
        };
        rows(content).into_iter().any(has_all)
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let (mut reports, mut problems, mut passed_over) = (Vec::new(), Vec::new(), Vec::new());
        for (i, row) in rows(content).into_iter().enumerate() {
            let placed = |problem: Problem| {
                let path = problem.path.clone().unwrap_or_default();
                problem.at(format!("[{i}].{path}"))
            };
            match of_another_kind(row) {
                Some(problem) => passed_over.push((i, placed(problem))),
                None => match read_row(row) {
                    Ok(report) => reports.push(report),
                    Err(found) => problems.extend(found.into_iter().map(placed)),
                },
            }
        }
        if reports.is_empty() && problems.is_empty() {
            problems = passed_over.drain(..).map(|(_, problem)| problem).collect();
        }
        Problems::none_in(problems)?;
        if let Some(first) = reports.first_mut().filter(|_| !passed_over.is_empty()) {
            let places: Vec<String> = passed_over.iter().map(|(i, _)| i.to_string()).collect();
            let (count, places) = (places.len(), places.join(", "));
            first.warnings.push(Notice::new(
                "rows-not-read",
                format!("{count} row(s) of other kinds of run were not read: {places}."),
                format!("有 {count} 行属于其他类型的运行，未读取：{places}。"),
            ));
        }
        Ok(reports)
    }
}

fn rows(content: &Content) -> Vec<&Value> {
    match content.json() {
        Some(Value::Array(rows)) => rows.iter().collect(),
        Some(row) => vec![row],
        None => Vec::new(),
    }
}

fn flag(row: &Value, key: &str) -> bool {
    match row.get(key) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(word)) => word.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// A row that is a point of no one workload on no one kind of GPU, and why.
fn of_another_kind(row: &Value) -> Option<Problem> {
    if row.get("scenario_type").is_some() || row.get("request_metrics").is_some() {
        return Some(
            Problem::new(
                "agents' conversations are replayed here, which is no workload of one length",
                "此行重放智能体对话，不是固定长度的负载",
            )
            .at("scenario_type")
            .remedy("leave this row out", "请去掉此行"),
        );
    }
    let hardware = |key: &str| common::text(row, key);
    let (prefill, decode) = (hardware("/prefill_hw"), hardware("/decode_hw"));
    (prefill != decode).then(|| {
        Problem::new(
            "prefill and decode run on different kinds of GPU here",
            "此处预填充与解码在不同型号的 GPU 上",
        )
        .at("prefill_hw")
        .found(format!(
            "{}, {}",
            prefill.unwrap_or_default(),
            decode.unwrap_or_default()
        ))
        .remedy("leave this row out", "请去掉此行")
    })
}

/// The GPUs of one replica, and those that each throughput is per.
struct Gpus {
    all: u32,
    input: f64,
    output: f64,
}

fn gpus(row: &Value) -> Result<Gpus, Problem> {
    let number = |key: &str| {
        let found = common::required(row, &format!("/{key}"))?;
        common::accelerators(Some(found)).ok_or_else(|| {
            Problem::new("is not a number of GPUs", "不是 GPU 数量")
                .at(key)
                .found(found)
                .remedy("expected 1 to 1024", "应为 1 到 1024")
        })
    };
    // A key that older rows do not have is 1.
    let or_one = |key: &str| match row.get(key) {
        None | Some(Value::Null) => Ok(1),
        Some(_) => number(key),
    };
    if !flag(row, "disagg") && !flag(row, "is_multinode") {
        let all = number("tp")? * or_one("pp")? * or_one("pcp_size")?;
        let per = f64::from(all);
        return Ok(Gpus {
            all,
            input: per,
            output: per,
        });
    }
    let prefill = number("num_prefill_gpu")?;
    // Without decode GPUs of their own, the output is per GPU of all.
    let decode = match common::required(row, "/num_decode_gpu")? {
        0.0 => 0,
        _ => number("num_decode_gpu")?,
    };
    let all = prefill + decode;
    Ok(Gpus {
        all,
        input: prefill.into(),
        output: if decode == 0 { all } else { decode }.into(),
    })
}

fn read_row(row: &Value) -> Result<Report, Problems> {
    let mut problems = Vec::new();
    let mut keep = |read: Result<f64, Problem>| {
        read.unwrap_or_else(|problem| {
            problems.push(problem);
            f64::NAN
        })
    };
    let concurrency = keep(common::required(row, "/conc"));
    let output_tokens = keep(above_0(row, "osl"));
    let input_tokens = common::optional(row, "/isl");
    let gpus = gpus(row).map_err(|problem| problems.push(problem)).ok();
    // Before October 2025 rows had the sum of both kinds of tokens alone.
    let per_gpu = |key: &str| common::optional(row, &format!("/{key}"));
    let output = match (&gpus, per_gpu("output_tput_per_gpu"), input_tokens) {
        (Some(gpus), Some(rate), _) => rate * gpus.output,
        (Some(gpus), None, Some(input_tokens)) if per_gpu("tput_per_gpu").is_some() => {
            let both = per_gpu("tput_per_gpu").unwrap_or_default() * f64::from(gpus.all);
            both * output_tokens / (input_tokens + output_tokens)
        }
        (Some(_), None, _) => match common::required(row, "/output_tput_per_gpu") {
            Ok(rate) => rate,
            Err(problem) => {
                problems.push(problem);
                f64::NAN
            }
        },
        (None, ..) => f64::NAN,
    };
    Problems::none_in(problems)?;
    let Some(gpus) = gpus else {
        return Err(Problem::new("is missing", "缺失").at("tp").into());
    };
    let mut report = common::report("inferencex", None);
    let mut point = Point {
        concurrency: Some(concurrency),
        requests_per_s: output / output_tokens,
        output_tokens_per_s: Some(output),
        input_tokens_per_s: per_gpu("input_tput_per_gpu").map(|rate| rate * gpus.input),
        latency_s: seconds(row, "e2el"),
        ttft_s: seconds(row, "ttft"),
        tpot_s: seconds(row, "tpot"),
        itl_s: seconds(row, "itl"),
        ..Point::default()
    };
    report.warnings.push(Notice::new(
        "per-gpu-scaled",
        "Throughput is given per GPU; the replica's is that times its GPUs.",
        "吞吐按单卡给出；副本吞吐为其乘以卡数。",
    ));
    report.warnings.push(Notice::new(
        "lengths-as-asked",
        "The lengths are the most that requests were asked to have, and requests a second are output tokens a second by that: with shorter requests there were more of them.",
        "长度为所要求的上限，每秒请求数由每秒输出 token 数除以它得出：若实际请求较短，则请求数更多。",
    ));
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.workload.input_tokens = input_tokens;
    report.workload.output_tokens = Some(output_tokens);
    report.workload.arrivals = Some(Arrivals::Closed);
    report.model.name = common::text(row, "/model");
    report.model.precision = common::text(row, "/precision");
    report.system.accelerators = Some(gpus.all);
    report.system.accelerator =
        common::text(row, "/hw").and_then(|hw| accelerator(&hw, &mut report.warnings));
    report.system.engine = engine(row);
    report.system.container_image = common::text(row, "/image");
    report.measured_on = common::text(row, "/date").and_then(|stamp| common::day_of(&stamp));
    report.points = vec![point];
    Ok(report)
}

fn above_0(row: &Value, key: &str) -> Result<f64, Problem> {
    let found = common::required(row, &format!("/{key}"))?;
    if found > 0.0 {
        return Ok(found);
    }
    Err(Problem::new("must be above 0", "必须大于 0")
        .at(key)
        .found(found)
        .remedy("expected a number of tokens", "应为 token 数"))
}

/// The accelerator of a runner: `h200-trt`, `cluster:gb200-nv`.
fn accelerator(hw: &str, notices: &mut Vec<Notice>) -> Option<crate::accelerator::Accelerator> {
    let name = hw.rsplit(':').next().unwrap_or(hw);
    let name = name.split(['-', '_']).next().unwrap_or(name);
    common::accelerator(&name.to_uppercase(), notices)
}

/// The engine and what it was set to, without which two sweeps of one system look like one.
fn engine(row: &Value) -> Option<Software> {
    let framework = common::text(row, "/framework")?;
    let mut settings = Vec::new();
    let count = |key: &str| common::count(row, &format!("/{key}")).unwrap_or(1);
    if let Some(method) = common::text(row, "/spec_decoding").filter(|method| method != "none") {
        settings.push(format!("speculative {method}"));
    }
    if flag(row, "disagg") {
        let sides = ["prefill", "decode"].map(|side| {
            let of = |key: &str| count(&format!("{side}_{key}"));
            let (workers, tp, ep) = (of("num_workers"), of("tp"), of("ep"));
            let attention = flag(row, &format!("{side}_dp_attention"));
            let attention = if attention { " dp-attention" } else { "" };
            format!("{workers} {side} tp{tp} ep{ep}{attention}")
        });
        settings.extend(sides);
    }
    for (key, label) in [
        ("pp", "pp"),
        ("ep", "ep"),
        ("dcp_size", "dcp"),
        ("pcp_size", "pcp"),
    ] {
        if count(key) > 1 {
            settings.push(format!("{label}{}", count(key)));
        }
    }
    if flag(row, "dp_attention") {
        settings.push("dp-attention".to_owned());
    }
    let name = match settings.as_slice() {
        [] => framework,
        settings => format!("{framework} ({})", settings.join(", ")),
    };
    Some(Software {
        name,
        version: None,
    })
}

/// `median_ttft`, `p99_ttft`, …: seconds.
fn seconds(row: &Value, metric: &str) -> Quantiles {
    let mut quantiles = Quantiles::default();
    for quantile in Quantile::ALL {
        let figure = |statistic: &str| common::optional(row, &format!("/{statistic}_{metric}"));
        let mut value = figure(quantile.key());
        if quantile == Quantile::P50 {
            value = value.or(figure("median"));
        }
        quantiles.set(quantile, value);
    }
    quantiles
}

#[cfg(test)]
mod tests;
