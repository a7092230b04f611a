//! The same as Markdown.

use inferplan_core::{comparison::Comparison, text::Lang};

use super::{notes, row::Row, words};

/// The answer, a table of every option, and the warnings.
pub fn of(comparison: &Comparison, lang: Lang) -> String {
    let words = words::of(lang);
    let phrases = comparison.answer(lang);
    let answer: String = phrases
        .iter()
        .map(|phrase| match phrase.strong {
            true => format!("**{}**", phrase.text),
            false => phrase.text.clone(),
        })
        .collect();
    let header = [
        words.option,
        words.month,
        words.accelerators,
        words.utilization,
        words.per_million,
        words.basis,
        words.price,
    ];
    let mut text = format!(
        "{answer}\n\n| {} |\n| --- | ---: | ---: | ---: | ---: | --- | --- |\n",
        header.join(" | ")
    );
    for option in &comparison.options {
        let row = Row::of(option, lang, true);
        let month = if option.feasible {
            row.month
        } else {
            let reasons: Vec<_> = option
                .reasons
                .iter()
                .map(|reason| reason.get(lang))
                .collect();
            reasons.join(" ")
        };
        let day = option
            .price_effective_from
            .map_or_else(|| "–".to_owned(), |day| day.to_string());
        let cells = [
            row.option,
            month,
            row.accelerators,
            row.utilization,
            row.per_million,
            row.basis,
            day,
        ];
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text += &format!("| {} |\n", cells.join(" | "));
    }
    // Each once, with the options it is of.
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for option in comparison.feasible() {
        let name = option.name.get(lang);
        for warning in &option.warnings {
            let text = warning.get(lang);
            match notes.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(name),
                None => notes.push((text, vec![name])),
            }
        }
    }
    for (note, names) in notes {
        text += &match lang {
            Lang::En => format!("\n- {}: {note}", names.join("; ")),
            Lang::Zh => format!("\n- {}：{note}", names.join("；")),
        };
    }
    for warning in &comparison.warnings {
        text += &format!("\n- {}", notes::warning(warning, lang));
    }
    if !comparison.warnings.is_empty() {
        text.push('\n');
    }
    text
}
