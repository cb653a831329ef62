//! What explorers note of whole executions.

use super::seen::Seen;
use super::step::classify;
use super::stuck::Whole;
use super::{Counts, ExecutionKind, Options, Step};
use crate::budget::{Budget, Decision, Paused};
use crate::graph::{Event, EventKey, Execution};
use crate::model::{Inquiry, Model};
use crate::program::Code;

/// Counts, and what is needed to keep them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub counts: Counts,
    seen: Seen,
    /// The same without co, where that is part of what is explored.
    plain: Seen,
    /// The current whole graph has a data race or a read of what nobody wrote.
    wrong: bool,
    /// The question that a step was paused in.
    inquiry: Inquiry,
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
    /// The step that reports what is wrong with a whole graph as such: that a read takes a value that nobody wrote, else a
    /// data race.
    pub(super) fn fault(&mut self, code: &Code, model: Model, options: Options, graph: &Execution) -> Option<Step> {
        let step = fault(code, model, options, graph);
        self.wrong = step.is_some();
        step
    }

    /// The number of the execution that a whole graph is, if an earlier run found it, which is counted then.
    pub(super) fn repetition(&mut self, graph: &Execution) -> Option<u64> {
        let number = self.seen.number(graph).filter(|&number| number <= self.counts.executions())?;
        self.counts.repeated += 1;
        Some(number)
    }

    /// Counts a whole graph.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so; nothing was counted then.
    pub(super) fn execution(&mut self, whole: Whole<'_>, budget: &mut Budget) -> Result<(Step, Next), Paused> {
        let Whole { graph, co, options, .. } = whole;
        let (mut kind, bounded) = classify(graph, self.wrong);
        if kind == ExecutionKind::Blocked {
            match whole.is_stuck(&mut self.inquiry, budget)? {
                Decision::Yes => kind = ExecutionKind::StuckForGood,
                Decision::No => {}
                Decision::Undecided => self.counts.undecided += 1,
            }
        }
        self.wrong = false;
        self.counts.add(kind, bounded);
        let number = self.counts.executions();
        self.counts.plain += u64::from(co.is_none() || self.plain.insert(graph, None, number));
        let next = if !self.seen.insert(graph, co, number) {
            Next::Duplicate
        } else if options.stop_at_first && kind.is_wrong() {
            Next::Finish
        } else {
            Next::GoOn
        };
        Ok((Step::Execution { number, kind }, next))
    }
}

/// The step that reports what is wrong with a whole graph as such.
pub(super) fn fault(code: &Code, model: Model, options: Options, graph: &Execution) -> Option<Step> {
    uninitialised_read(code, graph).or_else(|| race(model, options, graph))
}

fn uninitialised_read(code: &Code, graph: &Execution) -> Option<Step> {
    // Mutexes start free and channels empty, whatever their declaration says.
    let nobody_wrote = |event: &Event| {
        event.operation().is_none() && event.location().is_some_and(|location| code.is_uninitialised(location))
    };
    // In the order of threads, which does not depend on how the graph came about.
    let reads = graph
        .events()
        .filter(|(e, event)| graph.source(*e).is_some_and(|write| graph.event(write).is_init()) && nobody_wrote(event));
    reads.map(|(_, event)| event.key).min().map(|read| Step::UninitialisedRead { read })
}

fn race(model: Model, options: Options, graph: &Execution) -> Option<Step> {
    if options.no_races {
        return None;
    }
    let &(first, second) = model.races(graph).first()?;
    let key = |e| -> EventKey { graph.event(e).key };
    Some(Step::Race { first: key(first), second: key(second) })
}
