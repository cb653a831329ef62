//! All complete graphs of a program, for no memory model.

use super::{CAP, TooMany};
use crate::explore::Options;
use crate::graph::{CanonicalExecution, EventId, Execution, ThreadId};
use crate::program::{Action, Code, ThreadState};
use rustc_hash::FxHashSet;

/// What a graph costs in a program that the cap is meant for: its events and threads, times the ways it is come by.
/// Without this bound, a spin loop that is unrolled often would take all memory.
const USUAL_WORK: usize = 40;

/// A graph under construction and where its threads stand.
#[derive(Clone, Debug)]
struct Partial {
    graph: Execution,
    threads: Vec<ThreadState>,
}

/// All complete plain executions of a program with acyclic porf = (po ∪ rf)⁺, each once: every thread runs to its end,
/// an error, a failed assumption or a bound, and every read takes its value from some write of its location. With
/// [`Options::spurious`], a weak compare-and-swap that reads what it expects fails in one execution and not in another.
/// An operation of a library object takes it from one that it may follow, or waits for ever.
///
/// Found by adding the next event of any thread, with any write that is there as the source of a read; graphs that
/// differ only in the order of insertion are one. Every porf-acyclic graph has such a construction, since its events
/// can be added in a linear extension of porf.
///
/// # Errors
/// [`TooMany`] if there are more than [`CAP`] graphs, incomplete ones included, or if they are very large.
pub fn candidates(code: &Code, options: impl Into<Options>) -> Result<Vec<Execution>, TooMany> {
    candidates_up_to(CAP, code, options)
}

/// [`candidates()`] with another cap.
///
/// # Errors
/// [`TooMany`] if there are more than `cap` graphs, incomplete ones included, or if they are very large.
pub fn candidates_up_to(cap: usize, code: &Code, options: impl Into<Options>) -> Result<Vec<Execution>, TooMany> {
    let mut listing = Listing::new(code, options.into(), cap);
    while listing.advance(code)? {}
    Ok(listing.into_graphs())
}

/// The search of [`candidates()`], a graph at a time.
#[derive(Clone, Debug)]
pub struct Listing {
    options: Options,
    cap: usize,
    seen: FxHashSet<CanonicalExecution>,
    complete: Vec<Execution>,
    work: Vec<Partial>,
    done: usize,
}

impl Listing {
    /// The search before its first step.
    pub fn new(code: &Code, options: Options, cap: usize) -> Self {
        let threads = (0..code.threads.len()).map(|thread| ThreadState::new(code, thread)).collect();
        let work = vec![Partial { graph: Execution::initial(code), threads }];
        Self { options, cap, seen: FxHashSet::default(), complete: Vec::new(), work, done: 0 }
    }

    /// Extends one graph, of the same code always, in all ways; whether there is more to do.
    ///
    /// # Errors
    /// [`TooMany`], as [`candidates_up_to`]; what was found stays.
    pub fn advance(&mut self, code: &Code) -> Result<bool, TooMany> {
        let Some(partial) = self.work.pop() else { return Ok(false) };
        let mut is_complete = true;
        for thread in 0..code.threads.len() {
            for next in partial.extensions(code, thread, self.options) {
                is_complete = false;
                self.done += next.graph.len() + next.threads.len();
                if self.seen.insert(next.graph.canonical()) {
                    self.work.push(next);
                }
            }
        }
        if self.seen.len() > self.cap || self.done > self.cap.saturating_mul(USUAL_WORK) {
            return Err(TooMany { cap: self.cap });
        }
        if is_complete {
            self.complete.push(partial.graph);
        }
        Ok(!self.work.is_empty())
    }

    /// How many events and threads of graphs were built, all in all.
    pub fn work(&self) -> usize {
        self.done
    }

    /// The complete graphs found.
    pub fn found(&self) -> &[Execution] {
        &self.complete
    }

    /// The complete graphs found.
    pub fn into_graphs(self) -> Vec<Execution> {
        self.complete
    }
}

impl Partial {
    /// The graph with the next event of a thread, once for each source if it reads, and each way to fail; nothing if the
    /// thread has ended.
    fn extensions(&self, code: &Code, thread: usize, options: Options) -> Vec<Self> {
        let id = ThreadId(thread as u16);
        if self.graph.thread(id).last().is_some_and(|&last| self.graph.event(last).ends_thread()) {
            return vec![];
        }
        let mut next = self.clone();
        let action = next.threads[thread].advance(code, thread, options.limits);
        if action == Action::Finished {
            return vec![];
        }
        let span = next.threads[thread].span(code, thread).unwrap_or_default();
        let e = next.graph.add(id, action, span);
        match action {
            Action::Read { location, .. } | Action::Update { location, .. } => {
                let values = code.values_of_input(location);
                let sources: Vec<EventId> = if values.is_empty() {
                    next.graph.writes(location).collect()
                } else {
                    values.map(EventId).collect()
                };
                let choices = sources.into_iter().flat_map(|source| {
                    let spurious = options.spurious && next.graph.may_fail_spuriously(e, source);
                    [Some((source, false)), spurious.then_some((source, true))]
                });
                choices
                    .flatten()
                    .map(|(source, spurious)| {
                        let mut next = next.clone();
                        next.graph.set_source(e, source);
                        if spurious {
                            next.graph.fail_spuriously(e);
                        }
                        let event = next.graph.event(e);
                        next.threads[thread].resume_as(code, thread, event.value_read, event.fails_spuriously());
                        next
                    })
                    .collect()
            }
            // With any source at all, and waiting for ever.
            Action::Library { location, operation } if operation.waits() => {
                let sources: Vec<EventId> = next.graph.writes(location).collect();
                let mut all: Vec<Self> = sources
                    .into_iter()
                    .filter(|source| super::library::may_follow(operation, next.graph.event(*source)))
                    .map(|source| {
                        let mut next = next.clone();
                        next.graph.set_source(e, source);
                        next.threads[thread].resume(code, thread, next.graph.event(e).value_read);
                        next
                    })
                    .collect();
                all.push(next);
                all
            }
            Action::Write { .. } | Action::Fence(_) | Action::Library { .. } => {
                next.threads[thread].resume(code, thread, None);
                vec![next]
            }
            // Programs with handlers are refused, and those with inputs of many values.
            Action::Get | Action::Post { .. } | Action::Input => vec![next],
            Action::Error(_) | Action::Stuck | Action::Spin | Action::Bound(_) | Action::Finished => vec![next],
        }
    }
}
