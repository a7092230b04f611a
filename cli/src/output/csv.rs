//! One row an option, for a spreadsheet.

use std::io;

use inferplan_core::{comparison::Comparison, text::Lang};

/// The rows, after a byte order mark: without one, spreadsheets take Chinese for another encoding.
///
/// # Errors
/// Only what the CSV writer itself reports.
pub fn of(comparison: &Comparison, lang: Lang) -> Result<String, io::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "offer",
        "provider",
        "name",
        "feasible",
        "monthly",
        "currency",
        "native_monthly",
        "native_currency",
        "replicas",
        "accelerators",
        "utilization",
        "per_1k_requests",
        "per_1m_output_tokens",
        "standing",
        "report",
        "price_effective_from",
        "price_source",
        "reasons",
        "warnings",
    ])?;
    fn text<T: ToString>(value: &Option<T>) -> String {
        value.as_ref().map(T::to_string).unwrap_or_default()
    }
    for option in &comparison.options {
        let codes = |notices: &[inferplan_core::text::Notice]| {
            let codes: Vec<_> = notices.iter().map(|notice| notice.code.as_str()).collect();
            codes.join(" ")
        };
        let standing = option.standing.map(|standing| match standing {
            inferplan_core::comparison::Standing::Measured => "measured",
            inferplan_core::comparison::Standing::Estimate => "estimate",
            inferplan_core::comparison::Standing::Priced => "priced",
        });
        writer.write_record([
            option.offer.clone(),
            option.provider.clone(),
            option.name.get(lang).to_owned(),
            option.feasible.to_string(),
            text(&option.monthly.map(|money| money.amount)),
            text(&option.monthly.map(|money| money.currency)),
            text(&option.native.map(|money| money.amount)),
            text(&option.native.map(|money| money.currency)),
            text(&option.replicas),
            text(&option.accelerators),
            text(&option.utilization),
            text(&option.per_1k_requests),
            text(&option.per_1m_output_tokens),
            text(&standing),
            text(&option.report),
            text(&option.price_effective_from),
            text(&option.price_source),
            codes(&option.reasons),
            codes(&option.warnings),
        ])?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    let rows = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(format!("\u{feff}{rows}"))
}
