//! The catalogue of open models: what decides how much memory each takes.
//!
//! `models.csv` names for each row the model's own `config.json`, what the figures were checked
//! against, and when. Parameter counts are worked out from the dimensions in the configuration, and
//! agree to the last parameter with the published count; where none was found, the note says so.

use std::{str::FromStr, sync::LazyLock};

use serde::Serialize;

use super::precision::Precision;
use crate::{Date, day, problem::Problem};

/// What decides how much memory a model takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Model {
    /// Its name: `Llama 3 70B`.
    pub name: String,
    /// Other names, separated by `;`.
    #[serde(skip_serializing)]
    aliases: String,
    /// All parameters, of every expert.
    pub parameters: f64,
    /// Parameters of these that a quantised checkpoint keeps in 16 bits: the embedding and the
    /// output head, a vision tower, whatever the model's own format leaves out.
    pub kept_16_bit: f64,
    /// Layers with a KV cache.
    pub layers: u32,
    /// Attention heads: tensor parallelism has to divide them. Null where not stated.
    pub heads: Option<u32>,
    /// KV heads.
    pub kv_heads: u32,
    /// Width of a head.
    pub head_dim: u32,
    /// Multi-head latent attention: values cached for a token in a layer, the latent's and the
    /// rotary key's (`kv_lora_rank + qk_rope_head_dim`), instead of heads.
    pub latent_dim: Option<u32>,
    /// Sliding window or chunk of some layers, tokens.
    pub window: Option<u64>,
    /// How many layers have it.
    pub windowed_layers: Option<u32>,
    /// The longest context, tokens; null where not stated.
    pub context: Option<u64>,
    /// The format its weights are published in.
    pub native: Precision,
    /// The model's own configuration.
    pub config: String,
    /// Where a copy of it was read.
    pub checked_against: String,
    /// When.
    pub checked_on: Option<Date>,
    /// What to know about the figures.
    pub note: Option<String>,
}

impl Model {
    /// A model given by its numbers.
    #[must_use]
    pub fn of_numbers(
        parameters: f64,
        layers: u32,
        (kv_heads, head_dim): (u32, u32),
        heads: Option<u32>,
    ) -> Self {
        Self {
            name: "stated".to_owned(),
            aliases: String::new(),
            parameters,
            kept_16_bit: 0.0,
            layers,
            heads,
            kv_heads,
            head_dim,
            latent_dim: None,
            window: None,
            windowed_layers: None,
            context: None,
            native: Precision::Bf16,
            config: "stated".to_owned(),
            checked_against: String::new(),
            checked_on: None,
            note: None,
        }
    }

    /// Layers that attend to the whole context.
    #[must_use]
    pub fn full_layers(&self) -> u32 {
        self.layers - self.windowed_layers.unwrap_or(0).min(self.layers)
    }

    /// Its figures' source, for a line: the configuration and where it was read.
    #[must_use]
    pub fn source(&self) -> String {
        match self.checked_on {
            Some(date) => format!(
                "{} (checked {date} against {})",
                self.config, self.checked_against
            ),
            None => self.config.clone(),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let others = self.aliases.split(';').filter(|alias| !alias.is_empty());
        std::iter::once(self.name.as_str()).chain(others)
    }
}

/// The rows of `models.csv`. None of its fields holds a comma, so that the page, where the lints
/// run too, needs no CSV reader.
static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let rows = include_str!("models.csv").lines().skip(1);
    // A test holds the number of models against the number of rows.
    rows.filter_map(row).collect()
});

fn row(line: &str) -> Option<Model> {
    let mut fields = line.split(',');
    let mut next = || fields.next();
    let model = Model {
        name: next()?.to_owned(),
        aliases: next()?.to_owned(),
        parameters: next()?.parse().ok()?,
        kept_16_bit: next()?.parse().ok()?,
        layers: next()?.parse().ok()?,
        heads: given(next()?)?,
        kv_heads: next()?.parse().ok()?,
        head_dim: next()?.parse().ok()?,
        latent_dim: given(next()?)?,
        window: given(next()?)?,
        windowed_layers: given(next()?)?,
        context: given(next()?)?,
        native: next()?.parse().ok()?,
        config: next()?.to_owned(),
        checked_against: next()?.to_owned(),
        checked_on: Some(day::parse(next()?).ok()?),
        note: given(next()?)?,
    };
    fields.next().is_none().then_some(model)
}

/// A field that may be empty; `None` where it holds something else than it should.
fn given<T: FromStr>(field: &str) -> Option<Option<T>> {
    if field.is_empty() {
        Some(None)
    } else {
        field.parse().ok().map(Some)
    }
}

/// Every model of the catalogue.
#[must_use]
pub fn models() -> &'static [Model] {
    &MODELS
}

/// The model that a name means, however it is spelt: `meta-llama/Meta-Llama-3-70B-Instruct` is
/// Llama 3 70B.
///
/// # Errors
/// A name of none, with the nearest ones.
pub fn find(name: &str) -> Result<&'static Model, Problem> {
    let wanted = key(name);
    let found = models()
        .iter()
        .find(|model| model.names().any(|name| key(name) == wanted));
    found.ok_or_else(|| {
        let near = nearest(&wanted, models().iter().map(|model| model.name.as_str()));
        Problem::new("the model is not in the catalogue", "目录中没有该模型")
            .at("--model")
            .found(name)
            .remedy(
                format!("did you mean {near}? --models lists all; or state --parameters, --layers, --kv-heads and --head-dim"),
                format!("是否指 {near}？--models 列出全部；也可给出 --parameters、--layers、--kv-heads 与 --head-dim"),
            )
    })
}

/// The three nearest of some names, for a message.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let wanted = key(wanted);
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(&wanted, &key(name)), name))
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    let names: Vec<&str> = near.iter().take(3).map(|(_, name)| *name).collect();
    names.join(", ")
}

/// Words that do not tell one architecture from another.
const NOISE: &[&str] = &[
    "instruct", "it", "chat", "hf", "base", "meta", "fp8", "awq", "gptq", "int8", "int4", "w8a8",
    "w4a16", "bf16", "nvfp4", "dynamic",
];

/// A name without its owner, separators, case and [`NOISE`].
fn key(name: &str) -> String {
    let short = name.trim_end_matches('/');
    let short = short.rsplit('/').next().unwrap_or(short).to_lowercase();
    let words = short.split(|c: char| !c.is_alphanumeric() && c != '.');
    words.filter(|word| !NOISE.contains(word)).collect()
}

/// Levenshtein's distance, in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole_and_every_name_its_own() {
        let mut seen = std::collections::HashSet::new();
        for model in models() {
            for name in model.names() {
                assert!(seen.insert(key(name)), "{name} is there twice");
            }
            assert!(
                model.config.starts_with("https://huggingface.co/"),
                "{}",
                model.name
            );
            assert!(model.checked_on.is_some() && !model.checked_against.is_empty());
            assert!(model.kept_16_bit < model.parameters, "{}", model.name);
            assert_eq!(
                model.window.is_some(),
                model.windowed_layers.is_some(),
                "{}",
                model.name
            );
            let heads = model.heads.unwrap();
            assert!(
                heads % model.kv_heads == 0 && model.context.is_some(),
                "{}",
                model.name
            );
        }
        let rows = include_str!("models.csv").lines().count() - 1;
        assert_eq!(models().len(), rows);
    }

    #[test]
    fn every_spelling_finds_its_model() {
        for (spelling, name) in [
            ("Llama 3 70B", "Llama 3 70B"),
            ("llama-3-70b", "Llama 3 70B"),
            ("meta-llama/Meta-Llama-3-70B-Instruct", "Llama 3 70B"),
            ("meta-llama/Llama-3.1-8B-Instruct", "Llama 3.1 8B"),
            (
                "RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic",
                "Llama 3.1 70B",
            ),
            ("Qwen/Qwen3-8B", "Qwen3 8B"),
            ("qwen 2.5 72b instruct", "Qwen2.5 72B"),
            ("mistralai/Mixtral-8x7B-Instruct-v0.1", "Mixtral 8x7B"),
            ("google/gemma-3-27b-it", "Gemma 3 27B"),
            ("openai/gpt-oss-120b", "gpt-oss 120b"),
            ("deepseek-ai/DeepSeek-R1", "DeepSeek-R1"),
        ] {
            assert_eq!(find(spelling).unwrap().name, name, "{spelling}");
        }
        let problem = find("Llama 3 7B").unwrap_err().to_string();
        assert!(
            problem.contains("Llama 3 7B") && problem.contains("Llama 3 70B"),
            "{problem}"
        );
    }
}
