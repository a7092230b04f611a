//! A capacity question: what a rate does to so many replicas, and the largest rate each may take.

use serde::{Deserialize, Serialize};

use super::{
    capacity::{Bound, cannot_judge, judging_quantile},
    fleet,
    mixture::Mixture,
    server::{Dispatch, Stationary, death_rates},
};
use crate::{
    document::{Document, SchemaTag},
    report::{Metric, Quantile, Quantiles, Slo, Target, curve::Curve},
    text::Notice,
};

/// The answer, `inferplan.capacity/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// `inferplan.capacity/1`.
    pub schema: SchemaTag,
    /// The id of the report it rests on.
    pub report: String,
    /// Requests a second, all together.
    pub rate_per_s: f64,
    /// Replicas: as stated, or the fewest that meet the targets under the ceiling.
    pub replicas: u64,
    /// Each replica's rate over the largest it was measured at.
    pub utilization: f64,
    /// The probability that a request finds every place taken.
    pub probability_of_waiting: Option<f64>,
    /// Requests in the system on average, all replicas together.
    pub mean_in_system: Option<f64>,
    /// The mean latency, by Little's law, seconds.
    pub mean_latency_s: Option<f64>,
    /// End-to-end latency under these arrivals, seconds.
    pub latency_s: Quantiles,
    /// Time to first token likewise.
    pub ttft_s: Quantiles,
    /// Time per output token likewise.
    pub tpot_s: Quantiles,
    /// Inter-token latency likewise.
    pub itl_s: Quantiles,
    /// Whether every target is met and the queue does not grow without end.
    pub meets_slo: bool,
    /// The largest rate one replica may take; null where no rate meets the targets.
    pub max_rate_per_replica: Option<f64>,
    /// What holds it there: a target's key, or `utilization_ceiling`.
    pub bound_by: Option<String>,
    /// What to know about it.
    pub warnings: Vec<Notice>,
}

impl Document for Capacity {
    const SCHEMA: &'static str = "inferplan.capacity/1";
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The replica's curve.
    pub curve: &'a Curve,
    /// Requests a second.
    pub rate_per_s: f64,
    /// Replicas; the fewest that will do where none are stated.
    pub replicas: Option<u64>,
    /// How requests reach them.
    pub dispatch: Dispatch,
    /// Latency targets.
    pub slo: &'a Slo,
    /// The largest utilisation.
    pub ceiling: f64,
}

/// The largest rate of one replica, and what holds it there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Most {
    /// Requests a second.
    pub rate_per_s: f64,
    /// What binds.
    pub bound: Bound,
}

/// A fleet as one server of its kind: the chain, and how many replicas it stands for.
struct Fleet<'a> {
    curve: &'a Curve,
    rates: Vec<f64>,
    /// Replicas in one chain: all of them where they share a queue, else one.
    sharing: u64,
}

impl<'a> Fleet<'a> {
    fn of(curve: &'a Curve, dispatch: Dispatch, replicas: u64) -> Result<Self, Notice> {
        let sharing = match dispatch {
            Dispatch::Split => 1,
            Dispatch::Shared => replicas.max(1),
        };
        let rates = death_rates(curve, sharing).ok_or_else(too_many_states)?;
        Ok(Self {
            curve,
            rates,
            sharing,
        })
    }

    fn at(&self, rate_per_replica: f64) -> Option<Stationary> {
        Stationary::of(&self.rates, rate_per_replica * self.sharing as f64)
    }

    fn latency(&self, state: &Stationary, metric: Metric) -> Option<Mixture> {
        state.latency(self.curve, metric, self.sharing)
    }

    /// The first target that a state misses.
    fn missed(&self, state: &Stationary, slo: &Slo) -> Option<Target> {
        let misses = |target: &&Target| {
            let seconds = match share(target.quantile) {
                Some(share) => self
                    .latency(state, target.metric)
                    .map(|latency| latency.quantile(share)),
                // The one mean that the chain gives without a distribution.
                None => Some(state.mean_latency_s()),
            };
            seconds.is_none_or(|seconds| seconds > target.at_most_s)
        };
        slo.0.iter().find(misses).copied()
    }

    /// The largest rate of one replica at which every target holds, found by halving.
    ///
    /// Every latency rises with the rate where it rises with the load, so one bound parts the rates.
    fn most(&self, slo: &Slo, ceiling: f64) -> Option<Most> {
        let full = self.rates.last().copied().unwrap_or_default() / self.sharing as f64;
        // A curve that falls past its top is stable only below where it ends.
        let top = (ceiling * self.curve.largest_rate()).min(full * (1.0 - 1e-9));
        let missed_at = |rate: f64| match self.at(rate) {
            Some(state) => self.missed(&state, slo).map(Bound::Target),
            None => Some(Bound::UtilizationCeiling),
        };
        let Some(mut bound) = missed_at(top) else {
            return Some(Most {
                rate_per_s: top,
                bound: Bound::UtilizationCeiling,
            });
        };
        let (mut low, mut high) = (top * 1e-6, top);
        if missed_at(low).is_some() {
            return None;
        }
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            match missed_at(middle) {
                Some(found) => (bound, high) = (found, middle),
                None => low = middle,
            }
        }
        Some(Most {
            rate_per_s: low,
            bound,
        })
    }
}

/// Answers it.
///
/// # Errors
/// Targets that the report cannot judge, or that no rate meets; a fleet beyond all proportion.
pub fn answer(report: &str, question: &Question) -> Result<Capacity, Vec<Notice>> {
    let Question {
        curve,
        rate_per_s,
        slo,
        ..
    } = *question;
    let unjudged: Vec<Notice> = slo
        .0
        .iter()
        .filter(|target| !is_judged(curve, target))
        .map(cannot_judge)
        .collect();
    if !unjudged.is_empty() {
        return Err(unjudged);
    }
    let mut warnings: Vec<Notice> = slo
        .0
        .iter()
        .filter_map(|target| stood_in(curve, target))
        .collect();
    // What one replica alone may take; replicas that share a queue may each take a little more.
    let alone = Fleet::of(curve, Dispatch::Split, 1).map_err(|why| vec![why])?;
    let most_alone = alone.most(slo, question.ceiling);
    let replicas = match (question.replicas, most_alone) {
        (Some(replicas), _) => replicas,
        (None, Some(most)) => fewest(question, most.rate_per_s)?,
        (None, None) => return Err(slo.0.iter().map(never_met).collect()),
    };
    let fleet = Fleet::of(curve, question.dispatch, replicas).map_err(|why| vec![why])?;
    let most = match question.dispatch {
        Dispatch::Split => most_alone,
        Dispatch::Shared => fleet.most(slo, question.ceiling),
    };
    let each = rate_per_s / replicas as f64;
    let state = fleet.at(each);
    let utilization = each / curve.largest_rate();
    if state.is_none() {
        warnings.push(unstable(each, curve));
    } else if utilization > question.ceiling {
        warnings.push(above_ceiling(utilization, question.ceiling));
    }
    let statistics = |metric| {
        let found = state
            .as_ref()
            .and_then(|state| fleet.latency(state, metric));
        found.map_or_else(Quantiles::default, |latency| {
            quantiles(curve, metric, &latency)
        })
    };
    let chains = (replicas / fleet.sharing) as f64;
    let met = state
        .as_ref()
        .is_some_and(|state| fleet.missed(state, slo).is_none());
    Ok(Capacity {
        schema: SchemaTag::of::<Capacity>(),
        report: report.to_owned(),
        rate_per_s,
        replicas,
        utilization,
        probability_of_waiting: state.as_ref().map(Stationary::probability_of_waiting),
        mean_in_system: state.as_ref().map(|state| state.mean_in_system() * chains),
        mean_latency_s: state.as_ref().map(Stationary::mean_latency_s),
        latency_s: statistics(Metric::E2e),
        ttft_s: statistics(Metric::Ttft),
        tpot_s: statistics(Metric::Tpot),
        itl_s: statistics(Metric::Itl),
        meets_slo: met,
        max_rate_per_replica: most.map(|most| most.rate_per_s),
        bound_by: most.map(|most| most.bound.key()),
        warnings,
    })
}

/// The fewest replicas that meet the targets; sharing a queue may save some of those that splitting
/// needs, never cost any.
fn fewest(question: &Question, alone_per_s: f64) -> Result<u64, Vec<Notice>> {
    let needed = fleet::replicas_for(question.rate_per_s, alone_per_s);
    let mut needed = needed.ok_or_else(|| vec![too_many_states()])?;
    while question.dispatch == Dispatch::Shared && needed > 1 {
        let fewer = Fleet::of(question.curve, Dispatch::Shared, needed - 1).map_err(|w| vec![w])?;
        let each = question.rate_per_s / (needed - 1) as f64;
        let stays_under = each <= question.ceiling * question.curve.largest_rate();
        let met = fewer
            .at(each)
            .is_some_and(|state| fewer.missed(&state, question.slo).is_none());
        if !(stays_under && met) {
            break;
        }
        needed -= 1;
    }
    Ok(needed)
}

/// The share that a percentile is; `None` for the mean and the maximum.
pub(super) fn share(quantile: Quantile) -> Option<f64> {
    match quantile {
        Quantile::P50 => Some(0.5),
        Quantile::P90 => Some(0.9),
        Quantile::P95 => Some(0.95),
        Quantile::P99 => Some(0.99),
        Quantile::Mean | Quantile::Max => None,
    }
}

/// Whether random arrivals leave a target that can be judged: a percentile that the report has or a
/// higher one bounds, or the mean end-to-end latency. There is no largest latency.
fn is_judged(curve: &Curve, target: &Target) -> bool {
    match target.quantile {
        Quantile::Max => false,
        Quantile::Mean => target.metric == Metric::E2e,
        _ => judging_quantile(curve, target).is_some(),
    }
}

/// The percentiles that the report itself holds.
fn quantiles(curve: &Curve, metric: Metric, latency: &Mixture) -> Quantiles {
    let mut found = Quantiles::default();
    for quantile in Quantile::ALL {
        if let Some(share) = share(quantile).filter(|_| curve.has(metric, quantile)) {
            found.set(quantile, Some(latency.quantile(share)));
        }
    }
    found
}

/// A target judged by a higher percentile than it asks for.
fn stood_in(curve: &Curve, target: &Target) -> Option<Notice> {
    let quantile = judging_quantile(curve, target).filter(|q| *q != target.quantile)?;
    let (label, metric, key) = (target.label(), target.metric.name(), quantile.key());
    Some(Notice::new(
        "quantile-stood-in",
        format!(
            "{label} is judged by {metric} {key}, which is never below it: the report has no nearer one."
        ),
        format!("报告缺少该分位数，{label} 以不小于它的 {metric} {key} 判断。"),
    ))
}

fn never_met(target: &Target) -> Notice {
    let label = target.label();
    Notice::new(
        "target-missed",
        format!(
            "No rate meets {label} with the other targets, at any number of replicas: a single request does not."
        ),
        format!("无论多少副本、速率多低，都不能（连同其他目标）满足 {label}：单个请求已不满足。"),
    )
}

fn unstable(each: f64, curve: &Curve) -> Notice {
    let (each, most) = (
        crate::number::significant(each, 4),
        crate::number::significant(curve.largest_rate(), 4),
    );
    Notice::new(
        "unstable",
        format!(
            "Each replica would get {each} requests/s and completes {most} at most: the queue grows without end."
        ),
        format!("每个副本将收到 {each} 次/秒，而最多完成 {most} 次/秒：队列会无限增长。"),
    )
}

fn above_ceiling(utilization: f64, ceiling: f64) -> Notice {
    let percent = |share: f64| crate::number::significant(share * 100.0, 3);
    let (now, most) = (percent(utilization), percent(ceiling));
    Notice::new(
        "above-ceiling",
        format!("Utilisation is {now}%, above the ceiling of {most}%."),
        format!("利用率为 {now}%，超过上限 {most}%。"),
    )
}

fn too_many_states() -> Notice {
    Notice::new(
        "too-many-replicas",
        "So many replicas or requests in service are beyond what can be worked out.",
        "副本数或同时处理的请求数过多，无法计算。",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sweep;

    fn erlang(servers: f64, p99: f64) -> Curve {
        let mut report = sweep(&[(1.0, 1.0), (servers, servers)]);
        for point in &mut report.points {
            point.ttft_s.p99 = Some(p99);
        }
        Curve::of(&report).unwrap().0
    }

    fn ask<'a>(curve: &'a Curve, slo: &'a Slo, rate_per_s: f64) -> Question<'a> {
        Question {
            curve,
            rate_per_s,
            replicas: None,
            dispatch: Dispatch::Split,
            slo,
            ceiling: 0.85,
        }
    }

    fn slo(text: &str) -> Slo {
        Slo(text
            .split_whitespace()
            .map(|t| t.parse().unwrap())
            .collect())
    }

    #[test]
    fn ten_servers_at_eight() {
        let (curve, none) = (erlang(10.0, 0.1), Slo::default());
        let found = answer("r", &ask(&curve, &none, 8.0)).unwrap();
        assert_eq!((found.replicas, found.utilization), (1, 0.8));
        assert!((found.probability_of_waiting.unwrap() - 0.409_180).abs() < 5e-7);
        assert!((found.mean_in_system.unwrap() - 9.636_721).abs() < 5e-7);
        assert!((found.max_rate_per_replica.unwrap() - 8.5).abs() < 1e-6);
        assert_eq!(found.bound_by.as_deref(), Some("utilization_ceiling"));
        // Two halves of the load wait less, and all replicas together hold what they hold.
        let two = Question {
            replicas: Some(2),
            ..ask(&curve, &none, 8.0)
        };
        let two = answer("r", &two).unwrap();
        assert!(two.mean_latency_s < found.mean_latency_s);
        let little = two.mean_latency_s.unwrap() * 8.0;
        assert!((two.mean_in_system.unwrap() - little).abs() < 1e-9);
    }

    #[test]
    fn a_target_binds_before_the_ceiling_and_one_more_never_helps() {
        let curve = erlang(10.0, 0.1);
        let targets = slo("ttft_p99=1.0");
        let found = answer("r", &ask(&curve, &targets, 30.0)).unwrap();
        let most = found.max_rate_per_replica.unwrap();
        assert_eq!(found.bound_by.as_deref(), Some("ttft_p99"));
        assert!(most < 8.5 && found.meets_slo, "{most}");
        // At that rate P(wait) e^(−(10 − λ) 0.9) = 0.01: the wait beyond what was measured.
        let state = Stationary::of(&death_rates(&curve, 1).unwrap(), most).unwrap();
        let beyond = state.probability_of_waiting() * (-(10.0 - most) * 0.9).exp();
        assert!((beyond - 0.01).abs() < 1e-6, "{beyond}");
        assert_eq!(found.replicas, (30.0 / most).ceil() as u64);
        let tighter = slo("ttft_p99=1.0 ttft_p95=0.2");
        let tight = answer("r", &ask(&curve, &tighter, 30.0)).unwrap();
        assert!(tight.max_rate_per_replica.unwrap() <= most);
        assert!(tight.replicas >= found.replicas);
    }

    #[test]
    fn a_shared_queue_needs_no_more_replicas() {
        let curve = erlang(4.0, 0.1);
        let targets = slo("ttft_p99=0.5");
        let split = answer("r", &ask(&curve, &targets, 20.0)).unwrap();
        let shared = Question {
            dispatch: Dispatch::Shared,
            ..ask(&curve, &targets, 20.0)
        };
        let shared = answer("r", &shared).unwrap();
        assert!(shared.replicas <= split.replicas && shared.meets_slo);
        assert!(shared.max_rate_per_replica >= split.max_rate_per_replica);
    }

    #[test]
    fn what_no_rate_meets_and_what_cannot_be_judged_are_told() {
        let curve = erlang(10.0, 0.1);
        let code = |text: &str| {
            let targets = slo(text);
            answer("r", &ask(&curve, &targets, 1.0)).unwrap_err()[0]
                .code
                .clone()
        };
        assert_eq!(code("ttft_p99=0.05"), "target-missed");
        assert_eq!(code("e2e_p99=5"), "target-cannot-be-judged");
        assert_eq!(code("ttft_max=5"), "target-cannot-be-judged");
        let none = Slo::default();
        let overloaded = Question {
            replicas: Some(1),
            ..ask(&curve, &none, 12.0)
        };
        let overloaded = answer("r", &overloaded).unwrap();
        assert!(!overloaded.meets_slo && overloaded.mean_latency_s.is_none());
        assert_eq!(overloaded.warnings[0].code, "unstable");
    }
}
