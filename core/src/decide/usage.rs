//! What an option uses, and its whole bill: what the offer sells, what comes beside it, discounts,
//! tax.

use super::{Candidate, Plan, notices};
use crate::{
    Decimal,
    comparison::Choice,
    money::decimal_from_f64,
    plan::{
        bill::{self, Around, Line, NoBill, Tokens, Usage},
        fleet::Fleet,
        length,
    },
    price::{Price, Version},
    text::Notice,
};

/// Places that shares and quantities are kept to.
const PLACES: u32 = 6;

impl Plan<'_> {
    /// What a month at a volume uses; `None` out of range.
    pub(super) fn usage(
        &self,
        fleet: Option<(Fleet, f64)>,
        requests_per_day: Decimal,
        choice: &Choice,
    ) -> Option<Usage> {
        let demand = &self.scenario.demand;
        let attempts = decimal_from_f64(demand.attempts_per_success, PLACES)?;
        let requests = self.scenario.requests_per_month(requests_per_day)?;
        let cached_share = decimal_from_f64(demand.cached_input_share, PLACES)?;
        Some(Usage {
            requests: requests.checked_mul(attempts)?,
            tokens: self.lengths().map(|(input, output)| Tokens {
                input: input.into(),
                output: output.into(),
                cached_share,
                batch: demand.batch,
            }),
            hours: self.scenario.hours_per_month,
            fleet: fleet.map(|(fleet, _)| fleet),
            billed_share: fleet.map_or(1.0, |(_, share)| share),
            week: self.week.clone(),
            utilization: choice.utilization.unwrap_or(1.0),
        })
    }

    /// Every line of an option's month.
    pub(super) fn lines(
        &self,
        candidate: &Candidate,
        version: &Version,
        usage: &Usage,
        choice: &mut Choice,
    ) -> Result<Vec<Line>, NoBill> {
        let (table, offer) = (candidate.table, candidate.offer);
        let mut lines = bill::lines(version, usage)?;
        if let Price::MillionTokens {
            long: Some(long), ..
        } = &version.price
        {
            let first = long.steps.first().map(|step| step.above_input_tokens);
            choice.warnings.extend(first.map(notices::steps_by_mean));
        }
        for discount in self
            .book
            .discounts(&table.provider.id, &offer.id, self.as_of)
        {
            match bill::discount(discount, &lines, version.currency)? {
                Some(line) => {
                    choice.warnings.push(notices::own_discount(discount));
                    lines.push(line);
                }
                None => choice.warnings.push(notices::discount_left_out(discount)),
            }
        }
        let scenario = self.scenario;
        let stated = |quantity: Option<f64>| decimal_from_f64(quantity?, PLACES);
        let around = Around {
            cpu_cores: stated(scenario.beside.cpu_cores),
            memory_gib: stated(scenario.beside.memory_gib),
            storage_gb: stated(Some(scenario.beside.storage_gb)).unwrap_or_default(),
            egress_gb: stated(Some(scenario.beside.egress_gb)).unwrap_or_default(),
        };
        let subscriptions = &scenario.subscriptions;
        let beside = bill::beside(
            table,
            &offer.id,
            &lines,
            usage,
            &around,
            subscriptions,
            self.as_of,
        )?;
        choice.warnings.extend(
            beside
                .at_least
                .iter()
                .map(|component| notices::at_least(component)),
        );
        choice.warnings.extend(
            beside
                .left_out
                .iter()
                .map(|component| notices::not_counted(&component.name)),
        );
        choice
            .warnings
            .extend(beside.assumed.map(notices::subscription_assumed));
        lines.extend(beside.lines);
        if scenario.with_tax
            && let Some(tax) = table.tax.as_ref().filter(|tax| tax.is_on(&offer.id))
        {
            lines.extend(bill::tax(tax, &lines, version.currency)?);
        }
        Ok(lines)
    }

    /// Whether what is asked for is tokens: a report of a language model, or a length.
    pub(super) fn asks_for_text(&self) -> bool {
        let demand = &self.scenario.demand;
        !self.scenario.reports.is_empty()
            || demand.input_tokens.is_some()
            || demand.output_tokens.is_some()
    }

    /// Why a scenario's constraints keep an offer out.
    pub(super) fn kept_out(&self, candidate: &Candidate) -> Vec<Notice> {
        let (offer, constraints) = (candidate.offer, &self.scenario.constraints);
        let place = constraints
            .residency
            .filter(|wanted| offer.residency != Some(*wanted))
            .map(|wanted| notices::elsewhere(wanted, offer.residency));
        let spot =
            (offer.terms.spot.is_some() && !constraints.spot).then(notices::spot_not_allowed);
        place.into_iter().chain(spot).collect()
    }

    /// The share of time that a bought instance serves.
    pub(super) fn availability(&self, candidate: &Candidate, choice: &mut Choice) -> f64 {
        let Some(spot) = candidate.offer.terms.spot else {
            return 1.0;
        };
        match spot.availability() {
            Some(share) => {
                choice.warnings.push(notices::spot(share));
                share
            }
            None => {
                choice.warnings.push(notices::spot_unknown());
                1.0
            }
        }
    }

    /// The wanted lengths; where none are wanted, the reports' own, rounded, if they agree.
    pub(super) fn lengths(&self) -> Option<(u64, u64)> {
        let demand = &self.scenario.demand;
        let reports = &self.scenario.reports;
        let alike = reports
            .windows(2)
            .all(|pair| length::alike(&pair[0], &pair[1]));
        let workload = reports
            .first()
            .filter(|_| alike)
            .map(|report| &report.workload);
        let own = |tokens: Option<f64>| tokens.map(|tokens| tokens.round() as u64);
        Some((
            demand
                .input_tokens
                .or_else(|| own(workload?.input_tokens))?,
            demand
                .output_tokens
                .or_else(|| own(workload?.output_tokens))?,
        ))
    }
}
