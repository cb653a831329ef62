//! Nodes of the tree in words.

use litmoscope::session::{TreeRow, VisitKind};
use litmoscope::words::grouped;

/// A kind in a word.
pub fn word(kind: VisitKind) -> &'static str {
    if kind == VisitKind::Erroneous { "error" } else { kind.name() }
}

/// What lies below a folded node: `below: 3 complete, 1 dropped`.
pub fn below_in_words(row: &TreeRow) -> String {
    let counts: Vec<_> =
        row.below.iter().map(|below| format!("{} {}", grouped(below.count.into()), word(below.kind))).collect();
    if counts.is_empty() { String::new() } else { format!("below: {}", counts.join(", ")) }
}
