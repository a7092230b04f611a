//! A machine as a report wants it, `inferplan.environment/1`: recorded by `inferplan env` where the
//! engine runs, attached by `inferplan import --env`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Date,
    accelerator::Accelerator,
    day,
    document::{Document, SchemaTag},
    report::{Report, Software},
};

/// What was recorded; null where the machine does not tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// `inferplan.environment/1`.
    pub schema: SchemaTag,
    /// The day it was recorded.
    #[serde(with = "day::required")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub recorded_on: Date,
    /// The accelerators, by the driver's name for them.
    #[serde(default)]
    pub accelerator: Option<Accelerator>,
    /// How many the machine has; a replica may use fewer, so this is not taken for it.
    #[serde(default)]
    pub accelerators_present: Option<u32>,
    /// The accelerator driver's version.
    #[serde(default)]
    pub driver: Option<String>,
    /// CUDA's version.
    #[serde(default)]
    pub cuda: Option<String>,
    /// cuDNN's version.
    #[serde(default)]
    pub cudnn: Option<String>,
    /// The processor.
    #[serde(default)]
    pub cpu: Option<String>,
    /// Memory, GiB.
    #[serde(default)]
    pub memory_gib: Option<f64>,
    /// The container image.
    #[serde(default)]
    pub container_image: Option<String>,
    /// Versions of installed engines and frameworks.
    #[serde(default)]
    pub packages: BTreeMap<String, String>,
}

impl Document for Environment {
    const SCHEMA: &'static str = "inferplan.environment/1";
}

/// Packages that are serving engines.
pub const ENGINES: [&str; 5] = ["vllm", "sglang", "tensorrt-llm", "lmdeploy", "mindie"];
/// Packages that are frameworks under them.
pub const FRAMEWORKS: [&str; 3] = ["torch", "mindspore", "jax"];

impl Environment {
    /// Fills what a report does not say, and marks it as stated.
    pub fn attach(&self, report: &mut Report) {
        let stated = &mut report.stated;
        let system = &mut report.system;
        let mut fill = |path: &str, field: &mut Option<String>, value: &Option<String>| {
            if field.is_none() && value.is_some() {
                field.clone_from(value);
                stated.push(path.to_owned());
            }
        };
        fill("system.driver", &mut system.driver, &self.driver);
        fill("system.cuda", &mut system.cuda, &self.cuda);
        fill("system.cudnn", &mut system.cudnn, &self.cudnn);
        fill("system.cpu", &mut system.cpu, &self.cpu);
        fill(
            "system.container_image",
            &mut system.container_image,
            &self.container_image,
        );
        let of = |name: &str| {
            self.packages
                .get(name)
                .map(|version| format!("{name} {version}"))
        };
        let framework = FRAMEWORKS.into_iter().find_map(of);
        fill("system.framework", &mut system.framework, &framework);
        if system.memory_gib.is_none() && self.memory_gib.is_some() {
            system.memory_gib = self.memory_gib;
            stated.push("system.memory_gib".to_owned());
        }
        if system.accelerator.is_none() && self.accelerator.is_some() {
            system.accelerator.clone_from(&self.accelerator);
            stated.push("system.accelerator".to_owned());
        }
        self.attach_engine(report);
    }

    /// The engine's version; the engine itself only where the machine has but one.
    fn attach_engine(&self, report: &mut Report) {
        let installed: Vec<&str> = ENGINES
            .into_iter()
            .filter(|name| self.packages.contains_key(*name))
            .collect();
        let engine = &mut report.system.engine;
        if engine.is_none()
            && let [only] = installed.as_slice()
        {
            *engine = Some(Software {
                name: (*only).to_owned(),
                version: None,
            });
            report.stated.push("system.engine.name".to_owned());
        }
        if let Some(engine) = engine.as_mut().filter(|engine| engine.version.is_none())
            && let Some(version) = self.packages.get(&engine.name.to_lowercase())
        {
            engine.version = Some(version.clone());
            report.stated.push("system.engine.version".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sweep;

    #[test]
    fn gaps_are_filled_and_marked_and_what_is_said_stays() {
        let environment = Environment {
            schema: SchemaTag::of::<Environment>(),
            recorded_on: "2026-11-30".parse().unwrap(),
            accelerator: Some("L40S".parse().unwrap()),
            accelerators_present: Some(8),
            driver: Some("580.1".into()),
            cuda: Some("13.0".into()),
            cudnn: None,
            cpu: Some("EPYC".into()),
            memory_gib: Some(1024.0),
            container_image: None,
            packages: [("vllm", "0.30.0"), ("torch", "2.9.0")]
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .into(),
        };
        let mut report = sweep(&[(1.0, 1.0)]);
        report.system.cuda = Some("12.8".into());
        environment.attach(&mut report);
        let system = &report.system;
        assert_eq!(
            system.accelerator.as_ref().unwrap().to_string(),
            "H100 80GB SXM",
            "as the report says"
        );
        assert_eq!(system.cuda.as_deref(), Some("12.8"));
        assert_eq!(system.driver.as_deref(), Some("580.1"));
        assert_eq!(system.framework.as_deref(), Some("torch 2.9.0"));
        assert_eq!(
            system.engine.as_ref().unwrap().version.as_deref(),
            Some("0.30.0")
        );
        assert_eq!(
            report.stated,
            [
                "system.driver",
                "system.cpu",
                "system.framework",
                "system.memory_gib",
                "system.engine.name",
                "system.engine.version"
            ]
        );
    }
}
