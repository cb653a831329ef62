//! Symmetry reduction: of executions that differ in nothing but which of some identical threads did what, one is explored.
//!
//! Threads that do the same ([`Code::twin`]) begin with the same events. The first of them that is no fence, the
//! **anchor**, is in every whole execution and accesses the same location in each of the threads. Executions are
//! explored only if the anchors of such threads come in the order of the threads:
//!
//! - anchors that write (plain writes, fetch-and-ops) in co;
//! - operations that wait (locks, sends, receives) in the order in which they take their object over, those that wait for
//!   ever last;
//! - anchors that read (or are compare-and-swaps) by their sources in co, one that writes behind its source. Several may
//!   have the same source: then more than one of the executions that differ in the threads alone may be explored.
//!
//! That is an axiom more. For TruSt to be complete and optimal with it, what it asks of models has to hold still: an event
//! that is maximal can always be added, and what is consistent stays so without its porf-last events. It does if an
//! anchor also depends on that of the thread before it: the prefixes that revisits keep are closed under porf and that
//! dependency. The memory model does not know of it. What is left to see is that the dependency and porf form no cycle, or
//! the executions in which they do would be lost. That decides what is reduced:
//!
//! - A plain write has nothing in front of it in porf but the anchors of its fellows.
//! - Where all writes to a location are read-modify-writes, or operations that wait and what they wait for, each reads from
//!   the one before it in co, so that anchors there are ordered by porf anyway. This needs no co.
//! - Other anchors that read come in an order that agrees with porf where porf orders what is visible from outside: under
//!   SC, TSO, PSO and SRA all locations together, under RA and WRA only each for itself, so that they are reduced for one
//!   kind of threads alone; under RC11, where relaxed accesses let co disagree with porf, and wherever else porf is not
//!   known, not at all.

use crate::explore::{Algorithm, Options};
use crate::model::{HappensBefore, Model};
use crate::program::{Action, Code, ThreadState, Update, Value};

/// The anchor of a thread that comes behind that of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The other thread.
    pub before: u16,
    /// The anchors' number in their threads.
    pub serial: u16,
}

/// Which threads are reduced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Symmetry {
    /// By thread.
    pub anchors: Vec<Option<Anchor>>,
    /// Threads that can be exchanged, from left to right.
    pub classes: Vec<Vec<u16>>,
}

/// What can be said of an anchor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A plain write.
    Write,
    /// An access to a location where rf orders all writes.
    Chained { always_writes: bool },
    /// Another read or read-modify-write.
    Reads { may_write: bool },
}

impl Symmetry {
    /// What can be reduced.
    pub(super) fn new(code: &Code, model: Model, options: Options, tracks_co: bool) -> Self {
        let mut symmetry = Self::default();
        if !options.symmetry {
            return symmetry;
        }
        symmetry.anchors = vec![None; code.threads.len()];
        let mut reads_are_reduced = false;
        let mut class_of: Vec<Option<usize>> = vec![None; code.threads.len()];
        for thread in 0..code.threads.len() {
            let Some(before) = code.twin(thread) else { continue };
            let Some((serial, sort)) = anchor(code, thread, options) else { continue };
            let class = class_of[before];
            let reduced = class.is_some()
                || match sort {
                    Sort::Write => tracks_co,
                    Sort::Chained { always_writes } => tracks_co || always_writes,
                    Sort::Reads { may_write } => {
                        let rules = model.rules();
                        let fits = rules.global.is_some()
                            || rules.happens_before == Some(HappensBefore::Porf)
                                && !reads_are_reduced
                                // Without co, a read-modify-write need not be placed behind its source.
                                && (rules.has_co() || !may_write);
                        reads_are_reduced |= tracks_co && fits;
                        tracks_co && fits
                    }
                };
            if !reduced {
                continue;
            }
            let class = class.unwrap_or_else(|| {
                symmetry.classes.push(vec![before as u16]);
                symmetry.classes.len() - 1
            });
            (class_of[before], class_of[thread]) = (Some(class), Some(class));
            symmetry.classes[class].push(thread as u16);
            symmetry.anchors[thread] = Some(Anchor { before: before as u16, serial });
        }
        if symmetry.classes.is_empty() { Self::default() } else { symmetry }
    }

    /// Whether nothing is reduced.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.anchors.is_empty()
    }

    /// The anchor of a thread, if it comes behind another.
    pub(super) fn anchor(&self, thread: u16) -> Option<Anchor> {
        self.anchors.get(usize::from(thread)).copied().flatten()
    }

    /// Gives the registers of threads that can be exchanged to them in ascending order.
    pub(super) fn arrange(&self, registers: &mut [&[Value]]) {
        for class in &self.classes {
            let mut own: Vec<&[Value]> = class.iter().map(|&thread| registers[usize::from(thread)]).collect();
            own.sort_unstable();
            for (&thread, values) in class.iter().zip(own) {
                registers[usize::from(thread)] = values;
            }
        }
    }
}

/// The number of a thread's anchor and what it is; `None` if it has none.
fn anchor(code: &Code, thread: usize, options: Options) -> Option<(u16, Sort)> {
    let mut state = ThreadState::new(code, thread);
    let mut serial = 1;
    let mut action = state.advance(code, thread, options.limits);
    while let Action::Fence(_) = action {
        serial += 1;
        state.resume(code, thread, None);
        action = state.advance(code, thread, options.limits);
    }
    let (location, always_writes, may_write) = match action {
        Action::Write { .. } => return Some((serial, Sort::Write)),
        Action::Library { operation, .. } if operation.waits() => {
            return Some((serial, Sort::Chained { always_writes: true }));
        }
        Action::Update { location, update: Update::Fetch(..), .. } => (location, true, true),
        Action::Update { location, .. } => (location, false, true),
        Action::Read { location, .. } => (location, false, false),
        _ => return None,
    };
    let (object, _) = code.object(location);
    let chained = !code.threads.iter().any(|thread| thread.may_overwrite(object));
    Some((serial, if chained { Sort::Chained { always_writes } } else { Sort::Reads { may_write } }))
}

/// By class, the threads that are explored up to permutation; empty if none are, or the option is off.
pub fn symmetric_threads(code: &Code, model: Model, algorithm: Algorithm, options: Options) -> Vec<Vec<u16>> {
    if !algorithm.traits().symmetry {
        return Vec::new();
    }
    Symmetry::new(code, model, options, algorithm.tracks_co()).classes
}
