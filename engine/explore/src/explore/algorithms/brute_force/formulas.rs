//! Formulas evaluated on one execution, operator by operator.

use crate::graph::{Event, EventId, Execution, Label, Relation};
use crate::model::Model;
use crate::model::formula::{Demand, Set, Term};
use crate::program::{Mode, Operation};
use std::sync::{Mutex, PoisonError};

/// The formulas of a model. What occurs in them several times is there once.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    /// Each behind what it is made of. First those that depend on nothing that is chosen, then those that depend on the order
    /// of the SC fences, then those that depend on co.
    nodes: Vec<Node>,
    /// How many of them depend on no co, and how many on nothing that is chosen.
    without_co: usize,
    fixed: usize,
    /// For each demand that says so, nodes of which this holds: where they lead from a write to another of its location, so
    /// does each co that meets the demand.
    in_co: Vec<Vec<usize>>,
}

#[derive(Clone, Debug)]
struct Node {
    term: Term,
    /// The nodes that it joins.
    of: Vec<usize>,
    /// What is demanded of it.
    demands: Vec<Demand>,
}

/// What is chosen.
pub(super) struct Chosen<'a> {
    /// The SC fences, in order.
    pub fences: &'a [EventId],
    /// The writes of each location, in order.
    pub co: &'a [Vec<EventId>],
}

impl Chosen<'_> {
    /// Nothing is.
    pub(super) const NOTHING: Self = Self { fences: &[], co: &[] };
}

impl Formulas {
    /// Those of a model's axioms.
    pub(super) fn of_model(model: Model) -> &'static Self {
        // As long-lived as the models are.
        static KNOWN: Mutex<Vec<(Model, &Formulas)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, formulas)) = known.iter().find(|(other, _)| *other == model) {
            return formulas;
        }
        let axioms = model.rules().all_axioms();
        let formulas = Box::leak(Box::new(Self::new(axioms.iter().flat_map(|axiom| axiom.demands).copied())));
        known.push((model, formulas));
        formulas
    }

    fn new(demands: impl Iterator<Item = Demand>) -> Self {
        let mut all = Self::default();
        let mut in_co = Vec::new();
        for demand in demands {
            let node = all.node(demand.term());
            all.nodes[node].demands.push(demand);
            match demand {
                // co is total on each location. What stands against it closes a cycle with it.
                Demand::Acyclic(Term::Union(parts)) if parts.contains(&Term::Co) => {
                    in_co.push(parts.iter().map(|part| all.node(*part)).collect::<Vec<_>>());
                }
                Demand::Empty(Term::Without(part, Term::Co)) => in_co.push(vec![all.node(*part)]),
                _ => {}
            }
        }
        let depends = |node: &Node| [Term::ScFence, Term::Co].iter().rposition(|chosen| node.term.uses(*chosen));
        let mut places: Vec<usize> = (0..all.nodes.len()).collect();
        places.sort_by_key(|&node| depends(&all.nodes[node]));
        let new = |old: usize| places.iter().position(|&place| place == old).expect("each node has a place");
        let nodes = places.iter().map(|&old| {
            let Node { term, of, demands } = all.nodes[old].clone();
            Node { term, of: of.into_iter().map(new).collect(), demands }
        });
        let nodes: Vec<Node> = nodes.collect();
        let without_co = nodes.partition_point(|node| depends(node) != Some(1));
        let in_co =
            in_co.into_iter().map(|demand| demand.into_iter().map(new).filter(|&node| node < without_co).collect());
        let in_co = in_co.collect();
        Self { fixed: nodes.partition_point(|node| depends(node).is_none()), without_co, in_co, nodes }
    }

    /// The node of a term, which is added if it is new.
    fn node(&mut self, term: Term) -> usize {
        if let Some(known) = self.nodes.iter().position(|node| node.term == term) {
            return known;
        }
        let of = match term {
            Term::Union(parts) | Term::Sequence(parts) => parts.iter().map(|part| self.node(*part)).collect(),
            Term::Both(a, b) | Term::Without(a, b) => vec![self.node(*a), self.node(*b)],
            Term::Inverse(a) | Term::Maybe(a) | Term::Closure(a) | Term::Irreflexive(a) => vec![self.node(*a)],
            _ => Vec::new(),
        };
        self.nodes.push(Node { term, of, demands: Vec::new() });
        self.nodes.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn without_co(&self) -> usize {
        self.without_co
    }

    pub(super) fn fixed(&self) -> usize {
        self.fixed
    }

    /// What to evaluate the node behind `values` takes, in units of work.
    pub(super) fn cost(&self, graph: &Execution, values: &[Relation]) -> u64 {
        let node = &self.nodes[values.len()];
        let (events, words) = (graph.len() as u64, 1 + graph.len() as u64 / 64);
        let cubic = match node.term {
            Term::Sequence(parts) => parts.len() as u64 - 1,
            Term::Closure(_) | Term::Po | Term::SameLocation | Term::SameThread => 1,
            _ => 0,
        };
        let decided = node.demands.iter().filter(|demand| matches!(demand, Demand::Acyclic(_))).count() as u64;
        events * words * (1 + (cubic + decided) * events)
    }

    /// Evaluates the node behind `values`, which are those of the nodes before it; whether what is demanded of it is met.
    pub(super) fn evaluate(&self, graph: &Execution, chosen: &Chosen<'_>, values: &mut Vec<Relation>) -> bool {
        let node = &self.nodes[values.len()];
        let value = node.value(graph, chosen, values);
        let met = node.demands.iter().all(|demand| match demand {
            Demand::Acyclic(_) => is_acyclic(&value),
            Demand::Irreflexive(_) => value.is_irreflexive(),
            Demand::Empty(_) => value.is_empty(),
        });
        values.push(value);
        met
    }

    /// The pairs of writes of one location that are in each co that meets all demands, from the values of the nodes that do
    /// not depend on co. What may not be there is not worth trying.
    pub(super) fn in_each_co(&self, graph: &Execution, values: &[Relation]) -> Relation {
        let mut in_each_co = Relation::new(graph.len());
        for demand in &self.in_co {
            // What one demand orders and what another does make no cycle in either.
            let mut together = Relation::new(graph.len());
            demand.iter().for_each(|&node| together.union_with(&values[node]));
            in_each_co.union_with(&together.transitive_closure().filter(|a, b| {
                let [a, b] = [a, b].map(|e| graph.event(e));
                a.is_write() && b.is_write() && a.location() == b.location()
            }));
        }
        in_each_co
    }
}

/// The relation that a term is, which depends on nothing that is chosen.
pub(super) fn relation(graph: &Execution, term: Term) -> Relation {
    let mut formulas = Formulas::default();
    formulas.node(term);
    let mut values = Vec::new();
    for _ in 0..formulas.len() {
        formulas.evaluate(graph, &Chosen::NOTHING, &mut values);
    }
    values.pop().expect("a term is a node")
}

impl Node {
    fn value(&self, graph: &Execution, chosen: &Chosen<'_>, values: &[Relation]) -> Relation {
        let events = graph.len();
        let pairs = |related: fn(&Event, &Event) -> bool| {
            Relation::from_fn(events, |a, b| related(graph.event(a), graph.event(b)))
        };
        let of = |part: usize| &values[self.of[part]];
        let fold = |join: fn(&Relation, &Relation) -> Relation| {
            self.of[1..].iter().fold(of(0).clone(), |all, part| join(&all, &values[*part]))
        };
        match self.term {
            Term::Po => graph.po_relation(),
            Term::Rf => graph.rf_relation(),
            Term::Co => total(events, chosen.co.iter().map(Vec::as_slice)),
            Term::ScFence => total(events, [chosen.fences].into_iter()),
            Term::SameLocation => pairs(|a, b| a.location().is_some() && a.location() == b.location()),
            Term::SameThread => pairs(|a, b| a.thread() == b.thread()),
            Term::Of(set) => Relation::identity(events, |e| is_in(graph.event(e), set)),
            Term::Union(_) => fold(Relation::union),
            Term::Sequence(_) => fold(Relation::compose),
            Term::Both(..) => of(0).filter(|x, y| of(1).contains(x, y)),
            Term::Without(..) => of(0).difference(of(1)),
            Term::Inverse(_) => of(0).inverse(),
            Term::Maybe(_) => of(0).reflexive(),
            Term::Closure(_) => of(0).transitive_closure(),
            Term::Irreflexive(_) => of(0).filter(|x, y| x != y),
        }
    }
}

/// The pairs of some total orders.
fn total<'a>(events: usize, orders: impl Iterator<Item = &'a [EventId]>) -> Relation {
    let mut relation = Relation::new(events);
    for order in orders {
        for (at, &a) in order.iter().enumerate() {
            for &b in &order[at + 1..] {
                relation.insert(a, b);
            }
        }
    }
    relation
}

fn is_in(event: &Event, set: Set) -> bool {
    match set {
        Set::Reads => event.is_read(),
        Set::Writes => event.is_write(),
        Set::Updates => event.is_update(),
        // A failing read-modify-write is no update, but drains the buffer like one.
        Set::PlainReads => matches!(event.label, Label::Read { .. }),
        Set::PlainWrites => event.is_write() && !event.is_read() && !event.is_init(),
        Set::Unlocks => matches!(event.operation(), Some(Operation::Unlock | Operation::End)),
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
