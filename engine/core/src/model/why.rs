//! What the edges of a graph's relations rest on: for each one that is not plain po or rf, a rule and the edges that it
//! is concluded from.
//!
//! [`Model::grounds`](super::Model::grounds) has all relations of a graph whole, and a `Reason` for each edge: a rule and the
//! edges that it follows from, each again with a reason, down to po, rf and the co that was given. wb is concluded in rounds,
//! each from what was known before by the shortest ways, so that no reason rests on itself.

use super::coherence::{Global, Local, Problem};
use super::explain::{Edges, each_psc_path, global_steps, hb_edges, local_steps};
use super::psc::Middle;
use super::rules::{Along, Buffers, HappensBefore};
use super::synchronisation::{Synchronisation, happens_before, synchronisation, synchronises_with};
use super::view::{View, from_read};
use super::{Model, buffers, draw};
use crate::graph::{Coherence, Edge, EventId, Execution, Label, Relation, RelationName};
use crate::program::Mode;
use rustc_hash::FxHashMap;

/// Why an edge is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The edge.
    pub edge: Edge,
    /// By which rule it follows.
    pub rule: Rule,
    /// What it follows from: a way from the start of the edge to its end, empty where the rule needs none.
    pub legs: Vec<Leg>,
}

/// A part of a way: an edge, perhaps against its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The edge.
    pub edge: Edge,
    /// The way leads from its end to its start.
    pub backwards: bool,
}

impl Leg {
    fn forwards(edge: Edge) -> Self {
        Self { edge, backwards: false }
    }

    /// Where it starts.
    pub fn from(self) -> EventId {
        if self.backwards { self.edge.to } else { self.edge.from }
    }

    /// Where it ends.
    pub fn to(self) -> EventId {
        if self.backwards { self.edge.from } else { self.edge.to }
    }
}

/// How an edge follows from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It is po.
    ProgramOrder,
    /// It is rf.
    ReadsFrom,
    /// It is pb.
    PostedBy,
    /// mo: the legs lead to the get of the first message, from there to that of the second, and back to its post.
    Queue,
    /// mo: the first message was taken, as the leg says, and the second one waits.
    Waits,
    /// mo: it starts at the post of an initial message, which comes before everything else.
    InitialMessage,
    /// It starts at an initial write, which comes before everything else.
    Initial,
    /// It belongs to the coherence order, or the order of SC fences, that the graph was given.
    Given,
    /// Nothing in the graph says so: a violation takes it for granted.
    Assumed,
    /// co or wb: the legs all go forward in the order that the model asks for on this location.
    LocationOrder,
    /// co or wb: the legs all go forward in the one order that the model asks for on everything.
    GlobalOrder,
    /// co or wb: the legs lead to a read and from there back to its source. Were the source the earlier one, the read
    /// would come before what comes before it.
    BeforeRead,
    /// fr: the legs lead back to the source of the read, and from there on in co.
    FromRead,
    /// sw: the legs lead from a release to an acquire.
    Synchronises {
        /// The write that the release is, or stands in front of.
        write: EventId,
        /// The read that the acquire is, or stands behind.
        read: EventId,
    },
    /// ppo: the store buffer keeps this part of po, for a reason in a few words.
    Preserved(&'static str),
    /// hb, eco: the legs are a path of what the relation is the closure of.
    Closure,
    /// psc: hb between the ends and two events that scb orders.
    Scb {
        /// Where scb starts.
        from: EventId,
        /// Where it ends.
        to: EventId,
    },
    /// psc: hb between two SC fences and two events that eco orders; or hb alone if these are the same.
    FencesEco {
        /// Where eco starts.
        from: EventId,
        /// Where it ends.
        to: EventId,
    },
    /// psc of C++20: the first event strongly happens before the second one, as po, or po, hb and po lead there.
    Shb,
    /// psc of C++20: eco orders two events; at each end there is an SC access, or an SC fence and hb.
    ScEco {
        /// Where eco starts.
        from: EventId,
        /// Where it ends.
        to: EventId,
    },
}

/// By which rule something follows, and from what.
type Conclusion = (Rule, Vec<Leg>);

/// The relations of one graph under one model, whole, and what their edges rest on.
#[derive(Debug)]
pub struct Grounds<'g> {
    model: Model,
    graph: &'g Execution,
    relations: Vec<(RelationName, Relation)>,
    /// co as far as it is known.
    co: Relation,
    /// Whether co was given.
    given: bool,
    /// The order of SC fences, all pairs of it.
    fences: Vec<Edge>,
    /// Why co has to be as it is.
    forced: FxHashMap<(EventId, EventId), Conclusion>,
}

impl Model {
    /// The relations of a graph and what they rest on. `co` is the coherence order chosen, or one that fits; without
    /// one, the graph may be inconsistent.
    pub fn grounds<'g>(self, graph: &'g Execution, co: Option<&Coherence>) -> Grounds<'g> {
        Grounds::new(self, graph, co)
    }
}

impl<'g> Grounds<'g> {
    fn new(model: Model, graph: &'g Execution, orders: Option<&Coherence>) -> Self {
        let po = Relation::from_fn(graph.len(), |a, b| graph.po(a, b) && !graph.event(a).is_init());
        let mut grounds = Self {
            model,
            graph,
            relations: vec![(RelationName::Po, po), (RelationName::Rf, graph.rf_relation())],
            co: Relation::new(graph.len()),
            given: orders.is_some(),
            fences: Vec::new(),
            forced: FxHashMap::default(),
        };
        let Ok(view) = View::without_atomicity(graph) else { return grounds };
        let (rules, problem) = (model.rules(), model.problem(&view));
        grounds.forced = forced(&problem);
        let mut wb = Relation::new(graph.len());
        grounds.forced.keys().for_each(|&(a, b)| {
            wb.insert(a, b);
        });
        grounds.co = match orders {
            Some(orders) => draw::transitive(graph, orders),
            None => wb.union(&initial_co(&view)),
        };
        let co = &grounds.co;
        let fr = from_read(&view, co);
        let started = |relation: Relation| relation.filter(|a, _| !graph.event(a).is_init());
        let mut add = |name, relation| grounds.relations.push((name, relation));
        if orders.is_some() {
            add(RelationName::Co, co.clone());
            add(RelationName::Fr, fr.clone());
        }
        if rules.has_co() {
            add(RelationName::Wb, wb);
        }
        if let Some(buffers) = rules.buffers {
            add(RelationName::Ppo, buffers.preserved(&view));
        }
        match rules.happens_before {
            None => {}
            Some(HappensBefore::Porf) => {
                let (hb, fences) = match orders {
                    Some(_) => draw::order_fences(&problem, co),
                    None => (problem.start.hb.clone(), None),
                };
                if let Some(fences) = fences {
                    let mut scf = Relation::new(graph.len());
                    for (at, &from) in fences.iter().enumerate() {
                        for &to in &fences[at + 1..] {
                            scf.insert(from, to);
                            grounds.fences.push(Edge { from, to, relation: RelationName::ScFence });
                        }
                    }
                    add(RelationName::ScFence, scf);
                }
                add(RelationName::Hb, started(hb));
            }
            Some(HappensBefore::Synchronised(rseq)) => {
                add(RelationName::Sw, synchronises_with(&view, rseq));
                add(RelationName::Hb, started(happens_before(&view, rseq)));
                if orders.is_some() {
                    let eco = graph.rf_relation().union(co).union(&fr).transitive_closure();
                    add(RelationName::Eco, started(eco));
                    if let Some(sc) = &problem.sc {
                        add(RelationName::Psc, sc.psc(&view, co));
                    }
                }
            }
        }
        grounds
    }

    /// The relations that the graph has under the model.
    pub fn names(&self) -> impl Iterator<Item = RelationName> + '_ {
        self.relations.iter().map(|(name, _)| *name)
    }

    /// A relation, with all edges that follow from others; po, hb, eco, psc, ppo and wb without those from initial
    /// writes. `None` if the graph has none of this name.
    pub fn relation(&self, name: RelationName) -> Option<&Relation> {
        self.relations.iter().find(|(known, _)| *known == name).map(|(_, relation)| relation)
    }

    /// A path from an event to another with the fewest edges of some relations; of equals, one whose relations come
    /// first. Linear in the number of pairs.
    pub fn path(&self, from: EventId, to: EventId, relations: &[RelationName]) -> Option<Vec<Edge>> {
        let mut edges = Edges::new(self.graph.len());
        for &name in relations {
            if let Some(relation) = self.relation(name) {
                edges.add_all(relation, name);
            }
        }
        edges.paths(from).swap_remove(to.index())
    }

    /// Why an edge is there, and why those are there that it follows from, down to po, rf and what was given: each
    /// once, behind the first that needs it. Edges of a violating cycle have reasons too, though they may be
    /// [`Rule::Assumed`]. Empty if there is no such edge.
    pub fn why(&self, edge: Edge) -> Vec<Reason> {
        let Some(first) = self.reason(edge) else { return Vec::new() };
        let mut reasons = vec![first];
        let mut at = 0;
        while let Some(reason) = reasons.get(at) {
            let next: Vec<Reason> = reason
                .legs
                .iter()
                .map(|leg| leg.edge)
                .filter(|edge| !matches!(edge.relation, RelationName::Po | RelationName::Rf))
                .filter(|edge| reasons.iter().all(|known| known.edge != *edge))
                .filter_map(|edge| self.reason(edge))
                .collect();
            for reason in next {
                if reasons.iter().all(|known| known.edge != reason.edge) {
                    reasons.push(reason);
                }
            }
            at += 1;
        }
        reasons
    }

    fn message_reason(&self, edge: Edge) -> Option<Reason> {
        let graph = self.graph;
        graph.message_order().iter().find(|pair| **pair == (edge.from, edge.to))?;
        let get = |post| graph.ids().find(|&e| graph.event(e).is_get() && graph.source(e) == Some(post));
        let pb = |from, to| Edge { from, to, relation: RelationName::Pb };
        let (rule, legs) = match (graph.event(edge.to).posts_to(), get(edge.from), get(edge.to)) {
            (Some(handler), Some(first), second) if graph.event(edge.from).posts_to() == Some(handler) => {
                match second {
                    Some(second) => {
                        let po = Edge { from: first, to: second, relation: RelationName::Po };
                        let back = Leg { edge: pb(edge.to, second), backwards: true };
                        (Rule::Queue, vec![Leg::forwards(pb(edge.from, first)), Leg::forwards(po), back])
                    }
                    None => (Rule::Waits, vec![Leg::forwards(pb(edge.from, first))]),
                }
            }
            _ => (Rule::InitialMessage, Vec::new()),
        };
        Some(Reason { edge, rule, legs })
    }

    fn reason(&self, edge: Edge) -> Option<Reason> {
        let Edge { from, to, relation } = edge;
        let graph = self.graph;
        let holds = || self.relation(relation).is_some_and(|relation| relation.contains(from, to));
        let plain = |rule| Some(Reason { edge, rule, legs: Vec::new() });
        let by =
            |rule, path: Vec<Edge>| Some(Reason { edge, rule, legs: path.into_iter().map(Leg::forwards).collect() });
        match relation {
            RelationName::Po | RelationName::Co if graph.event(from).is_init() => plain(Rule::Initial),
            RelationName::Po if holds() => plain(Rule::ProgramOrder),
            RelationName::Rf if holds() => plain(Rule::ReadsFrom),
            RelationName::Wb => {
                let (rule, legs) = self.forced.get(&(from, to))?.clone();
                Some(Reason { edge, rule, legs })
            }
            RelationName::Co => match self.forced.get(&(from, to)) {
                Some((rule, legs)) => Some(Reason { edge, rule: *rule, legs: legs.clone() }),
                None => plain(if self.given && self.co.contains(from, to) { Rule::Given } else { Rule::Assumed }),
            },
            RelationName::Fr => {
                let source = graph.source(from)?;
                let back = Leg { edge: Edge { from: source, to: from, relation: RelationName::Rf }, backwards: true };
                let forced = self.model.rules().has_co() && self.forced.contains_key(&(source, to));
                let co = if forced { RelationName::Wb } else { RelationName::Co };
                let on = Leg::forwards(Edge { from: source, to, relation: co });
                Some(Reason { edge, rule: Rule::FromRead, legs: vec![back, on] })
            }
            RelationName::Pb => {
                graph.event(to).is_get().then(|| graph.source(to)).flatten().filter(|post| *post == from)?;
                plain(Rule::PostedBy)
            }
            RelationName::Mo => self.message_reason(edge),
            RelationName::ScFence => plain(if self.fences.contains(&edge) { Rule::Given } else { Rule::Assumed }),
            _ if !holds() => None,
            RelationName::Sw => {
                let view = View::without_atomicity(graph).ok()?;
                let (Synchronisation { write, read, .. }, path) =
                    synchronisation(&view, self.model.rules().rseq()?, from, to)?;
                by(Rule::Synchronises { write, read }, path)
            }
            RelationName::Hb => {
                let view = View::without_atomicity(graph).ok()?;
                by(
                    Rule::Closure,
                    hb_edges(self.model.rules(), &view, &self.fences).paths(from).swap_remove(to.index())?,
                )
            }
            RelationName::Eco => {
                by(Rule::Closure, self.path(from, to, &[RelationName::Rf, RelationName::Co, RelationName::Fr])?)
            }
            RelationName::Psc => {
                let view = View::without_atomicity(graph).ok()?;
                let problem = self.model.problem(&view);
                let along = self.model.rules().psc.map(|psc| psc.along);
                let mut shortest: Option<(Rule, Vec<Edge>)> = None;
                each_psc_path(
                    &problem,
                    problem.sc.as_ref()?,
                    &self.co,
                    Some((from, to)),
                    &mut |[_, c, d, _], middle, path| {
                        if shortest.as_ref().is_none_or(|(_, known)| known.len() > path.len()) {
                            let is_fence = |e| graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent);
                            let rule = if middle == Middle::Shb {
                                Rule::Shb
                            } else if middle == Middle::Eco && along == Some(Along::Shb) {
                                Rule::ScEco { from: c, to: d }
                            } else if middle == Middle::Eco {
                                Rule::FencesEco { from: c, to: d }
                            } else if (c, d) == (from, to) && is_fence(from) && is_fence(to) {
                                Rule::FencesEco { from: to, to }
                            } else {
                                Rule::Scb { from: c, to: d }
                            };
                            shortest = Some((rule, path));
                        }
                    },
                );
                let (rule, path) = shortest?;
                by(rule, path)
            }
            RelationName::Ppo => {
                let why = kept(self.model.rules().buffers?, graph, from, to);
                by(Rule::Preserved(why), vec![Edge { from, to, relation: RelationName::Po }])
            }
            RelationName::Po | RelationName::Rf => None,
        }
    }
}

/// Why store buffers keep two events of a thread in order.
fn kept(kind: Buffers, graph: &Execution, from: EventId, to: EventId) -> &'static str {
    use buffers::{is_plain_read, is_plain_write, is_store_fence, is_unlock};
    let (a, b) = (graph.event(from), graph.event(to));
    if kind == Buffers::OfLocations && (is_store_fence(a) || is_store_fence(b)) {
        "a store-store fence keeps writes in order"
    } else if a.is_fence() || b.is_fence() {
        "the fence waits until the store buffer is empty"
    } else if !is_plain_write(a) && !is_plain_read(a) || !is_plain_write(b) && !is_plain_read(b) {
        "a read-modify-write waits until the store buffer is empty"
    } else if is_plain_read(a) {
        "events after a read wait for it"
    } else if is_unlock(b) {
        "an unlock leaves the store buffer after all earlier writes"
    } else if kind == Buffers::OfThreads {
        "writes leave the store buffer in program order"
    } else {
        "writes to one location leave the store buffer in program order"
    }
}

/// The pairs of co from initial writes.
fn initial_co(view: &View<'_>) -> Relation {
    let mut co = Relation::new(view.len());
    for location in 0..view.locations {
        if let [initial, others @ ..] = view.writes(location) {
            others.iter().for_each(|&other| {
                co.insert(*initial, other);
            });
        }
    }
    co
}

/// What of co the graph forces, by the rules of the search, in rounds: each round concludes from what the ones before
/// know, by the shortest ways, so that no reason rests on itself. Without initial writes. Polynomial.
fn forced(problem: &Problem<'_>) -> FxHashMap<(EventId, EventId), Conclusion> {
    let (view, rules) = (problem.view, problem.rules);
    let mut orders = Vec::new();
    if problem.local != Local::None {
        orders.push((Rule::LocationOrder, local_steps(rules, view, &[]), problem.local == Local::CoFr));
    }
    if problem.global != Global::None {
        orders.push((Rule::GlobalOrder, global_steps(rules, view, &[]), problem.global == Global::CoFr));
    }
    let name = if rules.has_co() { RelationName::Wb } else { RelationName::Co };
    let mut known: FxHashMap<(EventId, EventId), Conclusion> = FxHashMap::default();
    let mut news: Vec<(EventId, EventId)> = initial_co(view).pairs().collect();
    while !news.is_empty() {
        for &(a, b) in &news {
            let initial = view.graph.event(a).is_init();
            for (_, steps, has_fr) in &mut orders {
                // Nothing comes before an initial write.
                if !initial {
                    steps.add(a, b, vec![Edge { from: a, to: b, relation: name }]);
                }
                if *has_fr {
                    let readings = view.readings.iter().filter(|reading| reading.source == a && reading.read != b);
                    for read in readings.map(|reading| reading.read) {
                        steps.add(read, b, vec![Edge { from: read, to: b, relation: RelationName::Fr }]);
                    }
                }
            }
        }
        let mut found: Vec<((EventId, EventId), Conclusion)> = Vec::new();
        for location in 0..view.locations {
            for &a in &view.writes(location)[1..] {
                let mut conclude = |b: EventId, rule: Rule, legs: Vec<Leg>| {
                    if known.contains_key(&(a, b)) {
                        return;
                    }
                    match found.iter_mut().find(|(pair, _)| *pair == (a, b)) {
                        Some((_, (_, shorter))) if shorter.len() <= legs.len() => {}
                        Some((_, worse)) => *worse = (rule, legs),
                        None => found.push(((a, b), (rule, legs))),
                    }
                };
                for (rule, steps, has_fr) in &orders {
                    let paths = steps.paths(a);
                    let way = |to: EventId| {
                        let path = paths[to.index()].as_ref()?;
                        Some(path.iter().copied().map(Leg::forwards).collect::<Vec<_>>())
                    };
                    for &b in view.writes(location)[1..].iter().filter(|&&b| b != a) {
                        if let Some(legs) = way(b) {
                            conclude(b, *rule, legs);
                        }
                    }
                    let readings = view.readings.iter().filter(|reading| reading.location == location);
                    for reading in readings.filter(|reading| *has_fr && reading.read != a && reading.source != a) {
                        let (from, to) = (reading.source, reading.read);
                        if let Some(mut legs) = way(to).filter(|_| !view.graph.event(from).is_init()) {
                            let edge = Edge { from, to, relation: RelationName::Rf };
                            legs.push(Leg { edge, backwards: true });
                            conclude(from, Rule::BeforeRead, legs);
                        }
                    }
                }
            }
        }
        news = found.iter().map(|(pair, _)| *pair).collect();
        known.extend(found);
    }
    known
}
