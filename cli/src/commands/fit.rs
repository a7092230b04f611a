//! `inferplan fit`: whether a model fits an accelerator's memory, and on how many.

use std::io::{self, Write};

use inferplan_core::{
    accelerator::{Accelerator, GIB, MemorySource},
    fit::{self, Line, Model, Precision, Question, Tried, catalogue},
    number::{grouped, significant, to_f64},
    problem::Problem,
    text::Lang,
};
use serde_json::json;

use crate::{
    args,
    failure::{Failure, Outcome},
    output::notes::{self, wrapped},
};

/// Answers, or lists the catalogue.
pub fn run(args: &args::Fit, lang: Lang) -> Result<Outcome, Failure> {
    let mut out = io::stdout().lock();
    if args.models {
        let text = if args.json {
            let document = json!({ "schema": "inferplan.models/1", "models": catalogue::models() });
            serde_json::to_string_pretty(&document)? + "\n"
        } else {
            list(lang)
        };
        out.write_all(text.as_bytes())?;
        return Ok(Outcome::Done);
    }
    let model = model(args)?;
    let (memory_bytes, memory_source) = memory(args)?;
    let precision = match &args.precision {
        Some(text) => text
            .parse::<Precision>()
            .map_err(|problem| problem.at("--precision"))?,
        None => model.native,
    };
    let asked = Question {
        model: &model,
        precision,
        kv_precision: kv_precision(&args.kv_precision)?,
        accelerator: match &args.accelerator {
            Some(accelerator) => accelerator.to_string(),
            None => format!("{} GiB", significant(memory_bytes / GIB, 6)),
        },
        memory_bytes,
        memory_source,
        utilization: args.memory_utilization,
        overhead_bytes: args.overhead_gib.map(|gib| gib * GIB),
        context: args.context,
        concurrency: args.concurrency,
    };
    let found = fit::answer(&asked);
    let text = if args.json {
        serde_json::to_string_pretty(&found)? + "\n"
    } else {
        people(&found, lang)
    };
    out.write_all(text.as_bytes())?;
    Ok(if found.fits {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

/// The catalogue's model, or the one given by numbers.
fn model(args: &args::Fit) -> Result<Model, Problem> {
    if let Some(name) = &args.model {
        return catalogue::find(name).cloned();
    }
    let stated = (args.parameters, args.layers, args.kv_heads, args.head_dim);
    let (Some(parameters), Some(layers), Some(kv_heads), Some(head_dim)) = stated else {
        return Err(Problem::new("the model is not stated", "未给出模型")
            .at("--model")
            .remedy(
                "give --model, or --parameters, --layers, --kv-heads and --head-dim",
                "请给出 --model，或 --parameters、--layers、--kv-heads 与 --head-dim",
            ));
    };
    let parameters = to_f64(parameters);
    if !(1.0..=1e15).contains(&parameters) {
        return Err(
            Problem::new("parameters are out of bounds", "参数量超出范围")
                .at("--parameters")
                .found(parameters)
                .remedy(
                    "give 1 to 10^15, such as 70.6e9",
                    "应为 1 到 10^15，例如 70.6e9",
                ),
        );
    }
    Ok(Model::of_numbers(
        parameters,
        layers,
        (kv_heads, head_dim),
        args.heads,
    ))
}

/// Bytes of one accelerator, and where they come from.
fn memory(args: &args::Fit) -> Result<(f64, Option<MemorySource>), Problem> {
    if let Some(gib) = args.memory_gib {
        return Ok((gib * GIB, None));
    }
    let Some(accelerator) = &args.accelerator else {
        return Err(
            Problem::new("the accelerator is not stated", "未给出加速卡")
                .at("--accelerator")
                .remedy(
                    "give --accelerator or --memory-gib",
                    "请给出 --accelerator 或 --memory-gib",
                ),
        );
    };
    match accelerator.memory() {
        Some(memory) => Ok((memory.bytes, Some(memory.source))),
        None if accelerator.is_known() => Err(Problem::new(
            "its memory is not known: it was sold with several sizes",
            "显存未知：该卡有多种显存",
        )
        .at("--accelerator")
        .found(accelerator)
        .remedy("state it: --memory-gib 64", "请给出，例如 --memory-gib 64")),
        None => {
            let near = catalogue::nearest(&accelerator.to_string(), Accelerator::classes());
            Err(Problem::new("the accelerator is unknown", "未知的加速卡")
                .at("--accelerator")
                .found(accelerator)
                .remedy(
                    format!("did you mean {near}? Or state its memory: --memory-gib 80"),
                    format!("是否指 {near}？也可给出显存，例如 --memory-gib 80"),
                ))
        }
    }
}

fn kv_precision(text: &str) -> Result<Precision, Problem> {
    let precision: Precision = text
        .parse()
        .map_err(|problem: Problem| problem.at("--kv-precision"))?;
    if precision.cache_bytes().is_none() {
        return Err(
            Problem::new("no KV cache is kept in it", "KV 缓存不使用该精度")
                .at("--kv-precision")
                .found(text)
                .remedy(
                    "give fp16, bf16, fp8 or int8",
                    "请用 fp16、bf16、fp8 或 int8",
                ),
        );
    }
    Ok(precision)
}

fn people(found: &fit::Fit, lang: Lang) -> String {
    let mut text = wrapped(&answer(found, lang), "", "") + "\n\n";
    for line in &found.lines {
        text += &(wrapped(&sized(line, lang), "  ", "    ") + "\n");
        text += &(wrapped(&line.source, "    ", "    ") + "\n");
    }
    text += "\n";
    let last = found.accelerators.unwrap_or(u32::MAX);
    for tried in found.tried.iter().filter(|t| t.accelerators <= last) {
        text += &(wrapped(&count(tried, found.context, lang), "  ", "    ") + "\n");
    }
    for reason in &found.reasons {
        text += &format!("\n{}\n", wrapped(reason.get(lang), "", "  "));
    }
    if !found.warnings.is_empty() {
        text += "\n";
    }
    for warning in &found.warnings {
        text += &(wrapped(&notes::warning(warning, lang), "", "  ") + "\n");
    }
    text
}

fn number(count: u64) -> String {
    grouped(&count.to_string())
}

/// The answer in a sentence.
fn answer(found: &fit::Fit, lang: Lang) -> String {
    let (model, precision, accelerator) = (&found.model, found.precision, &found.accelerator);
    let Some(count) = found.accelerators else {
        let most = found.tried.last().map_or(1, |tried| tried.accelerators);
        return match lang {
            Lang::En => {
                format!("{model} in {precision} does not fit {most} × {accelerator}, nor fewer.")
            }
            Lang::Zh => {
                format!("{model}（{precision}）放不进 {most} × {accelerator}，更少也不行。")
            }
        };
    };
    let room = match (found.context, found.max_concurrency_at_context, lang) {
        (Some(context), Some(most), Lang::En) => {
            let (most, context) = (number(most), number(context));
            format!("with room for {most} requests of {context} tokens at once")
        }
        (Some(context), Some(most), Lang::Zh) => {
            format!(
                "可同时容纳 {} 个 {} token 的请求",
                number(most),
                number(context)
            )
        }
        (_, _, Lang::En) => {
            let tokens = number(found.kv_tokens_free.unwrap_or_default());
            format!("with room for {tokens} tokens of KV cache")
        }
        (_, _, Lang::Zh) => {
            format!(
                "KV 缓存可容纳 {} 个 token",
                number(found.kv_tokens_free.unwrap_or_default())
            )
        }
    };
    match lang {
        Lang::En => format!("{model} in {precision} fits {count} × {accelerator}, {room}."),
        Lang::Zh => format!("{model}（{precision}）可放进 {count} × {accelerator}，{room}。"),
    }
}

/// `weights: 131.4 GiB = parameters × bytes_per_parameter (parameters 70,553,706,496, …)`
fn sized(line: &Line, lang: Lang) -> String {
    let gib = significant(line.bytes / GIB, 4);
    let inputs: Vec<String> = line
        .inputs
        .iter()
        .map(|input| format!("{} {}", input.name, significant(input.value, 12)))
        .collect();
    let (name, formula, inputs) = (line.name.get(lang), &line.formula, inputs.join(", "));
    match lang {
        Lang::En => format!("{name}: {gib} GiB = {formula} ({inputs})"),
        Lang::Zh => format!("{name}：{gib} GiB = {formula}（{inputs}）"),
    }
}

/// What one number of accelerators leaves.
fn count(tried: &Tried, context: Option<u64>, lang: Lang) -> String {
    let gib = |bytes: f64| significant(bytes / GIB, 4);
    let (count, weights) = (tried.accelerators, gib(tried.weights_bytes_each));
    if tried.kv_room_bytes_each <= 0.0 {
        let short = gib(-tried.kv_room_bytes_each);
        return match lang {
            Lang::En => format!("{count}: {weights} GiB of weights each, {short} GiB too many"),
            Lang::Zh => format!("{count} 张：每张权重 {weights} GiB，超出 {short} GiB"),
        };
    }
    let (room, tokens) = (gib(tried.kv_room_bytes_each), number(tried.kv_tokens));
    let requests = match (context, tried.max_concurrency, lang) {
        (Some(context), Some(most), Lang::En) => {
            format!(", {} requests of {}", number(most), number(context))
        }
        (Some(context), Some(most), Lang::Zh) => {
            format!("，即 {} 个 {} token 的请求", number(most), number(context))
        }
        _ => String::new(),
    };
    match lang {
        Lang::En => format!(
            "{count}: {weights} GiB of weights each, {room} GiB for the KV cache: {tokens} tokens{requests}"
        ),
        Lang::Zh => format!(
            "{count} 张：每张权重 {weights} GiB，KV 缓存 {room} GiB：{tokens} 个 token{requests}"
        ),
    }
}

/// The catalogue: two lines a model.
fn list(lang: Lang) -> String {
    let mut text = String::new();
    for model in catalogue::models() {
        let billions = significant(model.parameters / 1e9, 4);
        let context = model.context.map_or_else(|| "?".to_owned(), number);
        let attention = match (model.latent_dim, model.window) {
            (Some(latent), _) => format!("MLA {latent}"),
            (None, Some(window)) => format!(
                "GQA {} × {}, window {window} in {}",
                model.kv_heads,
                model.head_dim,
                model.windowed_layers.unwrap_or_default()
            ),
            (None, None) => format!("GQA {} × {}", model.kv_heads, model.head_dim),
        };
        let layers = model.layers;
        let facts = match lang {
            Lang::En => format!(
                "{billions}B parameters, {layers} layers, {attention}, {context} tokens, {}",
                model.native
            ),
            Lang::Zh => format!(
                "{billions}B 参数，{layers} 层，{attention}，{context} token，{}",
                model.native
            ),
        };
        text += &format!("{}: {facts}\n  {}\n", model.name, model.source());
    }
    text
}
