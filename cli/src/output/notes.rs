//! Warnings on their own lines.

use inferplan_core::text::{Lang, Notice};

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
