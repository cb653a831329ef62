//! Places for the labels of edges: on their curves or beside them, where they cover no node and no other label, and as little
//! of other edges as can be.

use super::{Path, Point, Router, middle, number};
use crate::sort;
use crate::{CHARACTER_WIDTH, EdgeLabel, LABEL_FONT_SIZE};

/// Space kept free around labels where there is any.
const LABEL_SPACE: f32 = 2.0;
/// How far around its text a label hides what is below it, and how near to it another text or line begins to disturb.
const HALO: f32 = 4.0;
/// Distance of the places on a curve that are tried for its label.
const LABEL_STEP: f32 = 4.0;
/// How many such places there are, on long curves further apart.
const MOST_PLACES: f32 = 80.0;
/// What each cell of `FINE` costs that a label would cover.
const COVERED: f32 = 3.0;
/// What each costs that it would lie beside.
const BESIDE: f32 = 0.3;
/// What each label costs to which it would be close.
const CLOSE: f32 = 5.0;

/// The corners of a rectangle around a label.
fn corners(label: &EdgeLabel, space: f32) -> (Point, Point) {
    let (x, y) = (label.width / 2.0 + space, label.height / 2.0 + space);
    (Point::new(label.x - x, label.y - y), Point::new(label.x + x, label.y + y))
}

impl Router<'_> {
    /// A place for the label of an edge, kept free from then on.
    pub(crate) fn label(&mut self, edge: usize, path: &Path, text: &str) -> Option<EdgeLabel> {
        let width = (text.chars().count() as f32 * CHARACTER_WIDTH * LABEL_FONT_SIZE).ceil();
        let height = LABEL_FONT_SIZE + 2.0;
        let samples = path.samples();
        let total: f32 = samples.windows(2).map(|pair| pair[0].to(pair[1]).length()).sum();
        let mut places = Vec::new();
        let mut walked = 0.0;
        let mut next = 0.0;
        let step = LABEL_STEP.max(total / MOST_PLACES);
        for pair in samples.windows(2) {
            let direction = pair[0].to(pair[1]).unit();
            let length = pair[0].to(pair[1]).length();
            let normal = Point::new(-direction.y, direction.x);
            let reach = (normal.x.abs() * width + normal.y.abs() * height) / 2.0 + 3.0;
            // On the line there is no doubt whose label it is, but a short line would vanish below it.
            let covered = direction.x.abs() * width + direction.y.abs() * height;
            let on_line = if total > 2.5 * covered + 12.0 { 0.0 } else { 4.0 };
            while next < walked + length {
                let share = next / total.max(1.0);
                let point = pair[0].plus(direction, next - walked);
                next += step;
                if !(0.06..=0.92).contains(&share) {
                    continue;
                }
                for (offset, extra) in [(0.0, on_line), (reach, 2.5), (-reach, 2.5)] {
                    // Nearer to the start: labels of edges that cross in the middle then lie apart.
                    places.push((extra + 6.0 * (share - 0.3).abs(), point.plus(normal, offset), offset == 0.0));
                }
            }
            walked += length;
        }
        sort::by(&mut places, |(a, ..), (b, ..)| a.total_cmp(b));
        // Where there is no room for some space around it, it may touch another one, or a node.
        let (_, label) = [LABEL_SPACE, 0.0].into_iter().find_map(|space| {
            let mut best: Option<(f32, EdgeLabel)> = None;
            for &(cost, centre, on_line) in &places {
                let most = best.as_ref().map_or(f32::INFINITY, |(least, _)| *least - cost);
                if most <= 0.0 {
                    break;
                }
                let (x, y) = (number(centre.x), number(centre.y));
                let label = EdgeLabel { text: text.to_owned(), x, y, width, height };
                if self.is_free(&label, space) {
                    let more = self.disturbs(&label, edge, on_line, most);
                    if more < most {
                        best = Some((cost + more, label));
                    }
                }
            }
            best
        })?;
        let (low, high) = corners(&label, HALO);
        self.label_buckets.insert(low, high, self.labels.len());
        self.labels.push(label.clone());
        Some(label)
    }

    fn is_free(&self, label: &EdgeLabel, space: f32) -> bool {
        let overlaps = |x: f32, y: f32, width: f32, height: f32| {
            (label.x - x).abs() < (label.width + width) / 2.0 + space
                && (label.y - y).abs() < (label.height + height) / 2.0 + space
        };
        let (low, high) = corners(label, space);
        if low.x < 0.0 || high.x > self.width || low.y < 0.0 {
            return false;
        }
        let on_node = |node: &u32| {
            let node = &self.nodes[*node as usize];
            let centre = middle(node);
            overlaps(centre.x, centre.y, node.width, node.height)
        };
        let on_label = |other: &u32| {
            let other = &self.labels[*other as usize];
            overlaps(other.x, other.y, other.width, other.height)
        };
        !self.buckets.meeting(low, high).any(|cell| self.buckets.cells[cell].iter().any(on_node))
            && !self.label_buckets.meeting(low, high).any(|cell| self.label_buckets.cells[cell].iter().any(on_label))
    }

    /// How much of other edges a label would cover or lie beside, which is worse where it is not on its own line, and how
    /// close it would be to other labels; anything from `most` on where it is no less.
    fn disturbs(&self, label: &EdgeLabel, edge: usize, on_line: bool, most: f32) -> f32 {
        let (low, high) = corners(label, HALO);
        let mut cost = 0.0;
        let mut last = None;
        for cell in self.label_buckets.meeting(low, high) {
            for &at in &self.label_buckets.cells[cell] {
                let other = &self.labels[at as usize];
                let x = (label.x - other.x).abs() - (label.width + other.width) / 2.0;
                let y = (label.y - other.y).abs() - (label.height + other.height) / 2.0;
                if x.max(y) < HALO && last.replace(at) != Some(at) {
                    cost += CLOSE;
                }
            }
        }
        let beside = if on_line { BESIDE } else { 2.0 * BESIDE };
        let ((x0, y0), (x1, y1)) = (self.strokes.index(low), self.strokes.index(high));
        let (low, high) = corners(label, 0.0);
        let (inner, outer) = (self.strokes.index(low), self.strokes.index(high));
        for y in y0..=y1 {
            if cost >= most {
                break;
            }
            let in_row = (inner.1..=outer.1).contains(&y);
            for x in x0..=x1 {
                let below = &self.strokes.cells[y * self.strokes.width + x];
                if below.is_empty() {
                    continue;
                }
                let others = below.iter().filter(|&&other| other as usize != edge).count() as f32;
                cost += others * if in_row && (inner.0..=outer.0).contains(&x) { COVERED } else { beside };
            }
        }
        cost
    }
}
