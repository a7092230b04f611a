//! Reasons and warnings that come of prices and their terms.

use crate::{
    Decimal,
    money::Money,
    number::{self, significant},
    price::{Component, Discount, Included, Residency, Subscription, Tax, Version},
    text::{Lang, Notice},
};

pub(super) fn elsewhere(wanted: Residency, offered: Option<Residency>) -> Notice {
    let wanted = wanted.name();
    match offered.map(Residency::name) {
        Some(place) => Notice::new(
            "residency",
            format!(
                "The data would be processed in {}, and must stay in {}.",
                place.en, wanted.en
            ),
            format!("数据将在{}处理，而要求留在{}。", place.zh, wanted.zh),
        ),
        None => Notice::new(
            "residency",
            format!(
                "The provider does not bind itself to a place, and the data must stay in {}.",
                wanted.en
            ),
            format!("供应商未承诺处理地点，而数据要求留在{}。", wanted.zh),
        ),
    }
}

pub(super) fn busiest_hour(peak_to_mean: f64) -> Notice {
    let peak = significant(peak_to_mean, 4);
    Notice::new(
        "busiest-hour",
        format!(
            "Replicas are enough for the busiest hour, {peak} times the mean one; bursts inside an hour are not in it."
        ),
        format!("副本数按最忙的一小时（平均的 {peak} 倍）配置；未计入小时内的突发。"),
    )
}

pub(super) fn steps_by_mean(above_input_tokens: u64) -> Notice {
    let above = number::plain(above_input_tokens.into());
    Notice::new(
        "steps-by-mean",
        format!(
            "Requests above {above} input tokens cost more; all are taken to have the length asked for, and a mean hides the longer ones."
        ),
        format!("输入超过 {above} token 的请求更贵；此处按所给长度计算，平均值会掩盖更长的请求。"),
    )
}

pub(super) fn yields_images(model: &str) -> Notice {
    Notice::new(
        "yields-images",
        format!("{model} makes images; tokens are asked for."),
        format!("{model} 生成图像，而所需为 token。"),
    )
}

pub(super) fn catalogue_not_compared(count: usize) -> Notice {
    let count = number::plain(count.into());
    Notice::new(
        "catalogue-not-compared",
        format!(
            "{count} offers of imported catalogues are not listed: no report covers their accelerator or model."
        ),
        format!("导入目录中有 {count} 个报价未列出：没有报告覆盖其加速卡或模型。"),
    )
}

pub(super) fn spot_not_allowed() -> Notice {
    Notice::new(
        "spot-not-allowed",
        "It may be taken back at any time; allow spot capacity to have it compared.",
        "该容量可能随时被收回；如可接受，请允许竞价实例。",
    )
}

pub(super) fn spot(availability: f64) -> Notice {
    let percent = significant(availability * 100.0, 4);
    Notice::new(
        "spot",
        format!(
            "It may be taken back: by its interruptions and restarts it serves {percent}% of the time, and replicas are bought for that."
        ),
        format!("容量可能被收回：按中断与重启，其可用时间为 {percent}%，副本数已据此增加。"),
    )
}

pub(super) fn spot_unknown() -> Notice {
    Notice::new(
        "spot-interruptions-unknown",
        "It may be taken back, how often is not known: lost work and spare capacity are not in the figure.",
        "容量可能被收回，频率未知：未计入丢失的工作与备用容量。",
    )
}

pub(super) fn commitment_too_long(months: u32, longest: u32) -> Notice {
    Notice::new(
        "commitment-too-long",
        format!(
            "It binds for {months} months, {longest} at the most were asked for: allow a commitment of {months} months to have it compared."
        ),
        format!("承诺期为 {months} 个月，而最长可接受 {longest} 个月：如可接受，请放宽承诺期。"),
    )
}

pub(super) fn own_quote(version: &Version) -> Notice {
    let from = version
        .effective_from
        .map(|day| day.to_string())
        .unwrap_or_default();
    let source = &version.source;
    Notice::new(
        "own-quote",
        format!("Your own quote, from {from} ({source}), in place of the table's price."),
        format!("您自己的报价，自 {from} 起（{source}），代替价格表中的价格。"),
    )
}

pub(super) fn own_discount(discount: &Discount) -> Notice {
    let Discount { on, source, .. } = discount;
    let (en, zh) = match (discount.percent, discount.amount, discount.currency) {
        (Some(percent), ..) => {
            let percent = number::plain(percent);
            (format!("{percent}%"), format!("{percent}%"))
        }
        (None, Some(amount), Some(currency)) => {
            let money = Money::rounded(amount, currency);
            (
                format!("{} a month", money.display(Lang::En)),
                format!("每月 {}", money.display(Lang::Zh)),
            )
        }
        _ => Default::default(),
    };
    Notice::new(
        "own-discount",
        format!("Your own discount of {en} on {on} ({source})."),
        format!("您自己的折扣：{on} 减 {zh}（{source}）。"),
    )
}

pub(super) fn discount_left_out(discount: &Discount) -> Notice {
    let Discount { on, source, .. } = discount;
    Notice::new(
        "discount-left-out",
        format!(
            "Your discount on {on} ({source}) is in another currency than the price, and is not counted."
        ),
        format!("您对 {on} 的折扣（{source}）与价格的货币不同，未计入。"),
    )
}

pub(super) fn at_least(component: &Component) -> Notice {
    let name = &component.name;
    let least = number::plain(component.at_least.unwrap_or_default());
    Notice::new(
        "billed-at-least",
        format!(
            "{}: billed at the least an instance has ({least}); state how much yours uses.",
            name.en
        ),
        format!(
            "{}：按每台实例的最低用量（{least}）计费；请给出实际用量。",
            name.zh
        ),
    )
}

pub(super) fn subscription_assumed(subscription: &Subscription) -> Notice {
    let name = &subscription.name;
    Notice::new(
        "subscription-assumed",
        format!("On the {} plan; name another to compare it.", name.en),
        format!("按 {} 套餐计算；可另选套餐。", name.zh),
    )
}

/// What the sum says of tax.
pub(super) fn tax(tax: &Tax, native: Money, with_tax: bool) -> Option<Notice> {
    let percent = number::plain(tax.rate * Decimal::from(100));
    match (tax.included, with_tax) {
        (Included::Yes, _) => Some(Notice::new(
            "tax-included",
            format!("Tax of {percent}% is included."),
            format!("已含 {percent}% 税。"),
        )),
        (Included::No, true) => None,
        (Included::No, false) => Some(Notice::new(
            "tax-not-included",
            format!("Tax of {percent}% is not included."),
            format!("未含 {percent}% 税。"),
        )),
        (Included::Unknown, _) => {
            let more = native.amount.checked_mul(Decimal::ONE + tax.rate)?;
            let more = Money::rounded(more, native.currency);
            Some(Notice::new(
                "tax-unknown",
                format!(
                    "Whether the price includes {percent}% tax is not known: if it does not, the month is {} and not {}.",
                    more.display(Lang::En),
                    native.display(Lang::En)
                ),
                format!(
                    "价格是否含 {percent}% 税未知：若不含，则每月为 {}，而非 {}。",
                    more.display(Lang::Zh),
                    native.display(Lang::Zh)
                ),
            ))
        }
    }
}
