//! What is wrong with an input, and what would be right.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::{Bilingual, Lang};

/// One fault of one input: where it is, what stands there, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file or document, as its giver named it.
    pub file: Option<String>,
    /// The field's path inside it (`points[3].ttft_s.p99`), or a line.
    pub path: Option<String>,
    /// What stands there now.
    pub value: Option<String>,
    /// What is wrong, as a clause.
    pub what: Box<Bilingual>,
    /// What would be right.
    pub remedy: Option<Box<Bilingual>>,
}

impl Problem {
    /// A fault, with nothing yet said of its place.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self {
            file: None,
            path: None,
            value: None,
            what: Box::new(Bilingual::new(en, zh)),
            remedy: None,
        }
    }

    /// Says which file or document it is in, unless that is said already.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }

    /// Says which field it is about.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Says what stands there; long values are cut.
    #[must_use]
    pub fn found(mut self, value: impl fmt::Display) -> Self {
        let value = value.to_string();
        let cut: String = value.chars().take(80).collect();
        self.value = Some(if cut.len() < value.len() {
            format!("{cut}…")
        } else {
            cut
        });
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn remedy(mut self, en: impl Into<String>, zh: impl Into<String>) -> Self {
        self.remedy = Some(Box::new(Bilingual::new(en, zh)));
        self
    }

    /// The whole message: `FILE: PATH: WHAT (found VALUE). REMEDY.`
    #[must_use]
    pub fn text(&self, lang: Lang) -> String {
        let mut place = String::new();
        for part in [&self.file, &self.path].into_iter().flatten() {
            place.push_str(part);
            place.push_str(match lang {
                Lang::En => ": ",
                Lang::Zh => "：",
            });
        }
        let mut text = place + self.what.get(lang);
        match (lang, &self.value) {
            (_, None) => {}
            (Lang::En, Some(value)) => text.push_str(&format!(" (found {value})")),
            (Lang::Zh, Some(value)) => text.push_str(&format!("（现为 {value}）")),
        }
        match (lang, &self.remedy) {
            (_, None) => {}
            (Lang::En, Some(remedy)) => text.push_str(&format!("; {}", remedy.en)),
            (Lang::Zh, Some(remedy)) => text.push_str(&format!("；{}", remedy.zh)),
        }
        text
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for Problem {}

/// Every fault found in an input, so that all can be mended at once. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// `Ok` where there are none.
    ///
    /// # Errors
    /// The faults, where there are any.
    pub fn none_in(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            Ok(())
        } else {
            Err(Self(problems))
        }
    }

    /// Names the file in every fault that does not yet name one.
    #[must_use]
    pub fn in_file(self, file: &str) -> Self {
        Self(self.0.into_iter().map(|p| p.in_file(file)).collect())
    }

    /// One more fault after these.
    #[must_use]
    pub fn with(mut self, problem: Problem) -> Self {
        self.0.push(problem);
        self
    }

    /// The faults, in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_place_value_and_remedy_in_both_languages() {
        let problem = Problem::new("is negative", "不能为负数")
            .in_file("a.json")
            .at("points[0].duration_s")
            .found(-3)
            .remedy("give seconds above 0", "应为大于 0 的秒数");
        assert_eq!(
            problem.text(Lang::En),
            "a.json: points[0].duration_s: is negative (found -3); give seconds above 0"
        );
        assert_eq!(
            problem.text(Lang::Zh),
            "a.json：points[0].duration_s：不能为负数（现为 -3）；应为大于 0 的秒数"
        );
    }

    #[test]
    fn long_values_are_cut_at_a_character() {
        let problem = Problem::new("x", "x").found("价".repeat(100));
        assert_eq!(problem.value.unwrap().chars().count(), 81);
    }
}
