//! Threads that share an exploration.

use super::parts::State;
use super::{Exploration, Interruption, Part, Parts};
use crate::explore::{Counts, Findings, Pause, Walk, Work};
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How much to explore, and by how many.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Threads.
    pub threads: NonZeroUsize,
    /// How many executions to find at most. Those that count are the first ones in the order of the tree.
    pub max_executions: Option<u64>,
    /// How often to look at the exploration from outside.
    pub tick: Duration,
}

/// A work that is not part of the exploration: it comes from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the parts that are left to explore are not parts of this exploration")]
pub struct Foreign;

/// How an exploration ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was found and what is left.
    pub parts: Parts,
    /// Why something is left, if so.
    pub interruption: Option<Interruption>,
}

/// How long a thread explores before it looks whether somebody wants something of it.
const SLICE: Duration = Duration::from_micros(500);
/// How many steps the first slice has; later ones as many as fill the time.
const FIRST_STEPS: u64 = 64;
const MAX_STEPS: u64 = 1 << 20;
/// With a bound on executions, into how many pieces so many executions are cut: what has to be explored again, to know
/// what the first executions are and no more, is one piece.
const PIECES: u64 = 64;
const MIN_PIECE: u64 = 1024;

/// What threads share.
struct Shared<'a> {
    exploration: &'a dyn Exploration,
    max_executions: Option<u64>,
    /// How many executions a part may have, if it may have to be explored again.
    chunk: u64,
    board: Mutex<Board>,
    /// Somebody wants work, or there is some.
    work: Condvar,
    /// The exploration is over, or threads have handed over what they found.
    watch: Condvar,
}

struct Board {
    parts: Parts,
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
        let late = Instant::now() + Duration::from_millis(100);
        loop {
            let behind = board.parts.0.iter().any(|p| p.state.walk != 0 && !p.state.last && p.state.epoch < epoch);
            let left = late.saturating_duration_since(Instant::now());
            if !behind || board.ending || left.is_zero() {
                return look(&board.parts);
            }
            board = self.0.watch.wait_timeout(board, left).unwrap_or_else(PoisonError::into_inner).0;
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
    bounds: Bounds,
    watch: &mut dyn FnMut(&Status) -> Option<Interruption>,
) -> Result<Outcome, Foreign> {
    let chunk = bounds.max_executions.map_or(u64::MAX, |max| (max / PIECES).max(MIN_PIECE));
    for part in &mut parts.0 {
        part.state = State::default();
    }
    let board = Board { parts, walks: 0, hungry: 0, epoch: 0, ending: false, interruption: None, foreign: false };
    let shared = Shared {
        exploration,
        max_executions: bounds.max_executions,
        chunk,
        board: Mutex::new(board),
        work: Condvar::new(),
        watch: Condvar::new(),
    };
    {
        let mut board = shared.lock();
        let empty = |part: &Part| part.found.counts.steps == 0;
        let first = board.parts.0.iter().position(|part| part.rest.is_some());
        let counted = board.parts.counts().executions();
        if first.is_some_and(|at| board.parts.0[at + 1..].iter().all(empty)) && Some(counted) == bounds.max_executions {
            // An exploration that was ended by the same bound goes on.
            board.interruption = Some(Interruption::MaxExecutions);
            shared.end(&mut board);
        }
        shared.review(&mut board);
    }
    thread::scope(|scope| {
        for _ in 0..bounds.threads.get() {
            scope.spawn(|| {
                let _end = EndOnPanic(&shared);
                shared.work();
            });
        }
        // Also if `watch` panics.
        let _end = EndOnPanic(&shared);
        loop {
            let board = shared.lock();
            if board.ending {
                break;
            }
            drop(shared.watch.wait_timeout(board, bounds.tick).unwrap_or_else(PoisonError::into_inner));
            if shared.lock().ending {
                break;
            }
            if let Some(interruption) = watch(&Status(&shared)) {
                let mut board = shared.lock();
                if !board.ending {
                    board.interruption = Some(interruption);
                    shared.end(&mut board);
                }
            }
        }
    });
    let board = shared.board.into_inner().unwrap_or_else(PoisonError::into_inner);
    if board.foreign {
        return Err(Foreign);
    }
    // Threads may have come to the end while they were told to stop.
    let interruption = board.interruption.filter(|_| !board.parts.is_over());
    Ok(Outcome { parts: board.parts, interruption })
}

/// Ends the run if its thread panics, so that nobody waits for it.
struct EndOnPanic<'a>(&'a Shared<'a>);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(&mut self.0.lock());
        }
    }
}

/// A thread's walk.
struct Walker<'a> {
    walk: Box<dyn Walk + 'a>,
    /// What it is called.
    name: u64,
    /// It was told to find no more executions than are to count.
    exact: bool,
    /// All executions that are to count have been found; what it finds now counts only if there are no more.
    beyond: bool,
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, board: &mut Board) {
        board.ending = true;
        self.work.notify_all();
        self.watch.notify_all();
    }

    /// What a thread does all its life.
    fn work(&self) {
        let mut steps = FIRST_STEPS;
        while let Some((name, work)) = self.next_work() {
            let Some(walk) = self.exploration.walk(&work) else {
                let mut board = self.lock();
                board.foreign = true;
                return self.end(&mut board);
            };
            let mut walker = Walker { walk, name, exact: false, beyond: false };
            let mut limit = self.limit(&mut self.lock(), &mut walker);
            while let Some(most) = limit {
                let start = Instant::now();
                let slice = steps.min(most);
                let pause = walker.walk.run(slice);
                let spent = start.elapsed();
                if spent > SLICE {
                    steps = (steps / 2).max(FIRST_STEPS);
                } else if spent < SLICE / 4 && slice == steps {
                    steps = (steps * 2).min(MAX_STEPS);
                }
                limit = self.report(&mut walker, pause);
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
            let waiting = board.parts.0.iter().position(|part| part.rest.is_some() && part.state.walk == 0);
            if let Some(at) = waiting.filter(|&at| !self.is_useless(&board, at)) {
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

    /// Whether nothing that is found there will count.
    fn is_useless(&self, board: &Board, at: usize) -> bool {
        let Some(max) = self.max_executions else { return false };
        let before: u64 = board.parts.0[..at].iter().map(Part::executions).sum();
        before >= max && board.parts.counts().executions() > max
    }

    /// How many steps a walk may do next; `None` if it is not to go on.
    fn limit(&self, board: &mut Board, walker: &mut Walker) -> Option<u64> {
        let at = board.parts.position(walker.name)?;
        let Some(max) = self.max_executions else { return Some(u64::MAX) };
        if board.parts.0[..at].iter().any(|part| part.rest.is_some()) {
            return Some(u64::MAX);
        }
        // All before it is explored: it must not go beyond the last execution that counts.
        let before: u64 = board.parts.0[..at].iter().map(Part::executions).sum();
        let left = max.saturating_sub(before + board.parts.0[at].executions());
        if left > 0 {
            walker.exact = true;
            return Some(left);
        }
        if walker.exact && !walker.beyond {
            self.hand_over(board, at, walker);
            walker.beyond = true;
            board.parts.0[at].state.last = true;
            self.review(board);
            board.parts.position(walker.name)?;
        }
        Some(u64::MAX)
    }

    /// Takes what a walk has found into its part.
    fn hand_over(&self, board: &mut Board, at: usize, walker: &mut Walker) {
        let epoch = board.epoch;
        let part = &mut board.parts.0[at];
        part.found.append(walker.walk.take_findings());
        part.rest = walker.walk.work();
        part.state.running = Counts::default();
        part.state.epoch = epoch;
    }

    /// Says how far a walk has come, and how many steps it may do next; `None` if it is not to go on.
    fn report(&self, walker: &mut Walker, pause: Pause) -> Option<u64> {
        let mut board = self.lock();
        let board = &mut *board;
        let at = board.parts.position(walker.name)?;
        board.parts.0[at].state.running = walker.walk.counts();
        if walker.beyond && board.parts.0[at].state.running.executions() > 0 {
            // What it found last does not count, but says that there is more.
            self.review(board);
            return None;
        }
        if pause != Pause::Steps {
            // If there is more elsewhere, what came behind the last execution does not count either.
            self.review(board);
            let at = board.parts.position(walker.name)?;
            self.hand_over(board, at, walker);
            board.parts.0[at].rest = None;
            board.parts.0[at].state = State::default();
            if pause == Pause::Stopped {
                board.parts.0.truncate(at + 1);
            }
            self.review(board);
            board.parts.merge(self.chunk);
            return None;
        }
        if board.ending {
            if walker.beyond {
                board.parts.0[at].state.running = Counts::default();
            } else {
                self.hand_over(board, at, walker);
            }
            board.parts.0[at].state.walk = 0;
            return None;
        }
        if self.is_useless(board, at) {
            self.hand_over(board, at, walker);
            board.parts.0[at].state.walk = 0;
            self.review(board);
            return None;
        }
        if !walker.beyond {
            self.share(board, at, walker);
            if board.parts.0[at].state.epoch < board.epoch {
                self.hand_over(board, at, walker);
                self.watch.notify_all();
            }
            if board.parts.0[at].executions() >= self.chunk {
                self.hand_over(board, at, walker);
                self.begin_piece(board, at);
            }
        }
        if self.max_executions.is_some() {
            self.review(board);
        }
        self.limit(board, walker)
    }

    /// Gives a piece of a walk away if somebody wants one.
    fn share(&self, board: &mut Board, at: usize, walker: &mut Walker) {
        if board.hungry == 0 || board.parts.0[at].state.last {
            return;
        }
        let is_waiting = |at: usize| board.parts.0[at].rest.is_some() && board.parts.0[at].state.walk == 0;
        let waiting = (0..board.parts.0.len()).filter(|&at| is_waiting(at) && !self.is_useless(board, at)).count();
        if board.hungry <= waiting {
            return;
        }
        let Some(work) = walker.walk.split() else { return };
        self.hand_over(board, at, walker);
        let found = self.exploration.nothing();
        let part = Part { start: work.clone(), found, rest: Some(work), state: State::default() };
        board.parts.0.insert(at + 1, part);
        self.work.notify_one();
    }

    /// Cuts a part behind what was found in it.
    fn begin_piece(&self, board: &mut Board, at: usize) {
        let part = &mut board.parts.0[at];
        let Some(rest) = part.rest.take() else { return };
        let state = std::mem::take(&mut part.state);
        let found = self.exploration.nothing();
        board.parts.0.insert(at + 1, Part { start: rest.clone(), found, rest: Some(rest), state });
    }

    /// Looks whether the exploration is over.
    fn review(&self, board: &mut Board) {
        if board.ending {
            return;
        }
        if board.parts.is_over() && self.max_executions.is_none_or(|max| board.parts.counts().executions() <= max) {
            return self.end(board);
        }
        let Some(max) = self.max_executions else { return };
        if board.parts.counts().executions() <= max {
            return;
        }
        // There are more executions than are to count. The last one that does is in the first part with so many before
        // its end, once all before it is explored.
        let mut before = 0;
        for at in 0..board.parts.0.len() {
            let part = &mut board.parts.0[at];
            let found = part.executions();
            if before + found < max {
                if part.rest.is_some() {
                    return;
                }
                before += found;
                continue;
            }
            if part.state.last && before + part.found.counts.executions() == max {
                // It ends there.
                let rest = part.rest.take();
                part.state = State::default();
                let later = board.parts.0.drain(at + 1..).next().map(|part| part.start);
                board.parts.0[at].rest = rest.or(later).map(open);
                board.interruption = Some(Interruption::MaxExecutions);
                return self.end(board);
            }
            if part.state.last {
                return;
            }
            // It goes beyond, or may: it is explored again from its start, as far as is needed.
            let start = open(part.start.clone());
            let found = self.exploration.nothing();
            let state = State { last: true, ..State::default() };
            *part = Part { start: start.clone(), found, rest: Some(start), state };
            board.parts.0.truncate(at + 1);
            self.work.notify_all();
            return;
        }
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
