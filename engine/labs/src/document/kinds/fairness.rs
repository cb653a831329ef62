//! Graphs that are asked about fairness: `a -> b, c`.

use super::late::{Reader, late};
use crate::document::{Definition, FAIRNESS, Rewrite, Summary};
use crate::fairness::view::{begins_fairness, highlight_graph, print_graph, read_graph, vertices_words};
use crate::syntax::Diagnostic;
use crate::words::count;

pub(crate) const DEFINITION: Definition = Definition {
    name: "fairness",
    title: "a graph with fairness",
    subject: &FAIRNESS,
    notation: None,
    endings: &["fairness"],
    begins: begins_fairness,
    read: |text| LATE.read(text),
    highlight: |text| LATE.highlight(text),
};

pub(crate) const REWRITE: Rewrite = |text| Ok(Ok(print_graph(text, &read_graph(text)?)));

late!(
    /// Where what reads graphs is.
    LATE = reader()
);

/// What reads graphs. Who names this has it with all that it needs.
pub const fn reader() -> Reader {
    Reader { read, highlight: highlight_graph }
}

fn read(text: &str) -> Result<Summary, Vec<Diagnostic>> {
    let graph = read_graph(text)?;
    let vertices = vertices_words(graph.graph.vertices() as u64);
    let edges: usize = (0..graph.graph.vertices()).map(|at| graph.graph.successors(at).len()).sum();
    let pairs = count(graph.pairs.len() as u64, "pair");
    Ok(Summary { size: format!("{vertices}, {}, {pairs}", count(edges as u64, "edge")), ..Summary::default() })
}
