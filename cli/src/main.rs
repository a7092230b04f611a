//! `inferplan`: what serving a model will cost a month, where, and on how many accelerators.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 no
//! option is feasible or a check failed, 2 bad usage or input.

mod args;
mod commands;
mod failure;
mod fetch;
mod files;
mod output;
mod prometheus;
mod question;
mod store;
mod trace;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Outcome;

fn main() -> ExitCode {
    let args = Args::parse();
    let lang = args.lang();
    let result = match args.command {
        Command::Compare(compare) => commands::compare::run(&compare, lang),
        Command::Import(import) => commands::import::run(&import, lang),
        Command::Capacity(capacity) => commands::capacity::run(&capacity, lang),
        Command::Demand(demand) => commands::demand::run(&demand, lang),
        Command::Simulate(simulate) => commands::simulate::run(&simulate, lang),
        Command::Fit(fit) => commands::fit::run(&fit, lang),
        Command::Lint(lint) => commands::lint::run(&lint, lang),
        Command::Report(report) => commands::report::run(&report, lang),
        Command::Prices(prices) => commands::prices::run(&prices, lang),
        Command::Env(env) => commands::env::run(&env),
        Command::Serve(serve) => commands::serve::run(&serve, lang),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(failure) => {
            if !failure.is_closed_pipe() {
                eprintln!("{}", failure.text(lang));
            }
            ExitCode::from(2)
        }
    }
}
