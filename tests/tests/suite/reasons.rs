//! What the engine says of why an edge is there, on candidate executions of random programs: it is true, complete and
//! rests on nothing but the graph.
//!
//! Reasons are asked for of every edge that is drawn, under all models. Each of their steps is checked, and, against all
//! coherence orders, what is said to be forced.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::graph::{Coherence, Edge, EventId, Execution, Label, Relation, RelationName};
use litmoscope::model::{Grounds, Model, Reason, Rule, Witness};
use litmoscope::program::{Code, Location, Mode};
use litmoscope::session::{GraphQuestion, Session, Settings, ViewRequest};
use litmoscope::testing::{for_all, seeds};
use litmoscope_tests::random::{CAP, LIMITS};
use std::collections::{BTreeMap, BTreeSet};

/// Every edge drawn, of consistent graphs and of others with their cycles, has reasons, and they hold.
#[test]
fn every_edge_drawn_has_reasons() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for_all(seeds(2_500), |program| {
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let Ok(candidates) = candidates_up_to(CAP / 10, &code, LIMITS) else { return Ok(()) };
        // Not all of them, which are much alike.
        for graph in candidates.iter().step_by(candidates.len() / 20 + 1) {
            for model in Model::ALL {
                let some_co: Coherence =
                    (0..code.initial.len()).map(|at| graph.writes(Location(at as u32)).collect()).collect();
                let mut cases = Vec::new();
                match model.consistency(graph) {
                    Ok(witness) => cases.push((Some(witness.co), None)),
                    Err(violation) => cases.push((None, Some(violation))),
                }
                if graph.is_well_formed()
                    && let Some(violation) = model.violation_with(graph, &some_co)
                {
                    cases.push((Some(some_co), Some(violation)));
                }
                for (co, violation) in cases {
                    let relations = match &co {
                        Some(co) => model.relations(graph, &Witness { co: co.clone() }),
                        None => model.partial_relations(graph),
                    };
                    let grounds = model.grounds(graph, co.as_ref());
                    let orders =
                        if violation.is_none() { brute_force::coherence_orders(model, graph) } else { BTreeSet::new() };
                    let known: Vec<_> = relations.iter().map(|(name, _)| *name).collect();
                    let same: BTreeSet<_> = grounds.names().collect();
                    if same != known.iter().copied().collect() {
                        return Err(format!("{model:?}: {known:?} are drawn, {same:?} known of {graph:#?}"));
                    }
                    let cycle = violation.iter().flat_map(|violation| violation.cycle.iter().copied());
                    for edge in relations.iter().flat_map(|(_, edges)| edges.iter().copied()).chain(cycle) {
                        let reasons = grounds.why(edge);
                        let check =
                            Check { model, graph, grounds: &grounds, co: co.as_ref(), violated: violation.is_some() };
                        if let Err(why) = check.all(edge, &reasons, &orders) {
                            return Err(format!(
                                "{model:?}: {why}; {edge:?} because {reasons:#?} in {violation:?} of {graph:#?}"
                            ));
                        }
                        for reason in &reasons {
                            let rule = format!("{:?}", reason.rule);
                            let rule = rule.split([' ', '(']).next().unwrap_or_default().to_owned();
                            *counts.entry(format!("{} {rule}", reason.edge.relation)).or_default() += 1;
                        }
                    }
                }
            }
        }
        Ok(())
    });
    println!("{counts:#?}");
}

/// Whatever is drawn of the gallery can be asked about, and the answer comes at once.
#[test]
fn the_gallery_answers() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../public");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("there is a gallery").flatten().map(|f| f.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "lit" || end == "litmus"));
    files.sort();
    assert!(files.len() > 5);
    let mut slowest = (std::time::Duration::ZERO, String::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        for model in Model::ALL {
            let Ok(mut session) = Session::open(Settings { text: text.clone(), model, ..Settings::default() }) else {
                continue;
            };
            session.next_execution(2000);
            let view = session.view(&ViewRequest::default());
            let events =
                view.drawing.nodes.iter().filter(|node| !node.ghost).map(|node| GraphQuestion::Event(node.key));
            let edges =
                view.drawing.edges.iter().filter(|edge| !edge.ghost).map(|edge| GraphQuestion::Edge(edge.key()));
            let (from, to) = (view.drawing.nodes[0].key, view.drawing.nodes[view.drawing.nodes.len() - 1].key);
            let path = GraphQuestion::Path { from, to, relations: view.relations.clone() };
            for question in events.chain(edges).chain([path]) {
                let start = std::time::Instant::now();
                let answer = session.subject().answer(&question);
                let took = start.elapsed();
                assert!(answer.is_some(), "{question:?} of {} under {model:?}", file.display());
                if took > slowest.0 {
                    slowest = (took, format!("{question:?} of {} under {model:?}", file.display()));
                }
            }
        }
    }
    println!("slowest: {slowest:?}");
    assert!(cfg!(debug_assertions) || slowest.0.as_millis() < 500, "{slowest:?}");
}

struct Check<'a> {
    model: Model,
    graph: &'a Execution,
    grounds: &'a Grounds<'a>,
    co: Option<&'a Coherence>,
    violated: bool,
}

fn ensure(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

impl Check<'_> {
    fn all(&self, edge: Edge, reasons: &[Reason], orders: &BTreeSet<Coherence>) -> Result<(), String> {
        ensure(reasons.first().is_some_and(|reason| reason.edge == edge), "there is none")?;
        let known: BTreeMap<_, _> = reasons.iter().map(|reason| (key(reason.edge), reason)).collect();
        ensure(known.len() == reasons.len(), "one is there twice")?;
        for reason in reasons {
            self.one(reason, orders)?;
            for leg in &reason.legs {
                let base = matches!(leg.edge.relation, RelationName::Po | RelationName::Rf);
                ensure(base || known.contains_key(&key(leg.edge)), "one rests on something unexplained")?;
            }
        }
        // Those that rest on what was there before are taken away until none is left.
        let mut left: Vec<_> = reasons.iter().collect();
        while !left.is_empty() {
            let before = left.len();
            let open: BTreeSet<_> = left.iter().map(|reason| key(reason.edge)).collect();
            left.retain(|reason| reason.legs.iter().any(|leg| open.contains(&key(leg.edge))));
            ensure(left.len() < before, "they rest on each other")?;
        }
        Ok(())
    }

    fn one(&self, reason: &Reason, orders: &BTreeSet<Coherence>) -> Result<(), String> {
        let Reason { edge, rule, legs } = reason;
        let Edge { from, to, relation } = *edge;
        let graph = self.graph;
        let mut at = from;
        for leg in legs {
            ensure(leg.from() == at, "the legs are no way")?;
            at = leg.to();
            self.base(leg.edge)?;
        }
        ensure(legs.is_empty() || at == to, "the way leads elsewhere")?;
        let same = |a: EventId, b: EventId| self.same_location(a, b);
        let forwards = legs.iter().all(|leg| !leg.backwards);
        let only = |allowed: &[RelationName]| legs.iter().all(|leg| allowed.contains(&leg.edge.relation));
        use RelationName::{Co, Fr, Hb, Mo, Pb, Po, Ppo, Rf, ScFence, Wb};
        let hb = self.hb();
        let is_co = matches!(relation, Co | Wb);
        let mut expected = is_co && !graph.event(from).is_init();
        match *rule {
            Rule::ProgramOrder => return ensure(relation == Po && graph.po(from, to), "no po"),
            Rule::ReadsFrom => return ensure(relation == Rf && graph.source(to) == Some(from), "no rf"),
            Rule::Initial => ensure(is_co && graph.event(from).is_init() && same(from, to), "nothing initial")?,
            Rule::Given if relation == Co => {
                let place = |e| self.co.and_then(|co| co.iter().flatten().position(|&w| w == e));
                ensure(place(from).is_some() && place(from) < place(to) && same(from, to), "not in co")?;
                expected = false;
            }
            Rule::Given => {
                ensure(relation == ScFence && self.is_sc_fence(from) && self.is_sc_fence(to), "no order of fences")?
            }
            Rule::Assumed => {
                ensure(self.violated && matches!(relation, Co | ScFence), "nothing may be assumed here")?;
                expected = false;
            }
            Rule::LocationOrder => {
                ensure(is_co && forwards && same(from, to), "no order")?;
                let others: &[RelationName] = match self.model.name() {
                    "wra" => &[],
                    _ => &[Rf, Wb, Fr],
                };
                ensure(only(&[hb, others].concat()), "the order has no such relation")?;
                self.stays(from, legs.iter().map(|leg| leg.edge), others)?;
            }
            Rule::GlobalOrder => {
                let allowed: &[RelationName] = match self.model.name() {
                    "sc" => &[Po, Rf, Wb, Fr],
                    "sra" => &[Po, Rf, ScFence, Wb],
                    _ => &[Ppo, Rf, Wb, Fr],
                };
                ensure(is_co && forwards && only(allowed), "the order has no such relation")?;
            }
            Rule::BeforeRead => {
                let (last, way) = legs.split_last().ok_or("no way")?;
                ensure(is_co && last.backwards && last.edge.relation == Rf && last.edge.from == to, "no source")?;
                ensure(!way.is_empty() && way.iter().all(|leg| !leg.backwards), "nothing before the read")?;
                ensure(same(from, last.edge.to) && from != last.edge.to, "another location")?;
            }
            Rule::FromRead => {
                let shape = legs.iter().map(|leg| (leg.edge.relation, leg.backwards)).collect::<Vec<_>>();
                ensure(shape == [(Rf, true), (Co, false)] || shape == [(Rf, true), (Wb, false)], "no fr")?;
                ensure(relation == Fr && from != to, "no fr")?;
            }
            Rule::Synchronises { write, read } => self.synchronises(reason, write, read)?,
            Rule::Preserved(why) => {
                ensure(relation == Ppo && forwards && only(&[Po]) && legs.len() == 1 && !why.is_empty(), "no ppo")?;
                let fence = graph.event(from).is_fence() || graph.event(to).is_fence();
                let kept = brute_force::preserved_po(self.model, graph);
                ensure(fence || kept.contains(from, to), "not kept")?;
            }
            Rule::Closure => {
                let parts = if relation == Hb { hb } else { &[Rf, Co, Fr][..] };
                ensure(forwards && !legs.is_empty() && only(parts), "not what it is the closure of")?;
                let shortest = self.distance(from, to, parts);
                ensure(shortest == Some(legs.len()), "there is a shorter way")?;
            }
            Rule::PostedBy => {
                ensure(relation == Pb && graph.event(to).is_get() && graph.source(to) == Some(from), "no pb")?
            }
            Rule::Queue | Rule::Waits | Rule::InitialMessage => {
                ensure(relation == Mo && graph.message_order().contains(&(from, to)), "no mo")?;
            }
            Rule::Scb { from: c, to: d } => self.scb(reason, c, d)?,
            Rule::FencesEco { from: c, to: d } => self.fences_eco(reason, c, d)?,
            Rule::Shb => self.shb(reason)?,
            Rule::ScEco { from: c, to: d } => self.sc_eco(reason, c, d)?,
        }
        // What is forced holds whatever co is.
        if expected && !orders.is_empty() {
            let place = |co: &Coherence, e| co.iter().flatten().position(|&w| w == e);
            ensure(orders.iter().all(|co| place(co, from) < place(co, to)), "another co would do as well")?;
        }
        Ok(())
    }

    /// That a path of po and rf from one write to one read makes sw.
    fn synchronises(&self, reason: &Reason, write: EventId, read: EventId) -> Result<(), String> {
        use RelationName::{Po, Rf, Sw};
        let (Edge { from, to, relation }, legs) = (reason.edge, &reason.legs);
        let forwards = legs.iter().all(|leg| !leg.backwards);
        let graph = self.graph;
        ensure(relation == Sw && forwards && legs.iter().all(|leg| matches!(leg.edge.relation, Po | Rf)), "no sw")?;
        ensure(brute_force::synchronises_with(self.model, graph).contains(from, to), "no sw")?;
        let middle: Vec<_> = legs.iter().filter(|leg| leg.edge.relation == Rf).collect();
        ensure(middle.first().is_some_and(|leg| leg.edge.from == write), "another write")?;
        ensure(middle.last().is_some_and(|leg| leg.edge.to == read), "another read")?;
        let passed = &middle[1..];
        ensure(passed.iter().all(|leg| graph.event(leg.edge.from).is_update()), "nothing passed on")?;
        ensure(legs.len() - middle.len() == usize::from(from != write) + usize::from(to != read), "too long")?;
        ensure(graph.event(from).mode().is_release() && graph.event(to).mode().is_acquire(), "wrong modes")
    }

    /// That a path is hb, scb from one event to another, and hb again, between SC events.
    fn scb(&self, reason: &Reason, c: EventId, d: EventId) -> Result<(), String> {
        use RelationName::{Co, Fr, Po, Psc};
        let (Edge { from, to, relation }, legs) = (reason.edge, &reason.legs);
        let forwards = legs.iter().all(|leg| !leg.backwards);
        let (graph, hb) = (self.graph, self.hb());
        let sc = |e: EventId| graph.event(e).mode().is_sc();
        ensure(relation == Psc && forwards, "no psc")?;
        ensure(if from == c { sc(from) } else { self.is_sc_fence(from) }, "psc starts elsewhere")?;
        ensure(if to == d { sc(to) } else { self.is_sc_fence(to) }, "psc ends elsewhere")?;
        let edges: Vec<_> = legs.iter().map(|leg| leg.edge).collect();
        let (start, end) = (place(&edges, from, c)?, place(&edges, from, d)?);
        let middle = &edges[start..end];
        let ends = [&edges[..start], &edges[end..]].concat();
        ensure(ends.iter().all(|edge| hb.contains(&edge.relation)), "no hb around scb")?;
        let communicates = matches!(middle, [edge] if matches!(edge.relation, Co | Fr));
        let happens = middle.iter().all(|edge| hb.contains(&edge.relation));
        let elsewhere = |e: &Edge| e.relation == Po;
        let around = middle.len() > 1 && middle.first().is_some_and(elsewhere) && middle.last().is_some_and(elsewhere);
        let scb =
            communicates || happens && (graph.po(c, d) || self.same_location(c, d) || around || self.between(c, d));
        ensure(scb, "no scb")
    }

    /// That a path between SC fences is hb, eco from one event to another, and hb again.
    fn fences_eco(&self, reason: &Reason, c: EventId, d: EventId) -> Result<(), String> {
        use RelationName::{Co, Fr, Psc, Rf};
        let (Edge { from, to, relation }, legs) = (reason.edge, &reason.legs);
        let forwards = legs.iter().all(|leg| !leg.backwards);
        let hb = self.hb();
        ensure(relation == Psc && forwards && self.is_sc_fence(from) && self.is_sc_fence(to), "no psc")?;
        let edges: Vec<_> = legs.iter().map(|leg| leg.edge).collect();
        let (start, end) = (place(&edges, from, c)?, place(&edges, from, d)?);
        let eco = edges[start..end].iter().all(|edge| matches!(edge.relation, Rf | Co | Fr));
        let ends = [&edges[..start], &edges[end..]].concat();
        ensure(eco && ends.iter().all(|edge| hb.contains(&edge.relation)), "no hb ; eco ; hb")
    }

    /// That a path between SC events is po, or po, hb and po.
    fn shb(&self, reason: &Reason) -> Result<(), String> {
        use RelationName::{Po, Psc};
        let (Edge { from, to, relation }, legs) = (reason.edge, &reason.legs);
        let edges: Vec<_> = legs.iter().map(|leg| leg.edge).collect();
        let sc = |e: EventId| self.graph.event(e).mode().is_sc();
        ensure(relation == Psc && legs.iter().all(|leg| !leg.backwards) && sc(from) && sc(to), "no psc")?;
        ensure(self.model == Model::RC20 && edges.iter().all(|edge| self.hb().contains(&edge.relation)), "no hb")?;
        let ends = [edges.first(), edges.last()];
        ensure(ends.iter().all(|edge| edge.is_some_and(|edge| edge.relation == Po)), "not within po")?;
        let shortest = if self.graph.po(from, to) { Some(1) } else { None };
        let shortest = shortest.or_else(|| {
            let events = || self.graph.ids();
            let starts = events().filter(|&start| self.graph.po(from, start));
            let ways =
                starts.flat_map(|start| events().filter(|&end| self.graph.po(end, to)).map(move |end| (start, end)));
            ways.filter_map(|(start, end)| self.distance(start, end, self.hb())).min().map(|middle| middle + 2)
        });
        ensure(shortest == Some(edges.len()), "there is a shorter way")
    }

    /// That a path is hb from an SC fence or nothing from an SC access, eco from one event to another, and the same again.
    fn sc_eco(&self, reason: &Reason, c: EventId, d: EventId) -> Result<(), String> {
        use RelationName::{Co, Fr, Psc, Rf};
        let (Edge { from, to, relation }, legs) = (reason.edge, &reason.legs);
        let is_access = |e: EventId| self.graph.event(e).mode().is_sc() && !self.graph.event(e).is_fence();
        let forwards = legs.iter().all(|leg| !leg.backwards);
        ensure(self.model == Model::RC20 && relation == Psc && forwards, "no psc")?;
        ensure(if from == c { is_access(from) } else { self.is_sc_fence(from) }, "psc starts elsewhere")?;
        ensure(if to == d { is_access(to) } else { self.is_sc_fence(to) }, "psc ends elsewhere")?;
        let edges: Vec<_> = legs.iter().map(|leg| leg.edge).collect();
        let (start, end) = (place(&edges, from, c)?, place(&edges, from, d)?);
        let eco = start < end && edges[start..end].iter().all(|edge| matches!(edge.relation, Rf | Co | Fr));
        let ends = [&edges[..start], &edges[end..]].concat();
        ensure(eco && ends.iter().all(|edge| self.hb().contains(&edge.relation)), "no hb ; eco ; hb")
    }

    /// What hb is made of.
    fn hb(&self) -> &'static [RelationName] {
        match self.model.name() {
            "rc11" | "rc20" => &[RelationName::Po, RelationName::Sw],
            _ => &[RelationName::Po, RelationName::Rf, RelationName::ScFence],
        }
    }

    fn is_sc_fence(&self, event: EventId) -> bool {
        self.graph.event(event).label == Label::Fence(Mode::SequentiallyConsistent)
    }

    fn same_location(&self, a: EventId, b: EventId) -> bool {
        let location = self.graph.event(a).location();
        location.is_some() && location == self.graph.event(b).location()
    }

    /// An edge that others rest on is there.
    fn base(&self, Edge { from, to, relation }: Edge) -> Result<(), String> {
        let graph = self.graph;
        let holds = match relation {
            RelationName::Po => graph.po(from, to) && !graph.event(from).is_init(),
            RelationName::Rf => graph.source(to) == Some(from),
            // With reasons of their own.
            _ => true,
        };
        ensure(holds, "one rests on what is not there")
    }

    /// Whether legs lead from access to access of one location, on the way between two by what is no communication.
    fn stays(
        &self,
        from: EventId,
        legs: impl Iterator<Item = Edge>,
        communication: &[RelationName],
    ) -> Result<(), String> {
        let location = self.graph.event(from).location();
        let mut here = true;
        for edge in legs {
            let leaps = communication.contains(&edge.relation) && edge.relation != RelationName::Rf;
            ensure(!leaps || here, "communicates elsewhere")?;
            here = self.graph.event(edge.to).location() == location;
        }
        ensure(here, "ends elsewhere")
    }

    /// Whether po, hb and po, the first and the last between different locations, lead from one event to another.
    fn between(&self, c: EventId, d: EventId) -> bool {
        let Some(hb) = self.grounds.relation(RelationName::Hb) else { return false };
        let elsewhere = |a: EventId, b: EventId| {
            let location = self.graph.event(a).location();
            self.graph.po(a, b) && (location.is_none() || location != self.graph.event(b).location())
        };
        self.graph.ids().any(|e| elsewhere(c, e) && self.graph.ids().any(|f| hb.contains(e, f) && elsewhere(f, d)))
    }

    /// How many edges of some relations lead from one event to another at least.
    fn distance(&self, from: EventId, to: EventId, parts: &[RelationName]) -> Option<usize> {
        let relations: Vec<&Relation> = parts.iter().filter_map(|&name| self.grounds.relation(name)).collect();
        let mut reached: BTreeSet<EventId> = BTreeSet::new();
        let mut front = vec![from];
        for distance in 1..=self.graph.len() {
            front = front.iter().flat_map(|&e| relations.iter().flat_map(move |r| r.successors(e))).collect();
            front.retain(|e| reached.insert(*e));
            if reached.contains(&to) {
                return Some(distance);
            }
        }
        None
    }
}

fn key(edge: Edge) -> (EventId, EventId, RelationName) {
    (edge.from, edge.to, edge.relation)
}

/// After how many edges of a path an event is reached.
fn place(path: &[Edge], from: EventId, event: EventId) -> Result<usize, String> {
    let ends = std::iter::once(from).chain(path.iter().map(|edge| edge.to));
    ends.enumerate().find(|(_, e)| *e == event).map(|(at, _)| at).ok_or_else(|| "not on the way".to_owned())
}
