//! What explorers note of whole executions.

use super::seen::Seen;
use super::step::classify;
use super::{Counts, ExecutionKind, Options, Step};
use crate::graph::{EventKey, Execution};
use crate::model::Model;

/// Counts, and what is needed to keep them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub counts: Counts,
    seen: Seen,
    /// The current whole graph has a data race.
    race: bool,
}

/// How an exploration goes on behind a whole execution.
pub(super) enum Next {
    /// It was found before, which is to be said.
    Duplicate,
    /// It is wrong, and the first wrong one ends the exploration.
    Finish,
    /// There may be more.
    GoOn,
}

impl Tally {
    /// The step that reports a whole graph's data race, if it has one.
    pub fn race(&mut self, model: Model, options: Options, graph: &Execution) -> Option<Step> {
        if options.no_races {
            return None;
        }
        let &(first, second) = model.races(graph).first()?;
        self.race = true;
        let key = |e| -> EventKey { graph.event(e).key };
        Some(Step::Race { first: key(first), second: key(second) })
    }

    /// Counts a whole graph.
    pub fn execution(&mut self, graph: &Execution, stop_at_first: bool) -> (Step, Next) {
        let (kind, bounded) = classify(graph, std::mem::take(&mut self.race));
        self.counts.add(kind, bounded);
        let number = self.counts.executions();
        let next = if !self.seen.insert(graph, number) {
            Next::Duplicate
        } else if stop_at_first && kind == ExecutionKind::Erroneous {
            Next::Finish
        } else {
            Next::GoOn
        };
        (Step::Execution { number, kind }, next)
    }
}
