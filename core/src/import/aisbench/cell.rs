//! A cell of these tables: a figure and its unit, or a text.

use super::super::units;
use crate::problem::Problem;

/// A cell that is not empty.
pub(super) struct Cell<'a> {
    text: &'a str,
    path: String,
    /// The unit in brackets in the names beside it, for a cell without its own.
    beside: Option<String>,
}

impl<'a> Cell<'a> {
    /// A cell, its place for messages, and the names beside it; `None` where it holds nothing.
    pub(super) fn of(text: &'a str, path: &str, names: &[&str]) -> Option<Self> {
        let text = text.trim();
        // MindIE writes a slash for what it has no figure for, even before a unit.
        if matches!(text, "" | "/" | "-" | "N/A" | "null" | "None") || text.starts_with("/ ") {
            return None;
        }
        let unit = names.iter().find_map(|name| units::split_unit(name).1);
        Some(Self {
            text,
            path: path.to_owned(),
            beside: unit.map(str::to_owned),
        })
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is Python's word for a figure that is none.
    pub(super) fn is_not_finite(&self) -> bool {
        let word = self.text.split_whitespace().next().unwrap_or_default();
        matches!(
            word.to_lowercase().trim_start_matches('-'),
            "nan" | "inf" | "infinity"
        )
    }

    /// `2761.2 ms` → the figure and its unit.
    fn quantity(&self) -> Option<(f64, &str)> {
        let is_figure = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+');
        let mut end = self.text.find(|c| !is_figure(c)).unwrap_or(self.text.len());
        // An exponent, and not the first letter of a unit.
        let rest = &self.text[end..];
        if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
            let digits = exponent.find(|c| !is_figure(c)).unwrap_or(exponent.len());
            if digits > 0 {
                end += 1 + digits;
            }
        }
        let figure: f64 = self.text[..end].replace(',', "").parse().ok()?;
        let unit = self.text[end..].trim();
        let unit = match unit {
            "" => self.beside.as_deref().unwrap_or_default(),
            unit => unit,
        };
        figure.is_finite().then_some((figure, unit))
    }

    fn wrong(&self, en: &str, zh: &str) -> Problem {
        Problem::new(en, zh).at(self.path.clone()).found(self.text)
    }

    /// A figure, whatever its unit.
    pub(super) fn figure(&self) -> Result<f64, Problem> {
        let quantity = self.quantity().map(|(figure, _)| figure);
        quantity.ok_or_else(|| self.wrong("is not a number", "不是数字"))
    }

    /// A count, maybe with a share in brackets behind it: `200( 100.0% )`.
    pub(super) fn count(&self) -> Result<u64, Problem> {
        let whole = |figure: &f64| *figure >= 0.0 && figure.fract() == 0.0 && *figure < 1e15;
        let count = self.quantity().map(|(figure, _)| figure).filter(whole);
        count
            .map(|count| count as u64)
            .ok_or_else(|| self.wrong("is not a count", "不是计数"))
    }

    pub(super) fn time_s(&self) -> Result<f64, Problem> {
        let time = self
            .quantity()
            .and_then(|(figure, unit)| Some(figure / units::per_second(unit)?));
        time.ok_or_else(|| {
            self.wrong("is not a time with a unit", "不是带单位的时间")
                .remedy(
                    "expected a figure with s, ms or us",
                    "应为带 s、ms 或 us 的数字",
                )
        })
    }

    /// A rate in one of the units, each of which is a second's.
    pub(super) fn rate(&self, units: &[&str]) -> Result<f64, Problem> {
        let is_known = |unit: &str| units.contains(&unit.to_lowercase().as_str());
        let rate = self.quantity().filter(|(_, unit)| is_known(unit));
        rate.map(|(figure, _)| figure).ok_or_else(|| {
            self.wrong("is not a rate with a unit", "不是带单位的速率")
                .remedy(
                    format!("expected a figure with {}", units.join(", ")),
                    format!("应为带 {} 的数字", units.join("、")),
                )
        })
    }
}
