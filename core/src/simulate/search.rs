//! The smallest fleet that meets its targets, by simulation.

use super::{Cancelled, Outcome, Scaling, Server, Setup, run};

/// The fewest replicas that meet every target, and what one fewer does.
#[derive(Clone, Debug)]
pub struct Fewest {
    /// Replicas.
    pub replicas: u32,
    /// How they do.
    pub outcome: Outcome,
    /// How one fewer does, where there can be.
    pub one_fewer: Option<Outcome>,
}

/// Searches from `least` to `most`; `scaling` says what a number of replicas means.
///
/// Every number sees the same requests (common random numbers), so that two differ by their number
/// alone. It doubles until a fleet meets the targets, then halves the gap; a latency falls with more
/// replicas, so one bound parts the numbers.
///
/// # Errors
/// [`Cancelled`], when `progress`, which is told how many fleets were tried, stops it.
pub fn fewest(
    server: &Server,
    setup: &Setup,
    (least, most): (u32, u32),
    scaling: impl Fn(u32) -> Scaling,
    mut progress: impl FnMut(u32, f64) -> bool,
) -> Result<Option<Fewest>, Cancelled> {
    let mut tried = 0;
    let mut at = |replicas: u32| {
        let setup = Setup {
            scaling: scaling(replicas),
            ..setup.clone()
        };
        let found = run(server, &setup, |share| progress(tried, share));
        tried += 1;
        found
    };
    let meets = |outcome: &Outcome| outcome.missed(setup.slo).is_empty();
    let (mut low, mut high) = (least.max(1), least.max(1));
    let mut below: Option<Outcome> = None;
    let mut found = at(high)?;
    while !meets(&found) {
        if high >= most {
            return Ok(None);
        }
        below = Some(found);
        low = high;
        high = (high * 2).min(most);
        found = at(high)?;
    }
    if below.is_none() {
        // The first already does; fewer may.
        while low > 1 {
            low = (low / 2).max(1);
            let fewer = at(low)?;
            if !meets(&fewer) {
                below = Some(fewer);
                break;
            }
            (high, found) = (low, fewer);
        }
    }
    while below.is_some() && high - low > 1 {
        let middle = low + (high - low) / 2;
        let outcome = at(middle)?;
        if meets(&outcome) {
            (high, found) = (middle, outcome);
        } else {
            (low, below) = (middle, Some(outcome));
        }
    }
    Ok(Some(Fewest {
        replicas: high,
        outcome: found,
        one_fewer: below,
    }))
}
