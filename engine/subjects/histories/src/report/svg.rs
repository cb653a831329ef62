//! Histories as SVG: a row a thread, a bar an operation, and where each takes effect.

use super::text::Words;
use super::timeline::{Layout, Sight};
use super::view::{Bar, Mark, Timeline};
use crate::{History, Linearization, Object, OperationIndex};
use litmoscope_draw::{CHARACTER_WIDTH, escape};
use std::fmt::Write as _;

/// Histories with more operations are not drawn.
pub const MAX_DRAWN: usize = 400;

/// Colours of values that remain apart for those who see few colours, light enough for black letters on them.
const COLOURS: [&str; super::timeline::COLOURS as usize] = [
    "#9ecae9", "#ffbf79", "#a8ddb5", "#f2b6d4", "#d9d9d9", "#fff3a3", "#c7b8ea", "#f4a582", "#7fd1c9", "#d8b889",
    "#bcd77a", "#b8c4d6",
];
/// What marks a bar that is part of what contradicts itself.
const WRONG: &str = "#c00000";
/// How high a bar is, and a lane.
const BAR: f64 = 28.0;
const LANE: f64 = 40.0;
/// Room around all, in a bar beside its label, and for the title.
const MARGIN: f64 = 20.0;
const PAD: f64 = 8.0;
const HEAD: f64 = 44.0;
/// The size of letters, and of those of the title.
const LETTERS: f64 = 14.0;
const TITLE: f64 = 17.0;
/// The fewest and the most pixels between two moments.
const UNIT: (f64, f64) = (12.0, 110.0);

/// A history that is to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct HistoryDrawing<'a> {
    /// What stands above it.
    pub title: &'a str,
    /// The history.
    pub history: &'a History,
    /// What its object is.
    pub object: Object,
    /// Where operations take effect, if they can.
    pub linearization: Option<&'a Linearization>,
    /// Operations that are part of what contradicts itself, in the order of their numbers.
    pub wrong: &'a [OperationIndex],
    /// Whether its times are those of a text, and so worth an axis.
    pub has_times: bool,
}

/// How wide a text is, at most, in letters of the usual size.
fn letters(text: &str) -> f64 {
    text.chars().count() as f64 * f64::from(CHARACTER_WIDTH) * LETTERS
}

/// Draws histories one below the other.
pub fn history_svg(drawings: &[HistoryDrawing<'_>]) -> String {
    let parts: Vec<(f64, f64, String)> = drawings.iter().map(draw).collect();
    let width = parts.iter().map(|part| part.0).fold(0.0, f64::max);
    let height = parts.iter().map(|part| part.1).sum::<f64>();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"{LETTERS}\">\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#fff\"/>\n"
    );
    let mut top = 0.0;
    for (_, height, part) in parts {
        let _ = writeln!(out, "<g transform=\"translate(0 {top:.0})\">\n{part}</g>");
        top += height;
    }
    out + "</svg>\n"
}

/// Width, height, content.
fn draw(drawing: &HistoryDrawing<'_>) -> (f64, f64, String) {
    let history = drawing.history;
    let layout = Layout::new(history);
    let end = history.times.len() as f64;
    let sight = Sight {
        history,
        object: drawing.object,
        layout: &layout,
        window: (-1.0, end),
        rows: (0, u32::MAX),
        width: u32::MAX,
        wrong: drawing.wrong,
    };
    let timeline = sight.draw(&|_| Mark::Plain, Vec::new());
    let names = timeline.rows.iter().map(|row| letters(&row.name)).fold(0.0, f64::max);
    let left = MARGIN + names + 2.0 * PAD;
    // Each label has room in its bar.
    let unit = |bar: &Bar| {
        let moments = bar.ret.map_or(end, f64::from) - f64::from(bar.call);
        (letters(&bar.label) + 2.0 * PAD) / moments.max(1.0)
    };
    let unit = timeline.bars.iter().map(unit).fold(UNIT.0, f64::max).min(UNIT.1);
    let x = |moment: f64| left + (moment + 0.5) * unit;
    let mut tops = Vec::new();
    let mut bottom = HEAD;
    for row in &timeline.rows {
        tops.push(bottom);
        bottom += f64::from(row.lanes) * LANE;
    }
    let width = (x(end) + MARGIN).max(2.0 * MARGIN + letters(drawing.title) * TITLE / LETTERS);
    let mut out = String::new();
    let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"26\" font-size=\"{TITLE}\">{}</text>", escape(drawing.title));
    for (row, top) in timeline.rows.iter().zip(&tops) {
        let y = top + LANE / 2.0;
        let _ = writeln!(
            out,
            "<path d=\"M{left:.1} {:.1}H{:.1}\" stroke=\"#ddd\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            top + f64::from(row.lanes) * LANE,
            x(end),
            left - PAD,
            y + 5.0,
            escape(&row.name)
        );
    }
    for bar in &timeline.bars {
        let y = tops[bar.row as usize] + f64::from(bar.lane) * LANE + (LANE - BAR) / 2.0;
        draw_bar(&mut out, bar, (x(f64::from(bar.call)), x(bar.ret.map_or(end, f64::from))), y);
    }
    if let Some(linearization) = drawing.linearization {
        draw_points(&mut out, drawing, &layout, &timeline, linearization, &x, &tops);
    }
    if drawing.has_times {
        let mut free = 0.0;
        for (moment, time) in history.times.iter().enumerate() {
            let (x, label) = (x(moment as f64), time.to_string());
            let from = x - letters(&label) / 2.0;
            if from >= free {
                let _ = writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\" fill=\"#555\">{label}</text>",
                    bottom + 18.0
                );
                free = from + letters(&label) + PAD;
            }
        }
        bottom += 24.0;
    }
    (width, bottom + MARGIN, out)
}

fn draw_bar(out: &mut String, bar: &Bar, (from, to): (f64, f64), y: f64) {
    let fill = bar.value.as_ref().map_or("#eee", |(_, colour)| COLOURS[usize::from(*colour)]);
    let (stroke, thick) = if bar.mark == Mark::Wrong { (WRONG, 2.5) } else { ("#333", 1.0) };
    // What is pending has no right end.
    let shape = match bar.ret {
        Some(_) => format!("M{from:.1} {y:.1}H{to:.1}v{BAR}H{from:.1}Z"),
        None => format!("M{to:.1} {y:.1}H{from:.1}v{BAR}H{to:.1}"),
    };
    let _ = writeln!(
        out,
        "<g><title>{}</title><path d=\"{shape}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{thick}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
        escape(&bar.title),
        f64::midpoint(from, to),
        y + BAR / 2.0 + 5.0,
        escape(&bar.label)
    );
}

/// A dot for each operation that takes effect, with its number.
fn draw_points(
    out: &mut String,
    drawing: &HistoryDrawing<'_>,
    layout: &Layout,
    timeline: &Timeline,
    linearization: &Linearization,
    x: &dyn Fn(f64) -> f64,
    tops: &[f64],
) {
    let words = Words { history: drawing.history, object: drawing.object };
    let mut place = 0;
    for gap in linearization.points.chunk_by(|a, b| a.after == b.after) {
        for (within, point) in gap.iter().enumerate() {
            place += 1;
            let about = drawing.history.operation(point.operation);
            let row = layout.row(about) as usize;
            if row >= timeline.rows.len() {
                continue;
            }
            let at = f64::from(point.after.0) + (within + 1) as f64 / (gap.len() + 1) as f64;
            let y = tops[row] + f64::from(layout.lane(point.operation)) * LANE + (LANE + BAR) / 2.0;
            let _ = writeln!(
                out,
                "<g><title>{place}: {}</title><circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\">{place}</text></g>",
                escape(&words.operation(point.operation)),
                x(at),
                x(at) + 5.0,
                y + 9.0
            );
        }
    }
}
