//! Locust: the statistics and the history of `--csv`, and `--json`. Milliseconds.
//!
//! Locust times whole HTTP responses, failed ones too, and sees no tokens. `Requests/s` includes
//! failures. Percentiles are rounded to two digits. The history's percentiles are of a window in
//! one version and of the whole run in another, so they are not taken. Its users are requests in
//! flight only where they never pause.

mod csv;
mod json;

use super::{Format, Options, common, content::Content, table::Table};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Report},
    text::Notice,
};

pub(super) struct Locust;

const STATISTICS: &str = "statistics";
const HISTORY: &str = "history";
const FAILURES: &str = "failures";
const EXCEPTIONS: &str = "exceptions";

/// What each file of `--csv` has for headers.
const FILES: [(&str, &[&str]); 4] = [
    (
        STATISTICS,
        &[
            "Type",
            "Name",
            "Request Count",
            "Failure Count",
            "Median Response Time",
            "Requests/s",
        ],
    ),
    (
        HISTORY,
        &[
            "Timestamp",
            "User Count",
            "Total Request Count",
            "Total Average Response Time",
        ],
    ),
    (FAILURES, &["Method", "Name", "Error", "Occurrences"]),
    (EXCEPTIONS, &["Count", "Message", "Traceback", "Nodes"]),
];

impl Format for Locust {
    fn name(&self) -> &'static str {
        "locust"
    }

    fn marks(&self) -> &'static str {
        "Type,Name,Request Count,Failure Count; or num_requests, response_times"
    }

    fn recognises(&self, content: &Content) -> bool {
        self.part(content).is_some() || json::entries(content).is_some()
    }

    fn part(&self, content: &Content) -> Option<&'static str> {
        let table = content.table()?;
        FILES
            .iter()
            .find(|(_, headers)| table.has(headers))
            .map(|(part, _)| *part)
    }

    /// `--csv a` writes `a_stats.csv` and its likes.
    fn run(&self, file: &str) -> String {
        const ENDINGS: [&str; 4] = [
            "_stats_history.csv",
            "_stats.csv",
            "_failures.csv",
            "_exceptions.csv",
        ];
        let run = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending));
        run.unwrap_or(file).to_owned()
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let part = |name: &str| match content.parts() {
            Some(parts) => parts.get(name).and_then(Content::table),
            None => content.table().filter(|_| self.part(content) == Some(name)),
        };
        let mut notices = vec![Notice::new(
            "tokens-not-seen",
            "Locust sees whole responses and no tokens: TTFT, TPOT and tokens a second are not known.",
            "Locust 只看到完整响应，看不到 token：TTFT、TPOT 与每秒 token 数未知。",
        )];
        let (statistics, history) = (part(STATISTICS), part(HISTORY));
        let point = if let Some(entries) = json::entries(content) {
            json::read(entries, &mut notices)?
        } else if let Some(statistics) = statistics {
            csv::read(&statistics, history.as_ref(), &mut notices)?
        } else if let Some(history) = history {
            csv::read_history(&history, &mut notices)?
        } else {
            return Err(nothing_measured().into());
        };
        note(&point, &mut notices);
        let mut report = common::report("locust", None);
        // Users wait for a response before they ask again.
        report.workload.arrivals = Some(Arrivals::Closed);
        report.points = vec![point];
        report.warnings = notices;
        Ok(vec![report])
    }
}

fn nothing_measured() -> Problem {
    Problem::new(
        "Locust's failures and exceptions files hold no measurement",
        "Locust 的 failures 和 exceptions 文件没有测量数据",
    )
    .remedy(
        "give the _stats.csv file beside it",
        "请给出同目录的 _stats.csv",
    )
}

/// What holds for every one of its files.
fn note(point: &Point, notices: &mut Vec<Notice>) {
    if point.latency_s.p99.is_some() || point.latency_s.p50.is_some() {
        notices.push(Notice::new(
            "rounded-percentiles",
            "Locust rounds percentiles to two digits: they may be 5% off, and above the maximum.",
            "Locust 将分位数取两位有效数字，误差可达 5%，也可能大于最大值。",
        ));
    }
    if let Some(failed) = point.failed.filter(|failed| *failed > 0) {
        notices.push(Notice::new(
            "failures-timed",
            format!("The response times are of the {failed} failed requests too: ones refused at once make them look shorter."),
            format!("响应时间包含 {failed} 个失败请求：立即被拒的请求会使其显得更短。"),
        ));
    }
}

/// Requests that a point counts, and the time they took in all.
struct Counted {
    all: f64,
    failed: f64,
    duration_s: f64,
}

impl Counted {
    /// Served requests alone make the rate.
    fn point(&self) -> Result<Point, Problem> {
        if self.failed > self.all {
            return Err(Problem::new(
                "more failures than requests: other events are counted among them",
                "失败数多于请求数：其中混入了其他事件",
            )
            .at("Failure Count")
            .found(self.failed)
            .remedy(
                format!("at most {}", self.all),
                format!("至多 {}", self.all),
            ));
        }
        let completed = self.all - self.failed;
        let timed = self.duration_s > 0.0;
        if !timed && completed > 0.0 {
            return Err(Problem::new(
                "the run's length is not known, or its first request is its last",
                "运行时长未知，或只有一个请求",
            )
            .at("Requests/s")
            .found(self.duration_s)
            .remedy("run longer", "请延长运行"));
        }
        Ok(Point {
            duration_s: timed.then_some(self.duration_s),
            completed: Some(completed as u64),
            failed: Some(self.failed as u64),
            requests_per_s: if timed {
                completed / self.duration_s
            } else {
                0.0
            },
            ..Point::default()
        })
    }
}

/// Whether a row's type is an HTTP method. Load tests of language models fire events of their own
/// (`METRIC time_to_first_token`), which Locust counts as requests and sums up with them.
fn is_http(kind: &str) -> bool {
    matches!(
        kind,
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS"
    )
}

/// Says that the figures are of several kinds of request together.
fn note_kinds(kinds: &[String], notices: &mut Vec<Notice>) {
    if kinds.len() > 1 {
        let names = kinds.join(", ");
        notices.push(Notice::new(
            "several-request-names",
            format!(
                "The figures are of {} kinds of request together: {names}.",
                kinds.len()
            ),
            format!("数据是 {} 种请求的合计：{names}。", kinds.len()),
        ));
    }
}

/// Says that events of other kinds than requests were left out.
fn note_events(notices: &mut Vec<Notice>) {
    notices.push(Notice::new(
        "events-left-out",
        "The file counts events that are no HTTP requests; they are left out.",
        "文件中混有非 HTTP 请求的事件，已排除。",
    ));
}

/// A row of a table by the header of each cell.
struct Row<'a>(&'a Table, &'a [String]);

impl<'a> Row<'a> {
    fn text(&self, header: &str) -> &'a str {
        let column = self.0.column(header);
        column
            .and_then(|column| self.1.get(column))
            .map(String::as_str)
            .unwrap_or_default()
    }

    /// A number, where the cell holds one; `N/A` and columns not reported are none.
    fn figure(&self, header: &str) -> Result<Option<f64>, Problem> {
        let cell = self.0.column(header);
        match cell.and_then(|column| self.0.number(self.1, column)) {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(text)) => Err(Problem::new("is not a number", "不是数字")
                .at(header)
                .found(text)
                .remedy("expected a finite number", "应为有限的数")),
        }
    }

    /// A number that nothing works without.
    fn needed(&self, header: &str) -> Result<f64, Problem> {
        self.figure(header)?.ok_or_else(|| {
            Problem::new("is missing", "缺失")
                .at(header)
                .remedy("a finite number is needed here", "此处需要有限的数")
        })
    }
}

#[cfg(test)]
mod tests;
