//! Which writes can be last in co, by the stages that decide consistency.
//!
//! Where nothing ties the co of one location to that of others, a write can be last exactly if nothing is known to be behind its
//! block ([`super::coherent`]), whatever comes last elsewhere. Else that all others come before it is one more thing known of a run
//! ([`super::machine`]): locations are gone through, and what saturation refuses is not gone on with. Where a write was chosen for
//! each, a run decides.
//!
//! [`super::machine`]: mod@super::machine

use super::machine::{Machine, Runs};
use crate::budget::{Halt, Meter};
use crate::graph::EventId;
use crate::model::found::Found;
use rustc_hash::FxHashSet;

/// The search for the writes that can be last, which can be put aside.
#[derive(Clone, Debug)]
pub(in crate::model) struct LastWrites {
    /// Places in the list of locations that was asked about: first those where a run decides.
    asked: Vec<usize>,
    /// How many of these there are.
    tied: usize,
    /// By place in `asked`: what may come last, with its number in the machine, if it is tied to others.
    candidates: Vec<Vec<(EventId, u32)>>,
    levels: Vec<Level>,
    /// By level but the first: the write that was chosen for it.
    chosen: Vec<EventId>,
    /// What was found.
    pub found: Found,
}

#[derive(Clone, Debug)]
struct Level {
    /// What is known of a run; nothing at levels behind those that are tied.
    machine: Option<Machine>,
    is_saturated: bool,
    /// All that is tied is chosen, and a run is looked for.
    runs: Option<Box<Runs>>,
    /// Which candidate is next.
    next: usize,
}

impl Level {
    fn new(machine: Option<Machine>) -> Self {
        Self { machine, is_saturated: false, runs: None, next: 0 }
    }
}

/// What may come last at one location.
pub(super) enum Candidates {
    /// Each of these, whatever comes last elsewhere.
    Free(Vec<EventId>),
    /// Perhaps one of these, whose numbers the machine knows.
    Tied(Vec<(EventId, u32)>),
}

impl LastWrites {
    /// Of a graph that is inconsistent.
    pub(super) fn none() -> Self {
        Self {
            asked: Vec::new(),
            tied: 0,
            candidates: Vec::new(),
            levels: Vec::new(),
            chosen: Vec::new(),
            found: Found::default(),
        }
    }

    /// By location asked about, what may come last; and what is known of runs, if any run is needed.
    pub(super) fn new(candidates: Vec<Candidates>, machine: Option<Machine>) -> Self {
        let is_tied = |candidates: &Candidates| matches!(candidates, Candidates::Tied(_));
        let mut asked: Vec<usize> = (0..candidates.len()).collect();
        asked.sort_by_key(|&at| !is_tied(&candidates[at]));
        let tied = candidates.iter().filter(|&candidates| is_tied(candidates)).count();
        let mut lists: Vec<_> = candidates
            .into_iter()
            .map(|candidates| match candidates {
                Candidates::Free(writes) => writes.into_iter().map(|w| (w, 0)).collect(),
                Candidates::Tied(writes) => writes,
            })
            .collect();
        let candidates = asked.iter().map(|&at| std::mem::take(&mut lists[at])).collect();
        let levels = vec![Level::new(machine)];
        Self { asked, tied, candidates, levels, ..Self::none() }
    }

    /// The search before its start, which will keep what it finds there. Where nothing is tied, one write of each value is tried.
    pub(crate) fn with(mut self, found: Found) -> Self {
        for free in &mut self.candidates[self.tied..] {
            let mut tried = FxHashSet::default();
            free.retain(|&(w, _)| tried.insert(found.standing_for(w)));
        }
        Self { found, ..self }
    }

    fn pop(&mut self) {
        self.levels.pop();
        self.chosen.pop();
    }

    /// Finds all combinations. At the limit, those that were found are there.
    pub(in crate::model) fn find(&mut self, meter: &mut Meter<'_>) -> Result<(), Halt> {
        while let Some(level) = self.levels.last_mut() {
            let depth = self.chosen.len();
            if let Some(machine) = &mut level.machine {
                if !level.is_saturated {
                    if !machine.saturate(meter)? {
                        self.pop();
                        continue;
                    }
                    level.is_saturated = true;
                }
                if depth == self.tied && level.next == 0 {
                    let runs = level.runs.get_or_insert_with(|| Box::new(Runs::new(machine.clone())));
                    if !runs.search(meter)? {
                        self.pop();
                        continue;
                    }
                    (level.runs, level.machine) = (None, None);
                }
            }
            let Some(candidates) = self.candidates.get(depth) else {
                meter.spend(1 + depth as u64)?;
                let mut writes = vec![EventId(0); depth];
                for (&at, &w) in self.asked.iter().zip(&self.chosen) {
                    writes[at] = w;
                }
                if self.found.add(writes, meter)? {
                    return Ok(());
                }
                self.pop();
                continue;
            };
            let Some(&(w, number)) = candidates.get(level.next) else {
                self.pop();
                continue;
            };
            let mut machine = None;
            if depth < self.tied {
                let Some(known) = &level.machine else { return Ok(()) };
                let words = known.words();
                meter.spend(words / 4)?;
                meter.hold(words * (1 + depth as u64))?;
                machine = known.with_last(number);
                if machine.is_none() {
                    level.next += 1;
                    continue;
                }
            } else {
                meter.spend(1)?;
            }
            level.next += 1;
            self.chosen.push(w);
            self.levels.push(Level::new(machine));
        }
        Ok(())
    }
}
