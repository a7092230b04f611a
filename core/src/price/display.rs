//! Prices and their terms for people.

use super::{
    Basis, Confidence, Offer, Price,
    table::{PartMonth, Prepaid, SecondsBilled, Sells},
};
use crate::{
    Decimal,
    money::Currency,
    number::{self, significant},
    plan::bill::unit_text,
    text::Lang,
};

/// At least two places, as prices are written: `3.20`, `0.001525`.
#[must_use]
pub fn figure(amount: Decimal) -> String {
    let mut amount = amount.normalize();
    if amount.scale() < 2 {
        amount.rescale(2);
    }
    number::grouped(&amount.to_string())
}

impl Price {
    /// `$2.69 / accel.-hour`, `$0.05 in, $0.25 out / 1M tokens`.
    #[must_use]
    pub fn display(&self, currency: Currency, lang: Lang) -> String {
        let money = |amount: Decimal| currency.label(&figure(amount), lang);
        let of = |basis: Basis, unit: &str| {
            let what = match basis {
                Basis::Accelerator => "accelerator",
                Basis::Instance => "instance",
            };
            unit_text(&format!("{what}-{unit}"), lang)
        };
        let more = |yes: bool| if yes { "*" } else { "" };
        match self {
            Self::Call { amount, steps } => {
                let more = more(!steps.is_empty());
                format!("{}{more} / {}", money(*amount), unit_text("call", lang))
            }
            Self::MillionTokens {
                input,
                output,
                cached_input,
                long,
                off_peak,
                ..
            } => {
                let (into, cached, out) = match lang {
                    Lang::En => ("in", "cached", "out"),
                    Lang::Zh => ("输入", "缓存", "输出"),
                };
                let mut parts = vec![format!("{} {into}", money(*input))];
                parts.extend(cached_input.map(|amount| format!("{} {cached}", money(amount))));
                parts.push(format!("{} {out}", money(*output)));
                let more = more(long.is_some() || off_peak.is_some());
                let tokens = unit_text("million-tokens", lang);
                format!("{}{more} / {tokens}", parts.join(", "))
            }
            Self::Second { amount, of: basis } => {
                format!("{} / {}", money(*amount), of(*basis, "second"))
            }
            Self::Hour { amount, of: basis } => {
                format!("{} / {}", money(*amount), of(*basis, "hour"))
            }
            Self::Month { amount, of: basis } => {
                format!("{} / {}", money(*amount), of(*basis, "month"))
            }
            Self::Term {
                months,
                amount,
                of: basis,
            } => match lang {
                Lang::En => format!("{} / {} × {months}", money(*amount), of(*basis, "month")),
                Lang::Zh => format!("{} / {} × {months}", money(*amount), of(*basis, "month")),
            },
            Self::Owned(owned) => match lang {
                Lang::En => format!(
                    "{} to buy, {} months",
                    money(owned.purchase),
                    owned.life_months
                ),
                Lang::Zh => format!("购价 {}，{} 个月", money(owned.purchase), owned.life_months),
            },
        }
    }

    /// The steps of a price, a line each.
    #[must_use]
    pub fn steps(&self, currency: Currency, lang: Lang) -> Vec<String> {
        let money = |amount: Decimal| currency.label(&figure(amount), lang);
        let mut lines = Vec::new();
        match self {
            Self::Call { steps, .. } => lines.extend(steps.iter().map(|step| {
                let (above, amount) = (number::plain(step.above), money(step.amount));
                match lang {
                    Lang::En => format!("beyond {above} a month: {amount}"),
                    Lang::Zh => format!("每月超过 {above} 的部分：{amount}"),
                }
            })),
            Self::MillionTokens {
                batch,
                long,
                off_peak,
                ..
            } => {
                for step in long.iter().flat_map(|long| &long.steps) {
                    let above = number::plain(step.above_input_tokens.into());
                    let (input, output) = (money(step.input), money(step.output));
                    lines.push(match lang {
                        Lang::En => {
                            format!("requests above {above} input tokens: {input} in, {output} out")
                        }
                        Lang::Zh => {
                            format!("输入超过 {above} token 的请求：输入 {input}，输出 {output}")
                        }
                    });
                }
                lines.extend(batch.map(|factor| match lang {
                    Lang::En => format!("in batches: × {}", number::plain(factor)),
                    Lang::Zh => format!("批量：× {}", number::plain(factor)),
                }));
                lines.extend(off_peak.as_ref().map(|off_peak| {
                    let (factor, hours) = (number::plain(off_peak.factor), off_peak.peak_hours());
                    match lang {
                        Lang::En => format!("outside {hours} peak hours of the week: × {factor}"),
                        Lang::Zh => format!("每周 {hours} 个高峰小时之外：× {factor}"),
                    }
                }));
            }
            _ => {}
        }
        lines
    }
}

impl Confidence {
    /// Its word for people.
    #[must_use]
    pub fn word(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::List, Lang::En) => "list",
            (Self::List, Lang::Zh) => "价目表",
            (Self::Quote, Lang::En) => "quote",
            (Self::Quote, Lang::Zh) => "报价单",
            (Self::Catalogue, Lang::En) => "catalogue",
            (Self::Catalogue, Lang::Zh) => "目录转载",
            (Self::Article, Lang::En) => "article",
            (Self::Article, Lang::Zh) => "文章",
        }
    }
}

impl Offer {
    /// Its terms, a line each.
    #[must_use]
    pub fn terms_text(&self, lang: Lang) -> Vec<String> {
        let mut lines = Vec::new();
        let mut say = |en: String, zh: String| {
            lines.push(match lang {
                Lang::En => en,
                Lang::Zh => zh,
            });
        };
        let seconds = |seconds: f64| significant(seconds, 4);
        match &self.sells {
            Sells::Model { model, .. } => say(format!("model: {model}"), format!("模型：{model}")),
            Sells::Accelerators {
                accelerator,
                per_instance,
                up_to,
                seconds: billed,
            } => {
                let name = accelerator
                    .as_ref()
                    .map_or_else(|| "?".to_owned(), ToString::to_string);
                let range = if per_instance == up_to {
                    per_instance.to_string()
                } else {
                    format!("{per_instance}–{up_to}")
                };
                say(
                    format!("{range} × {name} an instance"),
                    format!("每台实例 {range} × {name}"),
                );
                match billed {
                    Some(SecondsBilled::Active) => say(
                        "billed: seconds with a request in service".to_owned(),
                        "计费：有请求在处理的秒数".to_owned(),
                    ),
                    Some(SecondsBilled::Always) => say(
                        "billed: every second of the month".to_owned(),
                        "计费：整月每一秒".to_owned(),
                    ),
                    Some(SecondsBilled::Up {
                        idle_timeout_s,
                        cold_start_s,
                        increment_s,
                        minimum_s,
                    }) => {
                        let start = cold_start_s.map_or_else(|| "?".to_owned(), seconds);
                        let idle = seconds(*idle_timeout_s);
                        let (mut en, mut zh) = (
                            format!(
                                "billed: from start to end of an instance; start {start} s, idle {idle} s"
                            ),
                            format!("计费：实例从启动到结束；启动 {start} 秒，空闲 {idle} 秒"),
                        );
                        if *increment_s > 0.0 {
                            let step = seconds(*increment_s);
                            en += &format!(", rounded up to {step} s");
                            zh += &format!("，向上取整到 {step} 秒");
                        }
                        if *minimum_s > 0.0 {
                            let least = seconds(*minimum_s);
                            en += &format!(", at least {least} s");
                            zh += &format!("，至少 {least} 秒");
                        }
                        say(en, zh);
                    }
                    None => {}
                }
            }
        }
        let terms = &self.terms;
        if terms.commitment_months > 0 {
            let months = terms.commitment_months;
            say(
                format!("commitment: {months} months"),
                format!("承诺期：{months} 个月"),
            );
        }
        if let Some(prepaid) = terms.prepaid {
            let (en, zh) = match prepaid {
                Prepaid::None => ("nothing in advance", "无预付"),
                Prepaid::Part => ("a part in advance", "部分预付"),
                Prepaid::All => ("all in advance", "全部预付"),
            };
            say(format!("paid: {en}"), format!("付款：{zh}"));
        }
        if let Some(step) = terms.increment_s {
            say(
                format!("time rounded up to {step} s"),
                format!("时间向上取整到 {step} 秒"),
            );
        }
        if let Some(least) = terms.minimum_s {
            say(
                format!("at least {least} s a start"),
                format!("每次至少 {least} 秒"),
            );
        }
        match terms.part_month {
            Some(PartMonth::Whole) => say(
                "a part of a month costs the month".to_owned(),
                "不足一月按一月计".to_owned(),
            ),
            Some(PartMonth::Calendar) => say(
                "a part of a month costs its days over that month's days".to_owned(),
                "不足一月按当月天数折算".to_owned(),
            ),
            None => {}
        }
        if let Some(spot) = terms.spot {
            let figure = |n: Option<f64>| n.map_or_else(|| "?".to_owned(), seconds);
            let (rate, notice, restart) = (
                figure(spot.interruptions_per_hour),
                figure(spot.notice_s),
                figure(spot.restart_s),
            );
            say(
                format!(
                    "spot: {rate} interruptions an hour, {notice} s of notice, {restart} s to restart"
                ),
                format!("竞价：每小时中断 {rate} 次，提前 {notice} 秒通知，重启 {restart} 秒"),
            );
        }
        lines
    }
}
