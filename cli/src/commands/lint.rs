//! `inferplan lint`: what makes a measurement unfit to plan on.

use std::io::{self, Write};

use inferplan_core::{
    lint::{self, Lint, Severity},
    number,
    report::{
        Report,
        curve::{Curve, Prediction, median_error},
    },
    text::Lang,
};
use serde_json::json;

use crate::{
    args,
    failure::{Failure, Outcome},
    files,
    output::notes,
};

/// Prints every lint; a report with an error makes the command fail.
pub fn run(args: &args::Lint, lang: Lang) -> Result<Outcome, Failure> {
    let imported = files::reports(&args.files, &args.read.options())?;
    notes::passed_over(&imported.passed_over, lang);
    if args.accuracy {
        return accuracy(&imported.reports, args.json, lang);
    }
    let today = super::today();
    let own = imported
        .reports
        .iter()
        .flat_map(|report| lint::lint(report, today));
    let lints: Vec<Lint> = own.chain(lint::lint_together(&imported.reports)).collect();
    let mut out = io::stdout().lock();
    if args.json {
        let document = json!({ "schema": "inferplan.lint/1", "lints": lints });
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else {
        for report in &imported.reports {
            writeln!(out, "{}", report.id)?;
            let mine: Vec<&Lint> = lints
                .iter()
                .filter(|lint| lint.report == report.id)
                .collect();
            if mine.is_empty() {
                let nothing = match lang {
                    Lang::En => "  nothing found",
                    Lang::Zh => "  没有发现问题",
                };
                writeln!(out, "{nothing}")?;
            }
            for lint in mine {
                write!(out, "{}", notes::lint(lint, lang))?;
            }
        }
    }
    let failed = lints.iter().any(|lint| lint.severity == Severity::Error);
    Ok(if failed {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

/// How far each sweep can be trusted between its points: every inner one predicted from its
/// neighbours.
fn accuracy(reports: &[Report], as_json: bool, lang: Lang) -> Result<Outcome, Failure> {
    let mut all: Vec<Prediction> = Vec::new();
    let mut each = Vec::new();
    for report in reports {
        let predictions = Curve::of(report).map(|(curve, _)| curve.leave_one_out());
        let predictions = predictions.unwrap_or_default();
        each.push((report, predictions.clone()));
        all.extend(predictions);
    }
    let mut out = io::stdout().lock();
    if as_json {
        let reports: Vec<_> = each
            .iter()
            .map(|(report, points)| {
                json!({ "report": report.id, "points": points, "median_error": median_error(points) })
            })
            .collect();
        let document = json!({
            "schema": "inferplan.accuracy/1",
            "points": all,
            "median_error": median_error(&all),
            "reports": reports,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
        return Ok(Outcome::Done);
    }
    let percent = |error: f64| format!("{:.2}%", error * 100.0);
    for (report, points) in &each {
        writeln!(out, "{}", report.id)?;
        if points.is_empty() {
            let few = match lang {
                Lang::En => "  fewer than three loads: nothing to leave out",
                Lang::Zh => "  少于三个负载：无法留一验证",
            };
            writeln!(out, "{few}")?;
        }
        for point in points {
            let figure = |value| number::significant(value, 5);
            let (n, measured, predicted) = (
                figure(point.concurrency),
                figure(point.measured),
                figure(point.predicted),
            );
            let error = percent(point.error);
            match lang {
                Lang::En => writeln!(
                    out,
                    "  {n} in service: {measured} requests/s measured, {predicted} predicted, {error}"
                )?,
                Lang::Zh => writeln!(
                    out,
                    "  并发 {n}：实测 {measured} 次/秒，预测 {predicted}，{error}"
                )?,
            }
        }
    }
    if let Some(median) = median_error(&all) {
        let median = percent(median);
        match lang {
            Lang::En => writeln!(out, "median error {median}")?,
            Lang::Zh => writeln!(out, "误差中位数 {median}")?,
        }
    }
    Ok(Outcome::Done)
}
