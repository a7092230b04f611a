//! What the cells of a row mean.

use inferplan_core::{
    demand::{
        Accumulator, Demand, Lengths,
        stamp::{self, Stamp, Unit},
    },
    problem::Problem,
    text::Notice,
};

use super::{Options, columns::Columns, zone::Zone};

/// One cell, as its format has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing stands there.
    Missing,
    /// Text, or anything written as text.
    Text(&'a [u8]),
    /// A whole number.
    Whole(i64),
    /// A number.
    Float(f64),
    /// Nanoseconds since 1970 UTC.
    Instant(i64),
    /// The same by a local clock.
    Local(i64),
}

impl Cell<'_> {
    fn is_missing(self) -> bool {
        match self {
            Self::Missing => true,
            Self::Text(text) => {
                let text = text.trim_ascii();
                text.len() <= 4
                    && ["", "null", "none", "nan", "na", "n/a", "-", "\\n"]
                        .iter()
                        .any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
            }
            Self::Float(value) => value.is_nan(),
            _ => false,
        }
    }

    fn shown(self) -> String {
        match self {
            Self::Missing => String::new(),
            Self::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Self::Whole(value) | Self::Instant(value) | Self::Local(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
        }
    }

    /// A whole number of tokens.
    fn tokens(self) -> Option<u64> {
        let tokens = match self {
            Self::Whole(value) => u64::try_from(value).ok(),
            Self::Float(value) => whole(value),
            Self::Text(text) => {
                let text = text.trim_ascii();
                let mut value = 0_u64;
                let digits = text.len() <= 10 && !text.is_empty();
                if digits && text.iter().all(u8::is_ascii_digit) {
                    for digit in text {
                        value = value * 10 + u64::from(digit - b'0');
                    }
                    Some(value)
                } else {
                    // 374.0, as tables with gaps are often saved.
                    whole(std::str::from_utf8(text).ok()?.parse().ok()?)
                }
            }
            _ => None,
        };
        tokens.filter(|tokens| *tokens <= Lengths::MOST)
    }
}

fn whole(value: f64) -> Option<u64> {
    (value.fract() == 0.0 && (0.0..1e15).contains(&value)).then_some(value as u64)
}

/// Takes rows of cells into the sums.
pub struct Taker {
    sums: Accumulator,
    zone: Zone,
    zone_given: bool,
    /// Whether a time without a zone was seen.
    local: bool,
    unit: Option<Unit>,
    unit_given: bool,
    skip_bad_rows: bool,
    /// Whether any file had a column of each length.
    known: [bool; 2],
    /// Each request, where they are to be replayed.
    kept: Option<Vec<Request>>,
}

/// A request of a trace: nanoseconds since 1970 UTC, input and output tokens.
pub type Request = (i64, Option<u64>, Option<u64>);

/// A row refused: which of its fields, and why.
struct Refused {
    field: usize,
    problem: Problem,
}

impl Taker {
    pub fn new(options: &Options) -> Self {
        let utc = || Zone::parse("UTC").ok();
        let zone = options.zone.clone().or_else(utc);
        Self {
            sums: Accumulator::default(),
            zone: zone.unwrap_or_else(|| unreachable!("UTC is a zone")),
            zone_given: options.zone.is_some(),
            local: false,
            unit: options.unit,
            unit_given: options.unit.is_some(),
            skip_bad_rows: options.skip_bad_rows,
            known: [false; 2],
            kept: None,
        }
    }

    /// Keeps each request, for a replay.
    pub fn keep(&mut self) {
        self.kept = Some(Vec::new());
    }

    /// Takes a row: its cells in the order time, input, output.
    pub fn row(&mut self, line: u64, cells: [Cell; 3], columns: &Columns) -> Result<(), Problem> {
        match self.taken(cells, columns) {
            Ok(()) => Ok(()),
            Err(_) if self.skip_bad_rows => {
                self.sums.skip();
                Ok(())
            }
            Err(Refused { field, problem }) => {
                let name = &columns.names[field];
                Err(problem
                    .at(format!("line {line}, {name}"))
                    .found(cells[field].shown()))
            }
        }
    }

    /// A row that cannot be told into cells.
    pub fn bad_row(&mut self, problem: Problem) -> Result<(), Problem> {
        if self.skip_bad_rows {
            self.sums.skip();
            return Ok(());
        }
        Err(problem)
    }

    fn taken(&mut self, cells: [Cell; 3], columns: &Columns) -> Result<(), Refused> {
        if cells[0].is_missing() {
            self.sums.skip();
            return Ok(());
        }
        let refused = |field| move |problem| Refused { field, problem };
        let ns = self.time(cells[0]).map_err(refused(0))?;
        let mut lengths = [None; 2];
        let mut lacking = false;
        for field in [1, 2] {
            if columns.at[field].is_none() {
                continue;
            }
            self.known[field - 1] = true;
            if cells[field].is_missing() {
                lacking = true;
                continue;
            }
            let tokens = cells[field].tokens().ok_or_else(not_tokens);
            lengths[field - 1] = Some(tokens.map_err(refused(field))?);
        }
        self.sums
            .add(ns, lengths[0], lengths[1])
            .map_err(refused(0))?;
        if let Some(kept) = &mut self.kept {
            kept.push((ns, lengths[0], lengths[1]));
        }
        if lacking {
            self.sums.lacks_length();
        }
        Ok(())
    }

    fn time(&mut self, cell: Cell) -> Result<i64, Problem> {
        let stamp = match cell {
            Cell::Text(text) => stamp::parse(text),
            Cell::Whole(value) => Some(Stamp::Number(value, 0)).filter(|_| value >= 0),
            Cell::Float(value) => (0.0..9e18)
                .contains(&value)
                .then(|| Stamp::Number(value as i64, (value.fract() * 1e9) as i64)),
            Cell::Instant(ns) => Some(Stamp::Instant(ns)),
            Cell::Local(ns) => Some(Stamp::Local(ns)),
            Cell::Missing => None,
        };
        match stamp.ok_or_else(not_a_time)? {
            Stamp::Instant(ns) => Ok(ns),
            Stamp::Local(ns) => {
                self.local = true;
                self.zone.utc(ns).ok_or_else(not_a_time)
            }
            Stamp::Number(value, billionths) => {
                // The first number decides: a trace does not change its unit.
                if self.unit.is_none() {
                    self.unit = Unit::by_magnitude(value);
                }
                let unit = self.unit.ok_or_else(no_unit)?;
                unit.ns(value, billionths).ok_or_else(not_a_time)
            }
        }
    }

    /// The requests that were kept.
    pub fn requests(&mut self) -> Vec<Request> {
        self.kept.take().unwrap_or_default()
    }

    /// The document, with what was assumed in reading.
    pub fn demand(self) -> Result<Demand, Problem> {
        let mut notices = Vec::new();
        if self.local && !self.zone_given {
            let zone = self.zone.name();
            notices.push(Notice::new(
                "zone-assumed",
                format!("The times name no zone and were read as {zone}: give --time-zone if they are of another clock."),
                format!("时间未注明时区，按 {zone} 读取：如为其他时区，请给出 --time-zone。"),
            ));
        }
        if let Some(unit) = self.unit.filter(|_| !self.unit_given) {
            let unit = unit.symbol();
            notices.push(Notice::new(
                "unit-by-magnitude",
                format!("The times are numbers and were read as {unit} since 1970, by their size."),
                format!("时间为数字，按其大小读作自 1970 年起的 {unit}。"),
            ));
        }
        for (known, en, zh) in [
            (self.known[0], "input", "输入"),
            (self.known[1], "output", "输出"),
        ] {
            if !known {
                notices.push(Notice::new(
                    &format!("{en}-lengths-unknown"),
                    format!(
                        "No column of {en} tokens was found: name it with --column {en}=HEADER."
                    ),
                    format!("未找到{zh}词元的列：请用 --column {en}=列名 指明。"),
                ));
            }
        }
        self.sums.demand(notices)
    }
}

fn not_a_time() -> Problem {
    Problem::new("this is not a time", "不是时间").remedy(
        "expected 2026-03-01T10:15:00Z, 2026-03-01 10:15:00.5, or a number of s, ms, us or ns since 1970; --skip-bad-rows leaves such rows out",
        "应为 2026-03-01T10:15:00Z、2026-03-01 10:15:00.5，或自 1970 年起的秒、毫秒、微秒、纳秒数；--skip-bad-rows 可跳过此类行",
    )
}

fn no_unit() -> Problem {
    Problem::new(
        "a number this small does not say its unit",
        "数字过小，无法判断其单位",
    )
    .remedy(
        "give --time-unit s, ms, us or ns",
        "请给出 --time-unit s、ms、us 或 ns",
    )
}

fn not_tokens() -> Problem {
    Problem::new("this is not a number of tokens", "不是词元数").remedy(
        "expected a whole number from 0 to 100000000; --skip-bad-rows leaves such rows out",
        "应为 0 到 100000000 的整数；--skip-bad-rows 可跳过此类行",
    )
}
