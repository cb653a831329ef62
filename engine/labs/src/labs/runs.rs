//! An exploration shared out among walkers that only know messages: the web workers of the page.
//!
//! [`Sharing`] says who walks where, and puts together what they find in the order of the tree, so that the result is
//! that of one walk through all of it, whoever was faster.

use crate::budget::{Budget, Paused};
use crate::explore::{Counts, Findings, Pause, Walk, Work};
use crate::program::{Code, Limits, Program, Span};
use crate::run::{Exploration, PartOf, PartsOf};
use crate::session::{Reach, Settings};
use crate::syntax::{self, Diagnostic};
use std::sync::Arc;

/// Names a walker, from 0.
pub type WalkerId = usize;
/// Names a part of an exploration; later ones have greater names.
pub type PartId = u32;

/// What a walker is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// To walk through a part, and report now and then. Ends what it did before.
    Walk(PartId, Work),
    /// To give the last piece of its part away, or say that there is none.
    Split(PartId),
}

/// What there is to know for walking through an exploration.
#[derive(Clone)]
pub struct Walkable {
    settings: Settings,
    program: Arc<Program>,
    code: Arc<Code>,
}

impl Walkable {
    /// # Errors
    /// As [`crate::session::Session::open`]; and one of an algorithm that can't explore the program in parts.
    pub fn new(settings: Settings) -> Result<Self, Vec<Diagnostic>> {
        let refuse = |message: String, span| vec![Diagnostic::error(message, span)];
        settings
            .options
            .validate_for(settings.algorithm, settings.model)
            .map_err(|error| refuse(error.to_string(), Span::default()))?;
        let program = Arc::new(syntax::parse(&settings.text)?.program);
        let code = Code::compile(&program).map_err(|error| refuse(error.to_string(), error.span()))?;
        settings
            .options
            .validate_for_program(settings.algorithm, settings.model, &code)
            .map_err(|error| refuse(error.to_string(), Span::default()))?;
        if settings.options.limits.events > Limits::EVENTS {
            let message = format!(
                "its graphs may have more than {} events, more than there is room for here: run `litmoscope explore`",
                Limits::EVENTS
            );
            return Err(refuse(message, Span::default()));
        }
        let new = Self { settings, program, code: Arc::new(code) };
        if new.walk(&Work::default()).is_none() {
            let message = format!("{} can't explore this program in parts", new.settings.algorithm.title());
            return Err(refuse(message, Span::default()));
        }
        Ok(new)
    }

    /// What is explored.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A walk through a part; `None` if there is no such part.
    pub fn walk(&self, work: &Work) -> Option<Box<dyn Walk>> {
        let Settings { model, algorithm, options, .. } = self.settings;
        algorithm.walk(Arc::clone(&self.code), Arc::clone(&self.program), model, options, work)
    }
}

impl Exploration for Walkable {
    fn nothing(&self) -> Findings {
        Findings::new(&self.program)
    }

    fn walk_within(&self, work: &Work, budget: &mut Budget) -> Result<Option<Box<dyn Walk + '_>>, Paused> {
        let Settings { model, algorithm, options, .. } = self.settings;
        let (code, program) = (Arc::clone(&self.code), Arc::clone(&self.program));
        let walk = algorithm.walk_within(code, program, model, options, work, budget)?;
        Ok(walk.map(|walk| walk as Box<dyn Walk>))
    }
}

/// How a part is being worked on.
#[derive(Clone, Copy, Debug)]
struct State {
    id: PartId,
    /// Who is there.
    walker: Option<WalkerId>,
}

/// What a walker does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Walker {
    part: Option<PartId>,
    /// It was asked for a piece of its part and has not answered.
    asked: bool,
    /// It had none to give when it was asked last.
    poor: bool,
    /// It is on its way: there is nothing to tell it yet.
    away: bool,
    /// It is no more.
    lost: bool,
}

/// An exploration shared out among walkers.
///
/// Of each walker, messages come in the order in which it sent them; between walkers, in any order and as late as can be.
/// Whatever has been heard until a moment, the findings of the parts and what is left of them make up the whole: a walker
/// says at once what it has found, what it gives away and what it keeps. So a walker can be lost at any moment.
pub struct Sharing {
    /// With what was found in them as far as it was said.
    parts: PartsOf<State>,
    walkers: Vec<Walker>,
    next: PartId,
    program: Program,
    /// Something wrong was found, and what comes behind it does not count.
    at_first: bool,
}

impl Sharing {
    /// The whole exploration, and nobody there to explore it.
    pub fn new(program: Program) -> Self {
        let parts = PartsOf::whole(Findings::new(&program), State { id: 1, walker: None });
        Self { parts, walkers: Vec::new(), next: 2, program, at_first: false }
    }

    /// A new walker, which is on its way until [`Self::join`].
    pub fn call(&mut self) -> WalkerId {
        self.walkers.push(Walker { away: true, ..Walker::default() });
        self.walkers.len() - 1
    }

    /// A walker that was called is there.
    pub fn join(&mut self, walker: WalkerId) {
        if let Some(walker) = self.walkers.get_mut(walker) {
            walker.away = false;
        }
    }

    /// A walker is lost, or leaves. What it has found and not said is, too: somebody else goes on where it was when it spoke last.
    pub fn lost(&mut self, walker: WalkerId) {
        let Some(gone) = self.walkers.get_mut(walker) else { return };
        *gone = Walker { lost: true, ..Walker::default() };
        let here = self.parts.0.iter_mut().find(|part| part.state.walker == Some(walker));
        here.into_iter().for_each(|part| part.state.walker = None);
    }

    /// How many walkers are not lost, on their way or there.
    pub fn alive(&self) -> usize {
        self.walkers.iter().filter(|walker| !walker.lost).count()
    }

    /// How many walkers have something to do.
    pub fn busy(&self) -> usize {
        self.walkers.iter().filter(|walker| walker.part.is_some()).count()
    }

    /// What there is to tell the walkers now.
    pub fn orders(&mut self) -> Vec<(WalkerId, Order)> {
        let mut orders = Vec::new();
        let is_idle = |walker: &Walker| walker.part.is_none() && !walker.lost && !walker.away;
        let mut idle: Vec<WalkerId> = (0..self.walkers.len()).filter(|&w| is_idle(&self.walkers[w])).collect();
        idle.reverse();
        for part in &mut self.parts.0 {
            if part.state.walker.is_none()
                && let Some(rest) = &part.rest
                && let Some(walker) = idle.pop()
            {
                orders.push((walker, Order::Walk(part.state.id, rest.clone())));
                part.state.walker = Some(walker);
                self.walkers[walker] = Walker { part: Some(part.state.id), ..Walker::default() };
            }
        }
        let pieces = self.walkers.iter().filter(|walker| walker.asked).count();
        // The first parts are as likely as any to be large, and are needed first.
        let mut wanted = idle.len().saturating_sub(pieces);
        for part in self.parts.iter() {
            if let Some(w) = part.state.walker
                && wanted > 0
                && !self.walkers[w].asked
                && !self.walkers[w].poor
            {
                self.walkers[w].asked = true;
                orders.push((w, Order::Split(part.state.id)));
                wanted -= 1;
            }
        }
        orders
    }

    fn position(&self, walker: WalkerId, part: PartId) -> Option<usize> {
        // What a walker says of a part that it was called away from comes too late.
        let here = self.walkers.get(walker).is_some_and(|walker| walker.part == Some(part));
        here.then(|| self.parts.iter().position(|other| other.state.id == part))?
    }

    /// A walker has found something in its part since it last said so, and there is this left of it; none at its end.
    pub fn found(&mut self, walker: WalkerId, part: PartId, findings: Findings, rest: Option<Work>, pause: Pause) {
        let Some(at) = self.position(walker, part) else { return };
        let here = &mut self.parts.0[at];
        here.found.append(findings);
        self.walkers[walker].poor = false;
        here.rest = rest.filter(|_| pause == Pause::Steps);
        if !here.is_over() {
            return;
        }
        here.state.walker = None;
        self.walkers[walker] = Walker::default();
        if pause == Pause::Stopped {
            for walker in self.parts.0.drain(at + 1..).filter_map(|later| later.state.walker) {
                self.walkers[walker] = Walker::default();
            }
            self.at_first = true;
        }
        self.parts.merge(u64::MAX);
    }

    /// A walker has given the last piece of its part away, or has none to give. It has found this since it said so last, and
    /// there is this left of its part, without that piece.
    pub fn given(
        &mut self,
        walker: WalkerId,
        part: PartId,
        piece: Option<Work>,
        findings: Findings,
        rest: Option<Work>,
    ) {
        let Some(at) = self.position(walker, part) else { return };
        let poor = piece.is_none();
        if let Some(piece) = piece {
            let state = State { id: self.next, walker: None };
            self.parts.0.insert(at + 1, PartOf::new(piece, Findings::new(&self.program), state));
            self.next += 1;
        }
        self.found(walker, part, findings, rest, Pause::Steps);
        if self.position(walker, part).is_some() {
            self.walkers[walker].asked = false;
            self.walkers[walker].poor = poor;
        }
    }

    /// What is left to explore behind what was found, as far as it was said.
    pub fn left(&self) -> Vec<Work> {
        self.parts.works().cloned().collect()
    }

    /// Whether nothing is left to explore.
    pub fn is_over(&self) -> bool {
        self.parts.is_over()
    }

    /// How much was explored.
    pub fn reach(&self, stopped: bool) -> Reach {
        match (self.is_over(), self.at_first) {
            (true, true) => Reach::FirstFault,
            (true, false) => Reach::Whole,
            (false, _) if stopped => Reach::Stopped,
            (false, _) => Reach::Ongoing,
        }
    }

    /// What was counted, as far as it was said.
    pub fn counts(&self) -> Counts {
        self.parts.handed_over()
    }

    /// What was found, as far as it was said, in the order of the tree.
    pub fn findings(&self) -> Findings {
        self.parts.clone().findings(Findings::new(&self.program))
    }

    /// How many steps from the start there are without a gap; `None` if there is no gap.
    pub fn settled(&self) -> Option<u64> {
        self.parts.settled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Branch, ExecutionKind, Moment, Step};
    use crate::graph::Execution;
    use crate::program::Code;
    use crate::syntax;

    const LEAVES: u32 = 1000;

    /// A tree with one level: each child is an execution.
    fn program() -> Program {
        syntax::parse("x := 1").expect("it is a program").program
    }

    fn whole(work: &Work) -> (u32, u32) {
        work.0.first().map_or((0, LEAVES), |branch| (branch.next, branch.end.unwrap_or(LEAVES)))
    }

    fn found(program: &Program, from: u32, to: u32) -> Findings {
        let mut findings = Findings::new(program);
        findings.counts.steps = u64::from(to - from);
        findings.counts.complete = u64::from(to - from);
        if from < to {
            let code = Code::compile(program).expect("it compiles");
            let step = Step::Execution { number: 1, kind: ExecutionKind::Complete };
            let graph = Execution::initial(&code);
            findings.first = Some(Moment { position: 1, step, graph, co: None });
        }
        findings
    }

    /// Walkers that are as fast as `chance` has it; the first wrong leaf, if there is one, stops them.
    fn explore(walkers: usize, mut chance: impl FnMut(usize) -> usize, wrong: Option<u32>) -> (Findings, Reach) {
        let program = program();
        let mut sharing = Sharing::new(program.clone());
        let mut state: Vec<Option<(PartId, u32, u32)>> = (0..walkers).map(|_| None).collect();
        for walker in 0..walkers {
            assert_eq!(sharing.call(), walker);
            sharing.join(walker);
        }
        while !sharing.is_over() {
            for (walker, order) in sharing.orders() {
                match order {
                    Order::Walk(part, work) => {
                        let (from, to) = whole(&work);
                        state[walker] = Some((part, from, to));
                    }
                    Order::Split(part) => {
                        let (_, from, to) = state[walker].as_mut().filter(|s| s.0 == part).expect("it is there");
                        let middle = *from + (*to - *from).div_ceil(2);
                        let piece = (middle < *to).then(|| Work(vec![Branch { next: middle, end: Some(*to) }]));
                        *to = middle.min(*to);
                        let rest = Work(vec![Branch { next: *from, end: Some(*to) }]);
                        sharing.given(walker, part, piece, found(&program, 0, 0), Some(rest));
                    }
                }
            }
            let walker = chance(walkers);
            if let Some((part, from, to)) = state[walker] {
                let until = (from + 1 + chance(20) as u32).min(to);
                let stop = wrong.filter(|wrong| (from..until).contains(wrong));
                let until = stop.map_or(until, |wrong| wrong + 1);
                let pause = match stop {
                    Some(_) => Pause::Stopped,
                    None if until == to => Pause::Exhausted,
                    None => Pause::Steps,
                };
                let rest = Work(vec![Branch { next: until, end: Some(to) }]);
                sharing.found(walker, part, found(&program, from, until), Some(rest), pause);
                state[walker] = (pause == Pause::Steps).then_some((part, until, to));
            }
        }
        assert_eq!((sharing.settled(), sharing.busy(), sharing.left().len()), (None, 0, 0));
        (sharing.findings(), sharing.reach(false))
    }

    #[test]
    fn what_is_found_does_not_depend_on_who_was_faster() {
        for seed in 0..50_u64 {
            for walkers in [1, 2, 5] {
                let mut state = seed * 2 + 1;
                let mut chance = |below: usize| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) as usize % below
                };
                let program = program();
                let wrong = Some(321).filter(|_| seed % 2 == 0);
                let last = wrong.map_or(LEAVES, |wrong| wrong + 1);
                let reach = if wrong.is_some() { Reach::FirstFault } else { Reach::Whole };
                let all = explore(walkers, &mut chance, wrong);
                assert_eq!(all, (found(&program, 0, last), reach), "{walkers} walkers, seed {seed}");
            }
        }
    }

    #[test]
    fn a_piece_that_is_given_away_is_walked_by_another() {
        let mut sharing = Sharing::new(program());
        let (a, b) = (sharing.call(), sharing.call());
        assert_eq!(sharing.orders(), []);
        sharing.join(a);
        assert_eq!(sharing.orders(), [(a, Order::Walk(1, Work::default()))]);
        // Nobody gives anything away for who is not there.
        assert_eq!((sharing.orders(), sharing.alive()), (vec![], 2));
        sharing.join(b);
        assert_eq!(sharing.orders(), [(a, Order::Split(1))]);
        let piece = Work(vec![Branch { next: 500, end: None }]);
        let nothing = || found(&program(), 0, 0);
        let rest = Work(vec![Branch { next: 0, end: Some(500) }]);
        sharing.given(a, 1, Some(piece.clone()), nothing(), Some(rest.clone()));
        assert_eq!(sharing.orders(), [(b, Order::Walk(2, piece))]);
        // Nobody is asked again for what he does not have before he has gone on.
        sharing.found(b, 2, found(&program(), 500, 1000), None, Pause::Exhausted);
        assert_eq!(sharing.orders(), [(a, Order::Split(1))]);
        sharing.given(a, 1, None, nothing(), Some(rest.clone()));
        assert_eq!(sharing.orders(), []);
        assert_eq!((sharing.settled(), sharing.reach(false)), (Some(0), Reach::Ongoing));
        sharing.found(a, 1, found(&program(), 0, 10), Some(rest.clone()), Pause::Steps);
        assert_eq!(sharing.orders(), [(a, Order::Split(1))]);
        assert_eq!((sharing.settled(), sharing.reach(true)), (Some(10), Reach::Stopped));
        assert_eq!(sharing.counts().complete, 510);
        // What a lost walker said last is where another goes on.
        sharing.lost(a);
        assert_eq!((sharing.alive(), sharing.busy()), (1, 0));
        assert_eq!(sharing.orders(), [(b, Order::Walk(1, rest))]);
        sharing.found(a, 1, found(&program(), 10, 20), None, Pause::Exhausted);
        assert_eq!(sharing.counts().complete, 510);
    }
}
