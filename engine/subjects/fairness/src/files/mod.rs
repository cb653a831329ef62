//! Graphs from files and to files.
//!
//! A [`Format`] is known by the ending of a file or by its first lines. Each is a file here, whose head says what is read and what is written:
//! `prism` with `prism_labels`, `aldebaran`, `dot` with `dot_lexer` and `dot_writer`, `json`, and `own` with `lexer`, our own notation. Lists of pairs that are
//! beside a graph are read by `pairs`. Automata ([`hoa`]) are no graphs: a graph and an automaton make one ([`crate::product`]).
//!
//! Names have up to 10,000 bytes, and up to 100,000 vertices may be there of which a text says nothing but their number.
//! Nothing that a text says makes a reader take more room than its length or [`ReadOptions`] allow, and what is wrong is said with its place.
//!
//! ```
//! use litmoscope_fairness::files::{Format, ReadOptions, parse_pairs, read, write};
//!
//! let text = "fairness\nstart 0\n0 -> 1, 0\n1 -> 0\nset requests: 0\nset grants: 1\n";
//! let format = Format::of_text(text).expect("its first line says it");
//! let mut graph = read(format, text, &ReadOptions::default()).expect("it is right").labelled;
//! graph.pairs = parse_pairs("requests -> grants", &graph).expect("it has these sets");
//! let written = write(Format::Dot, &graph).expect("it is a graph");
//! assert!(written.lost.is_empty() && written.files[0].1.starts_with("digraph {"));
//! ```

mod aldebaran;
mod dot;
mod dot_lexer;
mod dot_writer;
mod draft;
pub mod hoa;
#[cfg(not(target_family = "wasm"))]
mod json;
mod lexer;
mod own;
mod pairs;
mod prism;
mod prism_labels;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod wrong_tests;

pub use own::{begins, highlight, print};
pub use pairs::parse_pairs;

pub(crate) use draft::{Said, Stop, do_sets_fit, is_blank, listed, shortened};

use crate::bits::MOST_VERTICES;
use crate::labelled::Labelled;
use crate::universe::Universe;
use litmoscope_core::program::Span;
use litmoscope_core::syntax::{Diagnostic, Unprintable};

/// How many edges are read at most.
pub const MOST_EDGES: usize = 50_000_000;

/// What becomes of the labels of edges, which graphs here do not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Actions {
    /// They are dropped.
    #[default]
    Dropped,
    /// Each vertex knows the label taken last, and each label is the set of the vertices it leads to.
    Last,
}

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// How many vertices there may be; more than [`MOST_VERTICES`] never are.
    pub vertices: usize,
    /// How many edges there may be.
    pub edges: usize,
    /// What becomes of labels of edges.
    pub actions: Actions,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { vertices: MOST_VERTICES, edges: MOST_EDGES, actions: Actions::default() }
    }
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The graph.
    pub labelled: Labelled,
    /// What it is called, if the text says it.
    pub name: Option<String>,
    /// What was left out.
    pub notes: Vec<Diagnostic>,
    /// How many of its vertices are states of the file: those behind them are choices by chance.
    states: usize,
    /// By vertex behind the states: its state, and what its choice is called.
    actions: Vec<(u32, String)>,
}

impl Read {
    fn new(labelled: Labelled, notes: Vec<Diagnostic>) -> Self {
        let states = labelled.graph.vertices();
        Self { labelled, name: None, notes, states, actions: Vec::new() }
    }

    /// How many of its vertices are states of the file. In PRISM's files, choices by chance are behind them.
    pub fn states(&self) -> usize {
        self.states
    }
}

/// What a graph was written as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The files: the ending of each, and its text. The first one has the graph, the others are beside it.
    pub files: Vec<(&'static str, String)>,
    /// What the format has no place for, each in a few words: `random vertices`.
    pub lost: Vec<&'static str>,
}

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Our own notation.
    Own,
    /// PRISM's or Storm's explicit files: `.tra`, with `.lab` and `.sta` beside it.
    Prism,
    /// Aldebaran's transition systems: `.aut`.
    Aldebaran,
    /// Graphviz's directed graphs: `.dot`.
    Dot,
    /// A graph as JSON.
    Json,
    /// An automaton on infinite words: `.hoa`. It is no graph.
    Hoa,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Own, Self::Prism, Self::Aldebaran, Self::Dot, Self::Json, Self::Hoa];

    /// What it is called where one is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Prism => "prism",
            Self::Aldebaran => "aldebaran",
            Self::Dot => "dot",
            Self::Json => "json",
            Self::Hoa => "hoa",
        }
    }

    /// The endings of its files, the usual one first.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Own => &["fairness"],
            Self::Prism => &["tra"],
            Self::Aldebaran => &["aut"],
            Self::Dot => &["dot", "gv"],
            Self::Json => &["json"],
            Self::Hoa => &["hoa"],
        }
    }

    /// The format of a file with this name, by its ending.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.')?;
        Self::ALL.into_iter().find(|format| format.endings().iter().any(|known| ending.eq_ignore_ascii_case(known)))
    }

    /// The format of a text, by how it begins.
    pub fn of_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| match format {
            Self::Own => own::begins(text),
            Self::Prism => prism::begins(text),
            Self::Aldebaran => aldebaran::begins(text),
            Self::Dot => dot::begins(text),
            Self::Json => text.trim_start_matches(is_blank).starts_with('{'),
            Self::Hoa => hoa::begins(text),
        })
    }

    /// The format of a file, by how its text begins, or else by the ending of its name.
    pub fn detect(name: &str, text: &str) -> Option<Self> {
        Self::of_text(text).or_else(|| Self::of_name(name))
    }
}

/// Whether a text is certain to be a graph, by how it begins: nothing else that is pasted does so. Files of PRISM with numbers alone, and JSON,
/// are known by their names.
pub fn is_graph(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let dot = first.strip_prefix("strict ").unwrap_or(first).trim_start().strip_prefix("digraph");
    own::begins(text)
        || aldebaran::begins(text)
        || matches!(first, "mdp" | "dtmc")
        || dot.is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '{') && rest.contains('{'))
}

/// Reads a graph whose format its first lines say; our own if they say none.
///
/// # Errors
/// As [`read`].
pub fn read_any(text: &str, options: &ReadOptions) -> Result<Read, Vec<Diagnostic>> {
    read(Format::of_text(text).unwrap_or(Format::Own), text, options)
}

/// Reads a graph. Linear in the text and the graph, or O(m log m) where transitions have to be sorted.
///
/// # Errors
/// What is wrong with the text, up to twenty messages in its order.
pub fn read(format: Format, text: &str, options: &ReadOptions) -> Result<Read, Vec<Diagnostic>> {
    let options = &ReadOptions { vertices: options.vertices.min(MOST_VERTICES), ..*options };
    match format {
        Format::Own => own::read(text, options),
        Format::Prism => prism::read(text, options),
        Format::Aldebaran => aldebaran::read(text, options),
        Format::Dot => dot::read(text, options),
        #[cfg(not(target_family = "wasm"))]
        Format::Json => json::read(text, options),
        // The page knows texts by their beginnings, and this one begins as many do.
        #[cfg(target_family = "wasm")]
        Format::Json => {
            let start = Span { line: 1, column: 1, ..Span::default() };
            let help = "write it in Litmoscope's notation: `litmoscope fairness FILE --write copy.fairness`";
            Err(vec![Diagnostic::error("a graph as JSON is read by the command line", start).with_help(help)])
        }
        Format::Hoa => {
            let start = Span { line: 1, column: 1, ..Span::default() };
            let help = "open a graph, and give the automaton as what its runs have to do";
            Err(vec![Diagnostic::error("this is an automaton, and no graph", start).with_help(help)])
        }
    }
}

/// Writes a graph, in as many files as it takes. Linear.
///
/// What is written is read as it was: the same numbers of vertices, edges, random vertices, and all else that is not said to be lost. In PRISM's
/// files `init` is a label, too.
///
/// # Errors
/// For an automaton, which is no graph.
pub fn write(format: Format, of: &Labelled) -> Result<Written, Unprintable> {
    let mut lost = Vec::new();
    let mut loses = |what, is_there: bool| lost.extend(is_there.then_some(what));
    let has_names = !of.names.is_empty();
    // Numbers are no loss.
    let are_numbers = of.names.iter().enumerate().all(|(at, name)| *name == at.to_string());
    let files = match format {
        Format::Own => {
            loses("names of vertices", has_names && !are_numbers && own::usable_names(of).is_none());
            vec![("fairness", print("", of))]
        }
        Format::Prism => {
            let init = of.labels.iter().find(|(name, _)| name == "init");
            loses("where it starts", init.is_some_and(|(_, init)| *init != of.start));
            prism::write(of)
        }
        Format::Aldebaran => {
            loses("names of vertices", has_names && !are_numbers);
            loses("random vertices", !of.graph.is_empty(of.graph.random()));
            loses("sets", !of.labels.is_empty());
            loses("pairs", !of.pairs.is_empty());
            loses("where it starts", of.graph.count(&of.start) != 1);
            vec![("aut", aldebaran::write(of))]
        }
        Format::Dot => vec![("dot", dot_writer::write(of))],
        #[cfg(not(target_family = "wasm"))]
        Format::Json => vec![("json", json::write(of))],
        #[cfg(target_family = "wasm")]
        Format::Json => return Err(Unprintable("a graph is written as JSON by the command line".to_owned())),
        Format::Hoa => return Err(Unprintable("a graph can't be written as an automaton".to_owned())),
    };
    Ok(Written { files, lost })
}
