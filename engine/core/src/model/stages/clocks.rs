//! hb without matrices: how much of each thread an event knows.

use crate::graph::{Event, EventId, Label, ThreadId};
use crate::model::rules::{HappensBefore, Rseq};
use crate::model::view::View;
use crate::program::Mode;

/// By event and thread: how many of the thread's events the event knows of, itself included. One of hb comes before another
/// exactly if the other knows of it (Mattern 1989; for release sequences as the rules of `sw` say). Takes as many steps
/// as there are events times threads.
#[derive(Debug)]
pub(super) struct Clocks {
    threads: usize,
    known: Vec<u32>,
}

/// What passes from releases to acquires, by one thread or from one event: empty where nothing does.
type Released = Vec<u32>;

/// Learns what another knows.
fn join(known: &mut [u32], other: &[u32]) {
    for (known, other) in known.iter_mut().zip(other) {
        *known = (*known).max(*other);
    }
}

fn join_released(released: &mut Released, other: &[u32]) {
    if released.is_empty() { released.extend_from_slice(other) } else { join(released, other) }
}

impl Clocks {
    /// Of an hb. Without one, an event knows of its own thread.
    pub(super) fn new(view: &View<'_>, happens_before: Option<HappensBefore>) -> Self {
        let threads = view.graph.threads();
        let mut clocks = Self { threads, known: vec![0; threads * view.len()] };
        match happens_before {
            None => clocks.of_threads(view),
            Some(HappensBefore::Porf) => clocks.of_porf(view, &view.order, false),
            Some(HappensBefore::Synchronised(rseq)) => clocks.of_synchronisation(view, rseq),
        }
        clocks
    }

    /// Of porf, where SC fences come in this order of all events, which porf agrees with: each knows of those before it.
    pub(super) fn with_fences(view: &View<'_>, order: &[EventId]) -> Self {
        let threads = view.graph.threads();
        let mut clocks = Self { threads, known: vec![0; threads * view.len()] };
        clocks.of_porf(view, order, true);
        clocks
    }

    /// How many events of a thread, from its first, come before an event that is none of these.
    pub(super) fn before(&self, e: EventId, event: &Event, thread: ThreadId) -> u32 {
        if event.thread() == thread {
            event.key.serial - 1
        } else {
            self.known[e.index() * self.threads + thread.index()]
        }
    }

    /// By thread: how many of its events, from its first, an event knows of, itself included. Not of initial writes.
    pub(super) fn row(&self, e: EventId) -> &[u32] {
        &self.known[e.index() * self.threads..][..self.threads]
    }

    /// An event's row, begun as that of the one before it in its thread.
    fn begin(&mut self, view: &View<'_>, e: EventId) {
        let key = view.graph.event(e).key;
        if let Some(before) = view.po_predecessor(e) {
            let start = before.index() * self.threads;
            self.known.copy_within(start..start + self.threads, e.index() * self.threads);
        }
        self.known[e.index() * self.threads + key.thread.index()] = key.serial;
    }

    fn learn(&mut self, e: EventId, other: &[u32]) {
        join(&mut self.known[e.index() * self.threads..][..self.threads], other);
    }

    fn of_threads(&mut self, view: &View<'_>) {
        for &e in &view.order {
            let key = view.graph.event(e).key;
            self.known[e.index() * self.threads + key.thread.index()] = key.serial;
        }
    }

    fn of_porf(&mut self, view: &View<'_>, order: &[EventId], orders_fences: bool) {
        let mut last_fence: Option<EventId> = None;
        for &e in order {
            self.begin(view, e);
            if orders_fences && view.graph.event(e).label == Label::Fence(Mode::SequentiallyConsistent) {
                if let Some(last) = last_fence.replace(e) {
                    let known = self.row(last).to_vec();
                    self.learn(e, &known);
                }
                continue;
            }
            if let Some(source) = view.graph.source(e)
                && source.index() >= view.locations
            {
                for thread in 0..self.threads {
                    let known = self.known[source.index() * self.threads + thread];
                    let own = &mut self.known[e.index() * self.threads + thread];
                    *own = known.max(*own);
                }
            }
        }
    }

    fn of_synchronisation(&mut self, view: &View<'_>, rseq: Rseq) {
        let graph = view.graph;
        // By event: what those learn that acquire it.
        let mut released: Vec<Released> = vec![Vec::new(); view.len()];
        // By thread: what its next fence that acquires learns, and what its last fence that releases knew.
        let mut awaited: Vec<Released> = vec![Vec::new(); self.threads];
        let mut fences: Vec<Released> = vec![Vec::new(); self.threads];
        // By thread: the last of its releasing writes to each location, if later ones continue its sequence.
        let mut heads: Vec<Vec<(usize, EventId)>> = vec![Vec::new(); self.threads];
        for &e in &view.order {
            let event = graph.event(e);
            let thread = event.thread().index();
            let mode = event.mode();
            self.begin(view, e);
            let source = graph.source(e).filter(|source| source.index() >= view.locations);
            if event.is_read()
                && mode.is_atomic()
                && let Some(source) = source
            {
                if mode.is_acquire() {
                    self.learn(e, &released[source.index()]);
                }
                join_released(&mut awaited[thread], &released[source.index()]);
            }
            if event.is_fence() {
                if mode.is_acquire() {
                    self.learn(e, &awaited[thread]);
                }
                if mode.is_release() {
                    fences[thread] = self.row(e).to_vec();
                }
            }
            let Some(location) = event.location().filter(|_| event.is_write()).map(|location| location.0 as usize)
            else {
                continue;
            };
            if rseq == Rseq::OfThreads && mode.is_release() {
                match heads[thread].iter_mut().find(|(of, _)| *of == location) {
                    Some((_, head)) => *head = e,
                    None => heads[thread].push((location, e)),
                }
            }
            let mut passes = Vec::new();
            if mode != Mode::NonAtomic {
                join_released(&mut passes, &fences[thread]);
                if rseq == Rseq::OfUpdates {
                    if mode.is_release() {
                        join_released(&mut passes, self.row(e));
                    }
                } else if let Some((_, head)) = heads[thread].iter().find(|(of, _)| *of == location) {
                    join_released(&mut passes, self.row(*head));
                }
            }
            if event.is_update()
                && let Some(source) = source
            {
                join_released(&mut passes, &released[source.index()]);
            }
            released[e.index()] = passes;
        }
    }
}
