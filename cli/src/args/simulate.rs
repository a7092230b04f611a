//! The words of `inferplan simulate`.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, ValueEnum, builder::PossibleValuesParser};
use inferplan_core::{
    Decimal,
    report::Target,
    simulate::{Dispatch, Rule, Work, arrivals::Stage, fleet::Measure},
};

use super::{ReadArgs, count, positive, rate};

#[derive(ClapArgs)]
#[command(group(ArgGroup::new("load").required(true).multiple(true)
    .args(["rate", "requests_per_day", "stages", "swing", "trace"])))]
#[command(group(ArgGroup::new("fleet").args(["replicas", "autoscale", "schedule", "serverless"])))]
pub struct Simulate {
    /// Benchmark results of one sweep
    #[arg(long = "report", value_name = "FILE", required = true, num_args = 1.., action = clap::ArgAction::Append)]
    pub reports: Vec<PathBuf>,
    /// Requests a second, all replicas together
    #[arg(long, value_name = "R", value_parser = rate, conflicts_with = "requests_per_day")]
    pub rate: Option<f64>,
    /// Requests a day: 1000000, 1e6, 2.5M, 100万
    #[arg(long, value_name = "N", value_parser = count)]
    pub requests_per_day: Option<Decimal>,
    /// With --requests-per-day: simulate the busiest hour, so many times the mean one
    #[arg(long, value_name = "K", value_parser = positive, requires = "requests_per_day")]
    pub peak_to_mean: Option<f64>,
    /// Coefficient of variation of the gaps between requests; 1 (random arrivals) unless given
    #[arg(long, value_name = "CV", value_parser = rate, conflicts_with_all = ["bursts", "stages", "swing", "trace"])]
    pub cv: Option<f64>,
    /// Bursts of PEAK times the mean rate, a SHARE of the time, each of so many SECONDS on average
    #[arg(long, value_name = "PEAK:SHARE:SECONDS", value_parser = bursts, conflicts_with_all = ["stages", "swing", "trace"])]
    pub bursts: Option<[f64; 3]>,
    /// Rates one after another, such as 15,2,10,15,5,2
    #[arg(long, value_name = "R,R,…", value_parser = rates, requires = "over", conflicts_with_all = ["rate", "requests_per_day", "swing", "trace"])]
    pub stages: Option<Rates>,
    /// Seconds of all stages together
    #[arg(long, value_name = "S", value_parser = rate, requires = "stages")]
    pub over: Option<f64>,
    /// A rate that swings between two, from low to low in so many seconds, four times
    #[arg(long, value_name = "LOW:HIGH:SECONDS", value_parser = swing, conflicts_with_all = ["rate", "requests_per_day", "trace"])]
    pub swing: Option<[f64; 3]>,
    /// Replay a trace (CSV, JSON Lines, Parquet), brought to --rate or --requests-per-day
    #[arg(long, value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// Column of the trace: time=HEADER, input=HEADER, output=HEADER; may be repeated
    #[arg(long = "trace-column", value_name = "FIELD=HEADER", value_parser = super::column, requires = "trace")]
    pub trace_columns: Vec<(String, String)>,
    /// How the work of requests is spread: exponential, fixed, lengths (as the trace has them), or a coefficient of variation such as cv:1.5 [default: exponential; lengths for a trace that has them]
    #[arg(long, value_name = "WORK", value_parser = work)]
    pub work: Option<Work>,
    /// Which replica a request goes to
    #[arg(long, value_name = "RULE", default_value = "round-robin", value_parser = PossibleValuesParser::new(Dispatch::ALL.map(|(_, key)| key)))]
    pub dispatch: String,
    /// Latency target in seconds, such as ttft_p99=2; may be repeated
    #[arg(long, value_name = "METRIC_QUANTILE=S", num_args = 1.., action = clap::ArgAction::Append)]
    pub slo: Vec<Target>,
    /// So many replicas all the time; the fewest that meet the targets unless given
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub replicas: Option<u32>,
    /// Replicas at least and at most, by a rule that sees the load
    #[arg(long, value_name = "LEAST:MOST", value_parser = range, requires_all = ["target", "start_up"])]
    pub autoscale: Option<[u32; 2]>,
    /// The autoscaler's target: requests outstanding, or arrivals a second, for each replica
    #[arg(long, value_name = "X", value_parser = rate, requires = "autoscale")]
    pub target: Option<f64>,
    /// What the autoscaler looks at
    #[arg(
        long,
        value_enum,
        default_value = "outstanding",
        requires = "autoscale"
    )]
    pub measure: MeasureArg,
    /// How the autoscaler turns a figure into replicas
    #[arg(long, value_enum, default_value = "total", requires = "autoscale")]
    pub rule: RuleArg,
    /// Between two looks of the autoscaler, seconds
    #[arg(long, value_name = "S", default_value_t = 15.0, value_parser = rate, requires = "autoscale")]
    pub interval: f64,
    /// More must have been wanted for so long, seconds
    #[arg(long, value_name = "S", default_value_t = 0.0, value_parser = positive, requires = "autoscale")]
    pub up_after: f64,
    /// Fewer must have been wanted for so long, seconds
    #[arg(long, value_name = "S", default_value_t = 300.0, value_parser = positive, requires = "autoscale")]
    pub down_after: f64,
    /// Replicas by the clock, from seconds after the start: 0:1,600:4,1200:1
    #[arg(long, value_name = "S:C,…", value_parser = schedule, requires = "start_up")]
    pub schedule: Option<Steps>,
    /// How long before a step of the schedule its replicas are asked for, seconds
    #[arg(long, value_name = "S", default_value_t = 0.0, value_parser = positive, requires = "schedule")]
    pub lead: f64,
    /// Containers at most, each started when a request finds no place
    #[arg(long, value_name = "MOST", value_parser = clap::value_parser!(u32).range(1..=10_000), requires_all = ["start_up", "idle_timeout"])]
    pub serverless: Option<u32>,
    /// A container without requests goes after so many seconds
    #[arg(long, value_name = "S", value_parser = positive, requires = "serverless")]
    pub idle_timeout: Option<f64>,
    /// From asking for a replica or container to its being ready, seconds
    #[arg(long, value_name = "S", value_parser = positive, requires = "fleet")]
    pub start_up: Option<f64>,
    /// Requests to simulate, for arrivals that go on for ever
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(300..=1_000_000_000))]
    pub requests: u64,
    /// Independent runs, for stages, swings and traces
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Equal seeds give equal results on every machine
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub read: ReadArgs,
    /// One JSON document (inferplan.simulation/1)
    #[arg(long)]
    pub json: bool,
}

/// A list of rates.
#[derive(Clone)]
pub struct Rates(pub Vec<f64>);

/// A schedule's steps.
#[derive(Clone)]
pub struct Steps(pub Vec<(f64, u32)>);

#[derive(Clone, Copy, ValueEnum)]
pub enum MeasureArg {
    /// Requests in service or waiting
    Outstanding,
    /// Arrivals a second since the last look
    Rate,
}

impl From<MeasureArg> for Measure {
    fn from(measure: MeasureArg) -> Self {
        match measure {
            MeasureArg::Outstanding => Self::Outstanding,
            MeasureArg::Rate => Self::Rate,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum RuleArg {
    /// ⌈total ÷ target⌉
    Total,
    /// ⌈replicas × average ÷ target⌉
    Average,
    /// ⌈average ÷ target⌉: divided twice, a common mistake worth seeing
    AverageDividedAgain,
}

impl From<RuleArg> for Rule {
    fn from(rule: RuleArg) -> Self {
        match rule {
            RuleArg::Total => Self::Total,
            RuleArg::Average => Self::Average,
            RuleArg::AverageDividedAgain => Self::AverageDividedAgain,
        }
    }
}

impl Simulate {
    /// The stages of equal length.
    pub fn stages(&self) -> Option<Vec<Stage>> {
        let rates = &self.stages.as_ref()?.0;
        let seconds = self.over? / rates.len() as f64;
        let stage = |rate_per_s: &f64| Stage {
            rate_per_s: *rate_per_s,
            seconds,
        };
        Some(rates.iter().map(stage).collect())
    }
}

fn three(text: &str, form: &str) -> Result<[f64; 3], String> {
    let parts: Result<Vec<f64>, String> =
        text.split(':').map(|part| positive(part.trim())).collect();
    let parts = parts.map_err(|error| format!("write {form}: {error}"))?;
    <[f64; 3]>::try_from(parts).map_err(|_| format!("write {form}"))
}

fn bursts(text: &str) -> Result<[f64; 3], String> {
    let [peak, share, seconds] = three(text, "PEAK:SHARE:SECONDS, such as 4:0.1:5")?;
    if !(peak > 1.0 && share > 0.0 && seconds > 0.0) {
        return Err("the peak must be above 1, the share and the seconds above 0".to_owned());
    }
    if peak * share > 1.0 {
        return Err(format!(
            "a peak of {peak} for {share} of the time is more than all requests: their product is at most 1"
        ));
    }
    Ok([peak, share, seconds])
}

fn swing(text: &str) -> Result<[f64; 3], String> {
    let [low, high, seconds] = three(text, "LOW:HIGH:SECONDS, such as 1:24:900")?;
    if high > low && seconds > 0.0 && high <= 1e9 {
        Ok([low, high, seconds])
    } else {
        Err("the high rate must be above the low one, and the seconds above 0".to_owned())
    }
}

fn rates(text: &str) -> Result<Rates, String> {
    let rates: Result<Vec<f64>, String> =
        text.split(',').map(|part| positive(part.trim())).collect();
    let rates = rates?;
    if rates.iter().all(|rate| *rate <= 0.0) {
        return Err("at least one rate must be above 0".to_owned());
    }
    Ok(Rates(rates))
}

fn range(text: &str) -> Result<[u32; 2], String> {
    let form = || "write LEAST:MOST, such as 1:4, of at most 10000".to_owned();
    let (least, most) = text.split_once(':').ok_or_else(form)?;
    let number = |part: &str| part.trim().parse::<u32>().map_err(|_| form());
    let (least, most) = (number(least)?, number(most)?);
    if most >= 1 && least <= most && most <= 10_000 {
        Ok([least, most])
    } else {
        Err(form())
    }
}

fn schedule(text: &str) -> Result<Steps, String> {
    let form =
        || "write S:C,…, such as 0:1,600:4, by time from 0, of 1 to 10000 replicas".to_owned();
    let step = |part: &str| {
        let (at, count) = part.split_once(':').ok_or_else(form)?;
        let count = count.trim().parse::<u32>().map_err(|_| form())?;
        Ok::<_, String>((positive(at.trim())?, count))
    };
    let steps: Vec<(f64, u32)> = text.split(',').map(step).collect::<Result<_, _>>()?;
    let rising = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let sound = steps.iter().all(|step| (1..=10_000).contains(&step.1));
    if rising && sound && steps.first().is_some_and(|step| step.0 == 0.0) {
        Ok(Steps(steps))
    } else {
        Err(form())
    }
}

fn work(text: &str) -> Result<Work, String> {
    match text {
        "exponential" => Ok(Work::Exponential),
        "fixed" => Ok(Work::Fixed),
        "lengths" => Ok(Work::FromTrace),
        _ => {
            let cv = text
                .strip_prefix("cv:")
                .ok_or("write exponential, fixed, lengths or cv:1.5")?;
            let cv = rate(cv)?;
            if cv > 20.0 {
                return Err(format!(
                    "a coefficient of variation of {cv} is out of range: at most 20"
                ));
            }
            Ok(Work::LogNormal { cv })
        }
    }
}
