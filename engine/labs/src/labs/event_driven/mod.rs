//! Event-driven traces: whether their mailboxes allow them, in words and as JSON.

mod text;

pub use text::{TraceAnswer, TraceJson, TraceReport};
