//! Flags of `inferplan prices`, and those that say which prices any command uses.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use inferplan_core::{Date, Decimal, accelerator::Accelerator, day, money::Currency};

use super::{Question, accelerator, count};

/// Which prices to use.
#[derive(ClapArgs)]
pub struct PriceArgs {
    /// Prices beside the shipped ones, or in their place: a table, a book, your own prices, exchange
    /// rates; may be repeated
    #[arg(long, value_name = "FILE")]
    pub prices: Vec<PathBuf>,
    /// Leave out what was updated, imported or added on this machine
    #[arg(long)]
    pub shipped_only: bool,
}

#[derive(Subcommand)]
pub enum Prices {
    /// Every offer with its price of a day
    List(PricesList),
    /// One offer: its price, terms and source; with --from and --to, what those days cost
    Show(PricesShow),
    /// Every version of an offer's price
    History(PricesHistory),
    /// What prices did between two days, and how much each option of a scenario moves
    Diff(Box<PricesDiff>),
    /// What is doubtful in the tables; fails on errors
    Check(PricesCheck),
    /// Add a quote or a discount of your own
    Add(PricesAdd),
    /// Turn a catalogue, or a cloud's answer to a price inquiry, into a table
    Import(PricesImport),
    /// Take newer tables from an address or a file
    Update(PricesUpdate),
    /// Take newer exchange rates from an address or a file
    UpdateFx(PricesUpdateFx),
    /// Print all tables and exchange rates as one document
    Export(PricesExport),
}

#[derive(ClapArgs)]
pub struct PricesList {
    /// Only offers of this provider
    #[arg(long, value_name = "ID")]
    pub provider: Option<String>,
    /// Only offers of this accelerator
    #[arg(long, value_name = "NAME", value_parser = accelerator)]
    pub accelerator: Option<Accelerator>,
    /// Only offers whose id or model contains this text
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
    /// Offers without a price on the day too, with the reason
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub on: On,
    #[command(flatten)]
    pub form: Form,
}

/// A day, and which prices.
#[derive(ClapArgs)]
pub struct On {
    /// Prices of this day (YYYY-MM-DD); today's unless given
    #[arg(long, value_name = "DATE", value_parser = day::parse)]
    pub as_of: Option<Date>,
    #[command(flatten)]
    pub prices: PriceArgs,
}

/// The form of the output; text for people unless given.
#[derive(ClapArgs)]
#[group(multiple = false)]
pub struct Form {
    /// One JSON document
    #[arg(long)]
    pub json: bool,
    /// One CSV row an offer
    #[arg(long)]
    pub csv: bool,
}

#[derive(ClapArgs)]
pub struct PricesShow {
    /// The offer's id
    #[arg(value_name = "OFFER")]
    pub offer: String,
    /// First day of a time to work out the price of
    #[arg(long, value_name = "DATE", value_parser = day::parse, requires = "to")]
    pub from: Option<Date>,
    /// First day after it
    #[arg(long, value_name = "DATE", value_parser = day::parse, requires = "from")]
    pub to: Option<Date>,
    /// Instances held through that time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub instances: u64,
    #[command(flatten)]
    pub on: On,
    /// One JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct PricesHistory {
    /// The offer's id
    #[arg(value_name = "OFFER")]
    pub offer: String,
    #[command(flatten)]
    pub prices: PriceArgs,
    /// One JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct PricesDiff {
    /// The first day
    #[arg(value_name = "DATE", value_parser = day::parse)]
    pub first: Date,
    /// The second day
    #[arg(value_name = "DATE", value_parser = day::parse)]
    pub second: Date,
    #[command(flatten)]
    pub question: Question,
    /// Prices that were only seen again too
    #[arg(long)]
    pub all: bool,
    /// One JSON document (inferplan.price-diff/1)
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct PricesCheck {
    /// Files of prices to check in place of those in use
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub on: On,
    /// Fail on warnings too
    #[arg(long)]
    pub strict: bool,
    /// One JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs)]
pub struct PricesAdd {
    /// Offer, or for a discount a provider, that it is for
    #[arg(value_name = "ID")]
    pub on: String,
    #[command(flatten)]
    pub amount: PricesAddAmount,
    /// A quote's output tokens, a million
    #[arg(long, value_name = "AMOUNT", requires = "per_million_input", value_parser = count)]
    pub per_million_output: Option<Decimal>,
    /// Currency; the offer's own unless given
    #[arg(long, value_name = "CODE")]
    pub currency: Option<Currency>,
    /// First day it holds; today unless given
    #[arg(long, value_name = "DATE", value_parser = day::parse)]
    pub from: Option<Date>,
    /// First day it no longer holds
    #[arg(long, value_name = "DATE", value_parser = day::parse)]
    pub until: Option<Date>,
    /// Who gave it and how: a contract's number, an e-mail
    #[arg(long, value_name = "TEXT")]
    pub source: String,
    /// File to add it to; your own prices on this machine unless given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub prices: PriceArgs,
}

/// What is added: one of these.
#[derive(ClapArgs)]
#[group(required = true, multiple = false)]
pub struct PricesAddAmount {
    /// A quote: an hour of what the offer's price is for
    #[arg(long, value_name = "AMOUNT", value_parser = count)]
    pub per_hour: Option<Decimal>,
    /// A quote: a second
    #[arg(long, value_name = "AMOUNT", value_parser = count)]
    pub per_second: Option<Decimal>,
    /// A quote: a month
    #[arg(long, value_name = "AMOUNT", value_parser = count)]
    pub per_month: Option<Decimal>,
    /// A quote: a call
    #[arg(long, value_name = "AMOUNT", value_parser = count)]
    pub per_call: Option<Decimal>,
    /// A quote: a million input tokens; with --per-million-output
    #[arg(long, value_name = "AMOUNT", requires = "per_million_output", value_parser = count)]
    pub per_million_input: Option<Decimal>,
    /// A discount: percent off
    #[arg(long, value_name = "PERCENT", value_parser = count)]
    pub percent_off: Option<Decimal>,
    /// A discount: an amount off each month
    #[arg(long, value_name = "AMOUNT", value_parser = count)]
    pub off_per_month: Option<Decimal>,
}

#[derive(ClapArgs)]
pub struct PricesImport {
    /// A catalogue or an answer; several of one kind go in together
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Read every file as this, whatever it looks like
    #[arg(long, value_name = "FORMAT", value_parser = clap::builder::PossibleValuesParser::new(inferplan_core::price::catalogue::format_names()))]
    pub format: Option<String>,
    /// Name of the table, in kebab case; the catalogue's own unless given
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Day the prices are of; today unless the file says it or this is given
    #[arg(long, value_name = "DATE", value_parser = day::parse)]
    pub observed_on: Option<Date>,
    /// Region asked for, where the answer does not say it
    #[arg(long, value_name = "REGION")]
    pub region: Option<String>,
    /// Instance type or flavour asked for, where the answer does not say it
    #[arg(long, value_name = "TYPE")]
    pub instance_type: Option<String>,
    /// Accelerator of the instance, where no list here knows it
    #[arg(long, value_name = "NAME", value_parser = accelerator)]
    pub accelerator: Option<Accelerator>,
    /// Accelerators of the instance
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub accelerators: Option<u32>,
    /// Unit asked for, where the answer does not say it: hour or month
    #[arg(long, value_name = "UNIT", value_parser = ["hour", "month", "year"])]
    pub unit: Option<String>,
    /// Months or years asked for, with --unit month or year
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub periods: u32,
    /// Write the table here; kept on this machine for every command unless given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Every row that does not fit, not a count by reason
    #[arg(long)]
    pub all: bool,
}

#[derive(ClapArgs)]
pub struct PricesUpdate {
    /// An https address or a file of tables (inferplan.price-book/1 or inferplan.prices/1)
    #[arg(long, value_name = "ADDRESS")]
    pub from: String,
    /// SHA-256 that the file must have
    #[arg(long, value_name = "HEX")]
    pub sha256: Option<String>,
    /// Take it without asking
    #[arg(long)]
    pub yes: bool,
}

#[derive(ClapArgs)]
pub struct PricesUpdateFx {
    /// An https address or a file: inferplan.exchange-rates/1, or the European Central Bank's
    /// reference rates as XML or CSV
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
    )]
    pub from: String,
    /// Take them without asking
    #[arg(long)]
    pub yes: bool,
}

#[derive(ClapArgs)]
pub struct PricesExport {
    /// Write it here instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub prices: PriceArgs,
}
