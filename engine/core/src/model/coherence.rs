//! The search for a coherence order that all models share: saturation first, branching where that does not decide.
//!
//! A model says which orders have to be acyclic, and what of po and rf is in them:
//!
//! - a *local* order, between accesses of one location: what the model keeps of po there, rf, co and fr;
//! - a *global* order, between all events: what the model keeps of po and rf, and co, perhaps fr.
//!
//! Both are kept transitively closed as bit matrices; what they say about two writes of a location is co as far as it
//! is known. Until nothing changes, the search applies, for a read `r` of `w` and another write `w'` of the location:
//!
//! - if `w co w'`, then `r fr w'`;
//! - if `w'` is before `r` in an order that fr is part of, then `w' co w`, since otherwise `r fr w'`;
//! - what one order says about two writes, the other says too.
//!
//! That a read-modify-write comes immediately behind its source needs no rule of its own: it is the `r` of the first
//! two. (So whole chains of read-modify-writes are ordered as blocks, which the published writes-before relation misses:
//! Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly Consistent Libraries", PLDI 2019, appendix B, as
//! printed accepts inconsistent graphs.) Where only the local order counts, saturation decides: at a fixed point, any
//! order of the chains that extends the local order is a witness. Otherwise two writes are chosen that are not ordered
//! yet and both ways are tried.
//!
//! Saturation adds at most one pair of writes or a read and a write at a time, each at the cost of one pass over a
//! matrix: polynomial. With branching, exponential at worst; consistency is NP-complete for SC, TSO and PSO (Gibbons and
//! Korach, "Testing Shared Memories", 1997), and for SRA with read-modify-writes. So a search is a stack of states
//! ([`Stack`]) that can be put aside whenever its [`Meter`] says so.
//!
//! It decides everything, so it is the oracle of what decides sooner ([`super::stages`]). It also finds the reasons
//! (`explain.rs`, for a graph that a stage has refused), counts orders
//! ([`Model::coherence_count`](super::Model::coherence_count)), and draws wb, which is what its saturation says.

use super::found::Found;
use super::psc::ScOrder;
use super::rules::{HappensBefore, Order, Rules};
use super::synchronisation::happens_before;
use super::view::View;
use crate::budget::{Budget, Halt, Meter};
use crate::graph::{Edge, EventId, Label, Relation, RelationName};
use crate::program::{Location, Mode};

/// What the local order consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Local {
    /// There is none: the global order says all.
    None,
    /// hb and co, without fr.
    Co,
    /// What the model keeps of po, with rf, co and fr.
    CoFr,
}

/// What the global order contains besides its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Global {
    /// There is none.
    None,
    /// co.
    Co,
    /// co and fr.
    CoFr,
}

/// What is known at one point of the search.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// hb with the SC fences ordered so far, where it is (po ∪ rf)⁺. Empty elsewhere.
    pub hb: Relation,
    /// The local order, closed.
    pub local: Relation,
    /// The global order, closed.
    pub global: Relation,
    /// The co and fence edges added, for explanations; kept only if the search explains.
    pub added: Vec<Edge>,
}

/// One graph under one model.
#[derive(Debug)]
pub(super) struct Problem<'v> {
    pub view: &'v View<'v>,
    pub rules: &'static Rules,
    pub local: Local,
    pub global: Global,
    /// SC fences, if the model orders them.
    pub fences: Vec<EventId>,
    /// psc, where the graph has SC events.
    pub sc: Option<ScOrder>,
    /// What is known at first.
    pub start: State,
}

/// Where a saturation is: at a reading, or behind these at a location; there at a write, or a pair of writes; and whether
/// the pass has changed anything yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    at: usize,
    other: usize,
    changed: bool,
}

/// A point of a search.
#[derive(Clone, Debug)]
struct Node {
    state: State,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The rules are applied.
    Saturate(Cursor),
    /// Two events are looked for that can be ordered either way.
    Choose,
    /// Two events can be ordered either way; whether the first way was tried.
    Split { pair: (EventId, EventId), relation: RelationName, tried: bool },
}

/// What a search still has to look at, the next state last. It belongs to one graph under one model.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack(Vec<Node>);

impl Stack {
    /// A search from a state on.
    pub(super) fn new(state: State) -> Self {
        Self(vec![Node { state, stage: Stage::Saturate(Cursor::default()) }])
    }
}

/// The search for final writes, put aside between two states.
#[derive(Clone, Debug, Default)]
pub(super) struct Finals {
    levels: Vec<Level>,
    /// By level but the first: the last write that was chosen for it.
    chosen: Vec<EventId>,
    /// What was found.
    pub found: Found,
}

#[derive(Clone, Debug)]
struct Level {
    state: State,
    /// Where its saturation is; `None` behind its end.
    saturating: Option<Cursor>,
    /// Which write of the level's location is tried next.
    next: usize,
    /// All last writes are chosen, and a co is looked for.
    solving: Option<Stack>,
}

impl Finals {
    /// The search before its start.
    pub(super) fn new(start: State, found: Found) -> Self {
        Self { levels: vec![Level::new(start)], found, ..Self::default() }
    }
}

impl Level {
    fn new(state: State) -> Self {
        Self { state, saturating: Some(Cursor::default()), next: 0, solving: None }
    }
}

/// A search and what it remembers to explain a failure.
pub(super) struct Search<'p> {
    problem: &'p Problem<'p>,
    explain: bool,
    /// The last state that led to a conflict.
    pub failed: Option<State>,
    /// Whether anything was ever chosen.
    pub branched: bool,
}

/// How much a search has to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// All of co, not just what consistency depends on.
    pub all_co: bool,
    /// The order of the SC fences.
    pub fences: bool,
}

impl Extent {
    /// Whether there is a co at all.
    pub(super) const CONSISTENCY: Self = Self { all_co: false, fences: true };
}

impl Local {
    fn new(order: Option<Order>) -> Self {
        order.map_or(Self::None, |order| if order.has_fr { Self::CoFr } else { Self::Co })
    }
}

impl Global {
    fn new(order: Option<Order>) -> Self {
        order.map_or(Self::None, |order| if order.has_fr { Self::CoFr } else { Self::Co })
    }
}

impl<'v> Problem<'v> {
    /// What a model asks of a graph.
    pub(super) fn new(rules: &'static Rules, view: &'v View<'v>) -> Self {
        let none = || Relation::new(0);
        let hb = match rules.happens_before {
            None => none(),
            Some(HappensBefore::Porf) => view.porf(),
            Some(HappensBefore::Synchronised(rseq)) => happens_before(view, rseq),
        };
        let local = match (rules.local, rules.happens_before) {
            (None, _) => none(),
            (Some(_), None) => view.by_location(&view.po()),
            (Some(_), Some(_)) => view.by_location(&hb),
        };
        let global = match (rules.global, rules.buffers, rules.happens_before) {
            (None, ..) => none(),
            (_, Some(buffers), _) => buffers.order(view),
            (_, None, Some(_)) => hb.clone(),
            (_, None, None) => view.porf(),
        };
        let sc = rules.psc.and_then(|psc| ScOrder::new(view, &hb, psc.along));
        let fence = Label::Fence(Mode::SequentiallyConsistent);
        let fences = view.order.iter().copied().filter(|&e| rules.orders_fences && view.graph.event(e).label == fence);
        let fences = fences.collect();
        let hb = if rules.happens_before == Some(HappensBefore::Porf) { hb } else { none() };
        let start = State { hb, local, global, added: Vec::new() };
        let (local, global) = (Local::new(rules.local), Global::new(rules.global));
        Self { view, rules, local, global, fences, sc, start }
    }
}

impl Problem<'_> {
    /// Whether `a` is known to come before `b` in co.
    pub(super) fn co(&self, state: &State, a: EventId, b: EventId) -> bool {
        self.local != Local::None && state.local.contains(a, b)
            || self.global != Global::None && state.global.contains(a, b)
    }

    fn add_co(&self, state: &mut State, a: EventId, b: EventId) -> bool {
        if self.co(state, b, a) {
            return false;
        }
        if self.local != Local::None {
            state.local.insert_closed(a, b);
        }
        if self.global != Global::None {
            state.global.insert_closed(a, b);
        }
        true
    }

    /// What is known at first if co is given; `None` if it contradicts the rest.
    pub(super) fn with_co(&self, co: &[Vec<EventId>]) -> Option<State> {
        let mut state = self.start.clone();
        let mut neighbours = co.iter().flat_map(|order| order.windows(2));
        neighbours.all(|pair| self.add_co(&mut state, pair[0], pair[1])).then_some(state)
    }

    /// Whether fr or its contraposition applies: `a` comes before `b` in an order that fr is part of.
    fn before(&self, state: &State, a: EventId, b: EventId) -> bool {
        self.local == Local::CoFr && state.local.contains(a, b)
            || self.global == Global::CoFr && state.global.contains(a, b)
    }

    fn has_fr(&self, state: &State, a: EventId, b: EventId) -> bool {
        (self.local != Local::CoFr || state.local.contains(a, b))
            && (self.global != Global::CoFr || state.global.contains(a, b))
    }

    fn add_fr(&self, state: &mut State, a: EventId, b: EventId) -> bool {
        if self.before(state, b, a) {
            return false;
        }
        if self.local == Local::CoFr {
            state.local.insert_closed(a, b);
        }
        if self.global == Global::CoFr {
            state.global.insert_closed(a, b);
        }
        true
    }

    /// Puts a fence before another, and so all that happens before the one before all that happens after the other.
    fn add_fence(&self, state: &mut State, a: EventId, b: EventId) -> bool {
        if state.hb.contains(b, a) || self.global != Global::None && state.global.contains(b, a) {
            return false;
        }
        state.hb.insert_closed(a, b);
        if self.global != Global::None {
            state.global.insert_closed(a, b);
        }
        for (before, event) in self.view.graph.events() {
            if before != a && !state.hb.contains(before, a) {
                continue;
            }
            let Some(location) = event.location() else { continue };
            for after in self.view.graph.ids() {
                let other = self.view.graph.event(after);
                if other.location() != Some(location) || after != b && !state.hb.contains(b, after) {
                    continue;
                }
                if state.local.contains(after, before) {
                    return false;
                }
                state.local.insert_closed(before, after);
            }
        }
        true
    }

    /// About how many units of work it is to pose the problem.
    pub(super) fn cost(&self) -> u64 {
        (self.weight() + 4 * self.view.len()) as u64
    }

    /// About how many words an edge that is added to the orders touches.
    fn edge_cost(&self) -> u64 {
        (self.view.len() * (1 + self.view.len() / 256)) as u64
    }

    /// Words of a state.
    fn weight(&self) -> usize {
        3 * self.view.len() * self.view.len().div_ceil(64)
    }

    /// Applies the rules until nothing changes; `false` on a conflict. Comes back where the meter says so, to go on from
    /// the cursor.
    fn saturate(
        &self,
        state: &mut State,
        explain: bool,
        cursor: &mut Cursor,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Halt> {
        let readings = &self.view.readings;
        let fr = self.local == Local::CoFr || self.global == Global::CoFr;
        let both = self.local != Local::None && self.global != Global::None;
        let edge = self.edge_cost();
        loop {
            while let Some(reading) = readings.get(cursor.at) {
                let writes = self.view.writes(reading.location);
                if fr {
                    let (r, w) = (reading.read, reading.source);
                    while let Some(&other) = writes.get(cursor.other) {
                        cursor.other += 1;
                        if other == w || other == r {
                            continue;
                        }
                        if self.co(state, w, other) {
                            if !self.has_fr(state, r, other) {
                                if !self.add_fr(state, r, other) {
                                    return Ok(false);
                                }
                                cursor.changed = true;
                                meter.charge(edge)?;
                            }
                        } else if self.before(state, other, r) && !self.co(state, other, w) {
                            if !self.add_co(state, other, w) {
                                return Ok(false);
                            }
                            if explain {
                                state.added.push(Edge { from: other, to: w, relation: RelationName::Co });
                            }
                            cursor.changed = true;
                            meter.charge(edge)?;
                        }
                    }
                    meter.spend(writes.len() as u64)?;
                }
                (cursor.at, cursor.other) = (cursor.at + 1, 0);
            }
            while both && cursor.at - readings.len() < self.view.locations {
                let writes = &self.view.writes(cursor.at - readings.len())[1..];
                while let Some(&a) = writes.get(cursor.other / writes.len().max(1)) {
                    let b = writes[cursor.other % writes.len()];
                    cursor.other += 1;
                    if state.local.contains(a, b) != state.global.contains(a, b) {
                        if !self.add_co(state, a, b) {
                            return Ok(false);
                        }
                        cursor.changed = true;
                        meter.charge(edge)?;
                    }
                }
                meter.spend((writes.len() * writes.len()) as u64)?;
                (cursor.at, cursor.other) = (cursor.at + 1, 0);
            }
            if !cursor.changed {
                break;
            }
            *cursor = Cursor::default();
        }
        if self.rules.causality.is_some() && self.hidden(state).is_some() {
            return Ok(false);
        }
        let Some(sc) = &self.sc else { return Ok(true) };
        meter.spend(sc.cost(self.view))?;
        Ok(sc.holds(self.view, state))
    }

    /// A write that comes between a read's source and the read in hb.
    pub(super) fn hidden(&self, state: &State) -> Option<(EventId, EventId)> {
        self.view.readings.iter().find_map(|reading| {
            let (r, w) = (reading.read, reading.source);
            let mut writes = self.view.writes(reading.location).iter();
            writes.find(|&&other| state.hb.contains(w, other) && state.hb.contains(other, r)).map(|&other| (r, other))
        })
    }

    /// Whether consistency depends on how all writes of a location are ordered.
    fn decides(&self, location: usize) -> bool {
        match self.global {
            Global::CoFr => true,
            // Without read-modify-writes any order of all events that extends the global one gives a co: a write
            // between a read and its source in it would not be hb-before the read.
            Global::Co => self.view.has_updates,
            Global::None => self.sc.as_ref().is_some_and(|sc| sc.decides(location)),
        }
    }

    /// Two writes that consistency may depend on the order of; counts the pairs that were looked at.
    fn undecided_co(&self, state: &State, all: bool, looked_at: &mut u64) -> Option<(EventId, EventId)> {
        for location in 0..self.view.locations {
            let writes = &self.view.writes(location)[1..];
            if writes.len() < 2 || !(all || self.decides(location)) {
                continue;
            }
            // Neighbours first: the rest follows by transitivity.
            for distance in 1..writes.len() {
                for (&a, &b) in writes.iter().zip(&writes[distance..]) {
                    *looked_at += 1;
                    if !self.co(state, a, b) && !self.co(state, b, a) {
                        return Some((a, b));
                    }
                }
            }
        }
        None
    }

    fn undecided_fences(&self, state: &State, looked_at: &mut u64) -> Option<(EventId, EventId)> {
        self.fences.iter().enumerate().find_map(|(at, &a)| {
            let mut later = self.fences[at + 1..].iter().inspect(|_| *looked_at += 1);
            later.find(|&&b| !state.hb.contains(a, b) && !state.hb.contains(b, a)).map(|&b| (a, b))
        })
    }
}

impl<'p> Search<'p> {
    /// A search that remembers, if `explain`, how it failed.
    pub(super) fn new(problem: &'p Problem<'p>, explain: bool) -> Self {
        Self { problem, explain, failed: None, branched: false }
    }

    /// Applies the rules until nothing changes; `false` on a conflict.
    pub(super) fn saturate(&self, state: &mut State) -> bool {
        let mut budget = Budget::unlimited();
        let mut meter = Meter::unlimited(&mut budget);
        self.problem.saturate(state, self.explain, &mut Cursor::default(), &mut meter).unwrap_or(true)
    }

    /// A consistent state, total on co if asked for; however long that takes.
    pub(super) fn solve(&mut self, state: State, all_co: bool) -> Option<State> {
        let mut budget = Budget::unlimited();
        let mut meter = Meter::unlimited(&mut budget);
        self.next(&mut Stack::new(state), Extent { all_co, fences: true }, &mut meter).ok()?
    }

    /// How many total coherence orders are consistent.
    pub(super) fn count(&mut self) -> u64 {
        let mut count = 0;
        let problem = self.problem;
        let mut budget = Budget::unlimited();
        let mut meter = Meter::unlimited(&mut budget);
        let mut stack = Stack::new(problem.start.clone());
        while let Ok(Some(state)) = self.next(&mut stack, Extent { all_co: true, fences: false }, &mut meter) {
            count += u64::from(problem.fences.is_empty() || Search::new(problem, false).solve(state, true).is_some());
        }
        count
    }

    /// Finds which writes can be last in co, for each combination. At the limit, those that were found are there.
    pub(super) fn finals(
        &mut self,
        finals: &mut Finals,
        locations: &[Location],
        meter: &mut Meter<'_>,
    ) -> Result<(), Halt> {
        let problem = self.problem;
        while let Some(level) = finals.levels.last_mut() {
            if let Some(cursor) = &mut level.saturating {
                if !problem.saturate(&mut level.state, false, cursor, meter)? {
                    finals.levels.pop();
                    finals.chosen.pop();
                    continue;
                }
                level.saturating = None;
            }
            let Some(location) = locations.get(finals.chosen.len()) else {
                let solving = level.solving.get_or_insert_with(|| Stack::new(level.state.clone()));
                if self.next(solving, Extent::CONSISTENCY, meter)?.is_some()
                    && finals.found.add(finals.chosen.clone(), meter)?
                {
                    return Ok(());
                }
                finals.levels.pop();
                finals.chosen.pop();
                continue;
            };
            let writes = problem.view.writes(location.0 as usize);
            let Some(&last) = writes.get(level.next) else {
                finals.levels.pop();
                finals.chosen.pop();
                continue;
            };
            meter.spend((writes.len() + problem.weight() / 4) as u64)?;
            level.next += 1;
            if writes.iter().any(|&other| problem.co(&level.state, last, other)) {
                continue;
            }
            let mut state = level.state.clone();
            let mut others = writes.iter().filter(|&&other| other != last);
            if others.all(|&other| problem.add_co(&mut state, other, last)) {
                finals.chosen.push(last);
                finals.levels.push(Level::new(state));
            }
        }
        Ok(())
    }

    /// The next consistent state, depth first; `None` behind the last one.
    pub(super) fn next(
        &mut self,
        stack: &mut Stack,
        extent: Extent,
        meter: &mut Meter<'_>,
    ) -> Result<Option<State>, Halt> {
        let problem = self.problem;
        let Stack(nodes) = stack;
        loop {
            let depth = nodes.len();
            let Some(node) = nodes.last_mut() else { return Ok(None) };
            match &mut node.stage {
                Stage::Saturate(cursor) => {
                    if !problem.saturate(&mut node.state, self.explain, cursor, meter)? {
                        let node = nodes.pop();
                        if self.explain {
                            self.failed = node.map(|node| node.state);
                        }
                        continue;
                    }
                    node.stage = Stage::Choose;
                }
                Stage::Choose => {
                    let (state, mut looked_at) = (&node.state, 0);
                    let fences = if extent.fences { problem.undecided_fences(state, &mut looked_at) } else { None };
                    let (pair, relation) = match fences {
                        Some(pair) => (Some(pair), RelationName::ScFence),
                        None => (problem.undecided_co(state, extent.all_co, &mut looked_at), RelationName::Co),
                    };
                    meter.spend(looked_at)?;
                    let Some(pair) = pair else { return Ok(nodes.pop().map(|node| node.state)) };
                    self.branched = true;
                    node.stage = Stage::Split { pair, relation, tried: false };
                }
                Stage::Split { pair, relation, tried } => {
                    meter.hold((depth * problem.weight()) as u64)?;
                    meter.spend((1 + problem.weight() / 4) as u64 + problem.edge_cost())?;
                    let (pair, relation) = (*pair, *relation);
                    let (mut state, from, to) = if std::mem::replace(tried, true) {
                        let Some(node) = nodes.pop() else { return Ok(None) };
                        (node.state, pair.1, pair.0)
                    } else {
                        (node.state.clone(), pair.0, pair.1)
                    };
                    let possible = match relation {
                        RelationName::ScFence => problem.add_fence(&mut state, from, to),
                        _ => problem.add_co(&mut state, from, to),
                    };
                    if self.explain {
                        state.added.push(Edge { from, to, relation });
                    }
                    if possible {
                        nodes.push(Node { state, stage: Stage::Saturate(Cursor::default()) });
                    } else if self.explain {
                        self.failed = Some(state);
                    }
                }
            }
        }
    }
}
