//! What could be run instead of what was: a sequence of turns behind the first events of a run.

use super::{NONE, Predecessors, Process, Run, Touch, Turn};

/// One turn of a sequence.
#[derive(Clone, Copy, Debug)]
struct Entry {
    turn: Turn,
    /// Its place among the events of its process.
    serial: u32,
    /// The event of the run that it is; [`NONE`] if it would be another one.
    event: u32,
}

/// Turns behind a prefix of a run, with their happens-before: those events behind an event of the run that do not happen
/// after it, then one that comes before it instead.
#[derive(Clone, Debug, Default)]
pub(in crate::explore) struct Sequence {
    entries: Vec<Entry>,
    /// How many events of each process are before the entry that is no event of the run.
    clock: Vec<u32>,
    /// How many events the prefix has.
    prefix: usize,
    /// The turns behind the prefix that were taken already.
    taken: Vec<Turn>,
    scratch: Predecessors,
}

/// How a turn is related to a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explore) enum Begin {
    /// The sequence can begin with it: it is this entry, before which nothing has to come.
    With(usize),
    /// It is not in the sequence, and independent of all that is.
    Beside,
    /// The sequence can't begin with it.
    Not,
}

impl Sequence {
    fn clear(&mut self, prefix: u32) {
        self.entries.clear();
        self.clock.clear();
        self.taken.clear();
        self.prefix = prefix as usize;
    }

    /// What comes of the reversal of a race of two events of a run that has, or is looked at for, its first `end` events:
    /// `notdep(first) · second` behind all before `first`.
    pub(crate) fn reverse(&mut self, run: &Run, first: u32, second: u32, end: usize) {
        self.clear(first);
        self.take_independent(run, first, second, end);
        let mut scratch = std::mem::take(&mut self.scratch);
        run.predecessors(second as usize, &mut scratch);
        let event = &run.events[second as usize];
        if let Some(at) = (event.serial as usize).checked_sub(2) {
            scratch.order.push(run.by_process[usize::from(event.turn.process)][at]);
        }
        // What reads from the first one without being behind it reads from its own buffer then, whatever comes to memory.
        let conflicts: &[u32] = if event.before.update == first { &[] } else { &scratch.conflicts };
        let others = scratch.order.iter().chain(conflicts.iter().filter(|&&other| other != first));
        self.join(run, others.copied());
        self.scratch = scratch;
        self.entries.push(Entry { turn: run.turn_without(second as usize, first), serial: event.serial, event: NONE });
    }

    /// The same of an event and an operation that a thread waits with at the end of the run.
    pub(crate) fn reverse_waiting(&mut self, run: &Run, first: u32, thread: u16) {
        self.clear(first);
        self.take_independent(run, first, NONE, run.events.len());
        self.join(run, run.last_of_thread(thread));
        let touch = run.events[first as usize].turn.touch;
        let serial = run.by_process[usize::from(thread)].len() as u32 + 1;
        self.entries.push(Entry {
            turn: Turn { process: thread, spurious: false, touch, blind: false },
            serial,
            event: NONE,
        });
    }

    /// What comes of another outcome of an event: `notdep(e) · other` behind all before it.
    pub(crate) fn replace(&mut self, run: &Run, e: u32, other: Turn) {
        self.clear(e);
        self.take_independent(run, e, NONE, run.events.len());
        let mut scratch = std::mem::take(&mut self.scratch);
        run.predecessors_of_other(e, other, &mut scratch);
        self.join(run, scratch.order.iter().chain(&scratch.conflicts).copied());
        self.scratch = scratch;
        self.entries.push(Entry { turn: other, serial: run.events[e as usize].serial, event: NONE });
    }

    /// Puts another outcome in place of the last turn.
    pub(crate) fn end_with(&mut self, other: Turn) {
        if let Some(last) = self.entries.last_mut() {
            last.turn = other;
        }
    }

    /// Keeps the last turn and what comes before it in happens-before.
    pub(crate) fn keep_past(&mut self, run: &Run) {
        let Some(last) = self.entries.pop() else { return };
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|entry| self.is_before(run, entry, &last));
        entries.push(last);
        self.entries = entries;
    }

    /// Keeps the last turn, an event of the run, and what comes before that event.
    pub(crate) fn keep_past_of(&mut self, run: &Run, e: u32) {
        let last = self.entries.pop();
        self.entries.retain(|entry| run.is_before(entry.event, e));
        self.entries.extend(last);
    }

    fn take_independent(&mut self, run: &Run, first: u32, second: u32, end: usize) {
        for e in first + 1..end as u32 {
            if e != second && !run.is_before(first, e) {
                let event = &run.events[e as usize];
                self.entries.push(Entry { turn: event.turn, serial: event.serial, event: e });
            }
        }
    }

    fn join(&mut self, run: &Run, others: impl Iterator<Item = u32>) {
        self.clock.resize(run.stride, 0);
        for other in others {
            self.clock.iter_mut().zip(run.clock(other)).for_each(|(own, &other)| *own = (*own).max(other));
        }
    }

    /// The turns, in order.
    pub(crate) fn turns(&self) -> impl ExactSizeIterator<Item = Turn> + '_ {
        self.entries.iter().map(|entry| entry.turn)
    }

    fn is_before(&self, run: &Run, a: &Entry, b: &Entry) -> bool {
        let clock = if b.event == NONE { &self.clock } else { run.clock(b.event) };
        clock[usize::from(a.turn.process)] >= a.serial
    }

    /// Whether the sequence can begin with its first turn of a process.
    fn first_of(&self, run: &Run, process: Process) -> Option<(usize, bool)> {
        let at = self.entries.iter().position(|entry| entry.turn.process == process)?;
        Some((at, self.entries[..at].iter().all(|before| !self.is_before(run, before, &self.entries[at]))))
    }

    /// Whether a process is one of the initials, with this outcome: its first event in the sequence has nothing before it there.
    pub(crate) fn begins_with(&self, run: &Run, process: Process, spurious: bool) -> bool {
        self.first_of(run, process).is_some_and(|(at, initial)| initial && self.entries[at].turn.spurious == spurious)
    }

    /// How what a process does next behind the prefix and all that was taken is related to the sequence. It is one of the weak
    /// initials unless [`Begin::Not`].
    pub(crate) fn begin(&self, run: &Run, turn: Turn) -> Begin {
        match self.first_of(run, turn.process) {
            Some((at, true)) if self.entries[at].turn.spurious == turn.spurious => Begin::With(at),
            Some(_) => Begin::Not,
            None if self.is_independent(run, turn) => Begin::Beside,
            None => Begin::Not,
        }
    }

    /// Takes a turn from the sequence, or beside it.
    pub(crate) fn take(&mut self, turn: Turn, how: Begin) {
        if let Begin::With(at) = how {
            self.entries.remove(at);
        }
        self.taken.push(turn);
    }

    /// Whether an event of a buffer is in the prefix or was taken.
    fn is_done(&self, run: &Run, buffer: Process, serial: u32) -> bool {
        let taken = self.taken.iter().filter(|turn| turn.process == buffer).count() as u32;
        run.count_before(buffer, self.prefix) + taken >= serial
    }

    /// Whether a turn of a process that is not in the sequence is independent of all that is.
    fn is_independent(&self, run: &Run, turn: Turn) -> bool {
        let thread = run.thread_of(turn.process);
        let mut others = self.entries.iter().filter(|entry| run.thread_of(entry.turn.process) != thread);
        match turn.touch {
            Touch::Nothing => true,
            Touch::Reads(location) => others.all(|other| other.turn.touch != Touch::Writes(location)),
            Touch::Writes(location) => others.all(|other| match other.turn.touch {
                Touch::Reads(read) | Touch::Writes(read) => read != location,
                Touch::ReadsOwn { location: read, buffer, serial } => {
                    read != location || !self.is_done(run, buffer, serial)
                }
                Touch::Nothing => true,
            }),
            Touch::ReadsOwn { location, buffer, serial } => {
                let mut done = self.is_done(run, buffer, serial);
                self.entries.iter().all(|other| {
                    done |= other.turn.process == buffer && other.serial >= serial;
                    let foreign = run.thread_of(other.turn.process) != thread;
                    !(done && foreign && other.turn.touch == Touch::Writes(location))
                })
            }
        }
    }
}

impl Run {
    /// Whether two turns that different processes could take next are independent.
    pub(crate) fn are_independent(&self, a: Turn, b: Turn) -> bool {
        if self.thread_of(a.process) == self.thread_of(b.process) {
            return a.process != b.process;
        }
        let passed = |buffer: Process, serial: u32| self.by_process[usize::from(buffer)].len() as u32 >= serial;
        match (a.touch, b.touch) {
            (Touch::Reads(x), Touch::Writes(y))
            | (Touch::Writes(x), Touch::Reads(y))
            | (Touch::Writes(x), Touch::Writes(y)) => x != y,
            (Touch::ReadsOwn { location, buffer, serial }, Touch::Writes(written))
            | (Touch::Writes(written), Touch::ReadsOwn { location, buffer, serial }) => {
                location != written || !passed(buffer, serial)
            }
            _ => true,
        }
    }
}
