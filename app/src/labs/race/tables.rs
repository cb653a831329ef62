//! The tables of a race, and what their numbers mean.

use leptos::prelude::*;
use litmoscope::labs::race::Table;

/// What stands in the corner of a table or above a column, and what it means.
const MEANINGS: [(&str, &str); 11] = [
    ("classes", "How many classes of executions there are, by each equivalence."),
    ("executions", "Executions that the algorithm reached: complete, blocked and erroneous ones."),
    ("steps", "Steps that the algorithm took."),
    ("dropped", "Graphs and runs that the algorithm began in vain."),
    (
        "units of work",
        "The work of the algorithm. A unit takes some nanoseconds. Unlike seconds, the number is the \
                       same on every machine.",
    ),
    ("seconds", "How long the algorithm took here."),
    ("traces", "Executions, and traces that led to one of them again."),
    ("sections", "Sections that EPOR explored."),
    ("trace constraint systems", "The systems of all sections of EPOR."),
    ("unsatisfiable", "EPOR's trace constraint systems that have no solution."),
    ("race checks", "Pairs of events that EPOR checked for a race."),
];

/// What stands for numbers that are not known.
const SIGNS: [(&str, &str); 2] = [
    ("≥", "At least this many: the algorithm was stopped before it was done."),
    ("–", "Unknown: the algorithm did not run, or was stopped before there was anything to count."),
];

/// How wide the columns of tables are that these are laid out in, in pixels: those that a style sheet knows.
const WIDTHS: [usize; 5] = [260, 340, 420, 520, 640];

fn meaning(title: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(of, _)| *of == title).map(|(_, meaning)| *meaning)
}

/// The tables, in columns that are as wide as the widest of them needs.
pub fn tables(tables: &[Table]) -> impl IntoView + use<> {
    let widest = tables.iter().map(width).max().unwrap_or(0);
    let class = match WIDTHS.into_iter().find(|width| widest <= *width) {
        Some(width) => format!("race-tables race-tables-{width}"),
        None => "race-tables".to_owned(),
    };
    view! { <div class=class>{tables.iter().map(table).collect_view()}</div> }
}

/// About how wide a table is, in pixels.
fn width(table: &Table) -> usize {
    let rows = || std::iter::once(&table.header).chain(&table.rows);
    let characters = |column: usize| rows().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    (0..table.header.len()).map(|column| 16 + 8 * characters(column).unwrap_or(0)).sum()
}

fn table(table: &Table) -> impl IntoView + use<> {
    let head = |cell: &String| view! { <th scope="col" title=meaning(cell)>{cell.clone()}</th> };
    let row = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(at, cell)| {
            let cell = cell.clone();
            if at == 0 {
                view! { <th scope="row">{cell}</th> }.into_any()
            } else {
                view! { <td>{cell}</td> }.into_any()
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    };
    // It can be scrolled by the keyboard where it has no room.
    let title = table.header.first().cloned().unwrap_or_default();
    view! {
        <div class="race-scroll" tabindex="0" role="group" aria-label=title>
            <table class="race-table">
                <thead><tr>{table.header.iter().map(head).collect_view()}</tr></thead>
                <tbody>{table.rows.iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

/// What the numbers mean, to be unfolded.
pub fn legend() -> impl IntoView {
    let line = |(title, meaning): (&'static str, &'static str)| view! { <dt>{title}</dt><dd>{meaning}</dd> };
    view! {
        <details class="race-legend" id="race-legend">
            <summary>"What the numbers mean"</summary>
            <dl>{SIGNS.into_iter().chain(MEANINGS).map(line).collect_view()}</dl>
        </details>
    }
}
