//! What the two clouds' answers share: one machine, the list's price and the account's.

use super::{Catalogue, Request, Unit, kebab, table, version};
use crate::{
    Decimal,
    accelerator::Accelerator,
    money::Currency,
    price::{
        Basis, Confidence, Offer, Price, Quote, Sells, Terms,
        table::{PartMonth, Prepaid},
    },
    problem::Problem,
    text::Bilingual,
};

/// One machine's answer.
pub(super) struct Answer {
    /// The table's id.
    pub table: &'static str,
    /// The cloud, for people.
    pub cloud: Bilingual,
    /// The answer's name, for the source.
    pub source: &'static str,
    /// The list's price for the time asked for.
    pub list: Decimal,
    /// What the account pays for it.
    pub own: Option<Decimal>,
    pub currency: Currency,
    /// What the sum is made of, where it says so.
    pub parts: Option<String>,
    pub part_month: Option<PartMonth>,
}

/// What must be stated, since no answer says it.
pub(super) fn need<'r, T>(
    value: Option<&'r T>,
    flag: &str,
    example: &str,
) -> Result<&'r T, Problem> {
    value.ok_or_else(|| {
        Problem::new(
            "the answer does not say what was asked for",
            "答案未说明所询的内容",
        )
        .at(flag.to_owned())
        .remedy(
            format!("state it: {flag} {example}"),
            format!("请给出：{flag} {example}"),
        )
    })
}

impl Answer {
    /// As an offer, with the account's price as a quote where it is another.
    ///
    /// # Errors
    /// What the request does not state.
    pub fn offer(
        self,
        request: &Request,
        machine: (Accelerator, u32),
        into: &mut Catalogue,
    ) -> Result<(), Problem> {
        let instance = need(request.instance_type.as_ref(), "--instance-type", "TYPE")?;
        let region = need(request.region.as_ref(), "--region", "REGION")?;
        let unit = *need(request.unit.as_ref(), "--unit", "hour")?;
        let (accelerator, count) = machine;
        let per = |amount: Decimal| self.price(amount, unit, request.periods);
        let (price, term) = per(self.list)?;
        let id = format!(
            "{}.{}.{}.{term}",
            self.table,
            kebab(region),
            kebab(&instance.replace("ecs.", "ecs-"))
        );
        let words = match unit {
            Unit::Hour => ("hourly", "按小时"),
            Unit::Month => ("monthly", "按月"),
            Unit::Year => ("yearly", "按年"),
        };
        let mut listed = version(price, self.currency, request.observed_on, self.source);
        listed.confidence = Confidence::List;
        listed.note.clone_from(&self.parts);
        if let Some(own) = self.own.filter(|own| *own != self.list) {
            into.own.quotes.push(Quote {
                offer: id.clone(),
                price: per(own)?.0,
                currency: self.currency,
                effective_from: request.observed_on,
                effective_until: None,
                source: format!("{}, the account's own price", self.source),
            });
        }
        let prepaid = (unit != Unit::Hour).then_some(Prepaid::All);
        let name = format!("{instance} ({count}× {accelerator})");
        let mut table = table(self.table.to_owned(), self.cloud, request.observed_on);
        table.offers.push(Offer {
            id,
            name: Bilingual::new(
                format!("{name}, {}", words.0),
                format!("{name}，{}", words.1),
            ),
            region: region.clone(),
            residency: super::rows::residency_of(region),
            sku: Some(instance.clone()),
            sells: Sells::Accelerators {
                accelerator: Some(accelerator),
                per_instance: count,
                up_to: count,
                seconds: None,
            },
            terms: Terms {
                prepaid,
                part_month: self.part_month.filter(|_| unit != Unit::Hour),
                ..Terms::default()
            },
            withdrawn_on: None,
            not_counted: Vec::new(),
            versions: vec![listed],
            note: None,
        });
        into.tables.push(table);
        Ok(())
    }

    /// The time asked for as a price, and the id's last part.
    fn price(&self, amount: Decimal, unit: Unit, periods: u32) -> Result<(Price, String), Problem> {
        let of = Basis::Instance;
        let several = |months: u32| {
            (
                Price::Term { months, amount, of },
                format!("{months}-months"),
            )
        };
        Ok(match (unit, periods) {
            (Unit::Hour, hours) => {
                let hourly = amount.checked_div(Decimal::from(hours)).ok_or_else(|| {
                    Problem::new("no hours were asked for", "询价小时数为 0").at("--periods")
                })?;
                // An hour's price has at most six places; what division leaves beyond is noise.
                let amount = hourly.round_dp(6).normalize();
                (Price::Hour { amount, of }, "hourly".to_owned())
            }
            (Unit::Month, 1) => (Price::Month { amount, of }, "monthly".to_owned()),
            (Unit::Month, months) => several(months),
            (Unit::Year, years) => several(years.saturating_mul(12)),
        })
    }
}

/// The accelerators of an instance: as stated, or by a list of types.
///
/// # Errors
/// A type that no list here has, where nothing is stated.
pub(super) fn machine(
    request: &Request,
    known: impl Fn(&str) -> Option<(&'static str, u32)>,
) -> Result<(Accelerator, u32), Problem> {
    let instance = need(request.instance_type.as_ref(), "--instance-type", "TYPE")?;
    let listed = known(instance);
    let accelerator = match (&request.accelerator, listed) {
        (Some(stated), _) => stated.clone(),
        (None, Some((name, _))) => name.parse()?,
        (None, None) => return Err(unknown(instance)),
    };
    let count = request.accelerators.or(listed.map(|(_, count)| count));
    count
        .map(|count| (accelerator, count))
        .ok_or_else(|| unknown(instance))
}

fn unknown(instance: &str) -> Problem {
    Problem::new(
        "which accelerators it has is not known here",
        "未知该机型的加速卡",
    )
    .at("--instance-type")
    .found(instance)
    .remedy(
        "state --accelerator NAME and --accelerators N",
        "请给出 --accelerator NAME 与 --accelerators N",
    )
}

/// The currency's code as the clouds write it.
///
/// # Errors
/// One not known here, or none.
pub(super) fn currency(code: Option<&str>) -> Result<Currency, Problem> {
    let code = code.unwrap_or_default();
    code.parse().map_err(|_| {
        Problem::new("its currency is not known here", "货币未知")
            .at("currency")
            .found(if code.is_empty() { "nothing" } else { code })
            .remedy("USD or CNY are", "支持 USD 与 CNY")
    })
}
