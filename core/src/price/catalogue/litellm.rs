//! LiteLLM's `model_prices_and_context_window.json`: US dollars a token, by model, without a date.

use serde_json::{Map, Value};

use super::{
    Catalogue, Format, Request, json_decimal,
    tokens::{Models, Rates, per_million},
    version,
};
use crate::{
    Decimal,
    document::not_json,
    money::Currency,
    price::tariff::{OffPeak, PeakHours},
    problem::{Problem, Problems},
    text::Notice,
};

pub(super) struct LiteLlm;

const SOURCE: &str = "LiteLLM model_prices_and_context_window.json";
/// Modes whose requests turn tokens into tokens.
const MODES: [&str; 3] = ["chat", "completion", "responses"];

impl Format for LiteLlm {
    fn name(&self) -> &'static str {
        "litellm"
    }

    fn recognises(&self, text: &str) -> bool {
        text.trim_start().starts_with('{') && text.contains("\"litellm_provider\"")
    }

    fn read(&self, text: &str, _: &str, request: &Request) -> Result<Catalogue, Problems> {
        let models: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let mut found = Catalogue::default();
        let mut offers = Models::new("litellm", request);
        for (name, entry) in &models {
            if name == "sample_spec" {
                continue;
            }
            let Some(entry) = entry.as_object() else {
                return Err(Problem::new("an entry is no object", "条目不是对象")
                    .at(name.clone())
                    .into());
            };
            let word = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            if !MODES.contains(&word("mode")) {
                found.leave_out(name, other_mode(word("mode")));
                continue;
            }
            let provider = word("litellm_provider");
            match price(entry) {
                Ok(price) => {
                    // The key repeats the provider for some: `deepinfra/Qwen/Qwen3-14B`.
                    let model = name
                        .strip_prefix(provider)
                        .and_then(|rest| rest.strip_prefix('/'))
                        .unwrap_or(name);
                    let day = request.observed_on;
                    let one = version(price, Currency::Usd, day, SOURCE);
                    offers.add(provider, model, vec![one], &mut found);
                }
                Err(why) => found.leave_out(name, why),
            }
        }
        offers.finish(&mut found);
        Ok(found)
    }
}

fn other_mode(mode: &str) -> Notice {
    Notice::new(
        "other-mode",
        format!("Its mode is {mode:?}, not chat or completion."),
        format!("其类型为 {mode:?}，不是对话或补全。"),
    )
}

fn price(entry: &Map<String, Value>) -> Result<crate::price::Price, Notice> {
    let amount = |key: &str| entry.get(key).and_then(json_decimal).and_then(per_million);
    let base = rates(entry, "");
    let (base, steps) = match entry.get("tiered_pricing").and_then(Value::as_array) {
        Some(tiers) => tiered(tiers)?,
        None => (base, steps(entry)),
    };
    // One factor for batches, where input and output have the same.
    let factor = |key: &str, full: Option<Decimal>| amount(key)?.checked_div(full?);
    let batch = factor("input_cost_per_token_batches", base.input);
    let out = factor("output_cost_per_token_batches", base.output);
    let batch = batch.filter(|_| batch == out);
    let off_peak = match entry.get("off_peak_pricing") {
        Some(rules) => Some(off_peak(rules, &base).ok_or_else(peak_unclear)?),
        None => None,
    };
    base.price(steps, batch, off_peak)
}

fn rates(entry: &Map<String, Value>, suffix: &str) -> Rates {
    let amount = |key: &str| {
        let figure = entry.get(&format!("{key}{suffix}"))?;
        per_million(json_decimal(figure)?)
    };
    Rates {
        input: amount("input_cost_per_token"),
        output: amount("output_cost_per_token"),
        cached: amount("cache_read_input_token_cost"),
    }
}

/// `input_cost_per_token_above_200k_tokens` and its likes, whose price is for the whole request.
fn steps(entry: &Map<String, Value>) -> Vec<(u64, Rates)> {
    let bound = |key: &String| {
        let rest = key.strip_prefix("input_cost_per_token_above_")?;
        let thousands = rest.strip_suffix("k_tokens")?;
        thousands.parse::<u64>().ok()
    };
    let mut bounds: Vec<u64> = entry.keys().filter_map(bound).collect();
    bounds.sort_unstable();
    let step = |thousands: u64| {
        let suffix = format!("_above_{thousands}k_tokens");
        (thousands * 1000, rates(entry, &suffix))
    };
    bounds.into_iter().map(step).collect()
}

/// `tiered_pricing`: prices by ranges of input tokens.
fn tiered(tiers: &[Value]) -> Result<(Rates, Vec<(u64, Rates)>), Notice> {
    let unclear = || {
        Notice::new(
            "steps-unclear",
            "Its steps are not ranges of input tokens.",
            "其阶梯不是输入 token 的区间。",
        )
    };
    let mut read = Vec::new();
    for tier in tiers {
        let entry = tier.as_object().ok_or_else(unclear)?;
        let from = entry.get("range").and_then(|range| range.get(0));
        let from = from.and_then(json_decimal).ok_or_else(unclear)?;
        let from = u64::try_from(from).map_err(|_| unclear())?;
        read.push((from, rates(entry, "")));
    }
    read.sort_by_key(|(from, _)| *from);
    match read.first() {
        Some((0, _)) => {
            let base = read.remove(0).1;
            Ok((base, read))
        }
        _ => Err(unclear()),
    }
}

fn peak_unclear() -> Notice {
    Notice::new(
        "peak-hours-unclear",
        "Its off-peak hours are not whole hours at one factor of the price.",
        "其低谷时段不是整点，或折扣系数不一致。",
    )
}

/// `off_peak_pricing`: windows in UTC by days of the week, Monday 1. What is in none is the peak.
fn off_peak(rules: &Value, full: &Rates) -> Option<OffPeak> {
    let rules = rules.as_object()?;
    let cheap = rates(rules, "");
    let factor = cheap.input?.checked_div(full.input?)?;
    if cheap.output?.checked_div(full.output?)? != factor {
        return None;
    }
    let mut off = [[false; 24]; 7];
    for window in rules.get("windows")?.as_array()? {
        let hours: Vec<&str> = match window.get("hours_utc")? {
            Value::String(one) => vec![one],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => return None,
        };
        for span in hours {
            let (from, to) = span.split_once('-')?;
            let hour = |text: &str| text.strip_suffix(":00")?.parse::<usize>().ok();
            let (from, to) = (hour(from)?, hour(to)?);
            // Midnight ends a day; it also begins one.
            let to = if to <= from { 24 } else { to };
            for day in window.get("weekdays")?.as_array()? {
                let day = usize::try_from(day.as_u64()?).ok()?.checked_sub(1)?;
                off.get_mut(day)?.get_mut(from..to)?.fill(true);
            }
        }
    }
    let mut peak = Vec::new();
    for (day, hours) in off.iter().enumerate() {
        let mut from = None;
        for hour in 0..=24 {
            let is_peak = hours.get(hour).is_some_and(|off| !off);
            match (is_peak, from) {
                (true, None) => from = Some(hour),
                (false, Some(start)) => {
                    peak.push(PeakHours {
                        days: vec![day as u8 + 1],
                        from_h: start as u8,
                        to_h: hour as u8,
                    });
                    from = None;
                }
                _ => {}
            }
        }
    }
    Some(OffPeak {
        factor,
        utc_offset_h: 0,
        peak,
    })
}
