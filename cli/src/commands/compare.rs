//! `inferplan compare`: the ranked monthly cost.

use std::io::{self, Write};

use inferplan_core::{
    comparison::Comparison, decide, document, problem::Problem, report::merge, scenario::Scenario,
    text::Lang,
};

use crate::{
    args::Compare,
    failure::{Failure, Outcome},
    files,
    output::{csv, markdown, notes, table},
};

/// Compares and prints.
pub fn run(args: &Compare, lang: Lang) -> Result<Outcome, Failure> {
    let scenario = scenario(args, lang)?;
    let book = inferplan_pricing::book()?;
    let comparison = decide::compare(&scenario, &book, super::today())?;
    let text = if args.form.json {
        serde_json::to_string_pretty(&comparison)? + "\n"
    } else if args.form.csv {
        csv::of(&comparison, lang)?
    } else if args.form.markdown {
        markdown::of(&comparison, lang)
    } else {
        table::of(&comparison, lang, args.all)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(outcome(&comparison))
}

fn outcome(comparison: &Comparison) -> Outcome {
    match comparison.feasible().next() {
        Some(_) => Outcome::Done,
        None => Outcome::Failed,
    }
}

/// The scenario file, if any, with the flags over it.
fn scenario(args: &Compare, lang: Lang) -> Result<Scenario, Failure> {
    let mut scenario = match &args.scenario {
        Some(path) => {
            let (name, bytes) = files::read(path)?;
            let text = document::utf8(&bytes).map_err(|problem| problem.in_file(&name))?;
            Scenario::read(text, &name)?
        }
        None => Scenario::new(args.requests_per_day.unwrap_or_default()),
    };
    if let Some(volume) = args.requests_per_day {
        scenario.demand.requests_per_day = volume;
    }
    let demand = &mut scenario.demand;
    demand.input_tokens = args.input_tokens.or(demand.input_tokens);
    demand.output_tokens = args.output_tokens.or(demand.output_tokens);
    scenario.as_of = args.as_of.or(scenario.as_of);
    scenario.hours_per_month = args.hours_per_month.unwrap_or(scenario.hours_per_month);
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
