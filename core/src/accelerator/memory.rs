//! How much memory an accelerator has.

use super::{Accelerator, classes::CLASSES};

/// Bytes of a GiB.
pub const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// The memory of one accelerator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Bytes.
    pub bytes: f64,
    /// Where the figure comes from.
    pub source: MemorySource,
}

/// Where a memory size comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySource {
    /// What `nvidia-smi` reports as its total, with ECC as the product comes.
    Driver,
    /// The data sheet's gigabytes, taken as 10⁹ bytes: at most 7% under what a driver may report.
    DataSheet,
}

/// What the driver reports in MiB: name of the class, the size it is sold as in GB where there are
/// several, MiB. GDDR6 with ECC loses a sixteenth, so that 48 GB are 45 GiB.
const REPORTED_MIB: &[(&str, Option<u32>, f64)] = &[
    ("T4", None, 15_360.0),
    ("A10", None, 23_028.0),
    ("A10G", None, 23_028.0),
    ("A40", None, 46_068.0),
    ("A100", Some(40), 40_960.0),
    ("A100", Some(80), 81_920.0),
    ("L4", None, 23_034.0),
    ("L20", None, 46_068.0),
    ("L40S", None, 46_068.0),
    ("H20", None, 97_871.0),
    ("H100", Some(80), 81_559.0),
    ("H200", None, 143_771.0),
    ("GH200", Some(96), 97_871.0),
    ("B200", None, 183_359.0),
    ("RTX 4090", None, 24_564.0),
    ("RTX 5090", None, 32_607.0),
    ("RTX A6000", None, 49_140.0),
    ("RTX 6000 Ada", None, 49_140.0),
    ("RTX PRO 6000", None, 97_887.0),
];

impl Accelerator {
    /// Its memory; `None` for one that is not known, or whose name leaves the size open
    /// (Ascend 910B has 32 or 64 GB).
    #[must_use]
    pub fn memory(&self) -> Option<Memory> {
        let reported = REPORTED_MIB
            .iter()
            .find(|(class, gb, _)| *class == self.class && *gb == self.memory_gb);
        if let Some((_, _, mib)) = reported {
            return Some(Memory {
                bytes: mib * 1024.0 * 1024.0,
                source: MemorySource::Driver,
            });
        }
        let class = CLASSES.iter().find(|class| class.name == self.class)?;
        let gigabytes = self.memory_gb.or_else(|| class.only_memory())?;
        Some(Memory {
            bytes: f64::from(gigabytes) * 1e9,
            source: MemorySource::DataSheet,
        })
    }

    /// The names of every class, for suggestions.
    pub fn classes() -> impl Iterator<Item = &'static str> {
        CLASSES.iter().map(|class| class.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_what_the_driver_reports_else_the_data_sheet_s() {
        let of = |name: &str| name.parse::<Accelerator>().unwrap().memory();
        let gib = |name: &str| of(name).unwrap().bytes / GIB;
        assert_eq!(gib("A100 80GB"), 80.0);
        assert_eq!(gib("A100-SXM4-80GB"), 80.0);
        assert!((gib("L40S") - 44.988).abs() < 1e-3);
        let datasheet = of("MI300X").unwrap();
        assert_eq!(datasheet.bytes, 192e9);
        assert_eq!(datasheet.source, MemorySource::DataSheet);
        assert_eq!(of("Ascend 910B4"), None, "32 or 64 GB");
        assert_eq!(of("TPU v5e"), None);
    }

    #[test]
    fn every_reported_size_is_of_a_class_in_the_list() {
        for (class, _, _) in REPORTED_MIB {
            assert!(Accelerator::classes().any(|name| name == *class), "{class}");
        }
    }
}
