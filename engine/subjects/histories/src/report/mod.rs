//! Whether histories of concurrent objects, and those of a program's executions, are linearizable: words, JSON, drawings, and what the
//! page shows.

mod code;
mod executions;
mod judging;
mod place;
mod sequence;
mod steps;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod timeline;
mod view;

pub use code::CodeJudging;
pub use executions::{ClientsOfSize, ObjectJson, ObjectReport, ObjectVerdict, Shown, client_text};
pub use judging::{HistoryJudging, MAX_OPERATIONS as MAX_HISTORY};
pub use svg::{HistoryDrawing, MAX_DRAWN, history_svg};
pub use text::{HistoryJson, HistoryReport, OperationJson, Printed, Words, witness_text};
pub use view::*;
