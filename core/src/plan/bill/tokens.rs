//! Prices per token: cached input, long requests, batches, peak hours.

use super::{Bill, Line, NoBill, Usage, factor};
use crate::{
    Decimal,
    money::decimal_from_f64,
    price::{
        Price,
        tariff::{LongMode, LongRequests},
    },
};

/// Places that a share of the week is kept to.
const SHARE_PLACES: u32 = 9;

/// The tokens of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tokens {
    /// Input tokens, those read from a cache among them.
    pub input: Decimal,
    /// Output tokens.
    pub output: Decimal,
    /// The share of the input that is read from a cache.
    pub cached_share: Decimal,
    /// Whether requests may wait, and are sent in batches.
    pub batch: bool,
}

/// Prices of a million tokens of each kind.
#[derive(Clone, Copy)]
struct Rates {
    input: Decimal,
    cached: Decimal,
    output: Decimal,
}

/// A part of a request's tokens, at one price.
struct Part {
    item: &'static str,
    tokens: Decimal,
    amount: Decimal,
}

pub(super) fn lines(bill: &Bill, price: &Price, usage: &Usage) -> Result<Vec<Line>, NoBill> {
    let Price::MillionTokens {
        input,
        output,
        cached_input,
        batch,
        long,
        off_peak,
    } = price
    else {
        return Ok(Vec::new());
    };
    let tokens = usage.tokens.ok_or(NoBill::LengthsUnknown)?;
    let base = Rates {
        input: *input,
        cached: cached_input.unwrap_or(*input),
        output: *output,
    };
    let discount = batch.filter(|_| tokens.batch).unwrap_or(Decimal::ONE);
    let parts = match long.as_deref() {
        Some(long) if long.mode == LongMode::Excess => excess(base, long, tokens)?,
        Some(long) => plain(whole(base, long, tokens.input), tokens)?,
        None => plain(base, tokens)?,
    };
    let mut lines = Vec::new();
    for Part {
        item,
        tokens,
        amount,
    } in parts
    {
        let amount = amount.checked_mul(discount).ok_or(NoBill::OutOfRange)?;
        let million = Decimal::from(1_000_000);
        let factors = |share: Option<Decimal>| {
            let share = share.map(|share| factor(share, "of-the-week"));
            let mut factors = vec![factor(usage.requests, "request"), factor(tokens, "token")];
            factors.extend(share);
            factors
        };
        match off_peak {
            None => {
                lines.push(bill.line(item, "million-tokens", amount, factors(None), million)?)
            }
            Some(off_peak) => {
                // A steady load's share is that of the hours; any other's that of its requests.
                let peak = match &usage.week {
                    None => Decimal::from(off_peak.peak_hours()) / Decimal::from(168),
                    Some(week) => {
                        let share = week.share(|hour| off_peak.is_peak(hour));
                        decimal_from_f64(share, SHARE_PLACES).ok_or(NoBill::OutOfRange)?
                    }
                };
                let cheap = amount
                    .checked_mul(off_peak.factor)
                    .ok_or(NoBill::OutOfRange)?;
                for (share, amount, when) in [
                    (peak, amount, "peak"),
                    (Decimal::ONE - peak, cheap, "off-peak"),
                ] {
                    let item = format!("{item}-{when}");
                    lines.push(bill.line(
                        &item,
                        "million-tokens",
                        amount,
                        factors(Some(share)),
                        million,
                    )?);
                }
            }
        }
    }
    Ok(lines)
}

fn cached_tokens(tokens: Tokens) -> Result<Decimal, NoBill> {
    tokens
        .input
        .checked_mul(tokens.cached_share)
        .ok_or(NoBill::OutOfRange)
}

/// The prices of the longest step that a request of so many input tokens is above: all its tokens
/// cost that.
fn whole(base: Rates, long: &LongRequests, input_tokens: Decimal) -> Rates {
    let step = long
        .steps
        .iter()
        .rfind(|step| input_tokens > Decimal::from(step.above_input_tokens));
    step.map_or(base, |step| Rates {
        input: step.input,
        cached: step.cached_input.unwrap_or(step.input),
        output: step.output,
    })
}

fn plain(rates: Rates, tokens: Tokens) -> Result<Vec<Part>, NoBill> {
    let cached = cached_tokens(tokens)?;
    let mut parts = vec![Part {
        item: "input-tokens",
        tokens: tokens.input - cached,
        amount: rates.input,
    }];
    if !cached.is_zero() {
        parts.push(Part {
            item: "cached-input-tokens",
            tokens: cached,
            amount: rates.cached,
        });
    }
    parts.push(Part {
        item: "output-tokens",
        tokens: tokens.output,
        amount: rates.output,
    });
    Ok(parts)
}

/// Each step's price for the input tokens within it. What is cached is a request's beginning.
fn excess(base: Rates, long: &LongRequests, tokens: Tokens) -> Result<Vec<Part>, NoBill> {
    let cached = cached_tokens(tokens)?;
    let mut bounds = vec![(Decimal::ZERO, base)];
    bounds.extend(long.steps.iter().map(|step| {
        let rates = Rates {
            input: step.input,
            cached: step.cached_input.unwrap_or(step.input),
            output: base.output,
        };
        (Decimal::from(step.above_input_tokens), rates)
    }));
    let mut parts = Vec::new();
    for (i, (from, rates)) in bounds.iter().enumerate() {
        let to = bounds.get(i + 1).map_or(tokens.input, |next| next.0);
        let within = |count: Decimal| (count.min(to) - *from).max(Decimal::ZERO);
        let of_cache = within(cached);
        let fresh = within(tokens.input) - of_cache;
        for (item, tokens, amount) in [
            ("input-tokens", fresh, rates.input),
            ("cached-input-tokens", of_cache, rates.cached),
        ] {
            if !tokens.is_zero() {
                parts.push(Part {
                    item,
                    tokens,
                    amount,
                });
            }
        }
    }
    parts.push(Part {
        item: "output-tokens",
        tokens: tokens.output,
        amount: base.output,
    });
    Ok(parts)
}
