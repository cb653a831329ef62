//! Event-driven traces: `initial m on h: post m2`.

use super::late::{Reader, late};
use crate::document::{Definition, Rewrite, Summary, TRACE};
use crate::traces::{begins_trace, highlight_trace, parse_trace, print_trace};
use crate::words::count;

pub(crate) const DEFINITION: Definition = Definition {
    name: "trace",
    title: "an event-driven trace",
    subject: &TRACE,
    notation: None,
    endings: &["trace"],
    begins: begins_trace,
    read: |text| LATE.read(text),
    highlight: |text| LATE.highlight(text),
};

pub(crate) const REWRITE: Rewrite = |text| Ok(Ok(print_trace(&parse_trace(text)?)));

late!(
    /// Where what reads traces is.
    LATE = reader()
);

/// What reads traces. Who names this has it with all that it needs.
pub const fn reader() -> Reader {
    Reader { read, highlight: highlight_trace }
}

fn read(text: &str) -> Result<Summary, Vec<crate::syntax::Diagnostic>> {
    let trace = parse_trace(text)?;
    let handlers = trace.handlers.iter().filter(|handler| !handler.is_thread).count();
    let messages = trace.messages.iter().filter(|message| !trace.handler(message.handler).is_thread).count();
    let threads = trace.handlers.len() - handlers;
    let mut size = format!("{}, {}", count(handlers as u64, "handler"), count(messages as u64, "message"));
    if threads > 0 {
        size += &format!(", {}", count(threads as u64, "thread"));
    }
    Ok(Summary { size, ..Summary::default() })
}
