//! Event-driven traces: whether their mailboxes allow them, in words, as JSON, drawn, and as the page shows it.

mod drawing;
mod formula;
mod text;
mod view;

pub use drawing::TraceDrawing;
pub use formula::formula_text;
pub use text::{TraceAnswer, TraceJson, TraceReport};
pub use view::{
    MailboxVerdict, RelationView, RunRow, StepKind, ToldEdges, TraceDeciding, TraceRequest, TraceStepView, TraceView,
};
