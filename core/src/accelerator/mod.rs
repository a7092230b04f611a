//! Accelerator names: one canonical name each, many spellings.
//!
//! A name has a class (`A100`), a memory size where the class was sold with several, and a form
//! (SXM, PCIe, …) where that is known. SXM and PCIe boards differ in speed and price, so a name
//! that does not say its form is its own name, and matches either with a warning.

mod classes;
mod memory;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use classes::{CLASSES, Class, NOISE, PRODUCT_NAMES};

pub use memory::{GIB, Memory, MemorySource};

/// How the accelerator is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// Socketed, on an HGX or DGX board.
    Sxm,
    /// A PCIe card.
    Pcie,
    /// Two PCIe cards bridged by NVLink.
    Nvl,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Sxm => "SXM",
            Self::Pcie => "PCIe",
            Self::Nvl => "NVL",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        match word {
            "sxm" | "sxm2" | "sxm3" | "sxm4" | "sxm5" | "sxm6" | "hgx" | "dgx" => Some(Self::Sxm),
            "pcie" => Some(Self::Pcie),
            "nvl" => Some(Self::Nvl),
            _ => None,
        }
    }
}

/// A canonical accelerator name. Displays as `H100 80GB SXM`, `L40S`, `Ascend 910B`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Accelerator {
    class: String,
    /// Only where the class was sold with several sizes.
    memory_gb: Option<u32>,
    form: Option<Form>,
    known: bool,
}

/// Whether a price for one accelerator may use a measurement of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The same name.
    Same,
    /// The same but for a form that one of the two does not state.
    FormUnstated,
    /// Another accelerator.
    Different,
}

impl Accelerator {
    /// Compares two names. Forms that are both stated must agree; memory must agree always.
    #[must_use]
    pub fn matches(&self, other: &Self) -> Match {
        if self.class != other.class || self.memory_gb != other.memory_gb {
            return Match::Different;
        }
        match (self.form, other.form) {
            (a, b) if a == b => Match::Same,
            (Some(_), Some(_)) => Match::Different,
            _ => Match::FormUnstated,
        }
    }

    /// The memory's bandwidth by the maker's data sheet, bytes per second; `None` where it is not
    /// known here. For a form that is not stated, the faster one's.
    #[must_use]
    pub fn memory_bandwidth_bytes_per_s(&self) -> Option<f64> {
        let gigabytes = match (self.class.as_str(), self.memory_gb, self.form) {
            ("T4", ..) => 320.0,
            ("V100", ..) => 900.0,
            ("A10" | "A10G", ..) => 600.0,
            ("A30", ..) => 933.0,
            ("A40", ..) => 696.0,
            ("A100" | "A800", Some(40), _) => 1555.0,
            ("A100" | "A800", _, Some(Form::Pcie)) => 1935.0,
            ("A100" | "A800", ..) => 2039.0,
            ("L4", ..) => 300.0,
            ("L20" | "L40" | "L40S", ..) => 864.0,
            ("H20" | "H20-3e", ..) => 4800.0,
            ("H100", _, Some(Form::Pcie)) => 2000.0,
            ("H100", _, Some(Form::Nvl)) => 3900.0,
            ("H100" | "H800", ..) => 3350.0,
            ("H200", ..) => 4800.0,
            ("B200" | "B300", ..) => 8000.0,
            ("RTX 4090", ..) => 1008.0,
            ("RTX 5090" | "RTX PRO 6000", ..) => 1792.0,
            ("MI300X", ..) => 5300.0,
            ("MI325X", ..) => 6000.0,
            _ => return None,
        };
        Some(gigabytes * 1e9)
    }

    /// Its class: `A100`, whatever its memory and form.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.class
    }

    /// Whether the name is in the list of classes; one that is not matches only itself.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known
    }
}

impl fmt::Display for Accelerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.class)?;
        if let Some(memory) = self.memory_gb {
            write!(f, " {memory}GB")?;
        }
        if let Some(form) = self.form {
            write!(f, " {}", form.name())?;
        }
        Ok(())
    }
}

impl FromStr for Accelerator {
    type Err = Problem;

    /// Reads any spelling: `NVIDIA A100-SXM4-80GB`, `gpu-a100-large`, `昇腾910B`.
    ///
    /// A name with words that mean nothing here (`A100X`, `RTX A1000 Laptop GPU`) becomes a name
    /// of its own. A name that two products share (a bare `A100`: 40 or 80 GB) is an error.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let product = PRODUCT_NAMES
            .iter()
            .find(|(product, _)| product.eq_ignore_ascii_case(text.trim()));
        let words = words(product.map_or(text, |(_, name)| name));
        if words.is_empty() {
            return Err(
                Problem::new("the accelerator's name is empty", "加速卡名称为空").remedy(
                    "give a name such as \"H100 80GB SXM\"",
                    "请给出如 \"H100 80GB SXM\" 的名称",
                ),
            );
        }
        let Some((class, rest)) = most_specific(&words) else {
            return Ok(Self::unlisted(text));
        };
        let mut memory_gb = None;
        let mut form = None;
        for word in &rest {
            if let Some(size) = memory_of(word) {
                memory_gb = Some(size);
            } else if let Some(stated) = Form::of_word(word) {
                if form.is_some_and(|form| form != stated) {
                    return Err(Problem::new(
                        "two forms of one accelerator are stated",
                        "写了同一加速卡的两种形态",
                    )
                    .found(text)
                    .remedy(
                        "state one, such as SXM or PCIe",
                        "请只写一种，如 SXM 或 PCIe",
                    ));
                }
                form = Some(stated);
            } else if word == "hbm3" && class.name == "H100" {
                // The driver calls the SXM5 board "H100 80GB HBM3"; the PCIe card has HBM2e.
                form = form.or(Some(Form::Sxm));
            } else if !NOISE.contains(&word.as_str()) {
                return Ok(Self::unlisted(text));
            }
        }
        let memory_gb = class.memory(memory_gb, form, text)?;
        Ok(Self {
            class: class.name.to_owned(),
            memory_gb,
            form: form.filter(|_| class.has_forms),
            known: true,
        })
    }
}

impl Accelerator {
    fn unlisted(text: &str) -> Self {
        Self {
            class: text.split_whitespace().collect::<Vec<_>>().join(" "),
            memory_gb: None,
            form: None,
            known: false,
        }
    }
}

impl TryFrom<String> for Accelerator {
    type Error = Problem;

    fn try_from(text: String) -> Result<Self, Problem> {
        text.parse()
    }
}

impl From<Accelerator> for String {
    fn from(accelerator: Accelerator) -> Self {
        accelerator.to_string()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Accelerator {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Accelerator".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "An accelerator's name in any known spelling, such as \"H100 80GB SXM\"."
        })
    }
}

/// Lower-case words, split at spaces and punctuation; Chinese and vendor prefixes set apart.
fn words(text: &str) -> Vec<String> {
    let text = text
        .to_lowercase()
        .replace("昇腾", " ascend ")
        .replace("华为", " huawei ")
        .replace("ascend", " ascend ")
        .replace("geforce", " geforce ")
        .replace("rtx", " rtx ");
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    // "80 GB" is one word, as in "80GB".
    let mut i = 0;
    while i + 1 < words.len() {
        let is_number = words[i].chars().all(|c| c.is_ascii_digit());
        if is_number && matches!(words[i + 1].as_str(), "gb" | "g" | "gib") {
            let unit = words.remove(i + 1);
            words[i].push_str(&unit);
        }
        i += 1;
    }
    words
}

/// The class with the longest alias found as whole words, and the words left over.
fn most_specific(words: &[String]) -> Option<(&'static Class, Vec<String>)> {
    let mut best: Option<(&Class, usize, usize)> = None;
    for class in CLASSES {
        for alias in class.aliases {
            let found = words
                .windows(alias.len())
                .position(|window| window.iter().zip(*alias).all(|(a, b)| a == b));
            if let Some(at) = found
                && best.is_none_or(|(_, _, length)| alias.len() > length)
            {
                best = Some((class, at, alias.len()));
            }
        }
    }
    let (class, at, length) = best?;
    let rest = words[..at].iter().chain(&words[at + length..]);
    Some((class, rest.cloned().collect()))
}

/// `80gb`, `80g`, `80gib` → 80.
fn memory_of(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    matches!(&word[digits.len()..], "gb" | "g" | "gib")
        .then(|| digits.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<Accelerator>().unwrap().to_string()
    }

    #[test]
    fn every_spelling_has_one_name() {
        for (name, spellings) in [
            (
                "A100 80GB SXM",
                &["A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB", "a100 80 GB sxm"][..],
            ),
            (
                "A100 80GB PCIe",
                &["NVIDIA A100 80GB PCIe", "A100 PCIe 80G"],
            ),
            (
                "A100 80GB",
                &[
                    "A100-80G",
                    "nvidia-a100-80gb",
                    "gpu-a100-large",
                    "Nvidia Tesla A100 80GB",
                ],
            ),
            ("A100 40GB", &["nvidia-tesla-a100-40gb", "A100-40GB"]),
            (
                "H100 80GB SXM",
                &[
                    "H100 SXM5",
                    "H100_80GB_SXM5",
                    "H100-80GB-HBM3",
                    "NVIDIA H100 80GB HBM3",
                    "HGX H100",
                ],
            ),
            ("H100 80GB PCIe", &["NVIDIA H100 PCIe"]),
            ("H100 80GB", &["H100", "H100 80GB"]),
            ("H100 94GB NVL", &["H100 NVL", "NVIDIA H100 NVL 94GB"]),
            (
                "Ascend 910B",
                &[
                    "昇腾910B",
                    "华为昇腾910B",
                    "snt9b",
                    "Ascend 910B",
                    "ascend910b",
                ],
            ),
            ("Ascend 910B2", &["Ascend910B2", "昇腾 910B2"]),
            (
                "RTX 4090",
                &["NVIDIA GeForce RTX 4090", "rtx4090", "RTX-4090"],
            ),
            (
                "RTX PRO 6000",
                &["NVIDIA RTX PRO 6000 Blackwell Server Edition"],
            ),
            ("L40S", &["NVIDIA L40S", "l40s-48gb"]),
            ("H200", &["NVIDIA H200", "H200 141GB"]),
            ("RTX A4000", &["NVIDIA RTX A4000"]),
        ] {
            for spelling in spellings {
                assert_eq!(canonical(spelling), name, "{spelling}");
            }
            assert_eq!(canonical(name), name, "the canonical name reads as itself");
        }
    }

    #[test]
    fn a_part_of_a_name_is_not_the_name() {
        for text in [
            "A100X",
            "RTX A1000 Laptop GPU",
            "A1000",
            "TPU v5e",
            "A100 Mystery",
        ] {
            let accelerator: Accelerator = text.parse().unwrap();
            assert!(!accelerator.is_known(), "{text} became {accelerator}");
        }
        assert_ne!(canonical("RTX A4000"), canonical("A40"));
    }

    #[test]
    fn a_name_that_two_products_share_is_refused() {
        let problem = "A100".parse::<Accelerator>().unwrap_err();
        assert!(problem.to_string().contains("40GB or 80GB"), "{problem}");
        assert!("A100 24GB".parse::<Accelerator>().is_err());
        assert!("".parse::<Accelerator>().is_err());
        assert!("A100 PCIe 80GB SXM".parse::<Accelerator>().is_err());
    }

    #[test]
    fn an_unstated_form_matches_either_and_says_so() {
        let of = |text: &str| text.parse::<Accelerator>().unwrap();
        let sxm = of("A100 80GB SXM");
        assert_eq!(sxm.matches(&of("A100-SXM4-80GB")), Match::Same);
        assert_eq!(sxm.matches(&of("A100 80GB")), Match::FormUnstated);
        assert_eq!(sxm.matches(&of("A100 80GB PCIe")), Match::Different);
        assert_eq!(sxm.matches(&of("A100 40GB SXM")), Match::Different);
        assert_eq!(
            of("Ascend 910B").matches(&of("Ascend 910B4")),
            Match::Different
        );
        assert_eq!(of("H100 80GB").matches(&of("H100 NVL")), Match::Different);
    }
}
