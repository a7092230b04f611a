//! Prices in time: tables of offers, each with dated versions, and exchange rates.

pub mod book;
pub mod exchange;
pub mod table;

pub use book::{InForce, PriceBook};
pub use exchange::{ExchangeRate, ExchangeRates};
pub use table::{Basis, Confidence, Offer, Price, PriceTable, Sells, Version};
