//! `inferplan compare`: the ranked monthly cost.

use std::io::{self, Write};

use inferplan_core::{comparison::Comparison, decide, text::Lang};

use crate::{
    args::Compare,
    failure::{Failure, Outcome},
    output::{csv, markdown, table},
    question, store,
};

/// Compares and prints.
pub fn run(args: &Compare, lang: Lang) -> Result<Outcome, Failure> {
    let scenario = question::scenario(&args.question, lang)?;
    let book = store::book(&args.question.prices)?;
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
