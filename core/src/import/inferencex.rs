//! InferenceX (SemiAnalysis) rows: a JSON array, one row a measured point.
//!
//! Throughput is **per GPU**: the replica's is that times its GPUs. Latencies are in seconds.

use serde_json::Value;

use super::{Format, Options, common, content::Content};
use crate::{
    problem::{Problem, Problems},
    report::{Arrivals, Point, Quantile, Quantiles, Report, Software},
    text::Notice,
};

pub(super) struct Inferencex;

impl Format for Inferencex {
    fn name(&self) -> &'static str {
        "inferencex"
    }

    fn marks(&self) -> &'static str {
        "tput_per_gpu, conc, hw, tp"
    }

    fn recognises(&self, content: &Content) -> bool {
        let has_all = |value: &Value| {
            ["tput_per_gpu", "conc", "hw"]
                .iter()
                .all(|key| value.get(key).is_some())
        };
        rows(content).first().is_some_and(|row| has_all(row))
    }

    fn read(&self, content: &Content, _: &Options) -> Result<Vec<Report>, Problems> {
        let mut reports = Vec::new();
        let mut problems = Vec::new();
        for (i, row) in rows(content).into_iter().enumerate() {
            match read_row(row) {
                Ok(report) => reports.push(report),
                Err(problem) => {
                    let path = problem.path.clone().unwrap_or_default();
                    problems.push(problem.at(format!("[{i}].{path}")));
                }
            }
        }
        Problems::none_in(problems)?;
        Ok(reports)
    }
}

fn rows(content: &Content) -> Vec<&Value> {
    match content.json() {
        Some(Value::Array(rows)) => rows.iter().collect(),
        Some(row) => vec![row],
        None => Vec::new(),
    }
}

fn read_row(row: &Value) -> Result<Report, Problem> {
    let disaggregated = row.get("disagg").and_then(Value::as_bool).unwrap_or(false);
    if disaggregated
        || row
            .get("is_multinode")
            .and_then(Value::as_bool)
            .unwrap_or(false)
    {
        return Err(Problem::new(
            "prefill and decode run on different GPUs here, so the figure per GPU is not of one replica",
            "此处预填充与解码在不同 GPU 上，单卡数字不对应一个副本",
        )
        .at("disagg")
        .remedy("leave this row out", "请去掉此行"));
    }
    let tensor = common::required(row, "/tp")?;
    let gpus = common::accelerators(Some(tensor)).ok_or_else(|| {
        Problem::new("is not a number of GPUs", "不是 GPU 数量")
            .at("tp")
            .found(tensor)
    })?;
    let output = common::required(row, "/output_tput_per_gpu")? * tensor;
    let output_tokens = common::required(row, "/osl")?;
    let mut report = common::report("inferencex", None);
    let mut point = Point {
        concurrency: Some(common::required(row, "/conc")?),
        requests_per_s: output / output_tokens,
        output_tokens_per_s: Some(output),
        input_tokens_per_s: common::optional(row, "/input_tput_per_gpu").map(|rate| rate * tensor),
        latency_s: seconds(row, "e2el"),
        ttft_s: seconds(row, "ttft"),
        tpot_s: seconds(row, "tpot"),
        itl_s: seconds(row, "itl"),
        ..Point::default()
    };
    report.warnings.push(Notice::new(
        "per-gpu-scaled",
        "Throughput is given per GPU; the replica's is that times its GPUs.",
        "吞吐按单卡给出；副本吞吐为其乘以卡数。",
    ));
    common::drop_zero_metrics(&mut point, &mut report.warnings);
    report.workload.input_tokens = common::optional(row, "/isl");
    report.workload.output_tokens = Some(output_tokens);
    report.workload.arrivals = Some(Arrivals::Closed);
    report.model.name = common::text(row, "/model");
    report.model.precision = common::text(row, "/precision");
    report.system.accelerators = Some(gpus);
    report.system.accelerator = common::text(row, "/hw").and_then(|hw| {
        // Runner names may carry a suffix: `h200-trt`.
        let name = hw.split(['-', '_']).next().unwrap_or(&hw).to_owned();
        common::accelerator(&name, &mut report.warnings)
    });
    report.system.engine = common::text(row, "/framework").map(|name| Software {
        name,
        version: None,
    });
    report.system.container_image = common::text(row, "/image");
    report.measured_on = common::text(row, "/date").and_then(|stamp| common::day_of(&stamp));
    report.points = vec![point];
    Ok(report)
}

/// `median_ttft`, `p99_ttft`, …: seconds.
fn seconds(row: &Value, metric: &str) -> Quantiles {
    let mut quantiles = Quantiles::default();
    for quantile in Quantile::ALL {
        let statistic = if quantile == Quantile::P50 {
            "median"
        } else {
            quantile.key()
        };
        quantiles.set(
            quantile,
            common::optional(row, &format!("/{statistic}_{metric}")),
        );
    }
    quantiles
}

#[cfg(test)]
mod tests {
    use super::super::tests::{import, import_bytes};

    #[test]
    fn throughput_per_gpu_becomes_the_replica_s() {
        let reports = import("inferencex", "rows.json");
        assert_eq!(reports.len(), 2, "tp 8 and tp 4 are two systems");
        let report = &reports[0];
        assert_eq!(report.system.accelerators, Some(8));
        assert_eq!(
            report.system.accelerator.as_ref().unwrap().to_string(),
            "H200"
        );
        let point = &report.points[1];
        // 64 output tokens/s a GPU × 8 = 512; ÷ 128 tokens = 4 requests/s.
        assert_eq!(
            (
                point.concurrency,
                point.output_tokens_per_s,
                point.requests_per_s
            ),
            (Some(16.0), Some(512.0), 4.0)
        );
        assert_eq!((point.ttft_s.p50, point.ttft_s.p99), (Some(0.2), Some(0.4)));
    }

    #[test]
    fn rows_that_are_not_of_one_replica_are_refused() {
        let text = br#"[{"tput_per_gpu": 1, "conc": 1, "hw": "h100", "disagg": true}]"#;
        let message = import_bytes(text).unwrap_err().to_string();
        assert!(message.contains("[0].disagg"), "{message}");
        let text =
            br#"[{"tput_per_gpu": 1, "conc": 1, "hw": "h100", "tp": 1, "output_tput_per_gpu": 5}]"#;
        assert!(
            import_bytes(text)
                .unwrap_err()
                .to_string()
                .contains("[0].osl: is missing")
        );
    }
}
