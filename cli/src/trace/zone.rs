//! The zone of times that name none.

use inferplan_core::demand::stamp::SECOND;
use jiff::{
    Timestamp,
    tz::{Offset, TimeZone},
};

/// A named zone or a fixed offset.
#[derive(Clone, Debug)]
pub struct Zone {
    name: String,
    zone: TimeZone,
    /// The quarter hour last asked for and its offset: rows come nearly in order, and no zone
    /// changes within one.
    last: Option<(i64, i64)>,
}

impl Zone {
    /// From `Asia/Shanghai`, `UTC`, `+08:00` or `-0530`.
    ///
    /// # Errors
    /// A name that the system does not know.
    pub fn parse(text: &str) -> Result<Self, String> {
        let zone = match text.as_bytes() {
            [b'+' | b'-', ..] => fixed(text).map(TimeZone::fixed),
            _ if text.eq_ignore_ascii_case("utc") => Some(TimeZone::UTC),
            _ => TimeZone::get(text).ok(),
        };
        let zone = zone.ok_or_else(|| {
            format!("`{text}` is not a zone such as Asia/Shanghai, UTC or +08:00")
        })?;
        Ok(Self {
            name: text.to_owned(),
            zone,
            last: None,
        })
    }

    /// The name it was given by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// UTC of a local time, both in nanoseconds since 1970. Of an hour that comes twice, the first.
    pub fn utc(&mut self, local_ns: i64) -> Option<i64> {
        let quarter = local_ns.div_euclid(900 * SECOND);
        if let Some((at, offset)) = self.last
            && at == quarter
        {
            return Some(local_ns - offset);
        }
        let second = quarter * 900;
        let civil = Offset::UTC.to_datetime(Timestamp::from_second(second).ok()?);
        let instant = self.zone.to_timestamp(civil).ok()?.as_second();
        let offset = (second - instant) * SECOND;
        self.last = Some((quarter, offset));
        Some(local_ns - offset)
    }
}

fn fixed(text: &str) -> Option<Offset> {
    let digits: String = text[1..].chars().filter(|letter| *letter != ':').collect();
    let sound = digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit());
    let (hours, minutes): (i32, i32) = sound
        .then(|| Some((digits[..2].parse().ok()?, digits[2..].parse().ok()?)))
        .flatten()?;
    let seconds = (hours * 60 + minutes) * 60;
    Offset::from_seconds(if text.starts_with('-') {
        -seconds
    } else {
        seconds
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_turn_local_times_to_utc() {
        let noon = 1_772_452_800 * SECOND; // 2026-03-02 12:00
        let ahead = |zone: &str, at: i64| {
            let mut zone = Zone::parse(zone).unwrap();
            (at - zone.utc(at).unwrap()) / SECOND
        };
        assert_eq!(ahead("UTC", noon), 0);
        assert_eq!(ahead("+08:00", noon), 28_800);
        assert_eq!(ahead("-0530", noon), -19_800);
        // Summer time begins in Berlin on 2026-03-29 at 02:00.
        let change = 1_774_749_600 * SECOND;
        assert_eq!(ahead("Europe/Berlin", change - SECOND), 3600);
        assert_eq!(ahead("Europe/Berlin", change + 3600 * SECOND), 7200);
        for bad in ["Mars/Base", "+8", "+99:00x", ""] {
            assert!(Zone::parse(bad).is_err(), "{bad}");
        }
    }
}
