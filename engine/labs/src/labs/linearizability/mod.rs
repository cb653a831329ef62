//! Whether histories of concurrent objects are linearizable: words, JSON, drawings, and what the page shows.

mod text;
mod view;

pub use text::{HistoryJson, HistoryReport, OperationJson, Printed, Words, monitor_words, witness_text};
pub use view::*;
