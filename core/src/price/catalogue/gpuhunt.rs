//! dstack's gpuhunt catalogue: a CSV a provider, prices in US dollars an hour for the whole machine.

use super::{
    Catalogue, Format, Request, decimal, kebab,
    rows::{Machine, Machines},
    skypilot::{bad_count, broken, no_accelerator, no_price, whole},
};
use crate::{
    problem::{Problem, Problems},
    text::Notice,
};

pub(super) struct Gpuhunt;

impl Format for Gpuhunt {
    fn name(&self) -> &'static str {
        "gpuhunt"
    }

    fn recognises(&self, text: &str) -> bool {
        let header = text.lines().next().unwrap_or_default();
        let has = |name: &str| header.split(',').any(|column| column.trim() == name);
        [
            "instance_name",
            "location",
            "price",
            "gpu_count",
            "gpu_name",
            "spot",
        ]
        .iter()
        .all(|name| has(name))
    }

    fn read(&self, text: &str, file: &str, request: &Request) -> Result<Catalogue, Problems> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| broken(&error))?.clone();
        let at = |name: &str| header.iter().position(|column| column.trim() == name);
        let missing = |name: &str| Problem::new("a column is missing", "缺少列").found(name);
        let need = |name: &str| at(name).ok_or_else(|| missing(name));
        let (instance, location, price) =
            (need("instance_name")?, need("location")?, need("price")?);
        let (count, gpu, spot) = (need("gpu_count")?, need("gpu_name")?, need("spot")?);
        let (memory, flags) = (at("gpu_memory"), at("flags"));
        let provider = request.name.as_deref().map_or_else(|| stem(file), kebab);
        let source = format!("gpuhunt catalogue, {provider}.csv");
        let name = format!("{provider} (gpuhunt)");
        let mut machines = Machines::new(format!("gpuhunt.{provider}"), &name, source, request);
        let mut found = Catalogue::default();
        let mut record = csv::StringRecord::new();
        // As a spreadsheet counts: the header is the first.
        let mut line = 1;
        while reader
            .read_record(&mut record)
            .map_err(|error| broken(&error))?
        {
            line += 1;
            let cell = |at: usize| record.get(at).unwrap_or_default().trim();
            let row = || format!("row {line}");
            if cell(gpu).is_empty() || cell(count) == "0" {
                found.leave_out(row(), no_accelerator());
                continue;
            }
            // A calendar reservation, a cluster's share or a preview: not the machine on demand.
            let special = flags.map(cell).unwrap_or_default();
            let is_spot = cell(spot).eq_ignore_ascii_case("true");
            if !special.is_empty() && !is_spot {
                found.leave_out(row(), special_terms(special));
                continue;
            }
            let Some(cards) = whole(cell(count)) else {
                found.leave_out(row(), bad_count());
                continue;
            };
            let Some(amount) = decimal(cell(price)) else {
                found.leave_out(row(), no_price());
                continue;
            };
            // The memory tells an A100 of 40 GB from one of 80.
            let memory = memory
                .map(cell)
                .and_then(decimal)
                .filter(|gb| !gb.is_zero());
            let accelerator = match memory {
                Some(gb) => format!("{} {}GB", cell(gpu), gb.normalize()),
                None => cell(gpu).to_owned(),
            };
            machines.add(
                &Machine {
                    row: line,
                    instance: cell(instance),
                    accelerator: &accelerator,
                    count: cards,
                    region: cell(location),
                    price: amount,
                    spot: is_spot,
                },
                &mut found,
            );
        }
        machines.finish(&mut found);
        Ok(found)
    }
}

fn special_terms(flags: &str) -> Notice {
    Notice::new(
        "special-terms",
        format!("It is sold under special terms: {flags}."),
        format!("以特殊条款出售：{flags}。"),
    )
}

/// The provider by the file's name: `aws.csv`.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let id = kebab(name.split('.').next().unwrap_or_default());
    if id.is_empty() {
        "provider".to_owned()
    } else {
        id
    }
}
