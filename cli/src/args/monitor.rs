//! Flags of `inferplan demand --prometheus`.

use clap::Args as ClapArgs;
use inferplan_core::demand::{
    counters::{ENGINES, Engine},
    stamp::{self, Stamp},
};

/// What to ask a Prometheus for.
#[derive(ClapArgs)]
pub struct Monitor {
    /// Begin here: 2026-03-01, or 2026-03-01T08:00:00+08:00 [default: a week before the end]
    #[arg(long, value_name = "TIME", requires = "prometheus", value_parser = time)]
    pub from: Option<i64>,
    /// End here [default: now]
    #[arg(long, value_name = "TIME", requires = "prometheus", value_parser = time)]
    pub to: Option<i64>,
    /// Seconds of a step; twice the scrape interval or more
    #[arg(long, value_name = "S", requires = "prometheus", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub step: u32,
    /// Only series with these labels, such as '{job="vllm"}'
    #[arg(long, value_name = "LABELS", requires = "prometheus", value_parser = selector)]
    pub selector: Option<String>,
    /// Whose counters to read; whichever are there unless given
    #[arg(long, value_name = "NAME", requires = "prometheus", value_parser = engine)]
    pub engine: Option<Engine>,
}

/// Seconds since 1970 UTC.
fn time(text: &str) -> Result<i64, String> {
    let day = text.len() == "2026-03-01".len();
    let whole = if day {
        format!("{text}T00:00:00Z")
    } else {
        text.to_owned()
    };
    match stamp::parse(whole.as_bytes()) {
        Some(Stamp::Instant(ns)) => Ok(ns.div_euclid(stamp::SECOND)),
        _ => Err(format!(
            "`{text}` is not a day or a time with its zone, such as 2026-03-01T08:00:00Z"
        )),
    }
}

fn selector(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.starts_with('{') && text.ends_with('}') {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "`{text}` is not in braces, such as {{job=\"vllm\"}}"
        ))
    }
}

fn engine(text: &str) -> Result<Engine, String> {
    let found = ENGINES.iter().find(|engine| engine.name == text);
    let names = || ENGINES.map(|engine| engine.name).join(", ");
    found
        .copied()
        .ok_or_else(|| format!("`{text}` is none of {}", names()))
}

/// The address of a Prometheus, or of what answers as one.
pub fn address(text: &str) -> Result<reqwest::Url, String> {
    let url = reqwest::Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https") && url.has_host() && !url.cannot_be_a_base()
    });
    url.ok_or_else(|| format!("`{text}` is not an address such as http://prometheus:9090"))
}
