//! Flags that ask a question: the scenario.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use inferplan_core::{
    Date, Decimal, day,
    money::Currency,
    number,
    price::{ExchangeRate, Residency},
    report::Target,
    scenario::WhatIf,
};

use super::{PriceArgs, ReadArgs, count, month, positive, tokens};

/// A scenario, from a file and from flags.
#[derive(ClapArgs)]
pub struct Question {
    /// Benchmark results: canonical reports or any known tool's files
    #[arg(long = "report", value_name = "FILE", num_args = 1.., action = clap::ArgAction::Append)]
    pub reports: Vec<PathBuf>,
    /// A scenario (inferplan.scenario/1); flags given beside it take precedence
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// Requests a day: 1000000, 1e6, 2.5M, 100万
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub requests_per_day: Option<Decimal>,
    /// The busiest hour over the mean hour, for a day with one peak: 3.2; 1 for a steady load
    #[arg(long, value_name = "K", value_parser = positive)]
    pub peak_to_mean: Option<f64>,
    /// The busiest hour of the day, 0 to 23 [default: 15]
    #[arg(long, value_name = "H", requires = "peak_to_mean", value_parser = clap::value_parser!(u8).range(0..=23))]
    pub peak_hour: Option<u8>,
    /// Input tokens a request; each report's own unless given
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub input_tokens: Option<u64>,
    /// Output tokens a request; each report's own unless given
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub output_tokens: Option<u64>,
    /// What each month adds to the volume, compounding: 5% or 0.05
    #[arg(long, value_name = "SHARE", value_parser = number::parse_share, allow_negative_numbers = true)]
    pub growth: Option<Decimal>,
    /// Plan so many months after the month of the prices' day [default: 0]
    #[arg(long, value_name = "N")]
    pub months_ahead: Option<u32>,
    /// The year's months, January's first, in any unit: 12 figures, of which the ratios count
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = positive)]
    pub seasons: Option<Vec<f64>>,
    /// Prices and exchange rates of this day (YYYY-MM-DD); today's unless given
    #[arg(long, value_name = "DATE", value_parser = day::parse)]
    pub as_of: Option<Date>,
    /// Hours in the billed month [default: 730]
    #[arg(long, value_name = "H", value_parser = count)]
    pub hours_per_month: Option<Decimal>,
    /// Bill this calendar month, with its own hours: 2026-02
    #[arg(long, value_name = "YYYY-MM", value_parser = month, conflicts_with = "hours_per_month")]
    pub month: Option<Date>,
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
    /// Where the data must be processed: cn-mainland, eu, us, …
    #[arg(long, value_name = "PLACE")]
    pub residency: Option<Residency>,
    /// Allow capacity that may be taken back at any time
    #[arg(long)]
    pub spot: bool,
    /// Longest commitment, months [default: 1]
    #[arg(long, value_name = "MONTHS", value_parser = clap::value_parser!(u32).range(0..=120))]
    pub commitment_months: Option<u32>,
    /// Share of the input tokens that hosted services read from a cache, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = positive)]
    pub cached_input_share: Option<f64>,
    /// Requests may wait, so that batch prices apply
    #[arg(long)]
    pub batch: bool,
    /// Requests sent for each that succeeds, retries among them [default: 1]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub attempts_per_success: Option<f64>,
    /// Physical CPU cores of each instance, where they are billed apart
    #[arg(long, value_name = "N", value_parser = positive)]
    pub cpu_cores: Option<f64>,
    /// GiB of memory of each instance, where it is billed apart
    #[arg(long, value_name = "GIB", value_parser = positive)]
    pub memory_gib: Option<f64>,
    /// GB stored all month
    #[arg(long, value_name = "GB", value_parser = positive)]
    pub storage_gb: Option<f64>,
    /// GB sent out in the month
    #[arg(long, value_name = "GB", value_parser = positive)]
    pub egress_gb: Option<f64>,
    /// Subscription of an account, such as modal.team; may be repeated
    #[arg(long = "subscription", value_name = "ID")]
    pub subscriptions: Vec<String>,
    /// Add the tax that prices leave out
    #[arg(long)]
    pub with_tax: bool,
    /// Replicas beyond those that the load needs: 1 for N + 1
    #[arg(long, value_name = "N")]
    pub spares: Option<u32>,
    /// Replicas at least, whatever the load
    #[arg(long, value_name = "N")]
    pub least_replicas: Option<u32>,
    /// Rent by the hour what each hour of the week needs, instead of the busiest hour's fleet
    #[arg(long)]
    pub scheduled: bool,
    /// From asking for a replica to its being ready, paid for too, seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    pub start_up: Option<f64>,
    /// A factor on the measured throughput, with its source: "1.8: INT8, vendor blog", or for another accelerator "Ascend 910B=0.85: article"; may be repeated
    #[arg(long = "what-if", value_name = "[ACCELERATOR=]FACTOR: SOURCE", value_parser = what_if)]
    pub what_ifs: Vec<WhatIf>,
    /// Plan even on reports that `inferplan lint` calls unfit
    #[arg(long)]
    pub accept_unfit: bool,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub prices: PriceArgs,
}

fn what_if(text: &str) -> Result<WhatIf, String> {
    let form =
        "write FACTOR: SOURCE or ACCELERATOR=FACTOR: SOURCE, such as \"1.8: INT8, vendor blog\"";
    let (factor, source) = text.split_once(':').ok_or(form)?;
    let (name, factor) = match factor.split_once('=') {
        Some((name, factor)) => (Some(super::accelerator(name.trim())?), factor),
        None => (None, factor),
    };
    if source.trim().is_empty() {
        return Err(format!("a factor needs its source: {form}"));
    }
    Ok(WhatIf {
        throughput: positive(factor.trim()).map_err(|error| format!("{error}; {form}"))?,
        accelerator: name,
        source: source.trim().to_owned(),
    })
}
