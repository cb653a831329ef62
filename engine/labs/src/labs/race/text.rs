//! What a race found, as text for a terminal.

use super::{LapJson, Progress, RaceJson, SizeJson};
use crate::words::{self, grouped};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A quantity of a cell.
type Quantity = (&'static str, fn(&LapJson) -> String);

const QUANTITIES: [Quantity; 5] = [
    ("executions", |lap| grouped(lap.executions)),
    ("steps", |lap| grouped(lap.steps)),
    ("dropped", |lap| grouped(lap.dropped)),
    ("units of work", |lap| grouped(lap.work)),
    ("seconds", |lap| seconds_text(lap.seconds)),
];

/// A quantity that some algorithms alone have.
type OwnQuantity = (&'static str, fn(&LapJson) -> u64);

const OWN: [OwnQuantity; 5] = [
    ("traces", |lap| if lap.repeated > 0 { lap.executions + lap.repeated } else { 0 }),
    ("sections", |lap| lap.sections),
    ("trace constraint systems", |lap| lap.systems),
    ("unsatisfiable", |lap| lap.unsatisfiable),
    ("race checks", |lap| lap.race_checks),
];

/// A time in seconds with as many digits as mean something.
pub(super) fn seconds_text(seconds: f64) -> String {
    match seconds {
        ..0.0005 => "<0.001".to_owned(),
        ..10.0 => format!("{seconds:.3}"),
        _ => format!("{seconds:.1}"),
    }
}

/// A table of a race: a name in each row, and a number for each size or quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What stands in the corner, and above each column.
    pub header: Vec<String>,
    /// The rows: a name, then a number for each column, `≥` in front of one that is not the last, `–` for none.
    pub rows: Vec<Vec<String>>,
}

/// The classes, if they were counted, then a table for each quantity with a column for each size; of a program alone, one
/// table with a column for each quantity. At last a table for each quantity of which some algorithms alone have any.
pub(super) fn tables(found: &RaceJson) -> Vec<Table> {
    let classes = found.sizes.iter().any(|size| !size.classes.is_empty()).then(|| classes(found));
    let laps = if found.series { by_size(found) } else { vec![alone(found)] };
    classes.into_iter().chain(laps).chain(own(found)).collect()
}

fn classes(found: &RaceJson) -> Table {
    let rows = found.sizes.first().map_or(0, |size| size.classes.len());
    let row = |row: usize| {
        let name = found.sizes[0].classes[row].equivalence.title().to_owned();
        let counts = found
            .sizes
            .iter()
            .map(|size| known(&size.classified, grouped(size.classes.get(row).map_or(0, |classes| classes.classes))));
        std::iter::once(name).chain(counts).collect()
    };
    Table { header: header("classes", found), rows: (0..rows).map(row).collect() }
}

fn header(title: &str, found: &RaceJson) -> Vec<String> {
    let sizes = found.sizes.iter().map(|size| if found.series { size.size.to_string() } else { String::new() });
    std::iter::once(title.to_owned()).chain(sizes).collect()
}

fn by_size(found: &RaceJson) -> Vec<Table> {
    let rows = found.sizes.first().map_or(0, |size| size.laps.len());
    let table = |(title, of): Quantity| {
        let row = |row: usize| {
            let name = found.sizes[0].laps[row].algorithm.title().to_owned();
            let numbers = found.sizes.iter().map(|size| known(&size.laps[row].progress, of(&size.laps[row])));
            std::iter::once(name).chain(numbers).collect()
        };
        Table { header: header(title, found), rows: (0..rows).map(row).collect() }
    };
    QUANTITIES.into_iter().map(table).collect()
}

fn own(found: &RaceJson) -> Vec<Table> {
    let rows = found.sizes.first().map_or(0, |size| size.laps.len());
    let table = |(title, of): OwnQuantity| {
        let has = |row: &usize| found.sizes.iter().any(|size| of(&size.laps[*row]) > 0);
        let row = |row: usize| {
            let name = found.sizes[0].laps[row].algorithm.title().to_owned();
            let numbers = found.sizes.iter().map(|size| known(&size.laps[row].progress, grouped(of(&size.laps[row]))));
            std::iter::once(name).chain(numbers).collect()
        };
        Table { header: header(title, found), rows: (0..rows).filter(has).map(row).collect() }
    };
    OWN.into_iter().map(table).filter(|table| !table.rows.is_empty()).collect()
}

fn alone(found: &RaceJson) -> Table {
    let titles = QUANTITIES.iter().map(|(title, _)| (*title).to_owned());
    let row = |lap: &LapJson| {
        let numbers = QUANTITIES.iter().map(|(_, of)| known(&lap.progress, of(lap)));
        std::iter::once(lap.algorithm.title().to_owned()).chain(numbers).collect()
    };
    Table {
        header: std::iter::once("algorithm".to_owned()).chain(titles).collect(),
        rows: found.sizes.iter().flat_map(|size| &size.laps).map(row).collect(),
    }
}

/// A number as far as it is known.
fn known(progress: &Progress, number: String) -> String {
    match progress {
        Progress::Done => number,
        Progress::Running | Progress::Timeout | Progress::Stopped if number != "0" => format!("≥{number}"),
        _ => "–".to_owned(),
    }
}

/// Why some numbers are missing, in a sentence each.
pub(super) fn notes(found: &RaceJson) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut note = |size: &SizeJson, who: &str, progress: &Progress| {
        let at = if found.series { format!(" at size {}", size.size) } else { String::new() };
        let text = match progress {
            // Whose reason it is stands in it.
            Progress::Refused(why) => why.clone(),
            Progress::Timeout => format!("bounded: {who}{at} was stopped at its limit"),
            Progress::Stopped => format!("bounded: {who}{at} was stopped"),
            _ => return,
        };
        if !notes.contains(&text) {
            notes.push(text);
        }
    };
    for size in &found.sizes {
        note(size, "counting classes", &size.classified);
        size.laps.iter().for_each(|lap| note(size, lap.algorithm.title(), &lap.progress));
    }
    let cut = |size: &&SizeJson| size.cut > 0 || size.laps.iter().any(|lap| lap.cut > 0);
    if found.sizes.iter().any(|size| cut(&size)) {
        let sizes: Vec<String> = found.sizes.iter().filter(cut).map(|size| size.size.to_string()).collect();
        let at = if found.series { format!(" at size {}", words::list(sizes)) } else { String::new() };
        notes.push(format!(
            "bounded: executions were cut, or questions were left undecided{at}. The counts are those within the bounds"
        ));
    }
    notes
}

/// What was raced, in a line or two.
pub(super) fn head(found: &RaceJson) -> Vec<String> {
    let name = if found.name.is_empty() { "the program" } else { &found.name };
    let has_root = |size: &SizeJson| !size.classes.is_empty() && !matches!(size.classified, Progress::Refused(_));
    let root = found.sizes.iter().any(has_root);
    let root = root.then(|| format!("root thread: P{}", found.root.saturating_sub(1)));
    std::iter::once(format!("{name} under {}", found.model.title())).chain(root).collect()
}

/// All that a race found.
pub fn race_text(found: &RaceJson) -> String {
    let mut out = String::new();
    for line in head(found) {
        let _ = writeln!(out, "{line}");
    }
    for table in tables(found) {
        out.push('\n');
        write(&mut out, &table);
    }
    let notes = notes(found);
    if !notes.is_empty() {
        out.push('\n');
    }
    for text in notes {
        let _ = writeln!(out, "{text}");
    }
    out
}

/// A table with its first column to the left and all others to the right.
fn write(out: &mut String, table: &Table) {
    let rows = || std::iter::once(&table.header).chain(&table.rows);
    let width =
        |column: usize| rows().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    for row in rows() {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = if column == 0 { write!(line, "{cell:width$}") } else { write!(line, "  {cell:>width$}") };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
