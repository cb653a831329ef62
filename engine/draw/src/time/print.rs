//! Timelines as text and as SVG.

use super::{RowKind, TimeCell, TimeRow, Timeline};
use crate::svg::{FONTS, escape, palette};
use crate::{CHARACTER_WIDTH, Theme, words};
use std::fmt::Write;

/// What is in a cell, on one line: `x=1 y=1`, buffers of their own apart by `|`.
fn cell_text(cell: &TimeCell) -> String {
    let shelf = |shelf: &Vec<super::Chip>| shelf.iter().map(|chip| &*chip.text).collect::<Vec<_>>().join(" ");
    cell.shelves.iter().map(shelf).collect::<Vec<_>>().join(" | ")
}

fn lane_text(row: &TimeRow) -> String {
    match row.kind {
        RowKind::Start => String::new(),
        _ if row.note.is_empty() => row.label.clone(),
        _ => format!("{} {}", row.label, row.note),
    }
}

/// All cells of a timeline as text: the header, then the rows.
fn grid(timeline: &Timeline) -> Vec<Vec<String>> {
    let header =
        [String::new()].into_iter().chain(timeline.lanes.iter().cloned()).chain(timeline.columns.iter().cloned());
    let mut lines = vec![header.collect::<Vec<_>>()];
    for (at, row) in timeline.rows.iter().enumerate() {
        let number = if row.kind == RowKind::Start { "start".to_owned() } else { at.to_string() };
        let lane = |lane: usize| if lane == row.lane { lane_text(row) } else { String::new() };
        let lanes = (0..timeline.lanes.len()).map(lane);
        lines.push([number].into_iter().chain(lanes).chain(row.cells.iter().map(cell_text)).collect());
    }
    lines
}

fn widths(grid: &[Vec<String>]) -> Vec<usize> {
    let columns = grid.first().map_or(0, Vec::len);
    (0..columns).map(|at| grid.iter().map(|line| line[at].chars().count()).max().unwrap_or(0)).collect()
}

fn remainder(timeline: &Timeline) -> Option<String> {
    (timeline.left_out > 0).then(|| format!("{} more rows are left out.", timeline.left_out))
}

/// A timeline in plain text: what it is, then a column a thread and one for each thing beside them.
pub fn time_text(timeline: &Timeline) -> String {
    let mut out = format!("{}\n", timeline.account);
    let grid = grid(timeline);
    let widths = widths(&grid);
    if !timeline.absent {
        out.push('\n');
        for line in &grid {
            let cells: Vec<_> = line
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())))
                .collect();
            let _ = writeln!(out, "{}", cells.join("   ").trim_end());
        }
    }
    if let Some(remainder) = remainder(timeline) {
        let _ = writeln!(out, "{remainder}");
    }
    words::harmless(&out).into_owned()
}

/// How wide lines of the account are, in characters.
const LINE: usize = 96;
const SIZE: f32 = 13.0;
const ROW: f32 = 24.0;
const MARGIN: f32 = 16.0;
const SPACE: f32 = 22.0;

/// A timeline as a file of its own.
pub fn time_svg(timeline: &Timeline, theme: Theme) -> String {
    let palette = palette(theme);
    let character = SIZE * CHARACTER_WIDTH;
    let account = wrap(&timeline.account, LINE);
    let grid = if timeline.absent { Vec::new() } else { grid(timeline) };
    let widths: Vec<f32> = widths(&grid).into_iter().map(|width| width as f32 * character).collect();
    let mut lefts = Vec::with_capacity(widths.len());
    let mut x = MARGIN;
    for width in &widths {
        lefts.push(x);
        x += width + SPACE;
    }
    let written = account.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f32 * character;
    let width = (x - SPACE).max(written + MARGIN) + MARGIN;
    let top = MARGIN + account.len() as f32 * 18.0 + 8.0;
    let height = top + (grid.len() as f32 + f32::from(u8::from(timeline.left_out > 0))) * ROW + MARGIN;

    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="{FONTS}" font-size="{SIZE}">"#
    );
    let _ = writeln!(out, "<title>Execution as a run</title>");
    let _ = writeln!(out, r#"<rect width="{width}" height="{height}" fill="{}"/>"#, palette.background);
    let mut text = |x: f32, y: f32, color: &str, bold: bool, words: &str| {
        let weight = if bold { r#" font-weight="bold""# } else { "" };
        let _ = writeln!(
            out,
            r#"<text x="{x:.1}" y="{y:.1}" fill="{color}"{weight} xml:space="preserve">{}</text>"#,
            escape(words)
        );
    };
    for (at, line) in account.iter().enumerate() {
        text(MARGIN, MARGIN + 12.0 + at as f32 * 18.0, palette.muted, false, line);
    }
    let mut boxes = String::new();
    for (at, line) in grid.iter().enumerate() {
        let y = top + at as f32 * ROW;
        for (column, cell) in line.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            let lane = (1..=timeline.lanes.len()).contains(&column);
            let (color, bold) = match (at, column) {
                (0, _) | (_, 0) => (palette.muted, at == 0),
                // What is new beside the threads stands out.
                _ => {
                    let cell = (!lane).then(|| &timeline.rows[at - 1].cells[column - 1 - timeline.lanes.len()]);
                    (palette.text, cell.is_some_and(|cell| cell.shelves.iter().flatten().any(|chip| chip.new)))
                }
            };
            if lane && at > 0 {
                let flush = timeline.rows[at - 1].kind == RowKind::Flush;
                let dash = if flush { r#" stroke-dasharray="4 3""# } else { "" };
                let _ = writeln!(
                    boxes,
                    r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="4" fill="{}" stroke="{}"{dash}/>"#,
                    lefts[column] - 6.0,
                    y + 1.0,
                    cell.chars().count() as f32 * character + 12.0,
                    ROW - 4.0,
                    palette.column,
                    palette.border
                );
            }
            text(lefts[column], y + 16.0, color, bold, cell);
        }
    }
    if let Some(remainder) = remainder(timeline) {
        text(MARGIN, top + grid.len() as f32 * ROW + 16.0, palette.muted, false, &remainder);
    }
    // Under the texts: behind the ground, which is the third line.
    let ground = out.match_indices('\n').nth(2).map_or(out.len(), |(at, _)| at + 1);
    out.insert_str(ground, &boxes);
    out.push_str("</svg>\n");
    out
}

/// A text in lines of at most some characters, where its words allow it.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}
