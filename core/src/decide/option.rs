//! One option: an offer at a volume.

use super::{
    Candidate, Plan, notices,
    replica::{self, Replica},
};
use crate::{
    Decimal,
    accelerator::Match,
    comparison::{Choice, Standing},
    day,
    demand::Week,
    money::{Currency, Money, unit_cost},
    plan::{
        bill::{self, NoBill},
        fleet::{self, Fleet},
        length::{self, Work},
        uptime,
    },
    price::{Confidence, InForce, Price, Sells, Version, Yields, table::SecondsBilled},
    text::{Bilingual, Notice},
};

/// A price seen longer ago than this is old.
const OLD_AFTER_DAYS: i64 = 90;

/// An exchange rate of longer ago than this is old.
const RATE_OLD_AFTER_DAYS: i64 = 30;

impl Plan<'_> {
    pub(super) fn option(&self, candidate: &Candidate, requests_per_day: Decimal) -> Choice {
        let mut choice = blank(candidate);
        let replica = candidate.replica.map(|i| &self.replicas[i]);
        choice.reasons.extend(self.kept_out(candidate));
        choice.report = replica.map(|replica| replica.report.id.clone());
        let fleet = match (&candidate.offer.sells, replica) {
            (Sells::Model { model, yields }, _) => {
                choice.standing = Some(Standing::Priced);
                if *yields == Yields::Image && self.asks_for_text() {
                    choice.reasons.push(notices::yields_images(model));
                }
                self.warn_of_hosted(model, &mut choice);
                None
            }
            (Sells::Accelerators { accelerator, .. }, None) => {
                choice.reasons.push(match accelerator {
                    Some(accelerator) => notices::no_report(accelerator),
                    None => notices::accelerator_not_named(),
                });
                None
            }
            (Sells::Accelerators { .. }, Some(replica)) => {
                self.size(candidate, replica, requests_per_day, &mut choice)
            }
        };
        match &candidate.in_force {
            Ok(in_force) => {
                self.warn_of_price(in_force, &mut choice);
                let price = &in_force.version.price;
                choice.commitment_months = candidate.offer.binds_months(price);
                let longest = self.scenario.constraints.commitment_months;
                if choice.commitment_months > longest {
                    let months = choice.commitment_months;
                    choice
                        .reasons
                        .push(notices::commitment_too_long(months, longest));
                }
                if choice.reasons.is_empty() {
                    self.bill(
                        candidate,
                        in_force.version,
                        fleet,
                        requests_per_day,
                        &mut choice,
                    );
                }
            }
            Err(reason) => choice.reasons.push(reason.clone()),
        }
        if self.scenario.measured_only && choice.standing == Some(Standing::Estimate) {
            choice.reasons.push(notices::only_an_estimate());
        }
        choice.feasible = choice.reasons.is_empty();
        choice
    }

    /// Replicas, accelerators and utilisation; the fleet with the share of seconds billed.
    fn size(
        &self,
        candidate: &Candidate,
        replica: &Replica,
        requests_per_day: Decimal,
        choice: &mut Choice,
    ) -> Option<(Fleet, f64)> {
        let offer = candidate.offer;
        choice.warnings.extend(replica.notices.iter().cloned());
        self.warn_of_match(candidate, replica, choice);
        let (curve, chain, limit) = match &replica.limit {
            Ok(found) => found,
            Err(reasons) => {
                choice.reasons.extend(reasons.iter().cloned());
                return None;
            }
        };
        let estimate = replica.is_estimate();
        choice.standing = Some(if estimate {
            Standing::Estimate
        } else {
            Standing::Measured
        });
        choice.max_rate_per_replica = Some(limit.rate_per_s);
        choice.bound_by = Some(limit.bound.key());
        match replica.work {
            Some(Work::Estimated { work, .. }) => {
                choice
                    .warnings
                    .push(length::estimated(replica.report, work));
            }
            Some(Work::Unstated) => choice
                .warnings
                .push(notices::lengths_unstated(replica.report)),
            _ => {}
        }
        if replica.is_overloaded() {
            choice
                .warnings
                .push(notices::not_kept_up(&replica.report.id));
        }
        let stand_ins = limit.stand_ins.iter();
        choice
            .warnings
            .extend(stand_ins.map(|(target, q)| notices::stood_in(target, *q)));
        choice
            .warnings
            .extend(limit.missed_below.iter().map(notices::missed_below));

        let attempts = self.scenario.demand.attempts_per_success;
        let rate = replica::rate_per_s(requests_per_day) * attempts;
        let availability = self.availability(candidate, choice);
        let peak = self.week.as_ref().map_or(1.0, Week::peak_to_mean);
        let most = limit.rate_per_s * availability;
        let rule = &self.scenario.fleet;
        let needed_for = |rate: f64| {
            let needed = fleet::replicas_for(rate, most)?;
            Some((needed + u64::from(rule.spares)).max(rule.least.into()))
        };
        let Some(replicas) = needed_for(rate * peak) else {
            choice.reasons.push(notices::too_many_replicas());
            return None;
        };
        if rule.spares > 0 {
            choice.warnings.push(notices::spares(rule.spares));
        }
        let fleet = match fleet::buy(&offer.sells, replicas, replica.accelerators) {
            Ok(fleet) => fleet,
            Err(reason) => {
                choice.reasons.push(reason);
                return None;
            }
        };
        let each = rate / replicas as f64;
        choice.replicas = Some(replicas);
        choice.accelerators = Some(fleet.accelerators());
        choice.utilization = Some(each / curve.largest_rate());
        choice.peak_utilization = Some(each * peak / curve.largest_rate());
        let used = replicas * u64::from(replica.accelerators);
        if used < fleet.accelerators() {
            choice
                .warnings
                .push(notices::spare(used, fleet.accelerators()));
        }
        let seconds = match &offer.sells {
            Sells::Accelerators { seconds, .. } => seconds.as_ref(),
            Sells::Model { .. } => None,
        };
        let scheduled = self
            .scheduled_share(candidate, replica, fleet, |weight| {
                needed_for(rate * weight)
            })
            .inspect(|share| choice.warnings.push(notices::scheduled(*share)));
        let share = seconds.map_or(scheduled.unwrap_or(1.0), |billed| match &self.week {
            None => uptime::billed_share(billed, chain, each),
            // Workers that are always on are on at night too.
            Some(_) if *billed == SecondsBilled::Always => 1.0,
            Some(week) => {
                // Each hour runs as many as it needs; the bill is for all that the peak hour has.
                let hours = week.weights().iter().map(|weight| {
                    let now = rate * weight;
                    let needed = needed_for(now).unwrap_or(replicas).min(replicas);
                    let share = uptime::billed_share(billed, chain, now / needed as f64);
                    share * needed as f64 / replicas as f64
                });
                hours.sum::<f64>() / week.weights().len() as f64
            }
        });
        if let Some(SecondsBilled::Up {
            idle_timeout_s,
            cold_start_s,
            ..
        }) = seconds
        {
            choice.warnings.push(notices::scale_to_zero(
                *idle_timeout_s,
                *cold_start_s,
                share,
            ));
        }
        Some((fleet, share))
    }

    /// The share of the month's instance-hours that a schedule rents, of an offer that sells hours
    /// without a commitment; `None` where there is nothing to schedule.
    ///
    /// A replica that the next hour needs is asked for its start-up before, and paid from then on.
    fn scheduled_share(
        &self,
        candidate: &Candidate,
        replica: &Replica,
        bought: Fleet,
        needed_for: impl Fn(f64) -> Option<u64>,
    ) -> Option<f64> {
        let rule = &self.scenario.fleet;
        let week = self.week.as_ref().filter(|_| rule.scheduled)?;
        let price = &candidate.in_force.as_ref().ok()?.version.price;
        let by_the_hour = matches!(price, Price::Hour { .. } | Price::Second { .. });
        if !by_the_hour || candidate.offer.binds_months(price) > 0 {
            return None;
        }
        let instances = |weight: &f64| {
            let needed = needed_for(*weight)?.min(bought.replicas);
            let fleet = fleet::buy(&candidate.offer.sells, needed, replica.accelerators).ok()?;
            Some(fleet.instances as f64)
        };
        let hours: Option<Vec<f64>> = week.weights().iter().map(instances).collect();
        let hours = hours?;
        let early = rule.start_up_s / 3600.0;
        let next = hours.iter().cycle().skip(1);
        let rented = hours
            .iter()
            .zip(next)
            .map(|(now, next)| now + (next - now).max(0.0) * early);
        let share = rented.sum::<f64>() / hours.len() as f64 / bought.instances as f64;
        (share < 1.0).then_some(share)
    }

    fn bill(
        &self,
        candidate: &Candidate,
        version: &Version,
        fleet: Option<(Fleet, f64)>,
        requests_per_day: Decimal,
        choice: &mut Choice,
    ) {
        let Some(usage) = self.usage(fleet, requests_per_day, choice) else {
            return choice.reasons.push(notices::out_of_range());
        };
        let lines = match self.lines(candidate, version, &usage, choice) {
            Ok(lines) => lines,
            Err(NoBill::LengthsUnknown) => return choice.reasons.push(notices::lengths_unknown()),
            Err(NoBill::OutOfRange) => return choice.reasons.push(notices::out_of_range()),
        };
        let Some(native) = bill::total(&lines, version.currency) else {
            return choice.reasons.push(notices::out_of_range());
        };
        choice.lines = lines;
        choice.native = Some(native);
        choice.monthly = self.convert(native, choice);
        let tax = candidate.table.tax.as_ref();
        if let Some(tax) = tax.filter(|tax| tax.is_on(&candidate.offer.id)) {
            let told = notices::tax(tax, native, self.scenario.with_tax);
            choice.warnings.extend(told);
        }
        let not_counted = &candidate.offer.not_counted;
        choice
            .warnings
            .extend(not_counted.iter().map(notices::not_counted));
        if let Some(monthly) = choice.monthly {
            let per = |units: Option<Decimal>| {
                let units = units.filter(|units| !units.is_zero())?;
                Some(unit_cost(monthly.amount.checked_div(units)?))
            };
            let requests = self.scenario.requests_per_month(requests_per_day);
            choice.per_1k_requests =
                per(requests.and_then(|requests| requests.checked_div(Decimal::from(1000))));
            let output_tokens = choice
                .report
                .is_some()
                .then(|| self.output_tokens(choice))
                .flatten();
            let output_tokens = output_tokens.or(usage.tokens.map(|tokens| tokens.output));
            let million = Decimal::from(1_000_000);
            choice.per_1m_output_tokens = per(output_tokens
                .and_then(|tokens| requests?.checked_mul(tokens))
                .and_then(|tokens| tokens.checked_div(million)));
        }
    }

    /// Into the comparison's currency, naming the rate.
    fn convert(&self, native: Money, choice: &mut Choice) -> Option<Money> {
        let wanted: Currency = self.scenario.currency;
        if native.currency == wanted {
            return Some(native);
        }
        let converted = self.rate_from(native.currency).and_then(|rate| {
            let amount = rate.convert(native.amount, native.currency, wanted)?;
            Some((rate, Money::rounded(amount, wanted)))
        });
        let Some((rate, money)) = converted else {
            choice.reasons.push(notices::no_exchange_rate(
                native.currency,
                wanted,
                self.as_of,
            ));
            return None;
        };
        choice.warnings.push(notices::converted(rate));
        if let Some(date) = rate
            .date
            .filter(|date| day::between(*date, self.as_of) > RATE_OLD_AFTER_DAYS)
        {
            choice.warnings.push(notices::exchange_rate_old(date));
        }
        Some(money)
    }

    /// Output tokens a request of an option with a report.
    fn output_tokens(&self, choice: &Choice) -> Option<Decimal> {
        if let Some(wanted) = self.scenario.demand.output_tokens {
            return Some(wanted.into());
        }
        let named = |report: &&crate::report::Report| Some(&report.id) == choice.report.as_ref();
        let report = self.scenario.reports.iter().find(named)?;
        crate::money::decimal_from_f64(report.workload.output_tokens?, 3)
    }

    fn warn_of_hosted(&self, model: &str, choice: &mut Choice) {
        if !self.scenario.slo_s.0.is_empty() {
            choice.warnings.push(notices::targets_not_judged());
        }
        let other = self
            .scenario
            .reports
            .iter()
            .filter(|report| !report.is_of(model))
            .find_map(|report| report.model.name.as_deref());
        if let Some(measured) = other {
            choice.warnings.push(notices::other_model(model, measured));
        }
    }

    fn warn_of_match(&self, candidate: &Candidate, replica: &Replica, choice: &mut Choice) {
        let Sells::Accelerators {
            accelerator: Some(sold),
            ..
        } = &candidate.offer.sells
        else {
            return;
        };
        choice.accelerator = Some(sold.to_string());
        if sold.matches(replica.accelerator) == Match::FormUnstated {
            choice
                .warnings
                .push(notices::form_unstated(sold, replica.accelerator));
        }
        if !replica.accelerator.is_known() {
            choice
                .warnings
                .push(notices::unlisted_accelerator(replica.accelerator));
        }
    }

    fn warn_of_price(&self, in_force: &InForce, choice: &mut Choice) {
        let version = in_force.version;
        choice.price_effective_from = version.in_force_from();
        choice.price_observed_on = version.observed_on;
        choice.price_source = Some(version.source.clone());
        choice.price_confidence = Some(version.confidence);
        if let Some(note) = &version.note {
            choice.warnings.push(notices::price_note(note));
        }
        if in_force.undated {
            choice.warnings.push(notices::price_undated());
        }
        match version.confidence {
            Confidence::Quote => {
                return choice.warnings.push(notices::own_quote(version));
            }
            Confidence::Article => choice.warnings.push(notices::price_from_article()),
            Confidence::List | Confidence::Catalogue => {}
        }
        let seen = version.observed_on.or(version.effective_from);
        if let Some(day) = seen.filter(|seen| day::between(*seen, self.as_of) > OLD_AFTER_DAYS) {
            choice.warnings.push(notices::price_old(day));
        }
    }
}

/// An option with its names and nothing yet worked out.
fn blank(candidate: &Candidate) -> Choice {
    let (provider, offer) = (&candidate.table.provider, candidate.offer);
    let accelerator = match &offer.sells {
        Sells::Accelerators { accelerator, .. } => accelerator.as_ref().map(ToString::to_string),
        Sells::Model { .. } => None,
    };
    Choice {
        offer: offer.id.clone(),
        provider: provider.id.clone(),
        name: Bilingual::new(
            format!("{} {}", provider.name.en, offer.name.en),
            format!("{} {}", provider.name.zh, offer.name.zh),
        ),
        price_effective_from: None,
        price_observed_on: None,
        price_source: None,
        price_confidence: None,
        standing: None,
        report: None,
        feasible: false,
        reasons: Vec::<Notice>::new(),
        replicas: None,
        accelerators: None,
        accelerator,
        commitment_months: 0,
        utilization: None,
        peak_utilization: None,
        max_rate_per_replica: None,
        bound_by: None,
        monthly: None,
        native: None,
        per_1k_requests: None,
        per_1m_output_tokens: None,
        lines: Vec::new(),
        warnings: Vec::new(),
    }
}
