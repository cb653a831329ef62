//! What readers have in common: places in a text, messages, and a graph that is put together.

use super::ReadOptions;
use crate::bits::Graph;
use crate::labelled::{Labelled, Side};
use litmoscope_core::program::Span;
use litmoscope_core::syntax::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// How long a text may be, in bytes.
pub(crate) const MOST_BYTES: usize = 1 << 30;

/// How many vertices a text may have without saying anything of them but that they are there.
pub(crate) const MOST_UNMENTIONED: usize = 100_000;

/// How many bits all sets of a graph may have.
const MOST_LABEL_BITS: u64 = 1 << 32;

/// How long a name of a vertex or a set may be, in bytes.
const LONGEST_NAME: usize = 10_000;

/// How long all names together may be, where some are longer than the text that they come from.
const LONGEST_NAMES: usize = 1 << 28;

/// How many errors are told.
const MOST_SAID: usize = 20;

/// That a text can't be read further; what is wrong was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop;

/// A text, with what was said of it.
pub(crate) struct Said<'t> {
    pub(crate) text: &'t str,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) notes: Vec<Diagnostic>,
}

impl<'t> Said<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut said = Self { text, errors: Vec::new(), notes: Vec::new() };
        if text.len() > MOST_BYTES {
            let message = format!("the text has {} bytes, more than {MOST_BYTES}", text.len());
            said.errors.push(Diagnostic::error(message, Span { line: 1, column: 1, ..Span::default() }));
        }
        said
    }

    /// The place of some bytes. Linear in what is in front of it.
    pub(crate) fn place(&self, range: Range<usize>) -> Span {
        let start = self.text.floor_char_boundary(range.start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        let column = 1 + before[line_start..].chars().filter(|sign| *sign != '\u{feff}').count();
        Span { start: start as u32, end: range.end as u32, line: line as u32, column: column as u32 }
    }

    /// Says what is wrong, and what to write instead. When much was said, it is not said any more.
    pub(crate) fn error(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Stop {
        if !self.is_full() {
            self.errors.push(Diagnostic::error(message, self.place(range)).with_help(help));
        }
        Stop
    }

    pub(crate) fn note(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        if self.notes.len() < MOST_SAID {
            self.notes.push(Diagnostic::note(message, self.place(range)).with_help(help));
        }
    }

    /// Whether so much is wrong that reading on helps nobody.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= MOST_SAID
    }

    /// Where the text begins to say something.
    pub(crate) fn start(&self) -> Range<usize> {
        let start = self.text.len() - self.text.trim_start_matches(is_blank).len();
        let length = self.text[start..].find(char::is_whitespace).unwrap_or(self.text.len() - start);
        start..start + length
    }

    /// What was read, if nothing was wrong.
    pub(crate) fn end<T>(mut self, read: Result<T, Stop>) -> Result<(T, Vec<Diagnostic>), Vec<Diagnostic>> {
        match read {
            Ok(read) if self.errors.is_empty() => Ok((read, self.notes)),
            _ => {
                litmoscope_core::sort::by_key(&mut self.errors, |diagnostic| diagnostic.span.start);
                Err(self.errors)
            }
        }
    }
}

/// Whether a character separates words. A mark of the order of bytes does.
pub(crate) fn is_blank(sign: char) -> bool {
    sign.is_whitespace() || sign == '\u{feff}'
}

/// The lines of a text with the place of their first byte, without what ends them.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// The words of a piece of a text, with the places of their bytes; the piece begins somewhere.
pub(crate) fn words(start: usize, piece: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut rest = piece;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(is_blank);
        let at = start + piece.len() - rest.len();
        let length = rest.find(is_blank).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        rest = behind;
        (!word.is_empty()).then_some((at..at + length, word))
    })
}

/// A list of names in a message, not all of them if they are many.
pub(crate) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const MOST: usize = 12;
    let more = names.len().saturating_sub(MOST);
    let mut shown: Vec<String> = names.take(MOST).map(|name| format!("`{}`", shortened(name))).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    litmoscope_core::words::list(shown)
}

/// A piece of a text as messages show it.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A graph that is put together.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) edges: Vec<(u32, u32)>,
    pub(crate) random: Vec<u32>,
    pub(crate) start: Vec<u32>,
    pub(crate) names: Vec<String>,
    pub(crate) labels: Vec<(String, Vec<u32>)>,
    pub(crate) by_name: HashMap<String, usize>,
    pub(crate) pairs: Vec<(Side, Side)>,
}

impl Draft {
    /// The set with a name, which is new or not.
    pub(crate) fn label(&mut self, name: &str) -> usize {
        if let Some(at) = self.by_name.get(name) {
            return *at;
        }
        self.by_name.insert(name.to_owned(), self.labels.len());
        self.labels.push((name.to_owned(), Vec::new()));
        self.labels.len() - 1
    }

    pub(crate) fn known_label(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// One more edge.
    pub(crate) fn edge(
        &mut self,
        from: u32,
        to: u32,
        options: &ReadOptions,
        said: &mut Said<'_>,
        at: Range<usize>,
    ) -> Result<(), Stop> {
        if self.edges.len() >= options.edges {
            let message = format!("there are more than {} edges", options.edges);
            return Err(said.error(at, message, "give a smaller graph"));
        }
        self.edges.push((from, to));
        Ok(())
    }

    /// The graph, with so many vertices.
    pub(crate) fn finish(self, vertices: usize, said: &mut Said<'_>) -> Result<Labelled, Stop> {
        if !do_sets_fit(self.labels.len(), vertices) {
            let message = format!("{} sets of {vertices} vertices take too much room", self.labels.len());
            return Err(said.error(said.start(), message, "leave out those that no pair needs"));
        }
        let names = self.names.iter().chain(self.labels.iter().map(|(name, _)| name));
        if let Some(name) = names.into_iter().find(|name| name.len() > LONGEST_NAME) {
            let message = format!("the name `{}` has {} bytes", shortened(name), name.len());
            return Err(said.error(said.start(), message, format!("names have up to {LONGEST_NAME}")));
        }
        if !said.errors.is_empty() {
            return Err(Stop);
        }
        let graph = match Graph::new(vertices, self.edges, self.random) {
            Ok(graph) => graph,
            Err(error) => return Err(said.error(said.start(), error.to_string(), "give a smaller graph")),
        };
        let set = |vertices: Vec<u32>| graph.set(vertices.into_iter().map(|at| at as usize));
        let labels = self.labels.into_iter().map(|(name, vertices)| (name, set(vertices))).collect();
        let start = set(self.start);
        Ok(Labelled { graph: Rc::new(graph), names: self.names, start, labels, pairs: self.pairs })
    }
}

/// Refuses a number of vertices that is over the limit, or is promised and then not kept.
pub(crate) fn check_count(
    count: usize,
    mentioned: usize,
    options: &ReadOptions,
    said: &mut Said<'_>,
    at: Range<usize>,
) -> Result<(), Stop> {
    if count > options.vertices {
        let message = format!("{count} vertices are too many: up to {} are read", options.vertices);
        return Err(said.error(at, message, "give a smaller graph"));
    }
    if count > mentioned.saturating_add(MOST_UNMENTIONED) {
        let message = format!("{count} vertices are promised, and the text speaks of {mentioned} of them");
        return Err(said.error(at, message, format!("up to {MOST_UNMENTIONED} may be there without an edge")));
    }
    Ok(())
}

/// Whether there is room for so many sets of so many vertices.
pub(crate) fn do_sets_fit(sets: usize, vertices: usize) -> bool {
    (sets as u64).saturating_mul(vertices as u64) <= MOST_LABEL_BITS
}

/// Refuses names that take too much room together.
pub(crate) fn check_length(mut lengths: impl Iterator<Item = usize>, said: &mut Said<'_>) -> Result<(), Stop> {
    let is_short =
        lengths.try_fold(0_usize, |all, length| Some(all + length).filter(|all| *all <= LONGEST_NAMES)).is_some();
    if is_short { Ok(()) } else { Err(said.error(said.start(), "the names take too much room", "give shorter ones")) }
}

/// Numbers the vertices that a text calls by names: in the order of first mention, unless they are called 0, 1, …, n − 1. These have their
/// own numbers, and need no names.
pub(crate) fn own_numbers(names: &[String]) -> Option<Vec<u32>> {
    let mut seen = vec![false; names.len()];
    let number = |name: &String| {
        let number: usize = name.parse().ok()?;
        // 01 is another name than 1.
        let is_plain = number.to_string() == *name;
        let free = seen.get_mut(number).filter(|seen| is_plain && !**seen)?;
        *free = true;
        Some(number as u32)
    };
    names.iter().map(number).collect()
}

impl Draft {
    /// Gives vertices the numbers that they are called by, if they are ([`own_numbers`]).
    pub(crate) fn renumber(&mut self) {
        let Some(numbers) = own_numbers(&self.names) else { return };
        let renumber = |at: &mut u32| *at = numbers[*at as usize];
        for (from, to) in &mut self.edges {
            renumber(from);
            renumber(to);
        }
        self.random.iter_mut().for_each(renumber);
        self.start.iter_mut().for_each(renumber);
        self.labels.iter_mut().for_each(|(_, vertices)| vertices.iter_mut().for_each(renumber));
        self.names.clear();
    }
}
