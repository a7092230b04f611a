//! Times as traces write them, by hand: a row takes nanoseconds, not a general parser's microsecond.

/// Nanoseconds of a second.
pub const SECOND: i64 = 1_000_000_000;
/// Nanoseconds of an hour.
pub const HOUR: i64 = 3600 * SECOND;

/// A time as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// With a zone: nanoseconds since 1970 UTC.
    Instant(i64),
    /// Without: the same, had the clock been UTC.
    Local(i64),
    /// A bare number, in a unit it does not say: whole units, and billionths of one.
    Number(i64, i64),
}

/// The unit of times given as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
}

impl Unit {
    /// The unit in which a number would be a time after 1973; `None` below, where any could be meant.
    #[must_use]
    pub fn by_magnitude(number: i64) -> Option<Self> {
        match number {
            100_000_000..100_000_000_000 => Some(Self::S),
            100_000_000_000..100_000_000_000_000 => Some(Self::Ms),
            100_000_000_000_000..100_000_000_000_000_000 => Some(Self::Us),
            100_000_000_000_000_000.. => Some(Self::Ns),
            _ => None,
        }
    }

    /// Its sign.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::S => "s",
            Self::Ms => "ms",
            Self::Us => "us",
            Self::Ns => "ns",
        }
    }

    /// Nanoseconds of so many units and billionths; `None` where they are more than 292 years.
    #[must_use]
    pub fn ns(self, whole: i64, billionths: i64) -> Option<i64> {
        let unit = match self {
            Self::S => SECOND,
            Self::Ms => 1_000_000,
            Self::Us => 1_000,
            Self::Ns => 1,
        };
        let part = i128::from(billionths) * i128::from(unit) / i128::from(SECOND);
        whole.checked_mul(unit)?.checked_add(part as i64)
    }
}

/// Reads RFC 3339, `YYYY-MM-DD HH:MM[:SS[.f]]` with or without a zone, or a number.
#[must_use]
pub fn parse(text: &[u8]) -> Option<Stamp> {
    let text = text.trim_ascii();
    match text {
        [_, _, _, _, b'-', ..] => civil(text),
        _ => number(text),
    }
}

fn digits(text: &[u8], from: usize, length: usize) -> Option<i64> {
    let mut value = 0;
    for byte in text.get(from..from + length)? {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(value)
}

fn civil(text: &[u8]) -> Option<Stamp> {
    let (year, month, day) = (
        digits(text, 0, 4)?,
        digits(text, 5, 2)?,
        digits(text, 8, 2)?,
    );
    if text.get(7) != Some(&b'-') || !matches!(text.get(10), Some(b'T' | b't' | b' ')) {
        return None;
    }
    let (hour, minute) = (digits(text, 11, 2)?, digits(text, 14, 2)?);
    if text.get(13) != Some(&b':') {
        return None;
    }
    let mut rest = &text[16..];
    let mut second = 0;
    let mut fraction = 0;
    if rest.first() == Some(&b':') {
        second = digits(rest, 1, 2)?;
        rest = &rest[3..];
        if let Some(b'.' | b',') = rest.first() {
            (fraction, rest) = billionths(&rest[1..])?;
        }
    }
    let sound = (1970..=2200).contains(&year)
        && (1..=days_of(year, month)?).contains(&day)
        && hour < 24
        && minute < 60
        // A leap second is the next minute's first.
        && second <= 60;
    if !sound {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    let ns = seconds * SECOND + fraction;
    if let [b' ', zone @ ..] = rest {
        rest = zone;
    }
    match rest {
        [] => Some(Stamp::Local(ns)),
        b"Z" | b"z" | b"UTC" => Some(Stamp::Instant(ns)),
        [sign @ (b'+' | b'-'), offset @ ..] => {
            let hours = digits(offset, 0, 2)?;
            let minutes = match &offset[2..] {
                [] => 0,
                [b':', minutes @ ..] | minutes if minutes.len() == 2 => digits(minutes, 0, 2)?,
                _ => return None,
            };
            let ahead = (hours * 60 + minutes) * 60 * SECOND;
            let ahead = if *sign == b'+' { ahead } else { -ahead };
            (hours < 24 && minutes < 60).then_some(Stamp::Instant(ns - ahead))
        }
        _ => None,
    }
}

/// Billionths from the digits after a point, at least one; what follows them.
fn billionths(text: &[u8]) -> Option<(i64, &[u8])> {
    let mut value = 0;
    let mut place = SECOND / 10;
    let mut length = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value += i64::from(digit) * place;
        place /= 10;
        length += 1;
    }
    (length > 0).then(|| (value, &text[length..]))
}

fn number(text: &[u8]) -> Option<Stamp> {
    let whole = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    if whole == 0 || whole > 18 {
        return None;
    }
    let value = digits(text, 0, whole)?;
    match &text[whole..] {
        [] => Some(Stamp::Number(value, 0)),
        [b'.'] => Some(Stamp::Number(value, 0)),
        [b'.', fraction @ ..] if fraction.iter().all(u8::is_ascii_digit) => {
            Some(Stamp::Number(value, billionths(fraction)?.0))
        }
        // 1.7e9, as some writers of floats do.
        _ => {
            let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
            let sound = value.is_finite() && (0.0..9e18).contains(&value);
            sound.then(|| Stamp::Number(value as i64, (value.fract() * 1e9) as i64))
        }
    }
}

fn days_of(year: i64, month: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    Some(match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    })
}

/// Days since 1970-01-01, with years that begin in March so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// RFC 3339 in UTC, with as many decimals as are needed.
#[must_use]
pub fn text(ns: i64) -> String {
    let (seconds, fraction) = (ns.div_euclid(SECOND), ns.rem_euclid(SECOND));
    let (day, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = day + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let date = of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let mut text = format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}");
    if fraction > 0 {
        text += format!(".{fraction:09}").trim_end_matches('0');
    }
    text + "Z"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read_in_every_usual_form() {
        let azure = 1_700_158_546_680_590_000;
        for (text, stamp) in [
            ("2023-11-16 18:15:46.6805900", Stamp::Local(azure)),
            ("2023-11-16T18:15:46.68059Z", Stamp::Instant(azure)),
            ("2023-11-17 02:15:46.68059+08:00", Stamp::Instant(azure)),
            ("2023-11-16 18:15:46.68059 UTC", Stamp::Instant(azure)),
            ("2023-11-16T13:15:46.68059-0500", Stamp::Instant(azure)),
            ("1970-01-02 00:00", Stamp::Local(86_400 * SECOND)),
            (
                "2024-02-29T23:59:60Z",
                Stamp::Instant(1_709_251_200 * SECOND),
            ),
            ("1700158546.5", Stamp::Number(1_700_158_546, 500_000_000)),
            ("1.5e9", Stamp::Number(1_500_000_000, 0)),
            ("0", Stamp::Number(0, 0)),
        ] {
            assert_eq!(parse(text.as_bytes()), Some(stamp), "{text}");
        }
        for bad in [
            "",
            "yesterday",
            "2023-02-29 00:00:00",
            "2023-13-01 00:00:00",
            "2023-11-16",
            "2023-11-16 24:00:00",
            "2023-11-16 18:15:46.",
            "2023-11-16 18:15:46+8",
            "16/11/2023 18:15",
            "-5",
            "NaN",
            "1e99",
            "99999999999999999999",
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for ns in [
            0,
            1,
            951_868_800 * SECOND,
            1_700_158_546_680_590_000,
            4_102_444_799 * SECOND,
        ] {
            assert_eq!(parse(text(ns).as_bytes()), Some(Stamp::Instant(ns)));
        }
        assert_eq!(text(951_782_400 * SECOND), "2000-02-29T00:00:00Z");
    }

    #[test]
    fn units_go_by_magnitude() {
        for (number, unit) in [
            (1_700_158_546, Some(Unit::S)),
            (1_700_158_546_680, Some(Unit::Ms)),
            (1_700_158_546_680_590, Some(Unit::Us)),
            (1_700_158_546_680_590_000, Some(Unit::Ns)),
            (27_482, None),
        ] {
            assert_eq!(Unit::by_magnitude(number), unit);
        }
        assert_eq!(Unit::Ms.ns(1, 500_000_000), Some(1_500_000));
        assert_eq!(Unit::S.ns(i64::MAX, 0), None);
    }
}
