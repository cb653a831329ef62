//! What a race comes to as lines over sizes, for plots with a logarithmic axis.

use super::{Progress, RaceJson};
use serde::{Deserialize, Serialize};

/// Lines over sizes, of one quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// What is plotted, with its unit.
    pub title: String,
    /// By algorithm or equivalence; those of which nothing is known are left out.
    pub lines: Vec<Line>,
}

/// The numbers of one algorithm or equivalence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its place among all that are raced, so that it looks the same in all plots.
    pub at: usize,
    /// Size and number, from small sizes to large ones; only where everything was explored, and only numbers above 0.
    pub points: Vec<(u32, f64)>,
}

impl Plot {
    /// What a race has to plot: classes, executions, steps, work and time.
    pub fn all(found: &RaceJson) -> Vec<Self> {
        type Of = fn(&super::LapJson) -> f64;
        let of_laps: [(&str, Of); 4] = [
            ("executions", |lap| lap.executions as f64),
            ("steps", |lap| lap.steps as f64),
            ("units of work", |lap| lap.work as f64),
            ("seconds", |lap| lap.seconds),
        ];
        let classes = Self { title: "classes".to_owned(), lines: classes(found) };
        let laps = of_laps.map(|(title, of)| Self { title: title.to_owned(), lines: laps(found, of) });
        let mut all: Vec<Self> = std::iter::once(classes).chain(laps).collect();
        for plot in &mut all {
            plot.lines.retain(|line| !line.points.is_empty());
        }
        all.retain(|plot| !plot.lines.is_empty());
        all
    }

    /// The smallest and greatest size, and the smallest and greatest number; `None` if there is no point.
    pub fn bounds(&self) -> Option<((u32, u32), (f64, f64))> {
        let points = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let (first, least) = points().next()?;
        let sizes = points().fold((first, first), |(from, to), (size, _)| (from.min(size), to.max(size)));
        let numbers = points().fold((least, least), |(from, to), (_, number)| (from.min(number), to.max(number)));
        Some((sizes, numbers))
    }
}

fn classes(found: &RaceJson) -> Vec<Line> {
    let rows = found.sizes.first().map_or(0, |size| size.classes.len());
    let line = |row: usize| Line {
        name: found.sizes[0].classes[row].equivalence.title().to_owned(),
        at: row,
        points: found
            .sizes
            .iter()
            .filter(|size| size.classified == Progress::Done)
            .map(|size| (size.size, size.classes[row].classes as f64))
            .collect(),
    };
    (0..rows).map(line).collect()
}

fn laps(found: &RaceJson, of: fn(&super::LapJson) -> f64) -> Vec<Line> {
    let rows = found.sizes.first().map_or(0, |size| size.laps.len());
    let line = |row: usize| Line {
        name: found.sizes[0].laps[row].algorithm.title().to_owned(),
        at: row,
        points: found
            .sizes
            .iter()
            .map(|size| (size.size, &size.laps[row]))
            .filter(|(_, lap)| lap.progress == Progress::Done && of(lap) > 0.0)
            .map(|(size, lap)| (size, of(lap)))
            .collect(),
    };
    (0..rows).map(line).collect()
}
