//! Threads that share an exploration.
//!
//! Each thread has a [`Walk`] through a part. Whoever is out of work waits. The others look every half millisecond whether
//! somebody does, and give away the last part of what they have left, as large a part as can be.

use super::parts::State;
use super::sync::{self, Condvar, Deadline, Mutex, MutexGuard, Pace};
use super::{Exploration, Foreign, Interruption, Part, Parts};
use crate::budget::{Budget, Stop};
use crate::explore::{Counts, Findings, Pause, Walk, Work};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::PoisonError;
use std::time::Duration;

/// How much to explore, and by how many.
#[derive(Clone, Copy, Debug)]
pub struct RunBounds {
    /// Threads.
    pub threads: NonZeroUsize,
    /// How many executions to find at most. Those that count are the first ones in the order of the tree.
    pub max_executions: Option<u64>,
    /// How often to look at the exploration from outside.
    pub tick: Duration,
    /// With a bound on executions, how many of them are explored again at most, to know which are the first ones; `None`
    /// for as many as suit that bound.
    pub piece: Option<NonZeroU64>,
    /// How many steps behind the last execution that counts are searched for one more, which take no more than
    /// 2²² units of work.
    pub look: u64,
}

impl Default for RunBounds {
    /// One thread and no bound.
    fn default() -> Self {
        let tick = Duration::from_millis(10);
        Self { threads: NonZeroUsize::MIN, max_executions: None, tick, piece: None, look: LOOK }
    }
}

/// How an exploration ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was found and what is left.
    pub parts: Parts,
    /// Why something is left, if so.
    pub interruption: Option<Interruption>,
    /// How many threads explored: fewer than were wanted where the system has no more. If it has none, all is left.
    pub threads: usize,
}

/// With a bound on executions, into how many pieces so many executions are cut.
const PIECES: u64 = 64;
const MIN_PIECE: u64 = 1024;
/// How many steps to look for one execution more: a small part of a second.
const LOOK: u64 = 1 << 15;
/// How many units of work ([`crate::budget`]) these steps may take.
pub(super) const LOOK_UNITS: u64 = 1 << 22;

/// What threads share.
struct Shared<'a> {
    exploration: &'a dyn Exploration,
    max_executions: Option<u64>,
    /// How many executions a part may have, if it may have to be explored again.
    piece: u64,
    look: u64,
    /// Told at the end, so that nobody goes on with a search.
    stop: Stop,
    board: Mutex<Board>,
    /// Somebody wants work, or there is some.
    work: Condvar,
    /// The exploration is over, or threads have handed over what they found.
    watch: Condvar,
}

struct Board {
    parts: Parts,
    stage: Stage,
    /// The name of the last walk.
    walks: u64,
    /// How many threads have nothing to do.
    hungry: usize,
    /// Rises whenever all walks are to hand over what they found.
    epoch: u64,
    /// Threads are to end.
    ending: bool,
    interruption: Option<Interruption>,
    foreign: bool,
}

/// How far it is known where the last execution is that counts. A run goes from one stage to a later one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It is still to be found.
    Exploring,
    /// It is in the last part, which went beyond it. That part is explored again, by one walk, exactly so far.
    Closing,
    /// What is before the last part ends with it. In the last part, one walk looks for one execution more; what it finds
    /// does not count, unless it is the end.
    Looking,
}

/// How far a walk may go before it reports.
#[derive(Clone, Copy, Debug)]
struct Limit {
    steps: u64,
    executions: u64,
    /// Of work.
    units: u64,
}

/// What can be asked of an exploration that goes on.
pub struct Status<'a>(&'a Shared<'a>);

impl Status<'_> {
    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.0.lock().parts.counts()
    }

    /// All that was found, and what is left, as it is a moment later. Threads wait as long as `look` looks at it.
    pub fn parts<R>(&self, look: impl FnOnce(&Parts) -> R) -> R {
        let mut board = self.0.lock();
        board.epoch += 1;
        let epoch = board.epoch;
        // A slice lasts less than a millisecond; a walk whose steps are much longer is not waited for.
        let late = Deadline::after(Duration::from_millis(30));
        loop {
            let is_behind = |part: &Part| part.state.walk != 0 && part.state.epoch < epoch;
            let behind = board.stage != Stage::Looking && board.parts.0.iter().any(is_behind);
            match late.left().filter(|_| behind && !board.ending) {
                Some(left) => board = sync::wait_for(&self.0.watch, board, left),
                None => return look(&board.parts),
            }
        }
    }
}

/// Explores what is left of an exploration. The calling thread calls `watch` each tick, and ends the run with what it
/// answers.
///
/// What is found does not depend on the number of threads, unless `watch` ends it. In a browser, which has neither
/// threads nor a clock of that kind, it panics.
///
/// # Errors
/// [`Foreign`] parts.
///
/// # Panics
/// If a walk does.
pub fn run(
    exploration: &dyn Exploration,
    mut parts: Parts,
    bounds: RunBounds,
    watch: &mut dyn FnMut(&Status) -> Option<Interruption>,
) -> Result<Outcome, Foreign> {
    let piece = match (bounds.max_executions, bounds.piece) {
        (None, _) => u64::MAX,
        (Some(max), None) => (max / PIECES).max(MIN_PIECE),
        (Some(_), Some(piece)) => piece.get(),
    };
    for part in &mut parts.0 {
        part.state = State::default();
    }
    let shared = Shared {
        exploration,
        max_executions: bounds.max_executions,
        piece,
        look: bounds.look.max(1),
        stop: Stop::default(),
        board: Mutex::new(Board {
            parts,
            stage: Stage::Exploring,
            walks: 0,
            hungry: 0,
            epoch: 0,
            ending: false,
            interruption: None,
            foreign: false,
        }),
        work: Condvar::new(),
        watch: Condvar::new(),
    };
    shared.review(&mut shared.lock(), 0);
    let threads = sync::scope(|scope| {
        let work = || shared.end_on_panic(|| shared.work());
        let threads = sync::spawn_up_to(scope, bounds.threads.get(), work).len();
        if threads > 0 {
            shared.end_on_panic(|| shared.watch(bounds.tick, watch));
        }
        threads
    });
    let board = shared.board.into_inner().unwrap_or_else(PoisonError::into_inner);
    if board.foreign {
        return Err(Foreign);
    }
    // Threads may have come to the end while they were told to stop.
    let executions = board.parts.counts().executions();
    let is_whole = board.parts.is_over() && bounds.max_executions.is_none_or(|max| executions <= max);
    let interruption = board.interruption.filter(|_| !is_whole);
    Ok(Outcome { parts: board.parts, interruption, threads })
}

/// A thread's walk.
struct Walker<'a> {
    walk: Box<dyn Walk + 'a>,
    /// What it is called.
    name: u64,
    /// How many units of work it has looked for one execution more.
    looked: u64,
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, board: &mut Board) {
        board.ending = true;
        self.stop.tell();
        self.work.notify_all();
        self.watch.notify_all();
    }

    /// Does something, and ends the run if it panics, so that nobody waits for it.
    fn end_on_panic(&self, task: impl FnOnce()) {
        sync::on_panic(task, || self.end(&mut self.lock()));
    }

    /// What the calling thread does until the end.
    fn watch(&self, tick: Duration, watch: &mut dyn FnMut(&Status) -> Option<Interruption>) {
        loop {
            let board = self.lock();
            if board.ending || sync::wait_for(&self.watch, board, tick).ending {
                return;
            }
            if let Some(interruption) = watch(&Status(self)) {
                let mut board = self.lock();
                if !board.ending {
                    board.interruption = Some(interruption);
                    self.end(&mut board);
                }
            }
        }
    }

    /// What a thread does all its life.
    fn work(&self) {
        let mut pace = Pace::default();
        while let Some((name, work)) = self.next_work() {
            // Told to stop on the way to the part: it is left as it is.
            let Ok(walk) = self.exploration.walk_within(&work, &mut Budget::until(self.stop.clone())) else { return };
            let Some(walk) = walk else {
                let mut board = self.lock();
                board.foreign = true;
                return self.end(&mut board);
            };
            let mut walker = Walker { walk, name, looked: 0 };
            let mut limit = self.limit(&mut self.lock(), &mut walker);
            while let Some(Limit { steps, executions, units }) = limit {
                let mut budget = Budget::until(self.stop.clone()).capped(units);
                let pause = pace.slice(&mut *walker.walk, steps, executions, &mut budget);
                if units < u64::MAX {
                    walker.looked += budget.spent();
                }
                limit = self.report(&mut walker, executions, pause);
            }
        }
    }

    /// Waits for something to do; `None` at the end.
    fn next_work(&self) -> Option<(u64, Work)> {
        let mut board = self.lock();
        loop {
            if board.ending {
                return None;
            }
            if let Some(mut at) = (0..board.parts.0.len()).find(|&at| self.is_waiting(&board, at)) {
                if self.max_executions.is_some() && board.parts.0[at].found.counts.steps > 0 {
                    // What was found before is not to be explored again for what is found now.
                    self.cut(&mut board, at);
                    at += 1;
                }
                board.walks += 1;
                let (name, epoch) = (board.walks, board.epoch);
                let state = &mut board.parts.0[at].state;
                (state.walk, state.epoch) = (name, epoch);
                return board.parts.0[at].rest.clone().map(|work| (name, work));
            }
            board.hungry += 1;
            board = self.work.wait(board).unwrap_or_else(PoisonError::into_inner);
            board.hungry -= 1;
        }
    }

    /// Whether a part waits for somebody to explore it.
    fn is_waiting(&self, board: &Board, at: usize) -> bool {
        let part = &board.parts.0[at];
        part.rest.is_some() && part.state.walk == 0 && !self.is_useless(board, at)
    }

    /// Whether nothing that would be found there can count.
    fn is_useless(&self, board: &Board, at: usize) -> bool {
        self.left(board, at) == 0 && board.stage != Stage::Looking
    }

    /// How many executions behind what was found in a part may count, as far as is known: no more than that.
    fn left(&self, board: &Board, at: usize) -> u64 {
        let Some(max) = self.max_executions else { return u64::MAX };
        max.saturating_sub(board.parts.0[..=at].iter().map(Part::executions).sum())
    }

    /// How far a walk may go next; `None` if it is not to go on.
    fn limit(&self, board: &mut Board, walker: &mut Walker) -> Option<Limit> {
        let at = board.parts.position(walker.name)?;
        if board.stage == Stage::Looking {
            let steps = self.look.saturating_sub(walker.walk.counts().steps);
            return Some(Limit { steps, executions: 1, units: LOOK_UNITS.saturating_sub(walker.looked) });
        }
        let left = self.left(board, at);
        if left == 0 {
            self.hand_over(board, at, walker);
            self.leave(board, at);
            return None;
        }
        // So that a part is cut right behind an execution.
        let room = self.piece.saturating_sub(board.parts.0[at].executions()).max(1);
        Some(Limit { steps: u64::MAX, executions: left.min(room), units: u64::MAX })
    }

    /// Takes what a walk has found into its part.
    fn hand_over(&self, board: &mut Board, at: usize, walker: &mut Walker) {
        let epoch = board.epoch;
        let part = &mut board.parts.0[at];
        part.found.append(walker.walk.take_findings());
        part.rest = walker.walk.work();
        part.state.running = Counts::default();
        if std::mem::replace(&mut part.state.epoch, epoch) < epoch {
            // Somebody may wait for that.
            self.watch.notify_all();
        }
    }

    /// The walk in a part is not there any more.
    fn leave(&self, board: &mut Board, at: usize) {
        board.parts.0[at].state = State::default();
        self.watch.notify_all();
    }

    /// Says how far a walk has come, which was to find so many executions; how far it may go next, `None` if it is not to
    /// go on.
    fn report(&self, walker: &mut Walker, wanted: u64, pause: Pause) -> Option<Limit> {
        let mut board = self.lock();
        let board = &mut *board;
        let mut at = board.parts.position(walker.name)?;
        if board.stage == Stage::Looking {
            return self.report_look(board, at, walker, pause);
        }
        let state = &mut board.parts.0[at].state;
        let before = state.running.executions();
        state.running = walker.walk.counts();
        let at_execution = pause == Pause::Stopped || state.running.executions() - before == wanted;
        if at_execution || pause != Pause::Steps || board.ending {
            self.hand_over(board, at, walker);
            board.parts.0[at].ends_at_execution = at_execution;
        }
        if pause != Pause::Steps || board.parts.0[at].rest.is_none() {
            board.parts.0[at].rest = None;
            if pause == Pause::Stopped {
                board.parts.0.truncate(at + 1);
            }
            self.leave(board, at);
            self.review(board, 0);
            board.parts.merge(self.piece);
            return None;
        }
        if at_execution {
            self.cut(board, at);
            at += 1;
        }
        if board.ending {
            self.leave(board, at);
            return None;
        }
        if self.max_executions.is_some() {
            self.review(board, walker.name);
            at = board.parts.position(walker.name)?;
        }
        if board.stage == Stage::Exploring && !self.is_useless(board, at) {
            self.share(board, at, walker);
        }
        if board.stage != Stage::Looking && board.parts.0[at].state.epoch < board.epoch {
            self.hand_over(board, at, walker);
        }
        self.limit(board, walker)
    }

    /// The same of the walk that looks for one execution more. What it says depends on nothing but the tree.
    fn report_look(&self, board: &mut Board, at: usize, walker: &mut Walker, pause: Pause) -> Option<Limit> {
        let counts = walker.walk.counts();
        let over = pause != Pause::Steps || walker.walk.work().is_none();
        if board.ending {
            // Somebody has ended it from outside.
        } else if counts.executions() > 0 && counts.steps <= self.look {
            board.interruption = Some(Interruption::MaxExecutions);
        } else if over && counts.steps <= self.look {
            self.hand_over(board, at, walker);
            board.parts.0[at].rest = None;
        } else if over || counts.steps >= self.look || walker.looked >= LOOK_UNITS {
            board.interruption = Some(Interruption::PerhapsMore);
        } else {
            return self.limit(board, walker);
        }
        self.leave(board, at);
        self.end(board);
        None
    }

    /// Gives a piece of a walk away if somebody wants one.
    fn share(&self, board: &mut Board, at: usize, walker: &mut Walker) {
        if board.hungry == 0 {
            return;
        }
        let waiting = (0..board.parts.0.len()).filter(|&at| self.is_waiting(board, at)).count();
        if board.hungry <= waiting {
            return;
        }
        let Some(work) = walker.walk.split() else { return };
        self.hand_over(board, at, walker);
        board.parts.0.insert(at + 1, Part::new(work, self.exploration.nothing(), State::default()));
        self.work.notify_one();
    }

    /// Cuts a part behind what was found in it. The walk, if there is one, is in what is left.
    fn cut(&self, board: &mut Board, at: usize) {
        let part = &mut board.parts.0[at];
        let Some(rest) = part.rest.take() else { return };
        let state = std::mem::take(&mut part.state);
        board.parts.0.insert(at + 1, Part::new(rest, self.exploration.nothing(), state));
    }

    /// Looks whether the exploration is over, or the last execution that counts was found. The walk `reporting` has just
    /// come back, if it is in one of the parts; 0 if there is none.
    fn review(&self, board: &mut Board, reporting: u64) {
        if board.ending || board.stage == Stage::Looking {
            return;
        }
        let Some(max) = self.max_executions else {
            if board.parts.is_over() {
                self.end(board);
            }
            return;
        };
        let (mut before, mut at) = (0, 0);
        while before < max {
            // All of it, and fewer executions than were asked for.
            let Some(part) = board.parts.0.get(at) else { return self.end(board) };
            let found = part.executions();
            if before + found > max || (before + found == max && part.rest.is_some()) {
                return self.close(board, at);
            }
            if part.rest.is_some() {
                return;
            }
            before += found;
            at += 1;
        }
        match at.checked_sub(1) {
            Some(last) if !board.parts.0[last].ends_at_execution => self.close(board, last),
            _ => self.look(board, at, reporting),
        }
    }

    /// Has a part explored again, to where the last execution is that counts: it went beyond that, or may have.
    fn close(&self, board: &mut Board, at: usize) {
        assert_ne!(board.stage, Stage::Closing, "a walk found more executions than it was to find");
        board.stage = Stage::Closing;
        let start = open(board.parts.0[at].start.clone());
        board.parts.0.truncate(at);
        board.parts.0.push(Part::new(start, self.exploration.nothing(), State::default()));
        self.work.notify_all();
        self.watch.notify_all();
    }

    /// The last execution that counts was found, and a part begins behind it: has somebody look for one more there.
    fn look(&self, board: &mut Board, at: usize, reporting: u64) {
        let Some(next) = board.parts.0.get(at) else { return self.end(board) };
        board.stage = Stage::Looking;
        let start = open(next.start.clone());
        // A walk that is there may go on.
        let fits = next.rest.as_ref() == Some(&start) && [0, reporting].contains(&next.state.walk);
        if !fits || next.found.counts.steps > 0 {
            board.parts.0.truncate(at);
            board.parts.0.push(Part::new(start, self.exploration.nothing(), State::default()));
        } else {
            board.parts.0.truncate(at + 1);
        }
        self.work.notify_all();
        self.watch.notify_all();
    }
}

/// The same, but up to the end of the whole tree.
fn open(mut work: Work) -> Work {
    work.0.iter_mut().for_each(|branch| branch.end = None);
    work
}

impl Outcome {
    /// All that was found, `nothing` to begin with.
    pub fn findings(self, nothing: Findings) -> Findings {
        self.parts.findings(nothing)
    }
}
