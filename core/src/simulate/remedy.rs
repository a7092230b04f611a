//! What would meet the targets that a fleet which changes misses.

use serde::{Deserialize, Serialize};

use super::{
    Arrivals, Autoscale, Cancelled, Outcome, Scaling, Server, Setup, arrivals::Stage, run, search,
};

/// Steps in which a swing's period is planned.
const STEPS: usize = 12;
/// Requests that size one step of a schedule.
const STEP_REQUESTS: u64 = 30_000;

/// A fleet that meets every target, by simulation of the same requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Remedy {
    /// The same rule from a larger base.
    LargerBase {
        /// Replicas at least.
        least: u32,
        /// Replicas ready on average.
        mean_replicas: f64,
        /// The share of requests that each meet every target's seconds.
        goodput: f64,
    },
    /// As many all the time.
    Fixed {
        /// Replicas.
        replicas: u32,
        /// The share of requests that each meet every target's seconds.
        goodput: f64,
    },
    /// Replicas by the clock, asked for before they are needed.
    Schedule {
        /// Seconds from the start and replicas from then on.
        steps: Vec<(f64, u32)>,
        /// How long before a step its replicas are asked for, seconds.
        lead_s: f64,
        /// Replicas ready on average.
        mean_replicas: f64,
        /// The share of requests that each meet every target's seconds.
        goodput: f64,
    },
}

/// Every remedy there is, the fewest replicas on average first.
pub(super) fn find(
    server: &Server,
    setup: &Setup,
    progress: &mut impl FnMut(u32, f64) -> bool,
) -> Result<Vec<Remedy>, Cancelled> {
    let mut found: Vec<(f64, Remedy)> = Vec::new();
    let most = setup.scaling.most();
    let start_s = match &setup.scaling {
        Scaling::Auto(rule) => rule.start_s,
        Scaling::Scheduled { start_s, .. } => *start_s,
        Scaling::Serverless { cold_start_s, .. } => *cold_start_s,
        Scaling::Fixed(_) => 0.0,
    };
    if let Scaling::Auto(rule) = setup.scaling {
        let with_base = |least| {
            Scaling::Auto(Autoscale {
                least,
                most: rule.most.max(least),
                ..rule
            })
        };
        let base = search::fewest(
            server,
            setup,
            (rule.least, most * 4),
            with_base,
            &mut *progress,
        )?;
        if let Some(base) = base {
            found.push((
                base.outcome.mean_replicas,
                Remedy::LargerBase {
                    least: base.replicas,
                    mean_replicas: base.outcome.mean_replicas,
                    goodput: base.outcome.goodput.value,
                },
            ));
        }
    }
    let range = (most, most.saturating_mul(64));
    let fixed = search::fewest(server, setup, range, Scaling::Fixed, &mut *progress)?;
    if let Some(fixed) = fixed {
        found.push((
            f64::from(fixed.replicas),
            Remedy::Fixed {
                replicas: fixed.replicas,
                goodput: fixed.outcome.goodput.value,
            },
        ));
    }
    if let Some((steps, outcome)) = schedule(server, setup, start_s, progress)? {
        found.push((
            outcome.mean_replicas,
            Remedy::Schedule {
                steps,
                lead_s: start_s,
                mean_replicas: outcome.mean_replicas,
                goodput: outcome.goodput.value,
            },
        ));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(found.into_iter().map(|(_, remedy)| remedy).collect())
}

/// Seconds from the start, and replicas from then on.
type Steps = Vec<(f64, u32)>;

/// A schedule for a load that is known beforehand: each step's replicas meet the targets at its rate.
fn schedule(
    server: &Server,
    setup: &Setup,
    start_s: f64,
    progress: &mut impl FnMut(u32, f64) -> bool,
) -> Result<Option<(Steps, Outcome)>, Cancelled> {
    let stages = stages(setup.arrivals);
    let mut sized: Vec<(f64, u32)> = Vec::new();
    let mut steps: Vec<(f64, u32)> = Vec::new();
    let mut at_s = 0.0;
    for stage in &stages {
        let known = sized.iter().find(|(rate, _)| *rate == stage.rate_per_s);
        let replicas = match known {
            Some((_, replicas)) => *replicas,
            None if stage.rate_per_s <= 0.0 => 1,
            None => {
                let steady = Setup {
                    arrivals: &Arrivals::Poisson {
                        rate_per_s: stage.rate_per_s,
                    },
                    requests: STEP_REQUESTS,
                    ..setup.clone()
                };
                let least = (stage.rate_per_s / server.largest_rate_per_s()).ceil() as u32;
                let range = (least.max(1), least.max(1).saturating_mul(16));
                match search::fewest(server, &steady, range, Scaling::Fixed, &mut *progress)? {
                    Some(found) => found.replicas,
                    None => return Ok(None),
                }
            }
        };
        sized.push((stage.rate_per_s, replicas));
        if steps.last().is_none_or(|(_, before)| *before != replicas) {
            steps.push((at_s, replicas));
        }
        at_s += stage.seconds;
    }
    if steps.len() < 2 {
        return Ok(None);
    }
    // What a step leaves behind weighs on the next; a spare or two carries it.
    for spare in 0..3 {
        let steps: Vec<(f64, u32)> = steps.iter().map(|(at, n)| (*at, n + spare)).collect();
        let setup = Setup {
            scaling: Scaling::Scheduled {
                steps: steps.clone(),
                start_s,
                lead_s: start_s,
            },
            ..setup.clone()
        };
        let outcome = run(server, &setup, |share| progress(0, share))?;
        if outcome.missed(setup.slo).is_empty() {
            return Ok(Some((steps, outcome)));
        }
    }
    Ok(None)
}

/// The load as stages, each at the greatest rate within it; none where it is not known beforehand.
fn stages(arrivals: &Arrivals) -> Vec<Stage> {
    match arrivals {
        Arrivals::Stages(stages) => stages.clone(),
        Arrivals::Swing {
            low_per_s,
            high_per_s,
            period_s,
            duration_s,
        } => {
            let seconds = period_s / STEPS as f64;
            let at = |turn: f64| {
                let up = (1.0 - (turn * std::f64::consts::TAU).cos()) / 2.0;
                low_per_s + (high_per_s - low_per_s) * up
            };
            let count = (duration_s / seconds).ceil() as usize;
            let stage = |i: usize| {
                let i = i % STEPS;
                let (from, to) = (i as f64 / STEPS as f64, (i + 1) as f64 / STEPS as f64);
                // The sine turns at the half, which is an end of two steps.
                Stage {
                    rate_per_s: at(from).max(at(to)),
                    seconds,
                }
            };
            (0..count).map(stage).collect()
        }
        _ => Vec::new(),
    }
}
