//! Requests of each second of a span, in pages, so that silence needs no memory.

use std::collections::BTreeMap;

/// Seconds of a page.
const PAGE: i64 = 4_096;
/// The longest span that is counted, seconds: 400 days.
pub(crate) const LONGEST_S: i64 = 400 * 86_400;

/// Counts of one page; two bytes a second until a second has more than they hold.
#[derive(Clone, Debug)]
enum Page {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl Page {
    fn new() -> Self {
        Self::Narrow(vec![0; PAGE as usize])
    }

    fn add(&mut self, second: usize) {
        match self {
            Self::Narrow(counts) => match counts[second].checked_add(1) {
                Some(count) => counts[second] = count,
                None => {
                    let mut wide: Vec<u32> = counts.iter().copied().map(u32::from).collect();
                    wide[second] += 1;
                    *self = Self::Wide(wide);
                }
            },
            Self::Wide(counts) => counts[second] = counts[second].saturating_add(1),
        }
    }

    fn at(&self, second: usize) -> u32 {
        match self {
            Self::Narrow(counts) => counts[second].into(),
            Self::Wide(counts) => counts[second],
        }
    }
}

/// Requests of each second, counted from some instant; seconds before it are negative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    pages: BTreeMap<i64, Page>,
    /// The page of the last request, taken out while it is written to.
    current: Option<(i64, Page)>,
}

impl Pages {
    pub(crate) fn add(&mut self, second: i64) {
        let (number, within) = (second.div_euclid(PAGE), second.rem_euclid(PAGE) as usize);
        match &mut self.current {
            Some((current, page)) if *current == number => page.add(within),
            _ => {
                self.settle();
                let mut page = self.pages.remove(&number).unwrap_or_else(Page::new);
                page.add(within);
                self.current = Some((number, page));
            }
        }
    }

    /// Puts the current page back.
    pub(crate) fn settle(&mut self) {
        self.pages.extend(self.current.take());
    }

    /// Every second that has requests, in order, with how many. Settle first.
    pub(crate) fn seconds(&self) -> impl Iterator<Item = (i64, u32)> + '_ {
        self.pages.iter().flat_map(|(number, page)| {
            let counts = (0..PAGE).map(move |second| (number * PAGE + second, page.at(second as usize)));
            counts.filter(|(_, count)| *count > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_counted_whatever_their_order() {
        let mut pages = Pages::default();
        for second in [5, -1, 9_000, 5, -5_000] {
            pages.add(second);
        }
        for _ in 0..70_000 {
            pages.add(9_001);
        }
        pages.settle();
        let found: Vec<_> = pages.seconds().collect();
        assert_eq!(found, [(-5_000, 1), (-1, 1), (5, 2), (9_000, 1), (9_001, 70_000)]);
    }
}
