//! A graph as the models look at it: indexed by location and sorted along porf.

use crate::graph::{EventId, Execution, Relation};

/// A read with its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub read: EventId,
    pub source: EventId,
    /// Number of the location.
    pub location: usize,
}

/// An execution whose porf is acyclic and no write of which is read by two read-modify-writes.
#[derive(Debug)]
pub(super) struct View<'g> {
    pub graph: &'g Execution,
    /// How many initial writes there are: they are the first events, one a location.
    pub locations: usize,
    /// The other events in an order that po and rf agree with.
    pub order: Vec<EventId>,
    /// The reads that have a source.
    pub readings: Vec<Reading>,
    /// Whether any event reads and writes.
    pub has_updates: bool,
    writes: Vec<EventId>,
    /// [`Execution::message_order`], if there are handlers.
    pub messages: Vec<(EventId, EventId)>,
    /// Where each location's writes start in `writes`, and the end.
    starts: Vec<u32>,
}

/// What no model allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// porf is cyclic.
    ThinAir,
    /// porf with the order of messages is cyclic.
    Messages,
    /// Two read-modify-writes read one write.
    Atomicity(EventId, EventId),
}

impl<'g> View<'g> {
    /// Linear in the number of events times that of threads.
    pub(super) fn new(graph: &'g Execution) -> Result<Self, Flaw> {
        Self::build(graph, true)
    }

    /// Also for graphs where two read-modify-writes read one write.
    pub(super) fn without_atomicity(graph: &'g Execution) -> Result<Self, Flaw> {
        Self::build(graph, false)
    }

    fn build(graph: &'g Execution, atomicity: bool) -> Result<Self, Flaw> {
        let locations = graph.events().take_while(|(_, event)| event.is_init()).count();
        let messages = if graph.has_handlers() { graph.message_order() } else { Vec::new() };
        let Some(order) = order(graph, locations, &messages) else {
            let is_porf = !messages.is_empty() && order(graph, locations, &[]).is_some();
            return Err(if is_porf { Flaw::Messages } else { Flaw::ThinAir });
        };
        let mut readings = Vec::with_capacity(order.len());
        let mut starts = vec![0; locations + 2];
        let mut has_updates = false;
        let mut update_of = vec![None; graph.len()];
        for (e, event) in graph.events() {
            let Some(location) = event.location().map(|location| location.0 as usize) else { continue };
            if event.is_write() {
                starts[location + 2] += 1;
            }
            if let Some(source) = graph.source(e) {
                readings.push(Reading { read: e, source, location });
                if event.is_update() {
                    has_updates = true;
                    if let Some(other) = update_of[source.index()].replace(e)
                        && atomicity
                    {
                        return Err(Flaw::Atomicity(other, e));
                    }
                }
            }
        }
        for location in 2..starts.len() {
            starts[location] += starts[location - 1];
        }
        let mut writes = vec![EventId(0); starts[locations + 1] as usize];
        for (e, event) in graph.events().filter(|(_, event)| event.is_write()) {
            let location = event.location().expect("a write has a location").0 as usize;
            writes[starts[location + 1] as usize] = e;
            starts[location + 1] += 1;
        }
        starts.pop();
        Ok(Self { graph, locations, order, readings, has_updates, writes, starts, messages })
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.graph.len()
    }

    /// The writes of a location, the initial one first, then in the order they were added.
    pub(super) fn writes(&self, location: usize) -> &[EventId] {
        &self.writes[self.starts[location] as usize..self.starts[location + 1] as usize]
    }

    /// The event before `e` in its thread.
    pub(super) fn po_predecessor(&self, e: EventId) -> Option<EventId> {
        let key = self.graph.event(e).key;
        (key.serial > 1).then(|| self.graph.thread(key.thread)[key.serial as usize - 2])
    }

    /// Whether two events access one location.
    pub(super) fn same_location(&self, a: EventId, b: EventId) -> bool {
        let location = self.graph.event(a).location();
        location.is_some() && location == self.graph.event(b).location()
    }

    /// The transitive closure of a part of porf, given by predecessors, with the initial writes before all other
    /// events. `predecessors` calls its second argument with each predecessor of its first.
    pub(super) fn closure(&self, mut predecessors: impl FnMut(EventId, &mut dyn FnMut(EventId))) -> Relation {
        let mut closure = Relation::new(self.len());
        for &e in self.order.iter().rev() {
            predecessors(e, &mut |before| {
                if closure.insert(before, e) {
                    closure.add_row(before, e);
                }
            });
        }
        for init in (0..self.locations as u32).map(EventId) {
            for &e in &self.order {
                closure.insert(init, e);
            }
        }
        closure
    }

    /// hb of the release-acquire models: (po ∪ rf)⁺; with handlers, pb and the order of messages are part of it.
    pub(super) fn porf(&self) -> Relation {
        let mut earlier = vec![Vec::new(); if self.messages.is_empty() { 0 } else { self.len() }];
        for (post, later) in &self.messages {
            earlier[later.index()].push(*post);
        }
        self.closure(|e, predecessor| {
            earlier.get(e.index()).into_iter().flatten().copied().for_each(&mut *predecessor);
            self.po_predecessor(e).into_iter().for_each(&mut *predecessor);
            self.graph.source(e).into_iter().for_each(predecessor);
        })
    }

    /// po.
    pub(super) fn po(&self) -> Relation {
        self.closure(|e, predecessor| self.po_predecessor(e).into_iter().for_each(predecessor))
    }

    /// (base ∩ same location ∪ rf)⁺ for a transitive part of porf.
    pub(super) fn by_location(&self, base: &Relation) -> Relation {
        let mut accesses = Relation::new(self.len());
        for (e, event) in self.graph.events() {
            if let Some(location) = event.location() {
                accesses.insert(EventId(location.0), e);
            }
        }
        let mut result = Relation::new(self.len());
        for (e, event) in self.graph.events() {
            if let Some(location) = event.location() {
                result.set_row_to_intersection(e, (base, e), (&accesses, EventId(location.0)));
            }
        }
        for reading in &self.readings {
            result.insert_closed(reading.source, reading.read);
        }
        result
    }
}

/// The events but the initial writes in an order that po, rf and the order of messages agree with.
fn order(graph: &Execution, locations: usize, messages: &[(EventId, EventId)]) -> Option<Vec<EventId>> {
    let mut earlier = vec![Vec::new(); if messages.is_empty() { 0 } else { graph.len() }];
    for (post, later) in messages {
        earlier[later.index()].push(*post);
    }
    let mut order = Vec::with_capacity(graph.len() - locations);
    let mut placed = vec![false; graph.len()];
    placed[..locations].fill(true);
    let mut next = vec![0; graph.threads()];
    loop {
        let before = order.len();
        for (thread, next) in next.iter_mut().enumerate() {
            let events = graph.thread(crate::graph::ThreadId(thread as u16));
            while let Some(&e) = events.get(*next)
                && graph.source(e).is_none_or(|source| placed[source.index()])
                && earlier.get(e.index()).is_none_or(|earlier| earlier.iter().all(|post| placed[post.index()]))
            {
                placed[e.index()] = true;
                order.push(e);
                *next += 1;
            }
        }
        if order.len() + locations == graph.len() {
            return Some(order);
        }
        if order.len() == before {
            return None;
        }
    }
}

/// The pairs of writes of one location that are known to be in co.
pub(super) fn known_co(view: &View<'_>, mut known: impl FnMut(EventId, EventId) -> bool) -> Relation {
    let mut co = Relation::new(view.len());
    for location in 0..view.locations {
        for &a in view.writes(location) {
            for &b in view.writes(location) {
                if known(a, b) {
                    co.insert(a, b);
                }
            }
        }
    }
    co
}

/// fr = (rf⁻¹ ; co) without the identity.
pub(super) fn from_read(view: &View<'_>, co: &Relation) -> Relation {
    let mut fr = Relation::new(view.len());
    for reading in &view.readings {
        for later in co.successors(reading.source).filter(|&later| later != reading.read) {
            fr.insert(reading.read, later);
        }
    }
    fr
}
