//! The bar chart of outcomes, drawn with plotters on a canvas.

use litmoscope::report::Theme;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The final state, with names.
    pub name: String,
    /// The final state, where names have no room.
    pub short: String,
    /// How many executions end in it.
    pub count: u64,
    /// It satisfies the condition.
    pub marked: bool,
}

struct Colors {
    text: RGBColor,
    axis: RGBColor,
    bar: RGBColor,
    marked: RGBColor,
}

const LIGHT: Colors = Colors {
    text: RGBColor(0x1f, 0x23, 0x28),
    axis: RGBColor(0xd0, 0xd7, 0xde),
    bar: RGBColor(0x6b, 0x7f, 0xd7),
    marked: RGBColor(0xc2, 0x41, 0x0c),
};
const DARK: Colors = Colors {
    text: RGBColor(0xe6, 0xed, 0xf3),
    axis: RGBColor(0x3d, 0x44, 0x4d),
    bar: RGBColor(0x7c, 0x93, 0xf0),
    marked: RGBColor(0xfb, 0x92, 0x3c),
};

/// Height of a bar with its space, in CSS pixels.
const ROW: f64 = 22.0;

/// Draws the bars, from top to bottom, on a canvas that gets the height they need.
pub fn draw(canvas: &HtmlCanvasElement, bars: &[Bar], theme: Theme) {
    let width = f64::from(canvas.client_width());
    if width < 60.0 || bars.is_empty() {
        return;
    }
    let density = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()).clamp(1.0, 4.0);
    let height = ROW * bars.len() as f64 + 4.0;
    canvas.set_width((width * density) as u32);
    canvas.set_height((height * density) as u32);
    let style = canvas.style();
    let _ = style.set_property("height", &format!("{height}px"));
    let Some(backend) = CanvasBackend::with_canvas_object(canvas.clone()) else { return };
    // A chart that can't be drawn is left out: the table says the same.
    let _ = paint(backend, bars, theme, density);
}

fn paint<B: DrawingBackend>(
    backend: B,
    bars: &[Bar],
    theme: Theme,
    density: f64,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let colors = match theme {
        Theme::Light | Theme::Contrast => &LIGHT,
        Theme::Dark => &DARK,
    };
    let area = backend.into_drawing_area();
    let (width, _) = area.dim_in_pixel();
    let pixels = |length: f64| (length * density) as i32;
    let font = ("ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace", 12.0 * density).into_font();
    let text = |horizontal| font.color(&colors.text).pos(Pos::new(horizontal, VPos::Center));
    let character = 7.3 * density;
    let longest = |length: fn(&Bar) -> usize| bars.iter().map(length).max().unwrap_or(0) as f64 * character;
    let room = f64::from(width) * 0.5;
    let whole = longest(|bar| bar.name.chars().count());
    let named = whole <= room;
    let names = if named { whole } else { longest(|bar| bar.short.chars().count()).min(room) };
    let fitting = (names / character).round() as usize;
    let left = names as i32 + pixels(8.0);
    let right = width as i32 - longest(|bar| bar.count.to_string().len()) as i32 - pixels(10.0);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1).max(1);
    area.draw(&PathElement::new(
        vec![(left, 0), (left, pixels(ROW * bars.len() as f64 + 4.0))],
        ShapeStyle { color: colors.axis.to_rgba(), filled: false, stroke_width: density as u32 },
    ))?;
    for (row, bar) in bars.iter().enumerate() {
        let middle = pixels(ROW * (row as f64 + 0.5) + 2.0);
        let length = (f64::from((right - left).max(1)) * bar.count as f64 / most as f64).max(density) as i32;
        let color = if bar.marked { colors.marked } else { colors.bar };
        area.draw(&Rectangle::new(
            [(left + pixels(1.0), middle - pixels(7.0)), (left + length, middle + pixels(7.0))],
            color.filled(),
        ))?;
        let name = if named { &bar.name } else { &bar.short };
        // Long states are cut at their end: the table has them whole.
        let name = if name.chars().count() > fitting {
            name.chars().take(fitting.saturating_sub(1)).chain(['…']).collect()
        } else {
            name.clone()
        };
        area.draw(&Text::new(name, (left - pixels(6.0), middle), text(HPos::Right)))?;
        area.draw(&Text::new(bar.count.to_string(), (left + length + pixels(6.0), middle), text(HPos::Left)))?;
    }
    area.present()
}
