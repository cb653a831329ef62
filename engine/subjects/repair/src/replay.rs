//! An execution of a program as one of the same program with some sites changed.
//!
//! Each thread of the changed program takes the same way: it reads the same values. What is put in (fences) is added where a thread comes
//! to it, and what was left out is passed over. Fences behind the last event of a thread are left out, since they order nothing.

use crate::goal::{Bad, Why};
use crate::sites::INSERTED;
use litmoscope_core::graph::{Coherence, EventId, Execution, Label, ThreadId};
use litmoscope_core::program::{Action, Code, Limits, ThreadState, Update, UpdateOperator};

/// How events of a graph go on.
struct Replay<'c> {
    code: &'c Code,
    limits: Limits,
    graph: Execution,
    threads: Vec<ThreadState>,
    /// By thread: how many events of the other graph were taken.
    taken: Vec<usize>,
    /// By event of the other graph: what became of it.
    names: Vec<Option<EventId>>,
    /// By event of the other graph: the write that it overwrites, for writes that are exchanges here.
    overwritten: Vec<Option<EventId>>,
}

/// What a thread did.
enum Went {
    On,
    /// It waits for a source, or has no more events.
    Nowhere,
    /// It does something else than in the other graph.
    Astray,
}

impl Replay<'_> {
    fn step(&mut self, of: &Execution, thread: usize) -> Went {
        let id = ThreadId(thread as u16);
        let (action, span, mut state) = loop {
            let Some(&e) = of.thread(id).get(self.taken[thread]) else { return Went::Nowhere };
            let mut state = self.threads[thread].clone();
            let action = state.advance(self.code, thread, self.limits);
            let action = self.graph.or_cut(id, action, self.limits.unroll);
            let span = state.span(self.code, thread).unwrap_or_default();
            // Fences that were put in, here or there, are no part of the way; all have a place of the text but these.
            let there = of.event(e);
            let is_fence = matches!(there.label, Label::Fence(_));
            if matches!(action, Action::Fence(_)) && !(is_fence && there.span == span && span != INSERTED) {
                self.graph.add(id, action, span);
                state.resume(self.code, thread, None);
                self.threads[thread] = state;
                return Went::On;
            }
            if is_fence && !matches!(action, Action::Fence(_)) {
                self.taken[thread] += 1;
                continue;
            }
            break (action, span, state);
        };
        let Some(&e) = of.thread(id).get(self.taken[thread]) else { return Went::Nowhere };
        let event = of.event(e);
        let is_same = matches!(
            (action, &event.label),
            (Action::Read { .. }, Label::Read { .. })
                | (Action::Write { .. }, Label::Write { .. } | Label::Update { .. })
                | (Action::Update { .. }, Label::Update { .. })
                | (Action::Update { update: Update::Fetch(UpdateOperator::Exchange, ..), .. }, Label::Write { .. })
                | (Action::Library { .. }, Label::Library { .. })
                | (Action::Fence(_), Label::Fence(_))
                | (Action::Error(_), Label::Error(_))
                | (Action::Stuck | Action::Input, Label::Stuck)
                | (Action::Bound(_), Label::Bound(_))
                | (Action::Spin, Label::Spin)
        );
        if !is_same {
            return Went::Astray;
        }
        let source = match action {
            Action::Write { .. } => None,
            Action::Update { .. } if matches!(event.label, Label::Write { .. }) => {
                match self.overwritten.get(e.index()).copied().flatten() {
                    None => return Went::Astray,
                    before => before,
                }
            }
            _ => of.source(e),
        };
        let Ok(source) = source.map_or(Ok(None), |source| self.names[source.index()].map(Some).ok_or(())) else {
            return Went::Nowhere;
        };
        let new = self.graph.add(id, action, span);
        self.names[e.index()] = Some(new);
        self.taken[thread] += 1;
        match source {
            Some(source) => {
                self.graph.set_source(new, source);
                if event.value_written.is_none() && self.graph.event(new).value_written.is_some() {
                    self.graph.only_read(new);
                }
            }
            None if self.graph.event(new).is_read() => self.graph.block(new),
            None => {}
        }
        let added = *self.graph.event(new);
        if !added.ends_thread() {
            state.resume_as(self.code, thread, added.value_read, added.fails_spuriously());
        }
        self.threads[thread] = state;
        Went::On
    }
}

/// The execution of some code that has the same events; `None` if there is none, since po ∪ rf would have a cycle or a thread goes
/// another way. Quadratic in the number of events at most.
pub(crate) fn replay(code: &Code, limits: Limits, of: &Bad) -> Option<Bad> {
    replay_with(code, limits, of, None).map(|(bad, _)| bad)
}

/// The same, where a write of the other one may be an exchange, which reads from the write in front of it in this co; and by event of the other
/// one, what became of it.
pub(crate) fn replay_with(
    code: &Code,
    limits: Limits,
    of: &Bad,
    co: Option<&Coherence>,
) -> Option<(Bad, Vec<Option<EventId>>)> {
    let mut overwritten = vec![None; of.graph.len()];
    for pair in co.into_iter().flatten().flat_map(|order| order.windows(2)) {
        overwritten[pair[1].index()] = Some(pair[0]);
    }
    let graph = Execution::initial(code);
    let names = of.graph.events().map(|(e, event)| event.is_init().then_some(e)).collect();
    let threads = (0..code.threads.len()).map(|thread| ThreadState::new(code, thread)).collect();
    let mut replay = Replay { code, limits, graph, threads, taken: vec![0; code.threads.len()], names, overwritten };
    loop {
        let mut went = false;
        for thread in 0..code.threads.len() {
            loop {
                match replay.step(&of.graph, thread) {
                    Went::On => went = true,
                    Went::Nowhere => break,
                    Went::Astray => return None,
                }
            }
        }
        if !went {
            break;
        }
    }
    let is_over = |thread: usize| replay.taken[thread] >= of.graph.thread(ThreadId(thread as u16)).len();
    if !(0..code.threads.len()).all(is_over) {
        return None;
    }
    let why = match &of.why {
        Why::Ends { locations, last } => {
            let last = last.iter().map(|write| replay.names[write.index()]).collect::<Option<_>>()?;
            Why::Ends { locations: locations.clone(), last }
        }
        why => why.clone(),
    };
    Some((Bad { graph: replay.graph, why }, replay.names))
}
