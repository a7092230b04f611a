//! The words of `inferplan demand`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use inferplan_core::demand::{sql::Dialect, stamp::Unit};

use super::{
    column,
    monitor::{self, Monitor},
};
use crate::trace::Zone;

#[derive(ClapArgs)]
pub struct Demand {
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub monitor: Monitor,
    /// Column of a trace or table: time=HEADER, input=HEADER, output=HEADER; usual names are found
    #[arg(long = "column", value_name = "FIELD=HEADER", num_args = 1.., action = clap::ArgAction::Append, value_parser = field_column)]
    pub columns: Vec<(String, String)>,
    /// Zone of times that name none, such as Asia/Shanghai or +08:00 [default: UTC]
    #[arg(long, value_name = "ZONE", value_parser = Zone::parse)]
    pub time_zone: Option<Zone>,
    /// Unit of times that are numbers; by their size unless given
    #[arg(long, value_name = "UNIT", value_enum)]
    pub time_unit: Option<UnitArg>,
    /// Table that the query reads, as its SQL names it (with --sql)
    #[arg(long, value_name = "NAME", requires = "sql")]
    pub table: Option<String>,
    /// Count and leave out rows that cannot be read, instead of stopping
    #[arg(long)]
    pub skip_bad_rows: bool,
    /// One JSON document (inferplan.demand/1)
    #[arg(long, conflicts_with = "shape")]
    pub json: bool,
    /// Only the `shape` object of a scenario
    #[arg(long)]
    pub shape: bool,
    /// Write the document here, or with --shape the shape
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Where the demand is read from.
#[derive(ClapArgs)]
#[group(required = true, multiple = false)]
pub struct Source {
    /// Requests, one a row, in order of time: CSV, JSON Lines or Parquet, gzipped or not; `-` reads standard input
    #[arg(value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Counters of vLLM, SGLang or TGI in this Prometheus, or in what answers as one
    #[arg(long, value_name = "URL", value_parser = monitor::address)]
    pub prometheus: Option<reqwest::Url>,
    /// Sums of a table, as the query that --sql prints gives them
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// Print a query that sums a table of requests where it lies, for --summary
    #[arg(long, value_name = "ENGINE", value_enum, requires = "table")]
    pub sql: Option<Engine>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum UnitArg {
    S,
    Ms,
    Us,
    Ns,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Engine {
    #[value(name = "duckdb")]
    DuckDb,
    #[value(name = "clickhouse")]
    ClickHouse,
    Spark,
    #[value(name = "bigquery")]
    BigQuery,
}

impl From<Engine> for Dialect {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::DuckDb => Self::DuckDb,
            Engine::ClickHouse => Self::ClickHouse,
            Engine::Spark => Self::Spark,
            Engine::BigQuery => Self::BigQuery,
        }
    }
}

impl From<UnitArg> for Unit {
    fn from(unit: UnitArg) -> Self {
        match unit {
            UnitArg::S => Self::S,
            UnitArg::Ms => Self::Ms,
            UnitArg::Us => Self::Us,
            UnitArg::Ns => Self::Ns,
        }
    }
}

fn field_column(text: &str) -> Result<(String, String), String> {
    let (field, header) =
        column(text).map_err(|_| "write FIELD=HEADER, such as time=started_at".to_owned())?;
    if ["time", "input", "output"].contains(&field.as_str()) {
        Ok((field, header))
    } else {
        Err(format!("`{field}` is not time, input or output"))
    }
}
