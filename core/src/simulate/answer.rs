//! A simulation as a question and its answer.

use serde::{Deserialize, Serialize};

use super::{
    Arrivals, Cancelled, Outcome, Scaling, Server, Setup,
    fleet::Dispatch,
    remedy::{self, Remedy},
    run,
    search::{self, Fewest},
};
use crate::{
    document::{Document, SchemaTag},
    number::significant,
    report::{Metric, Quantile, Slo, Target},
    text::Notice,
};

/// More replicas than this are not searched for.
const MOST_REPLICAS: u32 = 20_000;
/// Requests, one at a time, that show what a single request meets.
const LONE_REQUESTS: u64 = 20_000;

/// The answer, `inferplan.simulation/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// `inferplan.simulation/1`.
    pub schema: SchemaTag,
    /// The id of the report it rests on.
    pub report: String,
    /// Requests a second on the whole.
    pub rate_per_s: Option<f64>,
    /// The greatest rate that is known of.
    pub peak_rate_per_s: Option<f64>,
    /// Which replica a request goes to.
    pub dispatch: String,
    /// How the number of replicas is ruled: `fixed`, `autoscaled`, `scheduled` or `serverless`.
    pub fleet: String,
    /// Replicas at most; of a fixed fleet those there are.
    pub replicas: u32,
    /// Whether that number was searched for, as the fewest that meet the targets.
    pub searched: bool,
    /// Equal seeds give equal results on every machine.
    pub seed: u64,
    /// What was found.
    pub outcome: Outcome,
    /// Whether every target is met.
    pub meets_slo: bool,
    /// The targets that are missed.
    pub missed: Vec<String>,
    /// The targets that lie within their 99% interval: more requests or another seed may turn them.
    pub undecided: Vec<String>,
    /// What one replica fewer misses, where the number was searched for.
    pub one_fewer: Option<OneFewer>,
    /// What would meet the targets, where a fleet that changes misses them.
    pub remedies: Vec<Remedy>,
    /// What to know about it.
    pub warnings: Vec<Notice>,
}

impl Document for Simulation {
    const SCHEMA: &'static str = "inferplan.simulation/1";
}

/// A fleet one replica smaller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OneFewer {
    /// Replicas.
    pub replicas: u32,
    /// The targets it misses.
    pub missed: Vec<String>,
    /// Its share of requests that each meet every target's seconds.
    pub goodput: f64,
}

/// What is asked: a setup, whose fixed number of replicas may be left open.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The id of the report.
    pub report: &'a str,
    /// The replica.
    pub server: &'a Server,
    /// The rest.
    pub setup: Setup<'a>,
    /// Whether the fewest replicas are wanted, whatever the setup's fixed fleet says.
    pub fewest: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum NoAnswer {
    /// It was stopped.
    Cancelled,
    /// Every reason.
    Reasons(Vec<Notice>),
}

impl From<Cancelled> for NoAnswer {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Answers it. `progress` is told how many fleets were tried and the share of the present one.
///
/// # Errors
/// Targets that the report cannot judge, or that a single request misses; a stop.
pub fn answer(
    question: &Question,
    mut progress: impl FnMut(u32, f64) -> bool,
) -> Result<Simulation, NoAnswer> {
    let Question { server, setup, .. } = question;
    let slo = setup.slo;
    check(server, setup, slo, &mut progress)?;
    let (scaling, found, one_fewer) = if question.fewest {
        let rate = setup.arrivals.mean_rate_per_s().unwrap_or(1.0);
        // Fewer cannot keep up on the whole.
        let least = (rate / server.largest_rate_per_s()).ceil().max(1.0);
        if least > f64::from(MOST_REPLICAS) {
            return Err(NoAnswer::Reasons(vec![too_many()]));
        }
        let found = search::fewest(
            server,
            setup,
            (least as u32, MOST_REPLICAS),
            Scaling::Fixed,
            &mut progress,
        )?;
        let Fewest {
            replicas,
            outcome,
            one_fewer,
        } = found.ok_or_else(|| NoAnswer::Reasons(vec![too_many()]))?;
        let one_fewer = one_fewer.map(|outcome| OneFewer {
            replicas: replicas - 1,
            missed: keys(&outcome.missed(slo)),
            goodput: outcome.goodput.value,
        });
        (Scaling::Fixed(replicas), outcome, one_fewer)
    } else {
        let found = run(server, setup, |share| progress(0, share))?;
        (setup.scaling.clone(), found, None)
    };
    let missed = found.missed(slo);
    let remedies = if missed.is_empty() || matches!(scaling, Scaling::Fixed(_)) {
        Vec::new()
    } else {
        remedy::find(server, setup, &mut progress)?
    };
    let mut warnings = Vec::new();
    if found.utilization > 0.999 && setup.arrivals.is_stationary() {
        warnings.push(overloaded());
    }
    let undecided = found.undecided(slo);
    warnings.extend(undecided.iter().map(near));
    Ok(Simulation {
        schema: SchemaTag::of::<Simulation>(),
        report: question.report.to_owned(),
        rate_per_s: setup.arrivals.mean_rate_per_s(),
        peak_rate_per_s: setup.arrivals.peak_rate_per_s(),
        dispatch: match scaling {
            // Containers take from one queue whatever is asked for.
            Scaling::Serverless { .. } => Dispatch::SharedQueue,
            _ => setup.dispatch,
        }
        .key()
        .to_owned(),
        fleet: match scaling {
            Scaling::Fixed(_) => "fixed",
            Scaling::Auto(_) => "autoscaled",
            Scaling::Scheduled { .. } => "scheduled",
            Scaling::Serverless { .. } => "serverless",
        }
        .to_owned(),
        replicas: scaling.most(),
        searched: question.fewest,
        seed: setup.seed,
        meets_slo: missed.is_empty(),
        missed: keys(&missed),
        undecided: keys(&undecided),
        outcome: found,
        one_fewer,
        remedies,
        warnings,
    })
}

/// Makes sure that every target can be judged, and that a request alone on a replica meets it.
fn check(
    server: &Server,
    setup: &Setup,
    slo: &Slo,
    progress: &mut impl FnMut(u32, f64) -> bool,
) -> Result<(), NoAnswer> {
    let unjudged: Vec<Notice> = slo
        .0
        .iter()
        .filter(|target| target.quantile == Quantile::Max || !server.has(target.metric))
        .map(crate::plan::capacity::cannot_judge)
        .collect();
    if !unjudged.is_empty() {
        return Err(NoAnswer::Reasons(unjudged));
    }
    if slo.0.is_empty() {
        return Ok(());
    }
    // One client that never pauses is always alone.
    let alone = Setup {
        arrivals: &Arrivals::Closed { clients: 1 },
        scaling: Scaling::Fixed(1),
        requests: LONE_REQUESTS,
        ..setup.clone()
    };
    let alone = run(server, &alone, |share| progress(0, share))?;
    let never: Vec<Notice> = alone
        .missed(slo)
        .iter()
        .map(|target| {
            let found = alone
                .latency(target.metric)
                .map_or(0.0, |all| all.get(target.quantile).value);
            missed_alone(target, found)
        })
        .collect();
    if never.is_empty() {
        Ok(())
    } else {
        Err(NoAnswer::Reasons(never))
    }
}

fn keys(targets: &[Target]) -> Vec<String> {
    targets.iter().map(Target::key).collect()
}

impl Server {
    /// Whether a metric can be judged: the end-to-end latency always is simulated.
    #[must_use]
    pub fn has(&self, metric: Metric) -> bool {
        let drawn = super::replica::DRAWN
            .iter()
            .position(|drawn| *drawn == metric);
        drawn.is_none_or(|i| self.spread(i, 1).is_some())
    }
}

fn missed_alone(target: &Target, seconds: f64) -> Notice {
    let (label, seconds) = (target.label(), significant(seconds, 3));
    Notice::new(
        "target-missed",
        format!(
            "{label} is met at no number of replicas: a request alone on one takes {seconds} s."
        ),
        format!("无论多少副本都不能满足 {label}：单个请求独占一个副本也要 {seconds} 秒。"),
    )
}

fn too_many() -> Notice {
    Notice::new(
        "too-many-replicas",
        format!("No fleet of up to {MOST_REPLICAS} replicas meets the targets."),
        format!("不超过 {MOST_REPLICAS} 个副本时，没有能满足目标的方案。"),
    )
}

fn overloaded() -> Notice {
    Notice::new(
        "unstable",
        "More requests come than these replicas complete: the queue grows without end, and the latencies with the length of the simulation.",
        "到达的请求多于这些副本能完成的：队列无限增长，延迟随模拟时长而增大。",
    )
}

fn near(target: &Target) -> Notice {
    let label = target.label();
    Notice::new(
        "target-within-interval",
        format!(
            "{label} lies within the 99% interval of what was simulated: more requests decide it."
        ),
        format!("{label} 落在模拟结果的 99% 置信区间内：增加请求数才能判定。"),
    )
}
