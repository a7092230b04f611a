//! A report as a replica that can be planned with.

use super::notices;
use crate::{
    Date, Decimal,
    accelerator::{Accelerator, Match},
    lint::{self, Lint},
    number,
    plan::{
        capacity::Limit,
        length::{self, Work},
        length_fit,
        open_loop::{self, OpenLimit},
        uptime::Chain,
    },
    report::{Arrivals, Point, Report, curve::Curve},
    scenario::{Scenario, WhatIf},
    text::Notice,
};

/// One replica: its curve for the wanted lengths, and the largest rate it may take.
pub(super) struct Replica<'a> {
    pub(super) report: &'a Report,
    /// What makes the report unfit, or less fit, to plan on.
    pub(super) lints: Vec<Lint>,
    pub(super) accelerator: &'a Accelerator,
    /// Accelerators of one replica.
    pub(super) accelerators: u32,
    pub(super) work: Option<Work>,
    /// The curve, its chain of states and the limit, or every reason why there is none.
    pub(super) limit: Result<(Curve, Chain, Limit), Vec<Notice>>,
    /// Whether the limit has the waiting of random arrivals in it.
    is_open_loop: bool,
    /// A factor on what was measured.
    pub(super) what_if: Option<&'a WhatIf>,
    /// What the curve could not use.
    pub(super) notices: Vec<Notice>,
}

impl<'a> Replica<'a> {
    pub(super) fn of(
        report: &'a Report,
        (accelerator, accelerators): (&'a Accelerator, u32),
        what_if: Option<&'a WhatIf>,
        scenario: &Scenario,
        as_of: Date,
    ) -> Self {
        let demand = &scenario.demand;
        let lints = lint::lint(report, as_of);
        let mut work = length::compare(report, demand.input_tokens, demand.output_tokens);
        let mut notices = Vec::new();
        let mut fitted = None;
        if matches!(work, Ok(Work::Estimated { .. }) | Err(_)) {
            match fit(report, scenario, as_of) {
                Some(Ok((curve, more))) => {
                    work = Ok(Work::Fitted);
                    fitted = Some(curve);
                    notices = more;
                }
                Some(Err(why)) => notices.push(why),
                None => {}
            }
        }
        let mut is_open_loop = false;
        let limit = match (Curve::of(report), &work) {
            (Ok((curve, more)), Ok(work)) => {
                notices.extend(more);
                let curve = match *work {
                    Work::Estimated { work, first_token } => curve.scaled(work, first_token),
                    Work::Fitted => fitted.unwrap_or(curve),
                    Work::Measured | Work::Unstated => curve,
                };
                let curve = match what_if {
                    Some(what_if) => curve.sped_up(what_if.throughput),
                    None => curve,
                };
                let ceiling = scenario.utilization_ceiling;
                open_loop::largest_rate(&curve, &scenario.slo_s, ceiling).map(|found| {
                    let OpenLimit { limit, is_open } = found;
                    is_open_loop = is_open;
                    let chain = Chain::of(&curve);
                    (curve, chain, limit)
                })
            }
            (curve, work) => {
                let reasons = [curve.err(), work.as_ref().err().cloned()];
                Err(reasons.into_iter().flatten().collect())
            }
        };
        notices.extend(what_if.map(|what_if| notices::what_if(report, what_if)));
        let unfit: Vec<Notice> = lints
            .iter()
            .filter(|lint| lint.makes_unfit())
            .map(notices::unfit)
            .collect();
        let limit = if unfit.is_empty() || scenario.accept_unfit {
            limit
        } else {
            Err(unfit)
        };
        Self {
            report,
            lints,
            accelerator,
            accelerators,
            work: work.ok(),
            limit,
            is_open_loop,
            what_if,
            notices,
        }
    }

    pub(super) fn covers(&self, wanted: &Accelerator) -> bool {
        self.accelerator.matches(wanted) != Match::Different
    }

    /// Whether anything in its figures is scaled or stands in for a measurement.
    pub(super) fn is_estimate(&self) -> bool {
        let stood_in = matches!(&self.limit, Ok((_, _, limit)) if !limit.stand_ins.is_empty());
        stood_in
            || self.what_if.is_some()
            || !matches!(self.work, Some(Work::Measured))
            || self.is_overloaded()
    }

    /// Whether a rate was offered, without a cap, that it did not keep up with.
    pub(super) fn is_overloaded(&self) -> bool {
        let points = &self.report.points;
        points
            .iter()
            .any(|point| point.concurrency.is_none() && !lint::keeps_up(point))
    }

    /// Whether it is judged by latencies that were taken with a fixed number of requests in flight,
    /// without the waiting that random arrivals add.
    ///
    /// A rate under a cap that binds is such a run too: requests then wait at the client, unseen.
    pub(super) fn is_closed_loop(&self) -> bool {
        if self.is_open_loop {
            return false;
        }
        let capped = |point: &Point| point.concurrency.is_some() && !lint::keeps_up(point);
        self.report.workload.arrivals != Some(Arrivals::Open)
            || self.report.points.iter().any(capped)
    }
}

/// The curve for the wanted lengths from all reports of this one's system; `None` where it is the
/// only one, or its own lengths are not stated.
fn fit(
    report: &Report,
    scenario: &Scenario,
    as_of: Date,
) -> Option<Result<(Curve, Vec<Notice>), Notice>> {
    let own = &report.workload;
    let demand = &scenario.demand;
    let input = demand.input_tokens.map_or(own.input_tokens?, |n| n as f64);
    let output = demand
        .output_tokens
        .map_or(own.output_tokens?, |n| n as f64);
    let is_fit = |other: &&Report| {
        scenario.accept_unfit || !lint::lint(other, as_of).iter().any(Lint::makes_unfit)
    };
    let stated = |other: &&Report| {
        other.workload.input_tokens.is_some() && other.workload.output_tokens.is_some()
    };
    let reports: Vec<&Report> = scenario
        .reports
        .iter()
        .filter(|other| length_fit::same_system(other, report))
        .filter(stated)
        .filter(is_fit)
        .collect();
    // Reports of one length are one sweep in parts: nothing to fit, and nothing to complain of.
    if !reports.iter().any(|other| !length::alike(other, report)) {
        return None;
    }
    Some(length_fit::fit(&reports).map(|fit| {
        let (curve, _, notices) = fit.curve(input, output);
        (curve, notices)
    }))
    // Lengths whose work comes out as none have no rate.
    .filter(|fitted| !matches!(fitted, Ok((curve, _)) if !curve.largest_rate().is_finite()))
}

/// Requests a day as a rate.
pub(super) fn rate_per_s(requests_per_day: Decimal) -> f64 {
    number::to_f64(requests_per_day) / 86_400.0
}
