//! The two languages everything for people is written in.

use serde::{Deserialize, Serialize};

/// A language of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// The language of a locale tag such as `zh-CN`, `zh_Hans_CN.UTF-8` or `en-GB`;
    /// English for every language other than Chinese.
    #[must_use]
    pub fn of_locale(locale: &str) -> Self {
        match locale.get(..2) {
            Some(tag) if tag.eq_ignore_ascii_case("zh") => Self::Zh,
            _ => Self::En,
        }
    }

    /// The BCP 47 tag, for `lang` attributes and number formats.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-Hans-CN",
        }
    }
}

/// One text in both languages. Both are given where it is made, so that none can be missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Bilingual {
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

impl Bilingual {
    /// A text from its two renderings.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self {
            en: en.into(),
            zh: zh.into(),
        }
    }

    /// A name or figure that reads the same in both languages.
    pub fn same(text: impl Into<String>) -> Self {
        let en = text.into();
        Self { zh: en.clone(), en }
    }

    /// The rendering in `lang`.
    #[must_use]
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

/// A warning, or a reason why an option is out: a stable code for programs, a sentence for people.
///
/// Codes never change meaning; sentences may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Notice {
    /// Stable, in kebab case: `no-report`, `price-old`, …
    pub code: String,
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

impl Notice {
    /// A notice from its code and its two sentences.
    pub fn new(code: &str, en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            en: en.into(),
            zh: zh.into(),
        }
    }

    /// The sentence in `lang`.
    #[must_use]
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::Zh => &self.zh,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_choose_the_language() {
        for zh in ["zh", "zh-CN", "zh_Hans_CN.UTF-8", "ZH_TW"] {
            assert_eq!(Lang::of_locale(zh), Lang::Zh, "{zh}");
        }
        for en in ["", "C", "en_US.UTF-8", "de-DE", "é"] {
            assert_eq!(Lang::of_locale(en), Lang::En, "{en}");
        }
    }
}
