//! A session that stands frozen: one point of an exploration that was explored elsewhere, with all that was found.

use super::{Checkpoint, Reach, Session, Settings};
use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Explorer, Findings, Moment, Step};
use crate::graph::{Coherence, Execution};
use crate::program::{Program, Value};
use crate::syntax::Diagnostic;

/// Goes nowhere.
#[derive(Clone)]
struct Frozen {
    graph: Execution,
    co: Option<Coherence>,
    counts: Counts,
}

impl Explorer for Frozen {
    fn advance_within(&mut self, _budget: &mut Budget) -> Result<Step, Paused> {
        Ok(Step::Done)
    }

    fn execution(&self) -> &Execution {
        &self.graph
    }

    fn coherence(&self) -> Option<&Coherence> {
        self.co.as_ref()
    }

    fn registers(&self) -> Vec<&[Value]> {
        Vec::new()
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.graph.len()
    }
}

impl Session {
    /// A session that stands at a moment of an exploration, or at its start, and has nowhere to go. Its counts and
    /// results are those given. The moment is one of this program's.
    ///
    /// # Errors
    /// As [`Session::with_program`].
    pub fn frozen(
        settings: Settings,
        program: Program,
        findings: Findings,
        moment: Option<Moment>,
        reach: Reach,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut session = Self::with_program(settings, program, Vec::new())?;
        let counts = findings.counts;
        let (position, step, graph, co) = match moment {
            Some(Moment { position, step, graph, co }) => (position, Some(step), graph, co),
            None => (0, None, Execution::initial(&session.code), None),
        };
        session.frontier = Checkpoint { position, step, explorer: Box::new(Frozen { graph, co, counts }) };
        session.results = findings.results;
        session.done = true;
        session.frozen = Some(reach);
        Ok(session)
    }
}
