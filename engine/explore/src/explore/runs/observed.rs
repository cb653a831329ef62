//! What comes before what in a run of which the order of unobserved writes does not count, and what could be run instead.
//!
//! Under SC, a write and a read of its location are in order, and two writes of it only if somebody reads from one of them
//! (Aronis, Jonsson, Lång and Sagonas, *Optimal Dynamic Partial Order Reduction with Observers*, TACAS 2018). So what comes
//! before an event depends on what comes after it, and a run is looked at when it is over.

use super::{Begin, NONE, Predecessors, Run, Touch, Turn};
use crate::program::Action;

/// Happens-before of a whole run.
#[derive(Clone, Debug, Default)]
pub(in crate::explore) struct Observed {
    /// A row for each event, of `stride` numbers: how many events of each process are it or before it.
    clocks: Vec<u32>,
    stride: usize,
    /// Whether somebody reads from it, by event.
    observed: Vec<bool>,
    /// What comes immediately before each event: where its list ends, and the lists.
    ends: Vec<usize>,
    before: Vec<u32>,
    scratch: Predecessors,
}

/// Turns that could be performed behind a prefix of a run, in an order that is a run.
#[derive(Clone, Debug, Default)]
pub(in crate::explore) struct Word {
    turns: Vec<Turn>,
}

/// How two turns of different processes are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Independent,
    /// They write one location, and their order counts if one is observed.
    Writes,
    Dependent,
}

fn relation(a: Turn, b: Turn) -> Relation {
    let conflict = match (a.touch, b.touch) {
        (Touch::Reads(x), Touch::Writes(y))
        | (Touch::Writes(x), Touch::Reads(y))
        | (Touch::Writes(x), Touch::Writes(y)) => x == y,
        _ => false,
    };
    match conflict {
        false => Relation::Independent,
        true if a.blind && b.blind => Relation::Writes,
        true => Relation::Dependent,
    }
}

/// Whether a turn sees what was written to a location.
fn sees(turn: Turn, location: u32) -> bool {
    match turn.touch {
        Touch::Reads(read) => read == location,
        Touch::Writes(written) => written == location && !turn.blind,
        _ => false,
    }
}

/// Whether a turn touches a location.
fn touches(turn: Turn, location: u32) -> bool {
    matches!(turn.touch, Touch::Reads(touched) | Touch::Writes(touched) if touched == location)
}

impl Observed {
    /// Looks at a run.
    pub(crate) fn look(&mut self, run: &Run) {
        let len = run.events.len();
        self.stride = usize::from(run.processes()).max(1);
        self.observed.clear();
        self.observed.resize(len, false);
        for event in run.events.iter().filter(|event| event.source != NONE) {
            self.observed[event.source as usize] = true;
        }
        self.clocks.clear();
        self.clocks.resize(len * self.stride, 0);
        self.ends.clear();
        self.before.clear();
        for e in 0..len {
            let event = &run.events[e];
            let process = usize::from(event.turn.process);
            let (rows, own) = self.clocks.split_at_mut(e * self.stride);
            let own = &mut own[..self.stride];
            let row = |e: u32| &rows[e as usize * self.stride..(e as usize + 1) * self.stride];
            if let Some(at) = (event.serial as usize).checked_sub(2) {
                own.copy_from_slice(row(run.by_process[process][at]));
            }
            let start = self.before.len();
            // From the last one back: what is before one that was joined is before it anyway.
            for other in (0..e).rev() {
                let earlier = &run.events[other];
                if own[usize::from(earlier.turn.process)] >= earlier.serial {
                    continue;
                }
                let is_before = match relation(earlier.turn, event.turn) {
                    Relation::Independent => false,
                    Relation::Writes => self.observed[other] || self.observed[e],
                    Relation::Dependent => true,
                };
                if is_before {
                    self.before.push(other as u32);
                    own.iter_mut().zip(row(other as u32)).for_each(|(own, &other)| *own = (*own).max(other));
                }
            }
            debug_assert!(self.before[start..].is_sorted_by(|a, b| a > b));
            own[process] = event.serial;
            self.ends.push(self.before.len());
        }
    }

    /// Whether an event is another one or comes before it.
    pub(crate) fn is_before(&self, run: &Run, a: u32, b: u32) -> bool {
        let event = &run.events[a as usize];
        self.clocks[b as usize * self.stride + usize::from(event.turn.process)] >= event.serial
    }

    /// The events that an event is in a race with: those immediately before it that could come after it.
    pub(crate) fn races(&mut self, run: &Run, e: usize, into: &mut Vec<u32>) {
        into.clear();
        let event = &run.events[e];
        let previous = (event.serial as usize).checked_sub(2);
        let previous = previous.map(|at| run.by_process[usize::from(event.turn.process)][at]);
        if run.waits(e) {
            let mut scratch = std::mem::take(&mut self.scratch);
            run.predecessors(e, &mut scratch);
            let competitor = scratch.competitor;
            into.extend(competitor.filter(|&other| previous.is_none_or(|p| !self.is_before(run, other, p))));
            self.scratch = scratch;
            return;
        }
        let start = e.checked_sub(1).map_or(0, |before| self.ends[before]);
        into.extend(&self.before[start..self.ends[e]]);
    }

    /// Of a thread that waits, the event that it would have to come before in order to go on, if that may be.
    pub(crate) fn race_of_waiting(&self, run: &Run, thread: u16) -> Option<u32> {
        run.waiting(thread)?;
        let Action::Library { location, .. } = run.next_action(thread)? else { return None };
        let update = Some(run.memory[location.0 as usize].update).filter(|&update| update != NONE)?;
        let is_race = run.events[update as usize].turn.process != thread
            && run.last_of_thread(thread).all(|last| !self.is_before(run, update, last));
        is_race.then_some(update)
    }

    /// The reads of an event that come after no other one.
    pub(crate) fn first_readers(&self, run: &Run, write: u32, into: &mut Vec<u32>) {
        into.clear();
        let start = write as usize + 1;
        for (e, event) in run.events.iter().enumerate().skip(start) {
            if event.source == write && into.iter().all(|&reader| !self.is_before(run, reader, e as u32)) {
                into.push(e as u32);
            }
        }
    }
}

impl Word {
    fn push(&mut self, run: &Run, e: u32) {
        self.turns.push(run.events[e as usize].turn);
    }

    /// What comes of the reversal of a race: behind all before `first`, what is not after it, then `second`.
    pub(crate) fn reverse(&mut self, run: &Run, order: &Observed, first: u32, second: u32) {
        self.take_independent(run, order, first);
        self.turns.push(run.turn_without(second as usize, first));
    }

    /// The same of a thread that waits at the end of the run.
    pub(crate) fn reverse_waiting(&mut self, run: &Run, order: &Observed, first: u32, thread: u16) {
        self.take_independent(run, order, first);
        let touch = run.events[first as usize].turn.touch;
        self.turns.push(Turn { process: thread, spurious: false, touch, blind: false });
    }

    /// What comes of another outcome of an event.
    pub(crate) fn replace(&mut self, run: &Run, order: &Observed, e: u32, other: Turn) {
        self.take_independent(run, order, e);
        self.turns.push(other);
    }

    /// Puts another outcome in place of the last turn.
    pub(crate) fn end_with(&mut self, other: Turn) {
        if let Some(last) = self.turns.last_mut() {
            *last = other;
        }
    }

    /// What comes of the reversal of a race of two writes of which the later one is read: behind all before `first`, what is not
    /// after it; `second`, then `first`; what comes after that, but for what comes after reads of `second`; and one of these,
    /// which reads from `first` then.
    pub(crate) fn exchange(&mut self, run: &Run, order: &Observed, first: u32, second: u32, reader: u32) {
        self.take_independent(run, order, first);
        self.push(run, second);
        self.push(run, first);
        let readers: Vec<u32> =
            (second + 1..run.events.len() as u32).filter(|&e| run.events[e as usize].source == second).collect();
        for e in first + 1..run.events.len() as u32 {
            let is_after = |reader: &u32| order.is_before(run, *reader, e);
            if e != second && order.is_before(run, first, e) && !readers.iter().any(is_after) {
                self.push(run, e);
            }
        }
        self.turns.push(run.turn_that_reads(reader as usize, first));
    }

    fn take_independent(&mut self, run: &Run, order: &Observed, first: u32) {
        self.turns.clear();
        for e in first + 1..run.events.len() as u32 {
            if !order.is_before(run, first, e) {
                self.push(run, e);
            }
        }
    }

    /// The turns, in order.
    pub(crate) fn turns(&self) -> impl ExactSizeIterator<Item = Turn> + '_ {
        self.turns.iter().copied()
    }

    fn is_read(&self, at: usize) -> bool {
        let Touch::Writes(location) = self.turns[at].touch else { return false };
        let next = self.turns[at + 1..].iter().find(|turn| touches(**turn, location));
        next.is_some_and(|&next| sees(next, location))
    }

    /// How what a process could do next is related to the turns: they can begin with it, some that go on as they do can, or none.
    /// If writes of its location `passed` it while it was asleep, it must not be read to begin with.
    pub(crate) fn begin(&self, turn: Turn, passed: bool) -> Begin {
        let Some(at) = self.turns.iter().position(|other| other.process == turn.process) else {
            let independent = self.turns.iter().all(|&other| relation(other, turn) != Relation::Dependent);
            return if independent { Begin::Beside } else { Begin::Not };
        };
        if self.turns[at].spurious != turn.spurious {
            return Begin::Not;
        }
        let is_read = self.is_read(at);
        let mut others = self.turns[..at].iter();
        let is_behind = others.any(|&other| match relation(other, self.turns[at]) {
            Relation::Independent => false,
            Relation::Writes => is_read,
            Relation::Dependent => true,
        });
        if is_behind || passed && is_read { Begin::Not } else { Begin::With(at) }
    }

    /// Whether a location is read by the turns before anything is written to it.
    pub(crate) fn reads(&self, location: u32) -> bool {
        self.turns.iter().find(|turn| touches(**turn, location)).is_some_and(|&turn| sees(turn, location))
    }

    /// Takes a turn from the sequence, or beside it.
    pub(crate) fn take(&mut self, how: Begin) {
        if let Begin::With(at) = how {
            self.turns.remove(at);
        }
    }
}

/// A turn that was explored at some point of the run, from where nothing came before it since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explore) struct Sleeper {
    pub turn: Turn,
    pub state: Sleep,
}

/// What has happened since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explore) enum Sleep {
    /// Nothing dependent.
    Sound,
    /// Its location was written, and not read: the turn may be taken if it is read then.
    Passed,
    /// It was taken after that, and nobody has read it yet.
    Unread,
    /// What was to be read can't be any more, or was taken although it slept: the run is explored elsewhere.
    Lost,
}

impl Sleeper {
    /// What becomes of it when a turn is performed.
    pub(crate) fn behind(self, turn: Turn) -> Option<Self> {
        let state = match (self.state, self.turn.touch) {
            (Sleep::Lost, _) => Sleep::Lost,
            (Sleep::Unread, Touch::Writes(location)) if sees(turn, location) => return None,
            (Sleep::Unread, Touch::Writes(location)) if touches(turn, location) => Sleep::Lost,
            (Sleep::Unread, _) => Sleep::Unread,
            _ if self.turn.process == turn.process && self.turn.spurious != turn.spurious => return None,
            (Sleep::Sound, _) if self.turn.process == turn.process => Sleep::Lost,
            (Sleep::Passed, _) if self.turn.process == turn.process => Sleep::Unread,
            (state, _) => match relation(self.turn, turn) {
                Relation::Independent => state,
                Relation::Writes => Sleep::Passed,
                Relation::Dependent => return None,
            },
        };
        Some(Self { state, ..self })
    }

    /// Whether something that begins as a sequence does is explored already.
    pub(crate) fn covers(self, word: &Word) -> bool {
        match (self.state, self.turn.touch) {
            (Sleep::Sound, _) => word.begin(self.turn, false) != Begin::Not,
            (Sleep::Passed, _) => word.begin(self.turn, true) != Begin::Not,
            (Sleep::Unread, Touch::Writes(location)) => !word.reads(location),
            _ => true,
        }
    }
}

impl Run {
    /// What an event would do if it read from another one.
    fn turn_that_reads(&self, e: usize, write: u32) -> Turn {
        let turn = self.events[e].turn;
        let Action::Update { location, update, .. } = self.action_of(e) else { return turn };
        let value = self.value_in(location.0, write);
        let spurious = turn.spurious && update.may_fail_spuriously(value);
        let writes = !spurious && update.written(value).is_some();
        Turn { spurious, touch: if writes { Touch::Writes(location.0) } else { Touch::Reads(location.0) }, ..turn }
    }

    /// The other outcome that a read-modify-write could have if it read from another write.
    pub(crate) fn other_turn_that_reads(&self, e: usize, write: u32) -> Option<Turn> {
        let Action::Update { location, update, .. } = self.action_of(e) else { return None };
        if !self.options.spurious || !update.may_fail_spuriously(self.value_in(location.0, write)) {
            return None;
        }
        let turn = self.turn_that_reads(e, write);
        let touch = if turn.spurious { Touch::Writes(location.0) } else { Touch::Reads(location.0) };
        Some(Turn { spurious: !turn.spurious, touch, ..turn })
    }
}
