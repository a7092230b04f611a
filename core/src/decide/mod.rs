//! Ranking what one could do.

pub mod difference;
mod notices;
mod option;
mod price_notices;
mod replica;
mod usage;

use crate::{
    Date, Decimal,
    accelerator::{Accelerator, Match},
    comparison::{Choice, Comparison, TableUsed},
    demand::{Shape, Week},
    document::SchemaTag,
    lint::{self, Lint, Severity},
    money::Currency,
    price::{ExchangeRate, InForce, Offer, Origin, PriceBook, PriceTable, Sells},
    problem::Problems,
    report::Slo,
    scenario::{self, Scenario, WhatIf},
    text::Notice,
};
use replica::Replica;

/// A scenario made ready: every offer paired with every report that covers it, each replica's
/// largest rate worked out. Asking for another volume is then a matter of one bill.
pub struct Plan<'a> {
    scenario: &'a Scenario,
    book: &'a PriceBook,
    as_of: Date,
    replicas: Vec<Replica<'a>>,
    candidates: Vec<Candidate<'a>>,
    /// Offers of imported catalogues that no report covers: counted, not listed.
    not_compared: usize,
    /// How requests are spread over the week; `None` for a steady load.
    week: Option<Week>,
}

/// An offer and what it would run.
struct Candidate<'a> {
    table: &'a PriceTable,
    offer: &'a Offer,
    in_force: Result<InForce<'a>, Notice>,
    /// Index of the replica; `None` for a hosted model, or where no report covers the offer.
    replica: Option<usize>,
}

/// Answers a scenario. `today` is the day taken where the scenario names none.
///
/// # Errors
/// Every value of the scenario that is out of its bounds.
pub fn compare(scenario: &Scenario, book: &PriceBook, today: Date) -> Result<Comparison, Problems> {
    let own = own_book(scenario, book)?;
    Ok(Plan::new(scenario, own.as_ref().unwrap_or(book), today)?.comparison())
}

/// The book with the scenario's own prices over it; `None` where it has none.
///
/// # Errors
/// Own prices out of their bounds, or for what no table has.
pub fn own_book(scenario: &Scenario, book: &PriceBook) -> Result<Option<PriceBook>, Problems> {
    let own = scenario.prices.as_ref().map(|prices| book.with(prices));
    own.transpose()
}

impl<'a> Plan<'a> {
    /// Makes a scenario ready. The book is to hold the scenario's own prices: see [`own_book`].
    ///
    /// # Errors
    /// As [`compare`].
    pub fn new(scenario: &'a Scenario, book: &'a PriceBook, today: Date) -> Result<Self, Problems> {
        scenario.check()?;
        let as_of = scenario.as_of.unwrap_or(today);
        let mut replicas = Vec::new();
        for (i, report) in scenario.reports.iter().enumerate() {
            let accelerator = report
                .accelerator()
                .map_err(|problem| problem.at(format!("reports[{i}].system")).found(&report.id))?;
            // A factor for another accelerator stands beside what was measured; one for the same
            // takes its place.
            let other = |what_if: &&WhatIf| {
                let own = |wanted: &Accelerator| accelerator.0.matches(wanted) != Match::Different;
                !what_if.accelerator.as_ref().is_none_or(own)
            };
            let own = scenario.what_ifs.iter().find(|what_if| !other(what_if));
            replicas.push(Replica::of(report, accelerator, own, scenario, as_of));
            for what_if in scenario.what_ifs.iter().filter(other) {
                if let Some(wanted) = &what_if.accelerator {
                    let it = (wanted, accelerator.1);
                    replicas.push(Replica::of(report, it, Some(what_if), scenario, as_of));
                }
            }
        }
        let mut candidates = Vec::new();
        let mut not_compared = 0;
        for (table, offer) in book.offers() {
            let covering: Vec<Option<usize>> = match &offer.sells {
                Sells::Model { .. } => vec![None],
                Sells::Accelerators { accelerator, .. } => {
                    let covers = |(i, replica): (usize, &Replica)| {
                        let wanted = accelerator.as_ref()?;
                        replica.covers(wanted).then_some(Some(i))
                    };
                    let found: Vec<_> = replicas.iter().enumerate().filter_map(covers).collect();
                    if found.is_empty() { vec![None] } else { found }
                }
            };
            // A catalogue has a hundred thousand offers; those that nothing here can answer for would
            // bury the others.
            let unanswered = match &offer.sells {
                Sells::Model { model, .. } => {
                    !scenario.reports.is_empty() && !scenario.reports.iter().any(|r| r.is_of(model))
                }
                Sells::Accelerators { .. } => covering == [None],
            };
            if table.origin == Origin::Catalogue && unanswered {
                not_compared += 1;
                continue;
            }
            candidates.extend(covering.into_iter().map(|replica| Candidate {
                table,
                offer,
                in_force: book.in_force(offer, as_of),
                replica,
            }));
        }
        Ok(Self {
            scenario,
            book,
            as_of,
            replicas,
            candidates,
            not_compared,
            week: scenario.demand.shape.as_ref().map(Shape::week),
        })
    }

    /// Requests a day in the month that is planned.
    #[must_use]
    pub fn volume(&self) -> Decimal {
        let demand = &self.scenario.demand;
        let growth = &demand.growth;
        growth.volume(demand.requests_per_day, self.as_of, growth.months_ahead)
    }

    /// The comparison at the scenario's own volume.
    #[must_use]
    pub fn comparison(&self) -> Comparison {
        let volume = self.volume();
        let mut options = self.options_at(volume);
        options.sort_by(|a, b| {
            let key =
                |option: &Choice| (!option.feasible, option.monthly.map(|money| money.amount));
            key(a)
                .cmp(&key(b))
                .then_with(|| a.offer.cmp(&b.offer))
                .then_with(|| a.report.cmp(&b.report))
        });
        let warnings = self.warnings(&options);
        Comparison {
            schema: SchemaTag::of::<Comparison>(),
            as_of: self.as_of,
            hours_per_month: self.scenario.hours_per_month,
            requests_per_day: volume,
            // Checked volumes and hours are far within a decimal's range.
            requests_per_month: self
                .scenario
                .requests_per_month(volume)
                .unwrap_or(Decimal::MAX),
            input_tokens: self.scenario.demand.input_tokens,
            output_tokens: self.scenario.demand.output_tokens,
            slo_s: Slo(self.scenario.slo_s.0.clone()),
            currency: self.scenario.currency,
            exchange_rates: self.rates_used(&options),
            tables: self
                .book
                .tables()
                .iter()
                .map(|table| TableUsed {
                    provider: table.provider.id.clone(),
                    released_on: table.released_on,
                    origin: table.origin,
                    sha256: table.sha256.clone(),
                })
                .collect(),
            options,
            warnings,
        }
    }

    /// Every option at a volume, in the order of the tables.
    #[must_use]
    pub fn options_at(&self, requests_per_day: Decimal) -> Vec<Choice> {
        self.candidates
            .iter()
            .map(|candidate| self.option(candidate, requests_per_day))
            .collect()
    }

    /// The month of one option, named by its offer and report, at each of several volumes;
    /// `None` where it is not feasible.
    #[must_use]
    pub fn costs(&self, of: &Choice, volumes: &[Decimal]) -> Vec<Option<Decimal>> {
        let named = |candidate: &&Candidate| {
            let report = candidate.replica.map(|i| &self.replicas[i].report.id);
            candidate.offer.id == of.offer && report == of.report.as_ref()
        };
        let Some(candidate) = self.candidates.iter().find(named) else {
            return vec![None; volumes.len()];
        };
        let cost_at = |volume: &Decimal| {
            let option = self.option(candidate, *volume);
            option
                .monthly
                .filter(|_| option.feasible)
                .map(|money| money.amount)
        };
        volumes.iter().map(cost_at).collect()
    }

    /// The exchange rate to the comparison's currency: the scenario's own, or the book's.
    fn rate_from(&self, currency: Currency) -> Option<&ExchangeRate> {
        let wanted = self.scenario.currency;
        let mut own = self.scenario.exchange_rates.iter();
        own.rfind(|rate| rate.joins(currency, wanted))
            .or_else(|| self.book.rate(currency, wanted, self.as_of))
    }

    fn rates_used(&self, options: &[Choice]) -> Vec<ExchangeRate> {
        let mut used: Vec<ExchangeRate> = Vec::new();
        for option in options.iter().filter(|option| option.monthly.is_some()) {
            let from = option.native.map(|native| native.currency);
            let converted = from.filter(|from| *from != self.scenario.currency);
            if let Some(rate) = converted.and_then(|from| self.rate_from(from))
                && !used.contains(rate)
            {
                used.push(rate.clone());
            }
        }
        used
    }

    /// What holds for the whole comparison.
    fn warnings(&self, options: &[Choice]) -> Vec<Notice> {
        let volume = self.volume();
        let mut warnings = Vec::new();
        if volume.is_zero() {
            warnings.push(notices::no_requests());
        } else if volume > Decimal::from(scenario::LARGE_REQUESTS_PER_DAY) {
            warnings.push(notices::large_volume(volume));
        }
        if self.scenario.demand.growth.months_ahead > 0 {
            warnings.push(notices::planned_month(
                &self.scenario.demand,
                self.as_of,
                volume,
            ));
        }
        if self.not_compared > 0 {
            warnings.push(notices::catalogue_not_compared(self.not_compared));
        }
        let cheapest_fleet = options.iter().find(|o| o.feasible && o.replicas.is_some());
        if let Some(option) = cheapest_fleet
            && !volume.is_zero()
        {
            match &self.week {
                None => {
                    let peak = self.peak_replicas(option);
                    warnings.push(notices::steady_load(option, peak));
                }
                Some(week) => warnings.push(notices::busiest_hour(week.peak_to_mean())),
            }
        }
        for (i, replica) in self.replicas.iter().enumerate() {
            if !self.candidates.iter().any(|c| c.replica == Some(i)) {
                let (id, accelerator) = (&replica.report.id, replica.accelerator);
                warnings.push(notices::no_offer(id, accelerator));
            }
            let serious = |lint: &&Lint| lint.severity <= Severity::Warning;
            warnings.extend(replica.lints.iter().filter(serious).map(Lint::notice));
            let judged = replica.limit.is_ok() && !self.scenario.slo_s.0.is_empty();
            if judged && replica.is_closed_loop() {
                warnings.push(notices::closed_loop(&replica.report.id));
            }
        }
        let together = lint::lint_together(&self.scenario.reports);
        warnings.extend(together.iter().map(Lint::notice));
        warnings
    }

    /// Replicas an option would need at 3.2 times its mean rate.
    fn peak_replicas(&self, option: &Choice) -> Option<u64> {
        let largest = option.max_rate_per_replica?;
        let rate = replica::rate_per_s(self.volume());
        crate::plan::fleet::replicas_for(notices::PEAK_TO_MEAN * rate, largest)
    }
}

#[cfg(test)]
mod fleet_tests;
#[cfg(test)]
mod length_tests;
#[cfg(test)]
mod price_tests;
#[cfg(test)]
mod tests;
