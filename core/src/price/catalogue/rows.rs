//! Machines of a catalogue: rows to offers, rows of one machine in several zones to one offer.

use std::collections::HashMap;

use super::{Catalogue, Request, doubtful, kebab, table, version};
use crate::{
    Decimal,
    accelerator::Accelerator,
    money::Currency,
    price::{Basis, Offer, Price, PriceTable, Residency, Sells, Terms, table::Spot},
    text::{Bilingual, Notice},
};

/// One machine of a catalogue, whatever its spelling there.
pub(super) struct Machine<'r> {
    /// Its row, for messages.
    pub row: usize,
    /// The provider's name of it.
    pub instance: &'r str,
    /// The accelerator's name there.
    pub accelerator: &'r str,
    /// How many.
    pub count: u32,
    /// The region.
    pub region: &'r str,
    /// An hour of the machine.
    pub price: Decimal,
    /// Whether it may be taken back.
    pub spot: bool,
}

/// Offers on their way to a table.
pub(super) struct Machines<'q> {
    request: &'q Request,
    source: String,
    table: PriceTable,
    /// Where an id stands in the table.
    known: HashMap<String, usize>,
    /// Names already read: a catalogue repeats few of them many times.
    names: HashMap<String, Result<Accelerator, String>>,
    /// Rows that joined one of another zone.
    joined: usize,
    /// Regions already placed.
    places: HashMap<String, Option<Residency>>,
}

impl<'q> Machines<'q> {
    pub fn new(id: String, name: &str, source: String, request: &'q Request) -> Self {
        Self {
            request,
            source,
            table: table(id, Bilingual::same(name), request.observed_on),
            known: HashMap::new(),
            names: HashMap::new(),
            joined: 0,
            places: HashMap::new(),
        }
    }

    /// Adds a row; one that does not fit is left out by name.
    pub fn add(&mut self, machine: &Machine, into: &mut Catalogue) {
        let row = || format!("row {}", machine.row);
        if let Some(why) = doubtful(machine.price) {
            return into.leave_out(row(), why);
        }
        let accelerator = match self.accelerator(machine.accelerator) {
            Ok(accelerator) => accelerator,
            Err(why) => {
                return into.leave_out(
                    row(),
                    Notice::new(
                        "accelerator-unclear",
                        format!("Its accelerator is not clear: {why}"),
                        format!("加速卡不明确：{why}"),
                    ),
                );
            }
        };
        let spot = if machine.spot { ".spot" } else { "" };
        let id = format!(
            "{}.{}.{}{spot}",
            self.table.provider.id,
            kebab(machine.instance),
            kebab(machine.region)
        );
        if let Some(at) = self.known.get(&id) {
            // Another zone of the region: the dearer is kept, so that no plan rests on the one zone
            // that may be full.
            self.joined += 1;
            let version = &mut self.table.offers[*at].versions[0];
            if let Price::Hour { amount, .. } = &mut version.price
                && machine.price > *amount
            {
                *amount = machine.price;
            }
            return;
        }
        let residency = self.place(machine.region);
        let price = Price::Hour {
            amount: machine.price,
            of: Basis::Instance,
        };
        let name = format!("{} ({}× {accelerator})", machine.instance, machine.count);
        let name = if machine.spot { name + ", spot" } else { name };
        self.known.insert(id.clone(), self.table.offers.len());
        self.table.offers.push(Offer {
            id,
            name: Bilingual::same(name),
            region: machine.region.to_owned(),
            residency,
            sku: Some(machine.instance.to_owned()),
            sells: Sells::Accelerators {
                accelerator: Some(accelerator),
                per_instance: machine.count,
                up_to: machine.count,
                seconds: None,
            },
            terms: Terms {
                spot: machine.spot.then_some(Spot {
                    interruptions_per_hour: None,
                    notice_s: None,
                    restart_s: None,
                }),
                ..Terms::default()
            },
            withdrawn_on: None,
            not_counted: Vec::new(),
            versions: vec![version(
                price,
                Currency::Usd,
                self.request.observed_on,
                &self.source,
            )],
            note: None,
        });
    }

    fn accelerator(&mut self, name: &str) -> Result<Accelerator, String> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let read = name
            .parse::<Accelerator>()
            .map_err(|problem| problem.to_string());
        self.names.insert(name.to_owned(), read.clone());
        read
    }

    fn place(&mut self, region: &str) -> Option<Residency> {
        if let Some(known) = self.places.get(region) {
            return *known;
        }
        let place = residency_of(region);
        self.places.insert(region.to_owned(), place);
        place
    }

    /// Hands the table over.
    pub fn finish(self, into: &mut Catalogue) {
        if self.joined > 0 {
            let joined = self.joined;
            into.notices.push(Notice::new(
                "zones-joined",
                format!("{joined} rows are of a machine and region that another row has; the dearest price of each is kept."),
                format!("{joined} 行与其他行的机型和地域相同；各保留最高价。"),
            ));
        }
        into.tables.push(self.table);
    }
}

/// The jurisdiction of a cloud's region code, where its name says it beyond doubt.
pub(super) fn residency_of(region: &str) -> Option<Residency> {
    let region = region.to_ascii_lowercase();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| region.starts_with(prefix));
    if region.contains("hongkong") || starts(&["ap-east-1", "asia-east2", "eastasia"]) {
        Some(Residency::HongKong)
    } else if starts(&["cn-", "china"]) {
        Some(Residency::CnMainland)
    } else if starts(&[
        "us-",
        "us ",
        "eastus",
        "westus",
        "centralus",
        "northcentralus",
        "southcentralus",
        "westcentralus",
    ]) || region == "us"
        || region.ends_with(", us, na")
    {
        Some(Residency::Us)
    } else if starts(&["eu-west-2", "europe-west2", "uk", "uksouth", "ukwest"]) {
        Some(Residency::Uk)
    } else if starts(&[
        "eu-west-1",
        "eu-west-3",
        "eu-central-1",
        "eu-north-1",
        "eu-south",
        "eu-north1",
        "europe-west1",
        "europe-west3",
        "europe-west4",
        "europe-west8",
        "europe-west9",
        "europe-north1",
        "europe-southwest1",
        "europe-central2",
        "westeurope",
        "northeurope",
        "francecentral",
        "germanywestcentral",
        "swedencentral",
        "italynorth",
        "spaincentral",
        "polandcentral",
    ]) {
        Some(Residency::Eu)
    } else if starts(&[
        "ap-northeast-1",
        "ap-northeast-3",
        "asia-northeast1",
        "asia-northeast2",
        "japan",
    ]) {
        Some(Residency::Japan)
    } else if starts(&["ap-northeast-2", "asia-northeast3", "korea"]) {
        Some(Residency::Korea)
    } else if starts(&["ap-southeast-1", "asia-southeast1", "southeastasia"]) {
        Some(Residency::Singapore)
    } else if starts(&[
        "ap-south-",
        "asia-south",
        "centralindia",
        "southindia",
        "westindia",
    ]) {
        Some(Residency::India)
    } else if starts(&["ca-", "northamerica-northeast", "canada"]) {
        Some(Residency::Canada)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_region_codes_beyond_doubt_are_placed() {
        for (region, place) in [
            ("us-east-1", Some(Residency::Us)),
            ("eastus2", Some(Residency::Us)),
            ("cn-north-1", Some(Residency::CnMainland)),
            ("cn-hongkong", Some(Residency::HongKong)),
            ("ap-east-1", Some(Residency::HongKong)),
            ("eu-central-1", Some(Residency::Eu)),
            // Zürich is in Switzerland.
            ("eu-central-2", None),
            ("europe-west6", None),
            ("eu-west-2", Some(Residency::Uk)),
            ("global", None),
            ("", None),
        ] {
            assert_eq!(residency_of(region), place, "{region}");
        }
    }
}
