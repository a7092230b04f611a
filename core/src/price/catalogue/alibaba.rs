//! Alibaba Cloud's answer to `DescribePrice` of ECS: one machine for one time.
//!
//! The answer does not repeat the question, so instance type, region and unit are stated.

use serde_json::Value;

use super::{
    Catalogue, Format, Request,
    answer::{self, Answer},
    json_decimal,
};
use crate::{
    document::not_json,
    problem::{Problem, Problems},
    text::Bilingual,
};

pub(super) struct DescribePrice;

/// Types with their accelerators, from the provider's list of GPU instance families.
const TYPES: [(&str, &str, u32); 24] = [
    ("ecs.gn6i-c4g1.xlarge", "T4", 1),
    ("ecs.gn6i-c8g1.2xlarge", "T4", 1),
    ("ecs.gn6i-c16g1.4xlarge", "T4", 1),
    ("ecs.gn6i-c24g1.6xlarge", "T4", 1),
    ("ecs.gn6i-c24g1.12xlarge", "T4", 2),
    ("ecs.gn6i-c24g1.24xlarge", "T4", 4),
    ("ecs.gn6v-c8g1.2xlarge", "V100 16GB", 1),
    ("ecs.gn6v-c8g1.8xlarge", "V100 16GB", 4),
    ("ecs.gn6v-c8g1.16xlarge", "V100 16GB", 8),
    ("ecs.gn7-c12g1.3xlarge", "A100 40GB", 1),
    ("ecs.gn7-c13g1.13xlarge", "A100 40GB", 4),
    ("ecs.gn7-c13g1.26xlarge", "A100 40GB", 8),
    ("ecs.gn7e-c16g1.4xlarge", "A100 80GB", 1),
    ("ecs.gn7e-c16g1.16xlarge", "A100 80GB", 4),
    ("ecs.gn7e-c16g1.32xlarge", "A100 80GB", 8),
    ("ecs.gn7i-c8g1.2xlarge", "A10", 1),
    ("ecs.gn7i-c16g1.4xlarge", "A10", 1),
    ("ecs.gn7i-c32g1.8xlarge", "A10", 1),
    ("ecs.gn7i-c32g1.16xlarge", "A10", 2),
    ("ecs.gn7i-c32g1.32xlarge", "A10", 4),
    ("ecs.gn8is.2xlarge", "L20", 1),
    ("ecs.gn8is.4xlarge", "L20", 1),
    ("ecs.gn8is-2x.8xlarge", "L20", 2),
    ("ecs.gn8is-4x.16xlarge", "L20", 4),
];

impl Format for DescribePrice {
    fn name(&self) -> &'static str {
        "alibaba-describe-price"
    }

    fn recognises(&self, text: &str) -> bool {
        text.trim_start().starts_with('{')
            && text.contains("\"PriceInfo\"")
            && text.contains("\"OriginalPrice\"")
    }

    fn read(&self, text: &str, _: &str, request: &Request) -> Result<Catalogue, Problems> {
        let root: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let price = root.pointer("/PriceInfo/Price").ok_or_else(|| {
            Problem::new("the answer holds no price", "答案中没有价格").at("PriceInfo.Price")
        })?;
        let amount = |key: &str| price.get(key).and_then(json_decimal);
        let list = amount("OriginalPrice").ok_or_else(|| {
            Problem::new("the answer holds no list price", "答案中没有目录价")
                .at("PriceInfo.Price.OriginalPrice")
        })?;
        if let Some(why) = super::doubtful(list) {
            return Err(Problem::new(why.en, why.zh)
                .at("PriceInfo.Price.OriginalPrice")
                .found(list)
                .into());
        }
        let known = |instance: &str| {
            let found = TYPES.iter().find(|(name, ..)| *name == instance);
            found.map(|(_, accelerator, count)| (*accelerator, *count))
        };
        let machine = answer::machine(request, known)?;
        let mut found = Catalogue::default();
        Answer {
            table: "alibaba-ecs",
            cloud: Bilingual::new("Alibaba Cloud ECS", "阿里云 ECS"),
            source: "Alibaba Cloud ECS DescribePrice answer",
            list,
            own: amount("TradePrice"),
            currency: answer::currency(price.get("Currency").and_then(Value::as_str))?,
            parts: parts(&root, price),
            part_month: None,
        }
        .offer(request, machine, &mut found)?;
        Ok(found)
    }
}

/// `instanceType 9.50, systemDisk 0.24`: the sum has the disks and the bandwidth that were asked for.
fn parts(root: &Value, price: &Value) -> Option<String> {
    // Where the details stand, and under which name, has changed over the years.
    let details = price
        .get("DetailInfos")
        .or_else(|| root.pointer("/PriceInfo/DetailInfos"))?;
    let list = details
        .get("ResourcePriceModel")
        .or_else(|| details.get("DetailInfo"))?;
    let part = |detail: &Value| {
        let resource = detail.get("Resource")?.as_str()?;
        let amount = detail.get("OriginalPrice").and_then(json_decimal)?;
        (!amount.is_zero()).then(|| format!("{resource} {}", amount.normalize()))
    };
    let parts: Vec<String> = list.as_array()?.iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| format!("The sum is of: {}.", parts.join(", ")))
}
