//! One option's figures as texts, shared by the table and Markdown.

use inferplan_core::{
    comparison::{Choice, Standing},
    number,
    text::Lang,
};

use super::words;

pub struct Row {
    pub option: String,
    pub month: String,
    pub accelerators: String,
    pub utilization: String,
    pub per_million: String,
    pub basis: String,
}

impl Row {
    /// The figures of a feasible option; a dash where there is none.
    pub fn of(option: &Choice, lang: Lang, several_reports: bool) -> Self {
        let dash = || "–".to_owned();
        let words = words::of(lang);
        let name = option.name.get(lang).to_owned();
        Self {
            option: match &option.report {
                Some(report) if several_reports => format!("{name} [{report}]"),
                _ => name,
            },
            month: option
                .monthly
                .map_or_else(dash, |money| money.display(lang)),
            accelerators: option
                .accelerators
                .map_or_else(dash, |count| number::grouped(&count.to_string())),
            utilization: option
                .utilization
                .map_or_else(dash, |share| format!("{:.0}%", share * 100.0)),
            per_million: match (option.per_1m_output_tokens, option.monthly) {
                (Some(cost), Some(money)) => money
                    .currency
                    .label(&number::grouped(&cost.to_string()), lang),
                _ => dash(),
            },
            basis: match option.standing {
                Some(Standing::Measured) => words.measured,
                Some(Standing::Estimate) => words.estimate,
                Some(Standing::Priced) if option.serves_another_model() => words.other_model,
                Some(Standing::Priced) => words.priced,
                None => "–",
            }
            .to_owned(),
        }
    }
}
