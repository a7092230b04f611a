//! The scenario that flags and files ask for.

use inferplan_core::{
    demand::Shape, document, plan::calendar, problem::Problem, report::merge, scenario::Scenario,
    text::Lang,
};

use crate::{args::Question, failure::Failure, files, output::notes};

/// The scenario file, if any, with the flags over it.
pub fn scenario(args: &Question, lang: Lang) -> Result<Scenario, Failure> {
    let mut scenario = match &args.scenario {
        Some(path) => {
            let (name, bytes) = files::read(path)?;
            let text = document::utf8(&bytes).map_err(|problem| problem.in_file(&name))?;
            Scenario::read(text, &name)?
        }
        None => Scenario::new(args.requests_per_day.ok_or_else(no_volume)?),
    };
    if let Some(volume) = args.requests_per_day {
        scenario.demand.requests_per_day = volume;
    }
    let demand = &mut scenario.demand;
    demand.input_tokens = args.input_tokens.or(demand.input_tokens);
    demand.output_tokens = args.output_tokens.or(demand.output_tokens);
    if let Some(peak_to_mean) = args.peak_to_mean {
        demand.shape = Some(if peak_to_mean == 1.0 {
            Shape::Flat
        } else {
            Shape::Day {
                peak_to_mean,
                peak_hour: args.peak_hour.unwrap_or(15),
                utc_offset_h: 0,
            }
        });
    }
    let growth = &mut demand.growth;
    growth.per_month = args.growth.unwrap_or(growth.per_month);
    growth.months_ahead = args.months_ahead.unwrap_or(growth.months_ahead);
    growth.seasons = args.seasons.clone().or(growth.seasons.take());
    demand.cached_input_share = args.cached_input_share.unwrap_or(demand.cached_input_share);
    demand.batch |= args.batch;
    demand.attempts_per_success = args
        .attempts_per_success
        .unwrap_or(demand.attempts_per_success);
    let beside = &mut scenario.beside;
    beside.cpu_cores = args.cpu_cores.or(beside.cpu_cores);
    beside.memory_gib = args.memory_gib.or(beside.memory_gib);
    beside.storage_gb = args.storage_gb.unwrap_or(beside.storage_gb);
    beside.egress_gb = args.egress_gb.unwrap_or(beside.egress_gb);
    let constraints = &mut scenario.constraints;
    constraints.residency = args.residency.or(constraints.residency);
    constraints.spot |= args.spot;
    constraints.commitment_months = args
        .commitment_months
        .unwrap_or(constraints.commitment_months);
    let fleet = &mut scenario.fleet;
    fleet.spares = args.spares.unwrap_or(fleet.spares);
    fleet.least = args.least_replicas.unwrap_or(fleet.least);
    fleet.scheduled |= args.scheduled;
    fleet.start_up_s = args.start_up.unwrap_or(fleet.start_up_s);
    scenario.what_ifs.extend(args.what_ifs.iter().cloned());
    scenario
        .subscriptions
        .extend(args.subscriptions.iter().cloned());
    scenario.with_tax |= args.with_tax;
    scenario.as_of = args.as_of.or(scenario.as_of);
    let calendar = args.month.map(|day| calendar::hours_of_month(day).into());
    let hours = args.hours_per_month.or(calendar);
    scenario.hours_per_month = hours.unwrap_or(scenario.hours_per_month);
    scenario.currency = args.currency.unwrap_or(scenario.currency);
    scenario.utilization_ceiling = args
        .utilization_ceiling
        .unwrap_or(scenario.utilization_ceiling);
    scenario.measured_only |= args.measured_only;
    scenario.accept_unfit |= args.accept_unfit;
    scenario
        .exchange_rates
        .extend(args.exchange_rates.iter().cloned());
    for target in &args.slo {
        let targets = &mut scenario.slo_s.0;
        targets.retain(|known| known.key() != target.key());
        targets.push(*target);
    }
    let imported = files::reports(&args.reports, &args.read.options())?;
    notes::passed_over(&imported.passed_over, lang);
    let reports = imported.reports;
    for report in &reports {
        report
            .accelerator()
            .map_err(|problem| unstated(problem, &report.id))?;
    }
    scenario.reports.extend(reports);
    // A report of the command line may be one more run of the scenario's.
    scenario.reports = merge(std::mem::take(&mut scenario.reports));
    Ok(scenario)
}

fn unstated(problem: Problem, report: &str) -> Problem {
    problem.in_file(report)
}

fn no_volume() -> Problem {
    Problem::new("the volume is not stated", "未给出请求量")
        .at("--requests-per-day")
        .remedy(
            "give --requests-per-day N, or --scenario FILE",
            "请给出 --requests-per-day N，或 --scenario FILE",
        )
}
