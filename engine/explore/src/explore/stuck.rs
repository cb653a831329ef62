//! Threads that are stuck for good: executions that are blocked and stay so, however fair the machine is.
//!
//! A whole execution is **stuck for good** if
//!
//! - some thread waits, and each thread either came to its end, waits at an operation of an object ([`library::waiting`]) or waits in a
//!   loop ([`Label::Spin`]). None is stuck at an assumption, was cut at a bound or went wrong;
//! - no weak compare-and-swap fails spuriously in the last round of a loop in which a thread waits;
//! - under the model, the execution is consistent with a co in which each read of each such round takes the last write of its location.
//!   Where co is part of the execution, that is its co.
//!
//! A **last round** is what the thread did since it was at the head of the loop before ([`last_round`]); all its reads count, whichever
//! of them the loop asks about. A read-modify-write of such a round that writes what it reads is no write here: what it leaves in
//! memory is what its source left. So the last write of a location is the one behind which only such read-modify-writes come, each
//! reading from the one before.
//!
//! Without loops, this is a deadlock, which is the same under every model.
//!
//! # Why that never ends
//!
//! Such a round can be repeated for ever. Append the last rounds again, one thread after the other, for as long as you like. What is
//! appended reads what its first copy read, or what another round wrote again, which is the same value. So the round leaves the thread
//! where it was, and is one of the program.
//!
//! It is consistent. Each appended event reads the last write of its location when it comes, or is the last write from then on. So
//! nothing goes from it to what was there before: no po and no rf, no co, and no fr, which goes to what is behind a source in co. Every
//! axiom of every model here asks that a union of such edges, and of what fences and synchronisation make of them, has no cycle, or that
//! a read-modify-write comes right behind its source. A cycle would have to leave the appended events.
//!
//! It is fair. Each thread that can go on does, again and again. Every write is seen in the end: store buffers are empty
//! (TSO, PSO), and all reads of what is appended take the last write of co (all models with co). That is what memory fairness asks
//! for: only finitely many reads take a write that is not the last (Lahav, Namakonov, Oberhauser, Podkopaev, Vafeiadis: *Making Weak
//! Memory Models Fair*, OOPSLA 2021). A machine on which the reads of such a round take older writes is not asked about, since it may be
//! that these are only late.
//!
//! WRA has no co. There, an order of the writes of each location is asked for that contains hb, and in which the last rounds read
//! the last writes: a machine may put the writes in that order for all threads, and no other write is known to come behind.
//!
//! # What is found
//!
//! Take an infinite execution that is fair, in which finitely many events change something and each thread comes to its end, waits for an
//! object or goes round a loop for ever in rounds that change nothing ([`crate::program`]). From some event on, all reads take the
//! last writes. Of each thread that goes round, keep the first such round, and none of those before that changed nothing: by the same
//! reasons as for other executions, that is an execution of the program, and it is whole and stuck for good here. So one is found
//! by whoever looks at all executions, or at all plain ones and every co; leaving out threads that wait in vain keeps it
//! ([`Options::leave_out_waits`]).
//!
//! Two things are not found. Loops go round for ever in rounds that change something: they are cut at a bound, and the result is
//! bounded. And algorithms that look at one execution of those with the same values ([`super::Sees::LocalStates`]) don't look for loops,
//! since another one of these may be stuck.
//!
//! # What comes of it
//!
//! Such an execution stays blocked, has a kind and a count of its own
//! ([`ExecutionKind::StuckForGood`](super::ExecutionKind::StuckForGood)), and is reported as an error: the verdict is
//! `violated`. A thread that waits while another one is stuck at an assumption, was cut or went wrong is not stuck for good,
//! since it may wait for what that one would have done. Without co, the model is asked whether these writes can be last
//! ([`Model::can_end_within`](crate::model::Model::can_end_within)). [`Options::stuck_loops`] has loops looked at; links and
//! files from before there was a choice have it off.

use super::Options;
use super::place::Place;
use crate::budget::{Budget, Decision, Paused};
use crate::graph::{Coherence, EventId, Execution, Label, ThreadId, last_round};
use crate::library;
use crate::model::{Inquiry, Model};
use crate::program::{Code, Location, Operation, Value};
use crate::sort;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A thread that waits at the end of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Wait {
    /// The thread.
    pub thread: u16,
    /// Where.
    pub place: Place,
    /// For what.
    pub awaited: Awaited,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Awaited {
    /// An operation of an object.
    Object {
        /// What it wants to do.
        operation: Operation,
        /// With which object.
        location: Location,
        /// What it would have to come after: of a mutex, the thread that holds it and where it took it; of a channel, the
        /// thread that used it last and where.
        obstacle: Option<(u16, Place)>,
    },
    /// That a loop reads something else: what its last round read, by location.
    Loop(Vec<(Location, Value)>),
}

impl Wait {
    /// Whether both are the same but for the values that were read.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let awaits_the_same = match (&self.awaited, &other.awaited) {
            (Awaited::Loop(own), Awaited::Loop(others)) => {
                own.iter().map(|(at, _)| at).eq(others.iter().map(|(at, _)| at))
            }
            (own, other) => own == other,
        };
        (self.thread, self.place) == (other.thread, other.place) && awaits_the_same
    }

    /// The threads that wait in a graph, from left to right.
    pub fn all(code: &Code, model: Model, graph: &Execution) -> Vec<Self> {
        let place = |e| Place::from(graph.event(e).span);
        let objects = library::waiting(graph).into_iter().filter_map(|waiting| {
            let event = graph.event(waiting.event);
            let obstacle = waiting.obstacle.map(|e| (graph.event(e).thread().0, place(e)));
            let (operation, location) = event.operation().zip(event.location())?;
            let awaited = Awaited::Object { operation, location, obstacle };
            Some(Self { thread: event.thread().0, place: event.span.into(), awaited })
        });
        let mut all: Vec<_> = objects.collect();
        let spins: Vec<_> = spinning(graph).collect();
        if !spins.is_empty() {
            let code = model.prepared(code);
            all.extend(spins.into_iter().map(|(thread, end)| {
                let reads = last_round(&code, graph, thread).unwrap_or_default().iter().filter_map(|&e| {
                    let event = graph.event(e);
                    event.location().zip(event.value_read)
                });
                let mut reads: Vec<_> = reads.collect();
                sort::ascending(&mut reads);
                reads.dedup();
                Self { thread: thread.0, place: place(end), awaited: Awaited::Loop(reads) }
            }));
        }
        sort::by_key(&mut all, |wait| wait.thread);
        all
    }
}

/// The events at which threads wait in a graph: operations of objects, and the reads of the last rounds of loops.
pub fn waiting_events(code: &Code, model: Model, graph: &Execution) -> Vec<EventId> {
    let mut all: Vec<_> = library::waiting(graph).iter().map(|waiting| waiting.event).collect();
    let code = model.prepared(code);
    let rounds = spinning(graph).filter_map(|(thread, _)| last_round(&code, graph, thread));
    all.extend(rounds.flatten().filter(|&&e| graph.event(e).is_read()));
    all
}

/// The threads that wait in loops, and the events that say so.
fn spinning(graph: &Execution) -> impl Iterator<Item = (ThreadId, EventId)> {
    graph.events().filter(|(_, event)| event.label == Label::Spin).map(|(e, event)| (event.thread(), e))
}

/// A whole graph in which nothing went wrong.
#[derive(Clone, Copy)]
pub(super) struct Whole<'a> {
    pub code: &'a Code,
    pub model: Model,
    pub options: &'a Options,
    pub graph: &'a Execution,
    /// Its co, if that is part of it.
    pub co: Option<&'a Coherence>,
}

impl Whole<'_> {
    /// Whether it is stuck for good. With co, that is known at once.
    pub(super) fn is_stuck(&self, inquiry: &mut Inquiry, budget: &mut Budget) -> Result<Decision, Paused> {
        let Self { options, model, graph, .. } = *self;
        let (mut waits, mut spins) = (false, false);
        for (_, event) in graph.events() {
            if matches!(event.label, Label::Error(_) | Label::Stuck | Label::Bound(_)) {
                return Ok(Decision::No);
            }
            spins |= event.label == Label::Spin;
            waits |= event.is_blocked();
        }
        if !spins || !options.stuck_loops {
            return Ok((waits && !spins).into());
        }
        let Some(lasts) = self.lasts() else { return Ok(Decision::No) };
        if let Some(co) = self.co {
            return Ok(lasts.iter().all(|(location, last)| co[location.0 as usize].last() == Some(last)).into());
        }
        let (locations, lasts): (Vec<_>, Vec<_>) = lasts.into_iter().unzip();
        if locations.is_empty() {
            return Ok(Decision::Yes);
        }
        budget.count(graph.len() as u64)?;
        model.can_end_within(graph, &locations, &lasts, options.limits.search, inquiry, budget)
    }

    /// What has to be written last at each location that a last round reads, where something else may be; `None` if that is nothing
    /// that can be, or if a round need not be repeated.
    fn lasts(&self) -> Option<Vec<(Location, EventId)>> {
        let graph = self.graph;
        let mut reads = Vec::new();
        for (thread, _) in spinning(graph) {
            reads.extend(last_round(self.code, graph, thread)?.iter().filter(|&&e| graph.event(e).is_read()));
        }
        if reads.iter().any(|&e| graph.event(e).fails_spuriously()) {
            return None;
        }
        // By source: the read-modify-write of a last round that writes it again.
        let again = |&&e: &&EventId| {
            graph.event(e).value_written.is_some_and(|written| graph.event(e).value_read == Some(written))
        };
        let mut copies = FxHashMap::default();
        for &copy in reads.iter().filter(again) {
            copies.insert(graph.source(copy)?, copy);
        }
        let mut lasts: Vec<(Location, EventId)> = Vec::new();
        for &read in &reads {
            let (mut last, location) = (graph.source(read)?, graph.event(read).location()?);
            while let Some(&copy) = copies.get(&last) {
                last = copy;
            }
            match lasts.iter().find(|(of, _)| *of == location) {
                Some((_, other)) if *other != last => return None,
                Some(_) => {}
                None => lasts.push((location, last)),
            }
        }
        // What its own thread overwrites is not the last; the only write is.
        let mut open = Vec::new();
        for (location, last) in lasts {
            let is_other = |write: &EventId| *write != last && !graph.event(*write).is_init();
            let others: Vec<_> = graph.writes(location).filter(is_other).collect();
            if graph.event(last).is_init() && !others.is_empty() || others.iter().any(|&other| graph.po(last, other)) {
                return None;
            }
            if !others.is_empty() {
                open.push((location, last));
            }
        }
        Some(open)
    }
}
