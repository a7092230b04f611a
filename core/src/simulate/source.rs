//! An arrival process as requests one after another.

use std::collections::VecDeque;

use rand_distr::Gamma;

use super::{
    arrivals::{Arrivals, Stage, Trace},
    random::{Draw, Random, Work},
};

/// Requests one after another: when, and with how much work.
pub(super) struct Source<'a> {
    kind: Kind<'a>,
    gaps: Random,
    works: Random,
    draw: Draw,
    from_trace: bool,
    now_s: f64,
}

enum Kind<'a> {
    Poisson(f64),
    Gamma(Gamma<f64>),
    Bursts {
        /// Rates and mean lengths of calm and burst.
        rates: [f64; 2],
        lengths_s: [f64; 2],
        state: usize,
        until_s: f64,
    },
    Stages {
        stages: &'a [Stage],
        at: usize,
        until_s: f64,
    },
    Swing {
        low: f64,
        high: f64,
        period_s: f64,
        duration_s: f64,
    },
    Trace {
        trace: &'a Trace,
        copies: f64,
        next: usize,
        ready: VecDeque<(f64, f64)>,
    },
    None,
}

impl<'a> Source<'a> {
    pub(super) fn new(arrivals: &'a Arrivals, work: Work, seed: u64) -> Self {
        let mut gaps = Random::new(seed, 1);
        let kind = match arrivals {
            Arrivals::Poisson { rate_per_s } => Kind::Poisson(*rate_per_s),
            Arrivals::Gamma { rate_per_s, cv } => {
                let shape = 1.0 / (cv * cv);
                Gamma::new(shape, 1.0 / (shape * rate_per_s)).map_or(Kind::None, Kind::Gamma)
            }
            Arrivals::Bursts {
                rate_per_s,
                peak_to_mean,
                share,
                burst_s,
            } => {
                let calm = rate_per_s * (1.0 - share * peak_to_mean).max(0.0) / (1.0 - share);
                let lengths_s = [burst_s * (1.0 - share) / share, *burst_s];
                // The state that a random moment finds.
                let state = usize::from(gaps.share() < *share);
                Kind::Bursts {
                    rates: [calm, rate_per_s * peak_to_mean],
                    lengths_s,
                    state,
                    until_s: gaps.exponential() * lengths_s[state],
                }
            }
            Arrivals::Stages(stages) => Kind::Stages {
                stages,
                at: 0,
                until_s: stages.first().map_or(0.0, |stage| stage.seconds),
            },
            Arrivals::Swing {
                low_per_s,
                high_per_s,
                period_s,
                duration_s,
            } => Kind::Swing {
                low: *low_per_s,
                high: *high_per_s,
                period_s: *period_s,
                duration_s: *duration_s,
            },
            Arrivals::Trace { trace, rate_per_s } => Kind::Trace {
                trace,
                copies: rate_per_s / trace.rate_per_s(),
                next: 0,
                ready: VecDeque::new(),
            },
            Arrivals::Closed { .. } => Kind::None,
        };
        Self {
            kind,
            gaps,
            works: Random::new(seed, 2),
            draw: work.draw(),
            from_trace: work == Work::FromTrace,
            now_s: 0.0,
        }
    }

    /// The next request; `None` once there are no more.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(f64, f64)> {
        let (at_s, traced) = self.next_time()?;
        let work = match traced {
            Some(work) if self.from_trace => work,
            _ => self.draw.one(&mut self.works),
        };
        Some((at_s, work))
    }

    /// How far through arrivals that have an end.
    pub(super) fn share_done(&self) -> f64 {
        let whole_s = match &self.kind {
            Kind::Stages { stages, .. } => stages.iter().map(|stage| stage.seconds).sum(),
            Kind::Swing { duration_s, .. } => *duration_s,
            Kind::Trace { trace, .. } => trace.span_s(),
            _ => f64::INFINITY,
        };
        (self.now_s / whole_s).min(1.0)
    }

    /// Another request's work, for a client that asks at once.
    pub(super) fn work(&mut self) -> f64 {
        self.draw.one(&mut self.works)
    }

    #[inline]
    fn next_time(&mut self) -> Option<(f64, Option<f64>)> {
        let gaps = &mut self.gaps;
        match &mut self.kind {
            Kind::None => return None,
            Kind::Poisson(rate) => self.now_s += gaps.exponential() / *rate,
            Kind::Gamma(gamma) => self.now_s += gaps.of(gamma),
            Kind::Bursts {
                rates,
                lengths_s,
                state,
                until_s,
            } => loop {
                // Gaps are memoryless, so a change of state starts them anew.
                let at_s = self.now_s + gaps.exponential() / rates[*state];
                if at_s <= *until_s {
                    self.now_s = at_s;
                    break;
                }
                self.now_s = *until_s;
                *state = 1 - *state;
                *until_s += gaps.exponential() * lengths_s[*state];
            },
            Kind::Stages {
                stages,
                at,
                until_s,
            } => loop {
                let at_s = self.now_s + gaps.exponential() / stages.get(*at)?.rate_per_s;
                if at_s <= *until_s {
                    self.now_s = at_s;
                    break;
                }
                self.now_s = *until_s;
                *at += 1;
                *until_s += stages.get(*at)?.seconds;
            },
            Kind::Swing {
                low,
                high,
                period_s,
                duration_s,
            } => loop {
                // Thinning: arrivals at the greatest rate, each kept with the present one's share.
                self.now_s += gaps.exponential() / *high;
                if self.now_s > *duration_s {
                    return None;
                }
                let turn = self.now_s / *period_s * std::f64::consts::TAU;
                let rate = *low + (*high - *low) * (1.0 - turn.cos()) / 2.0;
                if gaps.share() * *high < rate {
                    break;
                }
            },
            Kind::Trace {
                trace,
                copies,
                next,
                ready,
            } => {
                while ready.is_empty() {
                    let second = trace.requests.get(*next)?.0.floor();
                    while let Some((at_s, work)) = trace.requests.get(*next) {
                        if at_s.floor() > second {
                            break;
                        }
                        let more = gaps.share() < copies.fract();
                        for copy in 0..copies.floor() as u64 + u64::from(more) {
                            // The first stands where it was.
                            let within = if copy == 0 {
                                at_s - second
                            } else {
                                gaps.share()
                            };
                            ready.push_back((second + within, *work));
                        }
                        *next += 1;
                    }
                    ready.make_contiguous().sort_by(|a, b| a.0.total_cmp(&b.0));
                }
                let (at_s, work) = ready.pop_front()?;
                self.now_s = at_s;
                return Some((at_s, Some(work)));
            }
        }
        Some((self.now_s, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(arrivals: &Arrivals, count: usize) -> Vec<f64> {
        let mut source = Source::new(arrivals, Work::Exponential, 7);
        std::iter::from_fn(|| source.next())
            .map(|(at_s, _)| at_s)
            .take(count)
            .collect()
    }

    fn gaps(times: &[f64]) -> (f64, f64) {
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        (1.0 / mean, variance.sqrt() / mean)
    }

    #[test]
    fn rates_and_variation_are_as_asked() {
        for (arrivals, cv) in [
            (Arrivals::Poisson { rate_per_s: 5.0 }, 1.0),
            (
                Arrivals::Gamma {
                    rate_per_s: 5.0,
                    cv: 3.5,
                },
                3.5,
            ),
            (
                Arrivals::Gamma {
                    rate_per_s: 5.0,
                    cv: 0.5,
                },
                0.5,
            ),
        ] {
            let (rate, found) = gaps(&times(&arrivals, 200_000));
            // Four standard errors of a mean of gaps with cv 3.5 over 200,000 are 3.1%.
            assert!((rate / 5.0 - 1.0).abs() < 0.032, "{arrivals:?} {rate}");
            // The sample's cv converges slower still in the heavy case.
            assert!((found / cv - 1.0).abs() < 0.05, "{arrivals:?} {found}");
        }
        let bursts = Arrivals::Bursts {
            rate_per_s: 10.0,
            peak_to_mean: 4.0,
            share: 0.1,
            burst_s: 5.0,
        };
        let (rate, cv) = gaps(&times(&bursts, 400_000));
        // 40,000 s hold some 800 bursts, each of random length: 4 standard errors are 8%.
        assert!((rate / 10.0 - 1.0).abs() < 0.08, "{rate}");
        assert!(cv > 1.2, "bursts vary more than a Poisson process: {cv}");
    }

    #[test]
    fn stages_and_swings_end_and_have_their_requests() {
        let stages = Arrivals::Stages(vec![
            Stage {
                rate_per_s: 100.0,
                seconds: 50.0,
            },
            Stage {
                rate_per_s: 0.0,
                seconds: 50.0,
            },
            Stage {
                rate_per_s: 20.0,
                seconds: 50.0,
            },
        ]);
        let all = times(&stages, usize::MAX);
        let within =
            |from: f64, to: f64| all.iter().filter(|at| (from..to).contains(*at)).count() as f64;
        // Poisson counts of 5,000 and 1,000: four standard deviations.
        assert!((within(0.0, 50.0) - 5000.0).abs() < 283.0);
        assert_eq!(within(50.0, 100.0), 0.0);
        assert!((within(100.0, 150.0) - 1000.0).abs() < 127.0);
        assert!(all.last().is_some_and(|last| *last <= 150.0));
        assert!((stages.mean_rate_per_s().unwrap() - 40.0).abs() < 1e-12);
        let swing = Arrivals::Swing {
            low_per_s: 1.0,
            high_per_s: 24.0,
            period_s: 900.0,
            duration_s: 1800.0,
        };
        let all = times(&swing, usize::MAX);
        // 12.5 a second over 1,800 s: 22,500, four standard deviations are 600.
        assert!((all.len() as f64 - 22_500.0).abs() < 600.0, "{}", all.len());
    }

    #[test]
    fn a_trace_comes_back_and_scales_in_place() {
        let requests: Vec<(f64, f64)> = (0..1000)
            .map(|i| (f64::from(i) * 0.5 + 100.0, 3.0))
            .collect();
        let trace = Trace::new(requests).unwrap();
        assert!((trace.span_s() - 499.5).abs() < 1e-9);
        let as_it_was = Arrivals::Trace {
            rate_per_s: trace.rate_per_s(),
            trace: trace.clone(),
        };
        let same = times(&as_it_was, usize::MAX);
        assert_eq!((same.len(), same[1], same[999]), (1000, 0.5, 499.5));
        for factor in [0.3, 2.5] {
            let scaled = Arrivals::Trace {
                rate_per_s: factor * trace.rate_per_s(),
                trace: trace.clone(),
            };
            let all = times(&scaled, usize::MAX);
            // A binomial's standard deviation is at most 16 of 1,000; four of them.
            assert!((all.len() as f64 - 1000.0 * factor).abs() < 64.0);
            assert!(all.windows(2).all(|pair| pair[0] <= pair[1]));
        }
        assert!(Trace::new(vec![(1.0, 1.0)]).is_none());
        assert!(Trace::new(vec![(1.0, 1.0), (1.0, 1.0)]).is_none());
    }
}
