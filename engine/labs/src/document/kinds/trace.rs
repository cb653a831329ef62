//! Event-driven traces: `initial m on h: post m2`.

use crate::document::{Colours, Definition, Read, Rewrite, Summary, TRACE};
use crate::event_driven::{begins_trace, highlight_trace, parse_trace, print_trace};
use crate::words::count;

pub const DEFINITION: Definition = Definition {
    name: "trace",
    title: "an event-driven trace",
    subject: &TRACE,
    notation: None,
    endings: &["trace"],
    begins: begins_trace,
    read: |text| reader().map_or_else(|| Ok(Summary::default()), |reader| (reader.read)(text)),
    highlight: |text| reader().map_or_else(Vec::new, |reader| (reader.highlight)(text)),
};

pub const REWRITE: Rewrite = |text| Ok(Ok(print_trace(&parse_trace(text)?)));

/// What reads traces and colours them. In a browser it comes later ([`Reader::give`]): until then every trace is taken for a good one,
/// without colours.
pub struct Reader {
    read: Read,
    highlight: fn(&str) -> Colours,
}

impl Reader {
    /// Makes it known, where it was loaded. Where it is there anyway, nothing changes.
    pub fn give(self) {
        #[cfg(target_family = "wasm")]
        let _ = GIVEN.set(self);
    }

    /// Whether it is there.
    pub fn is_there() -> bool {
        reader().is_some()
    }

    /// The reader. Who names this has it with all that it needs.
    pub const fn load() -> Self {
        Self { read, highlight: highlight_trace }
    }
}

#[cfg(target_family = "wasm")]
static GIVEN: std::sync::OnceLock<Reader> = std::sync::OnceLock::new();

#[cfg(target_family = "wasm")]
fn reader() -> Option<&'static Reader> {
    GIVEN.get()
}

#[cfg(not(target_family = "wasm"))]
fn reader() -> Option<&'static Reader> {
    const { Some(&Reader::load()) }
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
