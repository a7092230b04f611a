//! SkyPilot's catalogue: a `vms.csv` a cloud, prices in US dollars an hour for the whole machine.
//!
//! Google Cloud prices accelerators apart from their host: such rows name no instance type, and the
//! host's rows name no accelerator. Neither is the price of a machine, so both are left out.

use super::{
    Catalogue, Format, Request, decimal, kebab,
    rows::{Machine, Machines},
};
use crate::{
    problem::{Problem, Problems},
    text::Notice,
};

pub(super) struct SkyPilot;

impl Format for SkyPilot {
    fn name(&self) -> &'static str {
        "skypilot"
    }

    fn recognises(&self, text: &str) -> bool {
        let header = text.lines().next().unwrap_or_default();
        let has = |name: &str| header.split(',').any(|column| column.trim() == name);
        [
            "InstanceType",
            "AcceleratorName",
            "AcceleratorCount",
            "Price",
            "Region",
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
        let (instance, accelerator, count) = (
            need("InstanceType")?,
            need("AcceleratorName")?,
            need("AcceleratorCount")?,
        );
        let (price, region) = (need("Price")?, need("Region")?);
        let (spot, info) = (at("SpotPrice"), at("GpuInfo"));
        let cloud = cloud_of(file, request);
        let source = format!("SkyPilot catalogue, {cloud} vms.csv");
        let name = format!("{cloud} (SkyPilot)");
        let mut machines = Machines::new(format!("skypilot.{cloud}"), &name, source, request);
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
            if cell(accelerator).is_empty() {
                found.leave_out(row(), no_accelerator());
                continue;
            }
            if cell(instance).is_empty() {
                found.leave_out(row(), no_host());
                continue;
            }
            let Some(cards) = whole(cell(count)) else {
                found.leave_out(row(), bad_count());
                continue;
            };
            let info = info.map(cell).unwrap_or_default();
            let sized = with_memory(cell(accelerator), info, cards);
            let mut add = |figure: &str, spot: bool, found: &mut Catalogue| match decimal(figure) {
                Some(price) => machines.add(
                    &Machine {
                        row: line,
                        instance: cell(instance),
                        accelerator: &sized,
                        count: cards,
                        region: cell(region),
                        price,
                        spot,
                    },
                    found,
                ),
                None if !spot => found.leave_out(row(), no_price()),
                None => {}
            };
            add(cell(price), false, &mut found);
            // An empty or zero spot price is none; one equal to the price is a copy of it, as
            // RunPod's rows have had since it sells no spot.
            let figure = spot.map(cell).unwrap_or_default();
            let is_one = decimal(figure).is_some_and(|p| !p.is_zero()) && figure != cell(price);
            if is_one {
                add(figure, true, &mut found);
            }
        }
        machines.finish(&mut found);
        Ok(found)
    }
}

/// The cloud: as stated, or the folder that the file lies in (`aws/vms.csv`).
fn cloud_of(file: &str, request: &Request) -> String {
    if let Some(name) = &request.name {
        return kebab(name);
    }
    let mut parts = file.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let of = if stem == "vms" && !folder.is_empty() {
        folder
    } else {
        stem
    };
    let id = kebab(of);
    if id.is_empty() {
        "cloud".to_owned()
    } else {
        id
    }
}

/// The name with its memory, for the two classes that came with several: `GpuInfo` holds the size in
/// MiB, of one accelerator for some clouds and of all for others.
fn with_memory(name: &str, info: &str, cards: u32) -> String {
    if !["A100", "V100"].contains(&name) {
        return name.to_owned();
    }
    let size = || {
        let digits = info.split("'SizeInMiB': ").nth(1)?;
        let end = digits.find(|c: char| !c.is_ascii_digit())?;
        digits[..end].parse::<u32>().ok()
    };
    let Some(size) = size() else {
        return name.to_owned();
    };
    // A size that is no product's stays unsaid, and the row is left out as unclear.
    let product = |mib: u32| {
        [16, 32, 40, 80]
            .into_iter()
            .find(|gb| (gb * 1000..=gb * 1024).contains(&mib))
    };
    match product(size).or_else(|| product(size / cards)) {
        Some(gb) => format!("{name} {gb}GB"),
        None => name.to_owned(),
    }
}

/// A whole number of accelerators above 0: `8.0`.
pub(super) fn whole(figure: &str) -> Option<u32> {
    let count = decimal(figure)?;
    let whole = count.fract().is_zero() && count > crate::Decimal::ZERO;
    whole
        .then(|| u32::try_from(count).ok())
        .flatten()
        .filter(|count| *count <= 1024)
}

pub(super) fn broken(error: &csv::Error) -> Problem {
    Problem::new(
        format!("the table cannot be read: {error}"),
        format!("无法读取表格：{error}"),
    )
}

pub(super) fn no_accelerator() -> Notice {
    Notice::new(
        "no-accelerator",
        "The machine has no accelerator.",
        "该机型没有加速卡。",
    )
}

fn no_host() -> Notice {
    Notice::new(
        "host-apart",
        "The accelerator is priced apart from its host: it is no price of a machine.",
        "加速卡与主机分开计价：不是整机价格。",
    )
}

pub(super) fn bad_count() -> Notice {
    Notice::new(
        "bad-count",
        "The number of accelerators is not a whole number above 0.",
        "卡数不是大于 0 的整数。",
    )
}

pub(super) fn no_price() -> Notice {
    Notice::new("no-price", "The row has no price.", "该行没有价格。")
}
