//! Pydantic's genai-prices: providers with models, US dollars a million tokens, prices by date.

use serde_json::{Map, Value};

use super::{
    Catalogue, Format, Request, json_decimal,
    tokens::{Models, Rates},
    version,
};
use crate::{
    Date, Decimal, day,
    document::not_json,
    money::Currency,
    price::{Price, Version},
    problem::{Problem, Problems},
    text::Notice,
};

pub(super) struct GenaiPrices;

const SOURCE: &str = "pydantic/genai-prices";

impl Format for GenaiPrices {
    fn name(&self) -> &'static str {
        "genai-prices"
    }

    fn recognises(&self, text: &str) -> bool {
        let start = text.trim_start();
        (start.starts_with('[') || start.starts_with('{'))
            && text.contains("\"api_pattern\"")
            && text.contains("\"models\"")
    }

    fn read(&self, text: &str, _: &str, request: &Request) -> Result<Catalogue, Problems> {
        let root: Value = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let providers = root
            .as_array()
            .or_else(|| root.get("providers")?.as_array());
        let providers = providers.ok_or_else(|| {
            Problem::new("there is no list of providers", "没有供应商列表").at("providers")
        })?;
        let mut found = Catalogue::default();
        let mut offers = Models::new("genai-prices", request);
        for provider in providers {
            let id = provider
                .get("id")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let models = provider.get("models").and_then(Value::as_array);
            for model in models.into_iter().flatten() {
                let name = model.get("id").and_then(Value::as_str).unwrap_or_default();
                let row = format!("{id}/{name}");
                match versions(model, id, request) {
                    Ok(versions) => offers.add(id, name, versions, &mut found),
                    Err(why) => found.leave_out(row, why),
                }
            }
        }
        offers.finish(&mut found);
        Ok(found)
    }
}

/// A model's prices, one version for each day that one starts.
fn versions(model: &Value, provider: &str, request: &Request) -> Result<Vec<Version>, Notice> {
    let checked = model.get("prices_checked").and_then(Value::as_str);
    let checked = checked.and_then(|text| day::parse(text).ok());
    let source = format!("{SOURCE}, {provider}");
    let make = |prices: &Map<String, Value>, from: Option<Date>| {
        let price = price(prices)?;
        let seen = checked.unwrap_or(request.observed_on);
        let mut made = version(price, Currency::Usd, seen, &source);
        made.effective_from = from;
        made.note = cache_writes(prices);
        Ok(made)
    };
    match model.get("prices") {
        Some(Value::Object(prices)) => Ok(vec![make(prices, None)?]),
        Some(Value::Array(list)) => {
            let mut versions = Vec::new();
            let mut first = None;
            for entry in list {
                let prices = entry.get("prices").and_then(Value::as_object);
                let prices = prices.ok_or_else(no_prices)?;
                match entry.get("constraint") {
                    None | Some(Value::Null) => first = Some(make(prices, None)?),
                    Some(constraint) => {
                        let start = constraint.get("start_date").and_then(Value::as_str);
                        let start = start
                            .and_then(|text| day::parse(text).ok())
                            .ok_or_else(time_of_day)?;
                        versions.push(make(prices, Some(start))?);
                    }
                }
            }
            versions.sort_by_key(|version| version.effective_from);
            if let Some(mut first) = first {
                // It holds until the first that has a day. Where that day has passed, it was never
                // seen to hold, and stays for the history alone.
                if let Some(next) = versions.first() {
                    first.effective_until = next.effective_from;
                    first.observed_on = first
                        .observed_on
                        .filter(|seen| Some(*seen) < next.effective_from);
                }
                versions.insert(0, first);
            }
            if versions.is_empty() {
                return Err(no_prices());
            }
            Ok(versions)
        }
        _ => Err(no_prices()),
    }
}

fn no_prices() -> Notice {
    Notice::new("no-price", "It has no price.", "没有价格。")
}

fn time_of_day() -> Notice {
    Notice::new(
        "time-of-day",
        "Its prices depend on the time of day in a way that is not read here.",
        "其价格随一天中的时间变化，此处无法读取。",
    )
}

/// What writing to a cache costs is told, not counted.
fn cache_writes(prices: &Map<String, Value>) -> Option<String> {
    let figure = prices.get("cache_write_mtok")?;
    let amount = json_decimal(figure).or_else(|| json_decimal(figure.get("base")?))?;
    Some(format!(
        "Writing to the cache, {amount} a million tokens, is not counted."
    ))
}

fn price(prices: &Map<String, Value>) -> Result<Price, Notice> {
    let figure = |key: &str| prices.get(key).filter(|value| !value.is_null());
    let base = |key: &str| {
        let value = figure(key)?;
        json_decimal(value).or_else(|| json_decimal(value.get("base")?))
    };
    if figure("input_mtok").is_none() && figure("output_mtok").is_none() {
        // A thousand requests at a price of their own.
        let thousand = base("requests_kcount").ok_or_else(no_prices)?;
        let amount = thousand / Decimal::from(1000);
        if let Some(why) = super::doubtful(amount) {
            return Err(why);
        }
        return Ok(Price::Call {
            amount,
            steps: Vec::new(),
        });
    }
    let rates = Rates {
        input: base("input_mtok"),
        output: base("output_mtok"),
        cached: base("cache_read_mtok"),
    };
    // Crossing a tier's start puts all tokens at its rate: the package's own rule.
    let mut steps: Vec<(u64, Rates)> = Vec::new();
    for (key, place) in [
        ("input_mtok", 0),
        ("output_mtok", 1),
        ("cache_read_mtok", 2),
    ] {
        let tiers = figure(key).and_then(|value| value.get("tiers")?.as_array());
        for tier in tiers.into_iter().flatten() {
            let (Some(start), Some(amount)) = (
                tier.get("start").and_then(Value::as_u64),
                tier.get("price").and_then(json_decimal),
            ) else {
                continue;
            };
            let at = match steps.iter().position(|(above, _)| *above == start) {
                Some(at) => at,
                None => {
                    steps.push((start, Rates::default()));
                    steps.len() - 1
                }
            };
            let step = &mut steps[at].1;
            match place {
                0 => step.input = Some(amount),
                1 => step.output = Some(amount),
                _ => step.cached = Some(amount),
            }
        }
    }
    steps.sort_by_key(|(above, _)| *above);
    rates.price(steps, None, None)
}
