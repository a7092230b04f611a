//! What is wrong with a table beyond its form. A table with any of these faults is not read at all.

use super::{
    Basis, Component, Offer, Price, PriceTable, Sells, Version,
    tariff::{LongRequests, OffPeak, Owned, Step},
};
use crate::{Decimal, problem::Problem};

/// No price is above this, in any currency here.
const GREATEST: u64 = 10_000_000;

pub(super) fn table(table: &PriceTable) -> Vec<Problem> {
    let mut found = Vec::new();
    let prefix = format!("{}.", table.provider.id);
    let belongs = |id: &str, at: String| {
        (!id.starts_with(&prefix)).then(|| {
            Problem::new(
                "an offer's id begins with its provider's",
                "报价 id 须以供应商 id 开头",
            )
            .at(at)
            .found(id)
            .remedy(
                format!("begin with \"{prefix}\""),
                format!("应以 \"{prefix}\" 开头"),
            )
        })
    };
    for (i, offer) in table.offers.iter().enumerate() {
        found.extend(belongs(&offer.id, format!("offers[{i}].id")));
        found.extend(self::offer(offer).into_iter().map(|problem| {
            let path = problem.path.clone().unwrap_or_default();
            problem.at(format!("offers[{i}].{path}"))
        }));
    }
    for (i, component) in table.components.iter().enumerate() {
        let at = |field: &str| format!("components[{i}].{field}");
        found.extend(belongs(&component.id, at("id")));
        found.extend(self::component(component).into_iter().map(|problem| {
            let path = problem.path.clone().unwrap_or_default();
            problem.at(at(&path))
        }));
    }
    for (i, subscription) in table.subscriptions.iter().enumerate() {
        let at = |field: &str| format!("subscriptions[{i}].{field}");
        found.extend(belongs(&subscription.id, at("id")));
        for (j, version) in subscription.versions.iter().enumerate() {
            let place = |field: &str| at(&format!("versions[{j}].{field}"));
            for (field, value) in [("fee", version.price.fee), ("credit", version.price.credit)] {
                found.extend(amount(value, true).map(|p| p.at(place(&format!("price.{field}")))));
            }
            found.extend(version_of(version).into_iter().map(|problem| {
                let path = problem.path.clone().unwrap_or_default();
                problem.at(place(&path))
            }));
        }
    }
    if let Some(tax) = &table.tax {
        if tax.rate <= Decimal::ZERO || tax.rate >= Decimal::ONE {
            found.push(
                Problem::new(
                    "a tax rate is a share between 0 and 1",
                    "税率应为 0 到 1 之间的比例",
                )
                .at("tax.rate")
                .found(tax.rate)
                .remedy("write \"0.06\" for 6%", "6% 应写作 \"0.06\""),
            );
        }
        if tax.source.trim().is_empty() {
            found.push(Problem::new("a tax needs a source", "税率须有出处").at("tax.source"));
        }
    }
    found
}

/// What is wrong with one offer, its paths within it.
pub(super) fn offer(offer: &Offer) -> Vec<Problem> {
    let mut found = Vec::new();
    if let Sells::Accelerators {
        per_instance,
        up_to,
        ..
    } = offer.sells
        && (per_instance == 0 || up_to < per_instance)
    {
        found.push(
            Problem::new(
                "an instance has at least one accelerator, and up_to is no less",
                "实例至少有一张卡，且 up_to 不小于它",
            )
            .at("sells")
            .found(format!("{per_instance}, up to {up_to}")),
        );
    }
    if let Some(spot) = offer.terms.spot {
        let parts = [spot.interruptions_per_hour, spot.notice_s, spot.restart_s];
        if parts
            .into_iter()
            .flatten()
            .any(|n| !(0.0..=1e6).contains(&n))
        {
            found.push(
                Problem::new("a rate or a time is 0 or more", "频率或时间须不小于 0")
                    .at("terms.spot"),
            );
        }
    }
    for (j, version) in offer.versions.iter().enumerate() {
        let at = |field: &str| format!("versions[{j}].{field}");
        found.extend(self::version(version).into_iter().map(|problem| {
            let path = problem.path.clone().unwrap_or_default();
            problem.at(at(&path))
        }));
        found.extend(kind(offer, &version.price).map(|problem| problem.at(at("price"))));
    }
    found
}

/// What is wrong with one version of an offer's price, its paths within it.
pub(super) fn version(version: &Version) -> Vec<Problem> {
    let mut found = Vec::new();
    for (field, value) in version.price.amounts() {
        // Free accelerators or tokens are a slip: what is known to be free is a component.
        let zero = matches!(version.price, Price::Owned(_));
        found.extend(amount(value, zero).map(|p| p.at(format!("price.{field}"))));
    }
    found.extend(version_of(version));
    found.extend(shape(&version.price).map(|problem| {
        let path = problem.path.clone().unwrap_or_default();
        problem.at(format!("price.{path}"))
    }));
    found
}

fn component(component: &Component) -> Vec<Problem> {
    let mut found = Vec::new();
    if component.beside.is_empty() {
        found.push(
            Problem::new("it comes with no offer", "未说明随哪些报价计费")
                .at("beside")
                .remedy(
                    "name the beginnings of the offers' ids, such as \"modal.\"",
                    "写出报价 id 的开头，例如 \"modal.\"",
                ),
        );
    }
    for (j, version) in component.versions.iter().enumerate() {
        let at = |field: &str| format!("versions[{j}].{field}");
        let rate = &version.price;
        found.extend(amount(rate.amount, true).map(|p| p.at(at("price.amount"))));
        found.extend(steps(&rate.steps).map(|p| p.at(at("price.steps"))));
        found.extend(version_of(version).into_iter().map(|problem| {
            let path = problem.path.clone().unwrap_or_default();
            problem.at(at(&path))
        }));
    }
    found
}

/// What holds for a version of anything.
fn version_of<P>(version: &Version<P>) -> Vec<Problem> {
    let mut found = Vec::new();
    if version.source.trim().is_empty() {
        found.push(Problem::new("a price needs a source", "价格须有出处").at("source"));
    }
    if let (Some(from), Some(until)) = (version.in_force_from(), version.effective_until)
        && until <= from
    {
        found.push(
            Problem::new("a price ends after it begins", "价格的终止须晚于开始")
                .at("effective_until")
                .found(until),
        );
    }
    found
}

fn amount(value: Decimal, may_be_zero: bool) -> Option<Problem> {
    let least = value > Decimal::ZERO || (may_be_zero && value.is_zero());
    (!least || value > Decimal::from(GREATEST)).then(|| {
        Problem::new(
            "a price is above 0 and below ten million",
            "价格应大于 0 且小于一千万",
        )
        .found(value)
        .remedy("leave out a price that is not known", "未知的价格请勿填写")
    })
}

/// Steps rise.
fn steps(steps: &[Step]) -> Option<Problem> {
    let falls = steps.windows(2).any(|pair| pair[1].above <= pair[0].above);
    let negative = steps
        .iter()
        .any(|step| step.above <= Decimal::ZERO || step.amount < Decimal::ZERO);
    (falls || negative).then(|| {
        Problem::new(
            "steps rise, each above the one before and above 0",
            "阶梯须递增且大于 0",
        )
        .at("steps")
    })
}

/// What a price's own parts need.
fn shape(price: &Price) -> Option<Problem> {
    match price {
        Price::Call { steps: list, .. } => steps(list),
        Price::MillionTokens {
            input,
            cached_input,
            batch,
            long,
            off_peak,
            ..
        } => {
            let factor = |at: &str, factor: Option<Decimal>| {
                factor
                    .filter(|factor| *factor <= Decimal::ZERO || *factor > Decimal::ONE)
                    .map(|factor| {
                        Problem::new(
                            "a discount is a factor above 0 and at most 1",
                            "折扣系数应大于 0 且不超过 1",
                        )
                        .at(at)
                        .found(factor)
                    })
            };
            let dear_cache = cached_input.filter(|cached| cached > input).map(|cached| {
                Problem::new(
                    "cached input costs no more than other input",
                    "缓存输入的价格不应高于普通输入",
                )
                .at("cached_input")
                .found(cached)
            });
            factor("batch", *batch)
                .or(dear_cache)
                .or_else(|| long.as_deref().and_then(long_requests))
                .or_else(|| {
                    let off_peak = off_peak.as_deref()?;
                    factor("off_peak.factor", Some(off_peak.factor)).or_else(|| calendar(off_peak))
                })
        }
        Price::Term { months, .. } => (!(2..=120).contains(months)).then(|| {
            Problem::new("a term has 2 to 120 months", "期限应为 2 到 120 个月")
                .at("months")
                .found(months)
        }),
        Price::Owned(owned) => self::owned(owned),
        _ => None,
    }
}

fn long_requests(long: &LongRequests) -> Option<Problem> {
    let falls = long
        .steps
        .windows(2)
        .any(|pair| pair[1].above_input_tokens <= pair[0].above_input_tokens);
    (falls || long.steps.is_empty())
        .then(|| Problem::new("there are steps, and they rise", "须有阶梯且递增").at("long.steps"))
}

fn calendar(off_peak: &OffPeak) -> Option<Problem> {
    let wrong = off_peak.peak.iter().any(|hours| {
        hours.from_h >= hours.to_h
            || hours.to_h > 24
            || hours.days.iter().any(|day| !(1..=7).contains(day))
    });
    (wrong || !(-12..=14).contains(&off_peak.utc_offset_h)).then(|| {
        Problem::new(
            "peak hours are of days 1 to 7, from an hour to a later one up to 24",
            "高峰时段须为星期 1 到 7，且起止小时递增、不超过 24",
        )
        .at("off_peak.peak")
    })
}

fn owned(owned: &Owned) -> Option<Problem> {
    let wrong = |en: &str, zh: &str, at: &str| Some(Problem::new(en, zh).at(at));
    if !(1..=240).contains(&owned.life_months) {
        return wrong(
            "a life is 1 to 240 months",
            "使用年限应为 1 到 240 个月",
            "life_months",
        );
    }
    if owned.residual > owned.purchase {
        return wrong(
            "it is worth no more at its end than when bought",
            "残值不应高于购价",
            "residual",
        );
    }
    if owned.loaded_w < owned.idle_w {
        return wrong(
            "it draws no less under load than idle",
            "满载功率不应低于空载",
            "loaded_w",
        );
    }
    if owned.pue < Decimal::ONE || owned.pue > Decimal::from(5) {
        return wrong("a PUE is 1 to 5", "PUE 应为 1 到 5", "pue");
    }
    None
}

/// A price of answers needs a model, one of accelerators needs accelerators; a second needs to
/// know which seconds; a price for a whole instance needs its size to be fixed.
pub(super) fn kind(offer: &Offer, price: &Price) -> Option<Problem> {
    let wrong = |en: &str, zh: &str| Some(Problem::new(en, zh).found(&offer.id));
    match &offer.sells {
        Sells::Model { .. } if price.is_for_accelerators() => wrong(
            "a model is priced per call or token",
            "模型按次或按 token 计价",
        ),
        Sells::Accelerators { .. } if !price.is_for_accelerators() => wrong(
            "accelerators are priced per second, hour or month",
            "加速卡按秒、小时或月计价",
        ),
        Sells::Accelerators { seconds: None, .. } if matches!(price, Price::Second { .. }) => {
            wrong(
                "a price per second needs `seconds`: which are billed",
                "按秒计价须用 `seconds` 说明计费的时间",
            )
        }
        Sells::Accelerators {
            per_instance,
            up_to,
            ..
        } if price.basis() == Some(Basis::Instance) && per_instance != up_to => wrong(
            "a price for the instance needs one size",
            "按实例计价须为固定规格",
        ),
        _ => None,
    }
}
