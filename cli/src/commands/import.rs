//! `inferplan import`: any tool's file → canonical report.

use std::{
    io::{self, Write},
    path::Path,
};

use inferplan_core::{document, environment::Environment, report::Report, text::Lang};

use crate::{
    args::Import,
    failure::{Failure, Outcome},
    files,
    output::notes,
};

/// Imports, merges, and prints or writes the report: one object, or an array where the files hold
/// several that do not merge.
pub fn run(args: &Import, lang: Lang) -> Result<Outcome, Failure> {
    let imported = files::reports(&args.files, &args.read.options())?;
    let mut reports = imported.reports;
    if let Some(path) = &args.env {
        let environment = environment(path)?;
        for report in &mut reports {
            environment.attach(report);
        }
    }
    notes::passed_over(&imported.passed_over, lang);
    for seen in &imported.recognised {
        eprintln!("{}: {} ({})", seen.file, seen.format, seen.evidence);
    }
    for (i, report) in reports.iter().enumerate() {
        note(report, lang);
        if i > 0 {
            notes::apart(&reports[0], report, lang);
        }
    }
    let mut json = match reports.as_slice() {
        [one] => serde_json::to_string_pretty(one)?,
        several => serde_json::to_string_pretty(several)?,
    };
    json.push('\n');
    if let Some(path) = &args.output {
        files::write(path, &json)?;
    }
    if args.output.is_none() || args.json {
        io::stdout().lock().write_all(json.as_bytes())?;
    }
    Ok(Outcome::Done)
}

fn environment(path: &Path) -> Result<Environment, Failure> {
    let (name, bytes) = files::read(path)?;
    let text = document::utf8(&bytes).map_err(|problem| problem.in_file(&name))?;
    Ok(document::read(text, &name)?)
}

/// What a person should know of an imported report, on standard error.
fn note(report: &Report, lang: Lang) {
    let points = report.points.len();
    match lang {
        Lang::En if points == 1 => eprintln!("{}: 1 point", report.id),
        Lang::En => eprintln!("{}: {points} points", report.id),
        Lang::Zh => eprintln!("{}：{points} 个测量点", report.id),
    }
    for warning in &report.warnings {
        eprintln!("{}", notes::warning(warning, lang));
    }
    if let Err(problem) = report.accelerator() {
        eprintln!(
            "{}",
            notes::warning_text("no-accelerator", &problem.text(lang), lang)
        );
    }
}
