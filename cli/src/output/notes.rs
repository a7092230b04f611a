//! Warnings on their own lines.

use inferplan_core::{
    lint::Lint,
    report::{Report, difference},
    text::{Lang, Notice},
};

use super::words;

/// `warning[price-old]: The price was …`
pub fn warning(notice: &Notice, lang: Lang) -> String {
    warning_text(&notice.code, notice.get(lang), lang)
}

/// The same from its parts.
pub fn warning_text(code: &str, text: &str, lang: Lang) -> String {
    let warning = words::of(lang).warning;
    match lang {
        Lang::En => format!("{warning}[{code}]: {text}"),
        Lang::Zh => format!("{warning}[{code}]：{text}"),
    }
}

/// Which files of a folder are no results, on standard error.
pub fn passed_over(files: &[String], lang: Lang) {
    for file in files {
        match lang {
            Lang::En => eprintln!("{file}: not a result of a known tool, passed over"),
            Lang::Zh => eprintln!("{file}：不是已支持工具的结果，已跳过"),
        }
    }
}

/// Why two reports did not join into one, on standard error.
pub fn apart(a: &Report, b: &Report, lang: Lang) {
    let Some((field, one, other)) = difference(a, b) else {
        return;
    };
    let (a, b) = (&a.id, &b.id);
    match lang {
        Lang::En => eprintln!("{b} is kept apart from {a}: {field} is {other}, not {one}"),
        Lang::Zh => eprintln!("{b} 未与 {a} 合并：{field} 为 {other}，而非 {one}"),
    }
}

/// A lint with what to do, wrapped.
pub fn lint(lint: &Lint, lang: Lang) -> String {
    let (word, code) = (lint.severity.word(lang), &lint.code);
    let (why, remedy) = (lint.why.get(lang), lint.remedy.get(lang));
    let text = match lang {
        Lang::En => format!("{word}[{code}]: {why} {remedy}"),
        Lang::Zh => format!("{word}[{code}]：{why}{remedy}"),
    };
    wrapped(text.trim_end(), "  ", "    ") + "\n"
}

/// Text in at most [`WIDTH`] columns.
pub fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let options = textwrap::Options::new(WIDTH)
        .initial_indent(first)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .subsequent_indent(rest);
    textwrap::fill(text, options)
}

/// Columns of everything for people.
pub const WIDTH: usize = 80;
