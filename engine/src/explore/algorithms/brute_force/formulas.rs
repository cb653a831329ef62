//! Formulas evaluated on one execution, operator by operator.

use crate::graph::{Event, EventId, Execution, Label, Relation};
use crate::model::formula::{Demand, Set, Term};
use crate::program::{Mode, Operation};

/// The relations that formulas are about, on one execution, but for co.
pub(super) struct Formulas<'g> {
    graph: &'g Execution,
    po: Relation,
    rf: Relation,
    /// A total order of SC fences, if one was chosen.
    fences: Relation,
}

/// A demand in which all that does not depend on co is known.
pub(super) enum Known {
    Acyclic(Node),
    Irreflexive(Node),
    Empty(Node),
}

/// A formula in which all that does not depend on co is known.
pub(super) enum Node {
    Co,
    Is(Relation),
    Union(Vec<Node>),
    Sequence(Vec<Node>),
    Both(Box<[Node; 2]>),
    Without(Box<[Node; 2]>),
    Inverse(Box<Node>),
    Maybe(Box<Node>),
    Closure(Box<Node>),
    Irreflexive(Box<Node>),
}

impl<'g> Formulas<'g> {
    pub fn new(graph: &'g Execution) -> Self {
        Self { graph, po: graph.po_relation(), rf: graph.rf_relation(), fences: Relation::new(graph.len()) }
    }

    /// Chooses a total order of the SC fences.
    pub fn order_fences(&mut self, fences: &[EventId]) {
        self.fences = Relation::new(self.graph.len());
        for (at, &a) in fences.iter().enumerate() {
            for &b in &fences[at + 1..] {
                self.fences.insert(a, b);
            }
        }
    }

    /// Whether a demand that does not depend on co is met.
    pub fn holds(&self, demand: Demand) -> bool {
        self.without_co(demand).holds(&Relation::new(self.graph.len()))
    }

    /// A relation that does not depend on co.
    pub fn relation(&self, term: Term) -> Relation {
        self.node(term).relation(&Relation::new(self.graph.len()))
    }

    /// A demand as it is for any co.
    pub fn without_co(&self, demand: Demand) -> Known {
        let node = self.node(demand.term());
        match demand {
            Demand::Acyclic(_) => Known::Acyclic(node),
            Demand::Irreflexive(_) => Known::Irreflexive(node),
            Demand::Empty(_) => Known::Empty(node),
        }
    }

    fn node(&self, term: Term) -> Node {
        let graph = self.graph;
        let pairs = |related: &dyn Fn(&Event, &Event) -> bool| {
            Node::Is(Relation::from_fn(graph.len(), |a, b| related(graph.event(a), graph.event(b))))
        };
        let node = match term {
            Term::Po => return Node::Is(self.po.clone()),
            Term::Rf => return Node::Is(self.rf.clone()),
            Term::Co => return Node::Co,
            Term::ScFence => return Node::Is(self.fences.clone()),
            Term::SameLocation => return pairs(&|a, b| a.location().is_some() && a.location() == b.location()),
            Term::SameThread => return pairs(&|a, b| a.thread() == b.thread()),
            Term::Of(set) => return Node::Is(Relation::identity(graph.len(), |e| is_in(graph.event(e), set))),
            Term::Union(parts) => Node::Union(parts.iter().map(|part| self.node(*part)).collect()),
            Term::Sequence(parts) => Node::Sequence(parts.iter().map(|part| self.node(*part)).collect()),
            Term::Both(a, b) => Node::Both(Box::new([self.node(*a), self.node(*b)])),
            Term::Without(a, b) => Node::Without(Box::new([self.node(*a), self.node(*b)])),
            Term::Inverse(a) => Node::Inverse(Box::new(self.node(*a))),
            Term::Maybe(a) => Node::Maybe(Box::new(self.node(*a))),
            Term::Closure(a) => Node::Closure(Box::new(self.node(*a))),
            Term::Irreflexive(a) => Node::Irreflexive(Box::new(self.node(*a))),
        };
        if term.uses(Term::Co) { node } else { Node::Is(node.relation(&Relation::new(graph.len()))) }
    }
}

impl Known {
    /// Whether it is met with this co.
    pub fn holds(&self, co: &Relation) -> bool {
        match self {
            Self::Acyclic(node) => is_acyclic(&node.relation(co)),
            Self::Irreflexive(node) => node.relation(co).is_irreflexive(),
            Self::Empty(node) => node.relation(co).is_empty(),
        }
    }
}

impl Node {
    /// The relation that it is with this co.
    fn relation(&self, co: &Relation) -> Relation {
        let fold = |parts: &[Self], join: fn(&Relation, &Relation) -> Relation| {
            let mut parts = parts.iter().map(|part| part.relation(co));
            let first = parts.next().expect("a formula joins something");
            parts.fold(first, |all, part| join(&all, &part))
        };
        match self {
            Self::Co => co.clone(),
            Self::Is(relation) => relation.clone(),
            Self::Union(parts) => fold(parts, Relation::union),
            Self::Sequence(parts) => fold(parts, Relation::compose),
            Self::Both(parts) => {
                let [a, b] = parts.each_ref().map(|part| part.relation(co));
                a.filter(|x, y| b.contains(x, y))
            }
            Self::Without(parts) => {
                let [a, b] = parts.each_ref().map(|part| part.relation(co));
                a.difference(&b)
            }
            Self::Inverse(a) => a.relation(co).inverse(),
            Self::Maybe(a) => a.relation(co).reflexive(),
            Self::Closure(a) => a.relation(co).transitive_closure(),
            Self::Irreflexive(a) => a.relation(co).filter(|x, y| x != y),
        }
    }
}

fn is_in(event: &Event, set: Set) -> bool {
    match set {
        Set::Reads => event.is_read(),
        Set::Writes => event.is_write(),
        Set::Updates => event.is_update(),
        // A failing read-modify-write is no update, but drains the buffer like one.
        Set::PlainReads => matches!(event.label, Label::Read { .. }),
        Set::PlainWrites => event.is_write() && !event.is_read() && !event.is_init(),
        Set::Unlocks => event.operation() == Some(Operation::Unlock),
        Set::Accesses => event.location().is_some(),
        Set::Fences => event.is_fence(),
        Set::ScFences => event.label == Label::Fence(Mode::SequentiallyConsistent),
        Set::StoreFences => matches!(event.label, Label::Fence(Mode::Release | Mode::AcquireRelease)),
        Set::Atomic => event.mode().is_atomic(),
        Set::Releases => event.mode().is_release(),
        Set::Acquires => event.mode().is_acquire(),
        Set::Sc => event.mode().is_sc(),
    }
}

/// Decided by a library, so that the oracle does not rely on the closure that the models use.
fn is_acyclic(relation: &Relation) -> bool {
    let edges = relation.pairs().map(|(a, b)| (a.0, b.0));
    !petgraph::algo::is_cyclic_directed(&petgraph::graph::DiGraph::<(), ()>::from_edges(edges))
}
