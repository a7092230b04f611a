//! Prices in time: tables of offers, each with dated versions, and exchange rates.

pub mod beside;
pub mod book;
pub mod catalogue;
pub mod changes;
mod check;
pub mod display;
pub mod exchange;
pub mod file;
pub mod inspect;
pub mod overlay;
pub mod place;
pub mod reference;
pub mod span;
pub mod statement;
pub mod table;
pub mod tariff;
pub mod version;

pub use beside::{Component, Fee, Included, Meter, Rate, Subscription, Tax};
pub use book::PriceBook;
pub use exchange::{ExchangeRate, ExchangeRates};
pub use overlay::{Discount, Overlay, Quote};
pub use place::Residency;
pub use table::{Offer, Origin, PriceTable, Sells, Terms, Yields};
pub use tariff::{Basis, Price};
pub use version::{Confidence, InForce, Version};
