//! The command line's words. Names and flags are a contract: scripts rely on them.

use std::{net::IpAddr, path::PathBuf};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use inferplan_core::{
    Date, Decimal,
    accelerator::Accelerator,
    day,
    import::{self, Options, Stated},
    money::Currency,
    number,
    price::ExchangeRate,
    report::Target,
    text::Lang,
};

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
    /// Say what makes measurements unfit to plan on
    Lint(Lint),
    /// Print the standard report of measurements, with what is missing named
    Report(Report),
    /// Record this machine as a report wants it
    Env(Env),
    /// Serve the planner's page on this machine
    Serve(Serve),
}

/// How to read results, and what their files do not say.
#[derive(ClapArgs)]
pub struct ReadArgs {
    /// Read every file as this tool's, whatever it looks like
    #[arg(long, value_name = "TOOL", value_parser = clap::builder::PossibleValuesParser::new(import::format_names()))]
    format: Option<String>,
    /// Work out exact quantiles and their intervals from per-request arrays (vLLM, SGLang)
    #[arg(long)]
    per_request: bool,
    /// Column of a plain table, such as requests_per_s=QPS or ttft_p99_ms=首字P99; may be repeated
    #[arg(long = "column", value_name = "FIELD=HEADER", value_parser = column)]
    columns: Vec<(String, String)>,
    /// Accelerator the reports were measured on, such as "H100 80GB SXM"
    #[arg(long, value_name = "NAME", value_parser = accelerator)]
    accelerator: Option<Accelerator>,
    /// Accelerators of one replica (tensor × pipeline parallelism)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    accelerators: Option<u32>,
    /// Precision of the weights: bf16, fp8, int8, …
    #[arg(long, value_name = "P")]
    precision: Option<String>,
    /// Serving engine, such as vllm
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Version of the serving engine
    #[arg(long, value_name = "V")]
    engine_version: Option<String>,
    /// Model, where the file does not name it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Mean input tokens a request, where the file does not say (with import)
    #[arg(long, value_name = "N", value_parser = positive)]
    measured_input_tokens: Option<f64>,
    /// Mean output tokens a request, where the file does not say
    #[arg(long, value_name = "N", value_parser = positive)]
    measured_output_tokens: Option<f64>,
    /// Requests in flight (a batch's size), where a file of one load does not say
    #[arg(long, value_name = "N", value_parser = positive)]
    concurrency: Option<f64>,
    /// Seconds that a single reading of counters counted (Prometheus exposition)
    #[arg(long, value_name = "S", value_parser = positive)]
    duration: Option<f64>,
    /// Requests sent before measuring began
    #[arg(long, value_name = "N")]
    warmup_requests: Option<u64>,
    /// Network round trip that the latencies contain, seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    rtt: Option<f64>,
    /// Where the client stood
    #[arg(long, value_name = "REGION")]
    client_region: Option<String>,
    /// Where the server stood
    #[arg(long, value_name = "REGION")]
    server_region: Option<String>,
}

impl ReadArgs {
    pub fn options(&self) -> Options {
        Options {
            stated: self.stated(),
            format: self.format.clone(),
            per_request: self.per_request,
            columns: self.columns.clone(),
        }
    }

    fn stated(&self) -> Stated {
        Stated {
            model: self.model.clone(),
            input_tokens: self.measured_input_tokens,
            output_tokens: self.measured_output_tokens,
            concurrency: self.concurrency,
            duration_s: self.duration,
            warmup_requests: self.warmup_requests,
            rtt_s: self.rtt,
            client_region: self.client_region.clone(),
            server_region: self.server_region.clone(),
            accelerator: self.accelerator.clone(),
            accelerators: self.accelerators,
            precision: self.precision.clone(),
            engine: self.engine.clone(),
            engine_version: self.engine_version.clone(),
        }
    }
}

#[derive(ClapArgs)]
pub struct Compare {
    /// Benchmark results: canonical reports or any known tool's files
    #[arg(long = "report", value_name = "FILE", num_args = 1.., action = clap::ArgAction::Append)]
    pub reports: Vec<PathBuf>,
    /// A scenario (inferplan.scenario/1); flags given beside it take precedence
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// Requests a day: 1000000, 1e6, 2.5M, 100万
    #[arg(long, value_name = "N", value_parser = count, required_unless_present = "scenario", allow_negative_numbers = true)]
    pub requests_per_day: Option<Decimal>,
    /// Input tokens a request; each report's own unless given
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub input_tokens: Option<u64>,
    /// Output tokens a request; each report's own unless given
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub output_tokens: Option<u64>,
    /// Prices and exchange rates of this day (YYYY-MM-DD); today's unless given
    #[arg(long, value_name = "DATE", value_parser = day::parse)]
    pub as_of: Option<Date>,
    /// Hours in the billed month [default: 730]
    #[arg(long, value_name = "H", value_parser = count)]
    pub hours_per_month: Option<Decimal>,
    /// Currency of the answer: USD or CNY [default: USD]
    #[arg(long, value_name = "CODE")]
    pub currency: Option<Currency>,
    /// Latency target in seconds, such as ttft_p99=2; may be repeated
    #[arg(long, value_name = "METRIC_QUANTILE=S", num_args = 1.., action = clap::ArgAction::Append)]
    pub slo: Vec<Target>,
    /// Largest share of a replica's measured throughput to plan on [default: 0.85]
    #[arg(long, value_name = "SHARE")]
    pub utilization_ceiling: Option<f64>,
    /// Exchange rate to use, such as USD/CNY=7.17
    #[arg(long = "exchange-rate", value_name = "PAIR=RATE")]
    pub exchange_rates: Vec<ExchangeRate>,
    /// Leave out whatever rests on an estimate
    #[arg(long)]
    pub measured_only: bool,
    /// Plan even on reports that `inferplan lint` calls unfit
    #[arg(long)]
    pub accept_unfit: bool,
    #[command(flatten)]
    pub read: ReadArgs,
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
    /// One JSON document (inferplan.lint/1)
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
