//! Why a graph is inconsistent: from a conflict of the search to a short cycle of base relations.

use super::Violation;
use super::coherence::{Global, Local, Problem, Search, State};
use super::psc::{Middle, ScOrder};
use super::rules::{ATOMICITY, Axiom, MAILBOXES, NO_THIN_AIR, Rules};
use super::synchronisation::synchronises_with;
use super::view::{Flaw, View, from_read, known_co};
use crate::graph::{Edge, EventId, Execution, Relation, RelationName, ThreadId};
use std::collections::VecDeque;

/// Labelled edges.
pub(super) struct Edges {
    from: Vec<Vec<Edge>>,
}

impl Edges {
    pub(super) fn new(events: usize) -> Self {
        Self { from: vec![Vec::new(); events] }
    }

    pub(super) fn add(&mut self, from: EventId, to: EventId, relation: RelationName) {
        self.from[from.index()].push(Edge { from, to, relation });
    }

    pub(super) fn add_all(&mut self, pairs: &Relation, relation: RelationName) {
        pairs.pairs().for_each(|(a, b)| self.add(a, b, relation));
    }

    /// The shortest paths from an event to each other, and around to itself.
    pub(super) fn paths(&self, from: EventId) -> Vec<Option<Vec<Edge>>> {
        let mut last: Vec<Option<Edge>> = vec![None; self.from.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(a) = queue.pop_front() {
            for edge in &self.from[a.index()] {
                if last[edge.to.index()].is_none() {
                    last[edge.to.index()] = Some(*edge);
                    if edge.to != from {
                        queue.push_back(edge.to);
                    }
                }
            }
        }
        let path_to = |mut edge: Edge| {
            let mut path = vec![edge];
            while edge.from != from {
                edge = last[edge.from.index()].expect("reached by an edge");
                path.push(edge);
            }
            path.reverse();
            path
        };
        last.iter().map(|edge| edge.map(path_to)).collect()
    }

    pub(super) fn all_paths(&self) -> Paths {
        Paths { from: (0..self.from.len() as u32).map(|e| self.paths(EventId(e))).collect() }
    }

    pub(super) fn shortest_cycle(&self) -> Option<Vec<Edge>> {
        let cycles = (0..self.from.len() as u32).filter_map(|e| self.paths(EventId(e)).swap_remove(e as usize));
        cycles.min_by_key(Vec::len)
    }
}

/// A shortest path for each pair of events that has one.
pub(super) struct Paths {
    from: Vec<Vec<Option<Vec<Edge>>>>,
}

impl Paths {
    pub(super) fn get(&self, a: EventId, b: EventId) -> Option<&[Edge]> {
        self.from[a.index()][b.index()].as_deref()
    }
}

/// Derived edges, each with what it stands for in base relations.
pub(super) struct Steps {
    events: usize,
    steps: Vec<Option<Vec<Edge>>>,
}

impl Steps {
    pub(super) fn new(events: usize) -> Self {
        Self { events, steps: vec![None; events * events] }
    }

    /// Keeps the shortest, of those the first.
    pub(super) fn add(&mut self, from: EventId, to: EventId, path: Vec<Edge>) {
        let step = &mut self.steps[from.index() * self.events + to.index()];
        if step.as_ref().is_none_or(|known| known.len() > path.len()) {
            *step = Some(path);
        }
    }

    fn add_edge(&mut self, from: EventId, to: EventId, relation: RelationName) {
        self.add(from, to, vec![Edge { from, to, relation }]);
    }

    pub(super) fn add_all(&mut self, pairs: &Relation, relation: RelationName) {
        pairs.pairs().for_each(|(a, b)| self.add_edge(a, b, relation));
    }

    fn step(&self, from: usize, to: usize) -> Option<&Vec<Edge>> {
        self.steps[from * self.events + to].as_ref()
    }

    /// The paths with the fewest base edges from an event to each other, and around to itself, by Dijkstra's algorithm.
    pub(super) fn paths(&self, start: EventId) -> Vec<Option<Vec<Edge>>> {
        let reached = self.reach(start.index(), None);
        (0..self.events).map(|to| self.path(&reached, start.index(), to)).collect()
    }

    /// The distance of each event and the one before it on the way; only as far as `end`, if given.
    fn reach(&self, start: usize, end: Option<usize>) -> Vec<(usize, usize)> {
        let mut reached = vec![(usize::MAX, start); self.events];
        let mut done = vec![false; self.events];
        let relax = |at: usize, base: usize, reached: &mut Vec<(usize, usize)>| {
            for (to, reached) in reached.iter_mut().enumerate() {
                if let Some(step) = self.step(at, to)
                    && base + step.len() < reached.0
                {
                    *reached = (base + step.len(), at);
                }
            }
        };
        relax(start, 0, &mut reached);
        while let Some(at) =
            (0..self.events).filter(|&e| !done[e] && reached[e].0 < usize::MAX).min_by_key(|&e| reached[e].0)
        {
            done[at] = true;
            if end == Some(at) {
                break;
            }
            // What lies behind the start is known.
            if at != start {
                relax(at, reached[at].0, &mut reached);
            }
        }
        reached
    }

    fn path(&self, reached: &[(usize, usize)], start: usize, end: usize) -> Option<Vec<Edge>> {
        let mut path = Vec::new();
        let mut to = end;
        loop {
            let (distance, from) = reached[to];
            if distance == usize::MAX {
                return None;
            }
            path.splice(0..0, self.step(from, to)?.iter().copied());
            to = from;
            if to == start {
                return Some(path);
            }
        }
    }

    /// The cycle with the fewest base edges.
    pub(super) fn shortest_cycle(&self) -> Option<Vec<Edge>> {
        let mut best: Option<Vec<Edge>> = None;
        for start in 0..self.events {
            let reached = self.reach(start, Some(start));
            if reached[start].0 < best.as_ref().map_or(usize::MAX, Vec::len) {
                best = self.path(&reached, start, start);
            }
        }
        best
    }
}

/// po between the events of each thread, transitive.
pub(super) fn add_po(edges: &mut Edges, graph: &Execution) {
    for thread in 0..graph.threads() {
        let events = graph.thread(ThreadId(thread as u16));
        for (at, &a) in events.iter().enumerate() {
            events[at + 1..].iter().for_each(|&b| edges.add(a, b, RelationName::Po));
        }
    }
}

/// pb, and the order of messages.
fn add_messages(edges: &mut Edges, graph: &Execution) {
    if !graph.has_handlers() {
        return;
    }
    graph.posted_by().for_each(|(post, get)| edges.add(post, get, RelationName::Pb));
    graph.message_order().into_iter().for_each(|(a, b)| edges.add(a, b, RelationName::Mo));
}

/// The violation of what every model asks for.
pub(super) fn flaw(graph: &Execution, flaw: Flaw) -> Violation {
    match flaw {
        Flaw::ThinAir => {
            let mut edges = Edges::new(graph.len());
            add_po(&mut edges, graph);
            edges.add_all(&graph.rf_relation(), RelationName::Rf);
            Violation {
                axiom: NO_THIN_AIR.name.to_owned(),
                cycle: edges.shortest_cycle().expect("porf is cyclic"),
                remark: "The cycle does not depend on the coherence order (co).".to_owned(),
            }
        }
        Flaw::Messages => {
            let mut edges = Edges::new(graph.len());
            add_po(&mut edges, graph);
            edges.add_all(&graph.rf_relation(), RelationName::Rf);
            add_messages(&mut edges, graph);
            Violation {
                axiom: MAILBOXES.name.to_owned(),
                cycle: edges.shortest_cycle().expect("the order of messages is cyclic"),
                remark: "The cycle does not depend on the coherence order (co).".to_owned(),
            }
        }
        Flaw::Atomicity(a, b) => Violation {
            axiom: ATOMICITY.name.to_owned(),
            cycle: vec![
                Edge { from: a, to: b, relation: RelationName::Fr },
                Edge { from: b, to: a, relation: RelationName::Fr },
            ],
            remark: "Both read-modify-writes read the same write. Each would have to come immediately after it in co, \
                 and so before the other one."
                .to_owned(),
        },
    }
}

/// The violation that a failed search ended in.
pub(super) fn conflict(problem: &Problem<'_>, state: &State, branched: bool) -> Violation {
    let rules = problem.rules;
    let violation = |axiom: Axiom, cycle: Vec<Edge>, branched| Violation {
        axiom: axiom.name.to_owned(),
        remark: remark(problem, &cycle, branched),
        cycle,
    };
    let found = match (rules.causality, rules.local, rules.global) {
        (Some(causality), ..) => hidden_cycle(problem, state).map(|cycle| (causality, cycle)),
        (None, Some(coherence), Some(order)) => {
            // Where coherence alone is violated, the explanation should not need the other axiom.
            let mut alone = Problem::new(rules, problem.view);
            alone.global = Global::None;
            let mut search = Search::new(&alone, true);
            if search.solve(alone.start.clone(), false).is_none()
                && let Some(failed) = &search.failed
                && let Some(cycle) = local_cycle(&alone, failed)
            {
                return violation(coherence.axiom, cycle, search.branched);
            }
            match global_cycle(problem, state) {
                Some(cycle) => Some((order.axiom, cycle)),
                None => local_cycle(problem, state).map(|cycle| (coherence.axiom, cycle)),
            }
        }
        (None, coherence, order) => {
            let local = || coherence.and_then(|order| Some((order.axiom, local_cycle(problem, state)?)));
            let global = || order.and_then(|order| Some((order.axiom, global_cycle(problem, state)?)));
            let psc = || rules.psc.and_then(|psc| Some((psc.axiom, psc_cycle(problem, state)?)));
            local().or_else(global).or_else(psc)
        }
    };
    let (axiom, cycle) = found.expect("a conflict is a cycle of the model's relations");
    violation(axiom, cycle, branched)
}

fn remark(problem: &Problem<'_>, cycle: &[Edge], branched: bool) -> String {
    let uses = |relation| cycle.iter().any(|edge| edge.relation == relation);
    let coherence = uses(RelationName::Co) || uses(RelationName::Fr);
    let text = if problem.rules.causality.is_some() {
        if branched {
            "The read takes a write that another write overwrites before the read happens. Every order of the SC \
             fences has such a read. This one is from the last order that the search tried."
        } else {
            "The read takes a write that another write overwrites before the read happens."
        }
    } else if branched && !problem.fences.is_empty() {
        "Every order of the SC fences and the writes has a cycle. This cycle is from the last order that the search \
         tried."
    } else if branched && coherence {
        "Every coherence order has a cycle. This cycle is from the last order that the search tried."
    } else if coherence {
        "The co and fr edges of this cycle hold in every coherence order that the rest of the graph allows."
    } else {
        "The cycle does not depend on the coherence order (co)."
    };
    text.to_owned()
}

fn known(problem: &Problem<'_>, state: &State) -> Relation {
    believable_co(problem.view, |a, b| problem.co(state, a, b))
}

/// What is known of co, but for edges to initial writes. These are concluded from a write `w` before a read `r` of the
/// initial write, where `w`, `r` and `r fr w` are a cycle already; it says more than that `w` would have to precede the
/// initial write.
fn believable_co(view: &View<'_>, known: impl FnMut(EventId, EventId) -> bool) -> Relation {
    known_co(view, known).filter(|_, w| !view.graph.event(w).is_init())
}

/// What hb of the model is the closure of.
pub(super) fn hb_edges(rules: &Rules, view: &View<'_>, added: &[Edge]) -> Edges {
    let mut edges = Edges::new(view.len());
    add_po(&mut edges, view.graph);
    if let Some(rseq) = rules.rseq() {
        edges.add_all(&synchronises_with(view, rseq), RelationName::Sw);
    } else {
        edges.add_all(&view.graph.rf_relation(), RelationName::Rf);
        for edge in added.iter().filter(|edge| edge.relation == RelationName::ScFence) {
            edges.add(edge.from, edge.to, RelationName::ScFence);
        }
    }
    edges
}

/// hb of the model, as shortest paths of its base relations.
pub(super) fn hb_paths(rules: &Rules, view: &View<'_>, added: &[Edge]) -> Paths {
    hb_edges(rules, view, added).all_paths()
}

/// What the local order has besides co and fr.
pub(super) fn local_steps(rules: &Rules, view: &View<'_>, added: &[Edge]) -> Steps {
    let mut steps = Steps::new(view.len());
    if rules.happens_before.is_some() {
        let paths = hb_paths(rules, view, added);
        for a in view.graph.ids() {
            for b in view.graph.ids().filter(|&b| view.same_location(a, b)) {
                if let Some(path) = paths.get(a, b) {
                    steps.add(a, b, path.to_vec());
                }
            }
        }
    } else {
        let mut po = Edges::new(view.len());
        add_po(&mut po, view.graph);
        for edge in po.from.iter().flatten().filter(|edge| view.same_location(edge.from, edge.to)) {
            steps.add_edge(edge.from, edge.to, RelationName::Po);
        }
    }
    steps.add_all(&view.graph.rf_relation(), RelationName::Rf);
    steps
}

/// A cycle of the local order: what the model keeps of po, rf, co and fr on one location.
fn local_cycle(problem: &Problem<'_>, state: &State) -> Option<Vec<Edge>> {
    debug_assert_eq!(problem.local, Local::CoFr);
    let view = problem.view;
    let mut steps = local_steps(problem.rules, view, &state.added);
    add_added_co(&mut steps, view, state);
    if problem.global != Global::None {
        let global = believable_co(view, |a, b| state.global.contains(a, b));
        steps.add_all(&global, RelationName::Co);
    }
    steps.add_all(&from_read(view, &known(problem, state)), RelationName::Fr);
    steps.shortest_cycle()
}

fn add_added_co(steps: &mut Steps, view: &View<'_>, state: &State) {
    let co = state.added.iter().filter(|edge| edge.relation == RelationName::Co);
    for edge in co.filter(|edge| !view.graph.event(edge.to).is_init()) {
        steps.add_edge(edge.from, edge.to, RelationName::Co);
    }
}

/// What the global order has besides co and fr.
pub(super) fn global_steps(rules: &Rules, view: &View<'_>, added: &[Edge]) -> Steps {
    let mut steps = Steps::new(view.len());
    let mut edges = Edges::new(view.len());
    match rules.buffers {
        Some(buffers) => edges.add_all(&buffers.preserved(view), RelationName::Ppo),
        None => add_po(&mut edges, view.graph),
    }
    add_messages(&mut edges, view.graph);
    for edge in edges.from.iter().flatten() {
        steps.add_edge(edge.from, edge.to, edge.relation);
    }
    for reading in &view.readings {
        let external = view.graph.event(reading.source).thread() != view.graph.event(reading.read).thread();
        if external || rules.buffers.is_none() {
            steps.add_edge(reading.source, reading.read, RelationName::Rf);
        }
    }
    for edge in added.iter().filter(|edge| edge.relation == RelationName::ScFence) {
        steps.add_edge(edge.from, edge.to, RelationName::ScFence);
    }
    steps
}

/// A cycle of the global order.
fn global_cycle(problem: &Problem<'_>, state: &State) -> Option<Vec<Edge>> {
    let view = problem.view;
    let graph = view.graph;
    let mut steps = global_steps(problem.rules, view, &state.added);
    let mut co = known_co(view, |a, b| problem.local != Local::None && state.local.contains(a, b));
    for edge in state.added.iter().filter(|edge| edge.relation == RelationName::Co) {
        co.insert(edge.from, edge.to);
    }
    if problem.local != Local::None {
        // What the search would have concluded next, had it not met the conflict first.
        for reading in &view.readings {
            for &other in view.writes(reading.location) {
                if other != reading.source && other != reading.read && state.local.contains(other, reading.read) {
                    co.insert(other, reading.source);
                }
            }
        }
    }
    let co = co.filter(|_, w| !graph.event(w).is_init());
    steps.add_all(&co, RelationName::Co);
    if problem.global == Global::CoFr {
        // Without those that contradict the co edges: the global order has a path that says the same.
        let co = co.transitive_closure();
        let contradicted = |read, write| graph.source(read).is_some_and(|source| co.contains(write, source));
        let fr = from_read(view, &known(problem, state)).filter(|read, write| !contradicted(read, write));
        steps.add_all(&fr, RelationName::Fr);
    }
    steps.shortest_cycle()
}

/// Without co: from a write to the read that it hides the source from, and back.
fn hidden_cycle(problem: &Problem<'_>, state: &State) -> Option<Vec<Edge>> {
    let (read, write) = problem.hidden(state)?;
    let mut cycle = hb_paths(problem.rules, problem.view, &state.added).get(write, read)?.to_vec();
    cycle.push(Edge { from: read, to: write, relation: RelationName::Fr });
    Some(cycle)
}

/// A cycle of psc in base relations.
fn psc_cycle(problem: &Problem<'_>, state: &State) -> Option<Vec<Edge>> {
    psc_cycle_with(problem, &known(problem, state))
}

/// A cycle of psc as far as co is known.
pub(super) fn psc_cycle_with(problem: &Problem<'_>, co: &Relation) -> Option<Vec<Edge>> {
    let mut steps = Steps::new(problem.view.len());
    each_psc_path(problem, problem.sc.as_ref()?, co, None, &mut |[a, _, _, b], _, path| steps.add(a, b, path));
    steps.shortest_cycle()
}

/// Calls `found` with what [`ScOrder::each_step`] has and a path for it: of all of psc, or of one pair of it.
pub(super) fn each_psc_path(
    problem: &Problem<'_>,
    sc: &ScOrder,
    co: &Relation,
    only: Option<(EventId, EventId)>,
    found: &mut dyn FnMut([EventId; 4], Middle, Vec<Edge>),
) {
    let view = problem.view;
    let hb = hb_paths(problem.rules, view, &[]);
    let mut communication = Edges::new(view.len());
    communication.add_all(&view.graph.rf_relation(), RelationName::Rf);
    let fr = from_read(view, co);
    communication.add_all(co, RelationName::Co);
    communication.add_all(&fr, RelationName::Fr);
    let eco = communication.all_paths();
    let po = view.po();
    // The shortest way along po, or po, hb and po.
    let strongly = |from: EventId, to: EventId| {
        if po.contains(from, to) {
            return Some(vec![Edge { from, to, relation: RelationName::Po }]);
        }
        let ends = || {
            let event = view.graph.event(to);
            view.graph.thread(event.thread())[..event.key.serial as usize - 1].iter().copied()
        };
        let ways = po.successors(from).flat_map(|start| ends().map(move |end| (start, end)));
        let way = |(start, end): (EventId, EventId)| {
            let middle = if start == end { &[][..] } else { hb.get(start, end)? };
            let edge = |from, to| Edge { from, to, relation: RelationName::Po };
            Some([&[edge(from, start)], middle, &[edge(end, to)]].concat())
        };
        ways.filter_map(way).min_by_key(Vec::len)
    };
    sc.each_step(view, co, &mut |[a, c, d, b], by| {
        if only.is_some_and(|only| only != (a, b)) {
            return;
        }
        if by == Middle::Shb {
            strongly(a, b).into_iter().for_each(|path| found([a, c, d, b], by, path));
            return;
        }
        let direct;
        let leg = |from: EventId, to: EventId| if from == to { Some(&[][..]) } else { hb.get(from, to) };
        let middle = if by == Middle::Eco {
            eco.get(c, d)
        } else {
            direct = [(co, RelationName::Co), (&fr, RelationName::Fr)]
                .into_iter()
                .find(|(pairs, _)| pairs.contains(c, d))
                .map(|(_, relation)| Edge { from: c, to: d, relation });
            direct.as_ref().map(std::slice::from_ref).or_else(|| hb.get(c, d))
        };
        if let (Some(first), Some(middle), Some(last)) = (leg(a, c), middle, leg(d, b)) {
            found([a, c, d, b], by, [first, middle, last].concat());
        }
    });
}
