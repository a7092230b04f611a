//! SQL that sums a table of requests where it lies, into a table of `section, key, value` that
//! [`super::summary`] reads: some 250 rows, whatever the requests.

use super::totals::{GRIDS_S, WINDOWS_S};

/// An engine's SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// DuckDB.
    DuckDb,
    /// ClickHouse.
    ClickHouse,
    /// Spark SQL, Databricks.
    Spark,
    /// BigQuery.
    BigQuery,
}

/// What to read.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The table, as the engine's SQL writes it.
    pub name: &'a str,
    /// Column of the time: a timestamp.
    pub time: &'a str,
    /// Column of the input tokens, if there is one.
    pub input: Option<&'a str>,
    /// Column of the output tokens, if there is one.
    pub output: Option<&'a str>,
}

/// Shares of the quantiles, in percent.
const PERCENT: [u32; 4] = [50, 90, 95, 99];

impl Dialect {
    fn quoted(self, column: &str) -> String {
        match self {
            Self::DuckDb => format!("\"{}\"", column.replace('"', "\"\"")),
            _ => format!("`{}`", column.replace('`', "\\`")),
        }
    }

    fn text(self, value: &str) -> String {
        let kind = match self {
            Self::DuckDb => "VARCHAR",
            Self::ClickHouse => "Nullable(String)",
            Self::Spark | Self::BigQuery => "STRING",
        };
        format!("CAST({value} AS {kind})")
    }

    fn whole(self, value: &str) -> String {
        let kind = match self {
            Self::ClickHouse => "Nullable(Int64)",
            Self::BigQuery => "INT64",
            Self::DuckDb | Self::Spark => "BIGINT",
        };
        format!("CAST({value} AS {kind})")
    }

    fn float(self, value: &str) -> String {
        let kind = match self {
            Self::ClickHouse => "Nullable(Float64)",
            Self::BigQuery => "FLOAT64",
            Self::DuckDb | Self::Spark => "DOUBLE",
        };
        format!("CAST({value} AS {kind})")
    }

    /// Whole division of what is not negative.
    fn div(self, a: &str, b: &str) -> String {
        match self {
            Self::DuckDb => format!("(({a}) // ({b}))"),
            Self::ClickHouse => format!("intDiv({a}, {b})"),
            Self::Spark => format!("(({a}) DIV ({b}))"),
            Self::BigQuery => format!("DIV({a}, {b})"),
        }
    }

    /// Nanoseconds since 1970 UTC; times without a zone are read as UTC.
    fn ns(self, time: &str) -> String {
        match self {
            Self::DuckDb => format!("epoch_ns({time})"),
            Self::ClickHouse => {
                format!("toUnixTimestamp64Nano(toDateTime64({time}, 9, 'UTC'))")
            }
            Self::Spark => format!("unix_micros(CAST({time} AS TIMESTAMP)) * 1000"),
            Self::BigQuery => format!("UNIX_MICROS(CAST({time} AS TIMESTAMP)) * 1000"),
        }
    }
}

/// The query. No column keeps its name under an aggregate: ClickHouse would take it for the sum. LAG
/// has no default: BigQuery wants a constant there.
#[must_use]
pub fn query(dialect: Dialect, table: &Table) -> String {
    let d = dialect;
    let name = table.name;
    let time = d.quoted(table.time);
    let length = |column: Option<&str>| {
        d.whole(&column.map_or_else(|| "NULL".to_owned(), |column| d.quoted(column)))
    };
    let lacks: Vec<String> = [(table.input, "tin"), (table.output, "tout")]
        .iter()
        .filter(|(column, _)| column.is_some())
        .map(|(_, alias)| format!("{alias} IS NULL"))
        .collect();
    let lacks = if lacks.is_empty() {
        "1 = 0".to_owned()
    } else {
        lacks.join(" OR ")
    };
    let one_of = |values: &[i64], alias: &str| {
        let each: Vec<String> = values
            .iter()
            .map(|value| format!("SELECT {} AS {alias}", d.whole(&value.to_string())))
            .collect();
        each.join(" UNION ALL ")
    };
    let ctes = [
        format!(
            "requests AS (\n  SELECT {} AS ns, {} AS tin, {} AS tout\n  FROM {name} WHERE {time} IS NOT NULL)",
            d.whole(&d.ns(&time)),
            length(table.input),
            length(table.output),
        ),
        "span AS (SELECT COUNT(*) AS n, MIN(ns) AS a, MAX(ns) AS z FROM requests)".to_owned(),
        // Gaps within hours, then those from hour to hour: no engine has to order the whole table.
        format!("hourly AS (SELECT {} AS h, COUNT(*) AS hn, MIN(ns) AS ha, MAX(ns) AS hz FROM requests GROUP BY 1)", d.div("ns", "3600000000000")),
        format!("inside AS (SELECT ns - LAG(ns) OVER (PARTITION BY {} ORDER BY ns) AS gap FROM requests)", d.div("ns", "3600000000000")),
        "between_hours AS (SELECT ha - LAG(hz) OVER (ORDER BY h) AS gap FROM hourly)".to_owned(),
        "weekly AS (SELECT MOD(h + 72, 168) AS wh, SUM(hn) AS wn FROM hourly GROUP BY 1)".to_owned(),
        "gaps AS (SELECT gap FROM inside UNION ALL SELECT gap FROM between_hours)".to_owned(),
        format!("seconds AS (\n  SELECT {} AS s, COUNT(*) AS c,\n    SUM(CASE WHEN MOD(ns - a, 1000000000) = 0 THEN 1 ELSE 0 END) AS on_second\n  FROM requests CROSS JOIN span GROUP BY 1)", d.div("ns - a", "1000000000")),
        format!("widths AS ({})", one_of(&WINDOWS_S, "w")),
        format!("grids AS ({})", one_of(&GRIDS_S, "g")),
        format!("windows AS (SELECT w, {} AS b, SUM(c) AS wc FROM seconds CROSS JOIN widths GROUP BY 1, 2)", d.div("s", "w")),
        format!("peaks AS (\n  SELECT w, MAX(wc) AS most, SUM(wc) AS total, SUM({float} * {float}) AS squares\n  FROM windows CROSS JOIN span WHERE b < {} GROUP BY w)", d.div("z - a", "w * 1000000000"), float = d.float("wc")),
        "silences AS (SELECT LAG(s) OVER (ORDER BY s) + 1 AS from_s, s - LAG(s) OVER (ORDER BY s) - 1 AS long_s FROM seconds)".to_owned(),
        "longest AS (SELECT MAX(long_s) AS most_s FROM silences)".to_owned(),
        ranks("in", "tin"),
        ranks("out", "tout"),
    ];
    let mut parts = Vec::new();
    let mut part = |section: &str, key: &str, value: &str, from: &str| {
        parts.push(format!(
            "SELECT {section} AS section, {key} AS key, {} AS value FROM {from}",
            d.text(value)
        ));
    };
    part("'total'", "'requests'", "n", "span");
    part("'total'", "'first_ns'", "a", "span");
    part("'total'", "'last_ns'", "z", "span");
    let gap = d.float("gap");
    part(
        "'total'",
        "'gap_squares'",
        &format!("SUM({gap} / 1e9 * ({gap} / 1e9))"),
        "gaps",
    );
    part(
        "'total'",
        "'skipped'",
        "COUNT(*)",
        &format!("{name} WHERE {time} IS NULL"),
    );
    part(
        "'total'",
        "'without_length'",
        "COUNT(*)",
        &format!("requests WHERE {lacks}"),
    );
    part(
        "'grid'",
        &d.text("g"),
        "SUM(on_second)",
        "seconds CROSS JOIN grids WHERE MOD(s, g) = 0 GROUP BY g",
    );
    for (key, value) in [("most", "most"), ("sum", "total"), ("squares", "squares")] {
        part(&format!("'window_{key}'"), &d.text("w"), value, "peaks");
    }
    part("'hour'", &d.text("wh"), "wn", "weekly");
    // Of equals the first.
    part(
        "'silence'",
        "'from_s'",
        "MIN(from_s)",
        "silences CROSS JOIN longest WHERE long_s = most_s AND most_s > 0",
    );
    part(
        "'silence'",
        "'seconds'",
        "most_s",
        "longest WHERE most_s > 0",
    );
    for (section, suffix, column) in [("'input'", "in", "tin"), ("'output'", "out", "tout")] {
        part(
            section,
            "'mean'",
            &format!("AVG({column})"),
            &format!("requests WHERE {column} IS NOT NULL"),
        );
        part(
            section,
            "'max'",
            &format!("MAX({column})"),
            &format!("requests WHERE {column} IS NOT NULL"),
        );
        for percent in PERCENT {
            part(
                section,
                &format!("'p{percent}'"),
                "MIN(t)",
                &format!("ranks_{suffix} WHERE upto * 100 >= {percent} * known"),
            );
        }
    }
    format!(
        "-- Sums of the requests for `inferplan demand --summary`: save the result as CSV with its header.\nWITH\n{}\n{}\n;\n",
        ctes.join(",\n"),
        parts.join("\nUNION ALL\n"),
    )
}

/// How many requests have at most each length.
fn ranks(suffix: &str, column: &str) -> String {
    format!(
        "counts_{suffix} AS (SELECT {column} AS t, COUNT(*) AS tc FROM requests WHERE {column} IS NOT NULL GROUP BY {column}),\nranks_{suffix} AS (SELECT t, SUM(tc) OVER (ORDER BY t) AS upto, SUM(tc) OVER () AS known FROM counts_{suffix})"
    )
}
