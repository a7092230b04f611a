//! JSON Lines: one object a line, fields of objects within named by a dotted path.

use std::{fmt, io::BufRead};

use inferplan_core::problem::Problem;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{
    broken,
    columns::{self, Columns},
    take::{Cell, Taker},
};

/// Lines looked at for the fields: the first requests may have failed, and lack lengths.
const LOOK: usize = 100;
const DEEPEST: usize = 4;

pub fn read(
    mut text: impl BufRead,
    taker: &mut Taker,
    named: &[(String, String)],
) -> Result<(), Problem> {
    let mut first = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut line = 0;
    while first.len() < LOOK {
        let mut bytes = Vec::new();
        if !next(&mut text, &mut bytes, &mut line)? {
            break;
        }
        // What is no JSON is refused below, with its line.
        if let Ok(value) = serde_json::from_slice::<Value>(&bytes) {
            named_in(&value, "", 1, &mut names);
        }
        first.push((line, bytes));
    }
    let columns = columns::find(&names, named).map_err(|problem| problem.at("line 1"))?;
    let paths = columns
        .at
        .map(|at| at.map(|at| names[at].split('.').map(str::to_owned).collect::<Vec<_>>()));
    let wanted = [0, 1, 2].map(|field: usize| paths[field].as_deref());
    for (line, bytes) in first {
        row(line, &bytes, wanted, &columns, taker)?;
    }
    let mut bytes = Vec::new();
    while next(&mut text, &mut bytes, &mut line)? {
        row(line, &bytes, wanted, &columns, taker)?;
    }
    Ok(())
}

/// The next line that is not blank; false at the end.
fn next(text: &mut impl BufRead, bytes: &mut Vec<u8>, line: &mut u64) -> Result<bool, Problem> {
    loop {
        bytes.clear();
        *line += 1;
        let length = text.read_until(b'\n', bytes);
        if length.map_err(|error| broken(*line, &error))? == 0 {
            return Ok(false);
        }
        if *line == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        if !bytes.trim_ascii().is_empty() {
            return Ok(true);
        }
    }
}

/// The dotted names of all that is no object.
fn named_in(value: &Value, before: &str, depth: usize, names: &mut Vec<String>) {
    let Value::Object(fields) = value else {
        return;
    };
    for (name, value) in fields {
        let path = format!("{before}{name}");
        if value.is_object() && depth < DEEPEST {
            named_in(value, &format!("{path}."), depth + 1, names);
        } else if !names.contains(&path) {
            names.push(path);
        }
    }
}

fn row(
    line: u64,
    bytes: &[u8],
    wanted: Wanted,
    columns: &Columns,
    taker: &mut Taker,
) -> Result<(), Problem> {
    let mut found = [const { Held::Missing }; 3];
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let pick = Pick {
        wanted,
        found: &mut found,
    };
    if let Err(error) = pick.deserialize(&mut json).and_then(|()| json.end()) {
        return taker.bad_row(
            Problem::new(
                format!("this is not a JSON object: {error}"),
                format!("不是 JSON 对象：{error}"),
            )
            .at(format!("line {line}"))
            .remedy(
                "give one object a line; --skip-bad-rows leaves such rows out",
                "请每行给出一个对象；--skip-bad-rows 可跳过此类行",
            ),
        );
    }
    taker.row(
        line,
        [0, 1, 2].map(|field: usize| found[field].cell()),
        columns,
    )
}

/// What is left of each wanted path.
type Wanted<'a> = [Option<&'a [String]>; 3];

#[derive(Clone, Debug)]
enum Held {
    Missing,
    Text(String),
    Whole(i64),
    Float(f64),
}

impl Held {
    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Missing => Cell::Missing,
            Self::Text(text) => Cell::Text(text.as_bytes()),
            Self::Whole(value) => Cell::Whole(*value),
            Self::Float(value) => Cell::Float(*value),
        }
    }
}

/// Reads a value, keeps what is wanted, and passes over the rest without building it.
struct Pick<'a> {
    wanted: Wanted<'a>,
    found: &'a mut [Held; 3],
}

impl Pick<'_> {
    /// Keeps a value for every path that ends here.
    fn keep<E>(self, value: Held) -> Result<(), E> {
        for (wanted, found) in self.wanted.iter().zip(self.found) {
            if wanted.is_some_and(<[String]>::is_empty) {
                *found = value.clone();
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Pick<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.keep(Held::Missing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.keep(Held::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        let value = i64::try_from(value).map_or(Held::Float(value as f64), Held::Whole);
        self.keep(value)
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.keep(Held::Whole(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.keep(Held::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.keep(Held::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        self.keep(Held::Text("[…]".to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(below) = map.next_key_seed(Key(self.wanted))? {
            if below.iter().all(Option::is_none) {
                map.next_value::<IgnoredAny>()?;
            } else {
                map.next_value_seed(Pick {
                    wanted: below,
                    found: &mut *self.found,
                })?;
            }
        }
        Ok(())
    }
}

/// Reads a key without keeping it: what is wanted below it.
struct Key<'a>(Wanted<'a>);

impl<'de, 'a> DeserializeSeed<'de> for Key<'a> {
    type Value = Wanted<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Wanted<'a>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Key<'a> {
    type Value = Wanted<'a>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Wanted<'a>, E> {
        Ok(self.0.map(|path| match path {
            Some([name, rest @ ..]) if name == key => Some(rest),
            _ => None,
        }))
    }
}
