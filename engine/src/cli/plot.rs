//! Plots of a race: characters for a terminal, SVG for a file. What stands where is said by [`Chart`].

use litmoscope::labs::race::{Chart, Frame, Plot, Point};
use litmoscope::report::escape;
use std::fmt::Write as _;

/// A plot of characters.
const TERMINAL: Frame = Frame { width: 76.0, height: 18.0, left: 11.0, top: 0.0, right: 75.0, bottom: 15.0 };

/// A plot of a file, in pixels.
const FILE: Frame = Frame { width: 900.0, height: 480.0, left: 80.0, top: 44.0, right: 590.0, bottom: 430.0 };

/// Room for what the file is about.
const HEAD: f64 = 44.0;

/// Colours that remain apart for those who see few colours: Okabe and Ito's, without black and yellow.
const COLOURS: [&str; litmoscope::labs::race::COLOURS] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];

/// A plot as text: each line is drawn with a letter of its own. Nothing if there is only one size.
pub fn text(plot: &Plot) -> String {
    let Some(chart) = Chart::new(plot, TERMINAL) else { return String::new() };
    let mut grid = Grid(vec![vec![' '; TERMINAL.width as usize]; TERMINAL.height as usize]);
    let (left, bottom) = (TERMINAL.left as i32, TERMINAL.bottom as i32);
    for row in 0..bottom {
        grid.put(left, row, '|');
    }
    for column in left + 1..TERMINAL.right as i32 {
        grid.put(column, bottom, '-');
    }
    grid.put(left, bottom, '+');
    for tick in &chart.numbers {
        let row = tick.at.round() as i32;
        grid.put(left, row, '+');
        grid.write(left - 1 - tick.label.chars().count() as i32, row, &tick.label);
    }
    for tick in &chart.sizes {
        let column = tick.at.round() as i32;
        grid.put(column, bottom, '+');
        grid.write(column - tick.label.chars().count() as i32 / 2, bottom + 1, &tick.label);
    }
    for line in &chart.lines {
        line.steps().for_each(|(from, to)| grid.connect(from, to));
    }
    for line in &chart.lines {
        for point in &line.points {
            grid.put(point.x.round() as i32, point.y.round() as i32, Chart::letter(line.at));
        }
    }
    let mut out = format!("\n{}\n", chart.title);
    for row in grid.0 {
        let row: String = row.into_iter().collect();
        let _ = writeln!(out, "{}", row.trim_end());
    }
    for line in &chart.lines {
        let _ = writeln!(out, "  {} {}", Chart::letter(line.at), line.label());
    }
    out
}

/// Characters in rows, as something to draw on.
struct Grid(Vec<Vec<char>>);

impl Grid {
    fn put(&mut self, column: i32, row: i32, character: char) {
        let row = usize::try_from(row).ok().and_then(|row| self.0.get_mut(row));
        if let Some(cell) = row.zip(usize::try_from(column).ok()).and_then(|(row, column)| row.get_mut(column)) {
            *cell = character;
        }
    }

    fn write(&mut self, column: i32, row: i32, text: &str) {
        for (at, character) in (column..).zip(text.chars()) {
            self.put(at, row, character);
        }
    }

    /// Dots between two points, a dot in each column or row, whichever are more.
    fn connect(&mut self, from: &Point, to: &Point) {
        let (across, down) = (to.x - from.x, to.y - from.y);
        let steps = across.abs().max(down.abs()).ceil().max(1.0);
        for step in 0..=steps as i32 {
            let part = f64::from(step) / steps;
            self.put((from.x + part * across).round() as i32, (from.y + part * down).round() as i32, '.');
        }
    }
}

/// Plots one below the other, as SVG, with a title above them. Those with only one size are left out.
pub fn svg(title: &str, plots: &[Plot]) -> String {
    let charts: Vec<Chart> = plots.iter().filter_map(|plot| Chart::new(plot, FILE)).collect();
    let (width, height) = (FILE.width, FILE.height * charts.len() as f64 + HEAD);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"15\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let text = |out: &mut String, x: f64, y: f64, anchor: &str, more: &str, words: &str| {
        let _ =
            writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{}</text>", escape(words));
    };
    text(&mut out, width / 2.0, 30.0, "middle", " font-size=\"22\"", title);
    for (at, chart) in charts.iter().enumerate() {
        let below = HEAD + FILE.height * at as f64;
        let _ = writeln!(out, "<g transform=\"translate(0 {below})\">\n<title>{}</title>", escape(&chart.summary));
        let Frame { left, top, right, bottom, .. } = chart.frame;
        let mut path = |path: &str, colour: &str, more: &str| {
            let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\"{more}/>");
        };
        for tick in &chart.numbers {
            path(&format!("M{left} {0:.1}H{right}", tick.at), "#ddd", "");
        }
        for tick in &chart.sizes {
            path(&format!("M{0:.1} {bottom}v6", tick.at), "#000", "");
        }
        path(&format!("M{left} {top}V{bottom}H{right}"), "#000", "");
        for line in &chart.lines {
            let dashes = if line.is_dashed() { " stroke-dasharray=\"7 4\"" } else { "" };
            let colour = COLOURS[line.colour()];
            path(&line.path(), colour, &format!(" stroke-width=\"2\"{dashes}"));
            for point in &line.points {
                path(&line.shape(point.x, point.y, 5.0), colour, " stroke-width=\"1.6\"");
            }
        }
        for (row, line) in chart.lines.iter().enumerate() {
            let y = top + 10.0 + 24.0 * row as f64;
            path(&line.shape(right + 24.0, y, 5.0), COLOURS[line.colour()], " stroke-width=\"1.6\"");
        }
        for (row, line) in chart.lines.iter().enumerate() {
            text(&mut out, right + 38.0, top + 15.0 + 24.0 * row as f64, "start", "", &line.label());
        }
        for tick in &chart.numbers {
            text(&mut out, left - 8.0, tick.at + 5.0, "end", "", &tick.label);
        }
        for tick in &chart.sizes {
            text(&mut out, tick.at, bottom + 24.0, "middle", "", &tick.label);
        }
        text(&mut out, left, top - 14.0, "start", " font-weight=\"bold\"", &chart.title);
        text(&mut out, right, bottom + 44.0, "end", "", "size");
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}
