//! Monthly cost by option: horizontal bars, cheapest first.

use inferplan_core::{comparison::Choice, number, text::Lang};
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{Area, Drawn, Look};

const ROW: f64 = 38.0;
const PAD: f64 = 4.0;

/// The bars.
#[derive(Clone, PartialEq)]
pub struct Bars(Vec<Bar>);

#[derive(Clone, PartialEq)]
struct Bar {
    name: String,
    figure: String,
    amount: f64,
    best: bool,
}

impl Bars {
    /// One bar for each option that has a cost.
    pub fn of(options: &[&Choice], best: Option<&Choice>, lang: Lang) -> Self {
        let bar = |option: &&Choice| {
            let money = option.monthly?;
            Some(Bar {
                name: option.name.get(lang).to_owned(),
                figure: money.display(lang),
                amount: number::to_f64(money.amount),
                best: Some(*option) == best,
            })
        };
        Self(options.iter().filter_map(bar).collect())
    }

    /// The height wanted, in CSS pixels.
    pub fn height(&self) -> f64 {
        ROW * self.0.len() as f64 + PAD
    }

    /// Draws each as a name and a figure over its bar.
    pub fn draw<B: DrawingBackend>(&self, area: &Area<B>, look: &Look) -> Drawn<B> {
        area.fill(&look.card)?;
        let (width, _) = area.dim_in_pixel();
        let width = width as i32;
        let most = self.0.iter().map(|bar| bar.amount).fold(0.0, f64::max);
        for (i, bar) in self.0.iter().enumerate() {
            let top = look.px(PAD + ROW * i as f64);
            let name = look
                .text(12.5, look.ink)
                .pos(Pos::new(HPos::Left, VPos::Top));
            let figure = look
                .text(12.5, look.dim)
                .pos(Pos::new(HPos::Right, VPos::Top));
            let taken = area.estimate_text_size(&bar.figure, &figure)?.0 as i32;
            let room = width - taken - look.px(8.0);
            let shown = fitting(area, &bar.name, &name, room)?;
            area.draw(&Text::new(shown, (0, top), name))?;
            area.draw(&Text::new(bar.figure.clone(), (width, top), figure))?;
            let share = if most > 0.0 { bar.amount / most } else { 0.0 };
            let length = ((share * f64::from(width)) as i32).max(look.px(1.0));
            let (from, to) = (top + look.px(18.0), top + look.px(27.0));
            let colour = if bar.best { look.accent } else { look.bar };
            area.draw(&Rectangle::new([(0, from), (length, to)], colour.filled()))?;
        }
        area.present()
    }
}

/// The name, shortened with an ellipsis where it would run into the figure.
fn fitting<B: DrawingBackend>(
    area: &Area<B>,
    name: &str,
    style: &TextStyle,
    room: i32,
) -> Result<String, DrawingAreaErrorKind<B::ErrorType>> {
    let fits = |text: &str| -> Result<bool, DrawingAreaErrorKind<B::ErrorType>> {
        Ok(area.estimate_text_size(text, style)?.0 as i32 <= room)
    };
    if fits(name)? {
        return Ok(name.to_owned());
    }
    let mut kept: Vec<char> = name.chars().collect();
    while kept.pop().is_some() {
        let shorter = format!("{}…", kept.iter().collect::<String>().trim_end());
        if fits(&shorter)? {
            return Ok(shorter);
        }
    }
    Ok(String::new())
}
