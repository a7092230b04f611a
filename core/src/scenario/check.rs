//! The bounds of a scenario's values.

use super::{Beside, Demand, Scenario};
use crate::{
    Decimal,
    demand::Shape,
    number,
    price::{ExchangeRate, Overlay},
    problem::{Problem, Problems},
    report::{Report, Target},
};

pub(super) const MOST_REQUESTS_PER_DAY: u64 = 1_000_000_000_000;
const MOST_TOKENS: u64 = 100_000_000;

impl Scenario {
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
        found.extend(self.demand.growth.check(volume).err());
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
}
