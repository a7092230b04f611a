//! What to know about a fit, in both languages.

use super::{Fit, Precision, Question, SERVER, weights_bytes};
use crate::{
    accelerator::{GIB, MemorySource},
    number::significant,
    report::Report,
    text::Notice,
};

pub(super) fn warnings(asked: &Question, fit: &Fit) -> Vec<Notice> {
    let model = asked.model;
    let mut warnings = Vec::new();
    if let (Some(context), Some(longest)) = (asked.context, model.context)
        && context > longest
    {
        warnings.push(Notice::new(
            "context-beyond-model",
            format!(
                "{context} tokens are more than the {longest} that {} was made for.",
                model.name
            ),
            format!("{context} token 超过 {} 支持的 {longest}。", model.name),
        ));
    }
    if asked.precision.is_quantised() && model.kept_16_bit == 0.0 {
        warnings.push(Notice::new(
            "kept-parameters-unknown",
            "Quantised checkpoints keep the embedding and the output head in 16 bits; how many parameters those are is not stated, so they are not counted.",
            "量化后的权重仍以 16 位保留词嵌入与输出层；其参数量未给出，未计入。",
        ));
    }
    if model.heads.is_none() {
        warnings.push(Notice::new(
            "heads-not-stated",
            "The attention heads are not stated: the count has to divide them.",
            "未给出注意力头数：卡数须能整除它。",
        ));
    }
    if asked.memory_source == Some(MemorySource::DataSheet) {
        let gib = significant(fit.memory_gib, 4);
        warnings.push(Notice::new(
            "memory-from-data-sheet",
            format!("What a driver reports for {} is not known here: {gib} GiB are the data sheet's gigabytes, at most 7% too few. --memory-gib states it.", fit.accelerator),
            format!("不知道 {} 的驱动所报告的显存：{gib} GiB 由规格表的 GB 换算，至多偏少 7%。可用 --memory-gib 给出。", fit.accelerator),
        ));
    }
    if let Some(count) = fit.accelerators.filter(|count| *count > SERVER) {
        warnings.push(Notice::new(
            "more-than-a-server",
            format!("{count} accelerators are more than the {SERVER} of most servers: tensor parallelism between servers is slow."),
            format!("{count} 张卡超过多数服务器的 {SERVER} 张：跨机张量并行较慢。"),
        ));
    }
    if let Some(count) = fit.accelerators
        && (model.latent_dim.is_some() || model.kv_heads < count)
        && count > 1
    {
        warnings.push(Notice::new(
            "kv-cache-repeated",
            format!("{count} accelerators repeat parts of the KV cache: more of them add less room for it."),
            format!("{count} 张卡会重复保存部分 KV 缓存：增加卡数带来的缓存空间有限。"),
        ));
    }
    warnings
}

/// Why no count holds it.
pub(super) fn does_not_fit(asked: &Question, fit: &Fit, usable: f64) -> Notice {
    let model = &asked.model.name;
    let most = fit.tried.last().map_or(1, |tried| tried.accelerators);
    let gib = |bytes: f64| significant(bytes / GIB, 4);
    let each = fit
        .tried
        .last()
        .map_or(0.0, |tried| tried.weights_bytes_each);
    if each >= usable {
        return Notice::new(
            "does-not-fit",
            format!(
                "The weights of {model} in {} take {} GiB on each of {most} {}, the most that were tried; {} GiB are there.",
                fit.precision,
                gib(each),
                fit.accelerator,
                gib(usable.max(0.0))
            ),
            format!(
                "{model}（{}）的权重在 {most} 张 {}（所试的最多张数）上每张需 {} GiB，可用 {} GiB。",
                fit.precision,
                fit.accelerator,
                gib(each),
                gib(usable.max(0.0))
            ),
        );
    }
    let context = asked.context.unwrap_or_default();
    let held = fit
        .tried
        .last()
        .and_then(|tried| tried.max_concurrency)
        .unwrap_or_default();
    Notice::new(
        "kv-cache-does-not-fit",
        format!(
            "On {most} {}, the most that were tried, there is room for {held} requests of {context} tokens, not {}.",
            fit.accelerator, asked.concurrency
        ),
        format!(
            "在 {most} 张 {}（所试的最多张数）上可容纳 {held} 个 {context} token 的请求，而非 {} 个。",
            fit.accelerator, asked.concurrency
        ),
    )
}

/// A replica that could not even hold its model's weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Impossible {
    /// The model, by the catalogue's name.
    pub model: &'static str,
    /// The weights' format that the report states.
    pub precision: Precision,
    /// The weights, bytes.
    pub weights_bytes: f64,
    /// All memory of the replica's accelerators, bytes.
    pub memory_bytes: f64,
}

/// Says where a report's replica could not even hold its model's weights: its accelerator, their
/// number, its model or its precision is then another than stated. `None` where it could, or where
/// any of these is not known.
#[must_use]
pub fn impossible(report: &Report) -> Option<Impossible> {
    let precision: Precision = report.model.precision.as_deref()?.parse().ok()?;
    let model = super::catalogue::find(report.model.name.as_deref()?).ok()?;
    let (accelerator, count) = report.accelerator().ok()?;
    let memory = accelerator.memory()?;
    // All of the memory, and a tenth beyond a data sheet's figure: this is to be certain.
    let slack = match memory.source {
        MemorySource::Driver => 1.0,
        MemorySource::DataSheet => 1.1,
    };
    let memory_bytes = memory.bytes * slack * f64::from(count);
    let (weights, kept) = weights_bytes(model, precision);
    let weights_bytes = weights + kept;
    (weights_bytes > memory_bytes).then_some(Impossible {
        model: &model.name,
        precision,
        weights_bytes,
        memory_bytes,
    })
}
