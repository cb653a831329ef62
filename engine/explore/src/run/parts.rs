//! The parts that an exploration is cut into, in the order of its tree, whoever explores them: threads, which share a list
//! of them, or walkers that only know messages (`session::Sharing`).
//!
//! In each part is what was found in it and what is left of it. So the list is at any moment a description of the whole
//! exploration, and all that a checkpoint writes down. Neighbours that are over are put together, so that there are only a few
//! for each thread. The page's workers, which only know messages, have the same list between them.

use crate::explore::{Counts, Findings, Work};
use serde::{Deserialize, Serialize};

/// A part: what was found in it so far, and what is left of it. `S` says how it is being worked on, which is not written
/// down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartOf<S> {
    /// Where it begins: a work whose walk finds first what was found here, whatever comes later.
    pub start: Work,
    /// What was found, but for what a walk in it has not handed over yet.
    pub found: Findings,
    /// What is left from behind what was found to the next part; `None` at the end.
    pub rest: Option<Work>,
    /// What was found is known to end right behind an execution: nothing comes between that and the next part.
    #[serde(default)]
    pub ends_at_execution: bool,
    /// How it is being worked on.
    #[serde(skip)]
    pub state: S,
}

/// How a part that threads share is being worked on.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// What the walk in it is called; 0 if there is none.
    pub walk: u64,
    /// What that walk has counted, but not handed over.
    pub running: Counts,
    /// When it last handed over.
    pub epoch: u64,
}

/// A part of what threads share.
pub type Part = PartOf<State>;

/// What threads share.
pub type Parts = PartsOf<State>;

impl<S> PartOf<S> {
    /// A part of which nothing was explored yet.
    pub fn new(work: Work, nothing: Findings, state: S) -> Self {
        Self { start: work.clone(), found: nothing, rest: Some(work), ends_at_execution: false, state }
    }

    /// How much there is to copy when it is put behind another: final states and faults.
    pub(super) fn rows(&self) -> usize {
        self.found.results.outcomes().len() + self.found.results.faults().len() + 1
    }

    /// Whether nothing of it is left.
    pub fn is_over(&self) -> bool {
        self.rest.is_none()
    }
}

impl Part {
    /// How many executions were found, including those not handed over.
    pub(super) fn executions(&self) -> u64 {
        self.found.counts.executions() + self.state.running.executions()
    }
}

/// An exploration in parts, from left to right. Together, what was found in them and what is left of them is the whole
/// exploration: it can be written down and gone on with at any time.
///
/// - From its start, a part consists of what was found in it and then of what is left, up to the start of the next part.
/// - At most one walk is in a part, and only where something is left. It is never behind what was found.
/// - A part is cut between what was found and what is left, or within what is left. Neighbours of which nothing is left may
///   become one. A bound on executions may have some part and all behind it replaced by one that begins where that part did
///   and of which all is left.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent, bound(serialize = "", deserialize = "S: Default"))]
pub struct PartsOf<S>(pub Vec<PartOf<S>>);

impl<S> PartsOf<S> {
    /// Nothing explored yet: one part.
    pub fn whole(nothing: Findings, state: S) -> Self {
        Self(vec![PartOf::new(Work::default(), nothing, state)])
    }

    /// The parts, from left to right.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &PartOf<S>> {
        self.0.iter()
    }

    /// What is left to explore, from left to right.
    pub fn works(&self) -> impl Iterator<Item = &Work> {
        self.0.iter().filter_map(|part| part.rest.as_ref())
    }

    /// Whether nothing is left.
    pub fn is_over(&self) -> bool {
        self.0.iter().all(PartOf::is_over)
    }

    /// What was counted in what was handed over.
    pub fn handed_over(&self) -> Counts {
        self.0.iter().fold(Counts::default(), |mut counts, part| {
            counts.append(part.found.counts);
            counts
        })
    }

    /// How many steps from the start of the exploration were explored without a gap: a position up to here is the same
    /// whoever explored it. `None` if there is no gap.
    pub fn settled(&self) -> Option<u64> {
        let mut steps = 0;
        for part in &self.0 {
            steps += part.found.counts.steps;
            if part.rest.is_some() {
                return Some(steps);
            }
        }
        None
    }

    /// All that was found, `nothing` to begin with.
    pub fn findings(self, nothing: Findings) -> Findings {
        let mut parts = self.0.into_iter();
        let mut all = parts.next().map_or(nothing, |part| part.found);
        parts.for_each(|part| all.append(part.found));
        all
    }

    /// Puts together neighbours that are over. What is put behind something is copied, so the larger one waits until
    /// what is before it has its size: each finding is copied a logarithmic number of times, and between two parts that
    /// are not over, a logarithmic number of others remains. `piece` says how many executions a part may
    /// have.
    pub fn merge(&mut self, piece: u64) {
        let mut at = self.0.len();
        while at >= 2 {
            at -= 1;
            let (before, part) = (&self.0[at - 1], &self.0[at]);
            // All of a part that is over was handed over.
            let fits = before.found.counts.executions() + part.found.counts.executions() <= piece;
            if before.is_over() && part.is_over() && fits && 2 * before.rows() >= part.rows() {
                let part = self.0.remove(at);
                let before = &mut self.0[at - 1];
                if part.found.counts.steps > 0 {
                    before.ends_at_execution = part.ends_at_execution;
                }
                before.found.append(part.found);
                at = (at + 1).min(self.0.len());
            }
        }
    }
}

impl Parts {
    /// Nothing explored yet.
    pub fn new(nothing: Findings) -> Self {
        Self::whole(nothing, State::default())
    }

    /// What was counted so far, including what was not handed over yet.
    pub fn counts(&self) -> Counts {
        let mut counts = self.handed_over();
        self.0.iter().for_each(|part| counts.append(part.state.running));
        counts
    }

    pub(super) fn position(&self, walk: u64) -> Option<usize> {
        self.0.iter().position(|part| part.state.walk == walk)
    }
}
