//! Charts on any drawing backend: what to draw is worked out first, as a plain value.

pub mod bars;
pub mod volume;

use plotters::{coord::Shift, prelude::*};
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;

use crate::browser;

/// A chart's content.
#[derive(Clone, PartialEq)]
pub enum Painter {
    /// Cost by option.
    Bars(bars::Bars),
    /// Cost against volume.
    Volume(volume::Volume),
}

impl Painter {
    /// The height wanted, in CSS pixels.
    fn height(&self) -> f64 {
        match self {
            Self::Bars(bars) => bars.height(),
            Self::Volume(_) => volume::HEIGHT,
        }
    }
}

/// Sizes in CSS pixels and colours, ready for a canvas of device pixels.
pub struct Look {
    ratio: f64,
    pub ink: RGBColor,
    pub dim: RGBColor,
    pub line: RGBColor,
    pub card: RGBColor,
    pub accent: RGBColor,
    pub bar: RGBColor,
    /// One for each curve, the leading option's first.
    pub curves: [RGBColor; 6],
}

impl Look {
    fn of_page() -> Self {
        let colour =
            |name: &str| parse(&browser::css_variable(name)).unwrap_or(RGBColor(128, 128, 128));
        Self {
            ratio: browser::pixel_ratio(),
            ink: colour("--ink"),
            dim: colour("--dim"),
            line: colour("--line"),
            card: colour("--card"),
            accent: colour("--accent"),
            bar: colour("--bar"),
            curves: ["--accent", "--c2", "--c3", "--c4", "--c5", "--c6"].map(colour),
        }
    }

    /// CSS pixels in device pixels.
    pub fn px(&self, css: f64) -> i32 {
        (css * self.ratio).round() as i32
    }

    /// A text style of so many CSS pixels.
    pub fn text(&self, css: f64, colour: RGBColor) -> TextStyle<'static> {
        ("sans-serif", css * self.ratio).into_font().color(&colour)
    }
}

/// What a backend may report; drawing stops there and the chart stays as it is.
type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// An area to draw on.
type Area<B> = DrawingArea<B, Shift>;

/// Sizes the canvas in device pixels, so that it is sharp on any screen, and draws.
pub fn paint(canvas: &HtmlCanvasElement, painter: &Painter) {
    let look = Look::of_page();
    let width = f64::from(canvas.client_width());
    if width < 1.0 {
        return;
    }
    canvas.set_width((width * look.ratio).round() as u32);
    canvas.set_height((painter.height() * look.ratio).round() as u32);
    let Some(backend) = CanvasBackend::with_canvas_object(canvas.clone()) else {
        return;
    };
    let area = backend.into_drawing_area();
    // A canvas has no way to fail once it has a context.
    let _ = match painter {
        Painter::Bars(bars) => bars.draw(&area, &look),
        Painter::Volume(volume) => volume.draw(&area, &look),
    };
}

/// `#1c1f23` or `#fff`.
fn parse(colour: &str) -> Option<RGBColor> {
    let hex = colour.strip_prefix('#')?;
    let wide = match hex.len() {
        3 => hex.chars().flat_map(|c| [c, c]).collect(),
        6 => hex.to_owned(),
        _ => return None,
    };
    let part = |at: usize| u8::from_str_radix(wide.get(at..at + 2)?, 16).ok();
    Some(RGBColor(part(0)?, part(2)?, part(4)?))
}

/// `$1.2k`, `$31k`, `$2.5M`: a figure for an axis.
pub fn short(value: f64) -> String {
    let (scaled, suffix) = match value {
        v if v >= 1e9 => (v / 1e9, "B"),
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e3 => (v / 1e3, "k"),
        v => (v, ""),
    };
    format!("{}{suffix}", inferplan_core::number::significant(scaled, 2))
}
