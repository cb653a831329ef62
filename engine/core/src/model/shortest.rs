//! The shortest reason for an inconsistency, over all coherence orders.
//!
//! [`Model::consistency`] explains the conflict that its search happened to meet. Here all *completions* of an execution are
//! looked at: for each location, the orders of its writes that contain what the model keeps of po between them and, of
//! these, those that are coherent on that location, if there are any. Edges that all completions agree on are forced. If
//! there is a cycle of forced edges, the shortest of those is given; else each completion has a cycle of its own, and the
//! shortest of all is given. (The shortest cycle of any completion, forced or not, would often be that of an order that
//! nobody would think of.) SC fences of the release-acquire models are first left unordered, then ordered in every way.
//!
//! The length of a cycle is its number of edges; po, ppo, co and fr are transitive, hb is a path of its parts, and a
//! store-store fence is an event on the way.
//!
//! Shortest cycles and paths (here and in `explain.rs`) are Dijkstra's algorithm on edges of which each stands for a path of
//! base edges, several for the same two events. Of those that are as short, the first by name is taken, so that everybody is
//! shown the same cycle. A graph library gives a distance, or one of the shortest paths, and does not say which.

use super::coherence::Problem;
use super::explain::{self, global_steps, hb_paths, local_steps, psc_cycle_with};
use super::rules::{Axiom, HappensBefore};
use super::synchronisation::happens_before;
use super::view::{View, from_read};
use super::{Model, Violation};
use crate::graph::{Coherence, Edge, EventId, Execution, Relation, RelationName};

/// An execution has more ways to order its writes or SC fences than were to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {0} ways to order the writes")]
pub struct TooManyOrders(
    /// How many were to be looked at.
    pub usize,
);

type Cycle = (Axiom, Vec<Edge>);

/// The orders of one location's writes, the initial one left out.
struct Orders {
    /// Those that extend what the model keeps of po.
    possible: Vec<Vec<EventId>>,
    /// Those that are coherent too.
    coherent: Vec<Vec<EventId>>,
}

struct Search<'v> {
    view: &'v View<'v>,
    problem: &'v Problem<'v>,
    /// Writes that have to be the last of their locations.
    last: &'v [EventId],
    cap: usize,
}

/// The shorter cycle, of equals the first.
fn shorter(a: Option<Cycle>, b: Option<Cycle>) -> Option<Cycle> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.1.len() < a.1.len() { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl Model {
    /// The shortest violation of a plain execution whose final memory comes from the writes `last`, of different
    /// locations; `None` if it is consistent. Exponential in the number of writes of a location, and a product over
    /// locations where the model orders more than what happens on each of them.
    ///
    /// # Errors
    /// [`TooManyOrders`] if there are more than `cap`.
    pub fn shortest_violation(
        self,
        graph: &Execution,
        last: &[EventId],
        cap: usize,
    ) -> Result<Option<Violation>, TooManyOrders> {
        Ok(self.shortest_and_forced(graph, last, cap)?.map(|(violation, _)| violation))
    }

    /// [`Self::shortest_violation`], and whether its cycle is there whatever the coherence order and the order of SC
    /// fences are; otherwise each of them has a cycle of its own.
    ///
    /// # Errors
    /// [`TooManyOrders`] if there are more than `cap`.
    pub fn shortest_and_forced(
        self,
        graph: &Execution,
        last: &[EventId],
        cap: usize,
    ) -> Result<Option<(Violation, bool)>, TooManyOrders> {
        let view = match View::new(graph) {
            Ok(view) => view,
            Err(flaw) => return Ok(Some((explain::flaw(graph, flaw), true))),
        };
        let problem = self.problem(&view);
        let search = Search { view: &view, problem: &problem, last, cap };
        let (found, forced) = match search.ordered(&[])? {
            Some((cycle, forced)) => (cycle, forced),
            None => {
                let mut orders = Vec::new();
                search.fence_orders(&mut Vec::new(), &mut orders)?;
                let mut shortest = None;
                for order in orders {
                    let Some((cycle, _)) = search.ordered(&order)? else { return Ok(None) };
                    shortest = shorter(shortest, Some(cycle));
                }
                match shortest {
                    Some(cycle) => (cycle, false),
                    None => return Ok(None),
                }
            }
        };
        let (axiom, cycle) = found;
        let remark = remark(&problem, last, &cycle, forced).to_owned();
        Ok(Some((Violation { axiom: axiom.name.to_owned(), cycle, remark }, forced)))
    }
}

/// How many orders of SC fences are looked at to explain a violation with a given co.
const FENCE_ORDERS: usize = 100;

impl Model {
    /// A shortest violation of a plain execution with this coherence order; `None` if it is consistent with it. Of more
    /// ways to order the SC fences than a hundred, some are looked at.
    pub fn violation_with(self, graph: &Execution, co: &Coherence) -> Option<Violation> {
        if self.is_consistent_with(graph, co) {
            return None;
        }
        let view = match View::new(graph) {
            Ok(view) => view,
            Err(flaw) => return Some(explain::flaw(graph, flaw)),
        };
        let problem = self.problem(&view);
        let search = Search { view: &view, problem: &problem, last: &[], cap: FENCE_ORDERS };
        let mut chosen = Relation::new(view.len());
        for (location, order) in co.iter().enumerate() {
            chosen.union_with(&search.agreed(location, &[order[1..].to_vec()]));
        }
        let has_co = self.rules().has_co();
        let cycle = |scf: &[Edge]| {
            if has_co {
                search.cycle(&chosen, scf)
            } else {
                search.overwritten(scf).or_else(|| search.reversed(co, scf))
            }
        };
        let (found, forced) = match cycle(&[]) {
            Some(cycle) => (cycle, true),
            None => {
                let mut orders = Vec::new();
                // If there are too many, those that were found will do: each has a cycle.
                let _ = search.fence_orders(&mut Vec::new(), &mut orders);
                let cycles = orders.iter().map(|order| cycle(&fence_edges(order)));
                (cycles.fold(None, shorter)?, false)
            }
        };
        let (axiom, cycle) = found;
        let uses = |relation| cycle.iter().any(|edge| edge.relation == relation);
        let remark = if !forced {
            "With the chosen co, every order of the SC fences has a cycle. This cycle is the shortest."
        } else if !has_co && uses(RelationName::Fr) {
            "The read takes a write that another write overwrites before the read happens."
        } else if uses(RelationName::Co) || uses(RelationName::Fr) {
            "The co and fr edges of this cycle are those of the chosen co."
        } else {
            "The cycle does not depend on the coherence order (co)."
        };
        Some(Violation { axiom: axiom.name.to_owned(), cycle, remark: remark.to_owned() })
    }
}

fn fence_edges(fences: &[EventId]) -> Vec<Edge> {
    let mut scf = Vec::new();
    for (at, &from) in fences.iter().enumerate() {
        scf.extend(fences[at + 1..].iter().map(|&to| Edge { from, to, relation: RelationName::ScFence }));
    }
    scf
}

fn remark(problem: &Problem<'_>, last: &[EventId], cycle: &[Edge], forced: bool) -> &'static str {
    let uses = |relation| cycle.iter().any(|edge| edge.relation == relation);
    let (co, has_co) = (uses(RelationName::Co), problem.rules.has_co());
    if !forced && !problem.fences.is_empty() {
        "Every order of the SC fences and the writes has a cycle. This cycle is the shortest."
    } else if !forced {
        "Every coherence order has a cycle. This cycle is the shortest."
    } else if !has_co && co {
        "The final value would come from a write that another write overwrites."
    } else if !has_co {
        "The read takes a write that another write overwrites before the read happens."
    } else if !co && !uses(RelationName::Fr) {
        "The cycle does not depend on the coherence order (co)."
    } else if last.is_empty() {
        "The co and fr edges of this cycle hold in every coherence order that the rest of the graph allows."
    } else {
        "The co and fr edges of this cycle hold in every coherence order that the rest of the graph and the final \
         values allow."
    }
}

impl Search<'_> {
    /// A cycle for some order of the SC fences, and whether it is forced by that order; `None` if it allows some
    /// coherence order.
    fn ordered(&self, fences: &[EventId]) -> Result<Option<(Cycle, bool)>, TooManyOrders> {
        let scf = fence_edges(fences);
        if !self.problem.rules.has_co() {
            return Ok(self.overwritten(&scf).map(|cycle| (cycle, true)));
        }
        let base = self.base(&scf);
        let orders: Vec<Orders> =
            (0..self.view.locations).map(|location| self.orders(location, &base)).collect::<Result<_, _>>()?;
        let known =
            |orders: &Orders| if orders.coherent.is_empty() { &orders.possible } else { &orders.coherent }.clone();
        let choices: Vec<Vec<Vec<EventId>>> = orders.iter().map(known).collect();
        let forced: Vec<Relation> =
            choices.iter().enumerate().map(|(location, choices)| self.agreed(location, choices)).collect();
        let all = |parts: &[&Relation]| {
            let mut co = Relation::new(self.view.len());
            parts.iter().for_each(|part| co.union_with(part));
            co
        };
        let parts: Vec<&Relation> = forced.iter().collect();
        if let Some(cycle) = self.cycle(&all(&parts), &scf) {
            return Ok(Some((cycle, true)));
        }
        let incoherent: Vec<usize> = (0..orders.len()).filter(|&at| orders[at].coherent.is_empty()).collect();
        if !incoherent.is_empty() {
            // Each order of one of these locations has a cycle, whatever the others are.
            let mut shortest = None;
            for location in incoherent {
                for order in &orders[location].possible {
                    let chosen = self.agreed(location, std::slice::from_ref(order));
                    let mut parts = parts.clone();
                    parts[location] = &chosen;
                    shortest = shorter(shortest, self.cycle(&all(&parts), &scf));
                }
            }
            return Ok(shortest.map(|cycle| (cycle, false)));
        }
        if self.problem.rules.global.is_none() && self.problem.sc.is_none() {
            // Each location is coherent with an order of its own.
            return Ok(None);
        }
        let count = choices.iter().try_fold(1usize, |product, choices| product.checked_mul(choices.len()));
        if count.is_none_or(|count| count > self.cap) {
            return Err(TooManyOrders(self.cap));
        }
        let relations: Vec<Vec<Relation>> = choices
            .iter()
            .enumerate()
            .map(|(location, choices)| {
                choices.iter().map(|order| self.agreed(location, std::slice::from_ref(order))).collect()
            })
            .collect();
        let mut shortest = None;
        let mut digits = vec![0; relations.len()];
        loop {
            let parts: Vec<&Relation> =
                relations.iter().zip(&digits).map(|(choices, &digit)| &choices[digit]).collect();
            let Some(cycle) = self.cycle(&all(&parts), &scf) else { return Ok(None) };
            shortest = shorter(shortest, Some(cycle));
            let Some(next) = (0..digits.len()).find(|&at| digits[at] + 1 < relations[at].len()) else { break };
            digits[next] += 1;
            digits[..next].fill(0);
        }
        Ok(shortest.map(|cycle| (cycle, false)))
    }

    /// What the model keeps of po, transitive.
    fn base(&self, scf: &[Edge]) -> Relation {
        match self.problem.rules.happens_before {
            None => self.view.po(),
            Some(HappensBefore::Synchronised(rseq)) => happens_before(self.view, rseq),
            Some(HappensBefore::Porf) => {
                let mut hb = self.view.porf();
                scf.iter().for_each(|edge| hb.insert_closed(edge.from, edge.to));
                hb
            }
        }
    }

    /// All total orders of the SC fences that hb allows, if there are two or more.
    fn fence_orders(&self, order: &mut Vec<EventId>, all: &mut Vec<Vec<EventId>>) -> Result<(), TooManyOrders> {
        let fences = &self.problem.fences;
        if fences.len() < 2 {
            return Ok(());
        }
        if order.len() == fences.len() {
            all.push(order.clone());
            return if all.len() > self.cap { Err(TooManyOrders(self.cap)) } else { Ok(()) };
        }
        let hb = &self.problem.start.hb;
        for &next in fences {
            let rest = || fences.iter().filter(|fence| !order.contains(fence));
            if !order.contains(&next) && !rest().any(|&other| hb.contains(other, next)) {
                order.push(next);
                self.fence_orders(order, all)?;
                order.pop();
            }
        }
        Ok(())
    }

    fn orders(&self, location: usize, base: &Relation) -> Result<Orders, TooManyOrders> {
        let writes = &self.view.writes(location)[1..];
        let last = self.last.iter().copied().find(|last| writes.contains(last));
        let before = |a: EventId, b: EventId| base.contains(a, b) || Some(b) == last;
        let mut possible = Vec::new();
        self.extend(writes, &before, &mut Vec::new(), &mut possible)?;
        let coherent = possible.iter().filter(|order| self.is_coherent(location, base, order)).cloned().collect();
        Ok(Orders { possible, coherent })
    }

    fn extend(
        &self,
        writes: &[EventId],
        before: &impl Fn(EventId, EventId) -> bool,
        order: &mut Vec<EventId>,
        all: &mut Vec<Vec<EventId>>,
    ) -> Result<(), TooManyOrders> {
        if order.len() == writes.len() {
            all.push(order.clone());
            return if all.len() > self.cap { Err(TooManyOrders(self.cap)) } else { Ok(()) };
        }
        for &next in writes {
            let mut rest = writes.iter().filter(|&&other| other != next && !order.contains(&other));
            if !order.contains(&next) && !rest.any(|&other| before(other, next)) {
                order.push(next);
                self.extend(writes, before, order, all)?;
                order.pop();
            }
        }
        Ok(())
    }

    /// Whether base on a location agrees with one order of its writes in which each read comes behind its source and
    /// each read-modify-write immediately so.
    fn is_coherent(&self, location: usize, base: &Relation, order: &[EventId]) -> bool {
        let graph = self.view.graph;
        let place = |w: EventId| order.iter().position(|&other| other == w).map_or(0, |at| at + 1);
        let key = |e: EventId| {
            if graph.event(e).is_write() { (place(e), false) } else { (graph.source(e).map_or(0, place), true) }
        };
        let accesses: Vec<EventId> = graph
            .events()
            .filter(|(e, event)| {
                event.location().is_some_and(|at| at.0 as usize == location)
                    && (event.is_write() || graph.source(*e).is_some())
            })
            .map(|(e, _)| e)
            .collect();
        let follows = |e: EventId| {
            !graph.event(e).is_update() || graph.source(e).is_none_or(|source| place(source) + 1 == place(e))
        };
        accesses.iter().all(|&e| follows(e))
            && accesses.iter().all(|&a| accesses.iter().all(|&b| !base.contains(a, b) || key(a) <= key(b)))
    }

    /// The part of co that all of some orders of a location have.
    fn agreed(&self, location: usize, orders: &[Vec<EventId>]) -> Relation {
        let mut co = Relation::new(self.view.len());
        let writes = self.view.writes(location);
        for &w in &writes[1..] {
            co.insert(writes[0], w);
        }
        match orders.split_first() {
            Some((first, others)) => {
                for (at, &a) in first.iter().enumerate() {
                    for &b in &first[at + 1..] {
                        let place = |order: &[EventId], w| order.iter().position(|&other| other == w);
                        if others.iter().all(|order| place(order, a) < place(order, b)) {
                            co.insert(a, b);
                        }
                    }
                }
            }
            // The final value alone contradicts po.
            None => {
                for &last in self.last.iter().filter(|last| writes.contains(last)) {
                    writes.iter().filter(|&&w| w != last).for_each(|&w| {
                        co.insert(w, last);
                    });
                }
            }
        }
        co
    }

    /// The shortest cycle of the model's axioms with some co, of equals that of the first axiom.
    fn cycle(&self, co: &Relation, scf: &[Edge]) -> Option<Cycle> {
        let (rules, view) = (self.problem.rules, self.view);
        let fr = from_read(view, co);
        let with_co = |mut steps: explain::Steps, has_fr: bool| {
            steps.add_all(co, RelationName::Co);
            if has_fr {
                steps.add_all(&fr, RelationName::Fr);
            }
            steps.shortest_cycle()
        };
        let local =
            rules.local.and_then(|order| Some((order.axiom, with_co(local_steps(rules, view, scf), order.has_fr)?)));
        let global =
            rules.global.and_then(|order| Some((order.axiom, with_co(global_steps(rules, view, scf), order.has_fr)?)));
        let psc = rules.psc.and_then(|psc| Some((psc.axiom, psc_cycle_with(self.problem, co)?)));
        shorter(shorter(local, global), psc)
    }

    /// Without co: the shortest way from a write to another that happens after it, and back along a co that was chosen.
    fn reversed(&self, co: &Coherence, scf: &[Edge]) -> Option<Cycle> {
        let paths = hb_paths(self.problem.rules, self.view, scf);
        let axiom = self.problem.rules.local?.axiom;
        let mut shortest = None;
        for order in co {
            for (at, &from) in order.iter().enumerate() {
                for &to in &order[at + 1..] {
                    if let Some(path) = paths.get(to, from) {
                        let back = Edge { from, to, relation: RelationName::Co };
                        shortest = shorter(shortest, Some((axiom, [path, &[back]].concat())));
                    }
                }
            }
        }
        shortest
    }

    /// Without co: the shortest way from a write over one that overwrites it, in hb, to a read of it, or to the end.
    fn overwritten(&self, scf: &[Edge]) -> Option<Cycle> {
        let (causality, view) = (self.problem.rules.causality?, self.view);
        let paths = hb_paths(self.problem.rules, view, scf);
        let hb = self.base(scf);
        let mut shortest = None;
        let mut add = |path: Option<&[Edge]>, back: Edge| {
            if let Some(path) = path {
                shortest = shorter(shortest.take(), Some((causality, [path, &[back]].concat())));
            }
        };
        for reading in &view.readings {
            for &other in view.writes(reading.location) {
                if hb.contains(reading.source, other) && hb.contains(other, reading.read) {
                    let back = Edge { from: reading.read, to: other, relation: RelationName::Fr };
                    add(paths.get(other, reading.read), back);
                }
            }
        }
        for &last in self.last {
            let Some(location) = view.graph.event(last).location() else { continue };
            for &other in view.writes(location.0 as usize) {
                if hb.contains(last, other) {
                    add(paths.get(last, other), Edge { from: other, to: last, relation: RelationName::Co });
                }
            }
        }
        shortest
    }
}
