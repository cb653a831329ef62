//! The formats in which an execution can leave the page.

use serde::{Deserialize, Serialize};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// The graph for Graphviz.
    Dot,
    /// The graph for LaTeX, as it is laid out.
    Tikz,
    /// Events and relations as data.
    Json,
    /// The graph as it is laid out, as a picture.
    Svg,
    /// The graph in plain text.
    Text,
    /// The run as a picture.
    TimeSvg,
    /// The run in plain text.
    TimeText,
    /// The table for spreadsheets.
    Csv,
    /// The table for documents.
    Markdown,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Dot,
        Self::Tikz,
        Self::Json,
        Self::Svg,
        Self::Text,
        Self::TimeSvg,
        Self::TimeText,
        Self::Csv,
        Self::Markdown,
    ];

    /// What readers see.
    pub fn title(self) -> &'static str {
        match self {
            Self::Dot => "DOT",
            Self::Tikz => "TikZ",
            Self::Json => "JSON",
            Self::Svg => "SVG",
            Self::Text => "Plain text",
            Self::TimeSvg => "Run as SVG",
            Self::TimeText => "Run as text",
            Self::Csv => "Table as CSV",
            Self::Markdown => "Table as Markdown",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Dot => "for Graphviz",
            Self::Tikz => "for LaTeX, with TikZ",
            Self::Json => "events, po, rf, co and derived relations as data",
            Self::Svg => "the drawing as a file of its own",
            Self::Text => "for e-mail and terminals",
            Self::TimeSvg => "the interleaving as a file of its own",
            Self::TimeText => "the interleaving in columns",
            Self::Csv => "for spreadsheets",
            Self::Markdown => "for documents",
        }
    }

    /// The name in addresses and storage.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::Tikz => "tikz",
            Self::Json => "json",
            Self::Svg => "svg",
            Self::Text => "text",
            Self::TimeSvg => "time-svg",
            Self::TimeText => "time-text",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
        }
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The end of a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::Tikz => "tex",
            Self::Json => "json",
            Self::Svg | Self::TimeSvg => "svg",
            Self::Text | Self::TimeText => "txt",
            Self::Csv => "csv",
            Self::Markdown => "md",
        }
    }

    /// The type of its content.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Dot => "text/vnd.graphviz",
            Self::Tikz => "application/x-tex",
            Self::Json => "application/json",
            Self::Svg | Self::TimeSvg => "image/svg+xml",
            Self::Text | Self::TimeText => "text/plain",
            Self::Csv => "text/csv",
            Self::Markdown => "text/markdown",
        }
    }
}
