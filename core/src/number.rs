//! Numbers as people write and read them, Western and Chinese.

use std::str::FromStr;

use rust_decimal::{Decimal, prelude::ToPrimitive};

/// Puts a comma between groups of three digits of the whole part: `1234567.5` → `1,234,567.5`.
#[must_use]
pub fn grouped(figure: &str) -> String {
    let (sign, digits) = match figure.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", figure),
    };
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// A decimal for people: grouped, without trailing zeros.
#[must_use]
pub fn plain(value: Decimal) -> String {
    grouped(&value.normalize().to_string())
}

/// A float for people with `digits` significant digits, grouped, without trailing zeros.
#[must_use]
pub fn significant(value: f64, digits: u32) -> String {
    let Ok(exact) = Decimal::from_str(&format!("{value}")) else {
        return format!("{value:e}");
    };
    let half_up = rust_decimal::RoundingStrategy::MidpointAwayFromZero;
    plain(
        exact
            .round_sf_with_strategy(digits, half_up)
            .unwrap_or(exact),
    )
}

/// The Chinese reading of a large count, for beside the digits: 1,000,000 → `100 万`.
/// `None` below ten thousand.
#[must_use]
pub fn chinese_units(value: Decimal) -> Option<String> {
    let wan = Decimal::from(10_000);
    let yi = Decimal::from(100_000_000);
    let (unit, name) = if value >= yi {
        (yi, "亿")
    } else if value >= wan {
        (wan, "万")
    } else {
        return None;
    };
    let count = (value / unit).round_sf(4)?;
    Some(format!("{} {name}", plain(count)))
}

/// Reads a count as people type it: `1,000,000`, `1e6`, `1.5M`, `100万`, `3万4000`, `1.2亿`,
/// with full-width digits and separators too.
///
/// A comma separates groups of three digits and nothing else, so `1,5` is refused rather than
/// read as fifteen.
///
/// # Errors
/// What could not be read.
pub fn parse_count(text: &str) -> Result<Decimal, String> {
    let plain: String = text.chars().filter_map(half_width).collect();
    let refuse = || {
        format!(
            "`{}` is not a number such as 1,000,000, 1e6, 2.5M or 100万",
            text.trim()
        )
    };
    let mut rest = plain.as_str();
    if rest.is_empty() {
        return Err(refuse());
    }
    let mut total = Decimal::ZERO;
    // 亿 before 万 before 千: each unit scales what stands before it; what is left counts as it is.
    for (unit, scale) in [('亿', 100_000_000_u32), ('万', 10_000), ('千', 1_000)] {
        if let Some((before, after)) = rest.split_once(unit) {
            let count = western(before).ok_or_else(refuse)?;
            total = count
                .checked_mul(Decimal::from(scale))
                .and_then(|part| total.checked_add(part))
                .ok_or_else(refuse)?;
            rest = after;
        }
    }
    if !rest.is_empty() {
        let tail = western(rest).ok_or_else(refuse)?;
        total = total.checked_add(tail).ok_or_else(refuse)?;
    }
    Ok(total)
}

/// ASCII for full-width digits and separators; spaces and underscores vanish.
fn half_width(c: char) -> Option<char> {
    match c {
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10),
        '，' => Some(','),
        '．' | '。' => Some('.'),
        '億' => Some('亿'),
        '萬' => Some('万'),
        '_' => None,
        c if c.is_whitespace() => None,
        c => Some(c),
    }
}

fn western(text: &str) -> Option<Decimal> {
    let (figure, scale) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1_000_u32),
        b'm' | b'M' => (&text[..text.len() - 1], 1_000_000),
        b'b' | b'B' => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let ungrouped = without_commas(figure)?;
    let value = if ungrouped.contains(['e', 'E']) {
        Decimal::from_scientific(&ungrouped).ok()?
    } else {
        Decimal::from_str(&ungrouped).ok()?
    };
    value.checked_mul(Decimal::from(scale))
}

/// Drops commas that separate groups of three digits; `None` where one stands elsewhere.
fn without_commas(figure: &str) -> Option<String> {
    if !figure.contains(',') {
        return Some(figure.to_owned());
    }
    let (whole, fraction) = figure.split_at(figure.find('.').unwrap_or(figure.len()));
    let mut groups = whole.split(',');
    let first = groups.next()?.trim_start_matches(['-', '+']);
    let rest_are_threes = groups.all(|group| group.len() == 3);
    ((1..=3).contains(&first.len()) && rest_are_threes).then(|| whole.replace(',', "") + fraction)
}

/// Reads a share as people write it: `5%`, `5 %`, `-2.5%`, `0.05`.
///
/// # Errors
/// Anything else.
pub fn parse_share(text: &str) -> Result<Decimal, String> {
    let trimmed = text.trim();
    let (figure, divisor) = match trimmed.strip_suffix(['%', '％']) {
        Some(figure) => (figure.trim_end(), Decimal::ONE_HUNDRED),
        None => (trimmed, Decimal::ONE),
    };
    let value = Decimal::from_str(figure).ok();
    let share = value.and_then(|value| value.checked_div(divisor));
    share.ok_or_else(|| format!("`{text}` is not a share such as 5% or 0.05"))
}

/// A decimal as a float, for rates.
#[must_use]
pub fn to_f64(value: Decimal) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_people_type_them() {
        for (text, value) in [
            ("5%", "0.05"),
            (" 5 % ", "0.05"),
            ("-2.5%", "-0.025"),
            ("0.05", "0.05"),
            ("５", ""),
            ("%", ""),
            ("five", ""),
        ] {
            let read =
                parse_share(text).map_or_else(|_| String::new(), |v| v.normalize().to_string());
            assert_eq!(read, value, "{text}");
        }
    }

    #[test]
    fn counts_are_read_as_people_type_them() {
        for (text, value) in [
            ("1,000,000", "1000000"),
            ("1e6", "1000000"),
            ("2.5M", "2500000"),
            ("100万", "1000000"),
            ("1,100万", "11000000"),
            ("1.2万", "12000"),
            ("3万4000", "34000"),
            ("25万6千", "256000"),
            ("250亿", "25000000000"),
            ("1100.9亿", "110090000000"),
            ("１００ 万", "1000000"),
            ("0.5", "0.5"),
        ] {
            assert_eq!(
                parse_count(text).map(|v| v.normalize().to_string()),
                Ok(value.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for text in [
            "", "abc", "1,5", "1,0000", "万", "1..2", "NaN", "∞", ",", "1e99", "万1",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn figures_are_grouped_and_named() {
        assert_eq!(grouped("1234567.5"), "1,234,567.5");
        assert_eq!(grouped("-1234"), "-1,234");
        assert_eq!(grouped("123"), "123");
        assert_eq!(significant(1.374_356_2, 4), "1.374");
        assert_eq!(significant(0.0, 4), "0");
        assert_eq!(
            chinese_units(Decimal::from(1_000_000)).as_deref(),
            Some("100 万")
        );
        assert_eq!(
            chinese_units(Decimal::from(123_456_789)).as_deref(),
            Some("1.235 亿")
        );
        assert_eq!(chinese_units(Decimal::from(9_999)), None);
    }
}
