//! Every text of the page: one struct, one constant a language in a file of its own, so that a
//! missing text does not compile.

mod en;
mod zh;

use inferplan_core::text::Lang;

/// The texts of one language.
#[derive(PartialEq)]
pub struct Texts {
    pub title: &'static str,
    pub language: &'static str,
    pub currency: &'static str,
    pub theme: &'static str,
    pub theme_system: &'static str,
    pub theme_light: &'static str,
    pub theme_dark: &'static str,
    pub load: &'static str,
    pub requests_per_day: &'static str,
    pub requests_per_s: &'static str,
    pub input_tokens: &'static str,
    pub output_tokens: &'static str,
    pub targets: &'static str,
    pub target_help: &'static str,
    pub ttft_p99: &'static str,
    pub itl_p50: &'static str,
    pub month_and_prices: &'static str,
    pub hours_per_month: &'static str,
    pub prices_as_of: &'static str,
    pub evidence: &'static str,
    pub example: &'static str,
    pub load_example: &'static str,
    pub no_reports: &'static str,
    pub drop_or_choose: &'static str,
    pub paste: &'static str,
    pub paste_label: &'static str,
    pub import: &'static str,
    pub remove: &'static str,
    pub points: &'static str,
    pub stated: &'static str,
    pub needs_accelerator: &'static str,
    pub accelerator: &'static str,
    pub accelerators: &'static str,
    pub use_it: &'static str,
    pub importing: &'static str,
    pub cancel: &'static str,
    pub dismiss: &'static str,
    pub options: &'static str,
    pub option: &'static str,
    pub month: &'static str,
    pub cards: &'static str,
    pub utilization: &'static str,
    pub per_million: &'static str,
    pub per_thousand: &'static str,
    pub basis: &'static str,
    pub measured: &'static str,
    pub measured_help: &'static str,
    pub estimate: &'static str,
    pub estimate_help: &'static str,
    pub priced: &'static str,
    pub priced_help: &'static str,
    pub details: &'static str,
    pub bill: &'static str,
    pub price_from: &'static str,
    pub article: &'static str,
    pub exact_rate: &'static str,
    pub bound_by: &'static str,
    pub bound_by_ceiling: &'static str,
    pub out: &'static str,
    pub cost_by_option: &'static str,
    pub cost_by_volume: &'static str,
    pub volume_axis: &'static str,
    pub numbers: &'static str,
    pub notes: &'static str,
    pub nothing_feasible: &'static str,
    pub not_a_number: &'static str,
    pub footer: &'static str,
    pub drop_here: &'static str,
    pub you_are_here: &'static str,
}

/// The texts in `lang`.
pub fn of(lang: Lang) -> &'static Texts {
    match lang {
        Lang::En => &en::TEXTS,
        Lang::Zh => &zh::TEXTS,
    }
}
