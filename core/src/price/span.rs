//! What an offer costs over some days: time rounded as it is billed, months by the calendar.

use super::{Basis, Offer, Price, Sells, table::PartMonth};
use crate::{
    Date, Decimal, day,
    money::{Currency, Money},
    plan::calendar,
    text::{Bilingual, Notice},
};

/// A price over some days.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The sum.
    pub total: Money,
    /// How it comes about.
    pub sum: Bilingual,
    /// What to know about it.
    pub notices: Vec<Notice>,
}

impl Offer {
    /// What `instances` held from a day to another, the second exclusive, cost; `None` for prices of
    /// answers, of use, and of machines owned.
    #[must_use]
    pub fn span(
        &self,
        price: &Price,
        currency: Currency,
        (from, to): (Date, Date),
        instances: u64,
    ) -> Option<Span> {
        let Sells::Accelerators { per_instance, .. } = self.sells else {
            return None;
        };
        let count = match price.basis()? {
            Basis::Accelerator => instances.checked_mul(u64::from(per_instance))?,
            Basis::Instance => instances,
        };
        let count = Decimal::from(count);
        let seconds = Decimal::from(day::between(from, to).max(0)).checked_mul(86_400.into())?;
        let mut notices = Vec::new();
        let (units, unit, amount) = match *price {
            Price::Hour { amount, .. } => {
                let terms = &self.terms;
                let billed = calendar::billed_seconds(seconds, terms.increment_s, terms.minimum_s);
                (billed / Decimal::from(3600), ("hours", "小时"), amount)
            }
            Price::Second { amount, .. } => (seconds, ("seconds", "秒"), amount),
            Price::Month { amount, .. } => {
                let months = match self.terms.part_month {
                    Some(PartMonth::Calendar) => calendar::months_between(from, to).round_dp(6),
                    part => {
                        if part.is_none() {
                            notices.push(part_month_unknown());
                        }
                        calendar::whole_months(from, to).into()
                    }
                };
                (months, ("months", "个月"), amount)
            }
            Price::Term { months, amount, .. } => {
                let terms = calendar::whole_months(from, to).div_ceil(months);
                (terms.into(), ("terms", "个期限"), amount)
            }
            _ => return None,
        };
        let exact = count.checked_mul(units)?.checked_mul(amount)?;
        let total = Money::rounded(exact, currency);
        let text = |unit: &str, lang| {
            let price = currency.label(&crate::number::plain(amount), lang);
            let (count, units) = (crate::number::plain(count), crate::number::plain(units));
            format!(
                "{count} × {units} {unit} × {price} = {}",
                total.display(lang)
            )
        };
        use crate::text::Lang::{En, Zh};
        Some(Span {
            total,
            sum: Bilingual::new(text(unit.0, En), text(unit.1, Zh)),
            notices,
        })
    }
}

fn part_month_unknown() -> Notice {
    Notice::new(
        "part-month-unknown",
        "How a part of a month is billed is not known: whole months are counted.",
        "不足一月如何计费未知：按整月计算。",
    )
}

/// Hours a month from which a monthly price is the cheaper of the two, to a hundredth.
#[must_use]
pub fn break_even_hours(hourly: Decimal, monthly: Decimal) -> Option<Decimal> {
    Some(monthly.checked_div(hourly)?.round_dp(2).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price::PriceBook;

    fn offer(terms: &str, per: &str, amount: &str) -> Offer {
        let table = format!(
            r#"{{ "schema": "inferplan.prices/1", "provider": {{ "id": "p", "name": {{ "en": "P", "zh": "P" }} }},
              "released_on": "2026-01-01", "offers": [ {{ "id": "p.a", "name": {{ "en": "A", "zh": "A" }}, "region": "x",
              "sells": {{ "kind": "accelerators", "accelerator": "L40S", "per_instance": 8, "up_to": 8 }},
              "terms": {{ {terms} }},
              "versions": [ {{ "price": {{ "per": "{per}", "amount": "{amount}", "of": "instance" }},
                "currency": "CNY", "observed_on": "2026-01-01", "source": "s", "confidence": "list" }} ] }} ] }}"#
        );
        let book = PriceBook::read([("t", table.as_str())], None).unwrap();
        book.offer("p.a").unwrap().clone()
    }

    fn cost(offer: &Offer, from: &str, to: &str, instances: u64) -> (String, usize) {
        let version = &offer.versions[0];
        let days = (from.parse().unwrap(), to.parse().unwrap());
        let span = offer
            .span(&version.price, version.currency, days, instances)
            .unwrap();
        (span.total.amount.to_string(), span.notices.len())
    }

    #[test]
    fn days_cost_hours_or_parts_of_months() {
        // Two at 12 an hour for a leap year's February: 2 × 696 × 12.
        let hourly = offer("", "hour", "12");
        assert_eq!(cost(&hourly, "2024-02-01", "2024-03-01", 2).0, "16704.00");
        // 1750 a month over 12/30 + 8/31 of one, 0.658065, on two nodes.
        let calendar = offer(r#""part_month": "calendar""#, "month", "1750");
        assert_eq!(
            cost(&calendar, "2024-06-19", "2024-07-09", 2),
            ("2303.23".to_owned(), 0)
        );
        let whole = offer(r#""part_month": "whole""#, "month", "1750");
        assert_eq!(
            cost(&whole, "2024-06-19", "2024-07-09", 2),
            ("3500.00".to_owned(), 0)
        );
        let unknown = offer("", "month", "1750");
        assert_eq!(
            cost(&unknown, "2024-06-19", "2024-07-20", 1),
            ("3500.00".to_owned(), 1)
        );
    }

    #[test]
    fn a_month_is_worth_some_hours() {
        let dec = |text: &str| text.parse::<Decimal>().unwrap();
        let hours = break_even_hours(dec("9.74"), dec("4675.66")).unwrap();
        assert_eq!(hours.to_string(), "480.05");
    }
}
