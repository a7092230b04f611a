//! Days as `YYYY-MM-DD`, and nothing else: a time or a zone beside a day is a slip, not a detail.

use jiff::civil::Date;

/// Reads `YYYY-MM-DD`.
///
/// # Errors
/// Any other text, and days that no calendar has.
pub fn parse(text: &str) -> Result<Date, String> {
    let read = || {
        let (year, rest) = text.split_once('-')?;
        let (month, day) = rest.split_once('-')?;
        let digits = |part: &str, length| {
            let all = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
            all.then(|| part.parse::<i16>().ok()).flatten()
        };
        let (month, day) = (digits(month, 2)?, digits(day, 2)?);
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        Date::new(digits(year, 4)?, month, day).ok()
    };
    read().ok_or_else(|| format!("`{text}` is not a day such as 2026-01-31"))
}

/// Whole days from one to another; negative backwards.
#[must_use]
pub fn between(from: Date, to: Date) -> i64 {
    to.duration_since(from).as_hours() / 24
}

/// Seconds since 1970 of a time stamp such as `2026-03-01T10:15:00.5Z` or `…+08:00`; `None` for one
/// without a zone.
#[must_use]
pub fn timestamp_s(stamp: &str) -> Option<f64> {
    let (day, time) = stamp.split_once(['T', ' '])?;
    let zone = time.find(['Z', '+', '-'])?;
    let (clock, zone) = time.split_at(zone);
    let mut parts = clock.split(':');
    let mut next = || parts.next()?.parse::<f64>().ok();
    let seconds = next()? * 3600.0 + next()? * 60.0 + next()?;
    let offset = if zone == "Z" {
        0.0
    } else {
        let (hours, minutes) = zone[1..].split_once(':').unwrap_or((&zone[1..], "0"));
        let seconds = hours.parse::<f64>().ok()? * 3600.0 + minutes.parse::<f64>().ok()? * 60.0;
        if zone.starts_with('-') {
            -seconds
        } else {
            seconds
        }
    };
    let days = between(Date::constant(1970, 1, 1), parse(day).ok()?);
    Some(days as f64 * 86_400.0 + seconds - offset)
}

/// A day in JSON.
pub(crate) mod required {
    use jiff::civil::Date;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(day: &Date, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(day)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Date, D::Error> {
        let text = String::deserialize(deserializer)?;
        super::parse(&text).map_err(D::Error::custom)
    }
}

/// A day or null in JSON.
pub(crate) mod optional {
    use jiff::civil::Date;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(
        day: &Option<Date>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        day.map(|day| day.to_string()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Date>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let day = text.map(|text| super::parse(&text)).transpose();
        day.map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_days_that_exist_are_read() {
        assert_eq!(parse("2024-02-29").unwrap().to_string(), "2024-02-29");
        for text in [
            "",
            "2025-02-29",
            "2025-2-1",
            "2025-01-31T00:00",
            "31/01/2025",
            "+025-01-01",
            "2025-01-3１",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn time_stamps_know_their_zone() {
        assert_eq!(timestamp_s("1970-01-02T00:00:01.5Z"), Some(86_401.5));
        assert_eq!(timestamp_s("1970-01-01T08:00:00+08:00"), Some(0.0));
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:00",
            "T",
            "1970-01-01T1Z",
        ] {
            assert_eq!(timestamp_s(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_over_a_leap_year() {
        let day = |text| parse(text).unwrap();
        assert_eq!(between(day("2024-01-01"), day("2025-01-01")), 366);
        assert_eq!(between(day("2026-12-01"), day("2026-09-02")), -90);
    }
}
