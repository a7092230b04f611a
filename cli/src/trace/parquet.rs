//! Parquet: the three columns alone, a batch at a time.

use std::fs::File;

use inferplan_core::problem::Problem;
use parquet::{
    basic::{ConvertedType, LogicalType, TimeUnit, Type},
    column::reader::ColumnReader,
    data_type::{ByteArray, Int96},
    errors::ParquetError,
    file::reader::{FileReader, RowGroupReader, SerializedFileReader},
    schema::types::ColumnDescriptor,
};

use super::{
    columns::{self, Columns},
    take::{Cell, Taker},
};

/// Rows of a batch.
const BATCH: usize = 16 << 10;

pub fn read(file: File, taker: &mut Taker, named: &[(String, String)]) -> Result<(), Problem> {
    let reader = SerializedFileReader::new(file).map_err(|error| unread(&error))?;
    let schema = reader.metadata().file_metadata().schema_descr();
    // A list has many values a row, and is no field of a request.
    let (leaves, names): (Vec<usize>, Vec<String>) = schema
        .columns()
        .iter()
        .enumerate()
        .filter(|(_, column)| column.max_rep_level() == 0)
        .map(|(at, column)| (at, column.path().parts().join(".")))
        .unzip();
    let columns = columns::find(&names, named)?;
    let mut kinds = [None; 3];
    for (field, kind) in kinds.iter_mut().enumerate() {
        if let Some(at) = columns.at[field] {
            *kind = Some((
                leaves[at],
                Kind::of(&schema.column(leaves[at]), &columns.names[field])?,
            ));
        }
    }
    let mut line = 0;
    for group in 0..reader.num_row_groups() {
        let group = reader
            .get_row_group(group)
            .map_err(|error| unread(&error))?;
        rows(&*group, kinds, &columns, taker, &mut line).map_err(|error| match error {
            Failed::Row(problem) => problem,
            Failed::File(error) => unread(&error),
        })?;
    }
    Ok(())
}

enum Failed {
    Row(Problem),
    File(ParquetError),
}

impl From<ParquetError> for Failed {
    fn from(error: ParquetError) -> Self {
        Self::File(error)
    }
}

fn rows(
    group: &dyn RowGroupReader,
    kinds: [Option<(usize, Kind)>; 3],
    columns: &Columns,
    taker: &mut Taker,
    line: &mut u64,
) -> Result<(), Failed> {
    let mut open = [const { None }; 3];
    for (open, kind) in open.iter_mut().zip(kinds) {
        if let Some((leaf, kind)) = kind {
            let most = group.metadata().column(leaf).column_descr().max_def_level();
            *open = Some(Batch::new(group.get_column_reader(leaf)?, kind, most));
        }
    }
    let total = u64::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut done = 0;
    while done < total {
        let length = BATCH.min(usize::try_from(total - done).unwrap_or(BATCH));
        for batch in open.iter_mut().flatten() {
            batch.fill(length)?;
        }
        for at in 0..length {
            let cells = open
                .each_mut()
                .map(|batch| batch.as_mut().map_or(Cell::Missing, |batch| batch.next(at)));
            *line += 1;
            taker.row(*line, cells, columns).map_err(Failed::Row)?;
        }
        done += length as u64;
    }
    Ok(())
}

/// What the numbers of a column are.
#[derive(Clone, Copy)]
enum Kind {
    Plain,
    /// A stamp: nanoseconds of its unit, and whether it is UTC.
    Stamp(i64, bool),
}

impl Kind {
    fn of(column: &ColumnDescriptor, name: &str) -> Result<Self, Problem> {
        match column.physical_type() {
            Type::INT64 => {}
            // Spark's old stamps, always of nanoseconds UTC.
            Type::INT96 => return Ok(Self::Stamp(1, true)),
            Type::INT32 | Type::FLOAT | Type::DOUBLE | Type::BYTE_ARRAY => {
                return Ok(Self::Plain);
            }
            other @ (Type::BOOLEAN | Type::FIXED_LEN_BYTE_ARRAY) => {
                return Err(Problem::new(
                    "a column of this type holds no time or number",
                    "此类型的列不是时间或数字",
                )
                .at(name)
                .found(other));
            }
        }
        if let Some(LogicalType::Timestamp(stamp)) = column.logical_type_ref() {
            let unit = match stamp.unit {
                TimeUnit::MILLIS => 1_000_000,
                TimeUnit::MICROS => 1_000,
                TimeUnit::NANOS => 1,
            };
            return Ok(Self::Stamp(unit, stamp.is_adjusted_to_u_t_c));
        }
        Ok(match column.converted_type() {
            ConvertedType::TIMESTAMP_MILLIS => Self::Stamp(1_000_000, true),
            ConvertedType::TIMESTAMP_MICROS => Self::Stamp(1_000, true),
            _ => Self::Plain,
        })
    }
}

enum Values {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Int96(Vec<Int96>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Text(Vec<ByteArray>),
}

/// A column's rows of a batch: values of those that have one, and which have.
struct Batch {
    reader: ColumnReader,
    kind: Kind,
    values: Values,
    levels: Vec<i16>,
    /// The level of a row that has a value; 0 where every row has.
    present: i16,
    next: usize,
}

impl Batch {
    fn new(reader: ColumnReader, kind: Kind, present: i16) -> Self {
        let values = match reader {
            ColumnReader::Int32ColumnReader(_) => Values::Int32(Vec::new()),
            ColumnReader::Int96ColumnReader(_) => Values::Int96(Vec::new()),
            ColumnReader::FloatColumnReader(_) => Values::Float(Vec::new()),
            ColumnReader::DoubleColumnReader(_) => Values::Double(Vec::new()),
            ColumnReader::ByteArrayColumnReader(_) => Values::Text(Vec::new()),
            _ => Values::Int64(Vec::new()),
        };
        Self {
            reader,
            kind,
            values,
            levels: Vec::new(),
            present,
            next: 0,
        }
    }

    fn fill(&mut self, length: usize) -> Result<(), ParquetError> {
        self.levels.clear();
        self.next = 0;
        let levels = (self.present > 0).then_some(&mut self.levels);
        macro_rules! read {
            ($reader:expr, $values:expr) => {{
                $values.clear();
                $reader.read_records(length, levels, None, $values)?
            }};
        }
        let (records, _, _) = match (&mut self.reader, &mut self.values) {
            (ColumnReader::Int32ColumnReader(reader), Values::Int32(values)) => {
                read!(reader, values)
            }
            (ColumnReader::Int64ColumnReader(reader), Values::Int64(values)) => {
                read!(reader, values)
            }
            (ColumnReader::Int96ColumnReader(reader), Values::Int96(values)) => {
                read!(reader, values)
            }
            (ColumnReader::FloatColumnReader(reader), Values::Float(values)) => {
                read!(reader, values)
            }
            (ColumnReader::DoubleColumnReader(reader), Values::Double(values)) => {
                read!(reader, values)
            }
            (ColumnReader::ByteArrayColumnReader(reader), Values::Text(values)) => {
                read!(reader, values)
            }
            _ => (0, 0, 0),
        };
        if records == length {
            return Ok(());
        }
        Err(ParquetError::General(
            "a column ends before its rows".to_owned(),
        ))
    }

    fn next(&mut self, row: usize) -> Cell<'_> {
        if self.present > 0 && self.levels.get(row) != Some(&self.present) {
            return Cell::Missing;
        }
        let at = self.next;
        self.next += 1;
        let cell = match &self.values {
            Values::Int32(values) => values.get(at).map(|value| Cell::Whole(i64::from(*value))),
            Values::Int64(values) => values.get(at).map(|value| self.kind.cell(*value)),
            Values::Int96(values) => values.get(at).map(|value| Cell::Instant(value.to_nanos())),
            Values::Float(values) => values.get(at).map(|value| Cell::Float(f64::from(*value))),
            Values::Double(values) => values.get(at).map(|value| Cell::Float(*value)),
            Values::Text(values) => values.get(at).map(|value| Cell::Text(value.data())),
        };
        cell.unwrap_or(Cell::Missing)
    }
}

impl Kind {
    fn cell<'a>(self, value: i64) -> Cell<'a> {
        match self {
            Self::Plain => Cell::Whole(value),
            Self::Stamp(unit, utc) => match value.checked_mul(unit) {
                Some(ns) if utc => Cell::Instant(ns),
                Some(ns) => Cell::Local(ns),
                None => Cell::Text(b"a time beyond the year 2262"),
            },
        }
    }
}

fn unread(error: &ParquetError) -> Problem {
    Problem::new(
        format!("this Parquet cannot be read: {error}"),
        format!("无法读取此 Parquet 文件：{error}"),
    )
    .remedy(
        "the file may be cut off, or compressed otherwise than by Snappy, gzip or Zstandard",
        "文件可能被截断，或使用了 Snappy、gzip、Zstandard 以外的压缩",
    )
}
