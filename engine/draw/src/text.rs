//! Execution graphs in plain text, for a terminal.

use super::{DrawingInput, event_name, event_text};
use crate::graph::{EventId, RelationName, ThreadId};
use crate::words;
use std::fmt::Write;

/// A graph in plain text: a column a thread, then the edges of each relation in a line, then the violating cycle.
pub fn graph_text(input: &DrawingInput) -> String {
    let (program, execution) = (input.program, input.execution);
    let mut out = String::new();
    let edges = input.all_edges();
    let initial = input.drawn_initial(&edges).into_iter();
    let initial: Vec<_> = initial.map(|e| event_text(program, execution.event(e))).collect();
    if !initial.is_empty() {
        let _ = writeln!(out, "{}", initial.join("  "));
    }
    let ghosts = input.drawn_ghosts();
    let columns: Vec<Vec<String>> = (0..execution.threads())
        .map(|thread| {
            let kept =
                execution.thread(ThreadId(thread as u16)).iter().map(|&e| event_text(program, execution.event(e)));
            let cut = ghosts.iter().filter(|ghost| ghost.thread().index() == thread);
            std::iter::once(program.thread_name(thread))
                .chain(kept)
                .chain(cut.map(|ghost| format!("({})", event_text(program, ghost))))
                .collect()
        })
        .collect();
    let widths: Vec<_> =
        columns.iter().map(|column| column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0)).collect();
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::new();
        for (column, width) in columns.iter().zip(&widths) {
            let cell = column.get(row).map_or("", String::as_str);
            let _ = write!(line, "{cell}{}   ", " ".repeat(width - cell.chars().count()));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    for relation in RelationName::ALL {
        let list: Vec<_> = edges
            .iter()
            .filter(|edge| edge.relation == relation)
            .map(|edge| format!("{} → {}", name(input, edge.from), name(input, edge.to)))
            .collect();
        if !list.is_empty() {
            let _ = writeln!(out, "{relation}: {}", list.join(", "));
        }
    }
    if let Some(violation) = input.violation {
        let _ = write!(out, "violates {}:", violation.axiom);
        for edge in &violation.cycle {
            let _ = write!(out, " {} -{}->", event_text(program, execution.event(edge.from)), edge.relation);
        }
        match violation.cycle.last() {
            Some(edge) => {
                let _ = writeln!(out, " {}", event_text(program, execution.event(edge.to)));
            }
            None => out.push_str(" no cycle given\n"),
        }
        if !violation.remark.is_empty() {
            let _ = writeln!(out, "({})", violation.remark);
        }
    }
    words::harmless(&out).into_owned()
}

fn name(input: &DrawingInput, e: EventId) -> String {
    event_name(input.program, input.execution.event(e).key)
}
