//! A table with a header, as load tools and spreadsheets save it.

/// A parsed table: a header and rows of as many cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) headers: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// What separates cells; a semicolon means that a comma is the decimal point.
    delimiter: char,
}

impl Table {
    /// Reads a table; `None` for a text without a header of at least two columns.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let header = text.lines().find(|line| !line.trim().is_empty())?;
        let delimiter = [',', ';', '\t', '|']
            .into_iter()
            .max_by_key(|c| header.matches(*c).count())?;
        if header.matches(delimiter).count() == 0 {
            return None;
        }
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter as u8)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let headers: Vec<String> = reader.headers().ok()?.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let row: Vec<String> = record.ok()?.iter().map(str::to_owned).collect();
            rows.push(row);
        }
        Some(Self {
            headers,
            rows,
            delimiter,
        })
    }

    /// The place of a column, by its exact header.
    pub(super) fn column(&self, header: &str) -> Option<usize> {
        self.headers.iter().position(|name| name == header)
    }

    /// Whether every one of the headers is there.
    pub(super) fn has(&self, headers: &[&str]) -> bool {
        headers.iter().all(|header| self.column(header).is_some())
    }

    /// A cell's text; empty cells and the words for none are `None`.
    pub(super) fn cell<'t>(&'t self, row: &'t [String], column: usize) -> Option<&'t str> {
        let text = row.get(column)?.as_str();
        (!matches!(
            text,
            "" | "-" | "N/A" | "n/a" | "NaN" | "nan" | "null" | "None"
        ))
        .then_some(text)
    }

    /// A cell's number; the error is the text that is none.
    pub(super) fn number(&self, row: &[String], column: usize) -> Option<Result<f64, String>> {
        let text = self.cell(row, column)?;
        let plain = text.trim_end_matches('%').replace([' ', '\u{a0}'], "");
        let plain = if self.delimiter == ';' && plain.contains(',') {
            // A decimal comma: points, if any, separate thousands.
            plain.replace('.', "").replace(',', ".")
        } else {
            plain.replace(',', "")
        };
        Some(
            plain
                .parse::<f64>()
                .ok()
                .filter(|n| n.is_finite())
                .ok_or_else(|| text.to_owned()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_whatever_separates_their_cells() {
        let comma = Table::parse("a,b\n1,\"2,000.5\"\n").unwrap();
        assert_eq!(comma.number(&comma.rows[0], 1), Some(Ok(2000.5)));
        let semicolon = Table::parse("a;b\r\n1,29;1.234,56\r\nx;\r\n").unwrap();
        assert_eq!(semicolon.number(&semicolon.rows[0], 0), Some(Ok(1.29)));
        assert_eq!(semicolon.number(&semicolon.rows[0], 1), Some(Ok(1234.56)));
        assert_eq!(
            semicolon.number(&semicolon.rows[1], 0),
            Some(Err("x".into()))
        );
        assert_eq!(semicolon.number(&semicolon.rows[1], 1), None);
        assert_eq!(Table::parse("one column\n1\n"), None);
        assert!(comma.has(&["a", "b"]) && !comma.has(&["c"]));
    }
}
