//! A JSON text cut down while it streams by.
//!
//! A load tool's detailed result is mostly arrays of one figure per request or per token, hundreds of
//! megabytes of them, and a plan needs none. [`Slimmer`] copies a JSON text chunk by chunk and
//! leaves out all but the first [`KEPT`] elements of such arrays, so that what is kept does not
//! grow with them. It also puts quotes around Python's `NaN`, `Infinity` and `-Infinity`, which
//! JSON has no words for. It does not judge the JSON: a parser does that with what is left.

use memchr::memchr2;

/// Elements kept of an array of figures or texts.
pub(super) const KEPT: usize = 32;
/// Elements kept of an array of objects: rows, benchmarks, predictions.
const OBJECTS_KEPT: usize = 200_000;
/// Bytes kept of a string.
const STRING_KEPT: usize = 4096;
/// Deeper than any tool nests, and than the parser allows.
const DEEPEST: usize = 128;
/// More than any report needs; a file that keeps more is not one.
const MOST_KEPT: usize = 256 << 20;

/// Just after a backslash; `u` is followed by four digits that belong to the escape.
const AFTER_BACKSLASH: usize = 5;

/// Arrays under these keys are the measurement itself: a time series' samples.
const WHOLE: [&[u8]; 1] = [b"values"];
/// Objects under these keys are one a request.
const PER_REQUEST: [&[u8]; 2] = [b"requests", b"request_samples"];

/// What stops a text from being cut down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// Nested deeper than any parser would follow.
    Nested,
    /// Larger than memory should hold, even cut down.
    Large,
}

/// The filter: push the text in chunks, then take what is kept.
pub(super) struct Slimmer {
    out: Vec<u8>,
    stack: Vec<Frame>,
    mode: Mode,
    /// The key last read, cut to what is compared.
    key: Vec<u8>,
    /// A bare word or number in the making.
    word: Vec<u8>,
    figures_kept: usize,
    too_much: Option<TooMuch>,
}

struct Frame {
    is_array: bool,
    /// Objects: the next string is a key.
    expects_key: bool,
    /// Arrays: elements finished.
    count: usize,
    /// Arrays: elements kept that are no objects, and that are.
    figures: usize,
    objects: usize,
    /// Whether it lies under a key of one object a request.
    per_request: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Plain,
    /// In an array that has its share: a comma was held back, the next element decides.
    Full,
    /// In a string: bytes of an escape still to come, bytes of text still kept.
    Text {
        key: bool,
        escape: usize,
        left: usize,
    },
    /// In what is left out, so many brackets below the array.
    Skip {
        depth: usize,
    },
    /// In a string of that.
    SkipText {
        depth: usize,
        escaped: bool,
    },
}

impl Slimmer {
    /// With `whole_arrays`, arrays are kept whole and only words are quoted.
    pub(super) fn new(whole_arrays: bool) -> Self {
        Self {
            out: Vec::new(),
            stack: Vec::new(),
            mode: Mode::Plain,
            key: Vec::new(),
            word: Vec::new(),
            figures_kept: if whole_arrays { usize::MAX } else { KEPT },
            too_much: None,
        }
    }

    /// Takes the next chunk, cut anywhere.
    pub(super) fn push(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        while !rest.is_empty() && self.too_much.is_none() {
            let taken = match self.mode {
                Mode::Plain => self.plain(rest),
                Mode::Full => self.full(rest),
                Mode::Text { key, escape, left } => self.text(rest, key, escape, left),
                Mode::Skip { depth } => self.skip(rest, depth),
                Mode::SkipText { depth, escaped } => self.skip_text(rest, depth, escaped),
            };
            rest = &rest[taken..];
            if self.out.len() > MOST_KEPT {
                self.too_much = Some(TooMuch::Large);
            }
        }
    }

    /// What is kept.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, TooMuch> {
        self.end_word();
        match self.too_much {
            Some(too_much) => Err(too_much),
            None => Ok(self.out),
        }
    }

    /// One byte outside strings.
    fn plain(&mut self, rest: &[u8]) -> usize {
        let byte = rest[0];
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_') {
            let length = rest
                .iter()
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.' | b'_'))
                .count();
            self.word.extend_from_slice(&rest[..length]);
            if self.word.len() > STRING_KEPT {
                self.end_word();
            }
            return length;
        }
        self.end_word();
        match byte {
            b'"' => {
                let key = self
                    .stack
                    .last()
                    .is_some_and(|frame| !frame.is_array && frame.expects_key);
                if key {
                    self.key.clear();
                }
                self.mode = Mode::Text {
                    key,
                    escape: 0,
                    left: STRING_KEPT,
                };
            }
            b'{' | b'[' => self.open(byte == b'['),
            b'}' | b']' => {
                self.stack.pop();
            }
            b':' => {
                if let Some(frame) = self.stack.last_mut() {
                    frame.expects_key = false;
                }
            }
            b',' => {
                if let Some(frame) = self.stack.last_mut() {
                    frame.expects_key = !frame.is_array;
                    frame.count += 1;
                    if frame.is_array && frame.count >= frame.figures {
                        self.mode = Mode::Full;
                        return 1;
                    }
                }
            }
            _ => {}
        }
        self.out.push(byte);
        1
    }

    fn open(&mut self, is_array: bool) {
        if self.stack.len() >= DEEPEST {
            self.too_much = Some(TooMuch::Nested);
            return;
        }
        let parent = self.stack.last();
        let under = |keys: &[&[u8]]| {
            parent.is_some_and(|frame| !frame.is_array) && keys.contains(&self.key.as_slice())
        };
        let per_request = parent.is_some_and(|frame| frame.per_request) || under(&PER_REQUEST);
        let whole = under(&WHOLE) && self.figures_kept != usize::MAX;
        // The samples inside `values` are short arrays of their own.
        self.stack.push(Frame {
            is_array,
            expects_key: !is_array,
            count: 0,
            figures: if whole { usize::MAX } else { self.figures_kept },
            objects: if per_request && self.figures_kept != usize::MAX {
                KEPT
            } else {
                OBJECTS_KEPT
            },
            per_request,
        });
    }

    /// After the comma of an array that has its share of figures: an object may still be kept.
    fn full(&mut self, rest: &[u8]) -> usize {
        let blank = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let Some(next) = rest.get(blank) else {
            return blank;
        };
        let keeps = self
            .stack
            .last()
            .is_some_and(|frame| *next == b'{' && frame.count < frame.objects);
        if keeps || *next == b']' {
            // A bracket right after a comma is a fault, for the parser to name.
            self.out.push(b',');
            self.mode = Mode::Plain;
        } else {
            self.mode = Mode::Skip { depth: 0 };
        }
        blank
    }

    fn text(&mut self, rest: &[u8], key: bool, escape: usize, left: usize) -> usize {
        let kept = left > 0;
        if escape > 0 {
            if kept {
                self.out.push(rest[0]);
            }
            let escape = match (escape, rest[0]) {
                (AFTER_BACKSLASH, b'u') => AFTER_BACKSLASH - 1,
                (AFTER_BACKSLASH, _) => 0,
                (digits, _) => digits - 1,
            };
            self.mode = Mode::Text { key, escape, left };
            return 1;
        }
        let run = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        if run > 0 {
            // A long text is cut at a plain ASCII byte: never inside an escape or a character.
            let cut = (kept && run > left)
                .then(|| rest[left..run].iter().position(u8::is_ascii))
                .flatten()
                .map(|at| left + at);
            if kept {
                self.out.extend_from_slice(&rest[..cut.unwrap_or(run)]);
            }
            if key && self.key.len() < 32 {
                self.key.extend_from_slice(&rest[..run.min(32)]);
            }
            let left = match cut {
                Some(_) => 0,
                // At least one byte is kept until a place to cut is found.
                None if kept => left.saturating_sub(run).max(1),
                None => 0,
            };
            self.mode = Mode::Text {
                key,
                escape: 0,
                left,
            };
            return run;
        }
        if rest[0] == b'"' {
            self.out.push(b'"');
            self.mode = Mode::Plain;
        } else {
            if kept {
                self.out.push(b'\\');
            }
            self.mode = Mode::Text {
                key,
                escape: AFTER_BACKSLASH,
                left,
            };
        }
        1
    }

    fn skip(&mut self, rest: &[u8], depth: usize) -> usize {
        let mut depth = depth;
        for (i, byte) in rest.iter().enumerate() {
            match byte {
                b'"' => {
                    self.mode = Mode::SkipText {
                        depth,
                        escaped: false,
                    };
                    return i + 1;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' if depth == 0 => {
                    self.stack.pop();
                    self.out.push(*byte);
                    self.mode = Mode::Plain;
                    return i + 1;
                }
                b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        self.mode = Mode::Skip { depth };
        rest.len()
    }

    fn skip_text(&mut self, rest: &[u8], depth: usize, escaped: bool) -> usize {
        if escaped {
            self.mode = Mode::SkipText {
                depth,
                escaped: false,
            };
            return 1;
        }
        match memchr2(b'"', b'\\', rest) {
            None => rest.len(),
            Some(at) => {
                self.mode = if rest[at] == b'"' {
                    Mode::Skip { depth }
                } else {
                    Mode::SkipText {
                        depth,
                        escaped: true,
                    }
                };
                at + 1
            }
        }
    }

    fn end_word(&mut self) {
        if matches!(self.word.as_slice(), b"NaN" | b"Infinity" | b"-Infinity") {
            self.out.push(b'"');
            self.out.append(&mut self.word);
            self.out.push(b'"');
        } else {
            self.out.append(&mut self.word);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn slim_in(text: &str, chunk: usize, whole: bool) -> String {
        let mut slimmer = Slimmer::new(whole);
        for part in text.as_bytes().chunks(chunk.max(1)) {
            slimmer.push(part);
        }
        String::from_utf8(slimmer.finish().unwrap()).unwrap()
    }

    fn slim(text: &str) -> Value {
        serde_json::from_str(&slim_in(text, 7, false)).unwrap()
    }

    #[test]
    fn python_s_words_are_quoted_and_strings_left_alone() {
        let text = r#"{"rate": Infinity, "low": -Infinity, "p99": NaN, "s": "NaN \" Infinity", "t": "价\\", "u": -1}"#;
        let quoted = r#"{"rate": "Infinity", "low": "-Infinity", "p99": "NaN", "s": "NaN \" Infinity", "t": "价\\", "u": -1}"#;
        for chunk in 1..20 {
            assert_eq!(slim_in(text, chunk, false), quoted);
        }
    }

    #[test]
    fn long_arrays_of_figures_are_cut_and_the_rest_is_not() {
        let figures: Vec<u32> = (0..1000).collect();
        let rows: Vec<Value> = (0..100)
            .map(|i| json!({ "n": i, "itls": [[1, 2], [3]] }))
            .collect();
        let samples: Vec<Value> = (0..100).map(|i| json!([i, "1"])).collect();
        let texts: Vec<String> = (0..100)
            .map(|i| format!("a \"quoted\" [text] {i}"))
            .collect();
        let document = json!({
            "before": 1, "ttfts": figures, "nested": [figures, figures], "rows": rows, "values": samples,
            "generated_texts": texts, "requests": { "successful": rows }, "after": { "k": [1, 2, 3] }
        });
        let slim = slim(&document.to_string());
        let length = |value: &Value| value.as_array().unwrap().len();
        assert_eq!(length(&slim["ttfts"]), KEPT);
        assert_eq!(length(&slim["nested"]), 2);
        assert_eq!(length(&slim["nested"][1]), KEPT);
        assert_eq!(slim["rows"], document["rows"]);
        assert_eq!(slim["values"], document["values"]);
        assert_eq!(length(&slim["generated_texts"]), KEPT);
        assert_eq!(length(&slim["requests"]["successful"]), KEPT);
        assert_eq!(slim["after"], document["after"]);
        let whole: Value = serde_json::from_str(&slim_in(&document.to_string(), 11, true)).unwrap();
        assert_eq!(whole, document);
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        for unit in ["价", "a", "\\u4ef7", "\\\"", "😀"] {
            let text = format!("{{\"s\": \"{}x\", \"t\": 1}}", unit.repeat(5000));
            let value: Value = serde_json::from_str(&slim_in(&text, 13, false)).unwrap();
            assert_eq!(value["t"], 1, "{unit}");
            assert!(value["s"].as_str().unwrap().len() <= 5000 * 4 + 1);
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let mut slimmer = Slimmer::new(false);
        slimmer.push(&[b'['; 10_000]);
        assert_eq!(slimmer.finish(), Err(TooMuch::Nested));
    }

    #[test]
    fn faults_stay_for_the_parser() {
        for text in ["[1,]", "{\"a\": }", "[1, 2", "]", "\"open", "{\"a\" 1}"] {
            let kept = slim_in(text, 3, false);
            assert!(
                serde_json::from_str::<Value>(&kept).is_err(),
                "{text} became {kept}"
            );
        }
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[\\[\\]{},:\"\\\\0-9aN. -]{0,200}", chunk in 1_usize..50) {
            prop_assert_eq!(slim_in(&text, chunk, false), slim_in(&text, 1000, false));
        }
    }
}
