//! `inferplan capacity`: what a rate does to replicas, under random arrivals.

use std::io::{self, Write};

use inferplan_core::{
    number::significant,
    plan::{
        question::{self, Question},
        server::Dispatch,
    },
    problem::Problem,
    report::{Quantiles, Slo, curve::Curve},
    text::{Lang, Notice},
};

use crate::{
    args,
    failure::{Failure, Outcome},
    files,
    output::notes::{self, wrapped},
};

/// Answers for the one report that the files hold.
pub fn run(args: &args::Capacity, lang: Lang) -> Result<Outcome, Failure> {
    let imported = files::reports(&args.reports, &args.read.options())?;
    notes::passed_over(&imported.passed_over, lang);
    let report = match imported.reports.as_slice() {
        [one] => one,
        several => {
            return Err(Problem::new(
                "a capacity question is of one report",
                "容量问题只针对一份报告",
            )
            .at("--report")
            .found(several.len())
            .remedy("give the files of one sweep", "请给出同一组扫描的文件")
            .into());
        }
    };
    let (curve, more) = match Curve::of(report) {
        Ok(found) => found,
        Err(why) => return told(&[why], args.json, lang),
    };
    let slo = Slo(args.slo.clone());
    let dispatch = if args.shared_queue {
        Dispatch::Shared
    } else {
        Dispatch::Split
    };
    let asked = Question {
        curve: &curve,
        rate_per_s: args.rate,
        replicas: args.replicas,
        dispatch,
        slo: &slo,
        ceiling: args.utilization_ceiling,
    };
    let mut found = match question::answer(&report.id, &asked) {
        Ok(found) => found,
        Err(reasons) => return told(&reasons, args.json, lang),
    };
    found.warnings.extend(more);
    let text = if args.json {
        serde_json::to_string_pretty(&found)? + "\n"
    } else {
        people(&found, lang)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if found.meets_slo {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

/// Why there is no answer.
fn told(reasons: &[Notice], json: bool, lang: Lang) -> Result<Outcome, Failure> {
    let mut out = io::stdout().lock();
    if json {
        let document = serde_json::json!({
            "schema": "inferplan.capacity/1", "meets_slo": false, "reasons": reasons,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else {
        for reason in reasons {
            writeln!(out, "{}", wrapped(reason.get(lang), "", "  "))?;
        }
    }
    Ok(Outcome::Failed)
}

fn people(found: &question::Capacity, lang: Lang) -> String {
    let figure = |value: f64| significant(value, 4);
    let percent = |share: f64| format!("{}%", significant(share * 100.0, 3));
    let (rate, replicas) = (figure(found.rate_per_s), found.replicas);
    let met = match (found.meets_slo, lang) {
        (true, Lang::En) => "every target is met",
        (false, Lang::En) => "not every target is met",
        (true, Lang::Zh) => "满足全部目标",
        (false, Lang::Zh) => "未满足全部目标",
    };
    let mut lines = vec![match lang {
        Lang::En if replicas == 1 => format!("{rate} requests/s on 1 replica: {met}."),
        Lang::En => format!("{rate} requests/s on {replicas} replicas: {met}."),
        Lang::Zh => format!("{rate} 次/秒，{replicas} 个副本：{met}。"),
    }];
    let mut say = |en: &str, zh: &str, value: String| {
        lines.push(match lang {
            Lang::En => format!("  {en}: {value}"),
            Lang::Zh => format!("  {zh}：{value}"),
        });
    };
    say("utilisation", "利用率", percent(found.utilization));
    if let Some(share) = found.probability_of_waiting {
        say(
            "requests that wait for a place",
            "需要排队的请求",
            percent(share),
        );
    }
    if let Some(count) = found.mean_in_system {
        say(
            "in the system on average",
            "平均在系统中的请求",
            figure(count),
        );
    }
    if let Some(seconds) = found.mean_latency_s {
        say("mean latency", "平均延迟", format!("{} s", figure(seconds)));
    }
    for (name, quantiles) in [
        ("e2e", &found.latency_s),
        ("TTFT", &found.ttft_s),
        ("TPOT", &found.tpot_s),
        ("ITL", &found.itl_s),
    ] {
        let text = percentiles(quantiles);
        if !text.is_empty() {
            say(name, name, text);
        }
    }
    if let (Some(most), Some(bound)) = (found.max_rate_per_replica, &found.bound_by) {
        let most = figure(most);
        let held = match (bound.as_str(), lang) {
            ("utilization_ceiling", Lang::En) => "the utilisation ceiling".to_owned(),
            ("utilization_ceiling", Lang::Zh) => "利用率上限".to_owned(),
            (target, _) => target.to_owned(),
        };
        say(
            "largest rate of one replica",
            "每个副本的最大速率",
            match lang {
                Lang::En => format!("{most} requests/s, held by {held}"),
                Lang::Zh => format!("{most} 次/秒，受限于 {held}"),
            },
        );
    }
    let mut text = lines.join("\n") + "\n";
    for warning in &found.warnings {
        text += &(wrapped(&notes::warning(warning, lang), "", "  ") + "\n");
    }
    text
}

/// `p50 0.12 s, p99 0.80 s`.
fn percentiles(quantiles: &Quantiles) -> String {
    use inferplan_core::report::Quantile;
    let shown = |quantile: &Quantile| {
        let seconds = quantiles.get(*quantile)?;
        Some(format!("{} {} s", quantile.key(), significant(seconds, 4)))
    };
    let parts: Vec<String> = Quantile::ALL.iter().filter_map(shown).collect();
    parts.join(", ")
}
