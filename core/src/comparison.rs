//! The answer, `inferplan.comparison/1`: every option with its cost, its reasons, its lines.

use serde::{Deserialize, Serialize};

use crate::{
    Date, Decimal, day,
    document::{Document, SchemaTag},
    money::{Currency, Money, decimal_number, optional_decimal},
    number,
    plan::bill::Line,
    price::{Confidence, ExchangeRate, Origin},
    report::Slo,
    text::{Bilingual, Lang, Notice},
};

/// A comparison: feasible options cheapest first, then the others with their reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// `inferplan.comparison/1`.
    pub schema: SchemaTag,
    /// The day whose prices counted.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub as_of: Date,
    /// Hours in the billed month.
    #[serde(with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub hours_per_month: Decimal,
    /// Requests a day.
    #[serde(with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub requests_per_day: Decimal,
    /// Requests in the month.
    #[serde(with = "decimal_number")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub requests_per_month: Decimal,
    /// Input tokens a request; null for each report's own.
    pub input_tokens: Option<u64>,
    /// Output tokens a request; null for each report's own.
    pub output_tokens: Option<u64>,
    /// The latency targets, seconds.
    pub slo_s: Slo,
    /// The currency of every `monthly`.
    pub currency: Currency,
    /// The exchange rates that were used.
    pub exchange_rates: Vec<ExchangeRate>,
    /// The price tables that were used.
    pub tables: Vec<TableUsed>,
    /// The options.
    pub options: Vec<Choice>,
    /// What holds for the whole comparison.
    pub warnings: Vec<Notice>,
}

impl Document for Comparison {
    const SCHEMA: &'static str = "inferplan.comparison/1";
}

/// Which state of a provider's table was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TableUsed {
    /// The provider.
    pub provider: String,
    /// The table's release day.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub released_on: Date,
    /// How the table came here.
    #[serde(default)]
    pub origin: Origin,
    /// The SHA-256 of its text, in hexadecimal; empty where it has none.
    #[serde(default)]
    pub sha256: String,
}

/// What a figure rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The report's own lengths, its targets judged by its own quantiles.
    Measured,
    /// Something scaled, assumed or stated in place of a measurement.
    Estimate,
    /// A hosted offer: a price, no capacity question.
    Priced,
}

/// One option: an offer, and for accelerators the report that says what they can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The offer's id.
    pub offer: String,
    /// The provider's id.
    pub provider: String,
    /// Provider and offer, for people.
    pub name: Bilingual,
    /// The day the price counts from: when it took effect, or else when it was seen.
    #[serde(with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub price_effective_from: Option<Date>,
    /// The day the price was seen.
    #[serde(with = "day::optional")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub price_observed_on: Option<Date>,
    /// Where the price was seen.
    pub price_source: Option<String>,
    /// How surely the price is known.
    pub price_confidence: Option<Confidence>,
    /// What the figures rest on; null where there are none.
    pub standing: Option<Standing>,
    /// The id of the report that the capacity rests on.
    pub report: Option<String>,
    /// Whether it can be had and meets the targets.
    pub feasible: bool,
    /// Why not.
    pub reasons: Vec<Notice>,
    /// Replicas that carry the load.
    pub replicas: Option<u64>,
    /// Accelerators bought.
    pub accelerators: Option<u64>,
    /// The accelerator.
    pub accelerator: Option<String>,
    /// Months that the buyer is bound to, paid whether used or not; 0 for none.
    #[serde(default)]
    pub commitment_months: u32,
    /// Each replica's rate over the largest it was measured at.
    pub utilization: Option<f64>,
    /// The same in the busiest hour.
    #[serde(default)]
    pub peak_utilization: Option<f64>,
    /// The largest rate one replica may take, requests per second.
    pub max_rate_per_replica: Option<f64>,
    /// What holds it there: a target's key, or `utilization_ceiling`.
    pub bound_by: Option<String>,
    /// The month in the comparison's currency.
    pub monthly: Option<Money>,
    /// The month in the offer's own currency: the sum of the lines.
    pub native: Option<Money>,
    /// A thousand requests in the comparison's currency, a decimal string; null without requests.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub per_1k_requests: Option<Decimal>,
    /// A million output tokens likewise.
    #[serde(with = "optional_decimal")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub per_1m_output_tokens: Option<Decimal>,
    /// The bill.
    pub lines: Vec<Line>,
    /// What to know about it.
    pub warnings: Vec<Notice>,
}

/// A piece of the answer's sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The words.
    pub text: String,
    /// Whether they are what the reader came for.
    pub strong: bool,
}

impl Choice {
    /// Whether it is a hosted model other than the one that was measured.
    #[must_use]
    pub fn serves_another_model(&self) -> bool {
        self.warnings
            .iter()
            .any(|warning| warning.code == OTHER_MODEL)
    }
}

impl Choice {
    /// Whether there are latency targets that nothing here judges it by.
    #[must_use]
    pub fn is_unjudged(&self) -> bool {
        self.warnings
            .iter()
            .any(|warning| warning.code == TARGETS_NOT_JUDGED)
    }
}

/// Codes of warnings on a comparison itself, not on a report in it.
const OWN_WARNINGS: [&str; 8] = [
    "busiest-hour",
    "catalogue-not-compared",
    "no-offer",
    "no-requests",
    "planned-month",
    "volume-large",
    "steady-load",
    "closed-loop-latency",
];

/// Codes of reasons that an earlier day has and a later one may not.
const NO_PRICE: [&str; 4] = [
    "no-price-at-date",
    "no-price",
    "price-ended",
    "no-exchange-rate",
];

/// The code of the warning that a hosted service's latency is not measured.
pub(crate) const TARGETS_NOT_JUDGED: &str = "targets-not-judged";

/// The code of the warning that a price is for another model than the reports measured.
pub(crate) const OTHER_MODEL: &str = "other-model";

impl Comparison {
    /// The feasible options, cheapest first.
    pub fn feasible(&self) -> impl Iterator<Item = &Choice> {
        self.options.iter().filter(|option| option.feasible)
    }

    /// The feasible options that serve the measured model, or that nothing was measured for.
    pub fn of_the_model(&self) -> impl Iterator<Item = &Choice> {
        self.feasible()
            .filter(|option| !option.serves_another_model())
    }

    /// The feasible hosted services of other models than the one that was measured.
    pub fn of_other_models(&self) -> impl Iterator<Item = &Choice> {
        self.feasible()
            .filter(|option| option.serves_another_model())
    }

    /// The warnings on the comparison itself.
    pub fn own_warnings(&self) -> impl Iterator<Item = &Notice> {
        let own = |notice: &&Notice| OWN_WARNINGS.contains(&notice.code.as_str());
        self.warnings.iter().filter(own)
    }

    /// The warnings on what the reports measured; `inferplan lint` explains them.
    pub fn report_warnings(&self) -> impl Iterator<Item = &Notice> {
        let own = |notice: &&Notice| !OWN_WARNINGS.contains(&notice.code.as_str());
        self.warnings.iter().filter(own)
    }

    /// The option to name first: the cheapest that serves the measured model and whose latency was
    /// judged by the targets, or else the cheapest that serves it, or else the cheapest.
    #[must_use]
    pub fn best(&self) -> Option<&Choice> {
        let judged = self.of_the_model().find(|option| !option.is_unjudged());
        judged
            .or_else(|| self.of_the_model().next())
            .or_else(|| self.feasible().next())
    }

    /// The answer, in a sentence or two.
    #[must_use]
    pub fn answer(&self, lang: Lang) -> Vec<Phrase> {
        let Some((best, cost)) = self
            .best()
            .and_then(|option| Some((option, option.monthly?)))
        else {
            return self.no_answer(lang);
        };
        let volume = self.volume(lang);
        let cost = cost.display(lang);
        let mut sentence = match lang {
            Lang::En => Sentence::default().say(&format!("At {volume} requests a day, ")),
            Lang::Zh => Sentence::default().say(&format!("每天 {volume}次请求，")),
        };
        if best.serves_another_model() {
            sentence = self.none_of_the_measured_model(sentence, lang);
        }
        sentence = match lang {
            Lang::En => sentence
                .stress(&best.name.en)
                .say(" is cheapest: ")
                .stress(&cost)
                .say(" a month"),
            Lang::Zh => sentence
                .stress(&best.name.zh)
                .say(if best.name.zh.ends_with('）') {
                    "最省：每月 "
                } else {
                    " 最省：每月 "
                })
                .stress(&cost),
        };
        if let Some(count) = best.accelerators {
            let cards = number::grouped(&count.to_string());
            sentence = match lang {
                Lang::En if count == 1 => sentence.say(" on 1 accelerator"),
                Lang::En => sentence.say(&format!(" on {cards} accelerators")),
                Lang::Zh => sentence.say(&format!("，{cards} 张卡")),
            };
        }
        sentence = sentence.say(match lang {
            Lang::En => ".",
            Lang::Zh => "。",
        });
        // What is cheaper than the answer, and why it is not the answer, tells more than what is next.
        let cheaper = self
            .of_the_model()
            .find(|option| option.is_unjudged() && !best.is_unjudged() && *option != best)
            .filter(|option| option.monthly.map(|m| m.amount) < best.monthly.map(|m| m.amount));
        let next = cheaper.or_else(|| self.feasible().find(|option| *option != best));
        if let Some((next, cost)) = next.and_then(|option| Some((option, option.monthly?))) {
            let cost = cost.display(lang);
            let (en, zh) = (&next.name.en, &next.name.zh);
            let another = next.serves_another_model() && !best.serves_another_model();
            sentence = sentence.say(&match (lang, another, cheaper.is_some()) {
                (Lang::En, _, true) => {
                    format!(" {en} would be {cost}; its latency was not measured here.")
                }
                (Lang::Zh, _, true) => format!("{zh} 为 {cost}，但其延迟未在此测量。"),
                (Lang::En, false, _) => format!(" Next is {en} at {cost}."),
                (Lang::En, true, _) => {
                    format!(" {en} would be {cost}, with another model than was measured.")
                }
                (Lang::Zh, false, _) => format!("其次是 {zh}，{cost}。"),
                (Lang::Zh, true, _) => format!("{zh} 为 {cost}，但并非实测的模型。"),
            });
        }
        sentence.0
    }

    /// Says that what was measured is out, and the first reason, before another model is named.
    fn none_of_the_measured_model(&self, sentence: Sentence, lang: Lang) -> Sentence {
        let measured = self.options.iter().filter(|option| option.report.is_some());
        let reason = measured.flat_map(|option| &option.reasons).next();
        let reason = match (reason, lang) {
            (Some(reason), _) => reason.get(lang).to_owned(),
            (None, Lang::En) => "No price here is of what it was measured on.".to_owned(),
            (None, Lang::Zh) => "价格表中没有其测试所用的加速卡。".to_owned(),
        };
        match lang {
            Lang::En => sentence
                .stress("no option for the measured model is feasible")
                .say(&format!(". {reason} Of other models, ")),
            Lang::Zh => sentence
                .stress("实测的模型没有可行的方案")
                .say(&format!("。{reason}其他模型中，")),
        }
    }

    fn no_answer(&self, lang: Lang) -> Vec<Phrase> {
        // Of those that the load could be put on, none has a price yet.
        let has = |option: &Choice, codes: &[&str]| {
            let mut reasons = option.reasons.iter();
            reasons.any(|reason| codes.contains(&reason.code.as_str()))
        };
        let mut could = self.options.iter().filter(|o| o.standing.is_some());
        let dated = could.all(|option| has(option, &NO_PRICE))
            && self.options.iter().any(|o| has(o, &["no-price-at-date"]));
        if dated {
            let as_of = self.as_of;
            let (what, remedy) = match lang {
                Lang::En => (
                    format!("No price is known for {as_of}"),
                    ": ask for a later day.",
                ),
                Lang::Zh => (format!("没有 {as_of} 的价格"), "：请给出更晚的日期。"),
            };
            return Sentence::default().say(&what).say(remedy).0;
        }
        let (what, remedy) = match lang {
            Lang::En => (
                "No option is feasible",
                ": give a benchmark report of an accelerator that is priced here, or relax a target.",
            ),
            Lang::Zh => (
                "没有可行的方案",
                "：请提供一份此处有报价的加速卡的测试报告，或放宽目标。",
            ),
        };
        Sentence::default().say(what).say(remedy).0
    }

    /// The daily volume for people: `1,000,000`, in Chinese `1,000,000（100 万）`.
    fn volume(&self, lang: Lang) -> String {
        let plain = number::plain(self.requests_per_day);
        match (lang, number::chinese_units(self.requests_per_day)) {
            (Lang::Zh, Some(reading)) => format!("{plain}（{reading}）"),
            (Lang::Zh, None) => plain + " ",
            (Lang::En, _) => plain,
        }
    }
}

#[derive(Default)]
struct Sentence(Vec<Phrase>);

impl Sentence {
    fn say(self, text: &str) -> Self {
        self.add(text, false)
    }

    fn stress(self, text: &str) -> Self {
        self.add(text, true)
    }

    fn add(mut self, text: &str, strong: bool) -> Self {
        self.0.push(Phrase {
            text: text.to_owned(),
            strong,
        });
        self
    }
}
