//! The page's one state, and everything that may happen to it.

mod prices;

use std::rc::Rc;

use inferplan_core::{
    Date, Decimal,
    accelerator::Accelerator,
    demand::Shape,
    import::Stated,
    money::Currency,
    problem::{Problem, Problems},
    report::{Metric, Quantile, Report, Slo, Target, merge},
    scenario::Scenario,
    text::Lang,
};
use yew::Reducible;

use crate::{browser, import};

pub use prices::{Offered, PriceAction, book};

/// The built-in example: a measured sweep, with its attribution inside.
const EXAMPLE: &str = include_str!("../../../examples/reports/qwen3-8b-h100.json");

/// The colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The two targets the page asks for.
pub const TARGETS: [(Metric, Quantile); 2] =
    [(Metric::Ttft, Quantile::P99), (Metric::Itl, Quantile::P50)];

/// A file that lacks what only the user knows, waiting for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The reports read from it, without their accelerator.
    pub reports: Vec<Report>,
    /// What was wrong with what the user stated.
    pub problem: Option<Problem>,
}

/// Everything the page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The language.
    pub lang: Lang,
    /// The colours.
    pub theme: Theme,
    /// The question, with its reports.
    pub scenario: Scenario,
    /// The day taken where the scenario names none.
    pub today: Date,
    /// Whether the only report is the built-in example, which the user's own replaces.
    pub example: bool,
    /// Whether the targets are the example's, which leave with it.
    pub example_targets: bool,
    /// Whether they just left.
    pub targets_cleared: bool,
    /// The share of the files being read that is.
    pub importing: Option<f64>,
    /// A file that waits for its accelerator.
    pub waiting: Option<Waiting>,
    /// What was wrong with the last file.
    pub problems: Vec<Problem>,
    /// Prices that were read and wait for the user's word.
    pub offered: Option<Offered>,
    /// Whether a file of prices is on its way.
    pub fetching: bool,
    /// What was wrong with a price.
    pub price_problem: Option<Problem>,
}

/// What may happen.
pub enum Action {
    Lang(Lang),
    Theme(Theme),
    Currency(Currency),
    RequestsPerDay(Decimal),
    InputTokens(u64),
    OutputTokens(u64),
    HoursPerMonth(Decimal),
    /// The busiest hour over the mean hour; `None` for a load whose shape is not known.
    PeakToMean(Option<f64>),
    /// What each month adds to the volume, as a share of it.
    Growth(Decimal),
    /// Months after that of the prices' day.
    MonthsAhead(u32),
    AsOf(Date),
    Target(Metric, Quantile, Option<f64>),
    /// Files are being read; the share that is.
    Importing(f64),
    /// Files were read.
    Imported(import::Outcome),
    /// The user said what a waiting file was measured on.
    State {
        accelerator: String,
        accelerators: String,
    },
    /// Stops reading, and leaves a waiting file.
    Dismiss,
    RemoveReport(String),
    Example,
    Prices(PriceAction),
}

impl State {
    /// The page as it opens: the example, steady at one request a second.
    pub fn new() -> Self {
        let mut state = Self {
            lang: browser::lang(),
            theme: browser::theme(),
            scenario: Scenario::new(Decimal::from(86_400)),
            today: browser::today(),
            example: false,
            example_targets: false,
            targets_cleared: false,
            importing: None,
            waiting: None,
            problems: Vec::new(),
            offered: None,
            fetching: false,
            price_problem: None,
        };
        state.load_example();
        for (target, seconds) in TARGETS.into_iter().zip([2.0, 0.05]) {
            state.set_target(target.0, target.1, Some(seconds));
        }
        state.example_targets = true;
        state
    }

    fn load_example(&mut self) {
        match Report::read(EXAMPLE, "example") {
            Ok(report) => {
                self.scenario.reports = vec![report];
                self.example = true;
                self.take_lengths();
            }
            Err(problems) => self.problems = problems.into_iter().collect(),
        }
    }

    /// Takes the first report's lengths as the question's.
    fn take_lengths(&mut self) {
        if let Some(report) = self.scenario.reports.first() {
            let whole = |tokens: Option<f64>| tokens.map(|tokens| tokens.round() as u64);
            let demand = &mut self.scenario.demand;
            demand.input_tokens = whole(report.workload.input_tokens).or(demand.input_tokens);
            demand.output_tokens = whole(report.workload.output_tokens).or(demand.output_tokens);
        }
    }

    fn imported(&mut self, outcome: import::Outcome) {
        self.waiting = None;
        self.importing = None;
        match outcome {
            Ok(imported) => {
                self.problems.clear();
                if let Some(prices) = imported.prices {
                    self.offer(prices, imported.notices);
                }
                let reports = imported.reports;
                if reports.iter().all(|report| report.accelerator().is_ok()) {
                    if !reports.is_empty() {
                        self.add(reports);
                    }
                } else {
                    self.waiting = Some(Waiting {
                        reports,
                        problem: None,
                    });
                }
            }
            Err(problems) => self.problems = problems.into_iter().collect(),
        }
    }

    /// Adds reports; the first of the user's own takes the example's place.
    fn add(&mut self, reports: Vec<Report>) {
        self.problems.clear();
        let own_first = self.example;
        if own_first {
            self.scenario.reports.clear();
            self.example = false;
            if self.example_targets {
                // Nobody asked for them, and the file may not even hold what they need.
                self.scenario.slo_s.0.clear();
                self.example_targets = false;
                self.targets_cleared = true;
            }
        }
        self.scenario.reports.extend(reports);
        self.scenario.reports = merge(std::mem::take(&mut self.scenario.reports));
        if own_first || self.scenario.reports.len() == 1 {
            self.take_lengths();
        }
    }

    fn state_accelerator(&mut self, accelerator: &str, accelerators: &str) {
        let Some(waiting) = &mut self.waiting else {
            return;
        };
        match stated(accelerator, accelerators).and_then(|stated| {
            let mut reports = waiting.reports.clone();
            for report in &mut reports {
                stated.state(report)?;
            }
            Ok(reports)
        }) {
            Ok(reports) => {
                self.waiting = None;
                self.add(merge(reports));
            }
            Err(problems) => waiting.problem = problems.into_iter().next(),
        }
    }

    fn set_target(&mut self, metric: Metric, quantile: Quantile, seconds: Option<f64>) {
        let targets = &mut self.scenario.slo_s.0;
        targets.retain(|target| (target.metric, target.quantile) != (metric, quantile));
        targets.extend(seconds.map(|at_most_s| Target {
            metric,
            quantile,
            at_most_s,
        }));
        // In the order of the fields, so that the same question is the same value.
        let place = |target: &Target| {
            TARGETS
                .iter()
                .position(|t| *t == (target.metric, target.quantile))
        };
        targets.sort_by_key(place);
    }

    /// The bound of a target, where it is set.
    pub fn target(&self, metric: Metric, quantile: Quantile) -> Option<f64> {
        let Slo(targets) = &self.scenario.slo_s;
        let is_it = |target: &&Target| (target.metric, target.quantile) == (metric, quantile);
        targets.iter().find(is_it).map(|target| target.at_most_s)
    }
}

fn stated(accelerator: &str, accelerators: &str) -> Result<Stated, Problems> {
    let accelerator: Accelerator = accelerator.parse()?;
    let count = accelerators
        .trim()
        .parse()
        .ok()
        .filter(|n| (1..=1024).contains(n));
    let accelerators = count.ok_or_else(|| {
        Problem::new(
            "the number of accelerators is not a whole number from 1 to 1024",
            "卡数应为 1 到 1024 的整数",
        )
        .found(accelerators)
    })?;
    Ok(Stated {
        accelerator: Some(accelerator),
        accelerators: Some(accelerators),
        ..Stated::default()
    })
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = (*self).clone();
        match action {
            Action::Lang(lang) => state.lang = lang,
            Action::Theme(theme) => state.theme = theme,
            Action::Currency(currency) => state.scenario.currency = currency,
            Action::RequestsPerDay(volume) => state.scenario.demand.requests_per_day = volume,
            Action::InputTokens(tokens) => state.scenario.demand.input_tokens = Some(tokens),
            Action::OutputTokens(tokens) => state.scenario.demand.output_tokens = Some(tokens),
            Action::HoursPerMonth(hours) => state.scenario.hours_per_month = hours,
            Action::PeakToMean(peak) => {
                state.scenario.demand.shape = peak.map(|peak_to_mean| Shape::Day {
                    peak_to_mean,
                    peak_hour: 15,
                    utc_offset_h: 0,
                });
            }
            Action::Growth(share) => state.scenario.demand.growth.per_month = share,
            Action::MonthsAhead(months) => state.scenario.demand.growth.months_ahead = months,
            Action::AsOf(day) => state.scenario.as_of = Some(day),
            Action::Target(metric, quantile, seconds) => {
                state.set_target(metric, quantile, seconds);
                state.example_targets = false;
                state.targets_cleared = false;
            }
            Action::Importing(share) => state.importing = Some(share),
            Action::Imported(outcome) => state.imported(outcome),
            Action::State {
                accelerator,
                accelerators,
            } => {
                state.state_accelerator(&accelerator, &accelerators);
            }
            Action::Dismiss => {
                import::cancel();
                state.importing = None;
                state.waiting = None;
                state.problems.clear();
            }
            Action::RemoveReport(id) => {
                state.scenario.reports.retain(|report| report.id != id);
                state.example = false;
            }
            Action::Prices(action) => state.prices(action),
            Action::Example => {
                state.problems.clear();
                state.load_example();
            }
        }
        Rc::new(state)
    }
}
