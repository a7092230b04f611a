//! From any tool's file to the canonical report.
//!
//! A format is recognised by what a file holds, never by its name. Each tool is one file here,
//! behind [`Format`]. The way of a file: [`Loader`] unpacks, decodes and cuts it down while it
//! streams by; its items (one JSON value, a line of JSON Lines, a text) are recognised; each is
//! read into a report; what the user states is put in; runs of one sweep join.

mod aisbench;
mod canonical;
mod common;
mod console;
mod content;
mod evalscope;
mod fields;
mod genai_perf;
mod gpubench;
mod grafana;
mod guidellm;
mod inference_benchmarker;
mod inference_perf;
mod inferencex;
mod llm_d;
mod load;
mod locust;
mod mlperf;
mod per_request;
mod plain_table;
mod prometheus;
mod replicate;
mod sglang;
mod slim;
mod stated;
mod strict;
mod table;
mod trtllm;
mod units;
mod vllm_latency;
mod vllm_serve;
mod vllm_throughput;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    problem::{Problem, Problems},
    report::{self, Report},
};
use content::Content;

pub use load::{Gb18030, Loaded, Loader};

/// A file's text: UTF-8 with or without its mark, UTF-16, or GB18030 as spreadsheets in China save it.
///
/// # Errors
/// Bytes that are none of these.
pub fn text(bytes: &[u8], gb18030: Gb18030) -> Result<String, Problem> {
    load::decode(bytes.to_vec(), gb18030)
}
pub use stated::Stated;

/// One tool's result.
trait Format: Sync {
    /// Its name, for `--format` and messages: `vllm-serve`.
    fn name(&self) -> &'static str;

    /// What such a result holds that no other does, for messages.
    fn marks(&self) -> &'static str;

    /// Whether a content is such a result.
    fn recognises(&self, content: &Content) -> bool;

    /// Which part of a result this is, where a tool writes one result as several files of one
    /// folder; `None` where a content is a whole result.
    fn part(&self, _content: &Content) -> Option<&'static str> {
        None
    }

    /// Which run a file is of, by its name, where a tool puts the files of several runs in one
    /// folder. Asked only where a folder has a part twice.
    fn run(&self, _file: &str) -> String {
        String::new()
    }

    /// Whether only files of one such name are ever parts of one run.
    fn runs_share_a_name(&self) -> bool {
        false
    }

    /// Why a content of this tool holds no measurement of its own, and what to give in its place.
    /// In a folder it is passed over.
    fn refuses(&self, _content: &Content) -> Option<Problem> {
        None
    }

    /// Reads it. Problems name the field; the caller adds the file.
    fn read(&self, content: &Content, options: &Options) -> Result<Vec<Report>, Problems>;
}

/// Every format. The order decides nothing: a test sees to it that no content is recognised by two.
const FORMATS: &[&dyn Format] = &[
    &canonical::Canonical,
    &vllm_serve::VllmServe,
    &sglang::Sglang,
    &console::Console,
    &vllm_throughput::VllmThroughput,
    &vllm_latency::VllmLatency,
    &inference_benchmarker::InferenceBenchmarker,
    &trtllm::Trtllm,
    &genai_perf::GenaiPerf,
    &guidellm::Guidellm,
    &inference_perf::InferencePerf,
    &llm_d::LlmD,
    &evalscope::Evalscope,
    &aisbench::Aisbench,
    &inferencex::Inferencex,
    &gpubench::Gpubench,
    &locust::Locust,
    &mlperf::Mlperf,
    &replicate::Replicate,
    &prometheus::Prometheus,
    &grafana::Grafana,
    &plain_table::PlainTable,
];

/// How to read files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// What the user states because the files do not say it.
    pub stated: Stated,
    /// The name of the format to read every file as, whatever it looks like.
    pub format: Option<String>,
    /// Works out exact quantiles from per-request arrays, which the loader must have kept whole.
    pub per_request: bool,
    /// Columns of a plain table: our field's name, then the header that holds it.
    pub columns: Vec<(String, String)>,
}

/// What came of some files.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The reports, runs of one sweep joined.
    pub reports: Vec<Report>,
    /// How each file was recognised.
    pub recognised: Vec<Recognised>,
    /// Files found in a folder that are no result of a known tool.
    pub passed_over: Vec<String>,
}

/// How a file was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The file.
    pub file: String,
    /// The format's name.
    pub format: &'static str,
    /// What told it apart.
    pub evidence: &'static str,
}

/// The names of every format, for `--format`.
#[must_use]
pub fn format_names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name()).collect()
}

/// Reads several files and joins the runs of each sweep.
///
/// # Errors
/// Every problem of every file: text that is not what its format is, a tool that is not known,
/// figures missing or out of bounds, a statement that contradicts the file.
pub fn read_loaded(files: Vec<Loaded>, options: &Options) -> Result<Imported, Problems> {
    let mut work = Work {
        options,
        parts: BTreeMap::new(),
        reports: Vec::new(),
        recognised: Vec::new(),
        passed_over: Vec::new(),
        problems: Vec::new(),
    };
    for file in files {
        work.take(file);
    }
    work.join_parts();
    Problems::none_in(work.problems)?;
    Ok(Imported {
        reports: report::merge(work.reports),
        recognised: work.recognised,
        passed_over: work.passed_over,
    })
}

/// Reads files that are in memory already; see [`read_loaded`].
///
/// # Errors
/// As [`read_loaded`].
pub fn read_all<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    options: &Options,
    gb18030: Gb18030,
) -> Result<Imported, Problems> {
    let mut loaded = Vec::new();
    let mut problems = Vec::new();
    for (file, bytes) in files {
        let mut loader = Loader::new(file, false);
        match loader.push(bytes).and_then(|()| loader.finish(gb18030)) {
            Ok(file) => loaded.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    Problems::none_in(problems)?;
    read_loaded(loaded, options)
}

/// A file that is part of a result: its name, which part it is, and what it holds.
type Part = (String, &'static str, Content);

/// Files on their way to reports.
struct Work<'a> {
    options: &'a Options,
    /// Parts of results that span files, by folder and format.
    parts: BTreeMap<(String, &'static str), Vec<Part>>,
    reports: Vec<Report>,
    recognised: Vec<Recognised>,
    passed_over: Vec<String>,
    problems: Vec<Problem>,
}

impl Work<'_> {
    fn take(&mut self, file: Loaded) {
        let (name, found) = (file.name.clone(), file.found);
        let contents = match content::of(file) {
            Ok(contents) => contents,
            Err(_) if found => return self.passed_over.push(name),
            Err(problem) => return self.problems.push(problem.in_file(&name)),
        };
        let several = contents.len() > 1;
        for (i, content) in contents.into_iter().enumerate() {
            let at = several.then_some(i + 1);
            let format = match self.recognise(&content) {
                Ok(format) => format,
                Err(_) if found => return self.passed_over.push(name),
                Err(problem) => {
                    self.problems.push(placed(problem, &name, at));
                    // The rest of a file of many such results would say the same.
                    return;
                }
            };
            match format.refuses(&content) {
                Some(_) if found => return self.passed_over.push(name),
                Some(problem) => {
                    self.problems.push(placed(problem, &name, at));
                    continue;
                }
                None => {}
            }
            let seen = Recognised {
                file: name.clone(),
                format: format.name(),
                evidence: format.marks(),
            };
            if !self.recognised.contains(&seen) {
                self.recognised.push(seen);
            }
            // Several results in one file are whole ones.
            if let Some(part) = format.part(&content).filter(|_| !several) {
                let folder = name
                    .rsplit_once(['/', '\\'])
                    .map_or("", |(folder, _)| folder);
                let parts = self
                    .parts
                    .entry((folder.to_owned(), format.name()))
                    .or_default();
                parts.push((name.clone(), part, content));
            } else {
                self.read(format, &content, &name, at);
            }
        }
    }

    fn read(&mut self, format: &dyn Format, content: &Content, file: &str, at: Option<usize>) {
        let finish = |mut report: Report| -> Result<Report, Problems> {
            self.options.stated.apply(&mut report)?;
            report.check()?;
            Ok(report)
        };
        let reports = format.read(content, self.options).and_then(|reports| {
            reports
                .into_iter()
                .map(finish)
                .collect::<Result<Vec<_>, _>>()
        });
        match reports {
            Ok(reports) => self.reports.extend(reports),
            Err(problems) => {
                self.problems.extend(
                    problems
                        .into_iter()
                        .map(|problem| placed(problem, file, at)),
                );
            }
        }
    }

    /// Results that span files: the parts of one folder together, or those of each run in it.
    fn join_parts(&mut self) {
        for ((_, name), parts) in std::mem::take(&mut self.parts) {
            let Some(format) = FORMATS.iter().find(|format| format.name() == name) else {
                continue;
            };
            for parts in runs_of(*format, parts) {
                self.join_run(*format, parts);
            }
        }
    }

    fn join_run(&mut self, format: &dyn Format, parts: Vec<Part>) {
        let name = format.name();
        let file = parts
            .iter()
            .map(|(file, ..)| file.as_str())
            .collect::<Vec<_>>()
            .join(" + ");
        let mut joined = BTreeMap::new();
        for (file, part, content) in parts {
            if joined.insert(part, content).is_some() {
                self.problems.push(
                    Problem::new(
                        format!("a second `{part}` of {name} in one folder: which belong together cannot be told"),
                        format!("同一目录中有两个 {name} 的 `{part}`，无法判断哪些属于同一次运行"),
                    )
                    .in_file(&file)
                    .remedy(
                        "give one run's folder at a time, or the folders with their names",
                        "请一次给出一次运行的目录，或连同目录名一起给出",
                    ),
                );
            }
        }
        self.read(format, &Content::Parts(joined), &file, None);
    }

    /// The format asked for, or the one that recognises the content.
    fn recognise(&self, content: &Content) -> Result<&'static dyn Format, Problem> {
        if let Some(wanted) = &self.options.format {
            let found = FORMATS
                .iter()
                .find(|format| format.name() == wanted.as_str());
            return found.copied().ok_or_else(|| {
                Problem::new("this is not a format known here", "未知的格式")
                    .found(wanted)
                    .remedy(
                        format!("one of {}", format_names().join(", ")),
                        format!("可选：{}", format_names().join("、")),
                    )
            });
        }
        let mut found = FORMATS.iter().filter(|format| format.recognises(content));
        match (found.next(), found.next()) {
            (Some(format), None) => Ok(*format),
            (Some(a), Some(b)) => Err(Problem::new(
                "two formats recognise this file",
                "有两种格式都能识别该文件",
            )
            .found(format!(
                "{} ({}), {} ({})",
                a.name(),
                a.marks(),
                b.name(),
                b.marks()
            ))
            .remedy(
                format!("say which: --format {} or --format {}", a.name(), b.name()),
                format!("请指定：--format {} 或 --format {}", a.name(), b.name()),
            )),
            (None, _) => Err(unknown(content)),
        }
    }
}

/// The parts of each run: all of a folder's, unless one is there twice or names tell them apart.
fn runs_of(format: &dyn Format, parts: Vec<Part>) -> Vec<Vec<Part>> {
    let mut seen = BTreeSet::new();
    if parts.iter().all(|(_, part, _)| seen.insert(*part)) && !format.runs_share_a_name() {
        return vec![parts];
    }
    let mut runs: BTreeMap<String, Vec<Part>> = BTreeMap::new();
    for part in parts {
        runs.entry(format.run(&part.0)).or_default().push(part);
    }
    runs.into_values().collect()
}

fn placed(mut problem: Problem, file: &str, at: Option<usize>) -> Problem {
    if let Some(at) = at {
        problem.path = Some(match problem.path {
            Some(path) => format!("result {at}: {path}"),
            None => format!("result {at}"),
        });
    }
    problem.in_file(file)
}

fn unknown(content: &Content) -> Problem {
    let names = format_names().join(", ");
    Problem::new(
        "this is not a benchmark result of a tool known here",
        "这不是已支持工具的测试结果",
    )
    .found(content.glance())
    .remedy(
        format!(
            "known: {names}; force one with --format, or name the columns of a table with --column"
        ),
        format!("已支持：{names}；可用 --format 指定，或用 --column 指明表格的列"),
    )
}

/// A short name for a report, from what it says: `qwen3-8b-h100-80gb-sxm-bf16-2048-2048`.
fn id_of(report: &Report) -> String {
    let model = report.model.name.as_deref().unwrap_or("model");
    let mut parts = vec![model.rsplit('/').next().unwrap_or(model).to_owned()];
    if let Some(accelerator) = &report.system.accelerator {
        let count = report.system.accelerators.unwrap_or(1);
        parts.push(match count {
            1 => accelerator.to_string(),
            n => format!("{n}x {accelerator}"),
        });
    }
    parts.extend(report.model.precision.clone());
    for tokens in [report.workload.input_tokens, report.workload.output_tokens] {
        parts.extend(tokens.map(|n| format!("{n:.0}")));
    }
    let slug: String = parts
        .join("-")
        .to_lowercase()
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        })
        .collect();
    slug.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests;
