//! `cargo xtask …`: builds the page, starts everything, runs all tests. Sets up what is missing,
//! and says what it does and how long it may take.

mod apt;
mod bench;
mod browser;
mod corpus;
mod monitor;
mod page;
mod run;
mod schema;
mod start;
mod test;
mod toolchain;
mod tools;

use std::{env, process::ExitCode};

const HELP: &str = "\
cargo xtask start [--port N] [--no-open]   set up, build, show the example, serve the page
cargo xtask test                           set up, then run every test
cargo xtask tools                          run the heavy load tools too, and import what they write
cargo xtask web [--out FOLDER]             build the static page into a folder (dist) to copy anywhere
cargo xtask bench import                   time the import of a 300 MB result beside Python's
cargo xtask bench prices                   time a price catalogue of 100,000 rows
cargo xtask bench question                 time a full question: every offer, two reports, a week, three targets
cargo xtask bench simulate                 time the simulator beside SimPy and Ciw
cargo xtask bench demand                   time a trace of ten million requests beside Polars and DuckDB
cargo xtask corpus FOLDER                  pack what fuzzing found, for the tests to replay
cargo xtask schema                         write the JSON Schemas of the documents into schema/
";

/// What went wrong, for a person.
type Error = String;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["start", rest @ ..] => start::planner(rest),
        ["test"] => test::all(),
        ["tools"] => tools::all(),
        ["web"] => page::build(&page::default_folder()),
        ["web", "--out", folder] => page::build(folder.as_ref()),
        ["schema"] => schema::write(),
        ["bench", "import"] => bench::import(),
        ["bench", "question"] => bench::question(),
        ["bench", "simulate"] => bench::simulate(),
        ["bench", "demand"] => bench::demand(),
        ["bench", "prices"] => bench::prices(),
        ["corpus", folder] => corpus::pack(folder),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("unknown words: {}\n\n{HELP}", args.join(" "))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
