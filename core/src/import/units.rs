//! Units and statistics as tools spell them in keys and headers.

use crate::report::Quantile;

/// How many of a unit of time make a second; `None` for a unit that is not known. A figure is
/// divided by it: 120 ÷ 1000 is 0.12, while 120 × 0.001 is not quite.
pub(super) fn per_second(unit: &str) -> Option<f64> {
    Some(
        match unit
            .trim()
            .trim_matches(['(', ')', '[', ']', '（', '）'])
            .to_lowercase()
            .as_str()
        {
            "s" | "sec" | "secs" | "second" | "seconds" | "秒" => 1.0,
            "ms" | "msec" | "millisecond" | "milliseconds" | "毫秒" => 1e3,
            "us" | "µs" | "μs" | "microsecond" | "microseconds" | "微秒" => 1e6,
            "ns" | "nanosecond" | "nanoseconds" | "纳秒" => 1e9,
            "min" | "minute" | "minutes" | "分钟" => 1.0 / 60.0,
            _ => return None,
        },
    )
}

/// A statistic by any of its spellings: `p99`, `99%`, `P99.0`, `median`, `avg`.
pub(super) fn quantile(name: &str) -> Option<Quantile> {
    let name = name.trim().to_lowercase();
    let percent = name
        .trim_start_matches(['p', '_'])
        .trim_end_matches(['%', ' '])
        .trim_end_matches("th");
    match name.as_str() {
        "mean" | "avg" | "average" | "平均" | "平均值" => return Some(Quantile::Mean),
        "median" | "中位数" => return Some(Quantile::P50),
        "max" | "maximum" | "最大" | "最大值" => return Some(Quantile::Max),
        _ => {}
    }
    match percent.parse::<f64>().ok()? {
        50.0 => Some(Quantile::P50),
        90.0 => Some(Quantile::P90),
        95.0 => Some(Quantile::P95),
        99.0 => Some(Quantile::P99),
        100.0 => Some(Quantile::Max),
        _ => None,
    }
}

/// Splits `Time To First Token (ms)` or `Latency(s)` into the name and the unit in brackets.
pub(super) fn split_unit(header: &str) -> (&str, Option<&str>) {
    let header = header.trim();
    for (open, close) in [('(', ')'), ('[', ']'), ('（', '）')] {
        if let Some(at) = header.rfind(open)
            && let Some(inside) = header[at + open.len_utf8()..]
                .trim_end()
                .strip_suffix(close)
        {
            return (header[..at].trim_end(), Some(inside.trim()));
        }
    }
    (header, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_statistics_are_read_as_tools_spell_them() {
        assert_eq!(
            split_unit("Time To First Token (ms)"),
            ("Time To First Token", Some("ms"))
        );
        assert_eq!(split_unit("单价（元/小时）"), ("单价", Some("元/小时")));
        assert_eq!(split_unit("Name"), ("Name", None));
        assert_eq!(per_second("ms"), Some(1e3));
        assert_eq!(per_second("(ns)"), Some(1e9));
        assert_eq!(per_second("fortnights"), None);
        for (name, quantile_is) in [
            ("p99", Quantile::P99),
            ("99%", Quantile::P99),
            ("P99.0", Quantile::P99),
            ("Median", Quantile::P50),
            ("avg", Quantile::Mean),
            ("100%", Quantile::Max),
        ] {
            assert_eq!(quantile(name), Some(quantile_is), "{name}");
        }
        assert_eq!(quantile("p99.9"), None);
        assert_eq!(quantile("std"), None);
    }
}
