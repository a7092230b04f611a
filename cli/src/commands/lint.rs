//! `inferplan lint`: what makes a measurement unfit to plan on.

use std::io::{self, Write};

use inferplan_core::{
    lint::{self, Lint, Severity},
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
