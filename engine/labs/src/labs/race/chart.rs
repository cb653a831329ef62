//! A plot with all places: axes, their marks, and each line's points. Terminal, file and page draw the same.
//!
//! A library for plots knows no terminal, and its SVG would measure text by inline styles, which the page's security policy
//! refuses: its layout would stand beside this one. The page draws the chart as views of its own, whose colours are the theme's.

use super::Plot;
use super::text::seconds_text;
use crate::words::grouped;
use serde::{Deserialize, Serialize};

/// How many colours lines have; those behind the last one begin again, dashed.
pub const COLOURS: usize = 6;

/// How many shapes points have: prime to the colours, so that thirty lines are told apart.
const SHAPES: usize = 5;

/// How many marks an axis has at most.
const MARKS: usize = 12;

/// What a chart is drawn in, in units of the drawing: pixels, or characters of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The whole width.
    pub width: f64,
    /// The whole height.
    pub height: f64,
    /// Where the axis of numbers stands.
    pub left: f64,
    /// Where the area of the lines begins.
    pub top: f64,
    /// Where it ends on the right.
    pub right: f64,
    /// Where the axis of sizes lies.
    pub bottom: f64,
}

/// A mark of an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Where it is: from the left of sizes, from the top of numbers.
    pub at: f64,
    /// What is written there.
    pub label: String,
}

/// A point of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// At which size it is.
    pub size: u32,
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// What it says: name, size and number.
    pub title: String,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stroke {
    /// Of which algorithm or equivalence it is.
    pub name: String,
    /// The first other one that has the same points, which hides this one.
    pub same_as: Option<String>,
    /// Its place among all that are raced, from which colour and shape follow.
    pub at: usize,
    /// From small sizes to large ones.
    pub points: Vec<Point>,
}

/// A plot, laid out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// What is plotted over what.
    pub title: String,
    /// The same with where each line begins and ends, for those who do not see it.
    pub summary: String,
    /// Where it is drawn.
    pub frame: Frame,
    /// The marks of the sizes.
    pub sizes: Vec<Tick>,
    /// The marks of the numbers, from small to large.
    pub numbers: Vec<Tick>,
    /// The lines.
    pub lines: Vec<Stroke>,
}

impl Chart {
    /// A plot in a frame: sizes to the right, numbers upwards, logarithmically. `None` if there is only one size, over which
    /// there are no lines.
    pub fn new(plot: &Plot, frame: Frame) -> Option<Self> {
        let ((from, to), (least, most)) = plot.bounds().filter(|((from, to), _)| from < to)?;
        // A little room on each side, so that no point lies on an axis.
        let (low, high) = ((least / 1.5).log10(), (most * 1.5).log10());
        let (left, right) = (f64::from(from) - 0.2, f64::from(to) + 0.2);
        let across = |size: f64| frame.left + (size - left) / (right - left) * (frame.right - frame.left);
        let up = |number: f64| frame.bottom - (number.log10() - low) / (high - low) * (frame.bottom - frame.top);
        let title = format!("{} by size, logarithmic", plot.title);
        let mut lines: Vec<Stroke> = Vec::new();
        for (at, line) in plot.lines.iter().enumerate() {
            let same = plot.lines[..at].iter().find(|other| other.points == line.points);
            let point = |&(size, number): &(u32, f64)| Point {
                size,
                x: across(size.into()),
                y: up(number),
                title: format!("{}, size {size}: {}", line.name, exact(number)),
            };
            lines.push(Stroke {
                name: line.name.clone(),
                same_as: same.map(|other| other.name.clone()),
                at: line.at,
                points: line.points.iter().map(point).collect(),
            });
        }
        Some(Self {
            summary: format!("{title}: {}", plot.lines.iter().map(extremes).collect::<Vec<_>>().join("; ")),
            title,
            frame,
            sizes: sizes(from, to).map(|size| Tick { at: across(size.into()), label: size.to_string() }).collect(),
            numbers: numbers(low, high).map(|(number, label)| Tick { at: up(number), label }).collect(),
            lines,
        })
    }

    /// The letter of a line, where there are no colours.
    pub fn letter(line: usize) -> char {
        char::from_u32('A' as u32 + (line % 26) as u32).unwrap_or('?')
    }
}

impl Stroke {
    /// The number of its colour.
    pub fn colour(&self) -> usize {
        self.at % COLOURS
    }

    /// Whether it is dashed, as its colour has another line.
    pub fn is_dashed(&self) -> bool {
        self.at >= COLOURS
    }

    /// What connects its points: those of neighbouring sizes, since nothing is known between others.
    pub fn steps(&self) -> impl Iterator<Item = (&Point, &Point)> {
        self.points.windows(2).map(|pair| (&pair[0], &pair[1])).filter(|(from, to)| from.size + 1 == to.size)
    }

    /// The same as an SVG path.
    pub fn path(&self) -> String {
        self.steps().map(|(from, to)| format!("M{:.1} {:.1}L{:.1} {:.1}", from.x, from.y, to.x, to.y)).collect()
    }

    /// The shape of its points around a place, as an SVG path: hollow, so that those behind it are seen.
    pub fn shape(&self, x: f64, y: f64, radius: f64) -> String {
        let polygon = |corners: &[(f64, f64)]| {
            let corner = |(at, (right, down)): (usize, &(f64, f64))| {
                format!("{}{:.1} {:.1}", if at == 0 { 'M' } else { 'L' }, x + right * radius, y + down * radius)
            };
            corners.iter().enumerate().map(corner).collect::<String>()
        };
        match self.at % SHAPES {
            0 => {
                let (left, wide) = (x - radius, 2.0 * radius);
                format!("M{left:.1} {y:.1}a{radius} {radius} 0 1 0 {wide} 0a{radius} {radius} 0 1 0 -{wide} 0z")
            }
            1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]) + "z",
            2 => polygon(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]) + "z",
            3 => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]) + "z",
            _ => polygon(&[(-1.0, -1.0), (1.0, 1.0)]) + &polygon(&[(-1.0, 1.0), (1.0, -1.0)]),
        }
    }

    /// Its name, and which line it lies on.
    pub fn label(&self) -> String {
        match &self.same_as {
            Some(other) => format!("{} (as {other})", self.name),
            None => self.name.clone(),
        }
    }
}

/// Where a line begins and ends, in words.
fn extremes(line: &super::Line) -> String {
    match (line.points.first(), line.points.last()) {
        (Some((from, first)), Some((to, last))) if from < to => {
            format!("{} from {} at size {from} to {} at size {to}", line.name, exact(*first), exact(*last))
        }
        (Some((size, number)), _) => format!("{} {} at size {size}", line.name, exact(*number)),
        (None, _) => line.name.clone(),
    }
}

/// A number with all digits that mean something: a count, or else a time.
fn exact(number: f64) -> String {
    if number.fract() == 0.0 { grouped(number as u64) } else { seconds_text(number) }
}

/// The sizes that are marked: not too many, all alike.
fn sizes(from: u32, to: u32) -> impl Iterator<Item = u32> {
    let steps = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u32.pow(power)));
    let step = steps.into_iter().find(|step| ((to - from) / step) < MARKS as u32).unwrap_or(u32::MAX);
    (from..=to).filter(move |size| size % step == 0)
}

/// The numbers that are marked between two powers of ten, and what is written there: powers of ten, and between few of
/// these 2 and 5 as well.
fn numbers(low: f64, high: f64) -> impl Iterator<Item = (f64, String)> {
    let powers = low.floor() as i32..=high.ceil() as i32;
    let inside = powers.clone().filter(|power| (low..=high).contains(&f64::from(*power))).count();
    let every = inside.div_ceil(MARKS / 2).max(1) as i32;
    let digits: &[u8] = if inside > 2 { &[1] } else { &[1, 2, 5] };
    powers
        .filter(move |power| power % every == 0)
        .flat_map(|power| digits.iter().map(move |&digit| (digit, power)))
        .map(|(digit, power)| (f64::from(digit) * 10f64.powi(power), short(digit, power)))
        .filter(move |(number, _)| (low..=high).contains(&number.log10()))
}

/// A digit and a power of ten in a few characters.
fn short(digit: u8, power: i32) -> String {
    match power {
        0..6 => grouped(u64::from(digit) * 10u64.pow(power as u32)),
        -3..0 => format!("{:.*}", power.unsigned_abs() as usize, f64::from(digit) * 10f64.powi(power)),
        _ => format!("{digit}e{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Line;
    use super::*;

    const FRAME: Frame = Frame { width: 400.0, height: 300.0, left: 50.0, top: 10.0, right: 390.0, bottom: 270.0 };

    /// A name, and its points.
    type Named<'a> = (&'a str, &'a [(u32, f64)]);

    fn plot(lines: &[Named<'_>]) -> Plot {
        let line =
            |(at, (name, points)): (usize, &Named<'_>)| Line { name: (*name).to_owned(), at, points: points.to_vec() };
        Plot { title: "executions".to_owned(), lines: lines.iter().enumerate().map(line).collect() }
    }

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn points_stand_at_logarithms_inside_the_frame() {
        let chart = Chart::new(&plot(&[("A", &[(1, 1.0), (2, 10.0), (3, 100.0)])]), FRAME).expect("three sizes");
        let [first, second, third] = &chart.lines[0].points[..] else { panic!("{chart:?}") };
        assert!((third.y - second.y - (second.y - first.y)).abs() < 1e-9, "a factor is a distance");
        assert!((third.x - second.x - (second.x - first.x)).abs() < 1e-9);
        for point in [first, third] {
            assert!(FRAME.left < point.x && point.x < FRAME.right && FRAME.top < point.y && point.y < FRAME.bottom);
        }
        assert_eq!(labels(&chart.numbers), ["1", "10", "100"]);
        assert_eq!(labels(&chart.sizes), ["1", "2", "3"]);
        assert!((chart.numbers[1].at - second.y).abs() < 1e-9 && (chart.sizes[1].at - second.x).abs() < 1e-9);
        assert_eq!(second.title, "A, size 2: 10");
        assert_eq!(chart.summary, "executions by size, logarithmic: A from 1 at size 1 to 100 at size 3");
    }

    #[test]
    fn marks_are_few_and_round() {
        let of = |points: &[(u32, f64)]| {
            let chart = Chart::new(&plot(&[("A", points)]), FRAME).expect("several sizes");
            (labels(&chart.sizes).join(" "), labels(&chart.numbers).join(" "))
        };
        assert_eq!(of(&[(1, 3.0), (2, 30.0)]), ("1 2".to_owned(), "2 5 10 20".to_owned()));
        assert_eq!(of(&[(4, 0.0004), (24, 0.9)]).0, "4 6 8 10 12 14 16 18 20 22 24");
        assert_eq!(of(&[(4, 0.0004), (24, 0.9)]).1, "0.001 0.01 0.1 1");
        assert_eq!(of(&[(1, 1.0), (60, 1e11)]).0, "5 10 15 20 25 30 35 40 45 50 55 60");
        assert_eq!(of(&[(1, 1.0), (60, 1e11)]).1, "1 100 10,000 1e6 1e8 1e10");
        assert_eq!(of(&[(1, 1.0), (2, 1.0)]).1, "1");
    }

    #[test]
    fn lines_that_hide_others_are_named() {
        let same: &[(u32, f64)] = &[(1, 1.0), (2, 3.0)];
        let chart = Chart::new(&plot(&[("A", same), ("B", &[(1, 1.0)]), ("C", same)]), FRAME).expect("two sizes");
        let labels: Vec<String> = chart.lines.iter().map(Stroke::label).collect();
        assert_eq!(labels, ["A", "B", "C (as A)"]);
        assert!(chart.summary.ends_with("B 1 at size 1; C from 1 at size 1 to 3 at size 2"), "{}", chart.summary);
        assert_eq!(Chart::new(&plot(&[("A", &[(1, 1.0)])]), FRAME), None);
        assert_eq!(Chart::new(&plot(&[]), FRAME), None);
    }

    #[test]
    fn nothing_is_drawn_over_missing_sizes() {
        let chart = Chart::new(&plot(&[("A", &[(1, 1.0), (2, 2.0), (4, 9.0)])]), FRAME).expect("three sizes");
        let line = &chart.lines[0];
        let steps: Vec<(u32, u32)> = line.steps().map(|(from, to)| (from.size, to.size)).collect();
        assert_eq!(steps, [(1, 2)]);
        let [from, to] = [&line.points[0], &line.points[1]];
        assert_eq!(line.path(), format!("M{:.1} {:.1}L{:.1} {:.1}", from.x, from.y, to.x, to.y));
    }

    #[test]
    fn thirty_lines_look_different() {
        let stroke = |at| Stroke { name: String::new(), same_as: None, at, points: Vec::new() };
        let mut looks: Vec<_> = (0..30).map(|at| (stroke(at).colour(), stroke(at).shape(9.0, 9.0, 4.0))).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 30);
    }
}
