//! Graphs that are asked about fairness: `a -> b, c`, and those of other tools.

use super::late::{Reader, late};
use crate::document::{Colours, Definition, FAIRNESS, Rewrite, Summary};
use crate::fairness::files::{self, Format};
use crate::fairness::view::{read_graph, vertices_words};
use crate::syntax::Diagnostic;
use crate::words::count;

pub(crate) const DEFINITION: Definition = Definition {
    name: "fairness",
    title: "a graph with fairness",
    subject: &FAIRNESS,
    notation: None,
    endings: &["fairness", "aut", "dot", "tra"],
    begins: files::is_graph,
    read: |text| LATE.read(text),
    highlight: |text| LATE.highlight(text),
};

/// In the format that it has.
pub(crate) const REWRITE: Rewrite = |text| {
    let graph = read_graph(text)?;
    let name = graph.name.clone().unwrap_or_default();
    Ok(match Format::of_text(text) {
        None | Some(Format::Own) => Ok(files::print(&name, &graph.labelled)),
        Some(format) => {
            files::write(format, &graph.labelled).map(|written| written.files.into_iter().next().unwrap_or_default().1)
        }
    })
};

late!(
    /// Where what reads graphs is.
    LATE = reader()
);

/// What reads graphs. Who names this has it with all that it needs.
pub const fn reader() -> Reader {
    Reader { read, highlight }
}

/// Colours are those of our own notation.
fn highlight(text: &str) -> Colours {
    if files::begins(text) { files::highlight(text) } else { Colours::new() }
}

fn read(text: &str) -> Result<Summary, Vec<Diagnostic>> {
    let read = read_graph(text)?;
    let graph = &read.labelled.graph;
    let vertices = vertices_words(graph.vertices() as u64);
    let edges: usize = (0..graph.vertices()).map(|at| graph.successors(at).len()).sum();
    let pairs = count(read.labelled.pairs.len() as u64, "pair");
    let size = format!("{vertices}, {}, {pairs}", count(edges as u64, "edge"));
    Ok(Summary { notes: read.notes, size, program: None })
}
