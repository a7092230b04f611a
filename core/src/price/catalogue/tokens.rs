//! What the two catalogues of hosted models share: prices by length, ids, tables a provider.

use std::collections::HashMap;

use super::{Catalogue, Request, kebab, table};
use crate::{
    Decimal,
    price::{
        Offer, Price, PriceTable, Sells, Terms, Version,
        tariff::{LongMode, LongRequests, LongStep, OffPeak},
    },
    text::{Bilingual, Notice},
};

/// A million tokens' prices, as far as a catalogue states them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rates {
    pub input: Option<Decimal>,
    pub output: Option<Decimal>,
    pub cached: Option<Decimal>,
}

/// A price a token as one a million; what a binary float left beyond nine places is noise.
pub(super) fn per_million(per_token: Decimal) -> Option<Decimal> {
    let million = per_token.checked_mul(Decimal::from(1_000_000))?;
    Some(million.round_dp(9).normalize())
}

impl Rates {
    /// As a price, with steps for longer requests, a batch factor and peak hours.
    ///
    /// # Errors
    /// Why it is none to plan on.
    pub fn price(
        &self,
        steps: Vec<(u64, Rates)>,
        batch: Option<Decimal>,
        off_peak: Option<OffPeak>,
    ) -> Result<Price, Notice> {
        let (Some(input), Some(output)) = (self.input, self.output) else {
            return Err(Notice::new(
                "no-token-price",
                "It has no price of both input and output tokens.",
                "缺少输入与输出 token 的价格。",
            ));
        };
        if input.is_zero() || output.is_zero() {
            return Err(super::doubtful(Decimal::ZERO).unwrap_or_else(negative));
        }
        if [Some(input), Some(output), self.cached]
            .into_iter()
            .flatten()
            .any(|amount| amount.is_sign_negative())
        {
            return Err(negative());
        }
        // A cache that costs more than no cache is a slip, or another thing than reading it.
        let cached = |rates: &Rates, input: Decimal| {
            rates
                .cached
                .filter(|cached| *cached <= input && !cached.is_zero())
        };
        let steps: Vec<LongStep> = steps
            .into_iter()
            .map(|(above, rates)| {
                let input = rates.input.unwrap_or(input);
                LongStep {
                    above_input_tokens: above,
                    input,
                    output: rates.output.unwrap_or(output),
                    cached_input: cached(&rates, input),
                }
            })
            .collect();
        Ok(Price::MillionTokens {
            input,
            output,
            cached_input: cached(self, input),
            batch: batch.filter(|factor| *factor > Decimal::ZERO && *factor <= Decimal::ONE),
            long: (!steps.is_empty()).then(|| {
                Box::new(LongRequests {
                    mode: LongMode::WholeRequest,
                    steps,
                })
            }),
            off_peak: off_peak.map(Box::new),
        })
    }
}

fn negative() -> Notice {
    Notice::new("negative", "A price is below 0.", "价格小于 0。")
}

/// Hosted models on their way to a table a provider.
pub(super) struct Models<'q> {
    catalogue: &'static str,
    request: &'q Request,
    tables: Vec<PriceTable>,
    /// Where a provider's table stands.
    providers: HashMap<String, usize>,
    ids: HashMap<String, String>,
}

impl<'q> Models<'q> {
    pub fn new(catalogue: &'static str, request: &'q Request) -> Self {
        Self {
            catalogue,
            request,
            tables: Vec::new(),
            providers: HashMap::new(),
            ids: HashMap::new(),
        }
    }

    pub fn add(
        &mut self,
        provider: &str,
        model: &str,
        versions: Vec<Version>,
        into: &mut Catalogue,
    ) {
        let provider_id = format!("{}.{}", self.catalogue, kebab(provider));
        let id = format!("{provider_id}.{}", kebab(model));
        if let Some(first) = self.ids.get(&id) {
            let why = Notice::new(
                "same-id",
                format!("Its name reads as that of {first}."),
                format!("其名称与 {first} 相同。"),
            );
            return into.leave_out(model, why);
        }
        self.ids.insert(id.clone(), model.to_owned());
        let at = *self
            .providers
            .entry(provider_id.clone())
            .or_insert_with(|| {
                let name = format!("{provider} ({})", self.catalogue);
                let table = table(provider_id, Bilingual::same(name), self.request.observed_on);
                self.tables.push(table);
                self.tables.len() - 1
            });
        self.tables[at].offers.push(Offer {
            id,
            name: Bilingual::new(format!("{model}, per token"), format!("{model}，按 token")),
            region: "global".to_owned(),
            residency: None,
            sku: None,
            sells: Sells::Model {
                model: model.to_owned(),
                yields: crate::price::Yields::Text,
            },
            terms: Terms::default(),
            withdrawn_on: None,
            not_counted: Vec::new(),
            versions,
            note: None,
        });
    }

    pub fn finish(self, into: &mut Catalogue) {
        into.tables.extend(self.tables);
    }
}
