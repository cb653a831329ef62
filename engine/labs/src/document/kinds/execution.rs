//! Abstract executions: `T1: w x 1; r y 0 <- init`.

use crate::consistency::{begins_execution, highlight_execution, parse_execution, print_execution};
use crate::document::{Definition, EXECUTION, Rewrite, Summary};
use crate::words;

pub(super) const DEFINITION: Definition = Definition {
    name: "execution",
    title: "an abstract execution",
    subject: &EXECUTION,
    notation: None,
    endings: &["exec"],
    begins: begins_execution,
    read: |text| {
        let execution = parse_execution(text)?;
        let threads = words::count(execution.graph.threads() as u64, "thread");
        let events = execution.graph.events().filter(|(_, event)| !event.is_init()).count();
        let size = format!("{threads}, {}", words::count(events as u64, "event"));
        Ok(Summary { size, ..Summary::default() })
    },
    highlight: highlight_execution,
};

pub(super) const REWRITE: Rewrite = |text| Ok(Ok(print_execution(&parse_execution(text)?)));
