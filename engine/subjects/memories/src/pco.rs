//! Whether an execution graph without read-modify-writes is allowed by causal memory models, by what its reads force of the order of
//! writes.
//!
//! Section 2.2 of the thesis: a read of `w` that knows another write `u` of the variable puts u before w, `u pco w`. As nothing else has to
//! be in order, no search is needed: what is asked is whether the order has a cycle. pco is what wb concludes in its first round
//! ([`crate::model`]). Of the writes that a read knows, the last one of each thread is enough: earlier ones come before it in po.

use crate::budget::{Budget, Paused};
use crate::graph::{EventId, Execution, ThreadId};
use crate::program::Location;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What an implementation of memory may be asked to be, from strong to weak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Causality {
    /// po, rf and pco have no cycle.
    Strong,
    /// po, rf and the pco of each variable have no cycle.
    ReleaseAcquire,
    /// No read takes a write that hb leads from to another write that it knows.
    Weak,
}

impl Causality {
    /// All of them, from weak to strong.
    pub const ALL: [Self; 3] = [Self::Weak, Self::ReleaseAcquire, Self::Strong];

    /// The name of the memory model, as the command line writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strong => "sra",
            Self::ReleaseAcquire => "ra",
            Self::Weak => "wra",
        }
    }
}

/// That a write has to come before another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pco {
    /// The earlier write.
    pub from: EventId,
    /// The later one, which `read` takes.
    pub to: EventId,
    /// The read, which knows the earlier one.
    pub read: EventId,
}

/// An edge of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CycleEdge {
    /// Program order, from an event to the next one of its thread, or from an initial write to the first event of a thread.
    Po(EventId, EventId),
    /// From a write to a read of it.
    Rf(EventId, EventId),
    /// What a read forces.
    Pco(Pco),
}

impl CycleEdge {
    /// From which event to which.
    pub const fn ends(self) -> (EventId, EventId) {
        match self {
            Self::Po(from, to) | Self::Rf(from, to) => (from, to),
            Self::Pco(pco) => (pco.from, pco.to),
        }
    }
}

/// What a graph's reads force, and the clocks that tell what happens before what.
#[derive(Clone, Debug)]
pub struct CausalCheck<'g> {
    graph: &'g Execution,
    /// By event and thread: how many events of the thread happen before it or are it.
    clocks: Vec<u32>,
    threads: usize,
    /// What is forced, by the reads.
    pub pco: Vec<Pco>,
}

impl<'g> CausalCheck<'g> {
    /// Looks at a graph whose events come behind their sources. O(n t log n) for n events of t threads.
    ///
    /// # Panics
    /// If it has read-modify-writes, for which this is not enough.
    pub fn new(graph: &'g Execution) -> Self {
        let threads = graph.threads();
        let mut clocks = vec![0_u32; graph.len() * threads];
        // By variable and thread: its writes so far, by place in the thread.
        let mut writes: FxHashMap<(Location, usize), Vec<(u32, EventId)>> = FxHashMap::default();
        let mut pco = Vec::new();
        for (e, event) in graph.events().filter(|(_, event)| !event.is_init()) {
            assert!(!event.is_update(), "read-modify-writes need more");
            let (thread, own) = (event.thread().index(), event.key.serial);
            let before = graph.thread(event.thread()).get((own as usize).wrapping_sub(2)).copied();
            for source in before.into_iter().chain(graph.source(e)) {
                for at in 0..threads {
                    let known = clocks[source.index() * threads + at];
                    let clock = &mut clocks[e.index() * threads + at];
                    *clock = (*clock).max(known);
                }
            }
            clocks[e.index() * threads + thread] = own;
            if let Some(location) = event.location().filter(|_| event.is_write()) {
                writes.entry((location, thread)).or_default().push((own, e));
            }
            let Some((source, location)) = graph.source(e).zip(event.location()) else { continue };
            // An initial write comes before all others, and so forces nothing new.
            for at in 0..threads {
                let known = clocks[e.index() * threads + at];
                let of_thread = writes.get(&(location, at)).map_or(&[][..], Vec::as_slice);
                let last = of_thread[..of_thread.partition_point(|write| write.0 <= known)].last().map(|write| write.1);
                pco.extend(last.filter(|last| *last != source).map(|from| Pco { from, to: source, read: e }));
            }
        }
        Self { graph, clocks, threads, pco }
    }

    /// Whether an event happens before another one. Initial writes happen before everything.
    pub fn happens_before(&self, a: EventId, b: EventId) -> bool {
        let (first, second) = (self.graph.event(a), self.graph.event(b));
        match (first.is_init(), second.is_init()) {
            (_, true) => false,
            (true, false) => true,
            _ => a != b && self.clocks[b.index() * self.threads + first.thread().index()] >= first.key.serial,
        }
    }

    /// The pco edge that another write makes a contradiction of, for [`Causality::Weak`].
    fn stale(&self) -> Option<Pco> {
        // What is read happens before what the read knows.
        self.pco.iter().copied().find(|pco| self.happens_before(pco.to, pco.from))
    }

    /// Whether a graph is allowed.
    pub fn allows(&self, causality: Causality) -> bool {
        self.cycle(causality).is_none()
    }

    /// The weakest that the graph violates.
    pub fn weakest_violated(&self) -> Option<Causality> {
        Causality::ALL.into_iter().find(|causality| !self.allows(*causality))
    }

    /// A shortest cycle that should not be, edge by edge; `None` if the graph is allowed.
    pub fn cycle(&self, causality: Causality) -> Option<Vec<CycleEdge>> {
        self.cycle_within(causality, &mut Budget::unlimited()).unwrap_or_default()
    }

    /// The same, as long as a budget lasts: O(p n) for p pairs in pco and n events.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so.
    pub fn cycle_within(&self, causality: Causality, budget: &mut Budget) -> Result<Option<Vec<CycleEdge>>, Paused> {
        match causality {
            Causality::Weak => {
                let Some(pco) = self.stale() else { return Ok(None) };
                let way = self.edges(&[]).way(pco.to, pco.from, budget)?;
                Ok(way.map(|way| [vec![CycleEdge::Pco(pco)], way].concat()))
            }
            Causality::ReleaseAcquire => {
                let mut by_location: FxHashMap<Option<Location>, Vec<Pco>> = FxHashMap::default();
                for pco in &self.pco {
                    by_location.entry(self.graph.event(pco.from).location()).or_default().push(*pco);
                }
                let mut all: Vec<_> = by_location.into_iter().collect();
                all.sort_unstable_by_key(|(location, _)| *location);
                let mut best: Option<Vec<CycleEdge>> = None;
                for (_, pco) in all {
                    let found = self.shortest(&pco, budget)?;
                    best = best.into_iter().chain(found).min_by_key(Vec::len);
                }
                Ok(best)
            }
            Causality::Strong => self.shortest(&self.pco, budget),
        }
    }

    /// A shortest cycle of po, rf and these.
    fn shortest(&self, pco: &[Pco], budget: &mut Budget) -> Result<Option<Vec<CycleEdge>>, Paused> {
        let edges = self.edges(pco);
        let mut best: Option<Vec<CycleEdge>> = None;
        for first in pco {
            let Some(way) = edges.way(first.to, first.from, budget)? else { continue };
            if best.as_ref().is_none_or(|best| way.len() + 1 < best.len()) {
                best = Some([vec![CycleEdge::Pco(*first)], way].concat());
            }
        }
        Ok(best)
    }

    /// po, rf and these, by the event that they lead from.
    fn edges(&self, pco: &[Pco]) -> Edges {
        let mut from: Vec<Vec<CycleEdge>> = vec![Vec::new(); self.graph.len()];
        for (e, event) in self.graph.events() {
            if event.is_init() {
                let firsts = (0..self.threads).filter_map(|at| self.graph.thread(ThreadId(at as u16)).first());
                from[e.index()].extend(firsts.map(|first| CycleEdge::Po(e, *first)));
            } else if let Some(next) = self.graph.thread(event.thread()).get(event.key.serial as usize) {
                from[e.index()].push(CycleEdge::Po(e, *next));
            }
        }
        for (e, _) in self.graph.events() {
            if let Some(source) = self.graph.source(e) {
                from[source.index()].push(CycleEdge::Rf(source, e));
            }
        }
        for pco in pco {
            from[pco.from.index()].push(CycleEdge::Pco(*pco));
        }
        Edges(from)
    }
}

/// Edges by the event that they lead from.
struct Edges(Vec<Vec<CycleEdge>>);

impl Edges {
    /// A shortest way from an event to another one.
    fn way(&self, from: EventId, to: EventId, budget: &mut Budget) -> Result<Option<Vec<CycleEdge>>, Paused> {
        budget.count(1 + self.0.len() as u64 / 16)?;
        let mut by: Vec<Option<CycleEdge>> = vec![None; self.0.len()];
        let mut work = VecDeque::from([from]);
        while let Some(e) = work.pop_front() {
            budget.count(1)?;
            for edge in &self.0[e.index()] {
                let (_, next) = edge.ends();
                if next == from || by[next.index()].is_some() {
                    continue;
                }
                by[next.index()] = Some(*edge);
                if next == to {
                    let mut way = Vec::new();
                    let mut at = to;
                    while let Some(edge) = by[at.index()] {
                        way.push(edge);
                        at = edge.ends().0;
                        if at == from {
                            break;
                        }
                    }
                    way.reverse();
                    return Ok(Some(way));
                }
                work.push_back(next);
            }
        }
        Ok(None)
    }
}
