//! Prices of the user's own on the page: stated, or read from a file and then taken.

use inferplan_core::{
    price::{Overlay, PriceBook, statement::Statement},
    problem::{Problem, Problems},
    text::Notice,
};

use super::State;

/// Prices that were read and wait for the user's word.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// The prices.
    pub prices: Overlay,
    /// What to know of them.
    pub notices: Vec<Notice>,
}

/// What may happen to prices.
pub enum PriceAction {
    /// The user states a quote or a discount.
    State(Statement),
    /// The user takes what was read.
    Take,
    /// The user does not.
    Leave,
    /// The user takes a quote of theirs back, by its place.
    DropQuote(usize),
    /// A discount.
    DropDiscount(usize),
    /// A table.
    DropTable(usize),
    /// The exchange rates.
    DropRates,
    /// A file is being fetched from an address.
    Fetching,
    /// It came, or what kept it from coming.
    Fetched(Option<Problems>),
}

impl State {
    pub(super) fn prices(&mut self, action: PriceAction) {
        self.price_problem = None;
        match action {
            PriceAction::State(statement) => match state(self, &statement) {
                Ok(stated) => self.own().extend(stated),
                Err(problems) => self.price_problem = problems.into_iter().next(),
            },
            PriceAction::Take => {
                if let Some(offered) = self.offered.take() {
                    self.take(offered.prices);
                }
            }
            PriceAction::Leave => self.offered = None,
            PriceAction::DropQuote(at) => drop_at(&mut self.own().quotes, at),
            PriceAction::DropDiscount(at) => drop_at(&mut self.own().discounts, at),
            PriceAction::DropTable(at) => drop_at(&mut self.own().tables, at),
            PriceAction::DropRates => self.own().exchange_rates.clear(),
            PriceAction::Fetching => self.fetching = true,
            PriceAction::Fetched(problems) => {
                self.fetching = false;
                self.price_problem = problems.and_then(|problems| problems.into_iter().next());
            }
        }
        if self.own().is_empty() {
            self.scenario.prices = None;
        }
    }

    /// Puts prices before the user.
    pub(super) fn offer(&mut self, prices: Overlay, notices: Vec<Notice>) {
        self.offered = Some(Offered { prices, notices });
    }

    /// Takes prices into the scenario: a table in the place of its provider's.
    fn take(&mut self, prices: Overlay) {
        // Quotes of an account's answer name offers of the tables that come with them.
        let checked = inferplan_pricing::book()
            .and_then(|book| book.with(self.own()))
            .and_then(|book| book.with(&prices));
        if let Err(problems) = checked {
            self.price_problem = problems.into_iter().next();
            return;
        }
        let own = self.own();
        own.tables.retain(|known| {
            let same =
                |new: &inferplan_core::price::PriceTable| new.provider.id == known.provider.id;
            !prices.tables.iter().any(same)
        });
        own.extend(prices);
    }

    fn own(&mut self) -> &mut Overlay {
        self.scenario.prices.get_or_insert_default()
    }
}

/// A statement as an entry, checked against the tables in use.
fn state(state: &State, statement: &Statement) -> Result<Overlay, Problems> {
    if statement.source.trim().is_empty() {
        return Err(Problem::new("a price needs a source", "价格须有出处")
            .remedy("say who gave it", "请写明由谁给出")
            .into());
    }
    book(state)?.state(statement)
}

/// The shipped tables with the user's own prices over them.
pub fn book(state: &State) -> Result<PriceBook, Problems> {
    let shipped = inferplan_pricing::book()?;
    match &state.scenario.prices {
        Some(own) => shipped.with(own),
        None => Ok(shipped),
    }
}

fn drop_at<T>(list: &mut Vec<T>, at: usize) {
    if at < list.len() {
        list.remove(at);
    }
}
