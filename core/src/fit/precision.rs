//! Number formats: how many bytes a weight or a cached value takes.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// A number format of weights or of the KV cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floating point.
    Fp32,
    /// 16-bit floating point.
    Fp16,
    /// Brain floating point, 16 bits.
    Bf16,
    /// 8-bit floating point.
    Fp8,
    /// 8-bit integers.
    Int8,
    /// 4-bit integers in groups of 128, as AWQ and GPTQ write them.
    Int4,
    /// OCP microscaling 4-bit floats in blocks of 32.
    Mxfp4,
    /// NVIDIA's 4-bit floats in blocks of 16.
    Nvfp4,
}

impl Precision {
    /// Every format.
    pub const ALL: [Self; 8] = [
        Self::Fp32,
        Self::Fp16,
        Self::Bf16,
        Self::Fp8,
        Self::Int8,
        Self::Int4,
        Self::Mxfp4,
        Self::Nvfp4,
    ];

    /// Its name: `bf16`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Mxfp4 => "mxfp4",
            Self::Nvfp4 => "nvfp4",
        }
    }

    /// Bytes of a weight, with its share of the scales.
    ///
    /// The scales of 8-bit formats, one a channel or a block of 128 × 128, are under 0.1% and left
    /// out.
    #[must_use]
    pub fn weight_bytes(self) -> f64 {
        let scaled = |bits: f64, scale_bits: f64, group: f64| (bits + scale_bits / group) / 8.0;
        match self {
            Self::Fp32 => 4.0,
            Self::Fp16 | Self::Bf16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            // A 16-bit scale to 128 weights: 0.515625.
            Self::Int4 => scaled(4.0, 16.0, 128.0),
            // An 8-bit scale to 32 weights: 0.53125.
            Self::Mxfp4 => scaled(4.0, 8.0, 32.0),
            // An 8-bit scale to 16 weights: 0.5625.
            Self::Nvfp4 => scaled(4.0, 8.0, 16.0),
        }
    }

    /// Where [`Self::weight_bytes`] comes from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Int4 => "4 bits, and a 16-bit scale to a group of 128 (AWQ, GPTQ)",
            Self::Mxfp4 => "4 bits, and an 8-bit scale to a block of 32 (OCP Microscaling 1.0)",
            Self::Nvfp4 => "4 bits, and an FP8 scale to a block of 16 (NVFP4)",
            _ => "the format's width",
        }
    }

    /// Bytes of a cached value; `None` for a format that no cache is kept in.
    #[must_use]
    pub fn cache_bytes(self) -> Option<f64> {
        match self {
            Self::Fp32 | Self::Fp16 | Self::Bf16 | Self::Fp8 | Self::Int8 => {
                Some(self.weight_bytes())
            }
            Self::Int4 | Self::Mxfp4 | Self::Nvfp4 => None,
        }
    }

    /// Whether checkpoints in this format leave the embedding and the output head in 16 bits.
    #[must_use]
    pub fn is_quantised(self) -> bool {
        self.weight_bytes() < 2.0
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Precision {
    type Err = Problem;

    /// Reads a name as engines and quantisers write it: `BF16`, `float16`, `awq`, `w4a16`.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let plain: String = text
            .to_lowercase()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        Ok(match plain.as_str() {
            "fp32" | "float32" | "float" | "f32" => Self::Fp32,
            "fp16" | "float16" | "half" | "f16" => Self::Fp16,
            "bf16" | "bfloat16" => Self::Bf16,
            "fp8" | "fp8e4m3" | "fp8e5m2" | "f8" | "w8a8fp8" => Self::Fp8,
            "int8" | "w8a8" | "w8a16" | "i8" | "8bit" => Self::Int8,
            "int4" | "w4a16" | "awq" | "gptq" | "gptqint4" | "i4" | "4bit" => Self::Int4,
            "mxfp4" => Self::Mxfp4,
            "nvfp4" | "fp4" => Self::Nvfp4,
            _ => {
                let names = Self::ALL.map(Self::name).join(", ");
                return Err(Problem::new("the precision is unknown", "未知的精度")
                    .found(text)
                    .remedy(
                        format!("use one of {names}"),
                        format!("可用的精度：{names}"),
                    ));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_with_their_scales() {
        assert_eq!(Precision::Bf16.weight_bytes(), 2.0);
        assert_eq!(Precision::Int8.weight_bytes(), 1.0);
        assert_eq!(Precision::Int4.weight_bytes(), 0.515_625);
        assert_eq!(Precision::Mxfp4.weight_bytes(), 0.531_25);
        assert_eq!(Precision::Nvfp4.weight_bytes(), 0.5625);
    }

    #[test]
    fn every_spelling_is_read_and_none_guessed() {
        for precision in Precision::ALL {
            assert_eq!(precision.name().parse(), Ok(precision));
        }
        assert_eq!("BFloat16".parse(), Ok(Precision::Bf16));
        assert_eq!("AWQ".parse(), Ok(Precision::Int4));
        let problem = "fp12".parse::<Precision>().unwrap_err().to_string();
        assert!(
            problem.contains("fp12") && problem.contains("bf16"),
            "{problem}"
        );
    }
}
