//! `inferplan demand`: what a trace of requests says about the demand.

use std::io::{self, Write};

use inferplan_core::{
    demand::{
        Demand, HOURS, Tokens,
        sql::{self, Dialect, Table},
        summary,
    },
    number::{grouped, significant},
    problem::Problem,
    text::Lang,
};

use crate::{
    args,
    failure::{Failure, Outcome},
    files,
    output::notes::{self, wrapped},
    prometheus,
    trace::{self, Options},
};

/// Reads the demand and prints it, or writes it to a file.
pub fn run(args: &args::Demand, lang: Lang) -> Result<Outcome, Failure> {
    if let (Some(engine), Some(table)) = (args.source.sql, &args.table) {
        let query = query(engine.into(), table, &args.columns);
        match &args.output {
            Some(path) => files::write(path, &query)?,
            None => io::stdout().lock().write_all(query.as_bytes())?,
        }
        return Ok(Outcome::Done);
    }
    let demand = demand(args)?;
    let text = if args.shape {
        let (shape, notice) = demand.shape()?;
        for notice in notice.iter().chain(&demand.warnings) {
            eprintln!("{}", wrapped(&notes::warning(notice, lang), "", "  "));
        }
        serde_json::to_string_pretty(&shape)? + "\n"
    } else if args.json || args.output.is_some() {
        serde_json::to_string_pretty(&demand)? + "\n"
    } else {
        people(&demand, lang)
    };
    match &args.output {
        Some(path) => files::write(path, &text)?,
        None => io::stdout().lock().write_all(text.as_bytes())?,
    }
    if args.output.is_some() && !args.json && !args.shape {
        io::stdout()
            .lock()
            .write_all(people(&demand, lang).as_bytes())?;
    }
    Ok(Outcome::Done)
}

/// The query for a table whose columns are named, or have our own names. `input=-` says there is
/// none.
fn query(dialect: Dialect, table: &str, columns: &[(String, String)]) -> String {
    let named = |field: &str, usual: &'static str| {
        let given = columns.iter().rev().find(|(name, _)| name == field);
        given.map_or(usual.to_owned(), |(_, header)| header.clone())
    };
    let (time, input, output) = (
        named("time", "timestamp"),
        named("input", "input_tokens"),
        named("output", "output_tokens"),
    );
    let there = |column: &str| column != "-";
    let table = Table {
        name: table,
        time: &time,
        input: Some(input.as_str()).filter(|column| there(column)),
        output: Some(output.as_str()).filter(|column| there(column)),
    };
    sql::query(dialect, &table)
}

fn demand(args: &args::Demand) -> Result<Demand, Problem> {
    if let Some(url) = &args.source.prometheus {
        return prometheus::demand(url, &args.monitor, jiff::Timestamp::now().as_second());
    }
    if let Some(path) = &args.source.summary {
        let (name, bytes) = files::read(path)?;
        let read = |bytes: &[u8]| summary::read(&files::decoded(bytes)?)?.demand(Vec::new());
        return read(&bytes).map_err(|problem| problem.in_file(&name));
    }
    let options = Options {
        columns: args.columns.clone(),
        zone: args.time_zone.clone(),
        unit: args.time_unit.map(Into::into),
        skip_bad_rows: args.skip_bad_rows,
    };
    trace::demand(&args.source.traces, &options)
}

fn people(demand: &Demand, lang: Lang) -> String {
    let figure = |value: f64| significant(value, 3);
    let requests = grouped(&demand.requests.to_string());
    let rate = figure(demand.mean_requests_per_s);
    let (from, to) = (&demand.from, &demand.to);
    let mut lines = vec![match lang {
        Lang::En => format!("{requests} requests, {rate} a second on average"),
        Lang::Zh => format!("{requests} 个请求，平均每秒 {rate} 个"),
    }];
    let mut say = |en: &str, zh: &str, value: String| {
        lines.push(match lang {
            Lang::En => format!("  {en}: {value}"),
            Lang::Zh => format!("  {zh}：{value}"),
        });
    };
    say("from", "起", from.clone());
    say("to", "止", to.clone());
    let unknown = match lang {
        Lang::En => "not known",
        Lang::Zh => "未知",
    };
    let maybe = |value: Option<f64>| value.map_or_else(|| unknown.to_owned(), figure);
    let peaks = &demand.peak_to_mean;
    let widths = match lang {
        Lang::En => ["1 s", "10 s", "1 min", "5 min", "1 h"],
        Lang::Zh => ["1 秒", "10 秒", "1 分钟", "5 分钟", "1 小时"],
    };
    let shown: Vec<String> = widths
        .iter()
        .zip([
            peaks.second,
            peaks.ten_seconds,
            peaks.minute,
            peaks.five_minutes,
            peaks.hour,
        ])
        .filter_map(|(width, peak)| Some(format!("{width} {}", figure(peak?))))
        .collect();
    let shown = if shown.is_empty() {
        unknown.to_owned()
    } else {
        shown.join(", ")
    };
    say(
        "peak over mean, by window",
        "峰值与均值之比（按窗口）",
        shown,
    );
    say(
        "variation of the gaps (random: 1)",
        "间隔变异系数（随机为 1）",
        maybe(demand.gap_cv),
    );
    say(
        "dispersion of a minute's count (random: 1)",
        "每分钟计数离散指数（随机为 1）",
        maybe(demand.dispersion_1min),
    );
    for (en, zh, tokens) in [
        ("input tokens", "输入词元", &demand.input_tokens),
        ("output tokens", "输出词元", &demand.output_tokens),
    ] {
        say(
            en,
            zh,
            tokens
                .as_ref()
                .map_or_else(|| unknown.to_owned(), |t| lengths(t, lang)),
        );
    }
    let mut text = lines.join("\n") + "\n";
    if demand
        .hourly
        .iter()
        .filter(|weight| weight.is_some())
        .count()
        > 1
    {
        text += &week(demand, lang);
    }
    for warning in &demand.warnings {
        text += &(wrapped(&notes::warning(warning, lang), "", "  ") + "\n");
    }
    text
}

fn lengths(tokens: &Tokens, lang: Lang) -> String {
    let mean = match lang {
        Lang::En => "mean",
        Lang::Zh => "平均",
    };
    let mut parts = vec![format!("{mean} {}", significant(tokens.mean, 4))];
    for (name, value) in [
        ("p50", tokens.p50),
        ("p90", tokens.p90),
        ("p95", tokens.p95),
        ("p99", tokens.p99),
        ("max", tokens.max),
    ] {
        parts.extend(value.map(|value| format!("{name} {value:.0}")));
    }
    parts.join(", ")
}

/// A line a day, a column an hour, as tall as the hour is busy.
fn week(demand: &Demand, lang: Lang) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let days = match lang {
        Lang::En => ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
        Lang::Zh => ["周一", "周二", "周三", "周四", "周五", "周六", "周日"],
    };
    let busiest = (0..HOURS).max_by(|a, b| {
        let weight = |at: &usize| demand.hourly.get(*at).copied().flatten().unwrap_or(0.0);
        weight(a).total_cmp(&weight(b))
    });
    let most = busiest.and_then(|at| demand.hourly[at]).unwrap_or(1.0);
    let mut text = match lang {
        Lang::En => "  hours of the week, UTC (0 to 23):\n".to_owned(),
        Lang::Zh => "  一周各小时，UTC（0 至 23）：\n".to_owned(),
    };
    for (day, hours) in days.iter().zip(demand.hourly.chunks(24)) {
        let bar = |weight: &Option<f64>| {
            weight.map_or('·', |weight| {
                BARS[((weight / most * 7.0).round() as usize).min(7)]
            })
        };
        text += &format!("    {day} {}\n", hours.iter().map(bar).collect::<String>());
    }
    if let Some(at) = busiest {
        let (day, hour, weight) = (days[at / 24], at % 24, significant(most, 3));
        text += &match lang {
            Lang::En => {
                format!("  busiest: {day} {hour:02}:00 UTC, {weight} times the mean hour\n")
            }
            Lang::Zh => format!("  最忙：{day} {hour:02}:00 UTC，为平均小时的 {weight} 倍\n"),
        };
    }
    text
}
