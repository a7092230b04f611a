//! Monthly cost against volume, both in equal ratios, with the scenario's volume marked.

use inferplan_core::{
    Decimal,
    comparison::{Choice, Comparison},
    decide::Plan,
    money::{Currency, decimal_from_f64},
    number,
    text::{Bilingual, Lang},
};
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{Area, Drawn, Look, short};
use crate::text;

/// In CSS pixels.
pub const HEIGHT: f64 = 460.0;
const LEGEND_ROW: f64 = 17.0;
/// Options drawn.
const MOST_CURVES: usize = 6;
const POINTS: usize = 121;

/// One option's month at each of many volumes.
#[derive(Clone, PartialEq)]
pub struct Curve {
    /// The option.
    pub name: Bilingual,
    /// Requests a day, and the month, where the option is feasible.
    pub points: Vec<(Decimal, Option<Decimal>)>,
}

/// The leading options' curves, over two powers of ten to either side of the scenario's volume.
/// A per-call offer always has its place: it is what most readers start from.
pub fn curves(plan: &Plan, comparison: &Comparison) -> Vec<Curve> {
    let mut leading: Vec<&Choice> = Vec::new();
    let per_call = |option: &&Choice| option.lines.iter().any(|line| line.unit == "call");
    let first_call = comparison.feasible().find(per_call);
    let others = comparison
        .of_the_model()
        .filter(|option| Some(*option) != first_call);
    leading.extend(others.take(MOST_CURVES - 1));
    leading.extend(first_call);
    // The first has the colour that stands for the answer everywhere else.
    let best = comparison.best();
    leading.sort_by_key(|option| Some(*option) != best);
    let volumes = volumes(number::to_f64(comparison.requests_per_day));
    leading
        .into_iter()
        .map(|option| Curve {
            name: option.name.clone(),
            points: volumes
                .iter()
                .copied()
                .zip(plan.costs(option, &volumes))
                .collect(),
        })
        .collect()
}

fn volumes(around: f64) -> Vec<Decimal> {
    let middle = around.clamp(1_000.0, 1e9);
    let at = |i: usize| {
        let exponent = 4.0 * i as f64 / (POINTS - 1) as f64 - 2.0;
        decimal_from_f64(middle * 10_f64.powf(exponent), 0).unwrap_or(Decimal::ONE)
    };
    (0..POINTS).map(at).collect()
}

/// The chart.
#[derive(Clone, PartialEq)]
pub struct Volume {
    series: Vec<Series>,
    now: f64,
    now_label: &'static str,
    axis: &'static str,
    currency: Currency,
    lang: Lang,
}

#[derive(Clone, PartialEq)]
struct Series {
    name: String,
    points: Vec<(f64, f64)>,
}

impl Volume {
    /// The chart of some curves.
    pub fn of(curves: &[Curve], comparison: &Comparison, lang: Lang) -> Self {
        let texts = text::of(lang);
        let point = |(volume, cost): &(Decimal, Option<Decimal>)| {
            let cost = number::to_f64((*cost)?);
            (cost > 0.0).then_some((number::to_f64(*volume), cost))
        };
        Self {
            series: curves
                .iter()
                .map(|curve| Series {
                    name: curve.name.get(lang).to_owned(),
                    points: curve.points.iter().filter_map(point).collect(),
                })
                .collect(),
            now: number::to_f64(comparison.requests_per_day),
            now_label: texts.you_are_here,
            axis: texts.volume_axis,
            currency: comparison.currency,
            lang,
        }
    }

    /// Draws a legend, the axes, the curves, and a line at the scenario's volume.
    pub fn draw<B: DrawingBackend>(&self, area: &Area<B>, look: &Look) -> Drawn<B> {
        area.fill(&look.card)?;
        let all = || self.series.iter().flat_map(|series| &series.points);
        let range = |of: fn(&(f64, f64)) -> f64| {
            let low = all().map(of).fold(f64::INFINITY, f64::min);
            let high = all().map(of).fold(0.0, f64::max);
            (low < high).then_some((low, high))
        };
        let (Some((left, right)), Some((low, high))) = (range(|p| p.0), range(|p| p.1)) else {
            return area.present();
        };
        let legend_height = look.px(LEGEND_ROW * self.series.len() as f64 + 6.0);
        let (legend, plot) = area.split_vertically(legend_height);
        self.draw_legend(&legend, look)?;
        let mut chart = ChartBuilder::on(&plot)
            .margin_right(look.px(22.0))
            .margin_top(look.px(8.0))
            .x_label_area_size(look.px(34.0))
            .y_label_area_size(look.px(58.0))
            .build_cartesian_2d(
                (left..right).log_scale(),
                (low * 0.8..high * 1.25).log_scale(),
            )?;
        let (currency, lang) = (self.currency, self.lang);
        chart
            .configure_mesh()
            .light_line_style(look.card)
            .bold_line_style(look.line)
            .axis_style(look.line)
            .label_style(look.text(11.0, look.dim))
            .x_label_formatter(&|volume| short(*volume))
            .y_label_formatter(&|cost| currency.label(&short(*cost), lang))
            .x_labels(6)
            .y_labels(6)
            .x_desc(self.axis)
            .axis_desc_style(look.text(11.0, look.dim))
            .draw()?;
        if (left..=right).contains(&self.now) {
            let line = [(self.now, low * 0.8), (self.now, high * 1.25)];
            chart.draw_series(LineSeries::new(
                line,
                look.dim.stroke_width(look.px(1.0) as u32),
            ))?;
            let style = look
                .text(11.0, look.dim)
                .pos(Pos::new(HPos::Left, VPos::Top));
            let place = (self.now, high * 1.2);
            let label =
                EmptyElement::at(place) + Text::new(self.now_label, (look.px(4.0), 0), style);
            chart.draw_series(std::iter::once(label))?;
        }
        for (i, series) in self.series.iter().enumerate().rev() {
            let width = look.px(if i == 0 { 2.5 } else { 1.8 }) as u32;
            let style = look.curves[i % look.curves.len()].stroke_width(width);
            chart.draw_series(LineSeries::new(series.points.iter().copied(), style))?;
        }
        area.present()
    }

    fn draw_legend<B: DrawingBackend>(&self, area: &Area<B>, look: &Look) -> Drawn<B> {
        for (i, series) in self.series.iter().enumerate() {
            let top = look.px(LEGEND_ROW * i as f64);
            let colour = look.curves[i % look.curves.len()];
            let (from, to) = (top + look.px(5.0), top + look.px(8.0));
            area.draw(&Rectangle::new(
                [(0, from), (look.px(16.0), to)],
                colour.filled(),
            ))?;
            let style = look
                .text(11.5, look.ink)
                .pos(Pos::new(HPos::Left, VPos::Top));
            area.draw(&Text::new(series.name.clone(), (look.px(22.0), top), style))?;
        }
        Ok(())
    }
}
