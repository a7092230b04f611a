//! What vLLM's two offline benchmarks share: the record for PyTorch's dashboard that both can write
//! beside their own file, and the arguments in it or in a paste.

use serde_json::{Map, Value};

use super::super::{common, console::arguments::Arguments, content::Content, fields::Fields};
use crate::report::{Report, Software};

/// Arguments that are words.
const WORDS: [&str; 4] = ["model", "dtype", "quantization", "backend"];
/// Arguments that are numbers.
const NUMBERS: [&str; 9] = [
    "batch_size",
    "n",
    "input_len",
    "output_len",
    "num_prompts",
    "num_iters_warmup",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "data_parallel_size",
];

/// The name of the metric that a dashboard's record holds, where its totals have all the keys.
pub(in crate::import) fn metric<'c>(content: &'c Content, totals: &[&str]) -> Option<&'c str> {
    let info = content.at("/metric/extra_info")?.as_object()?;
    let name = content.at("/metric/name")?.as_str()?;
    totals
        .iter()
        .all(|key| info.contains_key(*key))
        .then_some(name)
}

/// A dashboard's record as the tool's own result with the arguments put in.
pub(in crate::import) fn flattened(record: &Value) -> Map<String, Value> {
    let object = |pointer: &str| record.pointer(pointer).and_then(Value::as_object);
    let mut map = object("/metric/extra_info").cloned().unwrap_or_default();
    let arguments = object("/benchmark/extra_info/args");
    for name in WORDS.iter().chain(&NUMBERS) {
        if let Some(value) = arguments.and_then(|all| all.get(*name)) {
            map.entry(*name).or_insert_with(|| value.clone());
        }
    }
    map
}

/// Puts the arguments that a paste says into a result.
pub(in crate::import) fn add_arguments(map: &mut Map<String, Value>, paste: &str) {
    let arguments = Arguments::of(paste);
    for name in WORDS {
        if let Some(word) = arguments.text(name) {
            map.insert(name.to_owned(), word.into());
        }
    }
    for name in NUMBERS {
        if let Some(number) = arguments.number(name) {
            map.insert(name.to_owned(), number.into());
        }
    }
}

/// What the arguments say of the system and the model.
pub(in crate::import) fn describe(fields: &Fields<'_>, report: &mut Report) {
    report.model.name = fields.text("model").map(str::to_owned);
    report.model.precision = precision(fields.text("quantization"), fields.text("dtype"));
    // Both run the engine in their own process, but for other libraries behind the same command.
    let engine = fields.text("backend").unwrap_or("vllm");
    report.system.engine = engine.starts_with("vllm").then(|| Software {
        name: "vllm".to_owned(),
        version: None,
    });
    let parallel = |key: &str| fields.figure(key);
    let (pipeline, data) = (
        parallel("pipeline_parallel_size").unwrap_or(1.0),
        parallel("data_parallel_size").unwrap_or(1.0),
    );
    let product = parallel("tensor_parallel_size").map(|tensor| tensor * pipeline * data);
    report.system.accelerators = common::accelerators(product);
}

/// The weights' precision as people write it: that of the quantization, else of the type.
pub(in crate::import) fn precision(
    quantization: Option<&str>,
    dtype: Option<&str>,
) -> Option<String> {
    let short = match quantization.or(dtype)? {
        "auto" => return None,
        "bfloat16" => "bf16",
        "float16" | "half" => "fp16",
        "float32" | "float" => "fp32",
        other => other,
    };
    Some(short.to_owned())
}
