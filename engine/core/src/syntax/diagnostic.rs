//! What is wrong with a text, where, and what to do instead.

use crate::program::Span;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The text is no program.
    Error,
    /// The text is a program, but probably not the one that was meant.
    Warning,
    /// Something inferred that the reader should know, such as which names are shared.
    Note,
}

/// One message about a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop: "expected an expression, found `;`".
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do instead, where there is something to say.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a help.
    pub fn error(message: impl Into<String>, span: Span) -> Self {
        Self { severity: Severity::Error, message: message.into(), span, help: None }
    }

    /// A warning without a help.
    pub fn warning(message: impl Into<String>, span: Span) -> Self {
        Self { severity: Severity::Warning, message: message.into(), span, help: None }
    }

    /// A note without a help.
    pub fn note(message: impl Into<String>, span: Span) -> Self {
        Self { severity: Severity::Note, message: message.into(), span, help: None }
    }

    /// The same with a help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The messages as plain text: each with file, line and column, the line itself, carets under the span, and the help.
pub fn render(source: &str, file_name: &str, diagnostics: &[Diagnostic]) -> String {
    let renderer = Renderer::plain();
    let mut text = String::new();
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        // Only the first line of the span is shown: a long text is not gone through for each message.
        let floor = |offset: u32| source.floor_char_boundary((offset as usize).min(source.len()));
        let start = floor(diagnostic.span.start);
        let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |length| start + length);
        let line = source[line_start..line_end].trim_end_matches('\r');
        let start = (start - line_start).min(line.len());
        let end = floor(diagnostic.span.end).saturating_sub(line_start).clamp(start, line.len());
        let snippet = Snippet::source(line)
            .path(file_name)
            .line_start(diagnostic.span.line.max(1) as usize)
            .annotation(AnnotationKind::Primary.span(start..end));
        let mut group = level.primary_title(diagnostic.message.as_str()).element(snippet);
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        text += &renderer.render(&[group]);
        text += "\n\n";
    }
    text
}
