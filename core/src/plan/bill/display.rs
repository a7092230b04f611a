//! A bill's lines for people, in both languages.

use super::{Factor, Line};
use crate::{Decimal, money::Money, number, text::Lang};

impl Line {
    /// For people: `2 instances × 730 hours × $2.69 = $3,927.40`.
    #[must_use]
    pub fn display(&self, lang: Lang) -> String {
        let factors: Vec<String> = self
            .factors
            .iter()
            .map(|factor| counted(factor, lang))
            .collect();
        let price = self.currency.label(&number::plain(self.unit_price), lang);
        let per = match (self.unit.as_str(), lang) {
            ("million-tokens", Lang::En) => " a million",
            ("million-tokens", Lang::Zh) => "／百万",
            _ => "",
        };
        let amount = Money {
            amount: self.amount,
            currency: self.currency,
        }
        .display(lang);
        let sum = format!("{} × {price}{per} = {amount}", factors.join(" × "));
        match item_name(&self.item, lang) {
            Some(name) => format!("{name}{}{sum}", colon(lang)),
            None => sum,
        }
    }
}

fn colon(lang: Lang) -> &'static str {
    match lang {
        Lang::En => ": ",
        Lang::Zh => "：",
    }
}

/// What a line is for, where its factors do not say it already.
fn item_name(item: &str, lang: Lang) -> Option<&'static str> {
    let (en, zh) = match item {
        "input-tokens" => ("input", "输入"),
        "input-tokens-peak" => ("input, peak hours", "输入（高峰）"),
        "input-tokens-off-peak" => ("input, off-peak", "输入（低谷）"),
        "cached-input-tokens" => ("cached input", "缓存输入"),
        "cached-input-tokens-peak" => ("cached input, peak hours", "缓存输入（高峰）"),
        "cached-input-tokens-off-peak" => ("cached input, off-peak", "缓存输入（低谷）"),
        "output-tokens" => ("output", "输出"),
        "output-tokens-peak" => ("output, peak hours", "输出（高峰）"),
        "output-tokens-off-peak" => ("output, off-peak", "输出（低谷）"),
        "cpu" => ("CPU", "CPU"),
        "memory" => ("memory", "内存"),
        "storage" => ("storage", "存储"),
        "egress" => ("egress", "流出流量"),
        "requests" => ("request fee", "请求费"),
        "fixed" => ("fixed fee", "固定费"),
        "credit" => ("free credit", "赠送额度"),
        "subscription" => ("plan fee", "套餐费"),
        "tax" => ("tax", "税"),
        "discount" => ("discount", "折扣"),
        "depreciation" => ("depreciation", "折旧"),
        "energy" => ("energy", "电费"),
        "rack" => ("rack", "机柜"),
        "staff" => ("staff", "人力"),
        _ => return None,
    };
    Some(match lang {
        Lang::En => en,
        Lang::Zh => zh,
    })
}

/// A line's unit for people, in short: `accelerator-hour` → `accel.-hour`, `卡·小时`.
#[must_use]
pub fn unit_text(unit: &str, lang: Lang) -> String {
    match (unit, lang) {
        ("million-tokens", Lang::En) => "1M tokens".to_owned(),
        ("million-tokens", Lang::Zh) => "百万 token".to_owned(),
        ("million-requests", Lang::Zh) => "百万次".to_owned(),
        ("of-the-sum", Lang::En) => "of the sum".to_owned(),
        ("of-the-sum", Lang::Zh) => "占合计".to_owned(),
        (_, Lang::En) => unit
            .replace("accelerator", "accel.")
            .replace("gib", "GiB")
            .replace("gb", "GB"),
        (_, Lang::Zh) => {
            let part = |part: &str| {
                match part {
                    "accelerator" => "卡",
                    "instance" => "台",
                    "hour" => "小时",
                    "second" => "秒",
                    "month" => "月",
                    "call" => "次",
                    "core" => "核",
                    "gib" => "GiB",
                    "gb" => "GB",
                    "kilowatt" => "千瓦",
                    other => other,
                }
                .to_owned()
            };
            unit.split('-').map(part).collect::<Vec<_>>().join("·")
        }
    }
}

/// `2 instances`, `0.125 cores`, `PUE 1.3`, `6%`.
fn counted(factor: &Factor, lang: Lang) -> String {
    let count = number::plain(factor.count);
    match factor.of.as_str() {
        "share" => format!("{}%", number::plain(factor.count * Decimal::from(100))),
        "pue" => format!("PUE {count}"),
        "of-the-week" => {
            let percent = number::plain((factor.count * Decimal::from(100)).round_dp(2));
            match lang {
                Lang::En => format!("{percent}% of the week"),
                Lang::Zh => format!("一周的 {percent}%"),
            }
        }
        unit => format!("{count} {}", unit_name(unit, factor.count, lang)),
    }
}

fn unit_name(unit: &str, count: Decimal, lang: Lang) -> String {
    let (one, many, zh) = match unit {
        "instance" => ("instance", "instances", "台实例"),
        "accelerator" => ("accelerator", "accelerators", "张卡"),
        "hour" => ("hour", "hours", "小时"),
        "second" => ("second", "seconds", "秒"),
        "month" => ("month", "months", "个月"),
        "request" => ("request", "requests", "次请求"),
        "token" => ("token", "tokens", "token"),
        "core" => ("core", "cores", "核"),
        "gib" => ("GiB", "GiB", "GiB"),
        "gb" => ("GB", "GB", "GB"),
        "core-second" => ("core-second", "core-seconds", "核秒"),
        "gib-second" => ("GiB-second", "GiB-seconds", "GiB·秒"),
        "kilowatt" => ("kW", "kW", "kW"),
        "million-requests" => ("million requests", "million requests", "百万次请求"),
        other => return other.to_owned(),
    };
    match lang {
        Lang::En if count == Decimal::ONE => one,
        Lang::En => many,
        Lang::Zh => zh,
    }
    .to_owned()
}
