//! Histories as texts, one file a format. Which format a text has is told by its content ([`detect`]).
//!
//! # Our own text
//! The first line is `history`, with a name, with the kind of object, with both (`history s stack`), or with neither.
//! Such a line further below begins another history. In a file it may be left out: then the lines below it have to be
//! told apart from everything else. Behind it stand lines of one of these kinds:
//!
//! - `T1: push 1 [0,2]; pop 1 [4,5]`: a thread's operations with the times of their calls and returns, whole numbers in
//!   any unit. A thread may have several lines. `[4,?]` is pending: it never returns.
//! - `T1 call push 1`, `T1 return`, `T2 call pop`, `T2 return 1`: calls and returns in their order. What does not
//!   return is pending.
//! - `T1: |-push 1-|   |--pop 1--|`: drawn bars, a row a thread; the column is the time. `|-pop->` is pending. When a
//!   thread has another row, a new block begins, all of which is later; a bar that ends with `-` goes on in the next
//!   block, where the row begins with `-`.
//! - `init 5`: what a register holds at first.
//!
//! Operations are `push 1`, `pop 1`, `pop empty`, `add 3 false`, `contains 3 true`, `read 1`, `write 2`,
//! `cas 1 2 true`, `inc 3`, `push(1)`, and so on: their usual names are known. A value is a word, a tuple `(a,1)`, or
//! stands in quotes. Comments are `# ...` and `// ...`.
//!
//! # Other formats
//! - LiMo's and Violin's: `# @object atomic-stack`, `[1] call push(1)`, `[1] return`. A removal that returns nothing
//!   found nothing.
//! - Jepsen's and Knossos' operation maps in EDN, one a line or in a vector; the lines of `history.txt`, also where
//!   they stand in a log; and the same maps as JSON. Where the first operation's value is a pair `[k v]`, k is a key. A
//!   failed compare-and-set did not happen; one that returned `false` is written `:ok` with `[1 2 false]`, a query
//!   `:ok` with `[3 true]`.
//! - Porcupine's `Operation` as JSON: `{"ClientId": 0, "Input": "push 1", "Call": 0, "Output": null, "Return": 2}`.
//!   `Input` may also be `{"op": "push", "value": 1, "key": "k"}` or `["push", 1]`, `Output` a value or an object with
//!   one. Where `Return` is left out or `null`, the operation is pending, and so is one whose output has
//!   `"unknown": true`; where no operation has `ClientId`, threads are made up. Go writes fields that were not set, so
//!   what a read or a `pop` is given counts for nothing.
//! - CSV with a header: `thread`, `operation`, `value`, `result`, `call`, `return`, `key` and `object`, or usual
//!   synonyms, between commas, semicolons or tabulators.
//!
//! Formats without a place for it say what the object is with a field `object` in each operation, where its operations
//! do not tell.

mod bars;
mod begins;
mod build;
mod csv;
mod edn;
mod highlight;
mod jepsen;
mod json;
mod lex;
mod limo;
mod log;
mod names;
mod own;
mod porcupine;
mod recognise;
mod spell;
#[cfg(test)]
mod tests;

use super::{Object, Recording};
use crate::program::Span;
use crate::syntax::{Diagnostic, Unprintable};
pub use begins::begins_history;
use build::{Builder, Customs};
pub use highlight::highlight_history;
pub use recognise::detect;
pub use spell::word as history_word;

/// A way to write histories down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Our own text, with the times of calls and returns.
    Text,
    /// Our own text, with calls and returns in their order.
    Calls,
    /// Our own text, drawn.
    Bars,
    /// Jepsen's and Knossos' operation maps.
    Edn,
    /// The lines of Jepsen's `history.txt`, and of its log.
    Log,
    /// Jepsen's operation maps as JSON.
    Json,
    /// Porcupine's operations as JSON.
    Porcupine,
    /// LiMo's and Violin's calls and returns.
    Limo,
    /// A table with a header.
    Csv,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 9] =
        [Self::Text, Self::Calls, Self::Bars, Self::Edn, Self::Log, Self::Json, Self::Porcupine, Self::Limo, Self::Csv];

    /// Its name, as the command line writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Calls => "calls",
            Self::Bars => "bars",
            Self::Edn => "edn",
            Self::Log => "log",
            Self::Json => "json",
            Self::Porcupine => "porcupine",
            Self::Limo => "limo",
            Self::Csv => "csv",
        }
    }

    const fn customs(self) -> Customs {
        let is_jepsen = matches!(self, Self::Edn | Self::Log | Self::Json);
        Customs {
            nothing_is_empty: matches!(self, Self::Limo),
            any_order: matches!(self, Self::Porcupine | Self::Csv),
            begins_with_nil: is_jepsen,
            is_threadless: false,
        }
    }
}

/// How a history is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// What names of operations mean, before the usual ones: `("deq", "remove")`.
    pub map: Vec<(String, String)>,
    /// What the object is, whatever the text says.
    pub object: Option<Object>,
    /// Whether a removal that failed found nothing. Else it did not happen.
    pub fail_is_empty: bool,
    /// How many operations a text may have.
    pub max_operations: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { map: Vec::new(), object: None, fail_is_empty: false, max_operations: 20_000_000 }
    }
}

/// Reads a history in the format that its content tells, with notes about what was inferred.
///
/// # Errors
/// What is wrong with the text, in its order; of much that is wrong, the first of it.
pub fn parse_history(text: &str, options: &ReadOptions) -> Result<(Recording, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Some(format) = detect(text) else {
        let span = Span { line: 1, column: 1, ..Span::default() };
        let help = "our own text begins with `history`, and goes on with `T1: push 1 [0,2]; pop 1 [4,5]`";
        return Err(vec![Diagnostic::error("the text is not a history in a known format", span).with_help(help)]);
    };
    parse_history_as(format, text, options)
}

/// Reads a history in a given format.
///
/// # Errors
/// What is wrong with the text, in its order; of much that is wrong, the first of it.
pub fn parse_history_as(
    format: Format,
    text: &str,
    options: &ReadOptions,
) -> Result<(Recording, Vec<Diagnostic>), Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        let span = Span { line: 1, column: 1, ..Span::default() };
        let help = "judge a part of the history, such as its first half";
        return Err(vec![Diagnostic::error("the text is longer than 4 GiB", span).with_help(help)]);
    }
    let mut builder = Builder::new(text, options, format.customs());
    // Whoever gives up has said why.
    let _ = match format {
        Format::Text | Format::Calls | Format::Bars => own::read(&mut builder),
        Format::Edn => edn::read(&mut builder),
        Format::Log => log::read(&mut builder),
        Format::Json => json::read(&mut builder),
        Format::Porcupine => porcupine::read(&mut builder),
        Format::Limo => limo::read(&mut builder),
        Format::Csv => csv::read(&mut builder),
    };
    builder.finish()
}

/// Writes a recording in a format. Read again it is the same, but for times where the format has only their order.
///
/// # Errors
/// [`Unprintable`] says what the format has no words for.
pub fn print_history(recording: &Recording, format: Format) -> Result<String, Unprintable> {
    spell::check_names(recording, format)?;
    match format {
        Format::Text => own::print_intervals(recording),
        Format::Calls => own::print_calls(recording),
        Format::Bars => bars::print(recording),
        Format::Edn => edn::print(recording),
        Format::Log => log::print(recording),
        Format::Json => json::print(recording),
        Format::Porcupine => porcupine::print(recording),
        Format::Limo => limo::print(recording),
        Format::Csv => csv::print(recording),
    }
}
