//! The list of accelerator classes. Sizes and forms are the makers' own data sheets'.

use super::Form;
use crate::problem::Problem;

/// The memory a class was sold with.
enum Memory {
    /// One product, whatever size tools report of it; the size is not part of the name.
    One(&'static [u32]),
    /// Several products, told apart by their size in GB.
    Several(&'static [u32]),
}

use Memory::{One, Several};

/// One product line.
pub(super) struct Class {
    pub(super) name: &'static str,
    /// Spellings, as runs of whole lower-case words; the longest found wins.
    pub(super) aliases: &'static [&'static [&'static str]],
    memory: Memory,
    /// Whether it came in more than one form, so that a stated form is kept.
    pub(super) has_forms: bool,
}

impl Class {
    /// The size in GB, where it was sold with just one.
    pub(super) fn only_memory(&self) -> Option<u32> {
        match &self.memory {
            One([size]) => Some(*size),
            _ => None,
        }
    }

    /// The size to put in the name: `None` where the class has just one.
    pub(super) fn memory(
        &self,
        stated: Option<u32>,
        form: Option<Form>,
        text: &str,
    ) -> Result<Option<u32>, Problem> {
        let (One(sizes) | Several(sizes)) = &self.memory;
        let sizes_text = || {
            let sizes: Vec<_> = sizes.iter().map(|gb| format!("{gb}GB")).collect();
            sizes.join(" or ")
        };
        match (&self.memory, stated) {
            (_, Some(size)) if !sizes.contains(&size) => Err(Problem::new(
                "there is no such accelerator",
                "没有这种加速卡",
            )
            .found(text)
            .remedy(
                format!("{} has {}", self.name, sizes_text()),
                format!("{} 的显存为 {}", self.name, sizes_text()),
            )),
            (One(_), _) => Ok(None),
            (Several(_), Some(size)) => Ok(Some(size)),
            // Every H100 but the NVL pair has 80 GB.
            (Several(_), None) if self.name == "H100" => {
                Ok(Some(if form == Some(Form::Nvl) { 94 } else { 80 }))
            }
            (Several(_), None) => Err(Problem::new(
                "the accelerator's memory is not stated",
                "未说明加速卡的显存大小",
            )
            .found(text)
            .remedy(
                format!("say {} {}", self.name, sizes_text()),
                format!("请写明 {} {}", self.name, sizes_text()),
            )),
        }
    }
}

/// Providers' own product names, which no rule of words would read.
pub(super) const PRODUCT_NAMES: &[(&str, &str)] = &[
    ("gpu-a100-large", "A100 80GB"),
    ("nvidia-tesla-a100", "A100 40GB"),
    ("snt9b", "Ascend 910B"),
];

/// Words that a spelling may carry without meaning another product.
pub(super) const NOISE: &[&str] = &[
    "nvidia",
    "amd",
    "huawei",
    "tesla",
    "geforce",
    "gpu",
    "npu",
    "tensor",
    "core",
    "hbm2",
    "hbm2e",
    "hbm3",
    "hbm3e",
    "gddr6",
    "blackwell",
    "server",
    "edition",
    "instinct",
];

const fn class(
    name: &'static str,
    aliases: &'static [&'static [&'static str]],
    memory: Memory,
    has_forms: bool,
) -> Class {
    Class {
        name,
        aliases,
        memory,
        has_forms,
    }
}

pub(super) const CLASSES: &[Class] = &[
    class("T4", &[&["t4"]], One(&[16]), false),
    class("V100", &[&["v100"]], Several(&[16, 32]), true),
    class("A10", &[&["a10"]], One(&[24]), false),
    class("A10G", &[&["a10g"]], One(&[24]), false),
    class("A30", &[&["a30"]], One(&[24]), false),
    class("A40", &[&["a40"]], One(&[48]), false),
    class("A100", &[&["a100"]], Several(&[40, 80]), true),
    class("A800", &[&["a800"]], Several(&[40, 80]), true),
    class("L4", &[&["l4"]], One(&[24]), false),
    class("L20", &[&["l20"]], One(&[48]), false),
    class("L40", &[&["l40"]], One(&[48]), false),
    class("L40S", &[&["l40s"]], One(&[48]), false),
    class("H20", &[&["h20"]], One(&[96]), false),
    class("H20-3e", &[&["h20", "3e"]], One(&[141]), false),
    class("H100", &[&["h100"]], Several(&[80, 94]), true),
    class("H200", &[&["h200"]], One(&[141]), true),
    class("H800", &[&["h800"]], One(&[80]), true),
    class("GH200", &[&["gh200"]], Several(&[96, 144]), false),
    class("B200", &[&["b200"]], One(&[180, 192]), false),
    class("B300", &[&["b300"]], One(&[262, 270, 288]), false),
    class("RTX 3090", &[&["rtx", "3090"]], One(&[24]), false),
    class("RTX 4090", &[&["rtx", "4090"]], One(&[24]), false),
    class("RTX 5090", &[&["rtx", "5090"]], One(&[32]), false),
    class("RTX A4000", &[&["rtx", "a4000"]], One(&[16]), false),
    class("RTX A5000", &[&["rtx", "a5000"]], One(&[24]), false),
    class("RTX A6000", &[&["rtx", "a6000"]], One(&[48]), false),
    class(
        "RTX 6000 Ada",
        &[&["rtx", "6000", "ada"]],
        One(&[48]),
        false,
    ),
    class(
        "RTX PRO 6000",
        &[&["rtx", "pro", "6000"]],
        One(&[96]),
        false,
    ),
    class("MI300X", &[&["mi300x"]], One(&[192]), false),
    class("MI325X", &[&["mi325x"]], One(&[256]), false),
    // 910B without a suffix is a name of its own: the B1 to B4 differ in speed and memory.
    class(
        "Ascend 910B",
        &[&["ascend", "910b"], &["910b"]],
        One(&[32, 64]),
        false,
    ),
    class(
        "Ascend 910B1",
        &[&["ascend", "910b1"], &["910b1"]],
        One(&[64]),
        false,
    ),
    class(
        "Ascend 910B2",
        &[&["ascend", "910b2"], &["910b2"]],
        One(&[64]),
        false,
    ),
    class(
        "Ascend 910B3",
        &[&["ascend", "910b3"], &["910b3"]],
        One(&[64]),
        false,
    ),
    class(
        "Ascend 910B4",
        &[&["ascend", "910b4"], &["910b4"]],
        One(&[32, 64]),
        false,
    ),
    class(
        "Ascend 910C",
        &[&["ascend", "910c"], &["910c"]],
        One(&[128]),
        false,
    ),
    class(
        "Gaudi 2",
        &[&["gaudi2"], &["gaudi", "2"]],
        One(&[96]),
        false,
    ),
    class(
        "Gaudi 3",
        &[&["gaudi3"], &["gaudi", "3"]],
        One(&[128]),
        false,
    ),
];
