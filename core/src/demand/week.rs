//! Hours of the week: how long each was watched, what weight it has, and the shape they make.

use crate::{problem::Problem, text::Notice};

use super::{
    HOURS, Shape,
    document::Demand,
    stamp::{HOUR, SECOND},
};

/// The hour of the week, from Monday 00:00 UTC. 1970 began on a Thursday.
pub(super) fn hour_of(ns: i64) -> usize {
    (ns.div_euclid(HOUR) + 3 * 24).rem_euclid(HOURS as i64) as usize
}

/// Adds the seconds between two times to the hours they lie in.
pub(super) fn expose(seconds: &mut [f64; HOURS], from_ns: i64, to_ns: i64) {
    let week = HOURS as i64 * HOUR;
    let weeks = (to_ns - from_ns).max(0) / week;
    if weeks > 0 {
        for seconds in seconds.iter_mut() {
            *seconds += weeks as f64 * 3600.0;
        }
    }
    let mut at = from_ns + weeks * week;
    while at < to_ns {
        let next = ((at.div_euclid(HOUR) + 1) * HOUR).min(to_ns);
        seconds[hour_of(at)] += (next - at) as f64 / SECOND as f64;
        at = next;
    }
}

/// Seconds of an hour that must have been watched before its rate means anything.
const ENOUGH_S: f64 = 300.0;

/// Each hour's rate over the mean of the hours that were seen.
pub(super) fn weights(requests: &[f64; HOURS], seconds: &[f64; HOURS]) -> Vec<Option<f64>> {
    // Of a trace of a few minutes, the hours that hold most of it.
    let enough = ENOUGH_S.min(seconds.iter().sum::<f64>() / 4.0);
    let rates: Vec<Option<f64>> = requests
        .iter()
        .zip(seconds)
        .map(|(requests, seconds)| {
            (*seconds > 0.0 && *seconds >= enough).then(|| requests / seconds)
        })
        .collect();
    let seen: Vec<f64> = rates.iter().copied().flatten().collect();
    let mean = seen.iter().sum::<f64>() / seen.len() as f64;
    rates
        .into_iter()
        .map(|rate| {
            rate.map(|rate| rate / mean)
                .filter(|weight| weight.is_finite())
        })
        .collect()
}

impl Demand {
    /// The week's shape for a scenario. An hour that was not seen is taken as the mean of the same
    /// hour of the days that were, and the notice says so.
    ///
    /// # Errors
    /// A trace that does not cover a whole day: an hour says nothing about a week.
    pub fn shape(&self) -> Result<(Shape, Option<Notice>), Problem> {
        let of_day = |hour: usize| {
            let days: Vec<f64> = self
                .hourly
                .iter()
                .skip(hour)
                .step_by(24)
                .copied()
                .flatten()
                .collect();
            (!days.is_empty()).then(|| days.iter().sum::<f64>() / days.len() as f64)
        };
        let day: Option<Vec<f64>> = (0..24).map(of_day).collect();
        let Some(day) = day.filter(|_| self.hourly.len() == HOURS) else {
            let seen = (0..24).filter(|hour| of_day(*hour).is_some()).count();
            return Err(Problem::new(
                "the trace does not cover a whole day, and gives no shape of a week",
                "数据未覆盖完整的一天，无法得出一周的形状",
            )
            .at("hourly")
            .found(format!("{seen} of 24 hours"))
            .remedy(
                "give at least a day, better a week, with dated times; or use the shape `flat` or `day`",
                "请给出至少一天（最好一周）带日期的数据；或使用 flat 或 day 形状",
            ));
        };
        let unseen = self.hourly.iter().filter(|weight| weight.is_none()).count();
        let hourly = self
            .hourly
            .iter()
            .zip(day.iter().cycle())
            .map(|(weight, day)| weight.unwrap_or(*day))
            .collect();
        let shape = Shape::Week {
            hourly,
            utc_offset_h: 0,
        };
        shape.check()?;
        let notice = (unseen > 0).then(|| {
            Notice::new(
                "hours-filled",
                format!("{unseen} of 168 hours were not seen; each has the mean of the same hour on other days, so weekdays and weekends may be mixed."),
                format!("168 小时中有 {unseen} 小时没有数据；以其他日期同一小时的平均值代替，可能混淆工作日与周末。"),
            )
        });
        Ok((shape, notice))
    }
}
