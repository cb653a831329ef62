//! How a section grows.

use super::influence::Influence;
use super::systems::Systems;
use crate::explore::runs::{Run, Touch, Turn};
use crate::program::{Action, InstructionKind};

/// How many turns all schedules of a section may have, since they are kept: some hundred megabytes.
const MOST_TURNS: u64 = 1 << 24;

/// How long sections may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// At most one event of each thread that depends on another one.
    pub short: bool,
    /// At most so many dependent pairs.
    pub pairs: usize,
}

/// A section, whose events are those of a run from some place on while it grows.
#[derive(Clone, Debug)]
pub(super) struct Section {
    extent: Extent,
    /// How many events of the run are before it.
    pub start: usize,
    /// Whose turn it is.
    turn: u16,
    /// By thread.
    members: Vec<Member>,
    /// Locations that a thread decides by what it read there: no other thread may write them.
    frozen: Vec<(u32, u16)>,
    pub systems: Systems,
}

#[derive(Clone, Debug, Default)]
struct Member {
    /// It has no more events in the section.
    is_out: bool,
    influence: Influence,
}

impl Section {
    pub(super) fn new(extent: Extent) -> Self {
        Self { extent, start: 0, turn: 0, members: Vec::new(), frozen: Vec::new(), systems: Systems::default() }
    }

    /// Begins another one behind a run, in which these threads sleep.
    pub(super) fn begin(&mut self, run: &Run, asleep: &[Turn]) {
        let threads = run.code.threads.len();
        (self.start, self.turn) = (run.events.len(), 0);
        self.members.clear();
        self.members.resize(threads, Member::default());
        asleep.iter().for_each(|turn| self.members[usize::from(turn.process)].is_out = true);
        self.frozen.clear();
        self.systems.clear(threads);
    }

    /// Adds an event to the section and to the run, if one may come into it: first those of the first thread.
    pub(super) fn grow(&mut self, run: &mut Run) -> bool {
        while usize::from(self.turn) < self.members.len() {
            if !self.members[usize::from(self.turn)].is_out && self.try_to_add(run, self.turn) {
                return true;
            }
            // No event of another thread can change that.
            self.turn += 1;
        }
        false
    }

    fn try_to_add(&mut self, run: &mut Run, thread: u16) -> bool {
        let Some((turn, action)) = run.turn(thread).zip(run.next_action(thread)) else { return false };
        let influence = &self.members[usize::from(thread)].influence;
        if influence.is_decided {
            return false;
        }
        let place = match turn.touch {
            Touch::Reads(location) => Some((location, false)),
            Touch::Writes(location) => Some((location, true)),
            Touch::Nothing | Touch::ReadsOwn { .. } => None,
        };
        let mut address = influence.address.clone();
        if let (Some((location, _)), Action::Update { update, .. }) = (place, action)
            && update.may_only_read()
        {
            address.extend(influence.read(location));
        }
        let is_library = matches!(action, Action::Library { .. });
        let mut others = Vec::new();
        for (at, event) in (0..).zip(&run.events[self.start..]) {
            let (location, writes) = match event.turn.touch {
                _ if event.turn.process == thread => continue,
                Touch::Reads(location) => (location, false),
                Touch::Writes(location) => (location, true),
                Touch::Nothing | Touch::ReadsOwn { .. } => continue,
            };
            if writes && address.contains(&location) {
                return false;
            }
            if let Some((own, own_writes)) = place
                && own == location
            {
                if is_library {
                    return false;
                }
                if writes || own_writes {
                    others.push(at);
                }
            }
        }
        let is_frozen = |location| self.frozen.iter().any(|&(frozen, by)| frozen == location && by != thread);
        if place.is_some_and(|(location, writes)| writes && is_frozen(location)) || !self.has_room(run, thread, &others)
        {
            return false;
        }
        self.frozen.extend(address.into_iter().map(|location| (location, thread)));
        self.systems.add(thread, others);
        run.perform(turn);
        self.follow(run, thread, place);
        true
    }

    /// Whether so many dependent pairs may be there, and an event of a thread that depends on these.
    fn has_room(&self, run: &Run, thread: u16, others: &[u32]) -> bool {
        let pairs = self.systems.pairs() + others.len();
        if pairs > self.extent.pairs || (self.systems.events() as u64 + 1) << pairs > MOST_TURNS {
            return false;
        }
        let process = |event: u32| run.events[self.start + event as usize].turn.process;
        !self.extent.short
            || others.is_empty()
            || !self.systems.has_other_dependent(thread, u32::MAX)
                && others.iter().enumerate().all(|(at, &other)| {
                    let threads = others[..at].iter().map(|&before| process(before));
                    !self.systems.has_other_dependent(process(other), other)
                        && threads.into_iter().all(|thread| thread != process(other))
                })
    }

    /// Looks at what a thread does behind the last event.
    fn follow(&mut self, run: &Run, thread: u16, place: Option<(u32, bool)>) {
        let last = run.events.len() - 1;
        let influence = &mut self.members[usize::from(thread)].influence;
        if let Some(instruction) = run.instruction(last) {
            let (location, writes) = place.unwrap_or_default();
            influence.perform(instruction, location, writes);
        }
        let code = &run.code.threads[usize::from(thread)];
        run.watch_behind(last, |instruction: &InstructionKind| influence.pass(code, instruction));
    }
}
