//! CSV, and text separated by tabs or semicolons.

use std::io::BufRead;

use csv::{ByteRecord, ReaderBuilder};
use inferplan_core::problem::Problem;

use super::{
    broken, columns,
    take::{Cell, Taker},
};

pub fn read(
    start: &[u8],
    text: impl BufRead,
    taker: &mut Taker,
    named: &[(String, String)],
) -> Result<(), Problem> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(start))
        .flexible(true)
        .buffer_capacity(256 << 10)
        .from_reader(text);
    let headers = reader.byte_headers().map_err(|error| unread(1, error))?;
    let headers: Vec<String> = headers
        .iter()
        .map(|header| String::from_utf8_lossy(header).into_owned())
        .collect();
    let columns = columns::find(&headers, named).map_err(|problem| problem.at("line 1"))?;
    let most = columns.at.iter().flatten().copied().max().unwrap_or(0);
    let mut record = ByteRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return Err(unread(line, error)),
        }
        let line = record.position().map_or(line, csv::Position::line);
        if record.len() <= most {
            taker.bad_row(short(line, record.len(), headers.len()))?;
            continue;
        }
        let cells = [0, 1, 2].map(|field: usize| {
            let cell = columns.at[field].and_then(|at| record.get(at));
            cell.map_or(Cell::Missing, Cell::Text)
        });
        taker.row(line, cells, &columns)?;
    }
}

/// Whichever separator the first line has most of.
fn delimiter(start: &[u8]) -> u8 {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
    let count = |wanted: u8| line.iter().filter(|byte| **byte == wanted).count();
    // The last of equals wins, so that a line with none is a CSV of one column.
    [b'|', b';', b'\t', b',']
        .into_iter()
        .max_by_key(|wanted| count(*wanted))
        .unwrap_or(b',')
}

fn short(line: u64, found: usize, headers: usize) -> Problem {
    Problem::new("the row is too short", "该行列数不足")
        .at(format!("line {line}"))
        .found(format!("{found} columns"))
        .remedy(
            format!("expected {headers}, as the header has; --skip-bad-rows leaves such rows out"),
            format!("应与表头同为 {headers} 列；--skip-bad-rows 可跳过此类行"),
        )
}

fn unread(line: u64, error: csv::Error) -> Problem {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => broken(line, &error),
        other => Problem::new(
            format!("this is not CSV: {other:?}"),
            format!("不是合法的 CSV：{other:?}"),
        )
        .at(format!("line {line}")),
    }
}
