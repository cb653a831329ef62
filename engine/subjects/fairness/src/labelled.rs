//! Graphs as texts and files have them: vertices with names, sets of them with labels, and the pairs that are asked about.

use crate::algorithms::Pairs;
use crate::bits::{Bits, Graph};
use crate::program::{Claim, Question};
use crate::universe::Universe;
use std::rc::Rc;

/// A set of vertices, by what a text calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// All of them.
    All,
    /// None of them.
    None,
    /// Those with a label, an index into [`Labelled::labels`].
    Label(usize),
}

/// A graph with names.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The graph.
    pub graph: Rc<Graph>,
    /// By vertex: its name. Empty if vertices are called by their numbers.
    pub names: Vec<String>,
    /// Where a run may start. Empty if that was not said.
    pub start: Bits,
    /// Sets of vertices with their names, none of which is there twice.
    pub labels: Vec<(String, Bits)>,
    /// The pairs that are asked about, if the text has some.
    pub pairs: Vec<(Side, Side)>,
}

impl Labelled {
    /// A graph in which nothing has a name.
    pub fn bare(graph: Rc<Graph>) -> Self {
        let start = graph.none();
        Self { graph, names: Vec::new(), start, labels: Vec::new(), pairs: Vec::new() }
    }

    /// What a vertex is called.
    pub fn name(&self, vertex: usize) -> String {
        self.names.get(vertex).cloned().unwrap_or_else(|| vertex.to_string())
    }

    /// The vertices of a side of a pair.
    pub fn side(&self, side: &Side) -> Bits {
        match side {
            Side::All => self.graph.all(),
            Side::None => self.graph.none(),
            Side::Label(at) => self.labels.get(*at).map_or_else(|| self.graph.none(), |(_, set)| set.clone()),
        }
    }

    /// The vertices of which something is so: of labels alone.
    pub fn set(&self, claim: &Claim) -> Bits {
        let has = |vertex: usize| {
            claim.holds(&|simple| match simple {
                Claim::Label(at) => self.labels.get(*at).is_some_and(|(_, set)| set.contains(vertex)),
                _ => false,
            })
        };
        self.graph.set((0..self.graph.vertices()).filter(|vertex| has(*vertex)))
    }

    /// The pair of a question.
    pub fn asked(&self, question: &Question) -> (Bits, Bits) {
        let (asks, gets) = question.pair();
        (self.set(&asks), self.set(&gets))
    }

    /// The pairs that its text asks about, as sets.
    pub fn objective(&self) -> Pairs<Bits> {
        self.pairs.iter().map(|(asks, gets)| (self.side(asks), self.side(gets))).collect()
    }
}
