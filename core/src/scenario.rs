//! The question, `inferplan.scenario/1`: a volume, its lengths, targets, a date, and the evidence.

use serde::{Deserialize, Serialize};

use crate::{
    Date, Decimal,
    accelerator::Accelerator,
    day,
    demand::Shape,
    document::{self, Document, SchemaTag},
    money::{Currency, decimal_number},
    number,
    price::{ExchangeRate, Overlay, Residency},
    problem::{Problem, Problems},
    report::{Report, Slo, Target},
};

/// A scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// `inferplan.scenario/1`.
    pub schema: SchemaTag,
    /// The day whose prices and exchange rates count; null for the day it is asked.
    #[serde(default, with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub as_of: Option<Date>,
    /// Hours in the month that is billed.
    #[serde(default = "Scenario::default_hours", with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub hours_per_month: Decimal,
    /// The currency of the answer.
    #[serde(default)]
    pub currency: Currency,
    /// What is asked of the system.
    pub demand: Demand,
    /// Latency targets, seconds.
    #[serde(default)]
    pub slo_s: Slo,
    /// The largest share of a replica's measured throughput that may be planned on.
    #[serde(default = "Scenario::default_ceiling")]
    pub utilization_ceiling: f64,
    /// Leaves out whatever rests on an estimate.
    #[serde(default)]
    pub measured_only: bool,
    /// Plans even on reports that lints call unfit, such as an INVALID MLPerf run.
    #[serde(default)]
    pub accept_unfit: bool,
    /// Exchange rates that take the place of the shipped ones.
    #[serde(default)]
    pub exchange_rates: Vec<ExchangeRate>,
    /// What is used beside the accelerators.
    #[serde(default, skip_serializing_if = "Beside::is_default")]
    pub beside: Beside,
    /// What an option must keep to.
    #[serde(default, skip_serializing_if = "Constraints::is_default")]
    pub constraints: Constraints,
    /// How many replicas run, beyond what the load needs, and when.
    #[serde(default, skip_serializing_if = "FleetRule::is_default")]
    pub fleet: FleetRule,
    /// What the reports would be with a factor that was not measured here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_ifs: Vec<WhatIf>,
    /// Subscriptions by their ids, such as `modal.team`; a provider's first where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subscriptions: Vec<String>,
    /// Adds the tax that prices leave out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub with_tax: bool,
    /// Prices of one's own, over the tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Overlay>,
    /// The measurements.
    #[serde(default)]
    pub reports: Vec<Report>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What is used beside the accelerators, and billed apart by some providers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Beside {
    /// Physical cores of each instance; null for the least that is billed.
    pub cpu_cores: Option<f64>,
    /// GiB of memory of each instance; null for the least that is billed.
    pub memory_gib: Option<f64>,
    /// GB stored all month.
    pub storage_gb: f64,
    /// GB sent out in the month.
    pub egress_gb: f64,
}

impl Beside {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How many replicas run, beyond what the load needs, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct FleetRule {
    /// Replicas beyond those that the load needs: 1 for N + 1.
    pub spares: u32,
    /// Replicas at least, whatever the load.
    pub least: u32,
    /// Rents by the hour what each hour needs, instead of what the busiest hour needs all month.
    /// Commitments and prices by the month are paid all the same.
    pub scheduled: bool,
    /// From asking for a replica to its being ready: it is paid for that much longer, seconds.
    pub start_up_s: f64,
}

impl FleetRule {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A factor on what was measured: an estimate, with where it is from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WhatIf {
    /// Throughput times this, and latencies divided by it: 0.85, 1.8.
    pub throughput: f64,
    /// The accelerator that has it, such as `Ascend 910B`; null for the measured one itself.
    #[serde(default)]
    pub accelerator: Option<Accelerator>,
    /// Who says so.
    pub source: String,
}

/// What an option must keep to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Constraints {
    /// Where the data must be processed; null for anywhere.
    pub residency: Option<Residency>,
    /// Whether capacity may be taken back at any time.
    pub spot: bool,
    /// The longest commitment, months.
    pub commitment_months: u32,
}

impl Default for Constraints {
    fn default() -> Self {
        Self {
            residency: None,
            spot: false,
            commitment_months: 1,
        }
    }
}

impl Constraints {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What is asked of the system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Requests a day, the mean over the month.
    #[serde(with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub requests_per_day: Decimal,
    /// Input tokens a request; null for each report's own.
    #[serde(default)]
    pub input_tokens: Option<u64>,
    /// Output tokens a request; null for each report's own.
    #[serde(default)]
    pub output_tokens: Option<u64>,
    /// How requests are spread over the week; null for a steady load, with a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// The share of the input tokens that hosted services read from a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_share: f64,
    /// Whether requests may wait, so that batch prices apply.
    #[serde(default, skip_serializing_if = "is_false")]
    pub batch: bool,
    /// Requests sent, and billed, for each that succeeds: 1 without retries.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub attempts_per_success: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

fn one() -> f64 {
    1.0
}

fn is_one(attempts: &f64) -> bool {
    *attempts == 1.0
}

impl Document for Scenario {
    const SCHEMA: &'static str = "inferplan.scenario/1";
}

/// Above this a volume is more likely a slip of the unit than a service.
pub(crate) const LARGE_REQUESTS_PER_DAY: u64 = 10_000_000_000;
const MOST_REQUESTS_PER_DAY: u64 = 1_000_000_000_000;
const MOST_TOKENS: u64 = 100_000_000;

impl Scenario {
    /// A scenario with a volume and everything else as it is by default.
    #[must_use]
    pub fn new(requests_per_day: Decimal) -> Self {
        Self {
            schema: SchemaTag::of::<Self>(),
            as_of: None,
            hours_per_month: Self::default_hours(),
            currency: Currency::default(),
            demand: Demand {
                requests_per_day,
                input_tokens: None,
                output_tokens: None,
                shape: None,
                cached_input_share: 0.0,
                batch: false,
                attempts_per_success: 1.0,
            },
            slo_s: Slo::default(),
            utilization_ceiling: Self::default_ceiling(),
            measured_only: false,
            accept_unfit: false,
            exchange_rates: Vec::new(),
            beside: Beside::default(),
            constraints: Constraints::default(),
            fleet: FleetRule::default(),
            what_ifs: Vec::new(),
            subscriptions: Vec::new(),
            with_tax: false,
            prices: None,
            reports: Vec::new(),
        }
    }

    /// A year of 365 days in twelve parts: 730 hours.
    #[must_use]
    pub fn default_hours() -> Decimal {
        Decimal::from(730)
    }

    /// 0.85.
    #[must_use]
    pub fn default_ceiling() -> f64 {
        0.85
    }

    /// Reads and checks a scenario.
    ///
    /// # Errors
    /// Text that is not such a document, or values out of their bounds.
    pub fn read(json: &str, file: &str) -> Result<Self, Problems> {
        let scenario: Self = document::read(json, file)?;
        scenario
            .check()
            .map_err(|problems| problems.in_file(file))?;
        Ok(scenario)
    }

    /// Checks every value against its bounds.
    ///
    /// # Errors
    /// All that are out of theirs.
    pub fn check(&self) -> Result<(), Problems> {
        let mut found = Vec::new();
        let volume = self.demand.requests_per_day;
        if volume < Decimal::ZERO || volume > Decimal::from(MOST_REQUESTS_PER_DAY) {
            found.push(
                Problem::new("the volume is out of range", "请求量超出范围")
                    .at("demand.requests_per_day")
                    .found(number::plain(volume))
                    .remedy(
                        "expected 0 to 10^12 requests a day",
                        "应为每天 0 到 10^12 次",
                    ),
            );
        }
        for (path, tokens) in [
            ("demand.input_tokens", self.demand.input_tokens),
            ("demand.output_tokens", self.demand.output_tokens),
        ] {
            if tokens.is_some_and(|tokens| tokens > MOST_TOKENS) {
                found.push(
                    Problem::new("the length is out of range", "长度超出范围")
                        .at(path)
                        .found(tokens.unwrap_or_default())
                        .remedy("expected 0 to 10^8 tokens", "应为 0 到 10^8 个 token"),
                );
            }
        }
        let hours = self.hours_per_month;
        if hours < Decimal::ONE || hours > Decimal::from(744) {
            found.push(
                Problem::new("the month's hours are out of range", "每月小时数超出范围")
                    .at("hours_per_month")
                    .found(hours)
                    .remedy("expected 1 to 744", "应为 1 到 744"),
            );
        }
        let ceiling = self.utilization_ceiling;
        if !(ceiling > 0.0 && ceiling <= 1.0) {
            found.push(
                Problem::new(
                    "the utilisation ceiling is out of range",
                    "利用率上限超出范围",
                )
                .at("utilization_ceiling")
                .found(ceiling)
                .remedy("expected above 0 and at most 1", "应大于 0 且不超过 1"),
            );
        }
        self.check_shares(&mut found);
        for (i, what_if) in self.what_ifs.iter().enumerate() {
            if what_if.source.trim().is_empty() {
                found.push(
                    Problem::new("the factor has no source", "该系数没有来源")
                        .at(format!("what_ifs[{i}].source"))
                        .remedy("say where it is from", "请注明出处"),
                );
            }
        }
        if let Some(Err(problem)) = self.demand.shape.as_ref().map(Shape::check) {
            let path = problem.path.clone().unwrap_or_default();
            found.push(problem.at(format!("demand.shape.{path}")));
        }
        if let Some(Err(problems)) = self.prices.as_ref().map(Overlay::check) {
            found.extend(problems.into_iter().map(|problem| {
                let path = problem.path.clone().unwrap_or_default();
                problem.at(format!("prices.{path}"))
            }));
        }
        for (i, target) in self.slo_s.0.iter().enumerate() {
            let same = |other: &Target| other.key() == target.key();
            if self.slo_s.0[..i].iter().any(same) {
                found.push(
                    Problem::new("the target is given twice", "该目标给出了两次")
                        .at(format!("slo_s.{}", target.key()))
                        .found(target.at_most_s)
                        .remedy("state it once", "请只给出一次"),
                );
            }
        }
        for (i, rate) in self.exchange_rates.iter().enumerate() {
            let place = |problem: Problem| problem.at(format!("exchange_rates[{i}]"));
            found.extend(rate.check().err().map(place));
            let same = |other: &ExchangeRate| other.joins(rate.base, rate.quote);
            if self.exchange_rates[..i].iter().any(same) {
                found.push(place(
                    Problem::new(
                        "a rate between these currencies is given twice",
                        "这两种货币的汇率给出了两次",
                    )
                    .found(rate.label())
                    .remedy(
                        "state it once, in one direction",
                        "请只给出一次，只用一个方向",
                    ),
                ));
            }
        }
        for (i, report) in self.reports.iter().enumerate() {
            if let Err(problems) = report.check() {
                found.extend(problems.into_iter().map(|problem| {
                    let path = problem.path.clone().unwrap_or_default();
                    problem.at(format!("reports[{i}].{path}"))
                }));
            }
            let same_id = |other: &Report| other.id == report.id;
            if self.reports[..i].iter().any(same_id) {
                found.push(
                    Problem::new("two reports have this id", "两份报告使用同一 id")
                        .at(format!("reports[{i}].id"))
                        .found(&report.id),
                );
            }
        }
        Problems::none_in(found)
    }

    /// Shares and quantities beside the volume.
    fn check_shares(&self, found: &mut Vec<Problem>) {
        let Demand {
            cached_input_share,
            attempts_per_success,
            ..
        } = self.demand;
        let Beside {
            cpu_cores,
            memory_gib,
            storage_gb,
            egress_gb,
        } = self.beside;
        let mut within = |path: &str, value: f64, least: f64, greatest: f64| {
            if !(least..=greatest).contains(&value) {
                found.push(
                    Problem::new("the value is out of range", "数值超出范围")
                        .at(path)
                        .found(value)
                        .remedy(
                            format!("expected {least} to {greatest}"),
                            format!("应为 {least} 到 {greatest}"),
                        ),
                );
            }
        };
        within("demand.cached_input_share", cached_input_share, 0.0, 1.0);
        within(
            "demand.attempts_per_success",
            attempts_per_success,
            1.0,
            100.0,
        );
        within("beside.cpu_cores", cpu_cores.unwrap_or(1.0), 0.0, 10_000.0);
        within("beside.memory_gib", memory_gib.unwrap_or(1.0), 0.0, 1e6);
        within("beside.storage_gb", storage_gb, 0.0, 1e9);
        within("beside.egress_gb", egress_gb, 0.0, 1e9);
        within("fleet.spares", f64::from(self.fleet.spares), 0.0, 1e6);
        within("fleet.least", f64::from(self.fleet.least), 0.0, 1e6);
        within("fleet.start_up_s", self.fleet.start_up_s, 0.0, 3600.0);
        for (i, what_if) in self.what_ifs.iter().enumerate() {
            let path = format!("what_ifs[{i}].throughput");
            within(&path, what_if.throughput, 0.01, 100.0);
        }
        let months = f64::from(self.constraints.commitment_months);
        within("constraints.commitment_months", months, 0.0, 120.0);
    }

    /// Requests in the billed month: a day's × hours ÷ 24. `None` out of a decimal's range.
    #[must_use]
    pub fn requests_per_month(&self, requests_per_day: Decimal) -> Option<Decimal> {
        requests_per_day
            .checked_mul(self.hours_per_month)?
            .checked_div(Decimal::from(24))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_scenario_reads_with_its_defaults() {
        let json = r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": 1e6}}"#;
        let scenario = Scenario::read(json, "s.json").unwrap();
        assert_eq!(scenario, Scenario::new(Decimal::from(1_000_000)));
        let month = scenario.requests_per_month(Decimal::from(1_000_000));
        assert_eq!(month.unwrap().round_dp(3).to_string(), "30416666.667");
        let written = serde_json::to_string(&scenario).unwrap();
        assert_eq!(Scenario::read(&written, "s").unwrap(), scenario);
    }

    #[test]
    fn values_out_of_bounds_are_all_named() {
        let json = r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": 1e13,
            "input_tokens": 1000000000}, "hours_per_month": 0, "utilization_ceiling": 1.5}"#;
        let message = Scenario::read(json, "s.json").unwrap_err().to_string();
        for part in [
            "s.json: demand.requests_per_day: the volume is out of range (found 10,000,000,000,000)",
            "demand.input_tokens",
            "hours_per_month",
            "utilization_ceiling: the utilisation ceiling is out of range (found 1.5)",
        ] {
            assert!(message.contains(part), "{part} in {message}");
        }
        for (json, part) in [
            (
                r#"{"schema": "inferplan.scenario/1", "demand": {"requests_a_day": 1}}"#,
                "demand",
            ),
            (
                r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": "many"}}"#,
                "demand.requests_per_day",
            ),
            (
                r#"{"schema": "inferplan.scenario/1", "demand": {"requests_per_day": 1}, "slo_s": {"ttft_p98": 1}}"#,
                "slo_s",
            ),
            (r#"{"demand": {"requests_per_day": 1}}"#, "schema"),
            (r#"{"schema": "inferplan.scenario/1", "#, "cut off"),
        ] {
            let message = Scenario::read(json, "s.json").unwrap_err().to_string();
            assert!(message.contains(part), "{part} in {message}");
        }
    }

    #[test]
    fn what_is_stated_twice_is_refused() {
        let read = |more: &str| {
            let json = format!(
                r#"{{"schema": "inferplan.scenario/1", "demand": {{"requests_per_day": 1}}, {more}}}"#
            );
            Scenario::read(&json, "s.json").unwrap_err().to_string()
        };
        let targets = read(r#""slo_s": {"ttft_p99": 0.5, "ttft_p99": 2}"#);
        assert!(
            targets.contains("slo_s.ttft_p99: the target is given twice"),
            "{targets}"
        );
        let rate = |base: &str, quote: &str| {
            format!(
                r#"{{"base": "{base}", "quote": "{quote}", "rate": "7", "date": "2026-01-01", "source": "s"}}"#
            )
        };
        let rates = read(&format!(
            r#""exchange_rates": [{}, {}]"#,
            rate("USD", "CNY"),
            rate("CNY", "USD")
        ));
        assert!(rates.contains("exchange_rates[1]"), "{rates}");
    }
}
