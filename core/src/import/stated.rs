//! What the user states because the tool's file does not say it.

use super::id_of;
use crate::{
    accelerator::Accelerator,
    problem::{Problem, Problems},
    report::{Report, Software},
};

/// Statements about a report. Each fills a field that is null, and is marked as stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stated {
    /// The accelerator.
    pub accelerator: Option<Accelerator>,
    /// Accelerators of one replica.
    pub accelerators: Option<u32>,
    /// The model.
    pub model: Option<String>,
    /// Mean input tokens a request.
    pub input_tokens: Option<f64>,
    /// Mean output tokens a request.
    pub output_tokens: Option<f64>,
    /// Requests in flight, of a single load: a batch's size.
    pub concurrency: Option<f64>,
    /// How long a single reading of counters counted, seconds.
    pub duration_s: Option<f64>,
    /// Requests sent before measuring began.
    pub warmup_requests: Option<u64>,
    /// The network round trip that the latencies contain, seconds.
    pub rtt_s: Option<f64>,
    /// Where the client stood.
    pub client_region: Option<String>,
    /// Where the server stood.
    pub server_region: Option<String>,
    /// The weights' precision.
    pub precision: Option<String>,
    /// The serving engine's name.
    pub engine: Option<String>,
    /// The serving engine's version.
    pub engine_version: Option<String>,
}

impl Stated {
    /// Puts the statements into a report that was imported without them, and names it anew.
    ///
    /// # Errors
    /// A statement that contradicts what the file says.
    pub fn state(&self, report: &mut Report) -> Result<(), Problems> {
        report.id.clear();
        self.apply(report)
    }

    /// Puts the statements into a report, and names it if it has no name.
    pub(super) fn apply(&self, report: &mut Report) -> Result<(), Problems> {
        let mut marks = Marks {
            stated: &mut report.stated,
            problems: Vec::new(),
        };
        let system = &mut report.system;
        marks.fill(
            "system.accelerator",
            &mut system.accelerator,
            &self.accelerator,
        );
        marks.fill(
            "system.accelerators",
            &mut system.accelerators,
            &self.accelerators,
        );
        marks.fill(
            "model.precision",
            &mut report.model.precision,
            &self.precision,
        );
        marks.fill("model.name", &mut report.model.name, &self.model);
        let workload = &mut report.workload;
        marks.fill(
            "workload.input_tokens",
            &mut workload.input_tokens,
            &self.input_tokens,
        );
        marks.fill(
            "workload.output_tokens",
            &mut workload.output_tokens,
            &self.output_tokens,
        );
        marks.fill(
            "workload.warmup_requests",
            &mut workload.warmup_requests,
            &self.warmup_requests,
        );
        if let [point] = report.points.as_mut_slice()
            && point.request_rate.is_none()
        {
            marks.fill(
                "points[0].concurrency",
                &mut point.concurrency,
                &self.concurrency,
            );
        }
        let network = &mut report.network;
        marks.fill("network.rtt_s", &mut network.rtt_s, &self.rtt_s);
        marks.fill(
            "network.client_region",
            &mut network.client_region,
            &self.client_region,
        );
        marks.fill(
            "network.server_region",
            &mut network.server_region,
            &self.server_region,
        );
        if self.engine.is_some() || self.engine_version.is_some() {
            let engine = system.engine.get_or_insert_with(Software::default);
            let mut name = (!engine.name.is_empty()).then(|| engine.name.clone());
            marks.fill("system.engine.name", &mut name, &self.engine);
            engine.name = name.unwrap_or_default();
            marks.fill(
                "system.engine.version",
                &mut engine.version,
                &self.engine_version,
            );
        }
        Problems::none_in(marks.problems)?;
        if report.id.is_empty() {
            report.id = id_of(report);
        }
        Ok(())
    }
}

/// A value as a report's JSON has it.
fn shown(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

struct Marks<'a> {
    stated: &'a mut Vec<String>,
    problems: Vec<Problem>,
}

impl Marks<'_> {
    fn fill<T: Clone + PartialEq + serde::Serialize>(
        &mut self,
        path: &str,
        field: &mut Option<T>,
        statement: &Option<T>,
    ) {
        match (&*field, statement) {
            (_, None) => {}
            (Some(measured), Some(stated)) if measured == stated => {}
            (Some(measured), Some(stated)) => self.problems.push(
                Problem::new(
                    "the file says something else than was stated",
                    "文件内容与所注明的不一致",
                )
                .at(path)
                .found(format!(
                    "{} in the file, {} stated",
                    shown(measured),
                    shown(stated)
                ))
                .remedy(
                    "drop the statement, or correct the file",
                    "请去掉该注明，或更正文件",
                ),
            ),
            (None, Some(stated)) => {
                *field = Some(stated.clone());
                self.stated.push(path.to_owned());
            }
        }
    }
}
