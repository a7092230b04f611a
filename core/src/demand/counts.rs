//! Requests of every second, kept by the hour: two bytes a second of hours that hold any.

use std::collections::BTreeMap;

use crate::problem::Problem;

use super::totals::WINDOWS_S;

const PAGE: usize = 3600;
/// Over two years of hours, 140 MB: beyond this one column of the file is not what it was taken for.
const MOST_PAGES: usize = 20_000;

#[derive(Clone, Debug)]
enum Page {
    Narrow(Box<[u16; PAGE]>),
    /// For hours with a second of more than 65,535 requests.
    Wide(Box<[u32]>),
}

impl Page {
    fn new() -> Self {
        Self::Narrow(Box::new([0; PAGE]))
    }

    fn get(&self, at: usize) -> u64 {
        match self {
            Self::Narrow(counts) => u64::from(counts[at]),
            Self::Wide(counts) => u64::from(counts[at]),
        }
    }

    fn add(&mut self, at: usize) {
        if let Self::Narrow(counts) = self {
            if let Some(more) = counts[at].checked_add(1) {
                counts[at] = more;
                return;
            }
            *self = Self::Wide(counts.iter().map(|count| u32::from(*count)).collect());
        }
        if let Self::Wide(counts) = self {
            counts[at] = counts[at].saturating_add(1);
        }
    }
}

/// Counts by the second, from whichever second is counted first.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pages: BTreeMap<i64, Page>,
    /// The page last written to, taken out of `pages`: rows come nearly in order.
    current: (i64, Page),
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            pages: BTreeMap::new(),
            current: (0, Page::new()),
        }
    }
}

impl Counts {
    /// Counts a request in a second.
    pub(super) fn add(&mut self, second: i64) -> Result<(), Problem> {
        let page = second.div_euclid(PAGE as i64);
        if page != self.current.0 {
            self.turn_to(page)?;
        }
        self.current.1.add(second.rem_euclid(PAGE as i64) as usize);
        Ok(())
    }

    fn turn_to(&mut self, page: i64) -> Result<(), Problem> {
        if self.pages.len() >= MOST_PAGES {
            return Err(Problem::new(
                "the requests lie in too many different hours",
                "请求分布的小时数过多",
            )
            .found(format!("more than {MOST_PAGES} hours"))
            .remedy(
                "give at most two years, and check which column is the time",
                "请给出不超过两年的数据，并检查时间列是否正确",
            ));
        }
        let wanted = self.pages.remove(&page).unwrap_or_else(Page::new);
        let (before, left) = std::mem::replace(&mut self.current, (page, wanted));
        self.pages.insert(before, left);
        Ok(())
    }

    /// Each second that has requests with how many, in order.
    pub(super) fn seconds(&self) -> impl Iterator<Item = (i64, u64)> {
        let (at, page) = &self.current;
        let before = self.pages.range(..at).map(|(at, page)| (*at, page));
        let after = self.pages.range(at..).map(|(at, page)| (*at, page));
        before
            .chain(std::iter::once((*at, page)))
            .chain(after)
            .flat_map(|(at, page)| {
                (0..PAGE).map(move |second| (at * PAGE as i64 + second as i64, page.get(second)))
            })
            .filter(|(_, count)| *count > 0)
    }

    /// What the windows of each width hold. Windows begin at the second `from`; only those whole
    /// within `span_s` seconds count.
    pub(super) fn windows(&self, from: i64, span_s: i64) -> [Window; WINDOWS_S.len()] {
        let mut found = WINDOWS_S.map(|width| Window {
            windows: u64::try_from(span_s / width).unwrap_or(0),
            ..Window::default()
        });
        let mut open = [(0_i64, 0_u64); WINDOWS_S.len()];
        for (second, count) in self.seconds() {
            for ((width, window), open) in WINDOWS_S.iter().zip(&mut found).zip(&mut open) {
                let at = (second - from) / width;
                if at != open.0 {
                    window.close(*open);
                    *open = (at, 0);
                }
                open.1 += count;
            }
        }
        for (window, open) in found.iter_mut().zip(open) {
            window.close(open);
        }
        found
    }

    /// The longest run of seconds without a request between two that have some: the first of them,
    /// and how many.
    pub(super) fn silence(&self) -> Option<(i64, i64)> {
        let mut longest: Option<(i64, i64)> = None;
        let mut before: Option<i64> = None;
        for (second, _) in self.seconds() {
            if let Some(before) = before {
                let empty = second - before - 1;
                if empty > longest.map_or(0, |(_, seconds)| seconds) {
                    longest = Some((before + 1, empty));
                }
            }
            before = Some(second);
        }
        longest
    }
}

/// The requests of the whole windows of one width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// How many windows are whole, empty ones too.
    pub windows: u64,
    /// Requests of the busiest.
    pub most: f64,
    /// Requests of all of them.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

impl Window {
    fn close(&mut self, (at, count): (i64, u64)) {
        if u64::try_from(at).is_ok_and(|at| at < self.windows) {
            self.put(count as f64);
        }
    }

    /// Takes in one window's requests; `windows` is the caller's to count.
    pub(super) fn put(&mut self, count: f64) {
        self.most = self.most.max(count);
        self.sum += count;
        self.squares += count * count;
    }

    /// The busiest window over the mean one; `None` for fewer than two windows.
    pub(super) fn peak_to_mean(&self) -> Option<f64> {
        let peak = self.most * self.windows as f64 / self.sum;
        (self.windows >= 2 && self.sum > 0.0).then_some(peak)
    }

    /// Variance over mean of the windows' counts; `None` for fewer than two.
    pub(super) fn dispersion(&self) -> Option<f64> {
        let windows = self.windows as f64;
        let mean = self.sum / windows;
        let variance = (self.squares - self.sum * mean) / (windows - 1.0);
        (self.windows >= 2 && mean > 0.0).then(|| (variance / mean).max(0.0))
    }
}
