//! What a price is per, with its steps.

use serde::{Deserialize, Serialize};

use crate::{
    Decimal,
    money::{decimal_string, optional_decimal},
};

/// Whether a price is for one accelerator or for the whole instance. Never left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// For each accelerator.
    Accelerator,
    /// For the instance with all its accelerators.
    Instance,
}

/// A price, by what it is per.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "per", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Price {
    /// A call, or an image, whatever its length.
    Call {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Lower prices for the calls of a month beyond some counts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps: Vec<Step>,
    },
    /// A million tokens.
    MillionTokens {
        /// For input tokens, decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        input: Decimal,
        /// For output tokens, decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        output: Decimal,
        /// For input tokens read from a cache, decimal string; without it they cost as any other.
        /// They are a part of a request's input tokens, never beside them.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "optional_decimal"
        )]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        cached_input: Option<Decimal>,
        /// What batch requests cost, as a factor of all three, decimal string.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "optional_decimal"
        )]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        batch: Option<Decimal>,
        /// Other prices for long requests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        long: Option<Box<LongRequests>>,
        /// Lower prices outside peak hours; the amounts above are those of the peak.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        off_peak: Option<Box<OffPeak>>,
    },
    /// A second.
    Second {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Of what.
        of: Basis,
    },
    /// An hour.
    Hour {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Of what.
        of: Basis,
    },
    /// A month, whatever its hours.
    Month {
        /// Decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Of what.
        of: Basis,
    },
    /// A term of several months, bought whole: a year, three years.
    Term {
        /// Its months.
        months: u32,
        /// For the whole term, decimal string.
        #[serde(with = "decimal_string")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        amount: Decimal,
        /// Of what.
        of: Basis,
    },
    /// Machines one owns.
    Owned(Box<Owned>),
}

/// A lower price of a month's further units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// It holds for the units beyond this many in a month, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub above: Decimal,
    /// Decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub amount: Decimal,
}

/// Prices by the length of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LongRequests {
    /// What a step's price is for. Providers differ, so it is never left open.
    pub mode: LongMode,
    /// The steps, by rising length.
    pub steps: Vec<LongStep>,
}

/// What a long request's price is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LongMode {
    /// All tokens of a request that is longer than the step.
    WholeRequest,
    /// The input tokens beyond the step; output keeps the price of the shortest.
    Excess,
}

/// Prices for requests with more input tokens than some length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LongStep {
    /// It holds for requests with more input tokens than this.
    pub above_input_tokens: u64,
    /// For a million input tokens, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub input: Decimal,
    /// For a million output tokens, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub output: Decimal,
    /// For a million cached input tokens, decimal string; without it they cost as any other.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "optional_decimal"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub cached_input: Option<Decimal>,
}

/// Lower prices outside peak hours, by the seller's own calendar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OffPeak {
    /// What an off-peak token costs, as a factor of the peak's price, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub factor: Decimal,
    /// The seller's clock, hours ahead of UTC.
    pub utc_offset_h: i8,
    /// The peak's hours; all others are off-peak.
    pub peak: Vec<PeakHours>,
}

/// Hours of some days of the week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PeakHours {
    /// Days of the week by the seller's clock, Monday 1 to Sunday 7.
    pub days: Vec<u8>,
    /// First hour.
    pub from_h: u8,
    /// The hour it ends at, exclusive.
    pub to_h: u8,
}

impl OffPeak {
    /// Whether an hour of the week, counted from Monday 00:00 UTC, is of the peak.
    #[must_use]
    pub fn is_peak(&self, hour_of_week_utc: u8) -> bool {
        let local = (i32::from(hour_of_week_utc) + i32::from(self.utc_offset_h)).rem_euclid(168);
        let (day, hour) = (local / 24 + 1, local % 24);
        self.peak.iter().any(|hours| {
            hours.days.iter().any(|d| i32::from(*d) == day)
                && i32::from(hours.from_h) <= hour
                && hour < i32::from(hours.to_h)
        })
    }

    /// Peak hours of the week's 168.
    #[must_use]
    pub fn peak_hours(&self) -> u32 {
        (0..168).filter(|hour| self.is_peak(*hour)).count() as u32
    }
}

/// What a machine of one's own costs, for one instance. All figures are the owner's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Owned {
    /// Its purchase, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub purchase: Decimal,
    /// What it is worth at the end of its life, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub residual: Decimal,
    /// Months over which it is written off, in equal parts.
    pub life_months: u32,
    /// Power it draws when idle, watts.
    pub idle_w: u32,
    /// Power it draws at full load, watts.
    pub loaded_w: u32,
    /// Power usage effectiveness of the room: all power over the machines', decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub pue: Decimal,
    /// A kilowatt-hour, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub per_kwh: Decimal,
    /// Rack space and connection a month, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub rack_per_month: Decimal,
    /// Staff and maintenance a month, decimal string.
    #[serde(with = "decimal_string")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub staff_per_month: Decimal,
}

impl Price {
    /// Its word in documents.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Call { .. } => "call",
            Self::MillionTokens { .. } => "million-tokens",
            Self::Second { .. } => "second",
            Self::Hour { .. } => "hour",
            Self::Month { .. } => "month",
            Self::Term { .. } => "term",
            Self::Owned(_) => "owned",
        }
    }

    /// Every amount in it, each with the name of its field.
    #[must_use]
    pub fn amounts(&self) -> Vec<(&'static str, Decimal)> {
        match self {
            Self::Call { amount, steps } => {
                let steps = steps.iter().map(|step| ("steps.amount", step.amount));
                std::iter::once(("amount", *amount)).chain(steps).collect()
            }
            Self::Second { amount, .. }
            | Self::Hour { amount, .. }
            | Self::Month { amount, .. }
            | Self::Term { amount, .. } => vec![("amount", *amount)],
            Self::MillionTokens {
                input,
                output,
                cached_input,
                long,
                ..
            } => {
                let mut amounts = vec![("input", *input), ("output", *output)];
                amounts.extend(cached_input.map(|amount| ("cached_input", amount)));
                for step in long.iter().flat_map(|long| &long.steps) {
                    amounts.push(("long.input", step.input));
                    amounts.push(("long.output", step.output));
                    amounts.extend(step.cached_input.map(|a| ("long.cached_input", a)));
                }
                amounts
            }
            Self::Owned(owned) => vec![
                ("purchase", owned.purchase),
                ("residual", owned.residual),
                ("per_kwh", owned.per_kwh),
                ("rack_per_month", owned.rack_per_month),
                ("staff_per_month", owned.staff_per_month),
            ],
        }
    }

    /// Whether it is a price of accelerators, not of answers.
    #[must_use]
    pub fn is_for_accelerators(&self) -> bool {
        !matches!(self, Self::Call { .. } | Self::MillionTokens { .. })
    }

    /// What a price of time is for, an accelerator or an instance.
    #[must_use]
    pub fn basis(&self) -> Option<Basis> {
        match self {
            Self::Second { of, .. }
            | Self::Hour { of, .. }
            | Self::Month { of, .. }
            | Self::Term { of, .. } => Some(*of),
            Self::Owned(_) => Some(Basis::Instance),
            Self::Call { .. } | Self::MillionTokens { .. } => None,
        }
    }

    /// As one of an hour of its basis, where it is a price of seconds or hours.
    #[must_use]
    pub fn per_hour(&self) -> Option<Decimal> {
        match self {
            Self::Hour { amount, .. } => Some(*amount),
            Self::Second { amount, .. } => amount.checked_mul(Decimal::from(3600)),
            _ => None,
        }
    }

    /// The months it binds a buyer for, at the least; 0 for prices of use.
    #[must_use]
    pub fn binds_months(&self) -> u32 {
        match self {
            Self::Month { .. } => 1,
            Self::Term { months, .. } => *months,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_hours_follow_the_seller_s_calendar() {
        // Weekdays 9 to 12 and 14 to 18 in Beijing: 35 hours of the week.
        let hours = |from_h, to_h| PeakHours {
            days: vec![1, 2, 3, 4, 5],
            from_h,
            to_h,
        };
        let off_peak = OffPeak {
            factor: Decimal::new(5, 1),
            utc_offset_h: 8,
            peak: vec![hours(9, 12), hours(14, 18)],
        };
        assert_eq!(off_peak.peak_hours(), 35);
        assert!(off_peak.is_peak(1), "Monday 01:30 UTC is 09:30 in Beijing");
        assert!(
            !off_peak.is_peak(6 * 24 + 1),
            "Sunday 01:30 UTC is Sunday there"
        );
        // Monday 00:30 in Beijing is still Sunday in UTC.
        assert!(!off_peak.is_peak(6 * 24 + 16));
    }
}
