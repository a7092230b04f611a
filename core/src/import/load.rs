//! From a file's bytes, chunk by chunk, to its text: unpacked, decoded, cut down.

use std::io::Write;

use flate2::write::MultiGzDecoder;

use super::slim::{Slimmer, TooMuch};
use crate::problem::Problem;

/// Text other than JSON is kept whole; a table or a console log is never larger.
const MOST_TEXT: usize = 256 << 20;
/// First bytes that a choice of how to read is made by.
const ENOUGH_TO_TELL: usize = 64;

/// A file being read. Push its bytes in chunks of any size; what is kept does not grow with the
/// per-request arrays of a JSON result.
pub struct Loader {
    name: String,
    sink: Sink,
    whole_arrays: bool,
}

enum Sink {
    /// Too few bytes yet to tell what they are.
    Head(Vec<u8>),
    Plain(Body),
    Gzip(Box<MultiGzDecoder<Body>>),
}

/// A file's text, ready to be recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The file, as its giver named it, with its folder where that is known.
    pub name: String,
    /// Whether it was found in a folder, not named: one that is no result is then passed over.
    pub found: bool,
    pub(super) text: String,
    /// Whether it looks like JSON, and so was cut down.
    pub(super) is_json: bool,
}

/// Decodes GB18030, in which spreadsheets in China save; `None` where the bytes are not that.
/// The tables are large, so whoever calls brings its own: a library at the terminal, the
/// browser's decoder on the page.
pub type Gb18030 = fn(&[u8]) -> Option<String>;

impl Loader {
    /// A file of that name. With `whole_arrays`, per-request arrays are kept.
    #[must_use]
    pub fn new(name: &str, whole_arrays: bool) -> Self {
        Self {
            name: name.to_owned(),
            sink: Sink::Head(Vec::new()),
            whole_arrays,
        }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// A gzip stream that is damaged.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if let Sink::Head(head) = &mut self.sink {
            head.extend_from_slice(bytes);
            return if head.len() < ENOUGH_TO_TELL {
                Ok(())
            } else {
                self.begin()
            };
        }
        self.write(bytes)
    }

    /// The text.
    ///
    /// # Errors
    /// A damaged gzip stream, text in no known encoding, a file that is no report by its size.
    pub fn finish(mut self, gb18030: Gb18030) -> Result<Loaded, Problem> {
        let name = self.name.clone();
        let in_file = |problem: Problem| problem.in_file(&name);
        self.begin().map_err(in_file)?;
        let body = match self.sink {
            Sink::Plain(body) => body,
            Sink::Gzip(decoder) => decoder.finish().map_err(|error| in_file(damaged(&error)))?,
            Sink::Head(_) => Body::new(self.whole_arrays),
        };
        let (text, is_json) = body.finish(gb18030).map_err(in_file)?;
        Ok(Loaded {
            name: self.name,
            found: false,
            text,
            is_json,
        })
    }

    /// Chooses by the first bytes, and takes them.
    fn begin(&mut self) -> Result<(), Problem> {
        let Sink::Head(head) = &mut self.sink else {
            return Ok(());
        };
        let head = std::mem::take(head);
        let body = Body::new(self.whole_arrays);
        self.sink = if head.starts_with(&[0x1f, 0x8b]) {
            Sink::Gzip(Box::new(MultiGzDecoder::new(body)))
        } else {
            Sink::Plain(body)
        };
        self.write(&head)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        match &mut self.sink {
            Sink::Plain(body) => {
                body.push(bytes);
                Ok(())
            }
            Sink::Gzip(decoder) => decoder
                .write_all(bytes)
                .map_err(|error| damaged(&error).in_file(&self.name)),
            Sink::Head(_) => Ok(()),
        }
    }
}

fn damaged(error: &std::io::Error) -> Problem {
    Problem::new(
        format!("the gzip file is damaged: {error}"),
        format!("gzip 文件已损坏：{error}"),
    )
    .remedy("unpack it, or fetch it again", "请先解压，或重新获取")
}

/// Blanks before the first character that tells, at the most.
const MOST_UNDECIDED: usize = 1 << 16;

/// The unpacked bytes.
struct Body {
    kind: Kind,
    whole_arrays: bool,
}

enum Kind {
    /// Only blanks and a byte order mark so far.
    Undecided(Vec<u8>),
    Json(Slimmer),
    /// Anything else, and JSON in another encoding than UTF-8.
    Text(Vec<u8>),
}

impl Body {
    fn new(whole_arrays: bool) -> Self {
        Self {
            kind: Kind::Undecided(Vec::new()),
            whole_arrays,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        match &mut self.kind {
            Kind::Json(slimmer) => slimmer.push(bytes),
            Kind::Text(text) => {
                let room = MOST_TEXT.saturating_sub(text.len());
                text.extend_from_slice(&bytes[..bytes.len().min(room + 1)]);
            }
            Kind::Undecided(head) => {
                head.extend_from_slice(bytes);
                let utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
                let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
                let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
                self.kind = match first {
                    _ if utf16 => Kind::Text(std::mem::take(head)),
                    // A lone first byte may be half a byte order mark.
                    None if head.len() <= MOST_UNDECIDED => return,
                    Some(0xef | 0xbb | 0xff | 0xfe) if head.len() < 3 => return,
                    Some(b'{' | b'[')
                        if is_json(text).is_none() && head.len() <= MOST_UNDECIDED =>
                    {
                        return;
                    }
                    Some(_) if is_json(text) == Some(true) => {
                        let mut slimmer = Slimmer::new(self.whole_arrays);
                        slimmer.push(text);
                        Kind::Json(slimmer)
                    }
                    _ => Kind::Text(std::mem::take(head)),
                };
            }
        }
    }

    fn finish(self, gb18030: Gb18030) -> Result<(String, bool), Problem> {
        match self.kind {
            Kind::Undecided(bytes) | Kind::Text(bytes) => {
                if bytes.len() > MOST_TEXT {
                    return Err(too_much(TooMuch::Large));
                }
                let text = decode(bytes, gb18030)?;
                // JSON that had to be decoded first.
                if is_json(text.as_bytes()) == Some(true) {
                    let mut slimmer = Slimmer::new(self.whole_arrays);
                    slimmer.push(text.as_bytes());
                    let kept = slimmer.finish().map_err(too_much)?;
                    return Ok((decode(kept, gb18030)?, true));
                }
                Ok((text, false))
            }
            Kind::Json(slimmer) => {
                let kept = slimmer.finish().map_err(too_much)?;
                Ok((decode(kept, gb18030)?, true))
            }
        }
    }
}

/// Whether a text is JSON by its start; `None` where more of it is needed. The `[2026-03-01 …]` of a
/// log line is not: no result is a bare array of numbers.
fn is_json(text: &[u8]) -> Option<bool> {
    let mut bytes = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    match bytes.next()? {
        b'{' => Some(true),
        b'[' => bytes
            .next()
            .map(|next| matches!(next, b'{' | b'[' | b'"' | b']')),
        _ => Some(false),
    }
}

impl Write for Body {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn too_much(too_much: TooMuch) -> Problem {
    match too_much {
        TooMuch::Nested => Problem::new(
            "the JSON is nested deeper than any tool writes it",
            "JSON 嵌套过深，不是任何工具写出的结果",
        ),
        TooMuch::Large => Problem::new(
            "the file is too large to be a benchmark result",
            "文件过大，不会是测试结果",
        ),
    }
    .remedy("give one tool's result", "请给出一个工具的结果")
}

/// By byte order mark, else strictly as UTF-8, else as GB18030.
pub(super) fn decode(bytes: Vec<u8>, gb18030: Gb18030) -> Result<String, Problem> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units)
            .collect::<Result<String, _>>()
            .map_err(|_| not_text(0))
    };
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes);
    }
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    String::from_utf8(bytes).or_else(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        // No encoding of text has zeros in it.
        let text = if bytes.contains(&0) {
            None
        } else {
            gb18030(&bytes)
        };
        text.ok_or_else(|| not_text(at))
    })
}

fn not_text(at: usize) -> Problem {
    Problem::new(
        "the file is text in no known encoding",
        "文件不是已知编码的文本",
    )
    .at(format!("byte {at}"))
    .remedy("save it as UTF-8", "请存为 UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_gb18030(_: &[u8]) -> Option<String> {
        None
    }

    fn load(bytes: &[u8], chunk: usize) -> Result<Loaded, Problem> {
        let mut loader = Loader::new("f", false);
        for part in bytes.chunks(chunk) {
            loader.push(part)?;
        }
        loader.finish(no_gb18030)
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "{\"模型\": [1, 2]}";
        let utf16 = |unit: fn(u16) -> [u8; 2], mark: u16| -> Vec<u8> {
            std::iter::once(mark)
                .chain(text.encode_utf16())
                .flat_map(unit)
                .collect()
        };
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        let gzip = gzip.finish().unwrap();
        let twice = [gzip.clone(), Vec::new()].concat();
        for bytes in [
            text.as_bytes().to_vec(),
            format!("\u{feff}{text}").into_bytes(),
            utf16(u16::to_le_bytes, 0xfeff),
            utf16(u16::to_be_bytes, 0xfeff),
            gzip,
            twice,
        ] {
            for chunk in [1, 2, 3, 100] {
                let loaded = load(&bytes, chunk).unwrap();
                assert_eq!((loaded.text.as_str(), loaded.is_json), (text, true));
            }
        }
    }

    #[test]
    fn a_log_that_opens_with_a_stamp_is_no_json() {
        for (text, is_json) in [
            ("[2026-03-01 10:15:00] start", false),
            (" [ {\"a\": 1}]", true),
            ("[\n", false),
            ("[]", true),
        ] {
            for chunk in [1, 3, 100] {
                assert_eq!(
                    load(text.as_bytes(), chunk).unwrap().is_json,
                    is_json,
                    "{text}"
                );
            }
        }
        // A large file is streamed from its first chunk on, whatever the chunk's size.
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(2 * MOST_UNDECIDED));
        let mut loader = Loader::new("f", false);
        loader.push(long.as_bytes()).unwrap();
        assert!(matches!(
            &loader.sink,
            Sink::Plain(Body {
                kind: Kind::Json(_),
                ..
            })
        ));
        let blanks = [vec![b' '; MOST_UNDECIDED + 1], b"{}".to_vec()].concat();
        assert!(load(&blanks, 4096).unwrap().is_json);
    }

    #[test]
    fn damage_is_named() {
        let damaged = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3, 4, 5].repeat(8);
        assert!(
            load(&damaged, 10)
                .unwrap_err()
                .to_string()
                .contains("gzip file is damaged")
        );
        assert!(
            load(b"\x80\x81 a", 10)
                .unwrap_err()
                .to_string()
                .contains("no known encoding")
        );
        assert_eq!(load(b"", 1).unwrap().text, "");
        assert_eq!(load(b"\xef\xbb\xbf", 1).unwrap().text, "");
    }
}
