//! Numbers in the cells of a spreadsheet, whose decimal mark depends on where it was saved.

use crate::{
    number::{parse_count, to_f64},
    problem::Problem,
};

/// How a table writes its numbers: one decimal mark, judged by every cell that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Numbers {
    /// `1,234.5`
    Point,
    /// `1.234,5`
    Comma,
}

/// What a cell shows of the decimal mark.
#[derive(Clone, Copy, PartialEq)]
enum Shows {
    /// No mark at all.
    Nothing,
    Point,
    Comma,
    /// `1.234`: a decimal point, or a point between thousands.
    OnePoint,
    /// `1,234`
    OneComma,
}

impl Numbers {
    /// Decides by the cells; where none shows it, by what separates them.
    ///
    /// # Errors
    /// Cells that contradict each other, and a cell of two meanings where nothing decides.
    pub(in super::super) fn of<'a>(
        cells: impl Iterator<Item = &'a str>,
        delimiter: char,
    ) -> Result<Self, Problem> {
        let seen: Vec<(&str, Shows)> = cells.map(|cell| (cell, shows(cell))).collect();
        let first = |wanted: Shows| seen.iter().find(|(_, shown)| *shown == wanted);
        let doubt = match (first(Shows::Point), first(Shows::Comma)) {
            (Some((point, _)), Some((comma, _))) => {
                return Err(Problem::new(
                    "decimal points and decimal commas are mixed",
                    "小数点与小数逗号混用",
                )
                .found(format!("{point}, {comma}"))
                .remedy("use one of them", "请统一小数点写法"));
            }
            (Some(_), None) => return Ok(Self::Point),
            (None, Some(_)) => return Ok(Self::Comma),
            // Where commas separate cells they are no decimal marks.
            (None, None) if delimiter == ',' => return Ok(Self::Point),
            (None, None) if delimiter == ';' => first(Shows::OnePoint),
            (None, None) => first(Shows::OneComma),
        };
        match doubt {
            Some((cell, _)) => Err(Problem::new(
                "is a fraction or thousands: nothing in the table decides",
                "可能是小数，也可能是千位分隔：表中没有其他依据",
            )
            .found(cell)
            .remedy(
                "write the numbers without separators of thousands",
                "请去掉数字中的千位分隔符",
            )),
            None if delimiter == ';' => Ok(Self::Comma),
            None => Ok(Self::Point),
        }
    }

    /// The number at the start of a cell, and what stands after it.
    pub(in super::super) fn split(self, cell: &str) -> Option<(f64, &str)> {
        let (digits, rest) = split(cell.trim());
        Some((self.plain(&digits)?.parse().ok()?, rest.trim()))
    }

    /// The number that a cell is, in Chinese units too: `1.2万`.
    pub(super) fn read(self, cell: &str) -> Option<f64> {
        let (digits, rest) = split(cell.trim());
        if rest.is_empty() {
            return self.plain(&digits)?.parse().ok();
        }
        let numbers = match is_chinese(rest) {
            true => Self::Point,
            false => self,
        };
        let count = parse_count(&(numbers.plain(&digits)? + rest)).ok()?;
        Some(to_f64(count))
    }

    /// As a program writes it: no separators of thousands, a decimal point.
    fn plain(self, digits: &str) -> Option<String> {
        let (thousands, mark) = match self {
            Self::Point => (',', '.'),
            Self::Comma => ('.', ','),
        };
        let (whole, fraction) = match digits.split_once(mark) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (digits, None),
        };
        if fraction.is_some_and(|fraction| fraction.contains(['.', ','])) {
            return None;
        }
        let mut groups = whole.trim_start_matches(['-', '+']).split(thousands);
        let first = groups.next()?;
        let (grouped, all_threes) = groups.fold((false, true), |(_, threes), group| {
            (true, threes && group.len() == 3)
        });
        if grouped && !(all_threes && (1..=3).contains(&first.len())) {
            return None;
        }
        let whole = whole.replace(thousands, "");
        Some(match fraction {
            Some(fraction) => format!("{whole}.{fraction}"),
            None => whole,
        })
    }
}

/// The digits and marks at the start, half-width and without blanks between them, and the rest.
fn split(cell: &str) -> (String, &str) {
    let mut digits = String::new();
    let mut end = 0;
    let mut chars = cell.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| half_width(*next));
        let next_is_digit = next.is_some_and(|next| next.is_ascii_digit());
        match half_width(c) {
            c @ ('0'..='9' | '.' | ',') => digits.push(c),
            sign @ ('-' | '+') if digits.is_empty() || digits.ends_with('e') => digits.push(sign),
            // An exponent, and not the first letter of a unit.
            'e' | 'E'
                if !digits.is_empty() && (next_is_digit || matches!(next, Some('-' | '+'))) =>
            {
                digits.push('e');
            }
            c if c.is_whitespace() && next_is_digit && !digits.is_empty() => {}
            _ => break,
        }
        end = at + c.len_utf8();
    }
    (digits, &cell[end..])
}

/// Whether a Chinese unit follows: such numbers have a decimal point wherever they are saved.
fn is_chinese(rest: &str) -> bool {
    rest.starts_with(['千', '万', '萬', '亿', '億'])
}

fn half_width(c: char) -> char {
    match c {
        '０'..='９' => {
            char::from_u32(u32::from(c) - u32::from('０') + u32::from('0')).unwrap_or(c)
        }
        '．' => '.',
        '，' => ',',
        '－' | '−' => '-',
        c => c,
    }
}

fn shows(cell: &str) -> Shows {
    let (digits, rest) = split(cell.trim());
    if is_chinese(rest) {
        return Shows::Nothing;
    }
    let digits = digits.trim_start_matches(['-', '+']);
    let last = match (digits.rfind('.'), digits.rfind(',')) {
        (None, None) => return Shows::Nothing,
        (Some(point), Some(comma)) => {
            return if point > comma {
                Shows::Point
            } else {
                Shows::Comma
            };
        }
        (Some(at), None) | (None, Some(at)) => at,
    };
    let is_point = digits.contains('.');
    let several = digits.matches(['.', ',']).count() > 1;
    let (whole, fraction) = (&digits[..last], &digits[last + 1..]);
    // Thousands come in threes, after one to three digits that do not start with a zero.
    let may_be_thousands =
        fraction.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0');
    match (is_point, several, may_be_thousands) {
        (true, true, _) => Shows::Comma,
        (false, true, _) => Shows::Point,
        (true, _, false) => Shows::Point,
        (false, _, false) => Shows::Comma,
        (true, _, true) => Shows::OnePoint,
        (false, _, true) => Shows::OneComma,
    }
}

/// What separates the cells of a text with a header.
pub(in super::super) fn delimiter(text: &str) -> char {
    let header = text.lines().find(|line| !line.trim().is_empty());
    let header = header.unwrap_or_default();
    let count = |c: &char| header.matches(*c).count();
    [',', ';', '\t', '|']
        .into_iter()
        .max_by_key(count)
        .unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cells: &[&str], delimiter: char) -> Result<Vec<Option<f64>>, String> {
        let numbers =
            Numbers::of(cells.iter().copied(), delimiter).map_err(|problem| problem.to_string())?;
        Ok(cells.iter().map(|cell| numbers.read(cell)).collect())
    }

    #[test]
    fn the_whole_table_decides_on_the_decimal_mark() {
        for (cells, delimiter, figures) in [
            // What others read as 129, 1.234 and 435.
            (
                &["1,29", "1.234,56", "0,435"][..],
                ';',
                &[1.29, 1234.56, 0.435][..],
            ),
            (&["1,234", "0,75"], ';', &[1.234, 0.75]),
            (&["1,234", "0.75"], ';', &[1234.0, 0.75]),
            (&["1,234"], ';', &[1.234]),
            (&["1,234", "1.234"], ',', &[1234.0, 1.234]),
            (&["1,29"], ',', &[1.29]),
            (&["1,234,567"], '\t', &[1_234_567.0]),
            (&["1.234.567", "1.234"], '\t', &[1_234_567.0, 1234.0]),
            (&["1.234", "5"], '\t', &[1.234, 5.0]),
            (&["1 234,5", "1\u{202f}234"], ';', &[1234.5, 1234.0]),
            (&["1,29", "1.2万"], ';', &[1.29, 12_000.0]),
            (&["-2.5", "1.5e3", "2E-1"], ',', &[-2.5, 1500.0, 0.2]),
        ] {
            let expected = figures.iter().copied().map(Some).collect();
            assert_eq!(read(cells, delimiter), Ok(expected), "{cells:?}");
        }
    }

    #[test]
    fn what_nothing_decides_is_asked_and_what_contradicts_is_refused() {
        for (cells, delimiter) in [(&["1.234"], ';'), (&["1,234"], '\t')] {
            let message = read(cells, delimiter).unwrap_err();
            assert!(
                message.contains("nothing in the table decides"),
                "{message}"
            );
        }
        let message = read(&["1.5", "1,5"], ',').unwrap_err();
        assert!(message.contains("mixed (found 1.5, 1,5)"), "{message}");
        for cell in [
            "",
            "fast",
            "1.2.3",
            "12,34,56",
            "5%",
            "500次/天",
            "1-2",
            "120 ms",
        ] {
            assert_eq!(Numbers::Point.read(cell), None, "{cell}");
        }
    }

    #[test]
    fn chinese_units_are_read() {
        for (cell, figure) in [
            ("1,100万", 11_000_000.0),
            ("1.2万", 12_000.0),
            ("3万4000", 34_000.0),
            ("25万6千", 256_000.0),
            ("250亿", 25_000_000_000.0),
            ("1100.9亿", 110_090_000_000.0),
            ("４５，０００", 45_000.0),
            ("１２３万", 1_230_000.0),
            ("3千", 3_000.0),
        ] {
            assert_eq!(Numbers::Point.read(cell), Some(figure), "{cell}");
        }
    }
}
