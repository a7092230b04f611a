//! Reading a tool's JSON object field by field: typed, with every problem kept, and with a list of
//! what was not read.

use std::{cell::RefCell, collections::HashSet};

use serde_json::{Map, Value};

use crate::{problem::Problem, text::Notice};

/// A number as tools write it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// Finite.
    Finite(f64),
    /// `Infinity`, `"inf"`: no limit.
    Unbounded,
    /// `NaN`: nothing was measured.
    Undefined,
}

/// A JSON object being read.
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    read: RefCell<HashSet<&'a str>>,
    problems: RefCell<Vec<Problem>>,
    not_finite: RefCell<Vec<&'a str>>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(map: &'a Map<String, Value>) -> Self {
        Self {
            map,
            read: RefCell::default(),
            problems: RefCell::default(),
            not_finite: RefCell::default(),
        }
    }

    /// Keys with a known meaning that a plan has no use for.
    pub(super) fn skip(&self, keys: &[&str]) {
        for key in keys {
            self.value(key);
        }
    }

    /// The value of a key; null counts as absent.
    fn value(&self, key: &str) -> Option<(&'a str, &'a Value)> {
        let (key, value) = self.map.get_key_value(key)?;
        self.read.borrow_mut().insert(key);
        (!value.is_null()).then_some((key.as_str(), value))
    }

    /// A text, where it is there.
    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        let (key, value) = self.value(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.wrong(key, value, "is not a text", "不是文本");
        }
        text
    }

    /// A number or one of the words for one that is not finite.
    pub(super) fn number(&self, key: &str) -> Option<Number> {
        let (key, value) = self.value(key)?;
        let number = match value {
            Value::Number(number) => number.as_f64().map(Number::Finite),
            Value::String(word) => match word.as_str() {
                "inf" | "Infinity" => Some(Number::Unbounded),
                "nan" | "NaN" => Some(Number::Undefined),
                _ => None,
            },
            _ => None,
        };
        if number.is_none() {
            self.wrong(key, value, "is not a number", "不是数字");
        }
        number
    }

    /// A figure that may be missing. One that is not finite is missing, and is noted.
    pub(super) fn figure(&self, key: &str) -> Option<f64> {
        match self.number(key)? {
            Number::Finite(figure) => Some(figure),
            Number::Unbounded | Number::Undefined => {
                let (key, _) = self.value(key)?;
                self.not_finite.borrow_mut().push(key);
                None
            }
        }
    }

    /// A figure that nothing works without; a problem where it is missing or not finite.
    pub(super) fn required(&self, key: &str) -> f64 {
        let problem = match self.value(key) {
            None => Problem::new("is missing", "缺失"),
            Some((_, value)) => match self.number(key) {
                Some(Number::Finite(figure)) => return figure,
                Some(_) => Problem::new("is not a finite number", "不是有限的数").found(value),
                None => return f64::NAN, // said already
            },
        };
        self.problem(
            problem
                .at(key)
                .remedy("a finite number is needed here", "此处需要有限的数"),
        );
        f64::NAN
    }

    /// A count, where it is there.
    pub(super) fn count(&self, key: &str) -> Option<u64> {
        let (key, value) = self.value(key)?;
        let count = value.as_u64().or_else(|| {
            // Some writers give 40.0.
            let float = value.as_f64()?;
            (float.fract() == 0.0 && (0.0..1e15).contains(&float)).then_some(float as u64)
        });
        if count.is_none() {
            self.wrong(key, value, "is not a count", "不是计数");
        }
        count
    }

    pub(super) fn problem(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    fn wrong(&self, key: &str, value: &Value, en: &str, zh: &str) {
        self.problem(Problem::new(en, zh).at(key).found(value));
    }

    /// Every problem met, and warnings on what was not read.
    pub(super) fn finish(self) -> (Vec<Problem>, Vec<Notice>) {
        let mut notices = Vec::new();
        let not_finite = self.not_finite.into_inner();
        if !not_finite.is_empty() {
            let keys = not_finite.join(", ");
            notices.push(Notice::new(
                "not-finite",
                format!("Not finite in the file, so taken as not measured: {keys}."),
                format!("文件中不是有限的数，视为未测量：{keys}。"),
            ));
        }
        let read = self.read.into_inner();
        let unread: Vec<&str> = self
            .map
            .keys()
            .map(String::as_str)
            .filter(|key| !read.contains(key))
            .collect();
        if !unread.is_empty() {
            let mut keys = unread
                .iter()
                .take(8)
                .copied()
                .collect::<Vec<_>>()
                .join(", ");
            if unread.len() > 8 {
                keys.push_str(&format!(", … ({})", unread.len()));
            }
            notices.push(Notice::new(
                "fields-not-read",
                format!("Fields without a known meaning here, not read: {keys}."),
                format!("含义未知而未读取的字段：{keys}。"),
            ));
        }
        (self.problems.into_inner(), notices)
    }
}
