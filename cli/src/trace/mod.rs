//! Reading traces of requests, of any length: CSV, JSON Lines and Parquet, plain or gzipped.

mod columns;
mod delimited;
mod lines;
mod parquet;
mod take;
mod zone;

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::{Path, PathBuf},
};

use flate2::bufread::MultiGzDecoder;
use inferplan_core::{
    demand::{Demand, stamp::Unit},
    problem::Problem,
};

use crate::files;
use take::{Request, Taker};
pub use zone::Zone;

/// How to read traces.
pub struct Options {
    /// Column of a field: `time`, `input` or `output`.
    pub columns: Vec<(String, String)>,
    /// The zone of times that name none.
    pub zone: Option<Zone>,
    /// The unit of times that are numbers.
    pub unit: Option<Unit>,
    /// Whether rows that cannot be read are counted and left out.
    pub skip_bad_rows: bool,
}

/// Bytes by which a format is told.
const HEAD: usize = 64 << 10;
const BUFFER: usize = 256 << 10;

/// The demand of traces, one after another in order of time.
///
/// # Errors
/// A file that cannot be read, or a row: with its line, field, value and what would be right.
pub fn demand(paths: &[PathBuf], options: &Options) -> Result<Demand, Problem> {
    let mut taker = Taker::new(options);
    let mut last = String::new();
    for path in paths {
        let name = path.display().to_string();
        read(path, &mut taker, &options.columns).map_err(|problem| problem.in_file(&name))?;
        last = name;
    }
    taker.demand().map_err(|problem| problem.in_file(&last))
}

/// The same with every request, for a replay.
///
/// # Errors
/// As [`demand`].
pub fn requests(path: &Path, options: &Options) -> Result<(Demand, Vec<Request>), Problem> {
    let mut taker = Taker::new(options);
    taker.keep();
    let name = path.display().to_string();
    read(path, &mut taker, &options.columns).map_err(|problem| problem.in_file(&name))?;
    let requests = taker.requests();
    let demand = taker.demand().map_err(|problem| problem.in_file(&name))?;
    Ok((demand, requests))
}

fn read(path: &Path, taker: &mut Taker, named: &[(String, String)]) -> Result<(), Problem> {
    let unreadable = |error| files::unreadable(path, &error);
    let stdin = path.as_os_str() == "-";
    let mut source: Box<dyn Read> = if stdin {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(unreadable)?)
    };
    let head = head(&mut source).map_err(unreadable)?;
    if head.starts_with(b"PAR1") {
        if stdin {
            return Err(Problem::new(
                "Parquet cannot be read from a pipe",
                "无法从管道读取 Parquet",
            )
            .remedy("give the file's path", "请给出文件路径"));
        }
        return parquet::read(File::open(path).map_err(unreadable)?, taker, named);
    }
    let gzip = head.starts_with(b"\x1f\x8b");
    let whole = BufReader::with_capacity(BUFFER, Cursor::new(head).chain(source));
    if gzip {
        let mut inner = MultiGzDecoder::new(whole);
        let head = self::head(&mut inner).map_err(unreadable)?;
        let text = BufReader::with_capacity(BUFFER, Cursor::new(head.clone()).chain(inner));
        return text_of(&head, text, taker, named);
    }
    let head = whole.get_ref().get_ref().0.get_ref().clone();
    text_of(&head, whole, taker, named)
}

/// The first bytes, fewer only where there are no more.
fn head(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn text_of(
    head: &[u8],
    text: impl BufRead,
    taker: &mut Taker,
    named: &[(String, String)],
) -> Result<(), Problem> {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Err(Problem::new("the file is UTF-16", "文件为 UTF-16 编码")
            .remedy("save it as UTF-8", "请存为 UTF-8"));
    }
    if head.starts_with(b"\x28\xb5\x2f\xfd") || head.starts_with(b"PK\x03\x04") {
        return Err(
            Problem::new("this compression is not read", "不支持这种压缩格式").remedy(
                "decompress it, or use gzip: zstd -dc FILE | inferplan demand -",
                "请先解压，或改用 gzip：zstd -dc FILE | inferplan demand -",
            ),
        );
    }
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    match start.trim_ascii_start().first() {
        None => Err(Problem::new("the file is empty", "文件为空")),
        Some(b'{') => lines::read(text, taker, named),
        Some(b'[') => Err(
            Problem::new("this is one JSON array", "这是一个 JSON 数组").remedy(
                "give one object a line: jq -c '.[]' FILE | inferplan demand -",
                "请每行给出一个对象：jq -c '.[]' FILE | inferplan demand -",
            ),
        ),
        Some(_) => delimited::read(start, text, taker, named),
    }
}

/// Text that cannot be read on, and where.
fn broken(line: u64, error: &io::Error) -> Problem {
    Problem::new(
        format!("it cannot be read on: {error}"),
        format!("无法继续读取：{error}"),
    )
    .at(format!("line {line}"))
    .remedy("the file may be cut off", "文件可能被截断")
}
