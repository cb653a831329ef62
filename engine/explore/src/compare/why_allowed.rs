//! Why a model allows an execution that sequential consistency forbids: the cycle that SC sees, and what of it the model
//! does not demand.

use crate::budget::Decision;
use crate::graph::{Coherence, Edge, EventId, Execution, RelationName};
use crate::model::{Model, Violation};
use crate::program::{Limits, Location};

/// What SC demands of an execution, and a weaker model does not.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyAllowed {
    /// The cycle for which SC forbids it.
    pub violation: Violation,
    /// The edges of that cycle that bind nobody under the weaker model. With store buffers: po edges that these do not keep,
    /// and rf edges within a thread. With hb: co and fr edges, of which a cycle needs a single one (SRA: or co alone) to
    /// be forbidden; RC11 demands moreover that po and rf between them synchronise. With neither: po edges between
    /// locations.
    pub unbound: Vec<Edge>,
}

impl WhyAllowed {
    /// What a model that has this execution, with this coherence order, permits itself; `None` if SC has it too, with
    /// some coherence order that has the same last writes of `observed`, or if that is not decided within the usual limit.
    ///
    /// For executions that the model allows, `unbound` is not empty: a cycle of bound edges alone would be forbidden.
    pub fn of(model: Model, graph: &Execution, co: &Coherence, observed: &[Location]) -> Option<Self> {
        let last = |location: &Location| co.get(location.0 as usize).and_then(|order| order.last().copied());
        let last: Vec<EventId> = observed.iter().filter_map(last).collect();
        let limit = Limits::default().search;
        if model == Model::STRONGEST || Model::STRONGEST.can_end(graph, observed, &last, limit) != Decision::No {
            return None;
        }
        let violation = Model::STRONGEST.violation_with(graph, co)?;
        let has_hb = model.rules().happens_before.is_some();
        let grounds = model.grounds(graph, Some(co));
        let kept = grounds.relation(RelationName::Ppo);
        let is_bound = |edge: &Edge| match (kept, edge.relation) {
            (Some(kept), RelationName::Po) => graph.event(edge.from).is_init() || kept.contains(edge.from, edge.to),
            (Some(_), RelationName::Rf) => graph.event(edge.from).thread() != graph.event(edge.to).thread(),
            (Some(_), _) => true,
            (None, relation) if has_hb => !matches!(relation, RelationName::Co | RelationName::Fr),
            (None, RelationName::Po) => graph.event(edge.from).location() == graph.event(edge.to).location(),
            (None, _) => true,
        };
        let unbound = violation.cycle.iter().copied().filter(|edge| !is_bound(edge)).collect();
        Some(Self { violation, unbound })
    }
}
