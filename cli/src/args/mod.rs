//! The command line's words. Names and flags are a contract: scripts rely on them.

mod demand;
mod fit;
mod monitor;
mod prices;
mod question;
mod read;
mod simulate;

use std::{net::IpAddr, path::PathBuf};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use inferplan_core::{
    Date, Decimal, accelerator::Accelerator, day, number, report::Target, text::Lang,
};

pub use demand::Demand;
pub use fit::Fit;
pub use monitor::Monitor;
pub use prices::{
    PriceArgs, Prices, PricesAdd, PricesAddAmount, PricesCheck, PricesDiff, PricesExport,
    PricesHistory, PricesImport, PricesList, PricesShow, PricesUpdate, PricesUpdateFx,
};
pub use question::Question;
pub use read::ReadArgs;
pub use simulate::Simulate;

/// What will serving this model cost a month, where, and how many accelerators does it take?
#[derive(Parser)]
#[command(version, about, arg_required_else_help = true)]
pub struct Args {
    /// Language of tables and messages; from the locale unless given
    #[arg(long, global = true, value_enum)]
    lang: Option<LangArg>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Clone, Copy, ValueEnum)]
enum LangArg {
    En,
    Zh,
}

impl Args {
    /// The language asked for, or the locale's.
    pub fn lang(&self) -> Lang {
        match self.lang {
            Some(LangArg::En) => Lang::En,
            Some(LangArg::Zh) => Lang::Zh,
            None => sys_locale::get_locale().map_or(Lang::En, |locale| Lang::of_locale(&locale)),
        }
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// Rank what it would cost a month, by measured reports and dated prices
    Compare(Box<Compare>),
    /// Turn benchmark results into a canonical report
    Import(Import),
    /// Say what a rate does to replicas under random arrivals, and how many it takes
    Capacity(Box<Capacity>),
    /// Say what demand is, from a trace of requests: rate, peaks, hours of the week, lengths
    Demand(Box<Demand>),
    /// Replay bursts, traces and fleets that start and stop, and find the fewest replicas
    Simulate(Box<Simulate>),
    /// Say whether a model fits an accelerator's memory, and on how many
    Fit(Box<Fit>),
    /// Say what makes measurements unfit to plan on
    Lint(Lint),
    /// Print the standard report of measurements, with what is missing named
    Report(Report),
    /// List, explain, compare, check, add to, import and update prices
    #[command(subcommand)]
    Prices(Box<Prices>),
    /// Record this machine as a report wants it
    Env(Env),
    /// Serve the planner's page on this machine
    Serve(Serve),
}

#[derive(ClapArgs)]
pub struct Compare {
    #[command(flatten)]
    pub question: Question,
    #[command(flatten)]
    pub form: Form,
    /// List every option that is out, with its reasons
    #[arg(long)]
    pub all: bool,
}

/// The form of the output; a table for people unless given.
#[derive(ClapArgs)]
#[group(multiple = false)]
pub struct Form {
    /// One JSON document (inferplan.comparison/1)
    #[arg(long)]
    pub json: bool,
    /// One CSV row an option
    #[arg(long)]
    pub csv: bool,
    /// A Markdown table
    #[arg(long)]
    pub markdown: bool,
}

#[derive(ClapArgs)]
pub struct Import {
    /// Benchmark results; `-` reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// A machine that `inferplan env` recorded: fills what the files do not say
    #[arg(long, value_name = "FILE")]
    pub env: Option<PathBuf>,
    /// Write the report here instead of printing it
    #[arg(short, long, value_name = "REPORT")]
    pub output: Option<PathBuf>,
    /// Print the report as JSON (as it is without -o)
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct Report {
    /// Canonical reports, any known tool's files, or folders of them
    #[arg(value_name = "REPORT", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub form: ReportForm,
    /// Offer whose price gives the cost per million tokens, such as runpod.pod.l40s.secure
    #[arg(long, value_name = "OFFER")]
    pub offer: Option<String>,
    /// Price of this day (YYYY-MM-DD); today's unless given
    #[arg(long, value_name = "DATE", value_parser = day::parse)]
    pub as_of: Option<Date>,
    #[command(flatten)]
    pub prices: PriceArgs,
}

/// The form of a standard report; Markdown unless given.
#[derive(ClapArgs)]
#[group(multiple = false)]
pub struct ReportForm {
    /// Markdown for people
    #[arg(long)]
    pub markdown: bool,
    /// One JSON document a report (inferplan.standard-report/1)
    #[arg(long)]
    pub json: bool,
    /// llm-d benchmark reports 0.2, one a load
    #[arg(long)]
    pub llm_d: bool,
}

#[derive(ClapArgs)]
pub struct Env {
    /// Write it here instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(ClapArgs)]
pub struct Lint {
    /// Canonical reports, any known tool's files, or folders of them
    #[arg(value_name = "REPORT", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Predict each inner point of a sweep from its neighbours instead, and print the errors
    #[arg(long)]
    pub accuracy: bool,
    /// One JSON document (inferplan.lint/1)
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct Capacity {
    /// Benchmark results of one sweep
    #[arg(long = "report", value_name = "FILE", required = true, num_args = 1.., action = clap::ArgAction::Append)]
    pub reports: Vec<PathBuf>,
    /// Requests a second, all replicas together
    #[arg(long, value_name = "R", value_parser = rate)]
    pub rate: f64,
    /// Replicas; the fewest that meet the targets unless given
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub replicas: Option<u64>,
    /// Replicas share one queue, and each request goes where the fewest are; else each takes its share
    #[arg(long)]
    pub shared_queue: bool,
    /// Latency target in seconds, such as ttft_p99=2; may be repeated
    #[arg(long, value_name = "METRIC_QUANTILE=S", num_args = 1.., action = clap::ArgAction::Append)]
    pub slo: Vec<Target>,
    /// Largest share of a replica's measured throughput
    #[arg(long, value_name = "SHARE", default_value_t = 0.85, value_parser = ceiling)]
    pub utilization_ceiling: f64,
    #[command(flatten)]
    pub read: ReadArgs,
    /// One JSON document (inferplan.capacity/1)
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct Serve {
    /// Port to listen on; 0 takes any free one [default: 7878, or the next free one]
    #[arg(long)]
    pub port: Option<u16>,
    /// Address to listen on; loopback unless told otherwise
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: IpAddr,
}

fn count(text: &str) -> Result<Decimal, String> {
    number::parse_count(text)
}

fn column(text: &str) -> Result<(String, String), String> {
    let (field, header) = text
        .split_once('=')
        .ok_or("write FIELD=HEADER, such as requests_per_s=QPS")?;
    Ok((field.trim().to_owned(), header.trim().to_owned()))
}

/// A rate above 0.
fn rate(text: &str) -> Result<f64, String> {
    let value = positive(text)?;
    if value > 0.0 && value <= 1e12 {
        Ok(value)
    } else {
        Err(format!("`{text}` must be above 0 and at most 10^12"))
    }
}

/// A share above 0 and at most 1.
fn ceiling(text: &str) -> Result<f64, String> {
    let value = positive(text)?;
    if value > 0.0 && value <= 1.0 {
        Ok(value)
    } else {
        Err(format!("`{text}` must be above 0 and at most 1"))
    }
}

/// The first day of a calendar month.
fn month(text: &str) -> Result<Date, String> {
    day::parse(&format!("{}-01", text.trim()))
        .map_err(|_| format!("`{text}` is not a month such as 2026-02"))
}

/// A whole number of tokens, in any spelling of a count: 2048, 2k, 1e3.
fn tokens(text: &str) -> Result<u64, String> {
    let count = number::parse_count(text)?;
    u64::try_from(count)
        .ok()
        .filter(|_| count.fract().is_zero())
        .ok_or_else(|| format!("`{text}` is not a whole number of tokens such as 2048 or 2k"))
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(format!("`{text}` must be 0 or more"))
    }
}

fn accelerator(text: &str) -> Result<Accelerator, String> {
    text.parse()
        .map_err(|problem: inferplan_core::problem::Problem| problem.to_string())
}
