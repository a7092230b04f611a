//! Latency metrics, their quantiles, and targets on them.

use std::{fmt, str::FromStr};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor},
    ser::SerializeMap,
};

use crate::problem::Problem;

/// A latency metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Time to first token.
    Ttft,
    /// Time per output token after the first: (e2e − TTFT) ÷ (output tokens − 1).
    Tpot,
    /// Inter-token latency: the gap between two streamed chunks.
    Itl,
    /// End to end: from sending a request to its last token.
    E2e,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Self; 4] = [Self::Ttft, Self::Tpot, Self::Itl, Self::E2e];

    /// Its key in a target: `ttft`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Ttft => "ttft",
            Self::Tpot => "tpot",
            Self::Itl => "itl",
            Self::E2e => "e2e",
        }
    }

    /// Its name for people, the same in both languages: `TTFT`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ttft => "TTFT",
            Self::Tpot => "TPOT",
            Self::Itl => "ITL",
            Self::E2e => "e2e",
        }
    }
}

/// A statistic of a latency distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantile {
    /// The arithmetic mean.
    Mean,
    /// The median.
    P50,
    /// 90th percentile.
    P90,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// The largest.
    Max,
}

impl Quantile {
    /// Every statistic, the percentiles in order.
    pub const ALL: [Self; 6] = [
        Self::Mean,
        Self::P50,
        Self::P90,
        Self::P95,
        Self::P99,
        Self::Max,
    ];

    /// Its key: `p99`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Max => "max",
        }
    }

    /// The statistics that are never below this one, nearest first: where one of them meets a
    /// target, this one does. Nothing but the maximum bounds a mean.
    #[must_use]
    pub fn upper_bounds(self) -> &'static [Self] {
        match self {
            Self::P50 => &[Self::P90, Self::P95, Self::P99, Self::Max],
            Self::P90 => &[Self::P95, Self::P99, Self::Max],
            Self::P95 => &[Self::P99, Self::Max],
            Self::Mean | Self::P99 => &[Self::Max],
            Self::Max => &[],
        }
    }
}

/// Statistics of one latency distribution, seconds. Any of them may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Quantiles {
    /// The arithmetic mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50: Option<f64>,
    /// 90th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p90: Option<f64>,
    /// 95th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    /// 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// The largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

impl Quantiles {
    /// One statistic.
    #[must_use]
    pub fn get(&self, quantile: Quantile) -> Option<f64> {
        match quantile {
            Quantile::Mean => self.mean,
            Quantile::P50 => self.p50,
            Quantile::P90 => self.p90,
            Quantile::P95 => self.p95,
            Quantile::P99 => self.p99,
            Quantile::Max => self.max,
        }
    }

    /// Sets one statistic.
    pub fn set(&mut self, quantile: Quantile, value: Option<f64>) {
        *match quantile {
            Quantile::Mean => &mut self.mean,
            Quantile::P50 => &mut self.p50,
            Quantile::P90 => &mut self.p90,
            Quantile::P95 => &mut self.p95,
            Quantile::P99 => &mut self.p99,
            Quantile::Max => &mut self.max,
        } = value;
    }

    /// The statistic nearest to a typical request: mean, median, else the lowest percentile.
    #[must_use]
    pub fn typical(&self) -> Option<f64> {
        Quantile::ALL.into_iter().find_map(|q| self.get(q))
    }
}

/// One latency target: a statistic of a metric is at most so many seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The metric.
    pub metric: Metric,
    /// The statistic.
    pub quantile: Quantile,
    /// The bound, seconds.
    pub at_most_s: f64,
}

impl Target {
    /// `ttft_p99`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}_{}", self.metric.key(), self.quantile.key())
    }

    /// `TTFT p99 ≤ 2 s`.
    #[must_use]
    pub fn label(&self) -> String {
        let (metric, quantile) = (self.metric.name(), self.quantile.key());
        format!("{metric} {quantile} ≤ {} s", self.at_most_s)
    }

    /// Reads `ttft_p99` and a bound in seconds.
    fn from_key(key: &str, at_most_s: f64) -> Result<Self, Problem> {
        let bad = |en: &str, zh: &str| {
            Problem::new(en, zh).found(key).remedy(
                "write METRIC_QUANTILE, such as ttft_p99, itl_p50, tpot_mean or e2e_p95",
                "应写作 指标_分位数，例如 ttft_p99、itl_p50、tpot_mean、e2e_p95",
            )
        };
        let (metric, quantile) = key
            .split_once('_')
            .ok_or_else(|| bad("this is not a latency target", "这不是延迟目标"))?;
        let metric = Metric::ALL
            .into_iter()
            .find(|known| known.key() == metric)
            .ok_or_else(|| bad("the metric is unknown", "未知的指标"))?;
        let quantile = Quantile::ALL
            .into_iter()
            .find(|known| known.key() == quantile)
            .ok_or_else(|| bad("the quantile is unknown", "未知的分位数"))?;
        if !(at_most_s.is_finite() && at_most_s > 0.0) {
            return Err(
                Problem::new("a target must be above 0 seconds", "目标必须大于 0 秒")
                    .at(key)
                    .found(at_most_s),
            );
        }
        Ok(Self {
            metric,
            quantile,
            at_most_s,
        })
    }
}

impl FromStr for Target {
    type Err = Problem;

    /// Reads `ttft_p99=0.2`; the bound is in seconds.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let (key, bound) = text.split_once('=').ok_or_else(|| {
            Problem::new("this is not a latency target", "这不是延迟目标")
                .found(text)
                .remedy(
                    "write METRIC_QUANTILE=SECONDS, such as ttft_p99=0.2",
                    "应写作 指标_分位数=秒，例如 ttft_p99=0.2",
                )
        })?;
        let seconds = bound.trim().parse().map_err(|_| {
            Problem::new("the bound is not a number of seconds", "目标不是秒数")
                .at(key.trim())
                .found(bound)
                .remedy(
                    "write seconds without a unit, such as 0.2",
                    "只写秒数，不带单位，例如 0.2",
                )
        })?;
        Self::from_key(key.trim(), seconds)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key(), self.at_most_s)
    }
}

/// Latency targets. In JSON an object of seconds: `{ "ttft_p99": 2, "itl_p50": 0.05 }`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slo(pub Vec<Target>);

impl Serialize for Slo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for target in &self.0 {
            map.serialize_entry(&target.key(), &target.at_most_s)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Slo {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Targets)
    }
}

/// Reads every key, one that is there twice as well: the check then refuses it.
struct Targets;

impl<'de> Visitor<'de> for Targets {
    type Value = Slo;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of targets, such as {\"ttft_p99\": 2}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slo, A::Error> {
        let mut targets = Vec::new();
        while let Some((key, bound)) = map.next_entry::<String, serde_json::Value>()? {
            let seconds = bound
                .as_f64()
                .ok_or_else(|| A::Error::custom(format!("{key}: {bound} is not a number")))?;
            targets.push(Target::from_key(&key, seconds).map_err(A::Error::custom)?);
        }
        Ok(Slo(targets))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Slo {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Slo".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "Latency targets in seconds, keyed METRIC_QUANTILE.",
            "patternProperties": {
                "^(ttft|tpot|itl|e2e)_(mean|p50|p90|p95|p99|max)$": {
                    "type": "number", "exclusiveMinimum": 0
                }
            },
            "additionalProperties": false
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_and_written_alike() {
        for text in ["ttft_p99=0.2", "itl_p50=0.05", "e2e_p95=10", "tpot_mean=1"] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
        let json = r#"{"ttft_p99":2.0,"itl_p50":0.05}"#;
        let slo: Slo = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&slo).unwrap(), json);
    }

    #[test]
    fn a_bad_target_says_what_would_be_right() {
        for (text, part) in [
            ("ttft", "METRIC_QUANTILE=SECONDS"),
            ("ttft_p99=200ms", "without a unit"),
            ("ttft_p98=1", "quantile is unknown"),
            ("latency_p99=1", "metric is unknown"),
            ("ttft_p99=-1", "above 0"),
            ("ttft_p99=NaN", "above 0"),
        ] {
            let message = text.parse::<Target>().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
