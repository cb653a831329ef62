//! Histories of concurrent objects: `T1: push 1 [0,2]; pop 1 [4,5]`, and what other tools write.

use super::late::{Reader, late};
use crate::document::{Definition, HISTORY, Rewrite, Summary};
use crate::histories::{Format, ReadOptions, begins_history, detect, highlight_history, parse_history, print_history};
use crate::words::count;

pub(crate) const DEFINITION: Definition = Definition {
    name: "history",
    title: "a history of a concurrent object",
    subject: &HISTORY,
    notation: None,
    endings: &["history", "edn", "csv"],
    begins: begins_history,
    read: |text| LATE.read(text),
    highlight: |text| LATE.highlight(text),
};

/// In the format in which it was.
pub(crate) const REWRITE: Rewrite = |text| {
    let (recording, _) = parse_history(text, &ReadOptions::default())?;
    Ok(print_history(&recording, detect(text).unwrap_or(Format::Text)))
};

late!(
    /// Where what reads histories is.
    LATE = reader()
);

/// What reads histories. Who names this has it with all that it needs.
pub const fn reader() -> Reader {
    Reader { read, highlight: highlight_history }
}

fn read(text: &str) -> Result<Summary, Vec<crate::syntax::Diagnostic>> {
    let (recording, notes) = parse_history(text, &ReadOptions::default())?;
    let (mut operations, mut threads) = (0, 0);
    for history in &recording.histories {
        operations += history.operations.len();
        threads += history.threads.len();
    }
    let mut size = format!("{}, {}", count(operations as u64, "operation"), count(threads as u64, "thread"));
    if recording.histories.len() > 1 {
        size = format!("{}, {size}", count(recording.histories.len() as u64, "object"));
    }
    Ok(Summary { notes, size, ..Summary::default() })
}
