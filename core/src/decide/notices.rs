//! Every reason and warning of a comparison, in both languages, with its stable code.

pub(super) use super::price_notices::*;
use crate::{
    Date, Decimal,
    accelerator::Accelerator,
    comparison::Choice,
    lint::Lint,
    money::Currency,
    number::{self, significant},
    plan::capacity::MissedBelow,
    price::ExchangeRate,
    report::{Quantile, Report, Target},
    scenario::{self, Demand, WhatIf},
    text::{Bilingual, Notice},
};

/// The peak that the warning on steady load supposes: one public service's busiest hour over its
/// mean. No factor holds for every service.
pub(super) const PEAK_TO_MEAN: f64 = 3.2;

pub(super) fn no_report(accelerator: &Accelerator) -> Notice {
    Notice::new(
        "no-report",
        format!("No report covers {accelerator}: measure it, or import a report of it."),
        format!("没有 {accelerator} 的实测报告：请测量，或导入一份报告。"),
    )
}

pub(super) fn accelerator_not_named() -> Notice {
    Notice::new(
        "accelerator-not-named",
        "The price's source names no accelerator, so no report covers it.",
        "价格出处没有说明是哪种加速卡，因此没有对应的实测报告。",
    )
}

pub(super) fn only_an_estimate() -> Notice {
    Notice::new(
        "not-measured",
        "It rests on an estimate, and only measured options were asked for.",
        "其依据为估算，而当前只要求实测方案。",
    )
}

pub(super) fn lengths_unknown() -> Notice {
    Notice::new(
        "lengths-unknown",
        "Priced per token, and the tokens of a request are not known, or differ between the reports: state input and output tokens.",
        "按 token 计价，但不知每次请求的 token 数，或各报告不一致：请给出输入与输出 token。",
    )
}

pub(super) fn out_of_range() -> Notice {
    Notice::new(
        "out-of-range",
        "The bill is too large to be worked out exactly.",
        "账单数额过大，无法精确计算。",
    )
}

pub(super) fn too_many_replicas() -> Notice {
    Notice::new(
        "too-many-replicas",
        "It would need more than 10^9 replicas: a rate, the ceiling or the volume is out of all proportion.",
        "需要超过 10^9 个副本：速率、利用率上限或请求量不合常理。",
    )
}

pub(super) fn not_kept_up(report: &str) -> Notice {
    Notice::new(
        "offered-not-kept-up",
        format!(
            "{report} holds rates that it did not keep up with: latencies there grow with the length of the run, so what rests on them is an estimate."
        ),
        format!("{report} 中有跟不上的速率：该处延迟随运行时长增长，据此得出的是估算。"),
    )
}

pub(super) fn no_exchange_rate(from: Currency, to: Currency, as_of: Date) -> Notice {
    Notice::new(
        "no-exchange-rate",
        format!("No exchange rate between {from} and {to} is known for {as_of}: state one."),
        format!("没有 {as_of} 的 {from}/{to} 汇率：请给出。"),
    )
}

pub(super) fn converted(rate: &ExchangeRate) -> Notice {
    let label = rate.label();
    let source = &rate.source;
    let (en, zh) = match rate.date {
        Some(date) => (format!(" of {date}"), format!("{date}，")),
        None => (String::new(), String::new()),
    };
    Notice::new(
        "converted",
        format!("Converted at {label}{en} ({source})."),
        format!("按 {label} 换算（{zh}{source}）。"),
    )
}

pub(super) fn exchange_rate_old(date: Date) -> Notice {
    Notice::new(
        "exchange-rate-old",
        format!("The exchange rate is of {date}, more than 30 days before the day asked for."),
        format!("汇率日期为 {date}，早于所问日期 30 天以上。"),
    )
}

pub(super) fn price_undated() -> Notice {
    Notice::new(
        "price-undated",
        "The price has no date; it is taken for want of any other.",
        "该价格没有日期；因无其他价格而采用。",
    )
}

pub(super) fn price_old(day: Date) -> Notice {
    Notice::new(
        "price-old",
        format!("The price was last seen on {day}, more than 90 days before the day asked for."),
        format!("该价格最后见于 {day}，早于所问日期 90 天以上。"),
    )
}

pub(super) fn price_from_article() -> Notice {
    Notice::new(
        "price-unverified",
        "The price is an article's and was not verified against the provider's list.",
        "该价格来自文章，未与供应商价目表核对。",
    )
}

/// What the price table says of a price, in the table's words.
pub(super) fn price_note(note: &str) -> Notice {
    Notice::new(
        "price-note",
        format!("Of the price: {note}"),
        format!("关于该价格：{note}"),
    )
}

pub(super) fn not_counted(what: &Bilingual) -> Notice {
    Notice::new(
        "not-counted",
        format!("Not counted: {}.", what.en),
        format!("未计入：{}。", what.zh),
    )
}

pub(super) fn targets_not_judged() -> Notice {
    Notice::new(
        crate::comparison::TARGETS_NOT_JUDGED,
        "A hosted service's latency is not measured here: your targets are not judged for it.",
        "托管服务的延迟未在此测量：未判断其是否满足您的目标。",
    )
}

pub(super) fn other_model(priced: &str, measured: &str) -> Notice {
    Notice::new(
        crate::comparison::OTHER_MODEL,
        format!("The price is for {priced}; the report is of {measured}."),
        format!("价格针对 {priced}；报告测的是 {measured}。"),
    )
}

pub(super) fn form_unstated(sold: &Accelerator, measured: &Accelerator) -> Notice {
    Notice::new(
        "form-unstated",
        format!(
            "Sold as {sold}, measured on {measured}: SXM and PCIe boards differ in speed, and one of the two does not say which it is."
        ),
        format!("出售的是 {sold}，测的是 {measured}：SXM 与 PCIe 速度不同，而其中之一未写明。"),
    )
}

pub(super) fn unlisted_accelerator(accelerator: &Accelerator) -> Notice {
    Notice::new(
        "accelerator-unlisted",
        format!(
            "{accelerator} is not an accelerator known here; only offers of the very same name match it."
        ),
        format!("{accelerator} 不是已知的加速卡；只匹配同名的报价。"),
    )
}

pub(super) fn lengths_unstated(report: &Report) -> Notice {
    Notice::new(
        "lengths-not-stated",
        format!(
            "{} does not state its lengths; they are taken to be yours.",
            report.id
        ),
        format!("{} 未说明长度；视为与您的相同。", report.id),
    )
}

pub(super) fn stood_in(target: &Target, quantile: Quantile) -> Notice {
    let (label, metric, q) = (target.label(), target.metric.name(), quantile.key());
    Notice::new(
        "quantile-stood-in",
        format!(
            "{label} is judged by {metric} {q}, which is never below it: the report has no nearer one."
        ),
        format!("报告缺少该分位数，{label} 以不小于它的 {metric} {q} 判断。"),
    )
}

pub(super) fn missed_below(missed: &MissedBelow) -> Notice {
    let label = missed.target.label();
    let n = significant(missed.concurrency, 3);
    let seconds = significant(missed.seconds, 4);
    Notice::new(
        "target-missed-at-lighter-load",
        format!(
            "{label} holds at the rate planned for, but was missed at a lighter load: {seconds} s with {n} in flight. The sweep was cold at its start, or is noise: measure again with a warm-up."
        ),
        format!(
            "规划速率下满足 {label}，但在更轻的负载（并发 {n}）下实测为 {seconds} 秒，未满足。可能是未预热或噪声：请预热后重测。"
        ),
    )
}

pub(super) fn no_offer(report: &str, accelerator: &Accelerator) -> Notice {
    let (en, zh) = if accelerator.is_known() {
        (
            "add a price table with one, or import a report of another accelerator",
            "请添加含该卡的价格表，或导入其他加速卡的报告",
        )
    } else {
        ("is its name right", "请检查其名称")
    };
    Notice::new(
        "no-offer",
        format!("No price here is of {accelerator}, on which {report} was measured: {en}."),
        format!("价格表中没有 {accelerator}（{report} 的测试卡）：{zh}。"),
    )
}

pub(super) fn spare(used: u64, bought: u64) -> Notice {
    Notice::new(
        "spare-accelerators",
        format!("{bought} accelerators are bought and {used} used: instances come whole."),
        format!("购买 {bought} 张卡，使用 {used} 张：实例须整台购买。"),
    )
}

pub(super) fn scale_to_zero(idle_s: f64, start_s: Option<f64>, share: f64) -> Notice {
    let percent = significant(share * 100.0, 3);
    let idle = significant(idle_s, 3);
    let (en, zh) = match start_s {
        Some(start) => {
            let start = significant(start, 3);
            (
                format!("each start billed with {start} s"),
                format!("每次启动计 {start} 秒"),
            )
        }
        None => (
            "start-up time not known and not counted".to_owned(),
            "启动时间未知，未计入".to_owned(),
        ),
    };
    Notice::new(
        "scale-to-zero",
        format!(
            "Billed {percent}% of the month: up while serving and {idle} s after, {en}; requests taken to come at random."
        ),
        format!("按每月 {percent}% 的时间计费：服务期间及其后 {idle} 秒，{zh}；假定请求随机到达。"),
    )
}

pub(super) fn no_requests() -> Notice {
    Notice::new(
        "no-requests",
        "No requests: what is left is the floor, one replica of each rented option; there is no cost a request.",
        "没有请求：剩下的是底价，即每种租用方案一个副本；没有单次费用。",
    )
}

/// The volume of a later month, and how it comes about.
pub(super) fn planned_month(demand: &Demand, as_of: Date, volume: Decimal) -> Notice {
    let growth = &demand.growth;
    let months = growth.months_ahead;
    let day = scenario::month_after(as_of, months);
    let planned = format!("{:04}-{:02}", day.year(), day.month());
    let mut sum = number::plain(demand.requests_per_day);
    if !growth.per_month.is_zero() {
        let factor = number::plain(Decimal::ONE + growth.per_month);
        sum.push_str(&format!(" × {factor}^{months}"));
    }
    if let Some(ratio) = growth.season_ratio(as_of, months) {
        sum.push_str(&format!(" × {}", significant(ratio, 4)));
    }
    let volume = number::plain(volume);
    Notice::new(
        "planned-month",
        format!(
            "Planned for {planned}, {months} months ahead, at the prices of {as_of}: {sum} = {volume} requests a day."
        ),
        format!(
            "按 {planned}（{months} 个月之后）规划，价格取 {as_of}：{sum} = 每天 {volume} 次请求。"
        ),
    )
}

pub(super) fn large_volume(requests_per_day: Decimal) -> Notice {
    let volume = number::plain(requests_per_day);
    Notice::new(
        "volume-large",
        format!("{volume} requests a day is more than any known service has; check the unit."),
        format!("每天 {volume} 次请求超过任何已知服务；请检查单位。"),
    )
}

/// What a peak would do to the cheapest rented option.
pub(super) fn steady_load(option: &Choice, peak_replicas: Option<u64>) -> Notice {
    let now = option.replicas.unwrap_or_default();
    let peak = peak_replicas.unwrap_or(u64::MAX);
    let (en, zh) = (&option.name.en, &option.name.zh);
    let replicas = if peak == 1 { "replica" } else { "replicas" };
    if peak <= now {
        return Notice::new(
            "steady-load",
            format!(
                "The load is taken as steady. A peak of {PEAK_TO_MEAN} times the mean would still fit {en} with {peak} {replicas}."
            ),
            format!(
                "按平稳负载计算。即使峰值为均值的 {PEAK_TO_MEAN} 倍，{zh} 仍只需 {peak} 个副本。"
            ),
        );
    }
    Notice::new(
        "steady-load",
        format!(
            "The load is taken as steady. At a peak of {PEAK_TO_MEAN} times the mean, {en} would need {peak} {replicas} instead of {now}."
        ),
        format!(
            "按平稳负载计算。若峰值为均值的 {PEAK_TO_MEAN} 倍，{zh} 需要 {peak} 个副本，而非 {now} 个。"
        ),
    )
}

pub(super) fn closed_loop(report: &str) -> Notice {
    Notice::new(
        "closed-loop-latency",
        format!(
            "{report}: its latencies come from a closed loop; the waiting that random arrivals add is not in them."
        ),
        format!("{report}：其延迟来自闭环测试，不含随机到达造成的排队。"),
    )
}

pub(super) fn unfit(lint: &Lint) -> Notice {
    let Lint {
        report, code, why, ..
    } = lint;
    Notice::new(
        "report-unfit",
        format!("{report} is unfit to plan on ({code}): {}", why.en),
        format!("{report} 不适合用于规划（{code}）：{}", why.zh),
    )
}

pub(super) fn what_if(report: &Report, what_if: &WhatIf) -> Notice {
    let (id, factor, source) = (
        &report.id,
        significant(what_if.throughput, 4),
        &what_if.source,
    );
    let (en, zh) = match &what_if.accelerator {
        Some(accelerator) => (
            format!(
                "What if: {accelerator} at {factor} times the throughput that {id} measured, not measured here ({source})."
            ),
            format!("假设：{accelerator} 的吞吐为 {id} 实测的 {factor} 倍，未经实测（{source}）。"),
        ),
        None => (
            format!(
                "What if: {factor} times the throughput that {id} measured, not measured here ({source})."
            ),
            format!("假设：吞吐为 {id} 实测的 {factor} 倍，未经实测（{source}）。"),
        ),
    };
    Notice::new("what-if", en, zh)
}

pub(super) fn spares(count: u32) -> Notice {
    let word = if count == 1 { "replica" } else { "replicas" };
    Notice::new(
        "spares",
        format!("{count} {word} more than the load needs, as asked."),
        format!("按要求比负载所需多 {count} 个副本。"),
    )
}

pub(super) fn scheduled(share: f64) -> Notice {
    let percent = significant(share * 100.0, 3);
    Notice::new(
        "scheduled",
        format!(
            "Rented by the hour as each hour needs: {percent}% of the hours that the busiest hour's fleet would take. That is a schedule with its lead; a scaler that only reacts starts later, which `inferplan simulate` shows."
        ),
        format!(
            "按小时租用各小时所需：为最忙小时规模全月租用的 {percent}%。这是提前启动的时间表；只作反应的自动伸缩会晚启动，可用 inferplan simulate 查看。"
        ),
    )
}
