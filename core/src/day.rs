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
    fn days_are_counted_over_a_leap_year() {
        let day = |text| parse(text).unwrap();
        assert_eq!(between(day("2024-01-01"), day("2025-01-01")), 366);
        assert_eq!(between(day("2026-12-01"), day("2026-09-02")), -90);
    }
}
