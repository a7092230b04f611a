//! The fixed words of the output: one struct, one constant a language, so that a missing word does
//! not compile.

use inferplan_core::text::Lang;

pub struct Words {
    pub option: &'static str,
    pub month: &'static str,
    pub accelerators: &'static str,
    pub utilization: &'static str,
    pub per_million: &'static str,
    pub basis: &'static str,
    pub notes: &'static str,
    pub measured: &'static str,
    pub estimate: &'static str,
    pub priced: &'static str,
    pub other_model: &'static str,
    pub warning: &'static str,
    pub price: &'static str,
}

const EN: Words = Words {
    option: "Option",
    month: "Month",
    accelerators: "Accel.",
    utilization: "Util.",
    per_million: "Per 1M out",
    basis: "Basis",
    notes: "Notes",
    measured: "measured",
    estimate: "estimate",
    priced: "priced",
    other_model: "other model",
    warning: "warning",
    price: "Price from",
};

const ZH: Words = Words {
    option: "方案",
    month: "每月",
    accelerators: "卡",
    utilization: "利用率",
    per_million: "每百万输出",
    basis: "依据",
    notes: "备注",
    measured: "实测",
    estimate: "估算",
    priced: "标价",
    other_model: "另一模型",
    warning: "警告",
    price: "价格日期",
};

pub fn of(lang: Lang) -> &'static Words {
    match lang {
        Lang::En => &EN,
        Lang::Zh => &ZH,
    }
}
