//! Where data is processed.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::text::{Bilingual, Lang};

/// A jurisdiction whose rules apply to where data is processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Residency {
    /// The mainland of China.
    CnMainland,
    /// Hong Kong.
    HongKong,
    /// The United States.
    Us,
    /// The European Union.
    Eu,
    /// The United Kingdom.
    Uk,
    /// Canada.
    Canada,
    /// Japan.
    Japan,
    /// Korea.
    Korea,
    /// Singapore.
    Singapore,
    /// India.
    India,
    /// Australia.
    Australia,
    /// South America.
    SouthAmerica,
    /// The Middle East.
    MiddleEast,
    /// Africa.
    Africa,
    /// Some other named place.
    Other,
}

/// Every place with its word and its names.
const PLACES: [(Residency, &str, &str, &str); 15] = [
    (
        Residency::CnMainland,
        "cn-mainland",
        "mainland China",
        "中国内地",
    ),
    (Residency::HongKong, "hong-kong", "Hong Kong", "香港"),
    (Residency::Us, "us", "the United States", "美国"),
    (Residency::Eu, "eu", "the European Union", "欧盟"),
    (Residency::Uk, "uk", "the United Kingdom", "英国"),
    (Residency::Canada, "canada", "Canada", "加拿大"),
    (Residency::Japan, "japan", "Japan", "日本"),
    (Residency::Korea, "korea", "Korea", "韩国"),
    (Residency::Singapore, "singapore", "Singapore", "新加坡"),
    (Residency::India, "india", "India", "印度"),
    (Residency::Australia, "australia", "Australia", "澳大利亚"),
    (
        Residency::SouthAmerica,
        "south-america",
        "South America",
        "南美",
    ),
    (
        Residency::MiddleEast,
        "middle-east",
        "the Middle East",
        "中东",
    ),
    (Residency::Africa, "africa", "Africa", "非洲"),
    (Residency::Other, "other", "another place", "其他地区"),
];

/// How traffic of users in mainland China reaches a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Within the mainland.
    Domestic,
    /// Across the border.
    CrossBorder,
}

impl Residency {
    /// Its word in documents.
    #[must_use]
    pub fn key(self) -> &'static str {
        self.row().1
    }

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> Bilingual {
        let (_, _, en, zh) = self.row();
        Bilingual::new(*en, *zh)
    }

    /// How traffic of users in mainland China reaches it.
    #[must_use]
    pub fn network(self) -> Network {
        match self {
            Self::CnMainland => Network::Domestic,
            _ => Network::CrossBorder,
        }
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, &'static str) {
        // The table holds every place: a test sees to it.
        PLACES
            .iter()
            .find(|row| row.0 == self)
            .unwrap_or(&PLACES[14])
    }
}

impl Network {
    /// Its name for people.
    #[must_use]
    pub fn name(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Domestic, Lang::En) => "within mainland China",
            (Self::Domestic, Lang::Zh) => "境内",
            (Self::CrossBorder, Lang::En) => "across the border from mainland China",
            (Self::CrossBorder, Lang::Zh) => "跨境",
        }
    }
}

impl fmt::Display for Residency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for Residency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.trim().to_ascii_lowercase();
        let found = PLACES.iter().find(|row| row.1 == wanted);
        found.map(|row| row.0).ok_or_else(|| {
            let known: Vec<_> = PLACES.iter().map(|row| row.1).collect();
            format!("`{text}` is not a place known here: {}", known.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_its_word() {
        for (place, key, ..) in PLACES {
            assert_eq!(place.key(), key);
            assert_eq!(key.parse(), Ok(place));
            assert_eq!(serde_json::to_value(place).unwrap(), key);
        }
        assert!(
            "mars"
                .parse::<Residency>()
                .unwrap_err()
                .contains("cn-mainland")
        );
    }
}
