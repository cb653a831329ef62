//! Series: programs of any size, written once.

use crate::document::{Definition, Rewrite, SERIES, Summary};
use crate::program::Span;
use crate::syntax::{Diagnostic, NoProgram, Series, Severity};
use crate::words;

pub(crate) const DEFINITION: Definition = Definition {
    name: "series",
    title: "a series of programs",
    subject: &SERIES,
    notation: None,
    endings: &["series"],
    begins: Series::begins,
    read,
    highlight: Series::highlight,
};

/// As it is: a series has no other way to be written.
pub(crate) const REWRITE: Rewrite = |text| Series::parse(text).map(|_| Ok(text.to_owned()));

fn read(text: &str) -> Result<Summary, Vec<Diagnostic>> {
    let series = Series::parse(text)?;
    let (from, to) = (*series.sizes.start(), *series.sizes.end());
    let (mut threads, mut notes) = (0, Vec::new());
    for size in [from, to] {
        let (text, parsed) = series.program(size).map_err(|error| at_start(size, error))?;
        threads = parsed.program.threads.len();
        // Those of the largest size: the smallest program may have one thread alone, and share nothing.
        let warnings = parsed.notes.into_iter().filter(|note| note.severity == Severity::Warning);
        let quote = |warning| quoted(size, &text, warning, Diagnostic::warning, "this looks unintended");
        notes = warnings.map(quote).collect();
    }
    let size = format!("sizes {from} to {to}, {} at size {to}", words::count(threads as u64, "thread"));
    Ok(Summary { size, notes, ..Summary::default() })
}

/// What is wrong with a program of a series. Its places are not those of the series' own text, so the line is quoted.
pub fn at_start(size: u32, error: NoProgram) -> Vec<Diagnostic> {
    let NoProgram { diagnostics, text } = error;
    let Some(text) = text else { return diagnostics };
    let errors = diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(|error| quoted(size, &text, error, Diagnostic::error, "this is not a program")).collect()
}

/// A message about a program of a series, with the line that it is about.
fn quoted(size: u32, text: &str, message: Diagnostic, make: fn(String, Span) -> Diagnostic, what: &str) -> Diagnostic {
    let line = text.lines().nth(message.span.line.saturating_sub(1) as usize).unwrap_or_default().trim();
    let shown: String = line.chars().take(200).collect();
    let start = Span { start: 0, end: 0, line: 1, column: 1 };
    let help = message.help.map_or_else(String::new, |help| format!("; {help}"));
    make(format!("of size {size}, {what}: {}", message.message), start)
        .with_help(format!("line {} of it is `{shown}`{help}", message.span.line))
}
