//! What makes a measurement unfit to plan on.
//!
//! Lints read the canonical report, so they hold for every tool. Each has a stable code, a
//! severity, a sentence why, and what to do.

mod completeness;
mod consistency;
mod load;
mod plausibility;
mod samples;

pub(crate) use load::keeps_up;

use serde::{Deserialize, Serialize};

use crate::{
    Date,
    report::{Report, difference},
    text::{Bilingual, Lang, Notice},
};

/// How much a lint weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The figures must not be planned on.
    Error,
    /// They may be, with care.
    Warning,
    /// Good to know.
    Info,
}

impl Severity {
    /// Its word for people.
    #[must_use]
    pub fn word(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Error, Lang::En) => "error",
            (Self::Error, Lang::Zh) => "错误",
            (Self::Warning, Lang::En) => "warning",
            (Self::Warning, Lang::Zh) => "警告",
            (Self::Info, Lang::En) => "info",
            (Self::Info, Lang::Zh) => "提示",
        }
    }
}

/// One finding about a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// The report's id.
    pub report: String,
    /// How much it weighs.
    pub severity: Severity,
    /// Stable, in kebab case.
    pub code: String,
    /// Why, a sentence.
    pub why: Bilingual,
    /// What to do, a sentence; empty where the importer has said all there is.
    pub remedy: Bilingual,
}

impl Lint {
    /// As a warning of a comparison.
    #[must_use]
    pub fn notice(&self) -> Notice {
        let (report, why) = (&self.report, &self.why);
        Notice::new(
            &self.code,
            format!("{report}: {}", why.en),
            format!("{report}：{}", why.zh),
        )
    }
}

/// What a rule finds: severity, code, why and remedy in both languages.
struct Finding {
    severity: Severity,
    code: &'static str,
    why: Bilingual,
    remedy: Bilingual,
}

/// Makes a finding from its two sentences.
fn finding(
    severity: Severity,
    code: &'static str,
    why: (impl Into<String>, impl Into<String>),
    remedy: (&str, &str),
) -> Finding {
    Finding {
        severity,
        code,
        why: Bilingual::new(why.0, why.1),
        remedy: Bilingual::new(remedy.0, remedy.1),
    }
}

type Rule = fn(&Report) -> Option<Finding>;

const RULES: &[Rule] = &[
    completeness::accelerator,
    completeness::warmup,
    completeness::versions,
    completeness::precision,
    completeness::network,
    completeness::lengths,
    load::arrivals,
    load::burst_run,
    load::single_point,
    load::below_offered,
    load::past_the_knee,
    samples::failed,
    samples::too_few,
    samples::short_run,
    samples::start_burst,
    consistency::littles_law,
    consistency::latency_parts,
    consistency::tokens,
    consistency::chunked_tokens,
    consistency::doubled_tokens,
    consistency::order,
    consistency::means,
    consistency::repeats,
    plausibility::bandwidth,
    plausibility::memory,
    plausibility::cached_prompts,
];

/// Warnings of importers that forbid planning on the figures.
const FORBIDDING: [&str; 1] = ["mlperf-invalid"];

/// Errors that make every figure of a report unfit, not only some of its points.
const UNFIT: [&str; 4] = [
    "mlperf-invalid",
    "implausible-throughput",
    "quantiles-out-of-order",
    "quantiles-impossible",
];

impl Lint {
    /// Whether nothing of the report should be planned on.
    #[must_use]
    pub fn makes_unfit(&self) -> bool {
        self.severity == Severity::Error && UNFIT.contains(&self.code.as_str())
    }
}

/// Everything found in one report, weightiest first.
#[must_use]
pub fn lint(report: &Report, today: Date) -> Vec<Lint> {
    let own = report.warnings.iter().map(|notice| Lint {
        report: report.id.clone(),
        severity: match FORBIDDING.contains(&notice.code.as_str()) {
            true => Severity::Error,
            false => Severity::Warning,
        },
        code: notice.code.clone(),
        why: Bilingual::new(&notice.en, &notice.zh),
        remedy: Bilingual::same(""),
    });
    let found = RULES.iter().filter_map(|rule| rule(report));
    let found = found.chain(completeness::old(report, today));
    let found = found.map(|finding| Lint {
        report: report.id.clone(),
        severity: finding.severity,
        code: finding.code.to_owned(),
        why: finding.why,
        remedy: finding.remedy,
    });
    let mut lints: Vec<Lint> = own.chain(found).collect();
    lints.sort_by_key(|lint| lint.severity);
    lints
}

/// What keeps reports from being compared with each other: unlike lengths, arrivals or models.
#[must_use]
pub fn lint_together(reports: &[Report]) -> Vec<Lint> {
    let Some((first, others)) = reports.split_first() else {
        return Vec::new();
    };
    let unlike = |other: &Report| {
        let (field, one, two) = difference(&alike(first), &alike(other))?;
        Some(Lint {
            report: other.id.clone(),
            severity: Severity::Warning,
            code: "unlike-reports".to_owned(),
            why: Bilingual::new(
                format!(
                    "It differs from {} in {field} ({two}, not {one}): the two compare more than their systems.",
                    first.id
                ),
                format!(
                    "与 {} 的 {field} 不同（{two}，而非 {one}）：两者比较的不只是系统。",
                    first.id
                ),
            ),
            remedy: Bilingual::new(
                "Measure both with the same lengths, arrivals and model.",
                "请以相同的长度、到达方式与模型测量两者。",
            ),
        })
    };
    others.iter().filter_map(unlike).collect()
}

/// A report without what two systems may differ in when they are compared.
fn alike(report: &Report) -> Report {
    let mut alike = report.clone();
    alike.tool = crate::report::Software::default();
    alike.system = crate::report::System::default();
    alike.model.precision = None;
    alike.model.revision = None;
    alike.network = crate::report::Network::default();
    alike.workload.dataset = None;
    alike.workload.warmup_requests = None;
    alike
}

#[cfg(test)]
mod tests;
