//! Time as it is billed: rounded up to increments, and months by the calendar.

use jiff::ToSpan;

use crate::{Date, Decimal, day};

/// Rented seconds as they are billed: no less than the minimum, rounded up to the increment.
#[must_use]
pub fn billed_seconds(run_s: Decimal, increment_s: Option<u32>, minimum_s: Option<u32>) -> Decimal {
    if run_s.is_zero() {
        return run_s;
    }
    let at_least = run_s.max(minimum_s.unwrap_or(0).into());
    match increment_s.filter(|step| *step > 0) {
        None => at_least,
        Some(step) => {
            let step = Decimal::from(step);
            (at_least / step).ceil() * step
        }
    }
}

/// Months between two days, the second exclusive: the sum over the calendar months touched of the
/// days within each ÷ that month's days.
///
/// This is how Huawei Cloud prorates a monthly package; its own example has 12 days of June and 8
/// of July, 12/30 + 8/31 = 0.6581.
#[must_use]
pub fn months_between(from: Date, to: Date) -> Decimal {
    let mut months = Decimal::ZERO;
    let mut at = from;
    while at < to {
        let next = at
            .first_of_month()
            .checked_add(1.month())
            .unwrap_or(Date::MAX);
        let end = next.min(to);
        if end <= at {
            break;
        }
        let days = day::between(at, end);
        months += Decimal::from(days) / Decimal::from(at.days_in_month());
        at = end;
    }
    months
}

/// Whole months that cover two days, the second exclusive: what a monthly price that is not
/// prorated costs.
#[must_use]
pub fn whole_months(from: Date, to: Date) -> u32 {
    let mut months = 0;
    while from
        .checked_add(i64::from(months).months())
        .is_ok_and(|end| end < to)
    {
        months += 1;
    }
    months
}

/// The hours of a calendar month.
#[must_use]
pub fn hours_of_month(day_in_it: Date) -> u32 {
    u32::from(day_in_it.days_in_month().unsigned_abs()) * 24
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        day::parse(text).unwrap()
    }

    fn dec(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn modelarts_s_own_example_of_proration() {
        let months = months_between(day("2024-06-19"), day("2024-07-09"));
        assert_eq!(months.round_dp(4), dec("0.6581"));
    }

    #[test]
    fn a_whole_month_is_one_whatever_its_days() {
        for (from, to) in [
            ("2026-02-01", "2026-03-01"),
            ("2024-02-01", "2024-03-01"),
            ("2026-04-01", "2026-05-01"),
            ("2026-12-01", "2027-01-01"),
        ] {
            assert_eq!(months_between(day(from), day(to)), Decimal::ONE, "{from}");
        }
        // A leap year's February has 29 parts.
        let leap = months_between(day("2024-02-15"), day("2024-03-01"));
        assert_eq!(leap.round_dp(6), dec("0.517241"));
        let common = months_between(day("2026-02-15"), day("2026-03-01"));
        assert_eq!(common, dec("0.5"));
        assert_eq!(
            months_between(day("2026-03-01"), day("2026-03-01")),
            dec("0")
        );
        assert_eq!(
            months_between(day("2026-03-02"), day("2026-03-01")),
            dec("0")
        );
    }

    #[test]
    fn unprorated_months_are_bought_whole() {
        assert_eq!(whole_months(day("2024-06-19"), day("2024-07-09")), 1);
        assert_eq!(whole_months(day("2024-06-19"), day("2024-07-19")), 1);
        assert_eq!(whole_months(day("2024-06-19"), day("2024-07-20")), 2);
        assert_eq!(whole_months(day("2024-06-19"), day("2024-06-19")), 0);
    }

    #[test]
    fn the_hours_of_the_calendar_s_months() {
        for (day_in_it, hours) in [
            ("2026-02-10", 672),
            ("2024-02-10", 696),
            ("2026-04-10", 720),
            ("2026-12-10", 744),
        ] {
            assert_eq!(hours_of_month(day(day_in_it)), hours);
        }
    }

    #[test]
    fn minimums_and_increments_round_up() {
        // Eight minutes at a minimum of fifteen; 5.5 an hour: 1.375, not 0.733.
        let billed = billed_seconds(dec("480"), Some(60), Some(900));
        assert_eq!(billed * dec("5.5") / dec("3600"), dec("1.375"));
        // RunPod rounds 2.3 s up to 3 s.
        assert_eq!(billed_seconds(dec("2.3"), Some(1), None), dec("3"));
        assert_eq!(billed_seconds(dec("3"), Some(1), None), dec("3"));
        assert_eq!(billed_seconds(dec("3601"), Some(3600), None), dec("7200"));
        assert_eq!(billed_seconds(dec("2.3"), None, None), dec("2.3"));
        assert_eq!(billed_seconds(dec("0"), Some(60), Some(900)), dec("0"));
    }
}
