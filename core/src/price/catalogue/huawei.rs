//! Huawei Cloud's answers to price inquiries: on demand (`ListOnDemandResourceRatings`) and for a
//! period (`ListRateOnPeriodDetail`), of one resource.
//!
//! The answer does not repeat the question, so flavour, region and unit are stated.

use serde_json::Value;

use super::{
    Catalogue, Format, Request, Unit,
    answer::{self, Answer},
    json_decimal,
};
use crate::{
    Decimal,
    document::not_json,
    price::table::PartMonth,
    problem::{Problem, Problems},
    text::Bilingual,
};

pub(super) struct PriceInquiry;

impl Format for PriceInquiry {
    fn name(&self) -> &'static str {
        "huawei-price-inquiry"
    }

    fn recognises(&self, text: &str) -> bool {
        text.trim_start().starts_with('{') && text.contains("\"official_website_")
    }

    fn read(&self, text: &str, _: &str, request: &Request) -> Result<Catalogue, Problems> {
        let root: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        // A period's list price stands apart from what the account may choose among.
        let of_period = root.get("official_website_rating_result");
        let listed = of_period.unwrap_or(&root);
        let asked = request.unit.map(|unit| unit != Unit::Hour);
        if asked.is_some_and(|for_period| for_period != of_period.is_some()) {
            return Err(
                Problem::new("the answer is of another unit", "答案与所述单位不符")
                    .at("--unit")
                    .remedy(
                        "an answer on demand is by the hour, one for a period by month or year",
                        "按需询价的答案按小时，包周期询价的答案按月或年",
                    )
                    .into(),
            );
        }
        let products = listed
            .get("product_rating_results")
            .and_then(Value::as_array);
        let count = products.map_or(1, Vec::len);
        if count > 1 {
            return Err(
                Problem::new("the answer is of several resources", "答案包含多个资源")
                    .at("product_rating_results")
                    .found(count)
                    .remedy("ask for one at a time", "请每次只询一个资源")
                    .into(),
            );
        }
        let scale = scale(listed.get("measure_id"))?;
        let amount = |value: &Value, key: &str| {
            let figure = value.get(key).and_then(json_decimal)?;
            figure.checked_div(scale)
        };
        let list = amount(listed, "official_website_amount").ok_or_else(|| {
            Problem::new("the answer holds no list price", "答案中没有官网价")
                .at("official_website_amount")
        })?;
        if let Some(why) = super::doubtful(list) {
            return Err(Problem::new(why.en, why.zh)
                .at("official_website_amount")
                .found(list)
                .into());
        }
        let own = match of_period {
            None => amount(&root, "amount"),
            // Of several discounts the account pays the one that the answer calls best, or the least.
            Some(_) => {
                let choices = root.get("optional_discount_rating_results");
                let choices = choices.and_then(Value::as_array).into_iter().flatten();
                let best =
                    |choice: &&Value| choice.get("best_offer").and_then(Value::as_i64) == Some(1);
                let mut amounts: Vec<(bool, Decimal)> = choices
                    .filter_map(|choice| Some((!best(&choice), amount(choice, "amount")?)))
                    .collect();
                amounts.sort();
                amounts.first().map(|(_, amount)| *amount)
            }
        };
        let machine = answer::machine(request, ascend)?;
        let mut found = Catalogue::default();
        Answer {
            table: "huawei-inquiry",
            cloud: Bilingual::new("Huawei Cloud", "华为云"),
            source: "Huawei Cloud price inquiry answer",
            list,
            own,
            currency: answer::currency(root.get("currency").and_then(Value::as_str))?,
            parts: None,
            part_month: Some(PartMonth::Calendar),
        }
        .offer(request, machine, &mut found)?;
        Ok(found)
    }
}

/// `measure_id`: 1 is the currency's unit, 2 a tenth, 3 a hundredth.
fn scale(measure: Option<&Value>) -> Result<Decimal, Problem> {
    match measure.and_then(Value::as_i64) {
        None | Some(1) => Ok(Decimal::ONE),
        Some(2) => Ok(Decimal::TEN),
        Some(3) => Ok(Decimal::ONE_HUNDRED),
        Some(other) => Err(
            Problem::new("its measure is not known here", "计量单位未知")
                .at("measure_id")
                .found(other),
        ),
    }
}

/// Ascend flavours say their cards: `modelarts.bm.npu.arm.8snt9b2.d`, `….npu.1d910b`.
fn ascend(flavour: &str) -> Option<(&'static str, u32)> {
    let count = |mark: &str| {
        let before = &flavour[..flavour.find(mark)?];
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        before[before.len() - digits..].parse().ok()
    };
    let cards: u32 = count("snt9b").or_else(|| count("d910b"))?;
    (1..=16).contains(&cards).then_some(("Ascend 910B", cards))
}
