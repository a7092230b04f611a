//! The table for people: the answer, the options, what to know of them, and what is out.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use inferplan_core::{
    comparison::{Choice, Comparison},
    text::{Lang, Notice},
};

use super::{
    notes::{self, WIDTH, wrapped},
    row::Row,
    words,
};

/// The whole text, at most 80 columns wide.
pub fn of(comparison: &Comparison, lang: Lang, all: bool) -> String {
    let answer: String = comparison
        .answer(lang)
        .into_iter()
        .map(|phrase| phrase.text)
        .collect();
    let mut text = wrapped(&answer, "", "") + "\n";
    let mut footnotes = Footnotes::default();
    if comparison.feasible().next().is_some() {
        text += &format!("\n{}\n", options(comparison, lang, all, &mut footnotes));
    }
    text += &other_models(comparison, lang, all);
    text += &footnotes.text(lang);
    let out: Vec<&Choice> = comparison.options.iter().filter(|o| !o.feasible).collect();
    if !out.is_empty() {
        text += &if all {
            every_reason(&out, lang)
        } else {
            reasons(&out, lang)
        };
    }
    if !comparison.warnings.is_empty() {
        text += "\n";
    }
    for warning in comparison.own_warnings() {
        text += &(wrapped(&notes::warning(warning, lang), "", "  ") + "\n");
    }
    text += &measurements(comparison, lang);
    text += &format!("\n{}", basis(comparison, lang));
    text
}

/// Whether an option has its row: hosted services of other models than the measured one would crowd
/// out those of it.
fn has_row(option: &Choice, all: bool) -> bool {
    all || !option.serves_another_model()
}

/// How many options have no row, and how to see them.
fn other_models(comparison: &Comparison, lang: Lang, all: bool) -> String {
    let count = if all {
        0
    } else {
        comparison.of_other_models().count()
    };
    if count == 0 {
        return String::new();
    }
    let text = match lang {
        Lang::En => {
            format!("{count} hosted services of other models are not shown; --all shows them.")
        }
        Lang::Zh => format!("另有 {count} 个其他模型的托管服务未显示；--all 可显示。"),
    };
    wrapped(&text, "", "") + "\n"
}

fn options(comparison: &Comparison, lang: Lang, all: bool, footnotes: &mut Footnotes) -> String {
    let words = words::of(lang);
    let mut reports: Vec<_> = comparison
        .options
        .iter()
        .filter_map(|o| o.report.as_ref())
        .collect();
    reports.sort();
    reports.dedup();
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH as u16)
        .set_header([
            words.option,
            words.month,
            words.accelerators,
            words.utilization,
            words.per_million,
            words.basis,
            words.notes,
        ]);
    for option in comparison.feasible().filter(|option| has_row(option, all)) {
        let row = Row::of(option, lang, reports.len() > 1);
        let marks: Vec<String> = option
            .warnings
            .iter()
            .map(|w| footnotes.mark(w).to_string())
            .collect();
        table.add_row([
            row.option,
            row.month,
            row.accelerators,
            row.utilization,
            row.per_million,
            row.basis,
            marks.join(" "),
        ]);
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        if (1..=4).contains(&i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        column.set_padding((0, 2));
    }
    // Names stay readable: the notes' numbers give way first.
    if let Some(column) = table.column_mut(0) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(24)));
    }
    for whole in [1, 5] {
        if let Some(column) = table.column_mut(whole) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    if let Some(column) = table.column_mut(6) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(12)));
    }
    trimmed(&table.to_string())
}

/// Warnings that options share, numbered in the order they are met.
#[derive(Default)]
struct Footnotes(Vec<Notice>);

impl Footnotes {
    fn mark(&mut self, notice: &Notice) -> usize {
        match self.0.iter().position(|known| known == notice) {
            Some(at) => at + 1,
            None => {
                self.0.push(notice.clone());
                self.0.len()
            }
        }
    }

    fn text(&self, lang: Lang) -> String {
        let line = |(i, notice): (usize, &Notice)| {
            wrapped(notice.get(lang), &format!("{:>3}  ", i + 1), "     ") + "\n"
        };
        let lines: String = self.0.iter().enumerate().map(line).collect();
        if lines.is_empty() {
            lines
        } else {
            format!("\n{lines}")
        }
    }
}

/// What is out, by reason: short enough to read, `--all` for every option.
fn reasons(out: &[&Choice], lang: Lang) -> String {
    let mut by_code: BTreeMap<&str, Vec<(&Choice, &Notice)>> = BTreeMap::new();
    for option in out {
        for reason in &option.reasons {
            by_code
                .entry(&reason.code)
                .or_default()
                .push((option, reason));
        }
    }
    let mut text = match lang {
        Lang::En => format!(
            "\nOut: {}, some for several reasons; --all lists each with its own.\n",
            match out.len() {
                1 => "1 option".to_owned(),
                count => format!("{count} options"),
            }
        ),
        Lang::Zh => format!(
            "\n不可行：{} 个方案，有的不止一个原因；--all 逐一列出。\n",
            out.len()
        ),
    };
    for (code, options) in by_code {
        let count = options.len();
        let line = if code == "no-report" {
            let mut names: Vec<_> = options
                .iter()
                .filter_map(|(o, _)| o.accelerator.as_deref())
                .collect();
            names.sort_unstable();
            names.dedup();
            match lang {
                Lang::En => format!("no report covers {} ({count})", names.join(", ")),
                Lang::Zh => format!("没有实测报告：{}（{count}）", names.join("、")),
            }
        } else {
            let (option, first) = options[0];
            let (name, sentence) = (option.name.get(lang), first.get(lang));
            // One option's sentence does not stand for others with other figures.
            let same = options.iter().all(|(_, reason)| *reason == first);
            match (lang, same) {
                (Lang::En, true) => format!("{sentence} ({count})"),
                (Lang::Zh, true) => format!("{sentence}（{count}）"),
                (Lang::En, false) => format!("{name}: {sentence} And {} like it.", count - 1),
                (Lang::Zh, false) => format!("{name}：{sentence}另有 {} 个类似。", count - 1),
            }
        };
        text += &(wrapped(&line, "  ", "    ") + "\n");
    }
    text
}

fn every_reason(out: &[&Choice], lang: Lang) -> String {
    let mut text = match lang {
        Lang::En => "\nOut:\n".to_owned(),
        Lang::Zh => "\n不可行：\n".to_owned(),
    };
    for option in out {
        text += &format!("  {}\n", option.name.get(lang));
        for reason in &option.reasons {
            text += &(wrapped(reason.get(lang), "    ", "    ") + "\n");
        }
    }
    text
}

/// What there is to know of the reports, by code: `inferplan lint` has the sentences.
fn measurements(comparison: &Comparison, lang: Lang) -> String {
    let mut codes: Vec<&str> = comparison
        .report_warnings()
        .map(|notice| notice.code.as_str())
        .collect();
    codes.dedup();
    if codes.is_empty() {
        return String::new();
    }
    let codes = codes.join(", ");
    let line = match lang {
        Lang::En => format!("About the measurements: {codes}. `inferplan lint REPORT` explains."),
        Lang::Zh => format!("关于实测：{codes}。详见 `inferplan lint 报告`。"),
    };
    wrapped(&line, "", "  ") + "\n"
}

/// The last line: which prices, which month.
fn basis(comparison: &Comparison, lang: Lang) -> String {
    let (day, hours) = (comparison.as_of, comparison.hours_per_month);
    let line = match lang {
        Lang::En => {
            format!("Prices as of {day}; a month of {hours} hours; sources and bill lines: --json.")
        }
        Lang::Zh => format!("价格日期 {day}；每月 {hours} 小时；出处与账单明细见 --json。"),
    };
    wrapped(&line, "", "") + "\n"
}

fn trimmed(table: &str) -> String {
    table
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}
