//! How a volume changes from one month to the next: compound growth, and the seasons of a year.

use serde::{Deserialize, Serialize};

use super::check::MOST_REQUESTS_PER_DAY;
use crate::{Date, Decimal, money::decimal_number, number, problem::Problem};

/// Months of a year.
const YEAR: usize = 12;

/// How the volume changes, and the month that is planned.
///
/// The stated volume is that of the month of the prices' day. So many months later it is
/// volume × (1 + growth)^months × season of that month ÷ season of this one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Growth {
    /// What each month adds to the one before, as a share of it: 0.05 for 5%, below 0 to shrink.
    #[serde(with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub per_month: Decimal,
    /// Twelve figures above 0, January's first, in any unit: their ratios count. Null for none.
    pub seasons: Option<Vec<f64>>,
    /// Plans so many months after the month of the prices' day.
    pub months_ahead: u32,
}

impl Growth {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// # Errors
    /// Shares, seasons or months that are none, and a volume past every bound.
    pub(super) fn check(&self, volume: Decimal) -> Result<(), Problem> {
        let at = |path: &str| format!("demand.growth.{path}");
        let (least, greatest) = (Decimal::new(-9, 1), Decimal::TEN);
        if self.per_month < least || self.per_month > greatest {
            return Err(Problem::new("the growth is out of range", "增长率超出范围")
                .at(at("per_month"))
                .found(number::plain(self.per_month))
                .remedy(
                    "expected -0.9 to 10 a month, such as 0.05 for 5%",
                    "应为每月 -0.9 到 10，例如 5% 写作 0.05",
                ));
        }
        if self.months_ahead > 120 {
            return Err(
                Problem::new("the month planned for is too far", "计划的月份太远")
                    .at(at("months_ahead"))
                    .found(self.months_ahead)
                    .remedy("expected 0 to 120", "应为 0 到 120"),
            );
        }
        if let Some(seasons) = &self.seasons {
            let is_sound = |season: &f64| (1e-6..=1e6).contains(season);
            if seasons.len() != YEAR || !seasons.iter().all(is_sound) {
                return Err(
                    Problem::new("these are not a year's months", "不是一年的各月")
                        .at(at("seasons"))
                        .found(seasons.len())
                        .remedy(
                            "give 12 figures above 0, January's first",
                            "请给出 12 个大于 0 的数，从一月起",
                        ),
                );
            }
        }
        let most = Decimal::from(MOST_REQUESTS_PER_DAY);
        // From every month to every other, so that no day asked for later is out of range.
        let fits = (1..=YEAR).all(|month| {
            let grown = self.grown(volume, month, self.months_ahead);
            grown.is_some_and(|grown| grown <= most)
        });
        if !fits {
            return Err(
                Problem::new("the volume grows out of range", "增长后的请求量超出范围")
                    .at("demand.growth")
                    .found(format!(
                        "{} × (1 + {})^{}",
                        number::plain(volume),
                        number::plain(self.per_month),
                        self.months_ahead
                    ))
                    .remedy(
                        "expected at most 10^12 requests a day in the planned month",
                        "计划月份应不超过每天 10^12 次",
                    ),
            );
        }
        Ok(())
    }

    /// The volume so many months after a day's month; checked values are always in range.
    #[must_use]
    pub fn volume(&self, volume: Decimal, day: Date, months: u32) -> Decimal {
        let month = usize::try_from(day.month()).unwrap_or(1);
        self.grown(volume, month, months).unwrap_or(volume)
    }

    /// The season of the month so many after a day's, over that of its own; `None` without seasons.
    #[must_use]
    pub fn season_ratio(&self, day: Date, months: u32) -> Option<f64> {
        self.ratio(usize::try_from(day.month()).ok()?, months)
    }

    fn ratio(&self, month: usize, months: u32) -> Option<f64> {
        let seasons = self.seasons.as_ref()?;
        let season = |month: usize| seasons.get(month % YEAR).copied();
        Some(season(month - 1 + months as usize)? / season(month - 1)?)
    }

    /// As [`Self::volume`], by the month's number from 1; `None` out of a decimal's range.
    fn grown(&self, volume: Decimal, month: usize, months: u32) -> Option<Decimal> {
        let mut grown = volume;
        for _ in 0..months {
            grown = grown.checked_mul(Decimal::ONE + self.per_month)?;
        }
        if self.seasons.is_some() {
            let ratio = self.ratio(month, months)?;
            grown = grown.checked_mul(Decimal::from_f64_retain(ratio)?.round_sf(15)?)?;
        }
        if months == 0 {
            return Some(volume);
        }
        // No one counts parts of a request, but a small volume keeps its thousandths.
        let places = if grown >= Decimal::ONE_THOUSAND { 0 } else { 3 };
        Some(grown.round_dp(places))
    }
}

/// The first day of the month so many after a day's.
#[must_use]
pub fn month_after(day: Date, months: u32) -> Date {
    let months = i64::from(day.month()) - 1 + i64::from(months);
    let year = i64::from(day.year()) + months / YEAR as i64;
    let month = i8::try_from(months % YEAR as i64 + 1).unwrap_or(1);
    // No calendar goes past the year 9999.
    let first = i16::try_from(year)
        .ok()
        .map(|year| Date::new(year, month, 1));
    first.and_then(Result::ok).unwrap_or(Date::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(per_month: &str, months_ahead: u32) -> Growth {
        Growth {
            per_month: per_month.parse().unwrap(),
            seasons: None,
            months_ahead,
        }
    }

    fn in_december(growth: &Growth, volume: u64) -> Decimal {
        let day = "2026-12-05".parse().unwrap();
        growth.check(volume.into()).unwrap();
        growth.volume(volume.into(), day, growth.months_ahead)
    }

    #[test]
    fn a_volume_grows_by_the_month_and_with_the_season() {
        // 1.05^6 = 1.340095640625.
        assert_eq!(in_december(&growth("0.05", 6), 1_000_000), 1_340_096.into());
        assert_eq!(in_december(&growth("-0.5", 2), 1_000_000), 250_000.into());
        assert_eq!(in_december(&growth("0.05", 0), 1_000_000), 1_000_000.into());
        // 10 × 0.9^3 = 7.29: a small volume keeps its parts.
        assert_eq!(in_december(&growth("-0.1", 3), 10), "7.29".parse().unwrap());
        // December's 1.5 to February's 0.75, with 1.1^2.
        let mut seasons = vec![1.0; 12];
        (seasons[11], seasons[1]) = (1.5, 0.75);
        let seasonal = Growth {
            seasons: Some(seasons),
            ..growth("0.1", 2)
        };
        assert_eq!(in_december(&seasonal, 1_000_000), 605_000.into());
        // A whole year on the season is the same.
        let year = Growth {
            per_month: Decimal::ZERO,
            months_ahead: 12,
            ..seasonal
        };
        assert_eq!(in_december(&year, 1_000_000), 1_000_000.into());
    }

    #[test]
    fn what_is_no_growth_is_refused_with_its_path() {
        let year = |seasons| Growth {
            seasons: Some(seasons),
            ..Growth::default()
        };
        for (growth, path) in [
            (growth("-1", 1), "demand.growth.per_month"),
            (growth("11", 1), "demand.growth.per_month"),
            (growth("0.1", 121), "demand.growth.months_ahead"),
            (growth("10", 120), "demand.growth"),
            (year(vec![1.0; 11]), "demand.growth.seasons"),
            (year(vec![0.0; 12]), "demand.growth.seasons"),
            (year(vec![f64::NAN; 12]), "demand.growth.seasons"),
        ] {
            let problem = growth.check(1_000_000.into()).unwrap_err();
            assert_eq!(problem.path.as_deref(), Some(path));
        }
    }

    #[test]
    fn months_are_the_calendar_s() {
        let day = "2026-12-31".parse().unwrap();
        assert_eq!(month_after(day, 0).to_string(), "2026-12-01");
        assert_eq!(month_after(day, 2).to_string(), "2027-02-01");
    }
}
