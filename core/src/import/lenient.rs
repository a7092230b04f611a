//! Python writes `NaN`, `Infinity` and `-Infinity` into JSON; JSON has no such words.

use std::borrow::Cow;

const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Puts quotes around those words where they stand outside a string, so that a strict parser
/// reads the rest. Line numbers stay; columns after such a word move by two.
pub(super) fn quote_non_finite(text: &str) -> Cow<'_, str> {
    if !text.contains("NaN") && !text.contains("Infinity") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    let mut in_string = false;
    while let Some(at) = rest.find(['"', '\\', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'"' => {
                in_string = !in_string;
                1
            }
            // An escape: its next character is not a quote that ends the string.
            b'\\' if in_string => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ if in_string => 1,
            _ => match WORDS.iter().find(|word| rest.starts_with(**word)) {
                Some(word) => {
                    out.push('"');
                    out.push_str(word);
                    out.push('"');
                    rest = &rest[word.len()..];
                    continue;
                }
                None => 1,
            },
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::quote_non_finite;

    #[test]
    fn bare_words_are_quoted_and_strings_left_alone() {
        let text = r#"{"rate": Infinity, "low": -Infinity, "p99": NaN, "s": "NaN \" Infinity", "t": "价\\", "u": -1}"#;
        let quoted = r#"{"rate": "Infinity", "low": "-Infinity", "p99": "NaN", "s": "NaN \" Infinity", "t": "价\\", "u": -1}"#;
        assert_eq!(quote_non_finite(text), quoted);
        assert_eq!(quote_non_finite("{}"), "{}");
        assert_eq!(quote_non_finite("NaN \\"), "\"NaN\" \\");
    }
}
