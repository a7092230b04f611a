//! A simulation for people.

use inferplan_core::{
    number::{grouped, significant},
    report::Quantile,
    simulate::{Intervals, answer::Simulation, remedy::Remedy},
    text::Lang,
};

use super::notes::{self, wrapped};

/// The answer in lines.
pub fn people(found: &Simulation, lang: Lang) -> String {
    let outcome = &found.outcome;
    let mut text = headline(found, lang) + "\n";
    let mut say = |en: &str, zh: &str, value: &str| {
        text += &match lang {
            Lang::En => format!("  {en}: {value}\n"),
            Lang::Zh => format!("  {zh}：{value}\n"),
        };
    };
    let count = grouped(&outcome.requests.to_string());
    say("requests simulated", "模拟请求数", &count);
    if found.fleet != "fixed" {
        let (mean, most) = (significant(outcome.mean_replicas, 3), outcome.most_replicas);
        let replicas = match lang {
            Lang::En => format!(
                "{mean} on average, {most} at most, {} starts",
                outcome.starts
            ),
            Lang::Zh => format!("平均 {mean}，最多 {most}，启动 {} 次", outcome.starts),
        };
        say("replicas ready", "就绪副本", &replicas);
    }
    let percent = |share: f64| format!("{}%", significant(share * 100.0, 3));
    say("utilisation", "利用率", &percent(outcome.utilization));
    let waits = percent(outcome.probability_of_waiting.value);
    say("requests that wait for a place", "需要排队的请求", &waits);
    if let Some(wait) = outcome.wait_s {
        say("wait", "排队时间", &quantiles(&wait));
    }
    for (name, metric) in [
        ("e2e", &outcome.latency_s),
        ("TTFT", &outcome.ttft_s),
        ("TPOT", &outcome.tpot_s),
        ("ITL", &outcome.itl_s),
    ] {
        if let Some(metric) = metric {
            say(name, name, &quantiles(metric));
        }
    }
    if !found.meets_slo || outcome.goodput.value < 1.0 {
        let goodput = percent(outcome.goodput.value);
        say(
            "requests within every target",
            "满足全部目标的请求",
            &goodput,
        );
    }
    if let Some(fewer) = &found.one_fewer {
        let missed = fewer.missed.join(", ");
        match lang {
            Lang::En => say(
                &format!("with {}", fewer.replicas),
                "",
                &format!("misses {missed}"),
            ),
            Lang::Zh => say(
                "",
                &format!("{} 个副本", fewer.replicas),
                &format!("不满足 {missed}"),
            ),
        }
    }
    for remedy in &found.remedies {
        text += &(wrapped(&told(remedy, lang), "  ", "    ") + "\n");
    }
    for warning in &found.warnings {
        text += &(wrapped(&notes::warning(warning, lang), "", "  ") + "\n");
    }
    text
}

fn headline(found: &Simulation, lang: Lang) -> String {
    let rate = found
        .rate_per_s
        .map_or_else(String::new, |rate| significant(rate, 4));
    let peak = found
        .peak_rate_per_s
        .filter(|peak| Some(*peak) != found.rate_per_s);
    let n = found.replicas;
    let verdict = match (found.meets_slo, lang) {
        (true, Lang::En) => "every target is met".to_owned(),
        (false, Lang::En) => format!("{} is missed", found.missed.join(", ")),
        (true, Lang::Zh) => "满足全部目标".to_owned(),
        (false, Lang::Zh) => format!("未满足 {}", found.missed.join("、")),
    };
    let (fleet_en, fleet_zh) = match found.fleet.as_str() {
        "autoscaled" => (
            format!("up to {n} autoscaled replicas"),
            format!("自动伸缩最多 {n} 个副本"),
        ),
        "scheduled" => (
            format!("up to {n} scheduled replicas"),
            format!("按计划最多 {n} 个副本"),
        ),
        "serverless" => (
            format!("up to {n} serverless containers"),
            format!("最多 {n} 个无服务器容器"),
        ),
        _ if n == 1 => ("1 replica".to_owned(), "1 个副本".to_owned()),
        _ if found.searched => (
            format!("{n} replicas, the fewest that will do"),
            format!("{n} 个副本（最少所需）"),
        ),
        _ => (format!("{n} replicas"), format!("{n} 个副本")),
    };
    match lang {
        Lang::En => {
            let peak =
                peak.map_or_else(String::new, |p| format!(" (at most {})", significant(p, 4)));
            format!("{rate} requests/s{peak} on {fleet_en}: {verdict}.")
        }
        Lang::Zh => {
            let peak = peak.map_or_else(String::new, |p| format!("（最高 {}）", significant(p, 4)));
            format!("{rate} 次/秒{peak}，{fleet_zh}：{verdict}。")
        }
    }
}

/// `mean 0.5 s, p50 0.4 s, p99 1.2 s ± 0.1`.
fn quantiles(all: &Intervals) -> String {
    let shown = [Quantile::Mean, Quantile::P50, Quantile::P95, Quantile::P99].map(|quantile| {
        let interval = all.get(quantile);
        let half = interval.high.map(|high| high - interval.value);
        let half = half.map_or_else(String::new, |half| format!(" ± {}", significant(half, 1)));
        format!(
            "{} {} s{half}",
            quantile.key(),
            significant(interval.value, 3)
        )
    });
    shown.join(", ")
}

fn told(remedy: &Remedy, lang: Lang) -> String {
    let figure = |value: f64| significant(value, 3);
    match (remedy, lang) {
        (
            Remedy::LargerBase {
                least,
                mean_replicas,
                ..
            },
            Lang::En,
        ) => format!(
            "What would do: the same rule from at least {least} replicas ({} on average).",
            figure(*mean_replicas)
        ),
        (
            Remedy::LargerBase {
                least,
                mean_replicas,
                ..
            },
            Lang::Zh,
        ) => {
            format!(
                "可行：同一规则，至少 {least} 个副本（平均 {}）。",
                figure(*mean_replicas)
            )
        }
        (Remedy::Fixed { replicas: 1, .. }, Lang::En) => {
            "What would do: 1 replica all the time.".to_owned()
        }
        (Remedy::Fixed { replicas, .. }, Lang::En) => {
            format!("What would do: {replicas} replicas all the time.")
        }
        (Remedy::Fixed { replicas, .. }, Lang::Zh) => {
            format!("可行：始终保持 {replicas} 个副本。")
        }
        (
            Remedy::Schedule {
                steps,
                lead_s,
                mean_replicas,
                ..
            },
            lang,
        ) => {
            let shown: Vec<String> = steps
                .iter()
                .take(12)
                .map(|(at_s, count)| format!("{}:{count}", significant(*at_s, 6)))
                .collect();
            let (shown, lead, mean) = (shown.join(","), figure(*lead_s), figure(*mean_replicas));
            let more = if steps.len() > 12 { ",…" } else { "" };
            match lang {
                Lang::En => format!(
                    "What would do: replicas by the clock, asked for {lead} s ahead ({mean} on average): --schedule {shown}{more}"
                ),
                Lang::Zh => format!(
                    "可行：按时间表、提前 {lead} 秒启动（平均 {mean}）：--schedule {shown}{more}"
                ),
            }
        }
    }
}
