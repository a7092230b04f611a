//! The shape of demand over the week: 168 hourly weights of mean 1.

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// Hours of a week.
pub const HOURS: usize = 168;

/// How requests are spread over the week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// The same every hour.
    Flat,
    /// Every day alike, rising to one peak and falling to one trough: exp(a·cos), with a such that
    /// the busiest hour is so many times the mean one.
    Day {
        /// The busiest hour over the mean hour.
        peak_to_mean: f64,
        /// The busiest hour of the day, 0 to 23.
        #[serde(default = "afternoon")]
        peak_hour: u8,
        /// The clock of that hour, hours ahead of UTC.
        #[serde(default)]
        utc_offset_h: i8,
    },
    /// As measured: one figure an hour from Monday 00:00, in any unit.
    Week {
        /// 168 figures, none below 0.
        hourly: Vec<f64>,
        /// The clock of those hours, hours ahead of UTC.
        #[serde(default)]
        utc_offset_h: i8,
    },
}

fn afternoon() -> u8 {
    15
}

/// The weights of a week, from Monday 00:00 UTC, of mean 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Week(Vec<f64>);

impl Shape {
    /// # Errors
    /// A peak that no day of 24 hours has, or hours that are no week's.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        match self {
            Self::Flat => Ok(()),
            Self::Day {
                peak_to_mean,
                peak_hour,
                ..
            } => {
                if !(1.0..=20.0).contains(peak_to_mean) {
                    return Err(Problem::new("the peak is out of range", "峰值超出范围")
                        .at("peak_to_mean")
                        .found(peak_to_mean)
                        .remedy(
                            "the busiest hour over the mean hour is 1 to 20",
                            "最忙小时与平均小时之比应为 1 到 20",
                        ));
                }
                if *peak_hour > 23 {
                    return Err(Problem::new("the hour is out of range", "小时超出范围")
                        .at("peak_hour")
                        .found(peak_hour)
                        .remedy("expected 0 to 23", "应为 0 到 23"));
                }
                Ok(())
            }
            Self::Week { hourly, .. } => {
                let sound = hourly.len() == HOURS
                    && hourly
                        .iter()
                        .all(|weight| weight.is_finite() && *weight >= 0.0)
                    && hourly.iter().sum::<f64>() > 0.0;
                if sound {
                    return Ok(());
                }
                Err(
                    Problem::new("these are not a week's hours", "不是一周的各小时")
                        .at("hourly")
                        .found(hourly.len())
                        .remedy(
                            "give 168 figures of 0 or more, not all 0",
                            "请给出 168 个不小于 0 且不全为 0 的数",
                        ),
                )
            }
        }
    }

    /// The week's weights.
    #[must_use]
    pub fn week(&self) -> Week {
        match self {
            Self::Flat => Week(vec![1.0; HOURS]),
            Self::Day {
                peak_to_mean,
                peak_hour,
                utc_offset_h,
            } => {
                let day = day_of(*peak_to_mean, *peak_hour);
                let local: Vec<f64> = day.iter().copied().cycle().take(HOURS).collect();
                Week::of(&local, *utc_offset_h)
            }
            Self::Week {
                hourly,
                utc_offset_h,
            } => Week::of(hourly, *utc_offset_h),
        }
    }
}

/// exp(a·cos) over 24 hours, of mean 1 and the wanted peak; a is found by halving.
fn day_of(peak_to_mean: f64, peak_hour: u8) -> [f64; 24] {
    let day = |a: f64| {
        let mut weights = [0.0; 24];
        for (hour, weight) in weights.iter_mut().enumerate() {
            let turn = (hour as f64 - f64::from(peak_hour)) / 24.0 * std::f64::consts::TAU;
            // Relative to the peak, so that no exponent is large.
            *weight = (a * (turn.cos() - 1.0)).exp();
        }
        let mean = weights.iter().sum::<f64>() / 24.0;
        weights.map(|weight| weight / mean)
    };
    let peak = |a: f64| day(a)[usize::from(peak_hour) % 24];
    // 24 hours in one would need an infinite a; at 1000 the peak is all but that.
    let (mut low, mut high) = (0.0, 1000.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if peak(middle) < peak_to_mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    day(low)
}

impl Week {
    /// Weights by a local clock, turned to UTC and to mean 1.
    fn of(local: &[f64], utc_offset_h: i8) -> Self {
        let mean = local.iter().sum::<f64>() / local.len() as f64;
        let at_utc = |hour: usize| {
            let at = (hour as i64 + i64::from(utc_offset_h)).rem_euclid(HOURS as i64);
            local[at as usize] / mean
        };
        Self((0..HOURS).map(at_utc).collect())
    }

    /// The weights, from Monday 00:00 UTC.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.0
    }

    /// The busiest hour over the mean hour.
    #[must_use]
    pub fn peak_to_mean(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// The share of the week's requests that come in some of its hours, counted from Monday 00:00
    /// UTC.
    #[must_use]
    pub fn share(&self, within: impl Fn(u8) -> bool) -> f64 {
        let hours = (0_u8..).zip(&self.0).filter(|(hour, _)| within(*hour));
        hours.map(|(_, weight)| weight).sum::<f64>() / HOURS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(peak_to_mean: f64, peak_hour: u8, utc_offset_h: i8) -> Week {
        let shape = Shape::Day {
            peak_to_mean,
            peak_hour,
            utc_offset_h,
        };
        shape.check().unwrap();
        shape.week()
    }

    #[test]
    fn a_day_has_its_peak_and_a_mean_of_one() {
        for peak in [1.0, 1.5, 3.2, 10.0, 20.0] {
            let week = day(peak, 15, 0);
            let mean = week.weights().iter().sum::<f64>() / 168.0;
            assert!((mean - 1.0).abs() < 1e-12, "{peak}");
            assert!((week.peak_to_mean() - peak).abs() < 1e-9, "{peak}");
        }
        // The continuous curve has a = 1.958 for 3.2; its trough is e^(−2a) of the peak.
        let week = day(3.2, 15, 0);
        let trough = week.weights()[3] / week.weights()[15];
        assert!((trough - (-2.0 * 1.958_f64).exp()).abs() < 1e-3, "{trough}");
    }

    #[test]
    fn hours_follow_their_clock() {
        // Three in the afternoon in Beijing is seven in the morning UTC.
        let week = day(3.2, 15, 8);
        assert_eq!(week.weights()[7], week.peak_to_mean());
        let mut hourly = vec![0.0; HOURS];
        hourly[0] = 5.0;
        let shape = Shape::Week {
            hourly,
            utc_offset_h: 8,
        };
        // Monday midnight in Beijing is Sunday 16:00 UTC, and all of the week's requests.
        let week = shape.week();
        assert_eq!(week.weights()[6 * 24 + 16], 168.0);
        assert_eq!(week.share(|hour| hour == 6 * 24 + 16), 1.0);
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        let week = |hourly| Shape::Week {
            hourly,
            utc_offset_h: 0,
        };
        for shape in [
            week(vec![1.0; 24]),
            week(vec![0.0; HOURS]),
            week(vec![f64::NAN; HOURS]),
            week(vec![-1.0; HOURS]),
        ] {
            assert!(shape.check().is_err());
        }
        for peak_to_mean in [0.5, 21.0, f64::NAN] {
            let shape = Shape::Day {
                peak_to_mean,
                peak_hour: 15,
                utc_offset_h: 0,
            };
            assert!(shape.check().is_err());
        }
    }
}
