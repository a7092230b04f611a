//! `inferplan simulate`: bursts, traces, and fleets that start and stop.

use std::io::{self, IsTerminal, Write};

use inferplan_core::{
    number,
    plan::length::{self, Work as Lengths},
    problem::Problem,
    report::{Report, Slo, curve::Curve},
    simulate::{
        Arrivals, Autoscale, Dispatch, Scaling, Server, Setup, Trace, Work,
        answer::{self, NoAnswer, Question},
    },
    text::{Lang, Notice},
};

use crate::{
    args,
    failure::{Failure, Outcome},
    files,
    output::{
        notes::{self, wrapped},
        simulation,
    },
    trace,
};

/// Answers for the one report that the files hold.
pub fn run(args: &args::Simulate, lang: Lang) -> Result<Outcome, Failure> {
    let imported = files::reports(&args.reports, &args.read.options())?;
    notes::passed_over(&imported.passed_over, lang);
    let [report] = imported.reports.as_slice() else {
        return Err(
            Problem::new("a simulation is of one report", "模拟只针对一份报告")
                .at("--report")
                .found(imported.reports.len())
                .remedy("give the files of one sweep", "请给出同一组扫描的文件")
                .into(),
        );
    };
    let (curve, mut warnings) = match Curve::of(report) {
        Ok(found) => found,
        Err(why) => return told(&[why], args.json, lang),
    };
    let load = load(args, report, curve, &mut warnings)?;
    let (arrivals, work, curve) = match load {
        Ok(found) => found,
        Err(why) => return told(&[why], args.json, lang),
    };
    let server = Server::of(&curve);
    let slo = Slo(args.slo.clone());
    let setup = Setup {
        arrivals: &arrivals,
        work,
        dispatch: Dispatch::ALL
            .into_iter()
            .find_map(|(rule, key)| (key == args.dispatch).then_some(rule))
            .unwrap_or_default(),
        scaling: scaling(args),
        slo: &slo,
        requests: args.requests,
        runs: args.runs,
        seed: args.seed,
    };
    let question = Question {
        report: &report.id,
        server: &server,
        fewest: args.replicas.is_none() && matches!(setup.scaling, Scaling::Fixed(_)),
        setup,
    };
    let shows_progress = io::stderr().is_terminal();
    let found = answer::answer(&question, |tried, share| {
        if shows_progress {
            eprint!("\r{:>3} {:>3.0}% ", tried + 1, share * 100.0);
        }
        true
    });
    if shows_progress {
        eprint!("\r          \r");
    }
    let mut found = match found {
        Ok(found) => found,
        Err(NoAnswer::Reasons(reasons)) => return told(&reasons, args.json, lang),
        // Nothing here stops it but the process's end.
        Err(NoAnswer::Cancelled) => return Ok(Outcome::Failed),
    };
    found.warnings.extend(warnings);
    let text = if args.json {
        serde_json::to_string_pretty(&found)? + "\n"
    } else {
        simulation::people(&found, lang)
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if found.meets_slo {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

type Load = Result<(Arrivals, Work, Curve), Notice>;

/// How requests come, with how much work, and the curve for their lengths.
fn load(
    args: &args::Simulate,
    report: &Report,
    curve: Curve,
    warnings: &mut Vec<Notice>,
) -> Result<Load, Failure> {
    let per_day = args.requests_per_day.map(number::to_f64);
    let rate = args
        .rate
        .or_else(|| per_day.map(|n| n / 86_400.0 * args.peak_to_mean.unwrap_or(1.0)));
    let work = args.work.unwrap_or(Work::Exponential);
    let unscaled = curve.clone();
    let without_lengths = |arrivals| {
        if work == Work::FromTrace {
            return Err(Failure::from(
                Problem::new(
                    "only a trace with input and output tokens has lengths",
                    "只有带输入输出 token 数的日志才有长度",
                )
                .at("--work"),
            ));
        }
        Ok(Ok((arrivals, work, unscaled.clone())))
    };
    if let Some(stages) = args.stages() {
        return without_lengths(Arrivals::Stages(stages));
    }
    if let Some([low_per_s, high_per_s, period_s]) = args.swing {
        return without_lengths(Arrivals::Swing {
            low_per_s,
            high_per_s,
            period_s,
            duration_s: 4.0 * period_s,
        });
    }
    let Some(path) = &args.trace else {
        let rate_per_s = rate.unwrap_or(1.0);
        return without_lengths(match (args.cv, args.bursts) {
            (Some(cv), _) => Arrivals::Gamma { rate_per_s, cv },
            (_, Some([peak_to_mean, share, burst_s])) => Arrivals::Bursts {
                rate_per_s,
                peak_to_mean,
                share,
                burst_s,
            },
            _ => Arrivals::Poisson { rate_per_s },
        });
    };
    let options = trace::Options {
        columns: args.trace_columns.clone(),
        zone: None,
        unit: None,
        skip_bad_rows: false,
    };
    let (demand, requests) = trace::requests(path, &options)?;
    // A zone does not matter to a replay.
    let matters =
        |notice: &Notice| !["zone-assumed", "span-under-a-week"].contains(&notice.code.as_str());
    warnings.extend(demand.warnings.iter().filter(|w| matters(w)).cloned());
    let mut curve = curve;
    let (input, output) = (demand.input_tokens, demand.output_tokens);
    let mean = (
        input.map(|t| t.mean.round() as u64),
        output.map(|t| t.mean.round() as u64),
    );
    match length::compare(report, mean.0, mean.1) {
        Ok(Lengths::Estimated { work, first_token }) => {
            curve = curve.scaled(work, first_token);
            warnings.push(length::estimated(report, work));
        }
        Ok(Lengths::Measured | Lengths::Unstated | Lengths::Fitted) => {}
        Err(why) => return Ok(Err(why)),
    }
    let per_token =
        length::seconds_per_token(report).filter(|_| input.is_some() && output.is_some());
    let work = match (args.work, per_token) {
        (Some(Work::FromTrace), None) => return without_lengths(Arrivals::Closed { clients: 1 }),
        (Some(work), _) => work,
        (None, Some(_)) => Work::FromTrace,
        (None, None) => Work::Exponential,
    };
    let (per_input, per_output) = per_token.unwrap_or((0.0, 0.0));
    let first_ns = requests.iter().map(|request| request.0).min().unwrap_or(0);
    let replayed = requests.iter().map(|(ns, input, output)| {
        let at_s = (ns - first_ns) as f64 / 1e9;
        let tokens = |n: &Option<u64>, all: Option<f64>| n.map_or(all.unwrap_or(0.0), |n| n as f64);
        // A request whose length is not known is taken as a mean one.
        let input = tokens(input, demand.input_tokens.map(|t| t.mean));
        let output = tokens(output, demand.output_tokens.map(|t| t.mean));
        let seconds = input * per_input + output * per_output;
        (at_s, if per_token.is_some() { seconds } else { 1.0 })
    });
    let Some(trace) = Trace::new(replayed.collect()) else {
        return Err(Problem::new(
            "a trace needs two requests at different times",
            "日志至少需要两个时间不同的请求",
        )
        .in_file(&path.display().to_string())
        .into());
    };
    let rate_per_s = rate.unwrap_or_else(|| trace.rate_per_s());
    Ok(Ok((Arrivals::Trace { trace, rate_per_s }, work, curve)))
}

fn scaling(args: &args::Simulate) -> Scaling {
    let start_s = args.start_up.unwrap_or(0.0);
    if let Some([least, most]) = args.autoscale {
        return Scaling::Auto(Autoscale {
            least,
            most,
            measure: args.measure.into(),
            target: args.target.unwrap_or(1.0),
            rule: args.rule.into(),
            interval_s: args.interval,
            up_after_s: args.up_after,
            down_after_s: args.down_after,
            start_s,
        });
    }
    if let Some(steps) = &args.schedule {
        return Scaling::Scheduled {
            steps: steps.0.clone(),
            start_s,
            lead_s: args.lead,
        };
    }
    if let Some(most) = args.serverless {
        return Scaling::Serverless {
            most,
            cold_start_s: start_s,
            idle_timeout_s: args.idle_timeout.unwrap_or(0.0),
        };
    }
    Scaling::Fixed(args.replicas.unwrap_or(1))
}

/// Why there is no answer.
fn told(reasons: &[Notice], json: bool, lang: Lang) -> Result<Outcome, Failure> {
    let mut out = io::stdout().lock();
    if json {
        let document = serde_json::json!({
            "schema": "inferplan.simulation/1", "meets_slo": false, "reasons": reasons,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else {
        for reason in reasons {
            writeln!(out, "{}", wrapped(reason.get(lang), "", "  "))?;
        }
    }
    Ok(Outcome::Failed)
}
