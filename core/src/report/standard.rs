//! The standard report: what a benchmark report should state, for people, with what is missing
//! named: time, hardware, software versions, model and precision, lengths, concurrency, p50, p95,
//! p99, throughput, cost per million tokens, network region, CDN.

use serde::Serialize;

use super::{Metric, Point, Quantile, Report, Software};
use crate::{
    Decimal,
    money::{Currency, decimal_from_f64, unit_cost},
    number::{self, significant},
    price::{Basis, Price},
    text::{Bilingual, Lang},
};

/// What an hour of the accelerators costs, for the cost per million tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Hourly {
    /// The offer's name.
    pub offer: String,
    /// An hour of one accelerator.
    pub per_accelerator: Decimal,
    /// Its currency.
    pub currency: Currency,
}

impl Hourly {
    /// An offer's price as one of an accelerator-hour; `None` for prices that are not of time.
    #[must_use]
    pub fn of(offer: &str, price: &Price, currency: Currency, per_instance: u32) -> Option<Self> {
        let (amount, of) = match *price {
            Price::Hour { amount, of } => (amount, of),
            Price::Second { amount, of } => (amount.checked_mul(Decimal::from(3600))?, of),
            _ => return None,
        };
        let per_accelerator = match of {
            Basis::Accelerator => amount,
            Basis::Instance => amount.checked_div(Decimal::from(per_instance))?,
        };
        Some(Self {
            offer: offer.to_owned(),
            per_accelerator,
            currency,
        })
    }

    /// A million output tokens at a point of a report; `None` without its throughput.
    fn per_million(&self, report: &Report, point: &Point) -> Option<Decimal> {
        let accelerators = Decimal::from(report.system.accelerators?);
        let tokens = decimal_from_f64(point.output_tokens_per_s?, 6)?;
        let an_hour = self.per_accelerator.checked_mul(accelerators)?;
        let tokens_an_hour = tokens.checked_mul(Decimal::from(3600))?;
        let each = an_hour.checked_div(tokens_an_hour)?;
        Some(unit_cost(each.checked_mul(Decimal::from(1_000_000))?))
    }
}

/// The standard report as a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standard {
    /// `inferplan.standard-report/1`.
    pub schema: &'static str,
    /// The canonical report.
    pub report: Report,
    /// A million output tokens at each point, decimal strings, where a price was given.
    pub cost_per_million_output_tokens: Vec<Option<String>>,
    /// The currency of those.
    pub currency: Option<Currency>,
    /// What the report should state and does not.
    pub missing: Vec<Bilingual>,
}

/// A report as the standard document.
#[must_use]
pub fn document(report: &Report, hourly: Option<&Hourly>) -> Standard {
    let costs = report.points.iter().map(|point| {
        let cost = hourly?.per_million(report, point)?;
        Some(cost.to_string())
    });
    Standard {
        schema: "inferplan.standard-report/1",
        report: report.clone(),
        cost_per_million_output_tokens: costs.collect(),
        currency: hourly.map(|hourly| hourly.currency),
        missing: facts(report, hourly)
            .into_iter()
            .filter(|fact| fact.value.is_none())
            .map(|fact| fact.name)
            .collect(),
    }
}

/// A report as Markdown.
#[must_use]
pub fn markdown(report: &Report, hourly: Option<&Hourly>, lang: Lang) -> String {
    let word = |en: &'static str, zh: &'static str| match lang {
        Lang::En => en,
        Lang::Zh => zh,
    };
    let missing_word = word("*not stated*", "*未说明*");
    let mut text = format!("# {}\n\n", report.id);
    text += &format!(
        "| {} | {} |\n| --- | --- |\n",
        word("What", "项目"),
        word("Value", "值")
    );
    let facts = facts(report, hourly);
    for fact in &facts {
        let value = fact.value.as_deref().unwrap_or(missing_word);
        let stated = report
            .stated
            .iter()
            .any(|path| fact.paths.contains(&path.as_str()));
        let mark = if stated {
            word(" (stated)", "（注明）")
        } else {
            ""
        };
        text += &format!("| {} | {}{mark} |\n", fact.name.get(lang), escaped(value));
    }
    text += "\n";
    text += &points(report, hourly, lang);
    let missing: Vec<&str> = facts
        .iter()
        .filter(|fact| fact.value.is_none())
        .map(|fact| fact.name.get(lang))
        .collect();
    if !missing.is_empty() {
        let list = missing.join(word(", ", "、"));
        text += &format!(
            "\n**{}** {list}{}\n",
            word("Missing:", "缺少："),
            word(".", "。")
        );
    }
    if let Some(source) = &report.attribution {
        text += &format!("\n{} {source}\n", word("Source:", "来源："));
    }
    text
}

/// One thing that a report should state.
struct Fact {
    name: Bilingual,
    value: Option<String>,
    /// The fields it is made of.
    paths: &'static [&'static str],
}

fn facts(report: &Report, hourly: Option<&Hourly>) -> Vec<Fact> {
    let fact = |en: &str, zh: &str, value: Option<String>, paths| Fact {
        name: Bilingual::new(en, zh),
        value,
        paths,
    };
    let software = |software: &Software| match &software.version {
        Some(version) => format!("{} {version}", software.name),
        None => software.name.clone(),
    };
    let (system, model, workload, network) = (
        &report.system,
        &report.model,
        &report.workload,
        &report.network,
    );
    let tokens = |n: Option<f64>| n.map(|n| significant(n, 6));
    let engine = system
        .engine
        .as_ref()
        .filter(|engine| engine.version.is_some());
    let hardware = report
        .accelerator()
        .ok()
        .map(|(accelerator, count)| format!("{count}× {accelerator}"));
    let has = |quantile: Quantile| {
        let known = |metric: &Metric| {
            report
                .points
                .iter()
                .any(|point| point.quantiles(*metric).get(quantile).is_some())
        };
        let names: Vec<&str> = Metric::ALL
            .iter()
            .filter(|metric| known(metric))
            .map(|metric| metric.name())
            .collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let region = match (&network.client_region, &network.server_region) {
        (Some(client), Some(server)) => Some(format!("{client} → {server}")),
        (client, server) => client.clone().or_else(|| server.clone()),
    };
    vec![
        fact(
            "Time",
            "时间",
            report.measured_on.map(|day| day.to_string()),
            &[],
        ),
        fact("Load tool", "压测工具", Some(software(&report.tool)), &[]),
        fact(
            "Hardware",
            "硬件",
            hardware,
            &["system.accelerator", "system.accelerators"],
        ),
        fact(
            "Processor and memory",
            "处理器与内存",
            match (&system.cpu, system.memory_gib) {
                (Some(cpu), Some(gib)) => Some(format!("{cpu}, {} GiB", significant(gib, 4))),
                (cpu, gib) => cpu
                    .clone()
                    .or_else(|| gib.map(|gib| format!("{} GiB", significant(gib, 4)))),
            },
            &["system.cpu", "system.memory_gib"],
        ),
        fact(
            "Engine and version",
            "引擎与版本",
            engine.map(software),
            &["system.engine.name", "system.engine.version"],
        ),
        fact("CUDA", "CUDA", system.cuda.clone(), &["system.cuda"]),
        fact("cuDNN", "cuDNN", system.cudnn.clone(), &["system.cudnn"]),
        fact("Driver", "驱动", system.driver.clone(), &["system.driver"]),
        fact(
            "Framework",
            "框架",
            system.framework.clone(),
            &["system.framework"],
        ),
        fact("Model", "模型", model.name.clone(), &["model.name"]),
        fact(
            "Precision",
            "精度",
            model.precision.clone(),
            &["model.precision"],
        ),
        fact(
            "Input tokens",
            "输入 token",
            tokens(workload.input_tokens),
            &["workload.input_tokens"],
        ),
        fact(
            "Output tokens",
            "输出 token",
            tokens(workload.output_tokens),
            &["workload.output_tokens"],
        ),
        fact(
            "Warm-up requests",
            "预热请求数",
            workload.warmup_requests.map(|n| n.to_string()),
            &["workload.warmup_requests"],
        ),
        fact("p50", "p50", has(Quantile::P50), &[]),
        fact("p95", "p95", has(Quantile::P95), &[]),
        fact("p99", "p99", has(Quantile::P99), &[]),
        fact(
            "Cost per million output tokens",
            "每百万输出 token 成本",
            hourly.map(|hourly| hourly.offer.clone()),
            &[],
        ),
        fact(
            "Network region",
            "网络区域",
            region,
            &["network.client_region", "network.server_region"],
        ),
        fact(
            "Network round trip",
            "网络往返时间",
            network.rtt_s.map(|s| format!("{s} s")),
            &["network.rtt_s"],
        ),
        fact("CDN", "CDN", network.cdn.clone(), &[]),
    ]
}

/// The table of loads; repeats at one load also as their median and spread.
fn points(report: &Report, hourly: Option<&Hourly>, lang: Lang) -> String {
    let word = |en: &'static str, zh: &'static str| match lang {
        Lang::En => en,
        Lang::Zh => zh,
    };
    let mut columns: Vec<(Metric, Quantile)> = Vec::new();
    for metric in Metric::ALL {
        for quantile in [Quantile::P50, Quantile::P95, Quantile::P99] {
            if report
                .points
                .iter()
                .any(|p| p.quantiles(metric).get(quantile).is_some())
            {
                columns.push((metric, quantile));
            }
        }
    }
    let mut heads = vec![
        word("Concurrency", "并发").to_owned(),
        word("Offered /s", "提供 /s").to_owned(),
        word("Completed", "完成").to_owned(),
        word("Failed", "失败").to_owned(),
        word("Requests/s", "请求/s").to_owned(),
        word("Output tokens/s", "输出 token/s").to_owned(),
    ];
    heads.extend(
        columns
            .iter()
            .map(|(m, q)| format!("{} {} (ms)", m.name(), q.key())),
    );
    heads.extend(hourly.map(|hourly| format!("{}/1M", hourly.currency)));
    let mut text = format!(
        "| {} |\n|{}\n",
        heads.join(" | "),
        " ---: |".repeat(heads.len())
    );
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let figure = |value: Option<f64>| or_dash(value.map(|value| significant(value, 5)));
    for point in &report.points {
        let mut cells = vec![
            figure(point.concurrency),
            figure(point.request_rate),
            or_dash(point.completed.map(|n| number::grouped(&n.to_string()))),
            or_dash(point.failed.map(|n| n.to_string())),
            figure(Some(point.requests_per_s)),
            figure(point.output_tokens_per_s),
        ];
        cells.extend(
            columns
                .iter()
                .map(|(m, q)| figure(point.quantiles(*m).get(*q).map(|s| s * 1000.0))),
        );
        cells.extend(hourly.map(|hourly| {
            or_dash(
                hourly
                    .per_million(report, point)
                    .map(|cost| cost.to_string()),
            )
        }));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text + &spreads(report, lang) + &intervals(report, lang)
}

/// Where quantiles come from per-request figures: their intervals.
fn intervals(report: &Report, lang: Lang) -> String {
    let mut text = String::new();
    for point in report
        .points
        .iter()
        .filter(|point| !point.intervals.is_empty())
    {
        let at = point
            .request_rate
            .or(point.concurrency)
            .map_or_else(|| "?".to_owned(), |n| significant(n, 5));
        let each: Vec<String> = point
            .intervals
            .iter()
            .map(|interval| {
                let [low, high] = [interval.low_s, interval.high_s]
                    .map(|seconds| significant(seconds * 1000.0, 5));
                format!("{} {low}–{high} ms", interval.of)
            })
            .collect();
        let samples = point.intervals[0].samples;
        text += &match lang {
            Lang::En => format!(
                "\n95% bootstrap intervals at {at}, from {samples} requests: {}.\n",
                each.join(", ")
            ),
            Lang::Zh => format!(
                "\n{at} 处的 95% 自助法区间（{samples} 个请求）：{}。\n",
                each.join("、")
            ),
        };
    }
    text
}

/// Where a load was measured several times: the median, and the least and greatest.
fn spreads(report: &Report, lang: Lang) -> String {
    let load = |point: &Point| (point.request_rate, point.concurrency);
    let mut text = String::new();
    for repeats in report
        .points
        .chunk_by(|a, b| load(a) == load(b))
        .filter(|repeats| repeats.len() > 1)
    {
        let mut rates: Vec<f64> = repeats.iter().map(|point| point.requests_per_s).collect();
        rates.sort_by(f64::total_cmp);
        let middle = rates.len() / 2;
        let median = if rates.len() % 2 == 1 {
            rates[middle]
        } else {
            f64::midpoint(rates[middle - 1], rates[middle])
        };
        let [median, low, high] =
            [median, rates[0], rates[rates.len() - 1]].map(|rate| significant(rate, 5));
        let n = repeats.len();
        let at = repeats[0]
            .request_rate
            .or(repeats[0].concurrency)
            .map_or_else(|| "?".to_owned(), |n| significant(n, 5));
        text += &match lang {
            Lang::En => format!(
                "\n{n} repeats at {at}: median {median} requests/s, from {low} to {high}.\n"
            ),
            Lang::Zh => {
                format!("\n{at} 处重复 {n} 次：中位数 {median} 次/秒，范围 {low} 至 {high}。\n")
            }
        };
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sweep;

    #[test]
    fn what_is_missing_is_named_and_what_is_stated_is_marked() {
        let mut report = sweep(&[(1.0, 1.0), (4.0, 2.0), (4.0, 3.0), (4.0, 2.5)]);
        report.stated = vec!["system.accelerator".into()];
        report.points[0].ttft_s.p95 = Some(0.0613);
        let text = markdown(&report, None, Lang::En);
        assert!(
            text.contains("| Hardware | 1× H100 80GB SXM (stated) |"),
            "{text}"
        );
        assert!(text.contains("| Precision | *not stated* |"), "{text}");
        assert!(
            text.contains("TTFT p95 (ms)") && text.contains("| 61.3 |"),
            "{text}"
        );
        assert!(
            text.contains("3 repeats at 4: median 2.5 requests/s, from 2 to 3."),
            "{text}"
        );
        let missing = text
            .lines()
            .find(|line| line.starts_with("**Missing:**"))
            .unwrap();
        for part in [
            "Time",
            "CUDA",
            "p99",
            "CDN",
            "Cost per million output tokens",
        ] {
            assert!(missing.contains(part), "{part} in {missing}");
        }
        let chinese = markdown(&report, None, Lang::Zh);
        assert!(
            chinese.contains("| 硬件 | 1× H100 80GB SXM（注明） |"),
            "{chinese}"
        );
        let document = document(&report, None);
        assert!(document.missing.iter().any(|name| name.en == "CDN"));
    }

    #[test]
    fn a_price_gives_the_cost_per_million_tokens() {
        // $2.69 an hour and 2814.682 tokens/s: 2.69 ÷ (2814.682 × 3600) × 10⁶ = 0.26547.
        let mut report = sweep(&[(40.0, 1.374)]);
        report.points[0].output_tokens_per_s = Some(2814.682);
        let price = Price::Hour {
            amount: "2.69".parse().unwrap(),
            of: Basis::Accelerator,
        };
        let hourly = Hourly::of("RunPod", &price, Currency::Usd, 1).unwrap();
        let document = document(&report, Some(&hourly));
        assert_eq!(
            document.cost_per_million_output_tokens,
            [Some("0.2655".to_owned())]
        );
        let eight = Price::Second {
            amount: "0.008".parse().unwrap(),
            of: Basis::Instance,
        };
        let hourly = Hourly::of("eight", &eight, Currency::Usd, 8).unwrap();
        assert_eq!(hourly.per_accelerator.normalize().to_string(), "3.6");
    }
}
