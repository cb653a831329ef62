//! Classes of tokens, for an editor.

use crate::program::Notation;
use std::ops::Range;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenClass {
    /// A keyword, a function of the notation or an instruction.
    Keyword,
    /// The name of something shared.
    Shared,
    /// The name of a register or a local variable.
    Register,
    /// A constant.
    Number,
    /// An operator or punctuation.
    Operator,
    /// A comment.
    Comment,
    /// An access mode.
    Mode,
    /// What stands between threads.
    Separator,
    /// A jump target, the name of a thread, or the program's name.
    Label,
    /// A character that no notation knows.
    Unknown,
}

/// The classes of a text's tokens as byte ranges, in order, without overlaps. Broken text has classes too.
pub fn highlight(_text: &str, _notation: Notation) -> Vec<(Range<usize>, TokenClass)> {
    Vec::new()
}
