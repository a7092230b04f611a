//! The files of `--csv`.

use super::{Counted, Row, Table, is_http, note_events, note_kinds};
use crate::{
    problem::Problem,
    report::{Point, Quantile},
    text::Notice,
};

/// The row that sums up all the others.
const ALL_REQUESTS: &str = "Aggregated";
/// Users and requests in flight agree within this: a run's start and end are not full.
const NO_PAUSES_WITHIN: f64 = 0.25;

const STATISTICS: [(Quantile, &str); 6] = [
    (Quantile::Mean, "Average Response Time"),
    (Quantile::P50, "50%"),
    (Quantile::P90, "90%"),
    (Quantile::P95, "95%"),
    (Quantile::P99, "99%"),
    (Quantile::Max, "Max Response Time"),
];

/// The statistics, and from the history beside them the users.
pub(super) fn read(
    statistics: &Table,
    history: Option<&Table>,
    notices: &mut Vec<Notice>,
) -> Result<Point, Problem> {
    let row = requests_of(statistics, notices)?;
    let all = row.needed("Request Count")?;
    let rate = row.needed("Requests/s")?;
    let counted = Counted {
        all,
        failed: row.needed("Failure Count")?,
        // The rate is of all requests, failed ones too.
        duration_s: if rate > 0.0 { all / rate } else { 0.0 },
    };
    let mut point = counted.point()?;
    for (quantile, header) in STATISTICS {
        let ms = row.figure(header)?.filter(|_| all > 0.0);
        point.latency_s.set(quantile, ms.map(|ms| ms / 1000.0));
    }
    if let Some(history) = history {
        let history = History::of(history)?;
        let total = aggregated(statistics)?.needed("Request Count")?;
        history.must_be_of(total)?;
        let exact = (counted.duration_s, counted.duration_s);
        let mean_s = point.latency_s.mean;
        point.concurrency = history.concurrency(counted.all, exact, mean_s, notices);
    }
    Ok(point)
}

/// The history alone: totals, and no percentiles.
pub(super) fn read_history(table: &Table, notices: &mut Vec<Notice>) -> Result<Point, Problem> {
    notices.push(Notice::new(
        "history-window-unknown",
        "The history file's percentiles are of a window or of the whole run, by version; they are not taken. The _stats.csv file has them.",
        "历史文件的分位数依版本可能是窗口值或全程值，未采用；_stats.csv 中有。",
    ));
    let history = History::of(table)?;
    let last = &history.last;
    let counted = Counted {
        all: history.all,
        failed: last.needed("Total Failure Count")?,
        duration_s: history.duration_s,
    };
    let mut point = counted.point()?;
    if history.all > 0.0 {
        let seconds = |ms: Option<f64>| ms.map(|ms| ms / 1000.0);
        point.latency_s.mean = seconds(last.figure("Total Average Response Time")?);
        point.latency_s.p50 = seconds(last.figure("Total Median Response Time")?);
        point.latency_s.max = seconds(last.figure("Total Max Response Time")?);
    }
    // Its whole seconds begin before the first request and may end after the last.
    let span = (history.duration_s - 2.0, history.duration_s);
    let mean_s = point.latency_s.mean;
    point.concurrency = history.concurrency(counted.all, span, mean_s, notices);
    Ok(point)
}

/// The row to plan from: that of all requests, unless it counts events that are none.
fn requests_of<'a>(table: &'a Table, notices: &mut Vec<Notice>) -> Result<Row<'a>, Problem> {
    let whole = aggregated(table)?;
    let each: Vec<Row> = table
        .rows
        .iter()
        .map(|row| Row(table, row))
        .filter(|row| row.text("Name") != ALL_REQUESTS)
        .collect();
    let label = |row: &Row| format!("{} {}", row.text("Type"), row.text("Name"));
    let (http, other): (Vec<Row>, Vec<Row>) =
        each.into_iter().partition(|row| is_http(row.text("Type")));
    if http.is_empty() || other.is_empty() {
        let kinds: Vec<String> = http.iter().chain(&other).map(label).collect();
        note_kinds(&kinds, notices);
        return Ok(whole);
    }
    let found: Vec<String> = other.iter().map(label).collect();
    let mut http = http.into_iter();
    match (http.next(), http.next()) {
        (Some(only), None) => {
            note_events(notices);
            Ok(only)
        }
        _ => Err(Problem::new(
            "the row `Aggregated` sums up requests and events that are none",
            "`Aggregated` 行混合了请求与非请求事件",
        )
        .at("Type")
        .found(found.join(", "))
        .remedy(
            "load one endpoint only, or fire no events of other types",
            "请只压测一个接口，或不要触发其他类型的事件",
        )),
    }
}

fn aggregated(table: &Table) -> Result<Row<'_>, Problem> {
    let mut rows = table.rows.iter().map(|row| Row(table, row));
    rows.rfind(|row| row.text("Name") == ALL_REQUESTS)
        .ok_or_else(|| {
            Problem::new("there is no row `Aggregated`", "没有 `Aggregated` 行")
                .at("Name")
                .remedy(
                    "give the whole file that --csv writes",
                    "请给出 --csv 写出的完整文件",
                )
        })
}

/// What a history says of the whole run.
struct History<'a> {
    last: Row<'a>,
    /// Requests, failed ones too.
    all: f64,
    duration_s: f64,
    /// Users at each second in which there were any.
    users: Vec<f64>,
}

impl<'a> History<'a> {
    fn of(table: &'a Table) -> Result<Self, Problem> {
        let last = aggregated(table)?;
        let mut first_s = f64::INFINITY;
        let mut users = Vec::new();
        for row in table.rows.iter().map(|row| Row(table, row)) {
            if row.text("Name") == ALL_REQUESTS {
                first_s = first_s.min(row.needed("Timestamp")?);
                users.extend(Some(row.needed("User Count")?).filter(|n| *n > 0.0));
            }
        }
        Ok(Self {
            all: last.needed("Total Request Count")?,
            duration_s: last.needed("Timestamp")? - first_s,
            users,
            last,
        })
    }

    /// A history is written to the end of its run.
    fn must_be_of(&self, all: f64) -> Result<(), Problem> {
        if self.all <= all && self.all >= all / 2.0 {
            return Ok(());
        }
        Err(Problem::new(
            format!(
                "the history is of another run than the statistics, which count {all} requests"
            ),
            format!("历史文件与统计文件不是同一次运行：后者为 {all} 个请求"),
        )
        .at("Total Request Count")
        .found(self.all)
        .remedy(
            "give the files of one run, which share the start of their names",
            "请给出同一次运行的文件（文件名前缀相同）",
        ))
    }

    /// The users, where they are the requests in flight: as many for most of the run, and so
    /// quick to ask again that rate × response time is their number. The run took between the two
    /// spans of time.
    fn concurrency(
        &self,
        all: f64,
        (shortest_s, longest_s): (f64, f64),
        mean_s: Option<f64>,
        notices: &mut Vec<Notice>,
    ) -> Option<f64> {
        let most = self.users.iter().copied().fold(0.0, f64::max);
        let at_most = self.users.iter().filter(|n| **n == most).count();
        if at_most * 2 < self.users.len() {
            notices.push(Notice::new(
                "users-varied",
                format!("The number of users changed through the run, up to {most}: the figures are of no single load."),
                format!("运行期间用户数不断变化，最多 {most}：数据不对应单一负载。"),
            ));
            return None;
        }
        let in_flight = all / longest_s * mean_s?;
        let at_best = all / shortest_s.max(f64::MIN_POSITIVE) * mean_s?;
        if in_flight <= (1.0 + NO_PAUSES_WITHIN) * most
            && at_best >= (1.0 - NO_PAUSES_WITHIN) * most
        {
            return Some(most).filter(|users| *users > 0.0);
        }
        notices.push(Notice::new(
            "users-pause",
            format!("{most} users kept {in_flight:.2} requests in flight, as they pause between requests: their number is not the concurrency."),
            format!("{most} 个用户平均只有 {in_flight:.2} 个请求在途（请求之间有停顿）：用户数不是并发数。"),
        ));
        None
    }
}
