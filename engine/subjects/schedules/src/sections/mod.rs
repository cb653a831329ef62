//! Program schedules: what an abstract reachability tree allows, as a graph of branching-free sections, each a partial order.
//!
//! Whoever follows a tree node by node lets one thread run at a time. A *program schedule* orders less. It cuts the tree into *sections*:
//! paths along one scheduled thread per node, over coverings, up to a node where the scheduled thread has several ways on, or where
//! another section begins. Within a section only dependent events are ordered: those of one thread, and those of which one may write what
//! the other may access. All linear extensions of this order lead to the same, so each of them is equivalent to the path. Where several
//! sections begin, the first transition picks one.
//!
//! Source: P. Metzler's thesis (2020), section 5.3 and Algorithm 5. Deviations and repairs:
//!
//! - **Dependent events are ordered.** In the printed definition the independence sign lost its stroke.
//! - **Nodes labelled false are no branches**, nor are nodes below which all ends are false.
//! - **Who has the branch begins the section** ([`Lookup`]), as in `litmoscope-runtime`: Algorithm 5 evaluates guards before any event.
//! - **A schedule may end**, in a node where all threads have.
//! - **What is dropped is checked** ([`Opt::Opt1`]). The thesis drops all locks, since the schedule implies their order. It implies the
//!   order of what they protect only where that is dependent.
//!   A barrier that is made of flags is dropped only in part: what waits may be, what sets a flag is not.
//! - **Removing and reordering other events**, which the thesis did by hand, is left out of [`Opt::Opt2`].

mod build;
mod drops;
mod known;
#[cfg(test)]
pub(crate) mod lassos;
mod lookup;
mod order;
#[cfg(test)]
mod tests;

pub use lookup::{Lookup, Permitted};

use crate::art::{Art, NodeId};
use litmoscope_core::program::system::{PointId, System, Term, TransitionId};
use std::sync::Arc;

/// How many sections are made of one that leads back to its own start ([`Opt::Opt2`]).
pub const REPEATS: u32 = 8;
/// How many events a section has at most. A longer one is cut.
pub const MAX_EVENTS: usize = 4096;

/// How much a program schedule is loosened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opt {
    /// Sections are total orders.
    Opt0,
    /// Sections are partial orders, without what the rest implies. Locks and unlocks of a mutex are dropped if, without them, any two of its
    /// critical sections are still ordered. Waiting at a read or for the end of a thread is dropped if exactly the same events are still
    /// ordered. Both are for the whole schedule or not at all, so that a thread knows at each point whether it is an event.
    #[default]
    Opt1,
    /// As `Opt1`. A section that leads back to its own start, alone there, becomes up to [`REPEATS`] of them. Elements of an array are told
    /// apart where the label of the section's start and what the section does make the index known. Indices that are known only
    /// relative to each other are not.
    Opt2,
}

/// An event of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionEvent {
    /// Whose it is.
    pub thread: u16,
    /// What is done.
    pub transition: TransitionId,
    /// The events that come immediately before, ascending: indices into [`Section::events`], all smaller than its own. Each other one
    /// before it comes before one of these.
    pub after: Vec<usize>,
}

/// A section: a partial order of events between two nodes of a [`ProgramSchedule`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The node where it begins, an index into [`ProgramSchedule::nodes`].
    pub from: usize,
    /// The node to which it leads.
    pub to: usize,
    /// Its events, at least one, in the order of the path. At a node with several sections the first one has the branch.
    pub events: Vec<SectionEvent>,
    /// The path that it is made of: what is dropped is only here.
    pub path: Vec<TransitionId>,
    /// How many times the path goes along the section that it was made of: 1, unless [`Opt::Opt2`] repeated it.
    pub repeats: u32,
}

/// A program schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSchedule {
    /// How many threads there are.
    pub threads: usize,
    /// By node: the node of the tree, which is not covered. The first one is where each run begins. `None` if it was made of a run.
    pub nodes: Vec<Option<NodeId>>,
    /// The sections, ascending by the node where they begin.
    pub sections: Vec<Section>,
    /// The points whose events are dropped, ascending, each with its thread: a thread goes on from there without asking
    /// ([`ProgramSchedule::silent`]).
    pub dropped: Vec<(u16, PointId)>,
    /// Behind the schedule's end threads do what they want. Else nothing is permitted there.
    pub then_free: bool,
}

/// Why a tree has no program schedule. Nodes are those of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A thread goes wrong at a node that is not labelled false.
    #[error("a thread may go wrong at node {} of the tree, so it is not safe", .0.0)]
    Wrong(NodeId),
    /// No thread is fully expanded, though some could go on.
    #[error("at node {} of the tree no thread has all of its steps", .0.0)]
    NotExpanded(NodeId),
    /// Coverings lead from node to node without end.
    #[error("node {} of the tree is covered in a circle", .0.0)]
    Covered(NodeId),
    /// The schedule would have too many events.
    #[error("the schedule has more than {0} events")]
    TooLarge(usize),
}

/// What is wanted of a program schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How much it is loosened.
    pub opt: Opt,
    /// Nothing is dropped. Only schedules that drop the same may be swapped for each other while threads run.
    pub keeps_all: bool,
}

impl ProgramSchedule {
    /// The program schedule of a tree: at each node one of its fully expanded threads, the one that has waited longest on the way from the
    /// root. If on each circle of the tree each thread that is active there has a step, so it has on each circle of the schedule.
    ///
    /// Linear in nodes and in events times variables and threads, but for what is dropped: that multiplies it by the number of mutexes and
    /// of points that wait.
    ///
    /// # Errors
    /// [`BuildError`] if the tree is not safe and free of deadlocks as far as its shape tells, or too large. Labels are taken as they are.
    pub fn of(system: &System, art: &Art, options: Options) -> Result<Self, BuildError> {
        Self::of_those_that_go_on(system, art, options, |_, _| true)
    }

    /// The same for a tree in which several threads are fully expanded at one node, and some of them may have to wait there: a thread is
    /// scheduled only if `goes_on` says that one of its guards holds wherever the node's label does. It is asked about threads that might
    /// block at their points alone.
    ///
    /// # Errors
    /// As [`ProgramSchedule::of`].
    pub fn of_those_that_go_on(
        system: &System,
        art: &Art,
        options: Options,
        mut goes_on: impl FnMut(NodeId, u16) -> bool,
    ) -> Result<Self, BuildError> {
        build::build(system, art, options, &mut goes_on)
    }

    /// The schedule that forces exactly one run, such as a counterexample, given as its steps. Behind it threads do what they want, so that
    /// a deadlock shows as threads that wait for each other.
    pub fn chain(system: &System, steps: &[TransitionId]) -> Self {
        let event = |(at, &transition): (usize, &TransitionId)| SectionEvent {
            thread: system.transition(transition).thread,
            transition,
            after: at.checked_sub(1).into_iter().collect(),
        };
        let sections: Vec<Section> = (steps.chunks(MAX_EVENTS).enumerate())
            .map(|(at, steps)| Section {
                from: at,
                to: at + 1,
                events: steps.iter().enumerate().map(event).collect(),
                path: steps.to_vec(),
                repeats: 1,
            })
            .collect();
        Self {
            threads: system.threads.len(),
            nodes: vec![None; sections.len() + 1],
            sections,
            dropped: Vec::new(),
            then_free: true,
        }
    }

    /// The sections that begin at a node, as indices.
    pub fn leaving(&self, node: usize) -> std::ops::Range<usize> {
        let first = self.sections.partition_point(|section| section.from < node);
        first..first + self.sections[first..].partition_point(|section| section.from == node)
    }

    /// Whether the event of a point is dropped.
    pub fn is_dropped(&self, thread: u16, point: PointId) -> bool {
        self.dropped.binary_search(&(thread, point)).is_ok()
    }

    /// The step that a thread makes from a point whose event is dropped, without asking: the one whose guard holds as far as it is about
    /// registers. `None` if the point's event is not dropped. What it does to shared variables is not done.
    pub fn silent(&self, system: &System, thread: u16, point: PointId, values: &[i64]) -> Option<TransitionId> {
        if !self.is_dropped(thread, point) {
            return None;
        }
        let holds = |id: &&TransitionId| {
            silent_guard(system, **id).is_some_and(|mut guard| guard.all(|term| term.evaluate(values, &[]) != 0))
        };
        system.point(thread.into(), point).transitions.iter().find(holds).copied()
    }

    /// For each node of this schedule a node of another one where a run may go on: with the threads at the same points, and a label that
    /// follows from this one's. `implies` says whether it is sure that one term follows from another; [`follows`] does so at a glance.
    /// A node of the same number comes first.
    ///
    /// # Errors
    /// `None` if the schedules do not drop the same: then threads may be where the other schedule does not expect them.
    pub fn map(
        &self,
        (own, other): (&Art, &Art),
        to: &Self,
        mut implies: impl FnMut(&Arc<Term>, &Arc<Term>) -> bool,
    ) -> Option<Vec<Option<usize>>> {
        if self.dropped != to.dropped || self.threads != to.threads {
            return None;
        }
        let mut goes_on = |from: &Option<NodeId>| {
            let id = (*from)?;
            let from = own.node(id);
            let mut fits = |at: &usize| {
                to.nodes[*at].is_some_and(|id| {
                    let node = other.node(id);
                    node.points == from.points && implies(&from.label, &node.label)
                })
            };
            let same = (0..to.nodes.len()).find(|at| to.nodes[*at] == Some(id)).filter(&mut fits);
            same.or_else(|| (0..to.nodes.len()).find(fits))
        };
        Some(self.nodes.iter().map(&mut goes_on).collect())
    }

    /// How many orders a section's events may be in: the number of linear extensions. `None` if more than `limit` sets of events that
    /// may be over have to be looked at, or it is 2¹²⁸ or more.
    pub fn linear_extensions(&self, section: usize, limit: usize) -> Option<u128> {
        order::linear_extensions(&self.sections[section].events, self.threads, limit)
    }

    /// The threads that have no event on some circle of sections: under this schedule they may be starved. Ascending. Linear in sections
    /// times threads.
    pub fn starved(&self, system: &System, art: &Art) -> Vec<u16> {
        let is_starved = |thread: &u16| {
            let is_active = |node: usize| {
                self.nodes[node].is_some_and(|id| {
                    let point = art.node(id).points[usize::from(*thread)];
                    system.point(usize::from(*thread), point).is_active()
                })
            };
            // Along sections without the thread, its point stays the same: it is active on all of a circle or nowhere.
            let goes = |section: &&Section| {
                is_active(section.from) && section.path.iter().all(|step| system.transition(*step).thread != *thread)
            };
            let edges: Vec<(usize, usize)> =
                self.sections.iter().filter(goes).map(|section| (section.from, section.to)).collect();
            order::has_circle(self.nodes.len(), &edges)
        };
        (0..self.threads as u16).filter(is_starved).collect()
    }
}

/// Whether a term follows from another one, as far as each of its conjuncts is one of the other's.
pub fn follows(from: &Arc<Term>, term: &Arc<Term>) -> bool {
    let facts = known::conjuncts(from);
    facts.iter().any(|fact| fact.known() == Some(0))
        || known::conjuncts(term)
            .iter()
            .all(|part| part.known().is_some_and(|value| value != 0) || facts.contains(part))
}

/// What a guard says of registers; `None` of an error that depends on shared variables, which a schedule excludes.
pub(crate) fn silent_guard(system: &System, id: TransitionId) -> Option<impl Iterator<Item = &Arc<Term>>> {
    let transition = system.transition(id);
    let shared = system.shared();
    let is_shared = move |term: &Arc<Term>| {
        let mut found = false;
        term.each_variable(&mut |variable| found |= (variable.0 as usize) < shared);
        found
    };
    let is_error = system.point(transition.thread.into(), transition.to).is_error();
    let is_excluded = is_error && transition.guard.iter().any(is_shared);
    (!is_excluded).then(|| transition.guard.iter().filter(move |term| !is_shared(term)))
}
